"""Names that documents state in brackets stand for each other in scoring."""

import pandas as pd
import pyterrier as pt
import pytest

import pyterrier_quantity as ptq
from pyterrier_quantity.pipelines import WithStatedNames

DOCUMENTS = [
    {"docno": "says", "text": "The glomerular filtration rate (GFR) tells how well kidneys work."},
    {"docno": "again", "text": "A low glomerular filtration rate (GFR) is a sign of disease."},
    {"docno": "short", "text": "A GFR below 30 percent was found in this group of patients."},
    {"docno": "other", "text": "A weight loss below 30 percent was found in this group of patients."},
]
QUERY = "glomerular filtration rate below 30 percent"


def scores(scorer, documents=DOCUMENTS):
    asked = ptq.QuantityQueryParser().search(QUERY)
    scored = scorer(asked.merge(pd.DataFrame(documents), how="cross"))
    return dict(zip(scored["docno"], scored["score"].round(6), strict=True))


@pytest.fixture
def index(tmp_path):
    return ptq.QuantityIndex(tmp_path / "names.quantity").index(DOCUMENTS)


def test_the_short_name_stands_for_the_long_one(index, tmp_path):
    found = scores(index.scorer())
    without = scores(ptq.QuantityIndex(tmp_path / "without.quantity").index(DOCUMENTS[2:]).scorer())
    assert found["short"] > 1.5 * found["other"]
    assert without["short"] == without["other"]


def test_texts_alone_state_the_same_names(index):
    assert scores(ptq.QuantityScorer()) == scores(index.scorer())


def test_names_grow_and_go_with_their_documents(tmp_path):
    grown = ptq.QuantityIndex(tmp_path / "grown.quantity").index(DOCUMENTS[2:])
    before = scores(grown.scorer())
    grown.add(DOCUMENTS[:2])
    assert scores(grown.scorer())["short"] > 1.5 * before["other"]
    grown.delete(["says", "again"])
    assert scores(grown.scorer()) == {**before, "says": 0.0, "again": 0.0}
    grown.merge()
    assert not grown.opened.lines


def test_a_scorer_sees_names_that_several_brackets_state(index):
    seen = []

    def read(frame):
        seen.extend(frame["query"].unique())
        return frame.assign(score=1.0)

    frame = ptq.QuantityQueryParser().search(QUERY).merge(pd.DataFrame(DOCUMENTS), how="cross")
    found = WithStatedNames(pt.apply.generic(read), index)(frame)
    assert seen == [f"{QUERY} (gfr)"]
    assert found["query"].tolist() == [QUERY] * 4
    once = ptq.QuantityIndex(index.path.with_name("once.quantity")).index(DOCUMENTS[1:])
    WithStatedNames(pt.apply.generic(read), once)(frame)
    assert seen[1:] == [QUERY]
