"""Late interaction with real weights: MaxSim, the index of token vectors, checkpoints of other libraries, recipes."""

import json
import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from neural_material import DOCUMENTS, MINILM, SENTENCES, SPLADE, best, pairs, queries

from pyterrier_quantity import QuantityIndex, quantity_aware
from pyterrier_quantity.neural import ColBERT, ColBERTIndex, ModelKindError, ModelMismatchError, dense, model_kind
from pyterrier_quantity.neural.colbert import maxsim
from pyterrier_quantity.neural.models import SETTINGS_FILE, Kind
from pyterrier_quantity.pipelines import QColBERT, quantity_first
from pyterrier_quantity.storage.folders import IndexFormatError

ASKED = ("engine power of a car", "price of oil")


@pytest.fixture(scope="module")
def index(model: ColBERT, tmp_path_factory: pytest.TempPathFactory) -> ColBERTIndex:
    return ColBERTIndex(tmp_path_factory.mktemp("c") / "index").indexer(model).index(DOCUMENTS)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6), st.lists(st.integers(0, 3), min_size=1, max_size=3))
def test_maxsim_is_the_sum_of_maxima(lengths: list[int], sizes: list[int]) -> None:
    random = np.random.default_rng(sum(lengths) * 7 + len(sizes))
    documents = [random.normal(size=(n, 3)).astype(np.float32) for n in lengths]
    asked = [random.normal(size=(n, 3)).astype(np.float32) for n in sizes]
    starts = np.cumsum(lengths) - lengths
    for query, found in zip(asked, maxsim(asked, np.concatenate(documents), starts), strict=True):
        expected = [(query @ d.T).max(axis=1).sum() if len(d) and len(query) else 0.0 for d in documents]
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_scores_are_sentence_transformers(model: ColBERT) -> None:
    texts = [text for text in SENTENCES.values() if text]
    expected = model.loaded.similarity(
        model.loaded.encode_query(list(ASKED)), model.loaded.encode_document(texts)
    ).numpy()
    scored = model.scorer()(pairs(*ASKED))
    for row, qid in enumerate(("1", "2")):
        found = scored[(scored["qid"] == qid) & (scored["text"] != "")]["score"]
        np.testing.assert_allclose(found, expected[row], rtol=1e-4)
    assert best(scored) == "car"
    assert best(scored, "2") == "oil"


def test_a_plain_encoder_serves_with_its_own_token_vectors(model: ColBERT) -> None:
    from sentence_transformers import SentenceTransformer

    assert model.dimension == 384
    own = SentenceTransformer(MINILM, device="cpu").encode([SENTENCES["oil"]], output_value="token_embeddings")[0]
    own = own.cpu().numpy()
    own /= np.linalg.norm(own, axis=1, keepdims=True)
    np.testing.assert_allclose(model.encode([SENTENCES["oil"]]).tokens[0], own, atol=1e-4)
    again = ColBERT(MINILM).encode([SENTENCES["oil"]]).tokens[0]
    np.testing.assert_allclose(again, own, atol=1e-4)


