"""The quantity index: columns on disk, lookup and scoring over them."""

from pyterrier_quantity.index.options import ConceptFit, Scoring, UnitWeights
from pyterrier_quantity.index.quantity_index import QuantityIndex, QuantityIndexer
from pyterrier_quantity.index.storage import IndexFormatError

__all__ = ["ConceptFit", "IndexFormatError", "QuantityIndex", "QuantityIndexer", "Scoring", "UnitWeights"]
