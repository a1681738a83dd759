"""Scorer, filter and retriever of the index against plain loops over random data."""

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_quantity import Constraint, Quantity, QuantityIndex, QuantityQueryParser, QuantityScorer
from pyterrier_quantity.constants import UNITS, USUAL_KIND
from pyterrier_quantity.flat_arrays import first_places
from pyterrier_quantity.quantity import BARE, OPERATORS
from pyterrier_quantity.score import PHI, Scoring, get_phi, satisfied
from pyterrier_quantity.score.phi import rounding
from pyterrier_quantity.units import default_registry

REGISTRY = default_registry()
NAMES = ["metre", "kilometre", "mile", "celsius", "fahrenheit", "dollar", "employee", BARE]
DOCUMENTS = 300


def random_quantity(random: np.random.Generator) -> Quantity:
    # Few distinct values, so that equal ones are common.
    low = float(random.choice([0, 1, 2, 5, 10, 15, 18, 20, 32, 50, 100, 1000, 1609.344])) * random.choice([1, 1, 1, -1])
    high = low + float(random.choice([0, 0, 0, 5, 40]))
    return Quantity(low, high, str(random.choice(NAMES)))


@pytest.fixture(scope="module")
def documents() -> dict[str, list[Quantity]]:
    random = np.random.default_rng(11)
    return {f"d{n}": [random_quantity(random) for _ in range(random.integers(0, 5))] for n in range(DOCUMENTS)}


@pytest.fixture(scope="module")
def index(tmp_path_factory, documents) -> QuantityIndex:
    path = tmp_path_factory.mktemp("random") / "index"
    return QuantityIndex(path).index({"docno": d, "quantities": found} for d, found in documents.items())


def random_constraint(random: np.random.Generator, op: str) -> Constraint:
    low = float(random.choice([-10, 0, 1, 5, 15, 16.5, 20, 32, 100, 5000]))
    high = low + float(random.choice([1, 10])) if op == "range" or (op == "!=" and random.random() < 0.5) else low
    return Constraint(op, low, high, str(random.choice(NAMES)))


@cache
def converted(quantity: Quantity, constraint: Constraint) -> tuple[np.ndarray, np.ndarray] | None:
    """The ends in the constraint's unit, rounded to the value of "="; None if they do not convert."""
    unit, slack = constraint.unit, rounding(constraint)
    if unit == BARE:
        return np.array([quantity.low]), np.array([quantity.high])
    if quantity.unit == BARE:
        return None
    if REGISTRY.conversion(quantity.unit, unit) is None:
        return None
    ends = np.array([[quantity.low], [quantity.high]])
    if quantity.unit != unit:
        ends = REGISTRY.convert(ends, quantity.unit, unit)
        ends[abs(ends - constraint.low) <= slack] = constraint.low
    return ends[0], ends[1]


def meets(quantity: Quantity, constraint: Constraint) -> bool | None:
    """Whether the quantity meets the constraint; None if its unit cannot."""
    ends = converted(quantity, constraint)
    return None if ends is None else bool(satisfied(constraint, *ends)[0])


def unit_weight(stated: str, asked: str, alike: int) -> float:
    """Of a quantity, if `alike` quantities are of the asked unit's family."""
    weights = UNITS["convert"]
    if asked == stated:
        return 1.0
    if asked == BARE:
        return weights.ratio if (REGISTRY.family(stated) or "").startswith("ratio") else weights.unasked
    return weights.convertible + (1.0 - weights.convertible) * USUAL_KIND / (USUAL_KIND + alike)


def nearness(documents: dict[str, list[Quantity]], constraint: Constraint, phi: str) -> dict[str, float]:
    """Return the nearness of each document's best quantity."""
    best = dict.fromkeys(documents, 0.0)
    stated = [(docno, quantity) for docno, found in documents.items() for quantity in found]
    stated = [(docno, quantity) for docno, quantity in stated if converted(quantity, constraint) is not None]
    ends = zip(*(converted(quantity, constraint) for _, quantity in stated), strict=True)
    near = get_phi(phi)(constraint, *map(np.concatenate, ends)) if stated else ()
    family = REGISTRY.family(constraint.unit) or constraint.unit
    units = [quantity.unit for found in documents.values() for quantity in found]
    alike = sum((REGISTRY.family(unit) or unit) == family for unit in units)
    for (docno, quantity), value in zip(stated, near, strict=True):
        best[docno] = max(best[docno], unit_weight(quantity.unit, constraint.unit, alike) * value)
    return best


def one_query(constraints: list[Constraint], docnos=None) -> pd.DataFrame:
    return queries_of([constraints], docnos)


