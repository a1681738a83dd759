"""Define training settings: those of the papers, and smaller settings for machines without a GPU.

Sources: *Numbers Matter!*, section 4.2 and appendix C.2; for hybrids, Biswas and Ramnath, *Product Question Answering
with Heterogeneous Data*, section 5.2.
"""

import math
from dataclasses import dataclass
from typing import Any, Final

from pyterrier_quantity.neural.numeric_terms import PLAIN, TERMS

KINDS: Final = ("splade", "colbert", "dense", "hybrid")


@dataclass(frozen=True)
class Preset:
    """Settings of a training run.

    Args:
        start: the model to start from; "packaged" is the small model in a PyPI package.
        batch: number of triples (query, positive text, negative text) per optimiser step.
        at_once: number of triples per forward pass. The gradients of several passes are summed.
        learning_rate, weight_decay, epochs: settings of AdamW with a linear schedule.
        warmup: share of the steps in which the learning rate rises.
        longest: maximum number of steps, or None for no limit.
        max_length: maximum number of tokens per text in training.
        scale: factor for scores in the ranking loss. Larger values make the loss depend more on the highest scores.
        query_weight, document_weight: weights of the FLOPS regularisers. Larger values give sparser vectors.
        frozen: number of lowest layers that are not trained. If above 0, the embeddings are not trained either.
        kept: weight of the start model in the final model, an average of start model and trained model (Wortsman et
            al., *Robust fine-tuning of zero-shot models*, 2022). 0 means only the trained model.
        quantities: "plain" (the model reads quantities only as text) or "terms" (the model also compares values).
        separate: whether a hybrid model (dense and sparse vectors) has separate encoders for queries and documents.
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


_BRIEF: Final[dict[str, Any]] = {"kept": 0.5, "longest": 60, "quantities": TERMS}
_HYBRID: Final[dict[str, Any]] = {"scale": 2.0, "query_weight": 3e-4, "document_weight": 1e-4}
PRESETS: Final = {
    ("splade", "paper"): Preset("naver/splade-cocondenser-ensembledistil", 240, 60, 2e-5, weight_decay=0.01),
    ("colbert", "paper"): Preset("colbert-ir/colbertv2.0", 256, 64, 1e-5),
    ("dense", "paper"): Preset("sentence-transformers/all-MiniLM-L6-v2", 256, 64, 2e-5, scale=20.0),
    ("splade", "small"): Preset("packaged", 32, 16, 3e-4, weight_decay=0.01, max_length=80, **_BRIEF),
    ("colbert", "small"): Preset("packaged", 32, 16, 5e-5, max_length=80, scale=2.0, frozen=3, **_BRIEF),
    ("dense", "small"): Preset("packaged", 32, 16, 1e-4, max_length=80, scale=20.0),
    ("hybrid", "small"): Preset("packaged", 16, 16, 3e-4, longest=60, max_length=80, **_HYBRID),
    ("hybrid", "paper"): Preset(
        "bert-base-uncased", 64, 8, 1e-5, warmup=200 / 1500, longest=1500, max_length=128, separate=True, **_HYBRID
    ),
}
"""A dictionary from (kind of model, name of preset) to the preset."""
