"""Normalise scores, and fuse the results of several rankers into one ranking."""

from pyterrier_quantity.fusion.fuse import ISR, RRF, Borda, CombMNZ, CombSUM, Fusion, LogISR, convex, fuse, linear
from pyterrier_quantity.fusion.normalise import METHODS, Normalise, check_method, normalise
from pyterrier_quantity.fusion.sources import SourceAware
from pyterrier_quantity.fusion.tuning import Tuned, tune

__all__ = [
    "ISR", "METHODS", "RRF", "Borda", "CombMNZ", "CombSUM", "Fusion", "LogISR", "Normalise",
    "SourceAware", "Tuned", "check_method", "convex", "fuse", "linear", "normalise", "tune",
]  # fmt: skip
