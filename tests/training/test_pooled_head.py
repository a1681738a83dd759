"""SPLADE's weights and gradients by the function that keeps only what the maximum chose."""

import pytest
import torch
from neural_material import SPLADE

from pyterrier_quantity.neural import Splade
from pyterrier_quantity.training.pooled_head import pooled_head

TEXTS = ["the rent was 500 euros", "rent", "a longer text about the rents of flats, which rose by 5 per cent in 1987"]


@pytest.fixture(scope="module")
def model():
    found = Splade(SPLADE, device="cpu").loaded.train()
    for module in found.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return found


def weights_and_gradients(model):
    model.zero_grad()
    weights = model(model.preprocess(TEXTS))["sentence_embedding"]
    slope = torch.linspace(-1, 1, weights.shape[1])
    ((weights * slope).sum() + (weights**2).sum()).backward()
    return weights.detach(), {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}


def test_weights_and_gradients_stay(model):
    weights, gradients = weights_and_gradients(model)
    with pooled_head(model):
        others, other_gradients = weights_and_gradients(model)
    assert torch.allclose(weights, others, atol=1e-5)
    assert gradients.keys() == other_gradients.keys()
    largest = max(float(gradient.abs().max()) for gradient in gradients.values())
    for name, gradient in gradients.items():
        assert torch.allclose(gradient, other_gradients[name], atol=1e-6 * largest, rtol=1e-3), name


def test_the_model_is_as_before_afterwards(model):
    before = model(model.preprocess(TEXTS))["token_embeddings"].shape
    with pooled_head(model):
        assert model(model.preprocess(TEXTS))["token_embeddings"].shape[-1] < before[-1]
    assert model(model.preprocess(TEXTS))["token_embeddings"].shape == before


def test_another_pooling_is_left_alone(model):
    strategy, model[-1].pooling_strategy = model[-1].pooling_strategy, "sum"
    with pooled_head(model):
        assert "forward" not in vars(model[-1])
    model[-1].pooling_strategy = strategy
