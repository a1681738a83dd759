"""Queries with two conditions: what is asked, what meets both, what violates one."""

import pytest

from pyterrier_quantity import RuleExtractor, parse_query
from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.training import DataSettings, make_training_data
from pyterrier_quantity.training.conjunctions import SEVERAL, _together, several_samples
from pyterrier_quantity.training.pairs import training_pairs
from pyterrier_quantity.training.query_generation import CONDITIONS, UnitForms
from pyterrier_quantity.training.rewriting import Rewriter, meets

SPEEDS, WIDTHS, FEES = (12, 14, 18, 20, 25, 31), (4, 6, 9, 11, 15, 20), (3, 5, 7, 8, 13, 21)
SHIP = "{name} reported that the top speed was {speed} knots and that the hull width was {width} metres."
NAMES = ("Arda", "Belmar", "Corvo", "Dunes", "Elster", "Fjord")


def index_of(*patterns):
    ships = list(zip(NAMES, SPEEDS, WIDTHS, FEES, strict=True))
    texts = [pattern.format(name=name, speed=speed, width=width, fee=fee)
             for pattern in patterns for name, speed, width, fee in ships]  # fmt: skip
    return ConceptUnitIndex.build({"docno": str(number), "text": text} for number, text in enumerate(texts))


def several(index, conditions=CONDITIONS, **options):
    forms = UnitForms(index)
    return several_samples(training_pairs(index), Rewriter(index, forms), forms, conditions, **options)


@pytest.fixture(scope="module")
def ships():
    return index_of(SHIP)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_positive_meets_both_and_a_negative_one_of_two(ships, condition):
    queries, samples = several(ships, [condition])
    named = {query.qid: parse_query(query.text)[1] for query in queries}
    assert len(queries) >= 4
    assert {op for asked in named.values() for op in (one.op for one in asked)} == {condition}
    reader = RuleExtractor()
    for sample in samples:
        asked = named[sample.qid]
        assert {one.unit for one in asked} == {"knot", "metre"}
        assert sum(meets(one, reader.extract(sample.text)) for one in asked) == 1 + sample.label


def test_each_condition_is_violated_in_turn(ships):
    queries, samples = several(ships, ["="])
    for query in queries:
        right, slower, also_right, narrower = (sample.text for sample in samples if sample.qid == query.qid)
        assert right == also_right
        assert len({right, slower, narrower}) == 3


def test_no_more_queries_than_asked_for_and_the_same_again(ships):
    queries, samples = several(ships, most=3, seed=5)
    assert len(queries) == 3
    assert several(ships, most=3, seed=5) == (queries, samples)
    assert several(ships, most=3, seed=6) != (queries, samples)


@pytest.mark.parametrize(
    "pattern",
    [
        "{name} reported that the top speed was {speed} knots.",  # one quantity
        "{name} reported that the top speed was {speed} knots and that the wind speed was {width} metres.",  # one word
        "{name} reported that the ticket price was {fee} dollars and that the berth cost was {width} dollars.",
    ],
    ids=["one quantity", "concepts of a common word", "one unit"],
)
def test_what_gives_no_query(pattern):
    assert several(index_of(pattern)) == ([], [])


def test_the_method_alone_makes_training_data(ships, tmp_path):
    made = make_training_data(ships, tmp_path / "data", DataSettings(methods=(SEVERAL,), validation=2))
    assert {sample.method for sample in made.samples} == {SEVERAL}
    assert made.settings["counts"]["several queries"] == len(made.queries)
    assert made.triples()


def test_quantities_far_from_each_other_are_not_asked_for_together(monkeypatch):
    ships = [SHIP.format(name=name, speed=speed, width=width)
             for name, speed, width in zip(NAMES, SPEEDS, WIDTHS, strict=True)]  # fmt: skip
    fleet = ConceptUnitIndex.build([{"docno": "fleet", "text": " ".join(ships)}])
    together = {}
    for near in (1, 8):
        monkeypatch.setattr("pyterrier_quantity.training.conjunctions._NEAR", near)
        forms = UnitForms(fleet)
        together[near] = len(list(_together(training_pairs(fleet), Rewriter(fleet, forms))))
    assert together == {1: 11, 8: 32}


def test_excluded_concepts_are_not_asked_for(tmp_path):
    index = index_of(SHIP, "{name} reported that the top speed was {speed} knots.")
    settings = DataSettings(methods=("original", SEVERAL))
    made = [make_training_data(index, tmp_path / f"{len(out)}", settings, excluded=out) for out in ([], ["hull width"])]
    methods = [{sample.method for sample in data.samples} for data in made]
    assert methods == [{"original", SEVERAL}, {"original"}]
