"""Quantities as terms of a hybrid model: in its sparse output, in the index, and in addition to its token vectors."""

import numpy as np
import pandas as pd
import pytest
from neural_material import CARS, SPLADE, queries, scores

from pyterrier_quantity.neural import Hybrid, HybridIndex, ModelMismatchError
from pyterrier_quantity.neural.numeric_terms import LEVELS

ASKED = queries("car above 500 hp", "car below 100 kW", "red car")
CROSSED = ASKED.merge(pd.DataFrame(CARS), how="cross")


@pytest.fixture(scope="module")
def with_terms() -> Hybrid:
    return Hybrid(SPLADE, outputs=("dense", "sparse", "tokens"), quantities="terms")


@pytest.fixture(scope="module")
def index(with_terms: Hybrid, tmp_path_factory: pytest.TempPathFactory) -> HybridIndex:
    return HybridIndex(tmp_path_factory.mktemp("h") / "index").indexer(with_terms, k=64).index(CARS)


def test_what_meets_a_condition_gains(hybrid, with_terms):
    """The gate times the weight of the sparse part; after conversion three fifths of it; nothing else."""
    more = scores(with_terms.scorer(alpha=0.25)(CROSSED)) - scores(hybrid.scorer(alpha=0.25)(CROSSED))
    gained = more[more > 1e-3]
    assert gained["1", "strong"] == pytest.approx(0.75 * 12, abs=1e-3)
    assert gained["2", "weak"] == pytest.approx(0.75 * 12 * 0.6, abs=1e-3)
    assert len(gained) == 2


def test_terms_come_behind_the_heaviest(hybrid, with_terms):
    one, other = (model.encode(["It has 530 hp."], k=8).sparse for model in (hybrid, with_terms))
    assert other.nnz == 8 + 2 * 3 * LEVELS
    assert set(one.indices) < set(other.indices)


def test_the_index_scores_as_the_texts(index, with_terms):
    texts = scores(with_terms.scorer(alpha=0.25, k=64)(CROSSED))
    found = scores(index.scorer(with_terms, alpha=0.25)(CROSSED.drop(columns="text")))
    np.testing.assert_allclose(found, texts[found.index], atol=1e-3)
    best = index.retriever(with_terms, alpha=0.1)(ASKED)
    best = best[best["rank"] == 0].set_index("qid")["docno"]
    assert best.to_dict() == {"1": "strong", "2": "weak", "3": "none"}


def test_queries_may_ask_for_words_alone(index, hybrid):
    found = scores(index.scorer(hybrid, alpha=0.25)(CROSSED.drop(columns="text")))
    words = scores(hybrid.scorer(alpha=0.25, k=64)(CROSSED))
    np.testing.assert_allclose(found, words[found.index], atol=1e-3)


def test_an_index_without_terms_is_refused(hybrid, with_terms, tmp_path):
    words = HybridIndex(tmp_path / "index").indexer(hybrid, k=64).index(CARS)
    with pytest.raises(ModelMismatchError, match="without numeric terms"):
        words.retriever(with_terms)(ASKED)


def test_token_vectors_take_them_too(index, with_terms, hybrid):
    late = with_terms.token_encoder()
    found = scores(index.tokens.retriever(late)(ASKED))
    words = scores(index.tokens.retriever(hybrid.token_encoder())(ASKED))
    gained = (found - words)[found - words > 1e-3]
    assert set(gained.index) == {("1", "strong"), ("2", "weak")}
    assert gained["1", "strong"] == pytest.approx(3.0, abs=1e-3)
