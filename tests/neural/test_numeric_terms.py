"""Quantities as terms of sparse vectors and next to token vectors: a value that meets a condition shares its term."""

from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from neural_material import CARS, DOCUMENTS, MINILM, SPLADE, queries, scores

from pyterrier_quantity import Constraint, Quantity
from pyterrier_quantity.neural import ColBERT, ColBERTIndex, ModelMismatchError, Splade, numeric_terms
from pyterrier_quantity.neural.numeric_terms import (
    CONVERTED,
    LEVELS,
    PLACES,
    added_terms,
    asked_terms,
    place,
    stated_terms,
)
from pyterrier_quantity.quantity import OPERATORS
from pyterrier_quantity.score import satisfied

VALUES = st.one_of(
    st.integers(-10_000, 10_000).map(float), st.floats(1e-3, 1e12), st.sampled_from([0.0, 1.0, 17.5, 1e6])
)


@given(VALUES, VALUES)
def test_the_order_of_places_is_that_of_values(one, other):
    low, high = sorted((one, other))
    assert 0 <= place(low) <= place(high) < PLACES


def shared(constraint, values):
    """How many terms a constraint and a text of these values share, on the scale where most; no two terms have the
    same number by chance."""
    with patch.object(numeric_terms, "slot", lambda *node: node):
        stated = stated_terms([Quantity(value, value, constraint.unit) for value in values])
        return max(len(terms.keys() & stated) for terms in asked_terms(constraint))


def added(constraint, *stated):
    """The dot product of a constraint's sparse vector and that of a text of these quantities."""
    with patch.object(numeric_terms, "slot", lambda *node: node):
        terms = stated_terms(stated)
        return sum(weight for term, weight in added_terms(constraint).items() if term in terms)


@given(st.sampled_from(OPERATORS), VALUES, VALUES, VALUES)
def test_what_meets_a_condition_shares_one_term(op, one, other, stated):
    """Values next to a bound on the scale are left out, because the scale is too coarse to separate the two."""
    low, high = sorted((one, other)) if op == "range" else (one, one)
    constraint = Constraint(op, low, high, "truck")
    edges = (low, high) if op != "~" else (low - 0.1 * abs(low), low + 0.1 * abs(low))
    if any(abs(place(stated) - place(edge)) <= 1 and stated != edge for edge in edges):
        return
    met = bool(satisfied(constraint, np.array([stated]), np.array([stated]))[0])
    assert shared(constraint, [stated]) == met


@pytest.mark.parametrize(
    ("op", "high", "count"),
    [("=", 7, 1), ("!=", 7, 15), ("<", 7, 11), ("<=", 7, 10), (">", 7, 4), (">=", 7, 5), ("range", 9, 6), ("~", 7, 7)],
)
def test_few_terms_are_enough(op, high, count):
    """A value has a term for each of 15 levels and three scales; a condition takes the fewest that cover its values."""
    assert len(stated_terms([Quantity(5, 5, "truck")])) == 3 * LEVELS == 45
    assert [len(terms) for terms in asked_terms(Constraint(op, 7, high, "metre"))] == [count, count]


@given(st.sampled_from(OPERATORS), VALUES, VALUES, st.lists(VALUES, min_size=1, max_size=6))
def test_a_dot_product_is_one_at_most(op, one, other, stated):
    """One where each value meets the condition, less where only some do, and nothing where none does."""
    low, high = sorted((one, other)) if op == "range" else (one, one)
    constraint = Constraint(op, low, high, "metre")
    alone = [shared(constraint, [value]) for value in stated]
    found = added(constraint, *(Quantity(value, value, "metre") for value in stated))
    assert found <= 1 + 1e-9
    assert found == pytest.approx(1) or not all(alone)
    assert found == 0 or any(alone)