def queries_of(asked: list, docnos=None) -> pd.DataFrame:
    """Q with a query for each constraint, or list of them; or R, with the same documents for each."""
    constraints = [one if isinstance(one, list) else [one] for one in asked]
    frame = pd.DataFrame({"qid": [f"q{n}" for n in range(len(asked))], "query": "", "constraints": constraints})
    return frame if docnos is None else frame.merge(pd.DataFrame({"docno": list(docnos)}), how="cross")


PLAIN = Scoring(units=UNITS["convert"], met=0.0, fit=None, confidence=False)


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("phi", sorted(set(PHI) - {"paper"}))
def test_scorer_is_a_loop_over_quantities(index, documents, op, phi):
    random = np.random.default_rng(3)
    scorer = index.scorer(replace(PLAIN, phi=phi))
    asked = [random_constraint(random, op) for _ in range(5)]
    scored = scorer(queries_of(asked, documents))
    expected = [best[docno] for best in (nearness(documents, one, phi) for one in asked) for docno in documents]
    np.testing.assert_allclose(scored["score"], expected, atol=1e-12, err_msg=str(asked))


@pytest.mark.parametrize("op", OPERATORS)
def test_filter_is_a_loop_over_quantities(index, documents, op):
    random = np.random.default_rng(4)
    asked = [random_constraint(random, op) for _ in range(15)]
    frame = queries_of(asked, documents).assign(score=1.0, rank=0)
    kept = {unknown: index.filter(keep_unknown=unknown)(frame).groupby("qid")["docno"].agg(list) for unknown in (0, 1)}
    sizes = set()
    for number, one in enumerate(asked):
        verdicts = {d: [v for q in found if (v := meets(q, one)) is not None] for d, found in documents.items()}
        hard = [d for d, verdict in verdicts.items() if any(verdict)]
        soft = [d for d, verdict in verdicts.items() if any(verdict) or not verdict]
        assert kept[0].get(f"q{number}", []) == hard, one
        assert kept[1].get(f"q{number}", []) == soft, one
        sizes.add(len(hard))
    assert len(sizes) > 3


@pytest.mark.parametrize("op", OPERATORS)
def test_retriever_finds_what_a_loop_finds(index, documents, op):
    random = np.random.default_rng(5)
    retriever = index.retriever(num_results=DOCUMENTS, phi=PLAIN)
    asked = [random_constraint(random, op) for _ in range(15)]
    every = retriever(queries_of(asked))
    sizes = set()
    for number, one in enumerate(asked):
        found = every[every["qid"] == f"q{number}"]
        expected = {d for d, stated in documents.items() if any(meets(q, one) for q in stated)}
        assert set(found["docno"]) == expected, one
        scores = nearness(documents, one, "closest")
        np.testing.assert_allclose(found["score"], [scores[docno] for docno in found["docno"]], atol=1e-12)
        assert found["score"].is_monotonic_decreasing
        assert found["rank"].tolist() == list(range(len(found)))
        sizes.add(len(expected))
    assert len(sizes) > 3


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("options", [{}, {"phi": "paper"}, {"phi": PLAIN}, {"units": "strict"}, {"phi": "released"}])
def test_retriever_ranks_as_the_scorer_scores(index, documents, op, options):
    random = np.random.default_rng(6)
    asked = [random_constraint(random, op) for _ in range(8)]
    found = index.retriever(num_results=DOCUMENTS, **options)(queries_of(asked))
    scored = index.scorer(**options)(queries_of(asked, documents)).set_index(["qid", "docno"])["score"]
    np.testing.assert_allclose(found["score"], scored[pd.MultiIndex.from_frame(found[["qid", "docno"]])], atol=1e-12)
    assert (found.groupby("qid")["score"].diff().dropna() <= 0).all()


@pytest.mark.parametrize("phi", ["closest", "paper", PLAIN, Scoring(aggregate="mean"), Scoring("gauss", met=0.2)])
def test_a_batch_scores_as_its_queries_alone(index, documents, phi):
    random = np.random.default_rng(8)
    queries = {
        f"q{n}": [random_constraint(random, str(op)) for op in random.choice(OPERATORS, size=random.integers(0, 4))]
        for n in range(15)
    }
    rows = [
        {"qid": qid, "query": f"word{qid}", "constraints": constraints, "docno": docno}
        for qid, constraints in queries.items()
        for docno in [*random.choice(list(documents), size=30, replace=False), "unknown"]
    ]
    frame = pd.DataFrame(rows).sample(frac=1.0, random_state=1).reset_index(drop=True)
    scorer = index.scorer(phi)
    together = scorer(frame)
    for qid in queries:
        alone = scorer(frame[frame["qid"] == qid])
        np.testing.assert_array_equal(together.loc[together["qid"] == qid, "score"], alone["score"])
    assert together[["qid", "docno"]].equals(frame[["qid", "docno"]])
    assert (together.loc[together["docno"] == "unknown", "score"] == 0).all()
    assert together["score"].between(0, 1).all()


