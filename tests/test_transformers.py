"""What PyTerrier expects of every transformer, and what each of them does."""

from __future__ import annotations

import math
import pickle

import pandas as pd
import pyterrier as pt
import pytest
from conftest import Canned

from pyterrier_quantity import (
    Constraint,
    Normalise,
    Quantity,
    QuantityExtractor,
    QuantityIndex,
    QuantityQueryParser,
    QuantityScorer,
    RuleExtractor,
    quantity_aware,
)
from pyterrier_quantity.scoring import closest

ASKED = [Constraint(">", 500.0, 500.0, "horsepower")]

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
    "parser": {"query_0", "constraints"}, "extractor": {"quantities"}, "index scorer": {"score", "rank"},
    "filter": set(), "retriever": {"docno", "score", "rank"}, "text scorer": {"score", "rank"}, "normalise": {"rank"},
    "quantity aware": {"query_0", "constraints", "docno", "score", "rank"},
}  # fmt: skip

ROW = {
    "qid": "1", "query": "BMW over 500 hp", "docno": "m5", "text": "The BMW M5 has 600 hp.", "score": 3.5,
    "constraints": ASKED,
}  # fmt: skip


@pytest.fixture
def make(qindex, bm25):
    """Makes a transformer by name, anew at every call."""
    makers = {
        "parser": lambda: QuantityQueryParser(keep="concept"),
        "extractor": lambda: QuantityExtractor(),
        "index scorer": lambda: qindex.scorer("gauss", met=0.1),
        "filter": lambda: qindex.filter(keep_unknown=True),
        "retriever": lambda: qindex.retriever(num_results=7, phi="exp"),
        "text scorer": lambda: QuantityScorer(phi="paper"),
        "normalise": lambda: Normalise("minmax"),
        "quantity aware": lambda: quantity_aware(bm25, qindex, alpha=0.5, norm="sum", met=0.3),
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
        needed = [column for column in INPUTS[name] if not (name == "extractor" and column == "docno")]
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

    @every
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


class TestSettings:
    def test_other_settings_are_another_transformer(self, qindex, bm25):
        assert qindex.scorer("gauss") != qindex.scorer("exp")
        assert qindex.scorer(met=0.1) != qindex.scorer(met=0.2)
        assert qindex.retriever(5) != qindex.retriever(6)
        assert qindex.filter() != qindex.filter(keep_unknown=True)
        assert Normalise("max") != Normalise("sum")
        assert QuantityQueryParser(keep="all") != QuantityQueryParser(keep="unit")
        assert quantity_aware(bm25, qindex, alpha=1) != quantity_aware(bm25, qindex, alpha=2)
        assert QuantityExtractor(RuleExtractor(concepts=False)) != QuantityExtractor(RuleExtractor(concepts=True))

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"phi": "nearest"}, ValueError, "unknown phi 'nearest'"),
            ({"aggregate": "median"}, ValueError, "unknown aggregate 'median'"),
            ({"units": "loose"}, ValueError, "unknown units 'loose'"),
            ({"met": 2}, ValueError, "met must be in"),
            ({"speed": 1}, TypeError, "speed"),
        ],
    )  # fmt: skip
    def test_bad_options_are_named_at_once(self, qindex, bm25, options, error, message):
        for make in (qindex.scorer, qindex.retriever, QuantityScorer, lambda **o: quantity_aware(bm25, qindex, **o)):
            with pytest.raises(error, match=message):
                make(**options)

    def test_bad_names(self, qindex, bm25):
        with pytest.raises(ValueError, match="unknown normalisation 'mean'"):
            Normalise("mean")
        with pytest.raises(ValueError, match="unknown normalisation 'mean'"):
            quantity_aware(bm25, qindex, norm="mean")
        with pytest.raises(ValueError, match="unknown candidates 'all'"):
            quantity_aware(bm25, qindex, candidates="all")
        with pytest.raises(ValueError, match="'everything'"):
            QuantityQueryParser(keep="everything")

    @pytest.mark.parametrize("sizes", [{"num_results": 0}, {"num_results": -1}, {"candidates": 0}])
    def test_bad_sizes(self, qindex, sizes):
        with pytest.raises(ValueError, match="must be at least 1"):
            qindex.retriever(**sizes)

    @pytest.mark.parametrize(
        ("settings", "error", "message"),
        [
            ({"alpha": math.nan}, ValueError, "alpha must be finite"),
            ({"alpha": math.inf}, ValueError, "alpha must be finite"),
            ({"alpha": "much"}, TypeError, "real number"),
            ({"depth": -1}, ValueError, "depth must not be negative"),
            ({"quantities": "./news.quantity"}, TypeError, "must be a QuantityIndex or a transformer, got str"),
        ],
    )  # fmt: skip
    def test_bad_settings_of_a_pipeline(self, qindex, bm25, settings, error, message):
        with pytest.raises(error, match=message):
            quantity_aware(**{"retriever": bm25, "quantities": qindex, **settings})

    def test_the_scorers_argument_is_a_phi_function_too(self, qindex):
        assert qindex.scorer(closest)(frame("index scorer")).equals(qindex.scorer("closest")(frame("index scorer")))