@pytest.fixture(scope="module")
def small_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plain BERT folder: the encoder of SPLADE-tiny, without its head."""
    from transformers import AutoModel, AutoTokenizer

    folder = tmp_path_factory.mktemp("bert")
    AutoModel.from_pretrained(SPLADE).save_pretrained(folder)
    AutoTokenizer.from_pretrained(SPLADE).save_pretrained(folder)
    return folder


def test_stanford_checkpoint(small_bert: Path, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    folder = tmp_path / "stanford"
    shutil.copytree(small_bert, folder)
    weights = load_file(folder / "model.safetensors")
    projection = torch.randn(24, 128, generator=torch.Generator().manual_seed(0))
    renamed = {f"bert.{name}": value for name, value in weights.items()} | {"linear.weight": projection}
    save_file(renamed, folder / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"architectures": ["HF_ColBERT"]}))
    (folder / "artifact.metadata").write_text(json.dumps({"query_maxlen": 16, "doc_maxlen": 64}))
    assert model_kind(str(folder)) is Kind.MULTI
    loaded = ColBERT(str(folder))
    assert loaded.dimension == 24
    assert loaded.encode(["oil price"], "query").tokens[0].shape == (16, 24)  # queries are filled up with [MASK]
    assert len(loaded.encode(["oil, price."]).tokens[0]) == len(
        loaded.encode(["oil price"]).tokens[0]
    )  # punctuation is skipped


def test_pylate_checkpoint(small_bert: Path, tmp_path: Path) -> None:
    import torch
    from sentence_transformers import MultiVectorEncoder
    from sentence_transformers.base.modules import Dense, Normalize, Transformer
    from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask

    torch.manual_seed(0)
    head = Dense(128, 16, bias=False, activation_function=torch.nn.Identity(), module_input_name="token_embeddings")
    built = MultiVectorEncoder(
        modules=[
            Transformer(str(small_bert)),
            head,
            MultiVectorMask(),
            Normalize(module_input_name="token_embeddings"),
        ],
        device="cpu",
    )
    folder = tmp_path / "pylate"
    built.save(str(folder))
    # As PyLate up to 3 saves: its own class names, the encoder and the projection only, prefixes in the configuration.
    modules = json.loads((folder / "modules.json").read_text())[:2]
    modules[1]["type"] = "pylate.models.Dense.Dense"
    (folder / "modules.json").write_text(json.dumps(modules))
    saved = {"model_type": "ColBERT", "query_prefix": "[Q] ", "document_prefix": "[D] ", "query_length": 12}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(saved))
    assert model_kind(str(folder)) is Kind.MULTI
    loaded = ColBERT(str(folder))
    assert loaded.dimension == 16
    assert loaded.encode(["oil price"], "query").tokens[0].shape == (12, 16)


def test_index_scores_as_the_scorer(model: ColBERT, index: ColBERTIndex) -> None:
    frame = pairs(*ASKED)
    by_text, by_index = model.scorer()(frame), index.scorer(model)(frame.drop(columns="text"))
    np.testing.assert_allclose(by_index["score"], by_text["score"], atol=0.02)
    assert by_index["docno"].tolist() == frame["docno"].tolist()


def test_retriever_ranks_as_the_scorer(index: ColBERTIndex, model: ColBERT) -> None:
    asked = queries(*ASKED, "")
    found = index.retriever(model, num_results=3)(asked)
    scored = index.scorer(model)(pairs(*ASKED))
    for qid in ("1", "2"):
        expected = scored[scored["qid"] == qid].sort_values("rank").head(3)
        chosen = found[found["qid"] == qid]
        assert chosen["docno"].tolist() == expected["docno"].tolist()
        np.testing.assert_allclose(chosen["score"], expected["score"], rtol=1e-5)
        assert chosen["rank"].tolist() == [0, 1, 2]
    assert "3" not in set(found["qid"])  # an empty query finds nothing


def test_retriever_in_small_scans(index: ColBERTIndex, model: ColBERT, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = index.retriever(model)(queries(*ASKED))
    monkeypatch.setattr("pyterrier_quantity.neural.colbert_index._SCAN", 5)
    monkeypatch.setattr("pyterrier_quantity.neural.colbert_index._TOGETHER", 1)
    in_parts = index.retriever(model)(queries(*ASKED))
    pd.testing.assert_frame_equal(whole, in_parts, rtol=1e-5)
    assert len(whole) == 2 * len(DOCUMENTS)


def test_rank_cutoff_is_fused(index: ColBERTIndex, model: ColBERT) -> None:
    cut = (index.retriever(model) % 2).compile()
    assert len(cut(queries(*ASKED))) == 4
    assert index.retriever(model).fuse_rank_cutoff(2) == index.retriever(model, num_results=2)


def test_a_number_of_results_is_a_count(index: ColBERTIndex) -> None:
    with pytest.raises(ValueError, match="num_results must be at least 1, got 0"):
        index.retriever(num_results=0)


def test_unknown_documents_score_zero(index: ColBERTIndex, model: ColBERT) -> None:
    frame = pd.DataFrame({"qid": ["1", "1"], "query": "price of oil", "docno": ["nowhere", "oil"]})
    found = index.scorer(model)(frame)
    assert found["score"][0] == 0.0
    assert found["score"][1] > 1.0
    assert len(index.scorer(model)(frame.iloc[:0])) == 0
    assert len(index.retriever(model)(queries("a").iloc[:0])) == 0


def test_the_index_remembers_its_model(index: ColBERTIndex) -> None:
    again = ColBERTIndex(index.path)
    assert again.built()
    assert len(again) == len(DOCUMENTS)
    assert best(again.retriever()(queries("price of oil"))) == "oil"
    assert pickle.loads(pickle.dumps(again.retriever())) == index.retriever()
    assert isinstance(pt.Artifact.load(str(index.path)), ColBERTIndex)


def test_a_model_of_the_same_size_is_refused_too(index: ColBERTIndex) -> None:
    import torch

    other = ColBERT(MINILM)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weights in other.loaded.parameters():
            weights += 0.1 * torch.randn(weights.shape, generator=generator)
    with pytest.raises(ModelMismatchError, match="search with the model of the index, or build it again"):
        index.retriever(other)(queries("oil"))


def test_long_text_is_cut_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="1 texts fill the 16 tokens"):
        assert len(ColBERT(MINILM, max_length=16).encode(["barrel " * 100, "oil"]).tokens[0]) == 16


def test_an_interrupted_build_leaves_nothing(model: ColBERT, tmp_path: Path) -> None:
    def documents() -> Iterator[dict[str, str]]:
        yield DOCUMENTS[0]
        raise KeyboardInterrupt

    path = tmp_path / "index"
    with pytest.raises(KeyboardInterrupt):
        ColBERTIndex(path).indexer(model).index(documents())
    assert list(tmp_path.iterdir()) == []
    built = ColBERTIndex(path).indexer(model).index(DOCUMENTS)
    with pytest.raises(KeyboardInterrupt):
        ColBERTIndex(path).indexer(model, overwrite=True).index(documents())
    assert len(ColBERTIndex(path)) == len(built) == len(DOCUMENTS)


def test_a_form_of_quantities_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_FILE).write_text('{"quantities": "canonical"}')
    with pytest.raises(ModelKindError, match="takes quantities as 'canonical', which is not supported"):
        _ = ColBERT(tmp_path).form


@pytest.mark.parametrize("settings", ["[" * 100_000, "[]", "quantities: terms"])
def test_damaged_settings_of_a_model(tmp_path: Path, settings: str) -> None:
    (tmp_path / SETTINGS_FILE).write_text(settings)
    with pytest.raises(ModelKindError, match=r"quantities\.json is damaged"):
        _ = ColBERT(tmp_path).form


@pytest.mark.parametrize(
    ("documents", "error", "message"),
    [
        ([{"text": "a"}], TypeError, "string docno"),
        ([{"docno": "a"}], ValueError, "has no 'text'"),
        ([{"docno": "a", "text": "x"}, {"docno": "a", "text": "y"}], ValueError, "occurred before"),
        ([{"docno": "a", "text": 7}], TypeError, "must be a string"),
    ],
)
def test_bad_documents(model: ColBERT, tmp_path: Path, documents: list, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        ColBERTIndex(tmp_path / "index").indexer(model).index(documents)
    assert list(tmp_path.iterdir()) == []


def test_existing_folders(index: ColBERTIndex, quantities: QuantityIndex, model: ColBERT) -> None:
    with pytest.raises(FileExistsError, match="holds a ColBERT index already"):
        ColBERTIndex(index.path).indexer(model).index(DOCUMENTS)
    with pytest.raises(FileExistsError, match="is not a ColBERT index"):
        ColBERTIndex(quantities.path).indexer(model, overwrite=True).index(DOCUMENTS)
    with pytest.raises(IndexFormatError, match="is not a ColBERT index"):
        len(ColBERTIndex(quantities.path))


def test_wrong_kinds(small_bert: Path) -> None:
    assert model_kind(MINILM) is Kind.SINGLE
    assert model_kind(SPLADE) is Kind.MASKED
    assert model_kind(str(small_bert)) is Kind.PLAIN
    with pytest.raises(ModelKindError, match="takes a MultiVectorEncoder"):
        ColBERT(object()).encode(["a"])


def test_qcolbert_reranks_the_top_only(index: ColBERTIndex, quantities: QuantityIndex) -> None:
    asked = queries("vehicle with less than 200 hp")
    everything = QColBERT(index.retriever(), quantities, phi="closest")(asked)
    assert best(everything) == "van"
    base = index.retriever()(queries("vehicle"))
    first = QColBERT(index.retriever(), quantities, depth=1, phi="closest")(asked).set_index("docno")["score"]
    for row in base.itertuples():
        if row.rank >= 1:
            assert first[row.docno] == pytest.approx(row.score / base["score"].max())


def test_quantity_first(index: ColBERTIndex, quantities: QuantityIndex) -> None:
    asked = queries("vehicle with less than 200 hp", "price of crude oil")
    alone = quantity_first(quantities, index.scorer())(asked)
    assert set(alone["docno"]) == {"van"}
    union = quantity_first(quantities, index.scorer(), index.retriever())(asked)
    assert best(union) == "van"
    assert best(union, "2") == "oil"
    with pytest.raises(ValueError, match="2 weights for 1 scorers"):
        quantity_first(quantities, index.scorer(), weights=[1.0, 2.0])


class StandIn(pt.Transformer):
    """A pipeline of pyterrier_colbert by its columns: it adds docid, docno, score, rank and its query's tensors."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        tensors = {"query_toks": np.zeros(3), "query_embs": np.zeros((3, 4)), "query_weights": np.ones(3)}
        rows = [
            {**query, "docid": n, "docno": docno, "score": 30.0 - n, "rank": n, **tensors}
            for query in inp.to_dict("records")
            for n, docno in enumerate(SENTENCES)
        ]
        return pd.DataFrame(rows)


