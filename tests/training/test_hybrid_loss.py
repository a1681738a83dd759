"""Training of hybrids: the joint loss computed by hand, and short runs with one encoder, two encoders or one part."""

import json

import numpy as np
import pytest
from neural_material import MINILM, SPLADE

from pyterrier_quantity.neural import Hybrid, ModelKindError
from pyterrier_quantity.training import TrainingSettings, train
from pyterrier_quantity.training.losses import hybrid_loss
from pyterrier_quantity.training.presets import PRESETS
from pyterrier_quantity.training.training_run import start_model
from pyterrier_quantity.training.validation import ALPHAS

QUICK = {"steps": 2, "at_once": 4, "device": "cpu"}
pytestmark = pytest.mark.usefixtures("small_batches")
TEXTS = ["The monthly rent was 500 euros.", "A top speed of 14 knots."]
COLUMNS = (["rent below 700 euros", "speed of 14 knots"], TEXTS, ["The rent is 900 euros a month.", "12 knots"])


def test_the_loss_is_the_papers():
    """Softmax cross-entropy of each part over all texts of the batch, and the squared mean weight of each term."""
    (hybrid, model), preset = start_model(TrainingSettings("hybrid", **QUICK)), PRESETS["hybrid", "small"]
    loss = hybrid_loss(hybrid, model, preset)([model.preprocess(texts) for texts in COLUMNS])
    asked, stated = hybrid.encode(COLUMNS[0], "query"), hybrid.encode([*COLUMNS[1], *COLUMNS[2]])
    terms = [found.sparse.toarray() for found in (asked, stated)]
    for part, scores in (("dense", asked.dense @ stated.dense.T), ("sparse", terms[0] @ terms[1].T)):
        raw = preset.scale * scores
        expected = -np.mean([raw[n, n] - np.log(np.exp(raw[n] - raw[n].max()).sum()) - raw[n].max() for n in range(2)])
        assert loss[part].item() == pytest.approx(expected, rel=1e-3, abs=1e-4)
    assert loss["query_regularizer"].item() == pytest.approx(3e-4 * (terms[0].mean(axis=0) ** 2).sum(), rel=1e-3)
    assert loss["document_regularizer"].item() == pytest.approx(1e-4 * (terms[1].mean(axis=0) ** 2).sum(), rel=1e-3)


def test_the_result_is_a_hybrid_model(data, tmp_path):
    folder = train(data, tmp_path / "model", TrainingSettings("hybrid", **QUICK), verbose=False)
    model = Hybrid(folder)
    assert model.alpha in ALPHAS
    assert model.encode(TEXTS, k=16).sparse[0].nnz <= 16
    assert json.loads((folder / "hybrid.json").read_text())["content_only"] is True
    before = Hybrid(SPLADE, content_only=True)
    assert not np.allclose(model.encode(TEXTS).dense, before.encode(TEXTS).dense, atol=1e-3)


def test_queries_with_an_encoder_of_their_own(data, tmp_path):
    """As the paper's preset has it; the best checkpoint of both is loaded, and alpha is what it was measured with."""
    settings = TrainingSettings("hybrid", "paper", "packaged", **QUICK)
    folder = train(data, tmp_path / "two", settings, verbose=False)
    model = Hybrid(folder)
    assert (folder / "query" / "config.json").is_file()
    assert not np.allclose(model.encode(TEXTS, "query").dense, model.encode(TEXTS).dense, atol=1e-4)


@pytest.mark.parametrize(("part", "alpha"), [("dense", 1.0), ("sparse", 0.0), ("tokens", 1.0)])
def test_a_part_alone(part, alpha, data, tmp_path):
    settings = TrainingSettings("hybrid", parts=(part,), **(QUICK | {"steps": 1}))
    assert Hybrid(train(data, tmp_path / part, settings, verbose=False)).alpha == alpha


def test_bad_input(data, tmp_path):
    with pytest.raises(ValueError, match="are not some of"):
        TrainingSettings("hybrid", parts=("spares",))
    with pytest.raises(ModelKindError, match="without a masked-language head"):
        train(data, tmp_path / "x", TrainingSettings("hybrid", start=MINILM), verbose=False)
    assert list(tmp_path.iterdir()) == []