class TestParser:
    def test_columns(self):
        out = QuantityQueryParser(keep="concept")(pt.new.queries(["BMW above 530hp", "cars"]))
        assert out["query"].tolist() == ["BMW", "cars"]
        assert out["query_0"].tolist() == ["BMW above 530hp", "cars"]
        assert out["constraints"].tolist() == [[Constraint(">", 530.0, 530.0, "horsepower")], []]

    def test_the_text_stays_by_default(self):
        out = QuantityQueryParser()(pt.new.queries(["BMW above 530hp"]))
        assert out["query"].tolist() == ["BMW above 530hp"]

    @pytest.mark.parametrize("bad", [None, math.nan, 7])
    def test_a_query_that_is_no_text(self, bad):
        with pytest.raises(TypeError, match="must be a string"):
            QuantityQueryParser()(pd.DataFrame({"qid": ["1"], "query": [bad]}))

    def test_a_users_extractor(self):
        class Dozens(RuleExtractor):
            def extract(self, text):
                return [Quantity(12.0, 12.0, "egg", start=0, end=len(text))]

        found = QuantityQueryParser(Dozens())(pt.new.queries(["a dozen"]))["constraints"][0]
        assert found == [Constraint("=", 12.0, 12.0, "egg")]


class TestExtractor:
    def test_documents(self, corpus):
        out = QuantityExtractor()(pd.DataFrame(corpus))
        extractor = RuleExtractor()
        assert out["quantities"].tolist() == [extractor.extract(document["text"]) for document in corpus]

    @pytest.mark.parametrize("missing", [None, math.nan, pd.NA, ""])
    def test_missing_texts_state_nothing(self, missing):
        documents = pd.DataFrame({"docno": ["a", "b"], "text": ["5 kg", missing]})
        assert [len(found) for found in QuantityExtractor()(documents)["quantities"]] == [1, 0]

    def test_another_field(self):
        out = QuantityExtractor(text_field="title")(pd.DataFrame({"title": ["5 kg"], "text": ["9 kg"]}))
        assert [q.low for q in out["quantities"][0]] == [5.0]

    def test_a_stream_is_read_as_it_comes(self):
        read = []

        def documents():
            for number in range(5000):
                read.append(number)
                yield {"docno": str(number), "text": f"{number} kg"}

        stream = QuantityExtractor().transform_iter(documents())
        assert [q.low for q in next(stream)["quantities"]] == [0.0]
        assert len(read) < 5000
        assert len(list(stream)) == 4999

    def test_a_document_without_the_field_is_named(self):
        with pytest.raises(KeyError, match="'text', only \\['body', 'docno'\\]"):
            list(QuantityExtractor().transform_iter([{"docno": "a", "body": "5 kg"}]))

    def test_a_text_that_is_no_text(self):
        with pytest.raises(TypeError, match="must be a string, got int"):
            QuantityExtractor()(pd.DataFrame({"docno": ["a"], "text": [5]}))

    def test_its_quantities_are_indexed_and_scored_as_they_are(self, tmp_path, corpus):
        annotated = QuantityExtractor()(pd.DataFrame(corpus))
        index = QuantityIndex(tmp_path / "i").index(annotated.to_dict("records"))
        assert [q.low for q in index.quantities("m3")] == [510.0, 290.0]


