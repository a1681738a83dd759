"""The index of one pass: vectors, terms and token vectors; exact fused scores."""

import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
from neural_material import DOCUMENTS, SENTENCES, SPLADE, best, pairs, queries

from pyterrier_quantity import QuantityIndex, quantity_aware
from pyterrier_quantity.neural import ColBERT, ColBERTIndex, Hybrid, HybridIndex, ModelMismatchError, QNeural
from pyterrier_quantity.pipelines import quantity_first
from pyterrier_quantity.storage.folders import IndexFormatError

ASKED = ("engine power of a car", "price of oil")


@pytest.fixture(scope="module")
def index(hybrid: Hybrid, tmp_path_factory: pytest.TempPathFactory) -> HybridIndex:
    return HybridIndex(tmp_path_factory.mktemp("h") / "index").indexer(hybrid, k=64).index(DOCUMENTS)


@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.0])
def test_index_scores_are_the_texts(index: HybridIndex, hybrid: Hybrid, alpha: float) -> None:
    by_text = hybrid.scorer(alpha, k=64)(pairs(*ASKED))
    by_index = index.scorer(hybrid, alpha=alpha)(pairs(*ASKED).drop(columns="text"))
    np.testing.assert_allclose(by_index["score"], by_text["score"], rtol=1e-5, atol=1e-5)
    assert by_index["docno"].tolist() == by_text["docno"].tolist()


def test_every_document_takes_both_scores(index: HybridIndex, hybrid: Hybrid) -> None:
    found = index.retriever(hybrid, alpha=0.4, num_results=2)(queries(*ASKED))
    scored = hybrid.scorer(0.4, k=64)(pairs(*ASKED)).set_index(["qid", "docno"])["score"]
    for row in found.itertuples():
        assert row.score == pytest.approx(scored[row.qid, row.docno], rel=1e-5)
    assert found.groupby("qid")["rank"].apply(list).tolist() == [[0, 1], [0, 1]]
    # Some document is among the two best of one part only.
    tops = [index.retriever(hybrid, alpha=a, num_results=2)(queries(*ASKED)) for a in (0.0, 1.0)]
    assert set(tops[0]["docno"]) != set(tops[1]["docno"])


def test_tokens_of_the_same_pass(index: HybridIndex, hybrid: Hybrid) -> None:
    alone = ColBERT(SPLADE).encode([SENTENCES["oil"]]).tokens[0]
    np.testing.assert_allclose(hybrid.encode([SENTENCES["oil"]]).tokens[0], alone, atol=1e-4)
    scored = index.tokens.scorer(hybrid.token_encoder())(pairs(*ASKED))
    assert best(scored, "2") == "oil"
    row = index.tokens.docnos.rows(["oil"])
    begin, end = index.tokens.offsets[row[0] : row[0] + 2]
    places = index.tokens.places(np.arange(begin, end))
    assert places[1:4].tolist() == [0, 4, 10]  # [CLS], The, price, of
    assert isinstance(ColBERTIndex(index.tokens.path).retriever().encoder, ColBERT)


def test_quantity_aware_and_quantity_first(index: HybridIndex, hybrid: Hybrid, quantities: QuantityIndex) -> None:
    asked = queries("vehicle with less than 200 hp")
    assert best(quantity_aware(index.retriever(hybrid), quantities)(asked)) == "van"
    assert best(quantity_first(quantities, index.scorer(hybrid), index.retriever(hybrid))(asked)) == "van"
    neural = QNeural(quantities, index.tokens, index.flex, hybrid, model=hybrid.token_encoder())
    assert best(neural(asked)) == "van"


def test_the_index_remembers_its_model(index: HybridIndex) -> None:
    again = HybridIndex(index.path)
    assert again.built()
    assert len(again) == len(DOCUMENTS)
    assert best(again.retriever(alpha=0.0)(queries("price of oil"))) == "oil"
    retriever = again.retriever(alpha=0.3, num_results=7)
    assert pickle.loads(pickle.dumps(retriever)) == index.retriever(alpha=0.3, num_results=7)
    assert retriever.fuse_rank_cutoff(3) == index.retriever(alpha=0.3, num_results=3)


def test_another_model_is_refused(index: HybridIndex) -> None:
    other = Hybrid(SPLADE, pooling="mean")
    with pytest.raises(ModelMismatchError, match="search with the model of the index, or build it again"):
        index.retriever(other)(queries("oil"))


def test_no_token_vectors(tmp_path: Path) -> None:
    built = HybridIndex(tmp_path / "index").indexer(SPLADE).index(DOCUMENTS[:2])
    with pytest.raises(FileNotFoundError, match="has no token vectors"):
        _ = built.tokens
    with pytest.raises(ValueError, match="needs the model's output 'sparse'"):
        HybridIndex(tmp_path / "other").indexer(Hybrid(SPLADE, outputs=("dense",)))


def test_damaged_files_are_named_and_searches_write_nothing(index: HybridIndex, hybrid: Hybrid, tmp_path: Path) -> None:
    copied = Path(shutil.copytree(index.folder, tmp_path / "copied"))
    HybridIndex(copied).retriever(hybrid)(queries(*ASKED))
    HybridIndex(copied).verify()
    before = {file: file.read_bytes() for file in index.folder.rglob("*") if file.is_file()}
    assert {file.relative_to(index.folder) for file in before} == {
        file.relative_to(copied) for file in copied.rglob("*") if file.is_file()
    }
    for file in (file for file in copied.rglob("*") if file.is_file() and file.stat().st_size):
        content = file.read_bytes()
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 8]))
        with pytest.raises(IndexFormatError, match=str(copied)):
            HybridIndex(copied).verify()
        file.write_bytes(content)


@pytest.mark.parametrize(
    ("documents", "error", "message"),
    [
        ([], ValueError, "corpus is empty"),
        ([{"docno": "a"}], ValueError, "has no 'text'"),
        ([{"docno": "a", "text": "x"}, {"docno": "a", "text": "y"}], ValueError, "occurred before"),
    ],
)
def test_bad_documents(hybrid: Hybrid, tmp_path: Path, documents: list, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        HybridIndex(tmp_path / "index").indexer(hybrid).index(documents)
    assert list(tmp_path.iterdir()) == []
