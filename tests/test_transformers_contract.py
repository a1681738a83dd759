"""What PyTerrier expects of every transformer."""

from __future__ import annotations

import pickle

import pandas as pd
import pyterrier as pt
import pytest
from search_material import ROW, Canned

from pyterrier_quantity import (
    Normalise,
    QuantityExtractor,
    QuantityQueryParser,
    QuantityScorer,
    quantity_aware,
)

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
    """Makes a transformer by name, anew at every call."""
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

    @every
    def test_no_columns_at_all(self, make, name):
        with pytest.raises(pt.validate.InputValidationError):
            make(name)(pd.DataFrame())

    @every
    def test_inspection_of_inputs_and_outputs(self, make, name):
        modes = pt.inspect.transformer_inputs(make(name))
        assert any(set(mode) <= set(INPUTS[name]) for mode in modes), modes
        for mode in modes:
            outputs = pt.inspect.transformer_outputs(make(name), mode)
            assert set(mode) <= set(outputs)
            assert ADDED[name] - {"constraints"} <= set(outputs)

    @every
    def test_inspection_of_attributes(self, make, name):
        transformer = make(name)
        found = {attribute.name: attribute.value for attribute in pt.inspect.transformer_attributes(transformer)}
        for attribute, value in found.items():
            assert value is getattr(transformer, attribute), attribute

    @every
    def test_schematics(self, make, name, monkeypatch):
        monkeypatch.setattr(pt.documentation, "url_for_class", lambda cls: None)
        drawn = pt.schematic.draw(make(name), input_columns=INPUTS[name])
        assert type(make(name)).__name__ in drawn or "Quantity" in drawn

    @every
    def test_equality_and_hash(self, make, name):
        assert make(name) == make(name)
        assert hash(make(name)) == hash(make(name))
        for other in INPUTS:
            assert (make(name) == make(other)) == (name == other)
        assert make(name) != name

    @every
    def test_repr_names_class_and_settings(self, make, name):
        text = repr(make(name))
        assert text == repr(make(name))
        assert text.startswith(type(make(name)).__name__ + "(")
        assert "0x" not in text

    @every
    def test_pickling(self, make, name, qindex):
        # PISA's own retriever cannot be pickled.
        canned = quantity_aware(Canned({"1": [("m3", 2.0), ("m5", 1.0)]}), qindex, alpha=0.5)
        transformer = canned if name == "quantity aware" else make(name)
        again = pickle.loads(pickle.dumps(transformer))
        assert again == transformer
        pd.testing.assert_frame_equal(again(frame(name)), transformer(frame(name)))

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

    @every
    def test_in_a_pipeline(self, make, name):
        pipeline = make(name) >> pt.apply.generic(lambda out: out)
        assert len(pipeline(frame(name))) == len(make(name)(frame(name)))
