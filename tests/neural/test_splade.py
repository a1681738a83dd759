"""SPLADE with real weights: against sentence-transformers and pyterrier-splade, in PISA, and in quantity_aware."""

import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from neural_material import DOCUMENTS, MINILM, SENTENCES, SPLADE, best, corpus, pairs, queries
from pyterrier_pisa import PisaIndex

from pyterrier_quantity import QuantityIndex, quantity_aware
from pyterrier_quantity.answers.fusion_in_decoder import sequence_to_sequence
from pyterrier_quantity.neural import ModelKindError, Splade
from pyterrier_quantity.pipelines import QSPLADE


@pytest.fixture(scope="module")
def retriever(splade: Splade, tmp_path_factory: pytest.TempPathFactory) -> pt.Transformer:
    index = PisaIndex(str(tmp_path_factory.mktemp("p") / "index"), stemmer="none", threads=1)
    (splade.doc_encoder() >> index.toks_indexer(scale=1.0)).index(iter(DOCUMENTS))
    return splade.query_encoder() >> index.quantized(toks_scale=1)


def pyterrier_splade():
    from pyterrier_splade import Splade

    return Splade(SPLADE, device="cpu")


def test_vectors_are_sentence_transformers(splade: Splade) -> None:
    texts = [text for text in SENTENCES.values() if text]
    expected = splade.loaded.encode_document(texts, convert_to_sparse_tensor=False).numpy()
    np.testing.assert_allclose(splade.encode(texts).sparse.toarray(), expected, atol=1e-4)


def test_toks_are_pyterrier_splades(splade: Splade) -> None:
    theirs = pyterrier_splade()
    frame = corpus().iloc[:5]
    for ours, other in zip(
        splade.doc_encoder()(frame)["toks"], theirs.doc_encoder(scale=100)(frame)["toks"], strict=True
    ):
        # They cut weights down to whole numbers, here they are rounded.
        assert {t for t, w in other.items() if w > 2} <= set(ours)
        assert all(abs(ours[t] - w) <= 1 for t, w in other.items() if t in ours)
    frame = queries("car engine power")
    ours, other = splade.query_encoder()(frame)["query_toks"][0], theirs.query_encoder()(frame)["query_toks"][0]
    assert ours == pytest.approx(other, abs=1e-2)


def test_top_k_prunes_the_lightest(splade: Splade) -> None:
    full, pruned = splade.doc_encoder()(corpus())["toks"], splade.doc_encoder(top_k=5)(corpus())["toks"]
    for everything, few in zip(full, pruned, strict=True):
        assert len(few) == min(5, len(everything))
        assert sorted(few.values()) == sorted(everything.values())[-len(few) :] or not few
    assert len(splade.query_encoder(top_k=2)(queries("car engine power"))["query_toks"][0]) == 2


def test_empty_and_missing_texts(splade: Splade) -> None:
    frame = pd.DataFrame({"docno": ["a", "b", "c"], "text": ["", None, "  "]})
    assert splade.doc_encoder()(frame)["toks"].tolist() == [{}, {}, {}]
    assert splade.query_encoder()(queries(""))["query_toks"].tolist() == [{}]
    scored = splade.scorer()(frame.assign(qid="1", query="car"))
    assert scored["score"].tolist() == [0.0, 0.0, 0.0]


def test_not_a_text(splade: Splade) -> None:
    with pytest.raises(TypeError, match="must be a string, got int"):
        splade.doc_encoder()(pd.DataFrame({"docno": ["a"], "text": [3]}))
    with pytest.raises(pt.validate.InputValidationError, match="text"):
        list(splade.doc_encoder().transform_iter(iter([{"docno": "a", "body": "x"}])))


def test_scorer_is_the_dot_product(splade: Splade) -> None:
    frame = pairs("engine power of a car", "price of oil")
    scored = splade.scorer()(frame)
    assert best(scored) == "car"
    assert best(scored, "2") == "oil"
    query, text = splade.query_encoder(scale=1)(queries("price of oil")), splade.encode([SENTENCES["oil"]]).sparse
    document = {splade.terms[n]: w for n, w in zip(text.indices, text.data, strict=True)}
    expected = sum(w * document.get(t, 0.0) for t, w in query["query_toks"][0].items())
    found = scored[(scored["qid"] == "2") & (scored["docno"] == "oil")]["score"].item()
    assert found == pytest.approx(expected, rel=1e-4)