@pytest.mark.parametrize(
    ("constraint", "quantity", "expected"),
    [
        (Constraint(">", 5, 5, "metre"), Quantity(9, 9, "gram"), 0.0),
        (Constraint(">", 5, 5, "dollar"), Quantity(9, 9, "euro"), 0.0),
        (Constraint(">", 5, 5, "-"), Quantity(9, 9, "metre"), 0.0),
        (Constraint(">", 5, 5, "truck"), Quantity(9, 9, "truck"), 1.0),
        (Constraint(">", 5, 5, "metre"), Quantity(9, 9, "metre"), 1.0),
        (Constraint(">", 5, 5, "metre"), Quantity(9, 9, "foot"), 0.0),
        (Constraint("<", 5, 5, "metre"), Quantity(9, 9, "foot"), CONVERTED),
        (Constraint(">", 140, 140, "mile per hour"), Quantity(241, 241, "kilometre per hour"), CONVERTED),
        (Constraint("=", 250, 250, "millilitre"), Quantity(0.25, 0.25, "litre"), CONVERTED),
        (Constraint("range", 36.4, 37.6, "celsius"), Quantity(98.6, 98.6, "fahrenheit"), CONVERTED),
        (Constraint(">", 38, 38, "celsius"), Quantity(37.6, 37.6, "celsius"), 0.0),
        (Constraint("<", 50, 50, "cent"), Quantity(1, 1, "dollar"), 0.0),
        (Constraint("<", 5, 5, "case"), Quantity(30, 30, "case per 1000"), 0.0),
    ],
)
def test_what_another_unit_shares(constraint, quantity, expected):
    assert added(constraint, quantity) == pytest.approx(expected)
    with patch.object(numeric_terms, "slot", lambda *node: node):
        stated = stated_terms([quantity])
        once = sum(max(terms.values()) for terms in asked_terms(constraint) if terms.keys() & stated)
    assert once == pytest.approx(expected)


def test_values_decide_between_like_texts():
    texts = pd.DataFrame(DOCUMENTS[:2])
    texts["text"] = ["The car has 530 hp.", "The car has 120 hp."]
    model = Splade(SPLADE, quantities="terms")
    for query, best in (("car above 500 hp", "car"), ("car below 500 hp", "van"), ("car with exactly 120 hp", "van")):
        found = model.scorer()(texts.assign(qid="1", query=query))
        assert found.loc[found["score"].idxmax(), "docno"] == best


ASKED = queries("car above 500 hp", "car below 500 hp", "red car")
CROSSED = ASKED.merge(pd.DataFrame(CARS), how="cross")


@pytest.fixture(scope="module")
def colbert():
    return ColBERT(MINILM, quantities="terms")


def test_token_vectors_gain_what_is_met(colbert, model):
    """MaxSim with a token a term is MaxSim without, and the gate where the condition is met."""
    more = scores(colbert.scorer()(CROSSED)) - scores(model.scorer()(CROSSED))
    assert np.isclose(more[more > 1e-3], colbert.numeric.gate).all()
    assert set(more[more > 1e-3].index) == {("1", "strong"), ("2", "weak")}


def test_an_index_of_token_vectors_keeps_the_terms(colbert, model, tmp_path):
    index = ColBERTIndex(tmp_path / "index").indexer(colbert).index(CARS)
    found = index.retriever()(ASKED)
    best = found[found["rank"] == 0].set_index("qid")["docno"]
    assert best[["1", "2"]].tolist() == ["strong", "weak"]
    by_scorer = scores(index.scorer(colbert)(CROSSED))
    assert np.allclose(scores(found), by_scorer[scores(found).index], atol=1e-4)
    plain = scores(index.scorer(model)(CROSSED))
    assert set((by_scorer - plain)[by_scorer - plain > 1e-3].index) == {("1", "strong"), ("2", "weak")}


def test_late_interaction_counts_a_condition_once(colbert, model):
    """Two values of a range are worth no more than one."""
    texts = pd.DataFrame({"docno": ["one", "two"], "text": ["The car has 530 hp.", "The car has 530 hp, once 410 hp."]})
    asked = texts.assign(qid="1", query="car with 400 to 600 hp")
    more = scores(colbert.scorer()(asked)) - scores(model.scorer()(asked))
    assert np.allclose(more, colbert.numeric.gate, atol=1e-4)


def test_an_index_without_terms(colbert, model, tmp_path):
    index = ColBERTIndex(tmp_path / "index").indexer(model).index(CARS)
    with pytest.raises(ModelMismatchError, match="built without numeric terms"):
        index.retriever(colbert)(ASKED)
