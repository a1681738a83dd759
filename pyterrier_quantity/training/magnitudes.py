"""Embeddings of the magnitudes' tokens, smooth along the scale, so that a comparison is learnt from few examples."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pyterrier_quantity.neural.canonical import KINDS, PLACES, tokens

_WORDS: Final = {"v": "amount", "=": "equal", "<": "below", ">": "above"}
"""Words that tell the kinds apart, each near in meaning."""
_FREQUENCIES: Final = 32
_SEED: Final = 0


def add_magnitudes(model: Any) -> None:
    """Give a sentence-transformers model the tokens, unless it has them.

    Each is embedded as the vocabulary's mean, the direction of its kind's word, and waves along the scale of many
    frequencies, projected at random; the norm is the vocabulary's. Neighbours on the scale are alike.
    """
    import torch

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
