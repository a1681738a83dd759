"""Normalise scores, and fuse the results of several rankers into one ranking."""

from pyterrier_quantity.fusion.fuse import RULES, Fusion, fuse
from pyterrier_quantity.fusion.named import ISR, RRF, Borda, CombMNZ, CombSUM, LogISR, convex, linear
from pyterrier_quantity.fusion.normalise import METHODS, Normalise, check_method, normalise
from pyterrier_quantity.fusion.sources import SourceAware
from pyterrier_quantity.fusion.tuning import Tuned, tune

__all__ = [
    "ISR", "METHODS", "RRF", "RULES", "Borda", "CombMNZ", "CombSUM", "Fusion", "LogISR", "Normalise",
    "SourceAware", "Tuned", "check_method", "convex", "fuse", "linear", "normalise", "tune",
]  # fmt: skip
