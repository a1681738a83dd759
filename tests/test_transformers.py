"""Tests of each transformer. `test_transformers_contract` has PyTerrier's requirements for all transformers."""

import math

import pandas as pd
import pyterrier as pt
import pytest
from search_material import ROW

from pyterrier_quantity import (
    Constraint,
    Quantity,
    QuantityExtractor,
    QuantityQueryParser,
    QuantityScorer,
    RuleExtractor,
    quantity_aware,
)


def test_values_are_finite_floats():
    for huge in (10**400, -(10**5000), math.inf, math.nan):
        with pytest.raises(ValueError, match="Constraint: values must be finite floats, got low="):
            Constraint("<", huge, huge)
        with pytest.raises(ValueError, match="Quantity: values must be finite floats, got low="):
            Quantity(huge, huge)
    with pytest.raises(ValueError, match="weight must be finite"):
        Constraint("<", 1.0, 1.0, weight=10**400)


class TestSettings:
    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"phi": "nearest"}, ValueError, "unknown phi 'nearest'"),
            ({"units": "loose"}, ValueError, "unknown units 'loose'"),
            ({"speed": 1}, TypeError, "speed"),
        ],
    )  # fmt: skip
    def test_bad_options_are_named_at_once(self, qindex, bm25, options, error, message):
        for make in (qindex.scorer, qindex.retriever, QuantityScorer, lambda **o: quantity_aware(bm25, qindex, **o)):
            with pytest.raises(error, match=message):
                make(**options)

    @pytest.mark.parametrize("name", ["num_results", "candidates"])
    @pytest.mark.parametrize("size", [0, -1, None, 2.5])
    def test_bad_sizes(self, qindex, name, size):
        with pytest.raises(ValueError, match=f"{name} must be at least 1, got {size}"):
            qindex.retriever(**{name: size})

    @pytest.mark.parametrize(
        ("settings", "error", "message"),
        [
            ({"alpha": math.nan}, ValueError, "alpha must be finite"),
            ({"alpha": math.inf}, ValueError, "alpha must be finite"),
            ({"alpha": "much"}, TypeError, "real number"),
            ({"depth": -1}, ValueError, "depth must not be negative"),
            ({"quantities": "./news.quantity"}, TypeError, "must be a QuantityIndex, got str"),
            ({"retriever": "bm25"}, TypeError, "retriever must be a transformer, got str 'bm25'"),
            ({"scorer": "splade"}, TypeError, "scorer must be a transformer, got str 'splade'"),
            ({"parser": len}, TypeError, "parser must be a transformer"),
        ],
    )  # fmt: skip
    def test_bad_settings_of_a_pipeline(self, qindex, bm25, settings, error, message):
        with pytest.raises(error, match=message):
            quantity_aware(**{"retriever": bm25, "quantities": qindex, **settings})


class TestParser:
    def test_columns(self):
        out = QuantityQueryParser(keep="concept")(pt.new.queries(["BMW above 530hp", "cars"]))
        assert out["query"].tolist() == ["BMW", "cars"]
        assert out["query_0"].tolist() == ["BMW above 530hp", "cars"]
        assert out["constraints"].tolist() == [[Constraint(">", 530.0, 530.0, "horsepower")], []]

    def test_former_generations_of_the_query_move_on_as_pyterrier_moves_them(self):
        typed = pd.DataFrame({"query_0": ["a"], "qid": ["1"], "query": ["cars"], "query_2": ["c"], "other": [7]}, [5])
        typed.attrs["source"] = "typed"
        out = QuantityQueryParser()(typed)
        pushed = pt.model.push_queries(typed)
        pd.testing.assert_frame_equal(out[list(pushed)], pushed)
        assert out.columns.tolist() == [*pushed, "query", "constraints", "query_plan"]
        assert out.attrs == {"source": "typed"}

    def test_half_a_character_fails_no_query(self, qindex):
        queries = ["car above 500 hp", "\ud800 car above 500 hp"]
        typed = pd.DataFrame({"qid": ["1", "2"], "query": queries}, dtype=object)
        pipeline = QuantityQueryParser() >> qindex.retriever()
        with pytest.warns(UserWarning, match=r"halves of characters .* are read as U\+FFFD"):
            out = pipeline(typed)
        assert out["query_0"].unique().tolist() == ["car above 500 hp", "\ufffd car above 500 hp"]
        with pytest.warns(UserWarning, match="halves of characters"):
            rows = list(pipeline.transform_iter(typed.to_dict("records")))
        assert [row["docno"] for row in rows] == out["docno"].tolist()

    @pytest.mark.parametrize("bad", [None, math.nan, 7])
    def test_a_query_that_is_no_text(self, bad):
        with pytest.raises(ValueError, match="query '1': column 'query' must hold texts"):
            QuantityQueryParser()(pd.DataFrame({"qid": ["1"], "query": [bad]}))


class TestExtractor:
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


class TestScorers:
    def rows(self, corpus, query="BMW over 500 hp", **columns):
        parsed = QuantityQueryParser()(pt.new.queries([query])).assign(**columns)
        return parsed.merge(pd.DataFrame(corpus), how="cross")

    def test_rows_keep_their_order_and_get_ranks(self, qindex, corpus):
        rows = self.rows(corpus).sample(frac=1.0, random_state=2)
        out = qindex.scorer()(rows)
        assert out["docno"].tolist() == rows["docno"].tolist()
        best = out.sort_values("rank")
        assert best["rank"].tolist() == list(range(len(rows)))
        assert best["score"].is_monotonic_decreasing
        assert best["docno"].iloc[0] == "m3"

    def test_plain_columns_in_place_of_constraints(self, qindex, corpus):
        rows = self.rows(corpus)
        plain = rows.drop(columns="constraints").assign(condition="more than", value=500, unit="hp")
        pd.testing.assert_series_equal(qindex.scorer()(plain)["score"], qindex.scorer()(rows)["score"])
        pd.testing.assert_series_equal(QuantityScorer()(plain)["score"], qindex.scorer()(rows)["score"])
        assert qindex.filter()(plain)["docno"].tolist() == qindex.filter()(rows)["docno"].tolist()

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


def test_columns_of_the_queries_stay(qindex):
    queries = QuantityQueryParser()(pt.new.queries(["BMW over 500 hp", "car", "iPhone below 600 euros"]))
    out = qindex.retriever()(queries.assign(note=["a", "b", "c"]))
    assert out.groupby("qid")["note"].first().to_dict() == {"1": "a", "3": "c"}
    assert out.groupby("qid").first()["docno"].to_dict() == {"1": "m3", "3": "iphone"}
