"""A masked-language head for a sentence encoder: the encoder stays, terms are the texts' own, rare ones weigh more."""

from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pyterrier as pt
import pytest
from lib.head import with_head
from neural_material import MINILM

from pyterrier_quantity.neural import Hybrid
from pyterrier_quantity.neural.encodings import Encoded

DEMO = [document["text"] for document in islice(pt.get_dataset("quantity:demo").get_corpus_iter(verbose=False), 140)]


@pytest.fixture(scope="module")
def headed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_head(MINILM, DEMO, tmp_path_factory.mktemp("h") / "model", steps=24)


@pytest.fixture(scope="module")
def model(headed: Path) -> Hybrid:
    return Hybrid(headed)


@pytest.fixture(scope="module")
def encoded(model: Hybrid) -> Encoded:
    return model.encode(DEMO)


def test_the_encoder_stays_as_it_is(encoded: Encoded) -> None:
    from sentence_transformers import SentenceTransformer

    expected = SentenceTransformer(MINILM, device="cpu").encode(DEMO[:20])
    np.testing.assert_allclose(encoded.dense[:20], expected, atol=1e-5)


def test_terms_are_the_texts_own(model: Hybrid, encoded: Encoded) -> None:
    shares = []
    for text, row in zip(DEMO[:20], encoded.sparse, strict=False):
        own = set(model.loaded.tokenizer.tokenize(text))
        heaviest = row.indices[np.argsort(-row.data)[:8]]
        shares.append(len({model.terms[number] for number in heaviest} & own) / 8)
    assert np.mean(shares) > 0.6  # the others are words that the encoder takes for these


def test_rare_terms_weigh_half_the_root_of_their_inverse_document_frequency(model: Hybrid, encoded: Encoded) -> None:
    tokens = [set(model.loaded.tokenizer.tokenize(text)) for text in DEMO]
    seen = Counter(term for text in tokens for term in text)
    weights: dict[bool, list[float]] = {True: [], False: []}
    for own, row in zip(tokens[:20], encoded.sparse, strict=False):
        for number, weight in zip(row.indices, row.data, strict=True):
            if (term := model.terms[number]) in own and (seen[term] == 1 or seen[term] > 25):
                weights[seen[term] == 1].append(weight)
    assert np.mean(weights[True]) == pytest.approx(0.5 * np.log1p(len(DEMO) / 1.5) ** 0.5, rel=0.2)
    assert np.mean(weights[False]) < 0.75 * np.mean(weights[True])