class TestScorers:
    def rows(self, corpus, query="BMW over 500 hp", **columns):
        parsed = QuantityQueryParser()(pt.new.queries([query])).assign(**columns)
        return parsed.merge(pd.DataFrame(corpus), how="cross")

    def test_text_and_index_score_alike(self, qindex, corpus):
        for query in ("BMW over 500 hp", "iPhone below 600 euros", "oil between 10 and 20 dollars a barrel", "car"):
            rows = self.rows(corpus, query)
            for options in ({}, {"phi": "paper"}, {"phi": "ascending", "aggregate": "mean"}):
                expected = qindex.scorer(**options)(rows)
                pd.testing.assert_frame_equal(QuantityScorer(**options)(rows), expected)

    def test_rows_keep_their_order_and_get_ranks(self, qindex, corpus):
        rows = self.rows(corpus).sample(frac=1.0, random_state=2)
        out = qindex.scorer()(rows)
        assert out["docno"].tolist() == rows["docno"].tolist()
        best = out.sort_values("rank")
        assert best["rank"].tolist() == list(range(len(rows)))
        assert best["score"].is_monotonic_decreasing
        assert best["docno"].iloc[0] == "m3"

    def test_a_query_without_a_constraint_scores_zero(self, qindex, corpus):
        assert (qindex.scorer()(self.rows(corpus, "car"))["score"] == 0).all()

    def test_documents_out_of_the_index_score_zero(self, qindex):
        out = qindex.scorer()(pd.DataFrame([{**ROW, "docno": "elsewhere"}]))
        assert out["score"].tolist() == [0.0]

    def test_plain_columns_in_place_of_constraints(self, qindex, corpus):
        rows = self.rows(corpus)
        plain = rows.drop(columns="constraints").assign(condition="more than", value=500, unit="hp")
        pd.testing.assert_series_equal(qindex.scorer()(plain)["score"], qindex.scorer()(rows)["score"])
        pd.testing.assert_series_equal(QuantityScorer()(plain)["score"], qindex.scorer()(rows)["score"])
        assert qindex.filter()(plain)["docno"].tolist() == qindex.filter()(rows)["docno"].tolist()

    def test_ready_quantities_are_used(self):
        stated = [Quantity(900.0, 900.0, "horsepower")]
        out = QuantityScorer(fit=None)(pd.DataFrame([{**ROW, "text": "100 hp", "quantities": stated}]))
        assert out["score"].iloc[0] > 0.5

    def test_missing_texts_score_zero(self):
        for missing in (None, math.nan, ""):
            assert QuantityScorer()(pd.DataFrame([{**ROW, "text": missing}]))["score"].tolist() == [0.0]

    def test_a_document_under_several_queries_is_read_once(self):
        class Counting(RuleExtractor):
            texts = 0

            def extract_batch(self, texts, **options):
                texts = list(texts)
                Counting.texts += len(texts)
                return super().extract_batch(texts, **options)

        rows = pd.DataFrame([{**ROW, "qid": str(n)} for n in range(5)])
        out = QuantityScorer(extractor=Counting())(rows)
        assert Counting.texts == 1
        assert out["score"].nunique() == 1
        assert out["score"].iloc[0] > 0.5

    def test_errors_name_the_query(self, qindex):
        bad = pd.DataFrame([{**ROW, "qid": "q-9", "constraints": "> 5"}])
        for transformer in (qindex.scorer(), qindex.filter(), QuantityScorer()):
            with pytest.raises(ValueError, match="query 'q-9': column 'constraints'"):
                transformer(bad)


class TestFilter:
    def test_scores_stay_and_ranks_are_new(self, qindex):
        rows = pd.DataFrame(
            [
                {**ROW, "docno": docno, "score": score, "rank": rank}
                for rank, (docno, score) in enumerate([("mini", 9.0), ("m5", 5.0), ("car-law", 4.0), ("m3", 2.0)])
            ]
        )
        out = qindex.filter()(rows)
        assert out[["docno", "score", "rank"]].to_dict("list") == {
            "docno": ["m5", "m3"], "score": [5.0, 2.0], "rank": [0, 1],
        }  # fmt: skip
        unknown = qindex.filter(keep_unknown=True)(rows)
        assert unknown["docno"].tolist() == ["m5", "car-law", "m3"]

    def test_frames_without_scores(self, qindex):
        out = qindex.filter()(pd.DataFrame([{**ROW, "docno": d} for d in ("mini", "m5")]).drop(columns="score"))
        assert out["docno"].tolist() == ["m5"]
        assert "rank" not in out.columns


class TestRetriever:
    def test_queries_without_a_constraint_get_nothing(self, qindex):
        assert len(qindex.retriever()(QuantityQueryParser()(pt.new.queries(["car"])))) == 0

    def test_columns_of_the_queries_stay(self, qindex):
        queries = QuantityQueryParser()(pt.new.queries(["BMW over 500 hp", "car", "iPhone below 600 euros"]))
        out = qindex.retriever()(queries.assign(note=["a", "b", "c"]))
        assert out.groupby("qid")["note"].first().to_dict() == {"1": "a", "3": "c"}
        assert out.groupby("qid").first()["docno"].to_dict() == {"1": "m3", "3": "iphone"}

    def test_cut_off_is_fused(self, qindex):
        fused = (qindex.retriever(num_results=100) % 3).compile()
        assert fused == qindex.retriever(num_results=3)

    def test_a_compiled_cut_off_gives_the_same_results(self, qindex):
        queries = QuantityQueryParser()(pt.new.queries(["BMW over 100 hp", "over 1 euro"]))
        for pipeline in (qindex.retriever() % 2, qindex.retriever(num_results=2) % 3):
            pd.testing.assert_frame_equal(pipeline.compile()(queries), pipeline(queries))