def test_pisa_ranks_as_the_scorer(splade: Splade, retriever: pt.Transformer) -> None:
    frame = pairs("engine power of a car", "price of oil")
    scored = splade.scorer()(frame).query("score > 0").sort_values(["qid", "score"], ascending=[True, False])
    found = retriever(queries("engine power of a car", "price of oil"))
    for qid in ("1", "2"):
        head = scored[scored["qid"] == qid]["docno"].tolist()[:2]
        assert found[found["qid"] == qid].sort_values("rank")["docno"].tolist()[:2] == head


def test_terrier_indexes_the_tokens(splade: Splade, tmp_path: Path) -> None:
    from pyterrier_quantity.backends import start_java

    start_java()
    indexer = pt.IterDictIndexer(str(tmp_path / "terrier"), meta={"docno": 20}, pretokenised=True)
    documents = corpus().iloc[:5].to_dict("records")
    index = (splade.doc_encoder() >> indexer).index(iter(documents))
    found = (splade.query_encoder() >> pt.terrier.Retriever(index, wmodel="Tf"))(queries("price of oil"))
    assert best(found) == "oil"


def test_qsplade_is_equation_9(retriever: pt.Transformer, quantities: QuantityIndex) -> None:
    asked = queries("vehicle with less than 200 hp")
    by_terms = retriever(queries("vehicle"))
    base = by_terms.set_index("docno")["score"]
    run = QSPLADE(retriever, quantities)(asked).set_index("docno")["score"]
    scored = quantities.scorer(phi="paper")(by_terms.assign(condition="<", value=200.0, unit="horsepower")).set_index(
        "docno"
    )["score"]
    assert set(run.index) == set(base.index)
    for docno in run.index:
        assert run[docno] == pytest.approx(base[docno] / base.max() + scored[docno])


def test_pyterrier_splade_composes(quantities: QuantityIndex, tmp_path: Path) -> None:
    theirs = pyterrier_splade()
    index = PisaIndex(str(tmp_path / "index"), stemmer="none", threads=1)
    (theirs.doc_encoder() >> index.toks_indexer(scale=1.0)).index(iter(DOCUMENTS[:5]))
    retrieve = theirs.query_encoder() >> index.quantized(toks_scale=1)
    asked = queries("vehicle with less than 200 hp", "price of oil")
    run = quantity_aware(retrieve, quantities)(asked)
    assert best(run) == "van"
    assert best(run, "2") == "oil"
    reranked = quantity_aware(
        pt.Transformer.from_df(pairs("vehicle with less than 200 hp")) >> theirs.scorer(), quantities
    )
    assert best(reranked(asked.iloc[:1])) == "van"


def test_wrong_kind_of_model() -> None:
    with pytest.raises(ModelKindError, match=r"is a single-vector sentence encoder, not a SPLADE model"):
        Splade(MINILM).encode(["a"])
    with pytest.raises(ModelKindError, match="takes a SparseEncoder or a name"):
        Splade(3.5).encode(["a"])


def test_no_model_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no model folder"):
        Splade(str(tmp_path / "nothing")).encode(["a"])
    with pytest.raises(ModelKindError, match="contains no model"):
        Splade(str(tmp_path)).encode(["a"])


@pytest.mark.parametrize("load", [lambda name: Splade(name).loaded, lambda name: sequence_to_sequence(name, "cpu")])
@pytest.mark.parametrize("name", ["models/a-folder-mistyped-zzq", "a folder mistyped"])
def test_a_mistyped_folder_is_told_at_once(name, load) -> None:
    begin = time.monotonic()
    with pytest.raises(FileNotFoundError, match=f"'{name}' is neither a folder nor a model on the hub"):
        load(name)
    assert time.monotonic() - begin < 30  # the hub's own loaders try again for over a minute
