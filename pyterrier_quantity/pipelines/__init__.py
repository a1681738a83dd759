"""Whole pipelines: any retriever made quantity-aware, the paper's systems, and quantity first."""

from pyterrier_quantity.pipelines.aware import INDEX_ATTRIBUTE, QuantityAware, quantity_aware
from pyterrier_quantity.pipelines.paper import PAPER, QBM25, QSPLADE, QColBERT
from pyterrier_quantity.pipelines.parts import Candidates, ConceptOnly
from pyterrier_quantity.pipelines.quantity_first import quantity_first

__all__ = [
    "INDEX_ATTRIBUTE",
    "PAPER",
    "QBM25",
    "QSPLADE",
    "Candidates",
    "ConceptOnly",
    "QColBERT",
    "QuantityAware",
    "quantity_aware",
    "quantity_first",
]
