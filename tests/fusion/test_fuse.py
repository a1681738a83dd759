"""The fusion family: every rule against values worked out by hand, tuning, and source-aware scores."""

import pickle

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pyterrier_alpha as pta
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, RR, R, nDCG

from pyterrier_quantity import fusion
from pyterrier_quantity.fusion.fuse import RULES
from pyterrier_quantity.fusion.tuning import simplex


def ranked(scores: dict[str, dict[str, float]], **columns: str) -> pd.DataFrame:
    rows = [(q, "query " + q, d, s) for q, found in scores.items() for d, s in found.items()]
    frame = pd.DataFrame(rows, columns=["qid", "query", "docno", "score"])
    return pt.model.add_ranks(frame.astype({"score": float})).assign(**columns)


FIRST = ranked({"1": {"a": 9.0, "b": 5.0, "c": 1.0}, "2": {"x": 3.0}})
SECOND = ranked({"1": {"c": 0.8, "d": 0.4}})


def scores(frame: pd.DataFrame, qid: str = "1") -> dict[str, float]:
    chosen = frame[frame["qid"] == qid]
    return dict(zip(chosen["docno"], chosen["score"], strict=True))


LN = {1: np.log(2), 2: np.log(3)}
RULES_BY_HAND = [
    ("combsum", {}, {"a": 1.0, "b": 0.5, "c": 1.0, "d": 0.0}),
    ("combmnz", {}, {"a": 1.0, "b": 0.5, "c": 2.0, "d": 0.0}),
    ("rrf", {}, {"a": 1 / 61, "b": 1 / 62, "c": 1 / 63 + 1 / 61, "d": 1 / 62}),
    ("isr", {}, {"a": 1.0, "b": 1 / 4, "c": 2 * (1 / 9 + 1), "d": 1 / 4}),
    ("logisr", {}, {"a": LN[1], "b": LN[1] / 4, "c": LN[2] * (1 / 9 + 1), "d": LN[1] / 4}),
    ("logisr", {"sigma": 0.01},
     {"a": np.log(1.01), "b": np.log(1.01) / 4, "c": np.log(2.01) * (1 / 9 + 1), "d": np.log(1.01) / 4}),
    # Lists of 3 and 2: (3 - rank + 1) / 3 and (2 - rank + 1) / 2.
    ("borda", {}, {"a": 3 / 3, "b": 2 / 3, "c": 1 / 3 + 2 / 2, "d": 1 / 2}),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "options", "expected"), RULES_BY_HAND)
def test_rules_by_hand(rule: str, options: dict, expected: dict[str, float]) -> None:
    fused = fusion.fuse([FIRST, SECOND], rule, **options)
    assert scores(fused) == pytest.approx(expected)
    assert set(fused[fused["qid"] == "2"]["docno"]) == {"x"}


def test_parameters_of_the_rules_survive_cutting() -> None:
    rankers = [pt.Transformer.from_df(frame, uniform=False) for frame in (FIRST, SECOND)]
    whole, topics = fusion.LogISR(*rankers, sigma=0.01), FIRST[["qid", "query"]].drop_duplicates()
    top, cut = whole(topics).groupby("qid").head(2), (whole % 2).compile()
    assert isinstance(cut, fusion.Fusion)
    assert scores(cut(topics)) == pytest.approx(scores(top))
    assert whole == fusion.LogISR(*rankers, sigma=0.01)
    assert whole != fusion.Fusion(rankers, whole.rule)


def test_linear_weights_and_missing_documents_count_zero() -> None:
    fused = fusion.fuse([FIRST, SECOND], "linear", weights=[0.25, 0.75], norm=None)
    assert scores(fused) == pytest.approx({"a": 2.25, "b": 1.25, "c": 0.25 + 0.6, "d": 0.3})
    assert fused[fused["qid"] == "1"]["docno"].tolist() == ["a", "b", "c", "d"]
    assert fused["rank"].tolist() == [0, 1, 2, 3, 0]


def test_rrf_is_pyterrier_alphas() -> None:
    theirs = pta.fusion.rr_fusion(FIRST.copy(), SECOND.copy(), k=60)
    ours = fusion.fuse([FIRST, SECOND], "rrf", k=59)  # pyterrier-alpha counts ranks from 0
    assert scores(ours) == pytest.approx(scores(theirs))


lists = st.lists(
    st.dictionaries(st.sampled_from("abcdef"), st.floats(-5, 5, allow_subnormal=False), min_size=1), min_size=1,
    max_size=4,
)  # fmt: skip


@given(lists, st.sampled_from(RULES))
def test_every_document_once_sorted_and_finite_whatever_the_rankers_order(
    found: list[dict[str, float]], rule: str
) -> None:
    frames = [ranked({"1": one}) for one in found]
    fused = fusion.fuse(frames, rule)
    assert sorted(fused["docno"]) == sorted(set().union(*found))
    assert np.isfinite(fused["score"]).all()
    assert (np.diff(fused["score"]) <= 0).all()
    assert fused["rank"].tolist() == list(range(len(fused)))
    assert scores(fused) == pytest.approx(scores(fusion.fuse(frames[::-1], rule)))


