"""Compare `quantity_aware` with the same pipeline in PyTerrier's operators, on a real BM25."""

import itertools
from functools import partial

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from search_material import CORPUS, Canned

from pyterrier_quantity import Constraint, Normalise, QuantityQueryParser, QuantityScorer, quantity_aware
from pyterrier_quantity.fusion import METHODS
from pyterrier_quantity.score import Scoring

reranking = partial(quantity_aware, candidates="retriever")

RUN = ["qid", "docno", "score", "rank"]


def assert_same_run(actual: pd.DataFrame, expected: pd.DataFrame) -> None:
    """Check that two runs have the same documents and scores, and the same ranks except for ties."""
    a = actual.sort_values(["qid", "docno"])[RUN].reset_index(drop=True)
    b = expected.sort_values(["qid", "docno"])[RUN].reset_index(drop=True)
    pd.testing.assert_frame_equal(a[["qid", "docno"]], b[["qid", "docno"]], check_dtype=False)
    np.testing.assert_allclose(a["score"], b["score"], atol=1e-9)
    for frame in (actual, expected):
        for _, group in frame.groupby("qid"):
            ordered = group.sort_values("rank")
            assert ordered["rank"].tolist() == list(range(len(group)))
            assert (np.diff(ordered["score"]) <= 1e-9).all()


class TestTheOneCallIsTheOperators:
    @pytest.mark.parametrize(("norm", "alpha"), list(itertools.product(METHODS, [0.0, 0.5, 1.0, 20.0])))
    def test_over_norms_and_weights(self, bm25, qindex, queries, norm, alpha):
        operators = QuantityQueryParser() >> bm25 >> qindex.settle() >> (Normalise(norm) + alpha * qindex.scorer())
        actual = reranking(bm25, qindex, alpha=alpha, norm=norm)(queries)
        assert_same_run(actual, operators(queries))
        assert len(actual) >= 10
        assert actual["qid"].nunique() >= 4

    @pytest.mark.parametrize(
        ("phi", "options"),
        [("paper", {}), (Scoring(phi="gauss", aggregate="mean"), {}), ("binary", {"units": "strict", "fit": False})],
    )
    def test_over_scorings(self, bm25, qindex, queries, phi, options):
        scorer = qindex.scorer(phi, **options)
        operators = QuantityQueryParser() >> bm25 >> scorer.settle() >> (Normalise("max") + 3.0 * scorer)
        assert_same_run(reranking(bm25, qindex, alpha=3.0, phi=phi, **options)(queries), operators(queries))

    @pytest.mark.parametrize("keep", ["concept", "unit", "number", "all"])
    def test_over_parsers(self, bm25, qindex, queries, keep):
        parser = QuantityQueryParser(keep=keep)
        operators = parser >> bm25 >> qindex.settle() >> (Normalise("max") + 3.0 * qindex.scorer())
        assert_same_run(reranking(bm25, qindex, alpha=3.0, parser=parser)(queries), operators(queries))

    def test_texts_and_index_give_the_same_run(self, bm25, qindex, queries):
        """The weights of terms are left out (`fit=False`), because they need the whole collection."""
        scorer = QuantityScorer(fit=False)
        operators = QuantityQueryParser() >> bm25 >> add_text >> scorer.settle() >> (Normalise("max") + 3.0 * scorer)
        assert_same_run(operators(queries), reranking(bm25, qindex, alpha=3.0, fit=False)(queries))