def test_several_constraints_give_their_weighted_mean_and_their_worst(index, documents):
    one, other = Constraint(">", 5.0, 5.0, "metre"), Constraint("<", 20.0, 20.0, "dollar", weight=3.0)
    score = {
        name: index.scorer(PLAIN)(one_query(asked, documents))["score"].to_numpy()
        for name, asked in {"one": [one], "other": [other], "both": [one, other]}.items()
    }
    mean, worst = (score["one"] + 3 * score["other"]) / 4, np.minimum(score["one"], score["other"])
    np.testing.assert_allclose(score["both"], (mean + worst) / 2)
    assert np.count_nonzero(worst) > 10


def test_a_constraint_without_weight_changes_nothing(index, documents):
    one, other = Constraint(">", 5.0, 5.0, "metre"), Constraint("<", 20.0, 20.0, "dollar", weight=0.0)
    alone = index.scorer()(one_query([one], documents))["score"]
    np.testing.assert_array_equal(index.scorer()(one_query([one, other], documents))["score"], alone)


def test_filter_wants_every_constraint(index, documents):
    one, other = Constraint(">", 1.0, 1.0, "metre"), Constraint("<", 50.0, 50.0, "dollar")
    kept = {
        name: set(index.filter()(one_query(asked, documents))["docno"])
        for name, asked in {"one": [one], "other": [other], "both": [one, other], "none": []}.items()
    }
    assert kept["both"] == kept["one"] & kept["other"]
    assert kept["both"]
    assert kept["none"] == set(documents)


@pytest.mark.parametrize(("op", "first"), [(">", 11.0), (">=", 10.0), ("<", 9.0), ("<=", 10.0), ("=", 10.0)])
def test_the_nearest_values_are_candidates_first(tmp_path, op, first):
    """However many values stand on the bound itself, or on its wrong side."""
    values = [*range(10), *([10] * 50), *range(11, 30)]
    documents = [{"docno": f"{n}", "quantities": [Quantity(float(v), float(v), "metre")]} for n, v in enumerate(values)]
    index = QuantityIndex(tmp_path / "i").index(documents)
    found = index.retriever(candidates=3, phi=PLAIN)(one_query([Constraint(op, 10.0, 10.0, "metre")]))
    assert len(found) == 3
    assert index.quantities(found["docno"].iloc[0])[0].low == first


TEXTS = st.lists(
    st.sampled_from(
        "the red car has,costs 5 kg,over 10 metres,15 to 18 dollars,2 km,30 employees,and a blue box.,20 percent; but,"
        "at 7 °C,1,weighs,between 3 and 4 kg".split(",")
    ),
    max_size=8,
).map(" ".join)


