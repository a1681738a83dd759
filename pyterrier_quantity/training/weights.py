"""The weights of models in training: tokens for magnitudes, layers that stay, and the mean with those before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from pyterrier_quantity.neural.canonical import KINDS, PLACES, tokens
from pyterrier_quantity.neural.models import need

_WORDS: Final = {"v": "amount", "=": "equal", "<": "below", ">": "above"}
"""Words that tell the kinds of magnitudes apart, each near in meaning."""
_FREQUENCIES: Final = 32
_SEED: Final = 0


@contextmanager
def frozen(model: Any, layers: int) -> Iterator[None]:
    """Within it, the embeddings and so many of the lowest layers of a model are not trained.

    Args:
        model: of sentence-transformers.
        layers: 0: everything is trained.

    Raises:
        ValueError: if the encoder has no more layers than that.
    """
    parameters = _lowest(model[0].model, layers) if layers else []
    for parameter in parameters:
        parameter.requires_grad_(False)
    try:
        yield
    finally:
        for parameter in parameters:
            parameter.requires_grad_(True)


def _lowest(encoder: Any, layers: int) -> list[Any]:
    """The parameters of the embeddings, and of the lowest layers."""
    kind = need("torch").nn.ModuleList
    stack = next(module for module in encoder.modules() if isinstance(module, kind))
    if layers >= len(stack):
        raise ValueError(f"the model has {len(stack)} layers; {layers} of them cannot stay as they are")
    modules = [encoder.get_input_embeddings(), *stack[:layers]]
    return [parameter for module in modules for parameter in module.parameters()]


def copied(model: Any) -> dict[str, Any]:
    """A copy of a model's weights, by name."""
    return {name: value.detach().clone() for name, value in model.state_dict().items()}


def average(model: Any, before: dict[str, Any], kept: float) -> None:
    """Set the weights of a model to the mean of these and its own.

    Args:
        model: a torch module.
        before: what `copied` gave.
        kept: the share of `before`; 0: the model stays as it is.
    """
    if not kept:
        return
    after = copied(model)
    model.load_state_dict(
        {name: w.lerp(before[name], kept) if w.is_floating_point() else w for name, w in after.items()}
    )


def add_magnitudes(model: Any) -> None:
    """Give a sentence-transformers model the tokens, unless it has them.

    Each is embedded as the vocabulary's mean, the direction of its kind's word, and waves along the scale of many
    frequencies, projected at random; the norm is the vocabulary's. Neighbours on the scale are alike.
    """
    torch = need("torch")
    if tokens()[0] in model.tokenizer.get_vocab():
        return
    core = model[0].model
    before = core.get_input_embeddings().weight.detach().clone()
    model.tokenizer.add_tokens(tokens())
    core.resize_token_embeddings(len(model.tokenizer), mean_resizing=False)
    new = torch.as_tensor(_embedded(before.float().numpy(), model.tokenizer), dtype=before.dtype)
    with torch.no_grad():
        core.get_input_embeddings().weight[-len(new) :] = new
        bias = getattr(core.get_output_embeddings(), "bias", None) if core.get_output_embeddings() is not None else None
        if bias is not None:
            bias[-len(new) :] = 0.0


def _embedded(vocabulary: Any, tokenizer: Any) -> Any:
    scale = np.linspace(-1.0, 1.0, PLACES)[:, None]
    frequency = np.arange(1, _FREQUENCIES + 1)[None]
    angle = np.pi * scale * frequency / 2
    waves = np.concatenate([np.sin(angle), np.cos(angle)], axis=1) / np.sqrt(np.tile(frequency, (1, 2)))
    mean = vocabulary.mean(axis=0)
    spread = np.linalg.norm(vocabulary - mean, axis=1).mean()
    waves = waves @ np.random.default_rng(_SEED).normal(size=(waves.shape[1], vocabulary.shape[1]))
    waves *= spread / np.linalg.norm(waves, axis=1, keepdims=True)
    kinds = [vocabulary[tokenizer.convert_tokens_to_ids(_WORDS[kind])] - mean for kind in KINDS]
    return np.concatenate([mean + 0.8 * waves + 0.6 * kind for kind in kinds])
