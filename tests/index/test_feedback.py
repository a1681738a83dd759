"""Feedback: words of the best results that meet the condition help to find others."""

from __future__ import annotations

import pandas as pd
import pytest
from search_material import CORPUS, Canned

from pyterrier_quantity import QuantityIndex, QuantityQueryParser, QuantityScorer, explain, quantity_aware
from pyterrier_quantity.english.stems import term_hash

TEXTS = {
    "north": "Unemployment in the north is 9 percent; the jobless queue at every office.",
    "south": "In the south unemployment is 10 percent and the jobless wait for work.",
    "east": "Unemployment in the east is 12 percent, and the jobless leave.",
    "west": "Unemployment of the west is 13 percent where the jobless are young.",
    "other-words": "The jobless rate of the islands is 11 percent.",
    "off-topic": "The broker's fee for a flat is 11 percent.",
    "few": "Unemployment of cashiers is 4 percent.",
    "copy": "Unemployment in the north is 9 percent; the jobless queue at every office.",
}
KEPT = ("qid", "query", "constraints")
QUERY = pd.DataFrame({"qid": ["1", "2"], "query": ["unemployment above 8 percent", "museum opening"]})


@pytest.fixture(scope="module")
def rates(tmp_path_factory: pytest.TempPathFactory) -> QuantityIndex:
    path = tmp_path_factory.mktemp("feedback") / "rates.quantity"
    return QuantityIndex(path).index({"docno": docno, "text": text} for docno, text in TEXTS.items())


@pytest.fixture(scope="module")
def ranker() -> Canned:
    """Every document for every query, all alike."""
    return Canned({qid: [(docno, 1.0) for docno in TEXTS] for qid in QUERY["qid"]}, KEPT)


def position(run: pd.DataFrame, docno: str) -> int:
    mine = run[run["qid"] == "1"].sort_values("rank")
    return mine["docno"].tolist().index(docno)


def test_words_of_the_best_results_are_related(ranker: Canned, rates: QuantityIndex) -> None:
    results = quantity_aware(ranker, rates)(QUERY)
    queries = rates.feedback().transform(results)
    assert queries["qid"].tolist() == ["1", "2"]
    related, nothing = queries["related_terms"]
    assert term_hash("jobless") in related
    assert term_hash("unemployment") not in related, "the query's own words are no news"
    assert term_hash("cashiers") not in related, "4 percent do not meet the condition"
    assert max(related.values()) == pytest.approx(0.3)
    assert nothing == {}


def test_a_document_in_other_words_rises(ranker: Canned, rates: QuantityIndex) -> None:
    plain, again = (quantity_aware(ranker, rates, feedback=given)(QUERY) for given in (False, True))
    gained = (again.set_index(["qid", "docno"])["score"] - plain.set_index(["qid", "docno"])["score"])["1"]
    assert gained["other-words"] > gained["off-topic"] == 0
    assert position(again, "other-words") < position(again, "off-topic")


def test_one_call_is_the_pipeline(bm25, qindex, queries) -> None:
    for candidates in ("retriever", "union"):
        plain = quantity_aware(bm25, qindex, candidates=candidates)
        operators = plain >> qindex.feedback() >> plain
        call = quantity_aware(bm25, qindex, candidates=candidates, feedback=True)
        expected, actual = operators(queries), call(queries)
        columns = ["qid", "docno", "score", "rank"]
        pd.testing.assert_frame_equal(actual[columns], expected[columns])
        assert len(actual) > len(CORPUS)


def test_explanations_know_the_related_words(ranker: Canned, rates: QuantityIndex) -> None:
    fits = []
    for feedback in (False, True):
        table = explain(quantity_aware(ranker, rates, feedback=feedback)(QUERY))
        fits.append(table.set_index("docno").loc["other-words", "fit"])
    assert fits[1] > fits[0]


def test_copies_of_a_text_count_once(ranker: Canned, rates: QuantityIndex) -> None:
    texts = Canned({"1": [("north", 3.0), ("copy", 2.0), ("south", 1.0)]}, KEPT)
    results = (QuantityQueryParser() >> texts)(QUERY.head(1))
    with_copy = rates.feedback().transform(results)["related_terms"][0]
    without = rates.feedback().transform(results[results["docno"] != "copy"])["related_terms"][0]
    assert with_copy == without


def test_queries_without_a_quantity_stay_as_they_are(bm25, qindex) -> None:
    queries = pd.DataFrame({"qid": ["1"], "query": ["BMW and Porsche"]})
    run = quantity_aware(bm25, qindex, feedback=True)(queries)
    pd.testing.assert_frame_equal(run.drop(columns="related_terms"), quantity_aware(bm25, qindex)(queries))


def test_an_index_without_words_relates_nothing(tmp_path, ranker: Canned) -> None:
    index = QuantityIndex(tmp_path / "plain").indexer(concepts=False)
    index = index.index({"docno": docno, "text": text} for docno, text in TEXTS.items())
    assert index.feedback().transform(quantity_aware(ranker, index)(QUERY))["related_terms"].tolist() == [{}, {}]


def test_empty_frames(bm25, qindex, queries) -> None:
    assert len(quantity_aware(bm25, qindex, feedback=True)(queries.head(0))) == 0


def test_feedback_needs_an_index(bm25) -> None:
    with pytest.raises(ValueError, match="feedback needs a QuantityIndex"):
        quantity_aware(bm25, QuantityScorer(), feedback=True)


def test_a_related_terms_column_of_another_form(qindex) -> None:
    frame = QuantityQueryParser()(QUERY.head(1)).assign(docno="m5", score=1.0)
    with pytest.raises(ValueError, match="query '1': column 'related_terms' must hold dictionaries"):
        qindex.scorer()(frame.assign(related_terms="money"))


def test_constraints_in_plain_columns_stay(rates: QuantityIndex) -> None:
    row = {"qid": "1", "query": "unemployment", "condition": ">", "value": 8.0, "unit": "percent", "docno": "north"}
    queries = rates.feedback().transform(pd.DataFrame([row | {"score": 1.0, "rank": 0}]))
    assert {"qid", "query", "condition", "value", "unit", "related_terms"} == set(queries.columns)
    assert term_hash("jobless") in queries["related_terms"][0]