@settings(max_examples=15)
@given(st.lists(TEXTS, min_size=1, max_size=6), st.sampled_from(OPERATORS), st.sampled_from(["kilogram", "metre"]))
def test_scoring_text_is_scoring_the_index(tmp_path_factory, texts, op, unit):
    asked = Constraint(op, 4.0, 12.0 if op == "range" else 4.0, unit)
    documents = [{"docno": f"d{n}", "text": text} for n, text in enumerate(texts)]
    rows = [{"qid": "1", "query": "red car box", "constraints": [asked], **document} for document in documents]
    frame = pd.DataFrame(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        index = QuantityIndex(tmp_path_factory.mktemp("same") / "i").index(documents)
    for options in ({}, {"phi": "paper"}, {"phi": Scoring(aggregate="mean")}):
        expected = index.scorer(**options)(frame)
        pd.testing.assert_frame_equal(QuantityScorer(**options)(frame), expected)


@pytest.fixture(scope="module")
def wordless(tmp_path_factory, corpus) -> QuantityIndex:
    return QuantityIndex(tmp_path_factory.mktemp("wordless") / "i").index(corpus, concepts=False)


@pytest.mark.parametrize("options", [{}, {"fit": False}, {"phi": "paper"}, {"phi": Scoring(aggregate="mean")}])
def test_an_index_without_words_scores_as_without_fit(wordless, qindex, corpus, options):
    asked = [Constraint(">", 500.0, 500.0, "horsepower")]
    rows = one_query(asked, [document["docno"] for document in corpus]).assign(query="BMW car")
    expected = qindex.scorer(**options | {"fit": False})(rows)["score"]
    np.testing.assert_allclose(wordless.scorer(**options)(rows)["score"], expected)
    assert expected.max() > 0.3
    found = wordless.retriever(**options)(one_query(asked))
    pd.testing.assert_frame_equal(found, qindex.retriever(**options | {"fit": False})(one_query(asked)))


class TestStrictUnits:
    DOCUMENTS = (
        {"docno": "bare", "quantities": [Quantity(5.0, 5.0)]},
        {"docno": "metre", "quantities": [Quantity(5.0, 5.0, "metre")]},
        {"docno": "kilometre", "quantities": [Quantity(v, v, "kilometre") for v in (0.005, 5.0)]},
    )

    @pytest.fixture
    def few(self, tmp_path):
        return QuantityIndex(tmp_path / "i").index(self.DOCUMENTS)

    @pytest.mark.parametrize(
        ("unit", "options", "found"),
        [
            ("-", {}, {"bare", "metre", "kilometre"}),
            ("-", {"units": "convert"}, {"bare", "metre", "kilometre"}),
            ("-", {"units": "strict"}, {"bare"}),
            ("-", {"phi": "paper"}, {"bare"}),
            ("-", {"phi": "paper", "units": "convert"}, {"bare", "metre", "kilometre"}),
            ("metre", {"units": "convert"}, {"metre", "kilometre"}),
            ("metre", {"units": "strict"}, {"metre"}),
            ("metre", {"phi": "paper"}, {"metre"}),
        ],
    )
    def test_which_units_can_meet_a_constraint(self, few, unit, options, found):
        asked = one_query([Constraint("=", 5.0, 5.0, unit)])
        docnos = [document["docno"] for document in self.DOCUMENTS]
        results = asked.merge(pd.DataFrame({"docno": docnos}), how="cross")
        scored = few.scorer(**options)(results)
        assert set(scored["docno"][scored["score"] > 0]) == found
        assert set(few.retriever(**options)(asked)["docno"]) == found


class TestEveryTerm:
    def test_the_documents_that_hold_every_term_take_a_score(self, tmp_path):
        texts = {
            "both": "The red car has 600 hp.",
            "one": "The car has 600 hp.",
            "none": "The boat has 600 hp.",
            "far": "Red is the boat; 600 hp has the car.",
            "silent": "A red car.",
        }
        index = QuantityIndex(tmp_path / "i").index({"docno": d, "text": text} for d, text in texts.items())
        asked = one_query([Constraint(">", 500.0, 500.0, "horsepower")]).assign(query="red car")
        results = asked.merge(pd.DataFrame({"docno": [*texts, "unknown"]}), how="cross")
        every = index.scorer(Scoring(terms="all"))(results).set_index("docno")["score"]
        plain = index.scorer()(results).set_index("docno")["score"]
        assert set(every.index[every > 0]) == {"both", "far"}
        assert set(plain.index[plain > 0]) == {"both", "one", "none", "far"}
        assert every[["both", "far"]].tolist() == plain[["both", "far"]].tolist()
        wordless = index.scorer(Scoring(terms="all"))(results.assign(query=""))
        assert wordless["score"].tolist() == index.scorer()(results.assign(query=""))["score"].tolist()

    def test_it_needs_the_words(self, tmp_path):
        index = QuantityIndex(tmp_path / "i").index([{"docno": "a", "text": "5 kg"}], concepts=False)
        asked = one_query([Constraint("=", 5.0, 5.0)]).assign(query="car", docno="a")
        with pytest.raises(ValueError, match="concepts=True"):
            index.scorer(Scoring(terms="all"))(asked)


@pytest.mark.parametrize(("op", "found"), [("=", "a"), ("<=", "a"), (">=", "ab"), ("<", ""), (">", "b")])
def test_what_converts_to_zero_meets_zero(tmp_path, op, found):
    texts = {"a": "Water freezes at 32 °F.", "b": "It was 33 °F."}
    index = QuantityIndex(tmp_path / "i").index({"docno": docno, "text": text} for docno, text in texts.items())
    asked = pd.DataFrame([{"qid": "1", "query": "it", "constraints": [Constraint(op, 0.0, 0.0, "degree Celsius")]}])
    assert "".join(sorted(index.retriever()(asked)["docno"])) == found


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 9))), st.integers(0, 40))
def test_the_first_of_an_order(entries, count):
    keys = [np.array([entry[number] for entry in entries], dtype=np.int64) for number in range(3)]
    places = first_places(keys, count).tolist()
    assert len(places) == len(set(places))
    assert sorted(entries[place] for place in places) == sorted(entries)[:count]


@pytest.mark.parametrize(
    ("asked", "found"),
    [("bridge opened in 2015", ["2015", "May 2015"]), ("bridge opened in May 2015", ["5 May 2015", "May 2015"]),
     ("bridge opened about 2013", ["2012", "2013"])],
)  # fmt: skip
def test_a_period_is_found_by_its_parts(tmp_path, asked, found):
    index = QuantityIndex(tmp_path / "q")
    dates = ["1990", "2012", "2013", "2015", "May 2015", "5 May 2015"]
    index.index([{"docno": one, "text": f"The bridge opened in {one}."} for one in dates])
    retrieved = set((QuantityQueryParser() >> index.retriever()).search(asked)["docno"])
    assert set(found) <= retrieved
    assert "1990" not in retrieved
