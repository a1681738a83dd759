"""Text to quantities: numbers, units, bounds and concepts; and other extractors under the same protocol."""

from __future__ import annotations

from functools import lru_cache

from pyterrier_quantity.quantity import Quantity

from .cqe import CQEExtractor
from .protocol import Extractor
from .quantulum import Quantulum3Extractor
from .reading import Reading
from .rules import RuleExtractor

__all__ = ["CQEExtractor", "Extractor", "Quantulum3Extractor", "Reading", "RuleExtractor", "extract"]


@lru_cache(maxsize=1)
def _default() -> RuleExtractor:
    return RuleExtractor()


def extract(text: str) -> list[Quantity]:
    """The quantities that a text states, read by the default `RuleExtractor`.

    Raises:
        TypeError: if text is no string.
    """
    return _default().extract(text)
