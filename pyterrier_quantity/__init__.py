"""Quantity-aware retrieval for PyTerrier."""

from importlib import import_module
from typing import Any

from pyterrier_quantity import datasets, extraction, fusion, index, scoring, units
from pyterrier_quantity._version import __version__
from pyterrier_quantity.explain import explain
from pyterrier_quantity.extraction import RuleExtractor, extract
from pyterrier_quantity.features import QuantityFeatures
from pyterrier_quantity.fusion import Normalise
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.pipelines import quantity_aware
from pyterrier_quantity.quantity import Constraint, Quantity
from pyterrier_quantity.query import QueryText, parse_query
from pyterrier_quantity.transformers import QuantityExtractor, QuantityQueryParser, QuantityScorer

__all__ = [
    "Constraint",
    "Normalise",
    "Quantity",
    "QuantityExtractor",
    "QuantityFeatures",
    "QuantityIndex",
    "QuantityQueryParser",
    "QuantityScorer",
    "QueryText",
    "RuleExtractor",
    "__version__",
    "datasets",
    "explain",
    "extract",
    "extraction",
    "fusion",
    "index",
    "parse_query",
    "quantity_aware",
    "scoring",
    "units",
]

_ROOMS = frozenset({"answers", "backends", "collecting", "counts", "neural", "tables"})
"""Subpackages that are imported when they are first used."""


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
