"""The quantity index: columns on disk, lookup and scoring over them."""

from pyterrier_quantity.index.quantity_index import QuantityIndex, QuantityIndexer
from pyterrier_quantity.index.storage import IndexFormatError

__all__ = ["IndexFormatError", "QuantityIndex", "QuantityIndexer"]
