"""Documents to sentences and back."""

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_quantity import MaxSentence, QuantityIndex, SentenceSplitter

DOCUMENTS = [
    {"docno": "d1", "text": "Oil rose 5.5 pct to $20.10 a barrel. Gas, e.g. in the U.S. market, fell.", "topic": "oil"},
    {"docno": "d2", "text": "  One sentence only  ", "topic": "none"},
    {"docno": "d3", "text": None, "topic": "none"},
    {"docno": "d4", "text": "A title without a mark\n\nThe first line. The second!", "topic": "b"},
]
SENTENCES = {
    "d1#0": "Oil rose 5.5 pct to $20.10 a barrel.",
    "d1#1": "Gas, e.g. in the U.S. market, fell.",
    "d2#0": "One sentence only",
    "d4#0": "A title without a mark",
    "d4#1": "The first line.",
    "d4#2": "The second!",
}


def test_one_document_a_sentence():
    out = SentenceSplitter()(pd.DataFrame(DOCUMENTS, index=[3, 3, 1, 0]))
    assert dict(zip(out["docno"], out["text"], strict=True)) == SENTENCES
    assert out["topic"].tolist() == ["oil", "oil", "none", "b", "b", "b"]
    assert list(out.columns) == ["docno", "text", "topic"]


def test_dictionaries_stream():
    stream = SentenceSplitter().transform_iter(iter(DOCUMENTS))
    assert next(stream)["docno"] == "d1#0"
    assert {d["docno"]: d["text"] for d in SentenceSplitter()(DOCUMENTS)} == SENTENCES
    with pytest.raises(KeyError, match="'text'"):
        list(SentenceSplitter()([{"docno": "d", "body": "x"}]))


def test_no_documents():
    assert list(SentenceSplitter()([])) == []
    out = SentenceSplitter()(pd.DataFrame(columns=["docno", "text"]))
    assert len(out) == 0
    assert list(out.columns) == ["docno", "text"]
    with pytest.raises(pt.validate.InputValidationError):
        SentenceSplitter()(pd.DataFrame({"docno": ["d"]}))


def test_back_to_documents_by_the_best_sentence():
    results = pd.DataFrame(
        [("q1", "a#0", 1.0), ("q1", "a#12", 3.0), ("q1", "b#1", 2.0), ("q1", "c", 2.5), ("q1", "d#x", 0.5),
         ("q2", "a#0", 7.0), ("q2", "e#f#2", 7.0)],
        columns=["qid", "docno", "score"],
    )  # fmt: skip
    out = MaxSentence()(results)
    assert list(out[["qid", "docno", "score", "rank"]].itertuples(index=False, name=None)) == [
        ("q1", "a", 3.0, 0), ("q1", "c", 2.5, 1), ("q1", "b", 2.0, 2), ("q1", "d#x", 0.5, 3),
        ("q2", "a", 7.0, 0), ("q2", "e#f", 7.0, 1),
    ]  # fmt: skip
    assert out["sentence"].tolist() == ["a#12", "c", "b#1", "d#x", "a#0", "e#f#2"]
    assert len(MaxSentence()(results[:0])) == 0


def test_sentences_in_an_index(tmp_path):
    index = QuantityIndex(tmp_path / "i")
    (SentenceSplitter() >> index).index(DOCUMENTS)
    assert len(index) == len(SENTENCES)
    asked = pd.DataFrame([{"qid": "1", "query": "oil", "condition": ">", "value": 15, "unit": "dollar per barrel"}])
    out = (index.retriever() >> MaxSentence())(asked)
    assert out[["docno", "sentence"]].to_numpy().tolist() == [["d1", "d1#0"]]
