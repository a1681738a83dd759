"""PyTerrier's requirements for every transformer."""

import pandas as pd
import pyterrier as pt
import pytest
from search_material import ROW

from pyterrier_quantity import Normalise, QuantityExtractor, QuantityQueryParser, QuantityScorer, quantity_aware

INPUTS = {
    "parser": ["qid", "query"],
    "extractor": ["docno", "text"],
    "index scorer": ["qid", "query", "docno", "constraints"],
    "filter": ["qid", "query", "docno", "constraints"],
    "retriever": ["qid", "query", "constraints"],
    "text scorer": ["qid", "query", "docno", "text", "constraints"],
    "normalise": ["qid", "docno", "score"],
    "quantity aware": ["qid", "query"],
}
ADDED = {
    "parser": {"query_0", "query_plan", "constraints"}, "extractor": {"quantities"}, "index scorer": {"score", "rank"},
    "filter": set(), "retriever": {"docno", "score", "rank"}, "text scorer": {"score", "rank"}, "normalise": {"rank"},
    "quantity aware": {"query_0", "query_plan", "constraints", "docno", "score", "rank"},
}  # fmt: skip


@pytest.fixture
def make(qindex, bm25):
    """Return a function that makes a new transformer from its name."""
    makers = {
        "parser": lambda: QuantityQueryParser(keep="concept"),
        "extractor": lambda: QuantityExtractor(),
        "index scorer": lambda: qindex.scorer("gauss", fit=False),
        "filter": lambda: qindex.filter(keep_unknown=True),
        "retriever": lambda: qindex.retriever(num_results=7, phi="exp"),
        "text scorer": lambda: QuantityScorer(phi="paper"),
        "normalise": lambda: Normalise("minmax"),
        "quantity aware": lambda: quantity_aware(bm25, qindex, alpha=0.5, norm="sum", units="strict"),
    }
    return lambda name: makers[name]()


every = pytest.mark.parametrize("name", sorted(INPUTS))


def frame(name: str, rows: int = 1) -> pd.DataFrame:
    record = {column: ROW[column] for column in INPUTS[name]}
    return pd.DataFrame([record] * rows, columns=INPUTS[name])


class TestContract:
    @every
    def test_a_frame_in_and_a_frame_out(self, make, name):
        before = frame(name)
        inp = before.copy(deep=True)
        out = make(name)(inp)
        assert isinstance(out, pd.DataFrame)
        assert set(out.columns) == set(INPUTS[name]) | ADDED[name]
        pd.testing.assert_frame_equal(inp, before)

    @every
    def test_dictionaries_in_and_out(self, make, name):
        expected = make(name)(frame(name)).to_dict("records")
        records = frame(name).to_dict("records")
        assert list(make(name)(records)) == expected
        assert list(make(name).transform_iter(iter(records))) == expected

    @every
    def test_no_rows(self, make, name):
        out = make(name)(frame(name, rows=0))
        assert len(out) == 0
        assert set(out.columns) == set(INPUTS[name]) | ADDED[name]
        assert list(make(name)([])) == []

    @every
    def test_a_missing_column_is_named(self, make, name):
        optional = {"constraints", *(("docno",) if name == "extractor" else ())}
        needed = [column for column in INPUTS[name] if column not in optional]
        for column in needed:
            with pytest.raises(pt.validate.InputValidationError, match=column):
                make(name)(frame(name).drop(columns=column))
            with pytest.raises(pt.validate.InputValidationError, match=column):
                make(name)(frame(name, rows=0).drop(columns=column))

    @pytest.mark.parametrize("name", sorted(INPUTS))
    def test_other_columns_stay(self, make, name):
        out = make(name)(frame(name).assign(note="kept"))
        assert (out["note"] == "kept").all()

    @every
    def test_any_index_of_the_frame(self, make, name):
        inp = frame(name, rows=3)
        if "qid" in inp.columns:
            inp["qid"] = ["1", "2", "3"]
        expected = make(name)(inp)
        inp.index = [7, 7, -1]
        out = make(name)(inp)
        assert out.reset_index(drop=True).to_dict("records") == expected.to_dict("records")
        assert len(out) >= 3
