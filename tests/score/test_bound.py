"""A bound in a text is an interval. It meets a condition, may meet it, or is no evidence for it."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pyterrier_quantity as ptq
from pyterrier_quantity import Constraint
from pyterrier_quantity.constants import BOUND

TEXTS = {
    "value": "A car with 500 hp.",
    "more": "A car with more than 500 hp.",
    "least": "A car with at least 500 hp.",
    "much more": "A car with more than 600 hp.",
    "up to more": "A car with up to 600 hp.",
    "up to less": "A car with up to 400 hp.",
    "more than less": "A car with more than 400 hp.",
}


@pytest.fixture(scope="module")
def cars(tmp_path_factory: pytest.TempPathFactory) -> ptq.QuantityIndex:
    docs = [{"docno": docno, "text": text} for docno, text in TEXTS.items()]
    return ptq.QuantityIndex(tmp_path_factory.mktemp("bounds") / "cars").index(docs)


def asked(op: str, value: float) -> pd.DataFrame:
    constraint = Constraint(op, value, value, "horsepower")
    return pd.DataFrame({"qid": "1", "query": "car", "docno": list(TEXTS), "constraints": [[constraint]] * len(TEXTS)})


MEETING = [
    (">", {"more", "much more", "up to more"}),
    (">=", {"value", "more", "least", "much more", "up to more"}),
    ("<", {"up to less", "more than less"}),
    ("=", {"value", "more", "least", "up to more"}),
]


@pytest.mark.parametrize(("op", "meeting"), MEETING)
def test_what_meets_a_condition(cars: ptq.QuantityIndex, op: str, meeting: set[str]) -> None:
    frame = asked(op, 500.0)
    assert set(cars.filter()(frame)["docno"]) == meeting
    if op != "=":
        assert set(cars.retriever()(frame[["qid", "query", "constraints"]].head(1))["docno"]) == meeting
    explained = ptq.explain(frame.assign(score=1.0), cars).set_index("docno")["met"]
    assert set(explained[explained].index) == meeting


def test_what_may_meet_it_counts_less(cars: ptq.QuantityIndex) -> None:
    share = ptq.explain(asked(">", 500.0).assign(score=1.0), cars).set_index("docno")["bound"]
    assert share[["much more", "value"]].tolist() == [1.0, 1.0]
    assert share[["more", "up to more"]].tolist() == [BOUND, BOUND]


def test_the_papers_filter_and_scores_take_values(cars: ptq.QuantityIndex) -> None:
    frame = asked(">", 500.0)
    assert set(cars.filter(convert=False)(frame)["docno"]) == {"much more", "up to more"}
    scored = cars.scorer("paper")(frame).set_index("docno")["score"]
    assert set(scored[scored > 0].index) == {"much more", "up to more"}


@pytest.mark.parametrize(
    ("query", "holding"),
    [
        ("drug for a 16 year old", ["For patients aged 12 and over.", "Not for children under 6 years of age."]),
        ("plant for -18 degrees", ["Hardy down to -23 °C."]),
        ("500 hp", []),
    ],
)
def test_open_bounds_hold_an_age_or_a_temperature(query: str, holding: list[str]) -> None:
    texts = ["For patients aged 12 and over.", "Not for children under 6 years of age.",
             "Not for children under 18 years of age.", "Hardy down to -23 °C.", "Hardy down to -8 °C.",
             "More than 400 hp."]  # fmt: skip
    frame = pd.DataFrame({"qid": "1", "query": query, "docno": list("abcdef"), "text": texts})
    met = ptq.explain(ptq.QuantityScorer()(ptq.QuantityQueryParser()(frame)))
    assert set(met[met["met"]]["docno"]) == {"abcdef"[texts.index(text)] for text in holding}


@given(
    value=st.floats(-1e6, 1e6),
    stated=st.sampled_from([">", ">=", "<", "<="]),
    op=st.sampled_from([">", ">=", "<", "<="]),
)
def test_texts_that_state_the_asked_bound_meet_it(value: float, stated: str, op: str) -> None:
    quantity = ptq.Quantity(value, value, "metre", stated)
    frame = pd.DataFrame({"qid": "1", "query": "", "docno": ["d"], "text": [""], "quantities": [[quantity]]})
    score = ptq.QuantityScorer()(frame.assign(constraints=[[Constraint(op, value, value, "metre")]]))["score"][0]
    same = stated[0] == op[0]
    assert (score > 0) == (op[1:] == "=" or (same and stated[1:] != "="))


RISE, LEVEL_OF, FALL = "House prices rose 8 percent.", "House prices are at 8 percent.", "House prices fell 8 percent."


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("house prices up 8 percent", RISE),
        ("house prices rose more than 7 percent", RISE),
        ("house price growth above 7 percent", RISE),
        ("gain of at least 7 percent in house prices", RISE),
        ("house prices fell 8 percent", FALL),
        ("loss in house prices of over 7 percent", FALL),
        ("house prices at 8 percent", LEVEL_OF),
        ("house prices lower than 9 percent", LEVEL_OF),
        ("house price share under 9 percent", LEVEL_OF),
        ("level of house prices above 7 percent", LEVEL_OF),
    ],
)
def test_a_change_is_not_a_level_nor_the_opposite_change(query: str, best: str) -> None:
    texts = [RISE, LEVEL_OF, FALL]
    frame = pd.DataFrame({"qid": "1", "query": query, "docno": list("abc"), "text": texts})
    scored = ptq.QuantityScorer()(ptq.QuantityQueryParser()(frame))
    assert [text for text, score in zip(texts, scored["score"], strict=True) if score == scored["score"].max()] == [
        best
    ]


OLD = "Hotel rates, once $95 a night, are now $210."


@pytest.mark.parametrize(
    ("query", "share"),
    [
        ("hotel rates below $100", 0.7),
        ("hotel below $100 a night", 0.7),
        ("cheap hotel rates under 100 dollars", 0.7),
        ("hotel rates below $100 in 1995", 1.0),
        ("former hotel rates below $100", 1.0),
        ("hotel rates that were under 100 dollars before 2001", 1.0),
    ],
)
def test_an_old_value_counts_in_full_only_if_the_past_is_asked(tmp_path, query: str, share: float) -> None:
    texts = [OLD, OLD.replace("once", "or").replace("now", "also")]
    index = ptq.QuantityIndex(tmp_path / "i").index({"docno": str(n), "text": text} for n, text in enumerate(texts))
    frame = pd.DataFrame({"qid": "1", "query": query, "docno": ["0", "1"]})
    old, level = index.scorer()(ptq.QuantityQueryParser()(frame))["score"]
    assert (old > 0.95 * level) if share == 1.0 else (0 < old < share * level)
