"""Training settings of the paper, and smaller ones for machines without a GPU.

Source: Almasian et al., Numbers Matter!, section 4.2 and appendix C.2; for hybrids, hybrid-product-qa. The paper does
not state the losses of the other models. They follow the official training scripts, as in sentence-transformers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from pyterrier_quantity.neural.numeric_terms import PLAIN, TERMS

KINDS: Final = ("splade", "colbert", "dense", "hybrid")


@dataclass(frozen=True)
class Preset:
    """Settings of a training run.

    Args:
        start: the model to start from; "packaged" is the small model in a PyPI package.
        batch: number of triples per optimiser step.
        at_once: number of triples per forward pass; gradients are accumulated up to `batch`.
        learning_rate, weight_decay, epochs, warmup: settings of AdamW with a linear schedule; warmup is a share of the
            steps.
        longest: maximum number of steps; after more steps, small models forget what they knew.
        max_length: maximum number of tokens per text in training.
        scale: factor for scores in the ranking loss.
        query_weight, document_weight: weights of the FLOPS regularisers of SPLADE and hybrids.
        frozen: number of lowest layers that are frozen, together with the embeddings; 0: none.
        kept: weight of the start model when it is averaged with the trained one, so that it still knows other words
            (Wortsman et al., Robust fine-tuning of zero-shot models, 2022).
        quantities: how quantities are presented to the model by default. "plain": as text, as in the paper (small
            models cannot compare numbers in texts); "terms": also as terms.
        separate: whether a hybrid has separate encoders for queries and documents.
    """

    start: str
    batch: int
    at_once: int
    learning_rate: float
    weight_decay: float = 0.0
    epochs: int = 2
    warmup: float = 0.1
    longest: int | None = None
    max_length: int = 256
    scale: float = 1.0
    query_weight: float = 5e-5
    document_weight: float = 3e-5
    frozen: int = 0
    kept: float = 0.0
    quantities: str = PLAIN
    separate: bool = False

    def steps(self, triples: int) -> int:
        found = self.epochs * math.ceil(triples / self.batch)
        return found if self.longest is None else min(found, self.longest)


PRESETS: Final = {
    ("splade", "paper"): Preset("naver/splade-cocondenser-ensembledistil", 240, 60, 2e-5, weight_decay=0.01),
    ("colbert", "paper"): Preset("colbert-ir/colbertv2.0", 256, 64, 1e-5),
    ("dense", "paper"): Preset("sentence-transformers/all-MiniLM-L6-v2", 256, 64, 2e-5, scale=20.0),
    ("splade", "small"): Preset(
        "packaged", 32, 16, 3e-4, weight_decay=0.01, max_length=80, kept=0.5, longest=60, quantities=TERMS
    ),
    ("colbert", "small"): Preset(
        "packaged", 32, 16, 5e-5, max_length=80, scale=2.0, frozen=3, kept=0.5, longest=60, quantities=TERMS
    ),
    ("dense", "small"): Preset("packaged", 32, 16, 1e-4, max_length=80, scale=20.0),
    ("hybrid", "small"): Preset(
        "packaged", 16, 16, 3e-4, longest=60, max_length=80, scale=2.0, query_weight=3e-4, document_weight=1e-4
    ),
    ("hybrid", "paper"): Preset(
        "bert-base-uncased", 64, 8, 1e-5, warmup=200 / 1500, longest=1500, max_length=128, scale=2.0,
        query_weight=3e-4, document_weight=1e-4, separate=True,
    ),
}  # fmt: skip
"""Presets by (kind, name). The hybrid's paper states its settings in section 5.2; the scale is from its code."""
