"""The named pipelines in one place: those over words and quantities, and those that need vectors."""

from pyterrier_quantity.neural import QNeural
from pyterrier_quantity.pipelines import (
    PAPER,
    QBM25,
    QSPLADE,
    Candidates,
    ConceptOnly,
    QColBERT,
    quantity_first,
)

__all__ = ["PAPER", "QBM25", "QSPLADE", "Candidates", "ConceptOnly", "QColBERT", "QNeural", "quantity_first"]
