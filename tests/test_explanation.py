"""Explanations and learning-to-rank features come from the same evidence as the scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

import pyterrier_quantity as ptq
from pyterrier_quantity.explanation import COLUMNS, highlight
from pyterrier_quantity.index.features import FEATURES

QUERY = "BMW above 530hp"


@pytest.fixture
def pipeline(bm25, qindex):
    return ptq.quantity_aware(bm25, qindex)


def test_names_the_quantity_and_its_score(pipeline, qindex, corpus) -> None:
    table = ptq.explain(pipeline.search(QUERY), qindex)
    assert set(COLUMNS) <= set(table.columns)
    m5 = table.set_index("docno").loc["m5"]
    text = next(d["text"] for d in corpus if d["docno"] == "m5")
    assert text[m5["quantity"].start : m5["quantity"].end] == "600 hp"
    assert str(m5["constraint"]) == "> 530 horsepower"
    assert m5["met"]
    assert not table.set_index("docno").loc["m3"]["met"]


def test_the_scores_are_the_scorers(pipeline, qindex) -> None:
    results = pipeline.search(QUERY)
    explained = ptq.explain(results, qindex).set_index("docno")["quantity_score"].fillna(0.0)
    scored = qindex.scorer()(results).set_index("docno")["score"]
    assert explained.to_dict() == pytest.approx(scored.to_dict())


def test_finds_the_index_that_the_pipeline_noted(pipeline) -> None:
    results = pipeline.search(QUERY)
    assert ptq.explain(results)["quantity"].notna().any()
    assert ptq.explain(results, pipeline)["quantity"].notna().any()


def test_reads_the_text_without_an_index(pipeline, corpus) -> None:
    results = pipeline.search(QUERY).merge(pd.DataFrame(corpus), on="docno")
    results.attrs.clear()
    table = ptq.explain(results)
    assert str(table.set_index("docno").loc["m5"]["quantity"]) == "600 horsepower"


def test_says_what_is_missing(pipeline) -> None:
    results = pipeline.search(QUERY)
    results.attrs.clear()
    with pytest.raises(ValueError, match=r"no column 'text'.*explain\(results, index\)"):
        ptq.explain(results)


def test_a_row_for_every_constraint(pipeline, qindex) -> None:
    results = pipeline.search("BMW above 500 hp under 130000 euros")
    table = ptq.explain(results, qindex)
    assert len(table) == 2 * len(results)
    assert table[table["docno"] == "m5"]["met"].all()


def test_queries_without_a_quantity_explain_nothing(pipeline, qindex) -> None:
    assert ptq.explain(pipeline.search("car"), qindex).empty


def test_html_marks_the_quantity_and_escapes_the_text(pipeline, corpus) -> None:
    results = pipeline.search(QUERY).merge(pd.DataFrame(corpus), on="docno")
    results["text"] = results["text"].str.replace("The ", "<b> ")
    shown = ptq.explain(results)._repr_html_()
    assert "<mark>600 hp</mark>" in shown
    assert "<b>" not in shown


@pytest.mark.parametrize(("text", "marked"), [("a 5 m b", "a [5 m] b"), ("", ""), (None, "")])
def test_highlight(text, marked) -> None:
    spans = [ptq.Quantity(5, 5, "metre", start=2, end=5), ptq.Quantity(7, 7, "metre", start=90, end=95)]
    assert highlight(text, spans, ("[", "]")) == marked


def test_features_of_the_best_quantity(bm25, qindex) -> None:
    pipeline = ptq.QuantityQueryParser() >> bm25 >> (pt.Transformer.identity() ** qindex.features())
    found = pipeline.search(QUERY).set_index("docno")
    m5 = dict(zip(["score", *FEATURES], found.loc["m5"]["features"], strict=True))
    assert m5["met"] == 1
    assert m5["unit_match"] == 1
    assert m5["quantities"] == pytest.approx(np.log1p(3))
    assert m5["meeting"] == pytest.approx(np.log1p(1))
    nothing = dict(zip(["score", *FEATURES], found.loc["car-law"]["features"], strict=True))
    assert all(nothing[name] == 0 for name in FEATURES)


def test_features_of_queries_without_a_quantity_are_zero(bm25, qindex) -> None:
    found = (ptq.QuantityQueryParser() >> bm25 >> qindex.features()).search("car")
    assert not np.stack(found["features"]).any()


def test_features_survive_an_empty_frame(bm25, qindex) -> None:
    empty = (ptq.QuantityQueryParser() >> bm25).search(QUERY).head(0)
    assert qindex.features()(empty)["features"].tolist() == []