def test_empty_results() -> None:
    empty = FIRST.iloc[:0]
    assert scores(fusion.fuse([empty, SECOND])) == pytest.approx({"c": 1.0, "d": 0.0})
    nothing = fusion.fuse([empty, empty])
    assert len(nothing) == 0
    assert {"qid", "docno", "score", "rank"} <= set(nothing.columns)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "magic"}, "unknown fusion rule 'magic'"),
        ({"weights": [1.0]}, "1 weights for 2 rankers"),
        ({"weights": [1.0, -1.0]}, "not negative"),
        ({"weights": [1.0, float("nan")]}, "finite"),
        ({"norm": ["max"]}, "1 normalisations for 2 rankers"),
        ({"norm": "magic"}, "unknown normalisation"),
        ({"rule": "logisr", "sigma": -1.0}, "sigma must be finite and not negative, got -1.0"),
    ],
)
def test_bad_settings(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fusion.fuse([FIRST, SECOND], **options)


def test_nothing_to_fuse() -> None:
    with pytest.raises(ValueError, match="list of rankers is empty"):
        fusion.Fusion([])


def test_convex_takes_the_last_weight_as_the_rest() -> None:
    rankers = [pt.Transformer.from_df(FIRST), pt.Transformer.from_df(SECOND)]
    assert fusion.convex(*rankers, weights=[0.3]).weights == pytest.approx([0.3, 0.7])
    with pytest.raises(ValueError, match="add up to 1"):
        fusion.convex(*rankers, weights=[0.3, 0.3])


def test_fusion_is_a_transformer() -> None:
    first, second = pt.Transformer.from_df(FIRST), pt.Transformer.from_df(SECOND)
    fused = fusion.RRF(first, second)
    queries = pd.DataFrame({"qid": ["1", "2"], "query": ["query 1", "query 2"]})
    assert scores(fused(queries)) == pytest.approx(scores(fusion.fuse([FIRST, SECOND], "rrf")))
    assert set(pt.inspect.transformer_outputs(fused, ["qid", "query"])) == set(fused(queries).columns)
    cut = fused % 2
    assert cut(queries)["docno"].tolist() == ["c", "a", "x"]
    assert fusion.RRF(first, second) == fused
    assert fusion.RRF(first, second, k=3) != fused
    assert "rrf" in repr(fused)
    normalised = fusion.CombSUM(fusion.Normalise("max"), fusion.Normalise("rank"))
    again = pickle.loads(pickle.dumps(normalised))
    assert again == normalised
    assert scores(again(FIRST)) == pytest.approx({"a": 2.0, "b": 1.0, "c": 0.0})


def test_a_grid_without_zeros_leaves_no_ranker_out() -> None:
    assert list(simplex(2, 10, zeros=False)) == [(n / 10, (10 - n) / 10) for n in range(1, 10)]  # the paper's
    assert {min(weights) for weights in simplex(3, 4, zeros=False)} == {0.25}
    with pytest.raises(ValueError, match="2 steps are too few for 3 rankers"):
        list(simplex(3, 2, zeros=False))


def _twelve_topics() -> tuple[pd.DataFrame, pd.DataFrame, pt.Transformer, pt.Transformer]:
    qids = [str(n) for n in range(12)]
    topics = pd.DataFrame({"qid": qids, "query": qids, "topic": [int(q) // 3 for q in qids]})
    good = ranked({q: {"right": 2.0, "wrong": 1.0, "other": 0.0} for q in qids})
    bad = ranked({q: {"right": 0.0, "wrong": 2.0, "other": 1.0} for q in qids})
    qrels = pd.DataFrame({"qid": qids, "docno": "right", "label": 1})
    return topics, qrels, pt.Transformer.from_df(good), pt.Transformer.from_df(bad)


def test_tuning_finds_the_better_ranker() -> None:
    topics, qrels, good, bad = _twelve_topics()
    tuned = fusion.tune([bad, good], topics, qrels, measure=RR @ 10, folds=4, steps=10)
    assert len(tuned.weights) == 4
    assert all(weights[1] > weights[0] for weights in tuned.weights)
    assert tuned.measure == 1.0
    assert set(tuned.results["qid"]) == set(topics["qid"])
    assert tuned.fusion.weights[1] > tuned.fusion.weights[0]
    assert scores(tuned.fusion(topics), "3")["right"] > scores(tuned.fusion(topics), "3")["wrong"]


def test_tuning_keeps_groups_in_one_fold() -> None:
    topics, qrels, good, bad = _twelve_topics()
    # Each group has a ranker of its own that is right: what the other groups teach is wrong for the fold's own.
    odd = topics[topics["topic"] == 0]["qid"]
    swapped = qrels.assign(docno=np.where(qrels["qid"].isin(odd), "wrong", "right"))
    tuned = fusion.tune([bad, good], topics, swapped, measure=RR @ 10, folds=4, group="topic")
    held_out = tuned.results[tuned.results["qid"].isin(odd) & (tuned.results["rank"] == 0)]
    assert (held_out["docno"] == "right").all()


def test_tuning_needs_enough_topics() -> None:
    topics, qrels, good, bad = _twelve_topics()
    with pytest.raises(ValueError, match="4 groups of topics cannot be divided into 5 folds"):
        fusion.tune([good, bad], topics, qrels, folds=5, group="topic", measure=nDCG @ 10)


@pytest.mark.parametrize("measure", [nDCG @ 3, R @ 5, RR @ 2, AP, nDCG(judged_only=True) @ 3])
def test_tuning_measures_what_the_whole_run_gives(measure) -> None:
    """Whatever is cut off before measuring, scores that are equal at the cut-off included."""
    topics, _, _, _ = _twelve_topics()
    values = np.random.default_rng(0).integers(0, 6, size=(2, 12, 30)).astype(float)
    rankers = [ranked({q: {f"d{n}": v for n, v in enumerate(row)} for q, row in zip(topics["qid"], one, strict=True)})
               for one in values]  # fmt: skip
    judged = [(q, f"d{n}", (n + int(q)) % 3) for q in topics["qid"] for n in range(0, 30, 4)]
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "label"])
    tuned = fusion.tune([pt.Transformer.from_df(r) for r in rankers], topics, qrels, measure=measure, folds=3, steps=4)
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    found = ir_measures.iter_calc([measure], qrels.rename(columns=names), tuned.results.rename(columns=names))
    assert tuned.measure == pytest.approx(np.mean([value.value for value in found]))


def test_source_aware_by_hand() -> None:
    results = pd.concat(
        [
            ranked({"1": {"a": 3.0}, "2": {"a": 3.0}}, source="manual"),
            ranked({"1": {"b": 2.0}, "2": {"c": 2.0}}, source="review"),
        ]
    )
    qrels = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "label": [1, 1, 1]})
    aware = fusion.SourceAware(k=2, norm="max", smoothing=0.0).fit(results, qrels)
    assert aware.rates == {"manual": 1.0, "review": 0.5}
    found = aware(ranked({"1": {"p": 4.0}}, source="review"))
    assert found["score"].tolist() == [0.5]
    assert aware(ranked({"1": {"p": 4.0}}, source="new"))["score"].tolist() == [0.75]


