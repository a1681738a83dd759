"""Quantities as terms of a hybrid model: in its sparse output, in the index, and beside its token vectors."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from neural_material import SPLADE

from pyterrier_quantity.neural import Hybrid, HybridIndex, ModelMismatchError
from pyterrier_quantity.neural.numeric_terms import LEVELS

CARS = [
    {"docno": "strong", "text": "The car has 530 hp."},
    {"docno": "weak", "text": "The car has 120 hp."},
    {"docno": "none", "text": "The car is red."},
    {"docno": "empty", "text": ""},
]
ASKED = pd.DataFrame(
    [
        {"qid": "1", "query": "car above 500 hp"},
        {"qid": "2", "query": "car below 100 kW"},
        {"qid": "3", "query": "red car"},
    ]
)
ALL = ("dense", "sparse", "tokens")


@pytest.fixture(scope="module")
def plain() -> Hybrid:
    return Hybrid(SPLADE, outputs=ALL)


@pytest.fixture(scope="module")
def hybrid() -> Hybrid:
    return Hybrid(SPLADE, outputs=ALL, quantities="terms")


@pytest.fixture(scope="module")
def index(hybrid: Hybrid, tmp_path_factory: pytest.TempPathFactory) -> HybridIndex:
    return HybridIndex(tmp_path_factory.mktemp("h") / "index").indexer(hybrid, k=64).index(CARS)


def scores(found: pd.DataFrame) -> pd.Series:
    return found.set_index(["qid", "docno"])["score"].sort_index()


def crossed() -> pd.DataFrame:
    return ASKED.merge(pd.DataFrame(CARS), how="cross")


def test_what_meets_a_condition_gains(plain, hybrid):
    """The gate times the weight of the sparse part; after conversion three fifths of it; nothing else."""
    more = scores(hybrid.scorer(alpha=0.25)(crossed())) - scores(plain.scorer(alpha=0.25)(crossed()))
    gained = more[more > 1e-3]
    assert gained["1", "strong"] == pytest.approx(0.75 * 12, abs=1e-3)
    assert gained["2", "weak"] == pytest.approx(0.75 * 12 * 0.6, abs=1e-3)
    assert len(gained) == 2


def test_terms_come_behind_the_heaviest(plain, hybrid):
    one, other = (model.encode(["It has 530 hp."], k=8).sparse for model in (plain, hybrid))
    assert other.nnz == 8 + 2 * 3 * LEVELS
    assert set(one.indices) < set(other.indices)


def test_the_index_scores_as_the_texts(index, hybrid):
    texts = scores(hybrid.scorer(alpha=0.25, k=64)(crossed()))
    found = scores(index.scorer(hybrid, alpha=0.25)(crossed().drop(columns="text")))
    np.testing.assert_allclose(found, texts[found.index], atol=1e-3)
    best = index.retriever(hybrid, alpha=0.1)(ASKED)
    best = best[best["rank"] == 0].set_index("qid")["docno"]
    assert best.to_dict() == {"1": "strong", "2": "weak", "3": "none"}


def test_the_index_remembers_how_quantities_were_taken(index):
    assert scores(index.retriever(alpha=0.1)(ASKED))["1", "strong"] > 9


def test_queries_may_ask_for_words_alone(index, plain):
    found = scores(index.scorer(plain, alpha=0.25)(crossed().drop(columns="text")))
    words = scores(plain.scorer(alpha=0.25, k=64)(crossed()))
    np.testing.assert_allclose(found, words[found.index], atol=1e-3)


def test_an_index_without_terms_is_refused(plain, hybrid, tmp_path):
    words = HybridIndex(tmp_path / "index").indexer(plain, k=64).index(CARS)
    with pytest.raises(ModelMismatchError, match="without quantities as terms"):
        words.retriever(hybrid)(ASKED)


def test_token_vectors_take_them_too(index, hybrid, plain):
    late = hybrid.token_encoder()
    found = scores(index.tokens.retriever(late)(ASKED))
    words = scores(index.tokens.retriever(plain.token_encoder())(ASKED))
    gained = (found - words)[found - words > 1e-3]
    assert set(gained.index) == {("1", "strong"), ("2", "weak")}
    assert gained["1", "strong"] == pytest.approx(3.0, abs=1e-3)


def test_equality_and_pickling(plain, hybrid):
    assert pickle.loads(pickle.dumps(hybrid)) == hybrid != plain
    assert pickle.loads(pickle.dumps(hybrid.token_encoder())).form == "terms"
