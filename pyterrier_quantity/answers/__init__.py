"""Answer questions about quantities: by the value that documents agree on, or by a sequence-to-sequence model."""

from pyterrier_quantity.answers.answer_distribution import Distribution
from pyterrier_quantity.answers.answer_values import asked_for
from pyterrier_quantity.answers.extractive import Extractive, compare
from pyterrier_quantity.answers.fusion_in_decoder import FusionInDecoder

__all__ = [
    "Distribution", "Extractive", "FusionInDecoder", "asked_for", "compare",
]  # fmt: skip
