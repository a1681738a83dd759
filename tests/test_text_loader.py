"""Fields of documents as columns of results: of collections, and of a quantity index."""

import json
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest

import pyterrier_quantity as ptq
from pyterrier_quantity.datasets import LocalCollection

RESULTS = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["m5", "empty", "m5"], "score": [2.0, 1.0, 3.0]})


@pytest.fixture
def shop(tmp_path: Path) -> LocalCollection:
    documents = [{"docno": "m5", "text": "600 hp", "price": 120000}, {"docno": "empty", "text": "", "maker": "none"}]
    path = tmp_path / "shop.jsonl"
    path.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")
    return LocalCollection(path)


def test_fields_of_a_collection(shop: LocalCollection) -> None:
    out = pt.text.get_text(shop)(RESULTS)
    assert list(out["text"]) == ["600 hp", "", "600 hp"]
    assert list(out["price"]) == [120000, None, 120000]
    assert list(pt.text.get_text(shop, "maker")(RESULTS).columns) == ["qid", "docno", "score", "maker"]
    assert pt.text.get_text(shop)(RESULTS.head(0)).empty


@pytest.mark.parametrize(
    ("fields", "added"), [("*", ["text", "price"]), ("price", ["price"]), (["text", "maker"], ["text", "maker"])]
)
def test_inspection_knows_the_fields(shop: LocalCollection, fields: str | list[str], added: list[str]) -> None:
    outputs = pt.inspect.transformer_outputs(pt.text.get_text(shop, fields), ["qid", "docno", "score"])
    assert outputs == ["qid", "docno", "score", *added]


def test_a_pipeline_that_loads_texts_passes_the_strict_validation(bm25, queries) -> None:
    dataset = pt.get_dataset("quantity:demo")
    first = next(iter(dataset.get_corpus_iter(verbose=False)))["docno"]
    run = queries.assign(docno=first, score=1.0, rank=0)
    reranker = pt.Transformer.from_df(run) >> pt.text.get_text(dataset) >> ptq.QuantityScorer()
    qrels = queries.assign(docno=first, label=1)
    assert len(pt.Experiment([reranker], queries, qrels, ["map"], validate="error")) == 1


def test_what_is_not_there_is_named(shop: LocalCollection) -> None:
    with pytest.raises(KeyError, match="no document has a field 'prize'"):
        pt.text.get_text(shop, "prize")(RESULTS)
    with pytest.raises(KeyError, match="holds no document 'x9'"):
        pt.text.get_text(shop)(RESULTS.assign(docno="x9"))


def test_the_quantities_of_an_index(qindex) -> None:
    out = pt.text.get_text(qindex)(RESULTS)
    assert [[q.unit for q in found] for found in out["quantities"]][:2] == [["horsepower", "kilogram", "euro"], []]
    with pytest.raises(KeyError, match="holds no document 'x9'"):
        pt.text.get_text(qindex)(RESULTS.assign(docno="x9"))