def test_source_aware_by_each_sources_own_ranking() -> None:
    # Query 1: the review b is the third of all and the second review; query 2: the first review; query 3: no relevant.
    results = pd.concat(
        [
            ranked({"1": {"m": 9.0}, "2": {"m": 9.0}, "3": {"m": 9.0}}, source="manual"),
            ranked({"1": {"a": 8.0, "b": 7.0}, "2": {"c": 6.0, "d": 5.0}, "3": {"e": 4.0}}, source="review"),
        ]
    )
    qrels = pd.DataFrame({"qid": ["1", "2", "3"], "docno": ["b", "c", "m"], "label": [1, 1, 1]})
    own = {"norm": "max", "smoothing": 0.0, "ranking": "own"}
    assert fusion.SourceAware(k=1, **own).fit(results, qrels).rates == {"manual": 1.0, "review": 0.5}
    assert fusion.SourceAware(k=2, **own).fit(results, qrels).rates == {"manual": 1.0, "review": 1.0}
    regular = fusion.SourceAware(k=2, norm="max", smoothing=0.0).fit(results, qrels)
    assert regular.rates == {"manual": pytest.approx(1 / 3), "review": pytest.approx(1 / 3)}
    with pytest.raises(ValueError, match="unknown ranking 'each'"):
        fusion.SourceAware(ranking="each")


def test_source_aware_by_parts_as_the_paper_mixes_them() -> None:
    results = pd.DataFrame({
        "qid": "1", "docno": list("abcd"), "source": ["manual", "manual", "review", "review"],
        "dense_score": [4.0, 2.0, 10.0, 5.0], "sparse_score": [0.0, 30.0, 10.0, 40.0], "score": [2.0, 16.0, 10.0, 22.5],
    })  # fmt: skip
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["b"], "label": [1]})
    parts = {"dense_score": 0.5, "sparse_score": 0.5}
    for within, expected in (
        ("query", [0.5 * 4 / 10, 0.5 * (0.2 + 0.75), 0.0, 0.0]),
        ("source", [0.5 * 1.0, 0.5 * (0.5 + 1.0), 0.0, 0.0]),
    ):
        aware = fusion.SourceAware(norm="max", smoothing=0.0, parts=parts, within=within).fit(results, qrels)
        assert aware.rates == {"manual": 1.0, "review": 0.0}
        np.testing.assert_allclose(aware(results)["score"], expected)


def test_columns_of_all_rankers_come_out_whatever_they_find() -> None:
    rich = SECOND.assign(text="a car", own=1)
    for found in (rich, rich.head(0)):
        fused = fusion.RRF(*(pt.apply.generic(lambda _, frame=frame: frame) for frame in (FIRST, found)))
        assert set(fused(FIRST)) == set(rich)
        assert set(fused.fuse([FIRST.head(0), found.head(0)])) == set(rich)
