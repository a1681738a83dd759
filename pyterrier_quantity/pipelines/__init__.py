"""Make complete pipelines: `quantity_aware` for any retriever, Almasian et al.'s systems, and `quantity_first`."""

from pyterrier_quantity.pipelines.aware import QuantityAware, quantity_aware
from pyterrier_quantity.pipelines.paper import QBM25, QSPLADE, QColBERT
from pyterrier_quantity.pipelines.quantity_first import ConceptOnly, WithStatedNames, quantity_first

__all__ = [
    "QBM25", "QSPLADE", "ConceptOnly", "QColBERT", "QuantityAware", "WithStatedNames", "quantity_aware",
    "quantity_first",
]  # fmt: skip