def test_pyterrier_colberts_columns_compose(quantities: QuantityIndex) -> None:
    asked = queries("vehicle with less than 200 hp")
    run = quantity_aware(StandIn(), quantities)(asked)
    assert best(run) == "van"
    assert run["docid"].tolist()[0] == list(SENTENCES).index("van")
    assert len(run) == len(SENTENCES)


def test_pyterrier_drs_encoder_composes(quantities: QuantityIndex, tmp_path: Path) -> None:
    import pyterrier_dr

    flex = pyterrier_dr.FlexIndex(str(tmp_path / "flex"), verbose=False)
    encoder = dense(MINILM, device="cpu")
    (encoder.doc_encoder() >> flex).index(iter(DOCUMENTS))
    run = quantity_aware(encoder.query_encoder() >> flex.np_retriever(), quantities)(
        queries("vehicle with less than 200 hp", "price of crude oil")
    )
    assert best(run) == "van"
    assert best(run, "2") == "oil"
    first = quantity_first(quantities, encoder.query_encoder() >> flex.np_scorer())(queries("less than 200 hp"))
    assert best(first) == "van"
    with pytest.raises(ModelKindError, match="not a single-vector"):
        dense(str(_splade_folder(tmp_path)))


def _splade_folder(tmp_path: Path) -> Path:
    from sentence_transformers import SparseEncoder

    folder = tmp_path / "sparse"
    SparseEncoder(SPLADE, device="cpu").save(str(folder))
    return folder
