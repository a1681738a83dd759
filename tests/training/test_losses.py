"""Scores of terms in the loss: they are added if a condition is met, and the softmax includes them."""

import numpy as np
import pytest

from pyterrier_quantity.training import TrainingSettings
from pyterrier_quantity.training.losses import met_conditions, ranking_loss
from pyterrier_quantity.training.presets import PRESETS
from pyterrier_quantity.training.training_run import start_model

TRIPLES = [
    ("car with more than 500 hp", "The car makes 530 hp.", "The car makes 200 hp."),
    ("rent below 700 euros", "The rent is 600 euros.", "The rent is 900 euros."),
    ("engine above 100 hp", "An engine of 120 hp.", "An engine of 90 hp."),
]


def test_terms_are_added_where_a_condition_is_met():
    """By query: texts of 530, 600 euros, 120; then 200, 900 euros, 90."""
    met = met_conditions(TRIPLES, 3.0)([0, 1, 2])
    assert met.tolist() == [[[3, 0, 0], [0, 0, 0]], [[0, 3, 0], [0, 0, 0]], [[3, 0, 3], [3, 0, 0]]]
    assert met_conditions(TRIPLES, 3.0)([2, 1]).tolist() == [[[3, 0], [0, 0]], [[0, 3], [0, 0]]]


@pytest.mark.parametrize("kind", ["splade", "colbert"])
def test_the_loss_is_softmax_over_words_and_terms(kind):
    import torch

    model, numbers, preset = start_model(TrainingSettings(kind, device="cpu"))[1], [0, 2], PRESETS[kind, "small"]
    columns = [[TRIPLES[n][side] for n in numbers] for side in range(3)]
    tasks = ["query", "document", "document"]
    features = [dict(model.preprocess(texts)) | {"task": task} for texts, task in zip(columns, tasks, strict=True)]
    with torch.no_grad():
        loss = ranking_loss(model, kind, preset, met_conditions(TRIPLES, 3.0))(features, torch.tensor(numbers))
        asked = model.encode_query(columns[0])
        stated = model.encode_document(columns[1] + columns[2])
        words = np.asarray(model.similarity(asked, stated).to_dense())
    score = preset.scale * (words + np.array([[3, 0, 0, 0], [3, 3, 3, 0]]))
    right = np.exp(score)[[0, 1], [0, 1]] / np.exp(score).sum(axis=1)
    found = loss["base_loss"] if kind == "splade" else loss
    assert float(found) == pytest.approx(float(-np.log(right).mean()), rel=1e-3)
