"""Which terms made a sparse score: strengths by hand, literal or expanded, marked in the text."""

import pandas as pd
import pytest
from neural_material import SENTENCES, pairs

from pyterrier_quantity.neural import Splade, explain_terms
from pyterrier_quantity.neural.explain_terms import by_stem, highlight

QUERY = "price of oil"


def test_strengths_add_up_to_the_score(splade: Splade) -> None:
    frame = pairs(QUERY)
    explained = explain_terms(frame, splade, top=None)
    scored = splade.scorer()(frame).set_index("docno")["score"]
    sums = explained.groupby("docno")["strength"].sum()
    for docno in SENTENCES:
        assert sums.get(docno, 0.0) == pytest.approx(scored[docno], rel=1e-4)
    assert (explained["strength"] > 0).all()


def test_literal_and_expanded_terms(splade: Splade) -> None:
    explained = explain_terms(pairs(QUERY), splade, top=20)
    oil = explained[explained["docno"] == "oil"].set_index("term")
    assert oil["strength"].is_monotonic_decreasing
    assert oil.loc["oil", ["in_query", "in_text"]].tolist() == [True, True]
    text = SENTENCES["oil"]
    assert [text[a:b] for a, b in oil.loc["oil", "places"]] == ["oil"]
    expanded = oil[~oil["in_query"] & ~oil["in_text"]]
    assert len(expanded)
    assert all(places == [] for places in expanded["places"])


def test_terms_of_one_stem_are_merged() -> None:
    rows = [
        ("price", 2.0, True, [(7, 12)]),
        ("oil", 3.0, False, []),
        ("prices", 2.5, False, [(0, 6)]),
        ("pricing", 0.5, False, []),
    ]
    terms = pd.DataFrame(rows, columns=["term", "strength", "in_query", "places"]).assign(result=0, qid="1", docno="a")
    merged = by_stem(terms.sort_values("strength", ascending=False))
    assert merged[["term", "strength", "in_query", "places"]].to_numpy().tolist() == [
        ["prices", 5.0, True, [(0, 6), (7, 12)]],
        ["oil", 3.0, False, []],
    ]


def test_html(splade: Splade) -> None:
    assert highlight("a < oil b", [[(4, 7)], []], [2.0, 1.0]) == (
        'a &lt; <mark style="background: rgba(255, 200, 0, 1.0)">oil</mark> b'
    )
    assert highlight("none", [], []) == "none"
    shown = explain_terms(pairs(QUERY), splade)._repr_html_()
    assert ">oil</mark>" in shown
    assert shown.count("<tr>") == 1 + explain_terms(pairs(QUERY), splade)["docno"].nunique()
