"""Explanations and learning-to-rank features come from the same evidence as the scores."""

import numpy as np
import pandas as pd
import pytest

import pyterrier_quantity as ptq
from pyterrier_quantity.constants import MET
from pyterrier_quantity.score import Decay

QUERY = "BMW above 530hp"


@pytest.fixture
def pipeline(bm25, qindex):
    return ptq.quantity_aware(bm25, qindex)


def test_names_the_quantity_and_its_score(pipeline, qindex, corpus) -> None:
    table = ptq.explain(pipeline.search(QUERY), qindex)
    factors = ["unit_match", "phi", "bound", "fit", "confidence"]
    assert {"constraint", "certainty", "weight", "quantity", "met", *factors, "quantity_score"} <= set(table.columns)
    m5 = table.set_index("docno").loc["m5"]
    text = next(d["text"] for d in corpus if d["docno"] == "m5")
    assert text[m5["quantity"].start : m5["quantity"].end] == "600 hp"
    assert str(m5["constraint"]) == "> 530 horsepower"
    assert m5["met"]
    assert not table.set_index("docno").loc["m3"]["met"]


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


def test_a_notebook_shows_a_block_a_document(tmp_path) -> None:
    filler = "It was shown in spring. " * 20
    corpus = [
        {"docno": "d1", "text": f"The Corvane is new. {filler}It brings 400 kW. {filler}"},
        {"docno": "d2", "text": "A car of 200 hp and 1,400 kg."},
        {"docno": "d3", "text": "A car with leather seats."},
    ]
    index = ptq.QuantityIndex(tmp_path / "i").index(corpus)
    asked = [ptq.Constraint(">", 500, 500, "horsepower"), ptq.Constraint("<", 2000, 2000, "kilogram")]
    rows = [{"qid": "1", "query": "car", "score": 1.0, "rank": 0, "constraints": asked} | one for one in corpus]
    shown = ptq.explain(pd.DataFrame(rows), index)._repr_html_()
    blocks = shown.split("<section")[1:]
    assert (len(blocks), shown.count("<h4>car</h4>")) == (3, 1)
    assert "✓ 400 kilowatt (536.4 horsepower) meets &gt; 500 horsepower" in blocks[0]
    assert "<p>The Corvane is new. … It brings <mark>400 kW</mark>. …</p>" in blocks[0]
    assert "✗ 200 horsepower does not meet" in blocks[1]
    assert "✓ 1,400 kilogram meets &lt; 2,000 kilogram" in blocks[1]
    assert "✗ no value is stated in horsepower" in blocks[2]
    assert "nan" not in shown.lower()


@pytest.mark.parametrize(
    "options", [{"phi": "paper"}, {"phi": Decay("gauss", scale=9.0)}, {"fit": False, "units": "strict"}], ids=str
)
def test_explains_by_the_scoring_that_made_the_run(bm25, qindex, options) -> None:
    pipeline = ptq.quantity_aware(bm25, qindex, **options)
    results = pipeline.search(QUERY)
    by_hand = qindex.scorer(**options)(results).set_index("docno")["score"].to_dict()
    for quantities in (None, qindex, pipeline):
        found = ptq.explain(results, quantities).set_index("docno")["quantity_score"].fillna(0.0)
        assert found.to_dict() == pytest.approx(by_hand)
    default = ptq.explain(ptq.quantity_aware(bm25, qindex).search(QUERY)).set_index("docno")["quantity_score"].fillna(0)
    assert default.to_dict() != pytest.approx(by_hand)


def test_the_factors_give_the_score(pipeline) -> None:
    table = ptq.explain(pipeline.search(QUERY)).dropna(subset="quantity_score")
    value = table["unit_match"] * (MET * table["met"] + (1 - MET) * table["phi"]) * table["confidence"]
    assert np.sqrt(value * table["fit"]).tolist() == pytest.approx(table["quantity_score"].tolist())


def test_a_scoring_of_ones_own_takes_the_pipeline(bm25, qindex) -> None:
    pipeline = ptq.quantity_aware(bm25, qindex, candidates="retriever", phi=lambda constraint, low, high: low / 1e3)
    results = pipeline.search(QUERY)
    with pytest.raises(ValueError, match=r"function of your own.*explain\(results, pipeline\)"):
        ptq.explain(results, qindex)
    assert ptq.explain(results, pipeline)["phi"].max() == pytest.approx(0.6)


def test_certainty_and_weight_of_each_constraint(bm25, qindex) -> None:
    asked = [ptq.Constraint(">", 530.0, 530.0, "horsepower", weight=2.0), ptq.Constraint("=", 3.0, 3.0, certainty=0.3)]
    frame = pd.DataFrame([{"qid": "1", "query": "BMW", "constraints": asked}])
    table = ptq.explain(ptq.quantity_aware(bm25, qindex)(frame))
    weights = table.groupby("certainty")["weight"].unique()
    assert weights[1.0].tolist() == [2.0]
    assert len(weights[0.3]) == 1
    assert 0 <= weights[0.3][0] < 1
    again = ptq.explain(ptq.quantity_aware(bm25, qindex)(frame).tail(2), qindex)
    assert again["weight"].isin(table["weight"]).all()


SCRIPT = "<img src=x onerror=alert(1)>"


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.pivot(index="qid", columns="docno", values="quantity_score"),
        lambda table: table.set_index("docno").T,
        lambda table: table.rename(columns={"fit": SCRIPT}),
        lambda table: table[["docno", "text"]],
        lambda table: table.merge(pd.DataFrame({"docno": [SCRIPT, "other"]}), on="docno", how="outer"),
        lambda table: table.groupby("qid")[["fit"]].mean(),
        lambda table: table.head(0),
    ],
)
def test_html_of_whatever_becomes_of_an_explanation(tmp_path, change) -> None:
    text = f"{SCRIPT} car with 600 hp"
    index = ptq.QuantityIndex(tmp_path / "i").index([{"docno": SCRIPT, "text": text}])
    asked = [ptq.Constraint(">", 500.0, 500.0, "horsepower")]
    row = {"qid": "1", "query": SCRIPT, "docno": SCRIPT, "text": text, "score": 1.0, "rank": 0, "constraints": asked}
    shown = change(ptq.explain(pd.DataFrame([row]), index))._repr_html_()
    assert "<table" in shown or "<section" in shown
    assert "<img" not in shown
