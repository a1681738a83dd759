"""Quantity-aware retrieval for PyTerrier."""

from pyterrier_quantity._version import __version__
from pyterrier_quantity.quantity import Constraint, Quantity

__all__ = ["Constraint", "Quantity", "__version__"]
