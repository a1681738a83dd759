"""Results whose queries nobody has read: run files, rankers without a parser before them, adaptive rerankers."""

import pandas as pd
import pyterrier as pt
import pytest

import pyterrier_quantity as ptq

STEPS = {
    "scorer": lambda qindex: qindex.scorer(),
    "settle": lambda qindex: qindex.settle(),
    "filter": lambda qindex: qindex.filter(),
    "explain": lambda qindex: pt.apply.generic(lambda frame: pd.DataFrame(ptq.explain(frame, qindex))),
    "quantity_aware": lambda qindex: ptq.quantity_aware(pt.Transformer.identity(), qindex),
}


@pytest.fixture
def run(bm25, queries):
    """Results with the columns that an adaptive reranker returns."""
    return bm25(queries)[["qid", "query", "docno", "score"]]


@pytest.mark.parametrize("name", STEPS)
def test_steps_read_what_a_parser_before_them_reads(name, qindex, run):
    step, parser = STEPS[name](qindex), ptq.QuantityQueryParser()
    read, unread = (parser >> step)(run), step(run)
    assert len(read)
    same = [column for column in unread if column not in ("query", "features", "related_terms")]
    pd.testing.assert_frame_equal(unread[same], read[same])


def test_the_text_as_typed_is_read(qindex, run):
    rewritten = run.rename(columns={"query": "query_0"}).assign(query="other words")
    assert (qindex.scorer()(rewritten)["score"] > 0).any()


def test_a_reranker_gets_the_queries_terms_and_keeps_its_columns(qindex, run):
    seen = []
    reranker = pt.apply.generic(lambda frame: seen.append(frame) or frame)
    parser = ptq.QuantityQueryParser(keep="concept")
    found = ptq.quantity_aware(reranker, qindex, candidates="retriever", parser=parser)(run.assign(own="kept"))
    assert len(found) == len(run)
    assert set(found["own"]) == {"kept"}
    assert seen[0]["query"].tolist() == parser(run)["query"].tolist()


def test_the_error_names_the_parser(qindex, run):
    with pytest.raises(pt.validate.InputValidationError, match=r"QuantityQueryParser\(\)"):
        qindex.scorer()(run.drop(columns="query"))
