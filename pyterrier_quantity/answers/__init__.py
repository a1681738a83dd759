"""Answers about quantities: the value that documents agree on, or words by a sequence-to-sequence model."""

from pyterrier_quantity.answers.answer_distribution import Distribution
from pyterrier_quantity.answers.answer_measures import BLEU4, bleu4
from pyterrier_quantity.answers.answer_values import asked_for
from pyterrier_quantity.answers.extractive import Extractive, compare
from pyterrier_quantity.answers.fusion_in_decoder import Concatenated, FirstEvidence, FusionInDecoder

__all__ = [
    "BLEU4",
    "Concatenated",
    "Distribution",
    "Extractive",
    "FirstEvidence",
    "FusionInDecoder",
    "asked_for",
    "bleu4",
    "compare",
]
