"""One encoder, dense and sparse, with real weights: against a naive implementation, and one pass a text."""

import copy
import json
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from neural_material import DOCUMENTS, MINILM, SENTENCES, SPLADE, corpus, pairs, queries

from pyterrier_quantity.neural import Hybrid, ModelKindError, Splade
from pyterrier_quantity.neural.hybrid import content_terms

TEXTS = [text for text in SENTENCES.values() if text]
ASKED = ("engine power of a car", "price of oil")


@cache
def parts() -> tuple:
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    return AutoTokenizer.from_pretrained(SPLADE), AutoModelForMaskedLM.from_pretrained(SPLADE).eval()


def naive(text: str, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """[CLS], the k largest max_i log(1 + ReLU(m_ij)), and the tokens' states of length 1, for a single text."""
    import torch

    tokenizer, model = parts()
    with torch.no_grad():
        output = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
    weights = torch.log(1 + torch.relu(output.logits[0])).max(dim=0).values
    weights[weights < weights.sort(descending=True).values[k - 1]] = 0
    states = output.hidden_states[-1][0]
    return states[0].numpy(), weights.numpy(), (states / states.norm(dim=1, keepdim=True)).numpy()


@pytest.mark.parametrize("k", [8, 128])
def test_outputs_are_the_naive_ones(hybrid: Hybrid, k: int) -> None:
    found = hybrid.encode(TEXTS, k=k)
    for number, text in enumerate(TEXTS):
        dense, weights, tokens = naive(text, k)
        np.testing.assert_allclose(found.dense[number], dense, atol=1e-5)
        np.testing.assert_allclose(found.tokens[number], tokens, atol=1e-5)
        np.testing.assert_allclose(found.sparse[number].toarray()[0], weights, atol=1e-5)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_the_score_is_the_papers(hybrid: Hybrid, alpha: float) -> None:
    scored = hybrid.scorer(alpha, k=64)(pairs(*ASKED))
    for row in scored[scored["text"] != ""].itertuples():
        (dense_q, sparse_q, _), (dense_c, sparse_c, _) = naive(row.query, 64), naive(row.text, 64)
        expected = alpha * dense_q @ dense_c + (1 - alpha) * sparse_q @ sparse_c
        assert row.score == pytest.approx(expected, rel=1e-5)
    assert (scored[scored["text"] == ""]["score"] == 0).all()


def test_one_pass_a_text() -> None:
    model = Hybrid(SPLADE, outputs=("dense", "sparse", "tokens"), batch_size=2)
    seen: list[int] = []
    model.loaded[0].auto_model.bert.register_forward_hook(lambda *given: seen.append(len(given[-1].last_hidden_state)))
    model.doc_encoder()(corpus())
    assert sum(seen) == len(TEXTS)
    seen.clear()
    model.scorer(alpha=0.5)(pairs(*ASKED))
    assert sum(seen) == len(TEXTS) + len(ASKED)


def test_the_head_is_left_out_where_no_terms_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Hybrid(SPLADE, outputs=("dense",))
    monkeypatch.setattr(model.loaded[0].auto_model.cls, "forward", lambda *_: pytest.fail("the head was run"))
    assert list(model.doc_encoder()(corpus()).columns) == ["docno", "text", "doc_vec"]


def test_columns_of_documents(hybrid: Hybrid) -> None:
    found = hybrid.doc_encoder(k=16)(corpus())
    assert list(found.columns) == ["docno", "text", "doc_vec", "toks", "doc_embs"]
    assert all(vector.shape == (128,) and vector.dtype == np.float32 for vector in found["doc_vec"])
    toks = Splade(SPLADE).doc_encoder(top_k=16)(corpus())["toks"].tolist()
    assert found["toks"].tolist() == toks
    empty = found[found["docno"] == "empty"].iloc[0]
    assert not empty["doc_vec"].any()
    assert (empty["toks"], len(empty["doc_embs"])) == ({}, 0)
    streamed = list(hybrid.doc_encoder(k=16).transform_iter(iter(DOCUMENTS)))
    assert [record["toks"] for record in streamed] == found["toks"].tolist()


def test_empty_frames_load_no_model() -> None:
    model = Hybrid("no such model")
    assert list(model.doc_encoder()(corpus().iloc[:0]).columns) == ["docno", "text", "doc_vec", "toks"]
    assert list(model.query_encoder()(queries("a").iloc[:0]).columns) == ["qid", "query", "query_vec", "query_toks"]
    assert list(model.doc_encoder().transform_iter(iter([]))) == []
    assert len(model.scorer()(pairs("a").iloc[:0])) == 0


def test_queries_may_have_their_own_encoder(tmp_path: Path) -> None:
    tokenizer, model = parts()
    other = copy.deepcopy(model)
    other.bert.embeddings.LayerNorm.bias.data += 0.1
    for part in (other, tokenizer):
        part.save_pretrained(tmp_path / "query")
    two, alone = Hybrid(SPLADE, query_model=tmp_path / "query"), Hybrid(SPLADE)
    assert np.allclose(two.encode(TEXTS).dense, alone.encode(TEXTS).dense)
    assert not np.allclose(two.encode(TEXTS, "query").dense, alone.encode(TEXTS, "query").dense, atol=0.01)
    # A trained model's folder holds it, and says how it is pooled and weighted.
    for file in Path(SPLADE).iterdir():
        shutil.copy(file, tmp_path)
    (tmp_path / "hybrid.json").write_text(json.dumps({"alpha": 0.7, "pooling": "mean"}))
    whole = Hybrid(tmp_path)
    assert whole.alpha == 0.7
    assert np.allclose(*(one.encode(TEXTS, "query").sparse.toarray() for one in (whole, two)))
    assert np.allclose(np.linalg.norm(whole.encode(TEXTS).dense, axis=1), 1)
    assert alone.alpha == 0.5


def test_content_terms_leave_out_what_says_nothing() -> None:
    terms = ["[CLS]", "the", "oil", "##s", ",", "-", ":", '"', "42", "%"]
    kept = [term for term, yes in zip(terms, content_terms(terms, ["[CLS]"]), strict=True) if yes]
    assert kept == ["oil", "##s", "-", ":", '"', "42"]
    full, content = Hybrid(SPLADE), Hybrid(SPLADE, content_only=True)
    text = ["The price of the oil is what they said it was."]
    words = {content.terms[n] for n in content.encode(text, k=None).sparse.indices}
    assert "oil" in words
    assert "it" not in words
    assert "it" in {full.terms[n] for n in full.encode(text, k=None).sparse.indices}


def test_models_without_a_head_are_refused_by_name() -> None:
    with pytest.raises(ModelKindError, match="without a masked-language head") as raised:
        Hybrid(MINILM).encode(["a"])
    assert MINILM in str(raised.value)
    with pytest.raises(ModelKindError, match="takes a SparseEncoder or a name"):
        Hybrid(3.5).encode(["a"])


@pytest.mark.parametrize(
    ("options", "message"),
    [({"outputs": ("dense", "spares")}, "spares"), ({"outputs": ()}, "empty"), ({"pooling": "max"}, "max")],
)
def test_bad_options(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Hybrid(SPLADE, **options)


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan")])
def test_bad_alpha(hybrid: Hybrid, alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha must be between 0"):
        hybrid.scorer(alpha)


def test_bad_k(hybrid: Hybrid) -> None:
    with pytest.raises(ValueError, match="k must be at least 1"):
        hybrid.doc_encoder(k=0)(corpus())
