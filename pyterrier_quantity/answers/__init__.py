"""Answer questions about quantities with the value that most documents state, or with a sequence-to-sequence model."""

from pyterrier_quantity.answers.answer_distribution import Distribution
from pyterrier_quantity.answers.answer_values import asked_for
from pyterrier_quantity.answers.extractive import Extractive, compare
from pyterrier_quantity.answers.fusion_in_decoder import FusionInDecoder

__all__ = ["Distribution", "Extractive", "FusionInDecoder", "asked_for", "compare"]
