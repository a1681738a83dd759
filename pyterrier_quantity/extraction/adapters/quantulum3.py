"""quantulum3 (https://github.com/nielstron/quantulum3) under this package's extractor protocol."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable
from typing import Any

from pyterrier_quantity.extraction.parallel import extract_all
from pyterrier_quantity.extraction.protocol import Comparable, canonical, check_text
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.units import UnitRegistry, default_registry


class Quantulum3Extractor(Comparable):
    """quantulum3's reading of a text, its units by this package's names.

    quantulum3 knows ranges (as a value with an uncertainty) but neither bounds nor concepts: bounds are "=" and
    concepts are empty. Its classifier for ambiguous units is switched off, since the bundled one only loads under
    the scikit-learn version that it was trained with.

    Args:
        registry: the units to name with; the package's own by default.

    Raises:
        ImportError: if quantulum3 is not installed.
    """

    def __init__(self, registry: UnitRegistry | None = None) -> None:
        try:
            from quantulum3 import classifier, parser
        except ImportError as error:
            raise ImportError(
                'Quantulum3Extractor needs quantulum3: pip install "pyterrier-quantity[quantulum3]"'
            ) from error
        classifier.USE_CLF = False
        self._parse = parser.parse
        self._registry = default_registry() if registry is None else registry

    def _settings(self) -> tuple[object, ...]:
        return (id(self._registry),)

    def __repr__(self) -> str:
        return "Quantulum3Extractor()"

    def extract(self, text: str) -> list[Quantity]:
        """The quantities of a text, in order. Texts on which quantulum3 fails have none.

        Raises:
            TypeError: if text is no string.
        """
        found: list[Any] = []
        check_text(text)
        with contextlib.suppress(Exception):  # quantulum3 raises all sorts of errors on odd input
            found = self._parse(text)
        quantities = [self._quantity(item, len(text)) for item in found]
        return sorted((q for q in quantities if q is not None), key=lambda q: q.start)

    def extract_batch(self, texts: Iterable[str], threads: int | None = None) -> list[list[Quantity]]:
        """One list of quantities for each text, in the order of the texts; in `threads` processes (default: one)."""
        return extract_all(self, texts, threads or 1)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (None if self._registry is default_registry() else self._registry,)

    def _quantity(self, item: Any, length: int) -> Quantity | None:
        spread = abs(float(item.uncertainty or 0.0))
        low, high = float(item.value) - spread, float(item.value) + spread
        if not (math.isfinite(low) and math.isfinite(high)):
            return None
        start, end = (min(max(0, edge), length) for edge in item.span)
        return Quantity(low, high, canonical(item.unit.name, self._registry), "=", start, end)