def with_text(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(text=frame["docno"].map({document["docno"]: document["text"] for document in CORPUS}))


add_text = pt.apply.generic(with_text)


class TestQueriesWithoutAQuantity:
    @pytest.mark.parametrize("norm", METHODS)
    def test_the_retrievers_order_stays(self, bm25, qindex, norm):
        plain = pt.new.queries(["BMW car", "iPhone", "Porsche"])
        expected = Normalise(norm)(bm25(plain))
        assert_same_run(reranking(bm25, qindex, norm=norm)(plain), expected)

    def test_a_query_without_results(self, bm25, qindex):
        out = reranking(bm25, qindex)(pt.new.queries(["zzzz qqqq", "BMW over 500 hp"]))
        assert set(out["qid"]) == {"2"}


class TestConstraintsGiven:
    def test_objects_win_over_the_text(self, bm25, qindex):
        asked = pt.new.queries(["BMW"]).assign(constraints=[[Constraint(">", 550.0, 550.0, "hp")]])
        assert reranking(bm25, qindex)(asked)["docno"].iloc[0] == "m5"
        asked["constraints"] = [[Constraint("<", 200.0, 200.0, "hp")]]
        assert reranking(bm25, qindex)(asked)["docno"].iloc[0] == "mini"

    def test_plain_columns(self, bm25, qindex):
        asked = pt.new.queries(["BMW", "BMW", "BMW"]).assign(
            condition=["more than", "below", None], value=[550, 200, None], unit=["hp", "PS", None]
        )
        out = reranking(bm25, qindex)(asked)
        first = out[out["rank"] == 0].set_index("qid")["docno"]
        assert first["1"] == "m5"
        assert first["2"] == "mini"
        assert_same_run(out[out["qid"] == "3"], Normalise("max")(bm25(asked[asked["qid"] == "3"])))

    def test_results_of_a_query_that_nobody_asked_are_refused(self, bm25, qindex, queries):
        renaming = bm25 >> pt.apply.qid(lambda row: f"{row['qid']}-expanded")
        for candidates in ("retriever", "union"):
            with pytest.raises(ValueError, match=r"returned results of qid '\d+-expanded', which no query has"):
                quantity_aware(renaming, qindex, candidates=candidates)(queries)


RESULTS = {
    "1": [("mini", 9.0), ("week", 5.0), ("m3", 3.0), ("elsewhere", 2.0)],
    "2": [("iphone-se", 4.0), ("iphone", 1.0)],
}
ASKED = pd.DataFrame({"qid": ["1", "2"], "query": ["BMW above 500hp", "iPhone below 600 euros"]})


class TestRetrievers:
    @pytest.mark.parametrize("keep", [("qid",), ("qid", "query"), ("qid", "query", "query_0", "constraints")])
    def test_columns_of_the_query_may_be_dropped(self, qindex, keep):
        full = reranking(Canned(RESULTS, ("qid", "query", "query_0", "constraints")), qindex)(ASKED)
        out = reranking(Canned(RESULTS, keep), qindex)(ASKED)
        assert_same_run(out, full)

    def test_scores_by_hand(self, qindex):
        plain = Scoring(met=0.0, fit=None, confidence=False)
        out = reranking(Canned(RESULTS), qindex, alpha=2.0, phi=plain)(ASKED)
        found = out.set_index(["qid", "docno"])["score"]
        assert found["1", "m3"] == pytest.approx(3 / 9 + 2 * 500 / 510)
        assert found["1", "mini"] == pytest.approx(1.0)
        assert found["1", "elsewhere"] == pytest.approx(2 / 9)
        assert found["2", "iphone"] == pytest.approx(1 / 4 + 2 * 589 / 600)
        assert out["docno"].tolist() == ["m3", "mini", "week", "elsewhere", "iphone", "iphone-se"]

    @pytest.mark.parametrize(("depth", "first"), [(0, "mini"), (2, "mini"), (3, "m3"), (None, "m3")])
    def test_depth(self, qindex, depth, first):
        out = reranking(Canned(RESULTS), qindex, depth=depth)(ASKED)
        assert out["docno"].iloc[0] == first
        assert len(out) == 6


class TestCandidates:
    def test_the_indexs_alone(self, qindex):
        out = quantity_aware(Canned(RESULTS), qindex, alpha=2.0, candidates="quantities")(ASKED)
        expected = qindex.retriever()(QuantityQueryParser()(ASKED))
        assert out[["qid", "docno"]].equals(expected[["qid", "docno"]])
        np.testing.assert_allclose(out["score"], 2.0 * expected["score"])

    def test_both(self, qindex):
        alone = reranking(Canned(RESULTS), qindex, alpha=2.0)(ASKED)
        both = quantity_aware(Canned(RESULTS), qindex, alpha=2.0, candidates="union")(ASKED)
        found = qindex.retriever()(QuantityQueryParser()(ASKED))
        pairs = {
            frame_name: set(zip(frame["qid"], frame["docno"], strict=True))
            for frame_name, frame in {"alone": alone, "both": both, "found": found}.items()
        }
        assert pairs["both"] == pairs["alone"] | pairs["found"]
        assert ("1", "m5") in pairs["both"] - pairs["alone"]
        assert not both.duplicated(["qid", "docno"]).any()
        merged = both.merge(alone, on=["qid", "docno"], suffixes=("", "_alone"))
        np.testing.assert_allclose(merged["score"], merged["score_alone"])
        m5 = both.set_index(["qid", "docno"])["score"]["1", "m5"]
        scored = found.set_index(["qid", "docno"])["score"]["1", "m5"]
        assert m5 == pytest.approx(2.0 * scored)

    def test_a_scorer_for_what_the_index_found(self, qindex):
        scorer = pt.apply.doc_score(lambda row: 90.0 if row["docno"] == "taycan" else 1.0)
        for candidates in ("quantities", "union"):
            out = quantity_aware(Canned(RESULTS), qindex, candidates=candidates, scorer=scorer, alpha=0.0)(ASKED)
            assert out["docno"].iloc[0] == "taycan"

    def test_queries_without_a_quantity_add_nothing(self, bm25, qindex):
        plain = pt.new.queries(["BMW car"])
        assert_same_run(quantity_aware(bm25, qindex, candidates="union")(plain), reranking(bm25, qindex)(plain))
        assert len(quantity_aware(bm25, qindex, candidates="quantities")(plain)) == 0

    def test_what_the_index_adds_takes_the_columns_of_its_query(self, qindex):
        """One query has results of the retriever, which rewrites it and adds columns; the other has none."""
        rewrite = pt.apply.generic(lambda r: r.assign(query=r["query"] + " car", text="a", length=range(7, 7 + len(r))))
        only_first = {"1": RESULTS["1"]}
        given = (Canned(only_first) >> rewrite)(ASKED)
        out = quantity_aware(Canned(only_first) >> rewrite, qindex, candidates="union")(ASKED)
        assert list(out.columns) == list(given.columns)
        assert out["docno"].dtype == given["docno"].dtype
        asked = QuantityQueryParser()(ASKED).set_index("qid")["query"]
        assert set(out[out["qid"] == "1"]["query"]) == {asked["1"] + " car"}
        assert set(out[out["qid"] == "2"]["query"]) == {asked["2"]}
        pairs = given.set_index(["qid", "docno"])
        for row in out.to_dict("records"):
            if (row["qid"], row["docno"]) in pairs.index:
                assert row["length"] == pairs["length"][row["qid"], row["docno"]]
            else:
                assert pd.isna(row["length"])
                assert pd.isna(row["text"])
        assert out["length"].notna().sum() == len(given) < len(out)

    def test_without_an_index_the_error_names_the_operators(self, bm25):
        with pytest.raises(TypeError, match=r"must be a QuantityIndex, got QuantityScorer; .* scorer.settle\(\) >> "):
            quantity_aware(bm25, QuantityScorer())


class TestCutOff:
    @pytest.mark.parametrize("k", [1, 2, 5, 100])
    def test_a_compiled_cut_off_gives_the_same_run(self, bm25, qindex, queries, k):
        pipeline = reranking(bm25, qindex) % k
        compiled = pipeline.compile()
        assert type(compiled).__name__ == "QuantityAware"
        assert_same_run(compiled(queries), pipeline(queries))
        assert compiled(queries)["rank"].max() < k

    def test_the_smaller_cut_off_wins(self, qindex):
        pipeline = reranking(Canned(RESULTS), qindex)
        for first, second in ((2, 3), (3, 2)):
            out = ((pipeline % first) % second).compile()(ASKED)
            assert out.groupby("qid").size().tolist() == [2, 2]


class TestRetrieversOfOwnMaking:
    """Results that a user's own pipeline may return: without scores, with equal scores, few results or no results."""

    DOCNOS = tuple(each["docno"] for each in CORPUS)
    QUERY = pd.DataFrame([{"qid": "q", "query": "car with more than 500 hp"}, {"qid": "r", "query": "car"}])

    def ranked(self, qindex, results: pd.DataFrame, candidates: str) -> pd.DataFrame:
        retriever = pt.apply.generic(lambda queries: queries.merge(results, how="cross"))
        return quantity_aware(retriever, qindex, candidates=candidates)(self.QUERY)

    @pytest.mark.parametrize("candidates", ["retriever", "union"])
    def test_results_without_scores_are_refused_with_a_remedy(self, qindex, candidates):
        results = pd.DataFrame({"docno": self.DOCNOS, "rank": range(len(self.DOCNOS))})
        with pytest.raises(ValueError, match="no column 'score'; if only the order is known"):
            self.ranked(qindex, results, candidates)
        retriever = pt.apply.generic(lambda queries: queries.merge(results, how="cross"))
        scored = reranking(retriever >> pt.apply.doc_score(lambda row: -row["rank"]), qindex)(self.QUERY)
        assert scored[scored["qid"] == "r"]["docno"].tolist() == list(self.DOCNOS)
