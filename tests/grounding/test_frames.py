"""`CheckNumbers` and the measure over frames as pyterrier_rag makes them."""

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_quantity.grounding import CheckNumbers, SupportedNumbers

ANSWERS = pd.DataFrame(
    [
        {"qid": "1", "query": "power of the plant", "qanswer": "The plant feeds 530 MW."},
        {"qid": "2", "query": "cost of the plant", "qanswer": "The plant cost 5 million euros and feeds 0.53 GW."},
        {"qid": "3", "query": "is it large", "qanswer": "It is."},
    ]
)
TEXT = "The plant feeds 530 MW and cost 1.2 million euros."


def documents(queries):
    return queries[["qid", "query"]].merge(
        pd.DataFrame([{"docno": "d", "text": TEXT, "score": 1.0, "rank": 0}]), how="cross"
    )


RETRIEVER = pt.apply.generic(documents)


def counts(frame):
    return frame[["supported", "contradicted", "not_found"]].to_numpy().tolist()


EXPECTED = [[1, 0, 0], [1, 1, 0], [0, 0, 0]]


def test_documents_of_a_retriever():
    found = CheckNumbers(RETRIEVER).transform(ANSWERS)
    assert counts(found) == EXPECTED
    assert [check.supported for check in found["checked"]] == [True, False, True]


def test_documents_in_rows():
    rows = documents(ANSWERS).merge(ANSWERS[["qid", "qanswer"]])
    found = CheckNumbers().transform(rows)
    assert counts(found) == EXPECTED
    assert "docno" not in found


@pytest.mark.parametrize(("column", "value"), [("qcontext", TEXT), ("evidence", [{"docno": "d", "sentence": TEXT}])])
def test_what_readers_were_given(column, value):
    frame = ANSWERS.assign(**{column: [value] * len(ANSWERS)})
    assert counts(CheckNumbers().transform(frame)) == EXPECTED


def test_an_answer_without_context_is_not_supported():
    frame = ANSWERS.assign(qcontext=None)
    found = CheckNumbers().transform(frame)
    assert len(found) == len(frame)
    assert (found["supported"] == 0).all()


def test_a_frame_without_documents_names_the_remedy():
    with pytest.raises(ValueError, match=r"CheckNumbers\(documents=retriever\)"):
        CheckNumbers().transform(ANSWERS)


@pytest.mark.parametrize("kind", [str, int])
def test_an_experiment_prints_the_share(kind):
    answers = pt.apply.generic(lambda topics: topics.merge(ANSWERS[["query", "qanswer"]].assign(qcontext=TEXT)))
    checked = answers >> CheckNumbers()
    qrels = pd.DataFrame([{"qid": kind(qid), "docno": "d", "label": 1} for qid in ("1", "2", "3")])
    topics = ANSWERS[["qid", "query"]].assign(qid=ANSWERS["qid"].map(kind))
    table = pt.Experiment([checked], topics, qrels, [SupportedNumbers], names=["answers"])
    assert table["SupportedNumbers"].tolist() == [pytest.approx((1 + 0.5 + 1) / 3)]
