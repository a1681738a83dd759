"""Token vectors in a fraction of the bytes: pooling, residuals of 2 and 4 bits, and candidates by centroids."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from neural_material import DOCUMENTS, SPLADE, best, pairs, queries

from pyterrier_quantity import QuantityIndex
from pyterrier_quantity.neural import ColBERT, ColBERTIndex, Hybrid, HybridIndex, NearQuantity
from pyterrier_quantity.neural.pooling import pooled
from pyterrier_quantity.neural.token_coding import centroids_for, fit

ASKED = ("engine power of a car", "price of oil")
WORDS = "price of crude oil in dollars per barrel car engine with horsepower patients blood wheat exports year".split()


def unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def clustered(number: int, dimension: int = 24) -> np.ndarray:
    """Vectors around a few centres, as token vectors are."""
    random = np.random.default_rng(0)
    centres = 3 * random.normal(size=(20, dimension))
    return unit(centres[random.integers(0, len(centres), number)] + random.normal(size=(number, dimension)))


@pytest.fixture(scope="module")
def model() -> ColBERT:
    return Hybrid(SPLADE, outputs=("tokens",)).token_encoder()


@pytest.fixture(scope="module")
def documents() -> list[dict[str, str]]:
    random = np.random.default_rng(1)
    others = [" ".join(random.choice(WORDS, 12)) for _ in range(200)]
    return DOCUMENTS + [{"docno": f"o{number}", "text": text} for number, text in enumerate(others)]


@pytest.fixture(scope="module")
def whole(model: ColBERT, documents: list, tmp_path_factory: pytest.TempPathFactory) -> ColBERTIndex:
    return ColBERTIndex(tmp_path_factory.mktemp("w") / "index").indexer(model).index(documents)


@pytest.fixture(scope="module")
def small(whole: ColBERTIndex, tmp_path_factory: pytest.TempPathFactory) -> ColBERTIndex:
    return whole.compressed(tmp_path_factory.mktemp("s") / "index", "2bit", pool=1.0)


@pytest.mark.parametrize(("bits", "cosine"), [(2, 0.96), (4, 0.99)])
def test_residuals_keep_vectors(bits: int, cosine: float) -> None:
    vectors = clustered(4000)
    quantiser = fit(vectors, bits, 32)
    codes, packed = quantiser.encode(vectors)
    assert packed.shape == (4000, 24 * bits // 8)
    again = quantiser.decode(codes, packed)
    np.testing.assert_allclose(np.linalg.norm(again, axis=1), 1, rtol=1e-5)
    assert (again * vectors).sum(axis=1).mean() > cosine
    nearest = (vectors @ quantiser.centroids.T - (quantiser.centroids**2).sum(axis=1) / 2).argmax(axis=1)
    assert (codes == nearest).all()


@given(st.integers(1, 13), st.sampled_from([2, 4]))
def test_any_dimension_is_packed(dimension: int, bits: int) -> None:
    vectors = unit(np.random.default_rng(dimension).normal(size=(40, dimension)) + 0.01)
    quantiser = fit(vectors, bits, 4)
    codes, packed = quantiser.encode(vectors)
    assert packed.shape == (40, -(-dimension * bits // 8))
    level = np.searchsorted(quantiser.cutoffs, (vectors - quantiser.centroids[codes]) / quantiser.scale)
    expected = quantiser.centroids[codes] + quantiser.levels[level] * quantiser.scale
    np.testing.assert_allclose(quantiser.decode(codes, packed), unit(expected), atol=1e-5)


def test_the_number_of_centroids() -> None:
    assert [centroids_for(n) for n in (1, 100, 10_000, 1_000_000, 10**9)] == [2, 16, 256, 2048, 16384]


@given(st.integers(0, 12), st.sampled_from([1.0, 1.5, 2.0, 3.0]))
def test_pooling_keeps_the_first_and_the_share(tokens: int, pool: float) -> None:
    vectors = unit(np.random.default_rng(tokens).normal(size=(tokens, 5))) if tokens else np.empty((0, 5), np.float32)
    begins = np.arange(tokens, dtype=np.uint16) * 3
    found, places = pooled(vectors, begins, pool)
    assert len(found) == len(places) == (tokens if tokens < 2 else 1 + max(int((tokens - 1) // pool), 1))
    assert (np.diff(places.astype(int)) > 0).all()
    assert set(places) <= set(begins)
    if tokens:
        np.testing.assert_array_equal(found[0], vectors[0])
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, rtol=1e-5)


def test_pooling_joins_what_is_alike() -> None:
    a, b, c = np.eye(3, dtype=np.float32)
    found, places = pooled(np.stack([c, a, b, a, a]), np.array([9, 10, 11, 12, 13], dtype=np.uint16), 2.0)
    np.testing.assert_allclose(found, [c, a, b], atol=1e-6)
    assert places.tolist() == [9, 10, 11]


def test_a_smaller_index_scores_nearly_the_same(whole: ColBERTIndex, small: ColBERTIndex, model: ColBERT) -> None:
    frame = pairs(*ASKED)
    before, after = whole.scorer(model)(frame)["score"], small.scorer(model)(frame)["score"]
    assert np.corrcoef(before, after)[0, 1] > 0.98
    assert best(small.scorer(model)(frame), "2") == "oil"
    assert small.meta["dtype"] == "2bit"
    assert len(small) == len(whole)


def test_bytes_a_token(whole: ColBERTIndex, small: ColBERTIndex) -> None:
    def size(index: ColBERTIndex, *names: str) -> int:
        return sum(np.asarray(index._arrays[name]).nbytes for name in names)

    assert size(small, "codes", "residuals") == whole.offsets[-1] * (2 + 128 // 4)
    assert size(whole, "vectors", "steps") == whole.offsets[-1] * (2 + 128)
    assert "vectors" not in small._arrays
    assert [file.name for file in Path(small.part).iterdir()] == ["arrays.bin"]


@pytest.mark.parametrize("dtype", ["2bit", "4bit"])
def test_the_indexer_makes_the_same(dtype: str, whole: ColBERTIndex, model: ColBERT, documents: list, tmp_path: Path):
    built = ColBERTIndex(tmp_path / "built").indexer(model, dtype=dtype, pool=2.0).index(documents)
    made = whole.compressed(tmp_path / "made", dtype, pool=2.0)
    assert built.offsets.tolist() == made.offsets.tolist()
    assert built.offsets[-1] < 0.6 * whole.offsets[-1]
    a, b = (index.retriever(model, num_results=3)(queries(*ASKED)) for index in (built, made))
    assert a["docno"].tolist()[0] == b["docno"].tolist()[0]
    np.testing.assert_allclose(a["score"], b["score"], rtol=0.05)


def test_all_candidates_are_the_exact_search(small: ColBERTIndex, model: ColBERT) -> None:
    exact = small.retriever(model, num_results=10)(queries(*ASKED, ""))
    near = small.retriever(model, num_results=10, candidates=len(small))(queries(*ASKED, ""))
    pd.testing.assert_frame_equal(near, exact, rtol=1e-4)


def test_few_candidates_find_the_best(small: ColBERTIndex, model: ColBERT) -> None:
    exact = small.retriever(model, num_results=10)(queries(*ASKED))
    near = small.retriever(model, num_results=10, candidates=60)(queries(*ASKED))
    shared = [
        len(set(exact[exact["qid"] == qid]["docno"]) & set(near[near["qid"] == qid]["docno"])) for qid in ("1", "2")
    ]
    assert min(shared) >= 8
    rows = small.centroid_lists.candidates(model.encode([ASKED[1]], "query")[0], 60)
    assert len(rows) == 60
    assert (np.diff(rows) > 0).all()


def test_near_quantity_over_a_smaller_index(whole: ColBERTIndex, model: ColBERT, tmp_path: Path) -> None:
    quantities = QuantityIndex(tmp_path / "q").index(DOCUMENTS)
    smaller = whole.compressed(tmp_path / "small", "4bit", pool=2.0)
    frame = pairs("vehicle with less than 200 hp").assign(condition="<", value=200.0, unit="horsepower")
    assert best(NearQuantity(smaller, quantities, model)(frame)) == "van"


def test_a_hybrid_index_with_small_token_vectors(tmp_path: Path) -> None:
    hybrid = Hybrid(SPLADE, outputs=("dense", "sparse", "tokens"))
    built = HybridIndex(tmp_path / "index").indexer(hybrid, dtype="4bit").index(DOCUMENTS)
    assert built.tokens.meta["dtype"] == "4bit"
    assert best(built.tokens.scorer(hybrid.token_encoder())(pairs("price of oil"))) == "oil"


def test_an_empty_corpus(model: ColBERT, tmp_path: Path) -> None:
    empty = ColBERTIndex(tmp_path / "index").indexer(model, dtype="2bit").index([])
    assert len(empty.retriever(model, candidates=1000)(queries("oil"))) == 0


def test_bad_input(whole: ColBERTIndex, small: ColBERTIndex, model: ColBERT, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown dtype '3bit'"):
        whole.compressed(tmp_path / "x", "3bit")
    with pytest.raises(ValueError, match="pool must be at least 1"):
        whole.indexer(model, pool=0.5)
    with pytest.raises(ValueError, match="is compressed already"):
        small.compressed(tmp_path / "x")
    with pytest.raises(ValueError, match="has no centroids to find candidates by"):
        whole.retriever(model, candidates=1000)(queries("oil"))
    with pytest.raises(ValueError, match="at least the 1000 results"):
        small.retriever(model, candidates=10)
    assert list(tmp_path.iterdir()) == []


def test_documents_without_a_vector_score_0(tmp_path: Path, model: ColBERT) -> None:
    documents = [{"docno": "empty", "text": ""}, {"docno": "oil", "text": "The price of oil."}]
    index = ColBERTIndex(tmp_path / "index").indexer(model, dtype="2bit").index(documents)
    asked = pd.DataFrame({"qid": ["1"], "query": ["oil"], "docno": ["empty"]})
    assert index.scorer(model)(asked)["score"].tolist() == [0.0]
