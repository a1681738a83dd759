"""Sentences that agree in a quantity: what agrees, what does not, and the samples that are made of it."""

import random

import numpy as np
import pytest
from training_material import corpus

from pyterrier_quantity import Constraint, RuleExtractor, parse_query
from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.training import DataSettings, make_training_data
from pyterrier_quantity.training.pairs import held_out
from pyterrier_quantity.training.paraphrases import AGREEING, Agreements, agreeing_samples
from pyterrier_quantity.training.query_generation import UnitForms
from pyterrier_quantity.training.rewriting import meets

ACCEPTED = "The board of Belmar Airlines accepted the takeover bid of 74 dollars a share on Monday."
AGREED = "Holm agreed to buy Belmar Airlines for 74 dollars a share, the board said on Monday."
OTHERS = {
    "another matter": "Growers in the valley got a record price of 74 dollars a share.",
    "another value": "The board of Belmar Airlines refused an earlier offer of 71 dollars a share on Monday.",
    "another unit": "The board of Belmar Airlines has employed 74 pilots since Monday.",
    "the same words": ACCEPTED.replace("on Monday", "last Monday"),
    "a table": "Belmar Airlines board 74 dollars a share 12 14 16 81 22 93 12 48 12 99 11 34 64 27 48 takeover Monday.",
}


def index_of(*texts):
    return ConceptUnitIndex.build({"docno": str(n), "text": text} for n, text in enumerate(texts))


def agreeing(index, excluded=()):
    found = Agreements(index, held_out(index, excluded))
    return {(int(index.columns["document"][one.row]), one.other) for one in found.all()}


def test_sentences_that_name_a_quantity_otherwise_agree():
    assert agreeing(index_of(ACCEPTED, AGREED)) == {(0, 1), (1, 0)}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_what_does_not_agree(other):
    assert agreeing(index_of(ACCEPTED, other)) == set()


def test_a_quantity_that_many_state_agrees_by_chance():
    texts = [AGREED.replace("Holm", name) for name in ("Arda", "Corvo", "Dunes", "Elster", "Fjord", "Gavia")]
    assert agreeing(index_of(ACCEPTED, *texts[:5]))
    assert agreeing(index_of(ACCEPTED, *texts)) == set()


def test_excluded_concepts_do_not_agree():
    index = index_of(ACCEPTED, AGREED)
    concept = index.concept_names[int(index.columns["concept"][0])]
    assert agreeing(index, [concept]) == set()


@pytest.fixture(scope="module")
def index():
    return index_of(ACCEPTED, AGREED, OTHERS["another matter"])


def test_samples_meet_their_query_in_other_words(index):
    queries, samples = agreeing_samples(index, UnitForms(index), np.zeros(0, dtype=np.int64))
    named = {query.qid: query for query in queries}
    assert [sample.label for sample in samples] == [1, 0] * len(queries)
    reader = RuleExtractor(concepts=False)
    for sample in samples:
        query = named[sample.qid]
        assert parse_query(query.text)[1] == [query.constraint]
        assert meets(query.constraint, reader.extract(sample.text))
        assert (sample.text in (ACCEPTED, AGREED)) == bool(sample.label)
    assert agreeing_samples(index, UnitForms(index), np.zeros(0, dtype=np.int64)) == (queries, samples)


def test_as_many_concepts_as_asked_for(index):
    queries, _ = agreeing_samples(index, UnitForms(index), np.zeros(0, dtype=np.int64), concepts=1)
    assert len({query.concept for query in queries}) == 1


def test_no_negative_no_sample(index):
    found = Agreements(index, np.zeros(0, dtype=np.int64))
    beyond = Constraint(">", 1000.0, 1000.0, "dollar per share")
    assert found.of_another_matter(found.all()[0], beyond, random.Random(0)) is None


def test_they_are_training_data_like_others(tmp_path):
    others = [{"docno": "other", "text": OTHERS["another matter"]}]
    texts = [*corpus(), *others, {"docno": "a", "text": ACCEPTED}, {"docno": "b", "text": AGREED}]
    made = make_training_data(texts, tmp_path / "data", DataSettings(methods=(AGREEING,), validation=0))
    assert {sample.method for sample in made.samples} == {AGREEING}
    assert made.settings["counts"]["agreeing queries"] == len(made.queries) == len(made.triples()) > 0
    assert {positive for _, positive, _ in made.triples()} <= {ACCEPTED, AGREED}
    with pytest.raises(ValueError, match="none of the 0 queries"):
        make_training_data(corpus(), tmp_path / "none", DataSettings(methods=(AGREEING,)))
