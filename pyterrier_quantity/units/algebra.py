"""Names of compound units taken apart: components, dimensions, factors, conversion."""

from __future__ import annotations

import re
from typing import NamedTuple

from pyterrier_quantity.units.model import UnitDef
from pyterrier_quantity.units.tables import read_table
from pyterrier_quantity.units.vocabulary import DATA

_POWER_WORDS = {"square": 2, "cubic": 3}
_CONSTANT = re.compile(r"(\d+(?:\.\d+)?(?:e\+?\d+)?) (.+)$")
_BODY_SURFACE = "1.73 square metre"
"""Body-surface area that clinical rates are normalised to: the value stays the same without it."""

Dimensions = tuple[tuple[str, int], ...]


class Meaning(NamedTuple):
    """What a unit name amounts to: dimensions, factor to the reference, offset."""

    dimensions: Dimensions
    factor: float
    offset: float


class Families:
    """Families and their dimensions, both ways."""

    def __init__(self) -> None:
        self._dimensions: dict[str, Dimensions] = {}
        self._names: dict[Dimensions, str] = {}
        for row in read_table(DATA / "families.tsv", key="family"):
            dims: dict[str, int] = {}
            for base, exponent in _factors(row.get("dimensions")):
                dims[base] = dims.get(base, 0) + exponent
            frozen = _freeze(dims)
            self._dimensions[row.get("family")] = frozen
            self._names.setdefault(frozen, row.get("family"))

    def dimensions(self, family: str) -> Dimensions:
        """Exponents of the base dimensions; a family that is not listed is a dimension of its own."""
        return self._dimensions.get(family, ((family, 1),))

    def name(self, dimensions: Dimensions) -> str:
        """The family's name; for dimensions without one, a phrase like "currency:dollar per volume"."""
        known = self._names.get(dimensions)
        if known is not None:
            return known
        if len(dimensions) == 1 and dimensions[0][1] == 1:
            return dimensions[0][0]
        above = [_powered(base, n) for base, n in dimensions if n > 0]
        below = [_powered(base, -n) for base, n in dimensions if n < 0]
        whole = " ".join(above) or "number"
        return whole + "".join(f" per {part}" for part in below)


def _factors(text: str) -> list[tuple[str, int]]:
    """"mass length^-3" -> [("mass", 1), ("length", -3)]; "biological activity length^-3": blanks inside a name."""
    parts: list[tuple[str, int]] = []
    words: list[str] = []
    single = {"length", "mass", "time", "amount", "information", "count", "beat", "breath", "angle"}
    for token in text.split():
        base, caret, exponent = token.partition("^")
        words.append(base)
        if caret or base in single:
            parts.append((" ".join(words), int(exponent) if caret else 1))
            words = []
        elif " ".join(words) == "biological activity":
            parts.append((" ".join(words), 1))
            words = []
    if words:
        parts.append((" ".join(words), 1))
    return parts


def _powered(base: str, exponent: int) -> str:
    return {1: base, 2: f"square {base}", 3: f"cubic {base}"}.get(exponent, f"{base}^{exponent}")


def _freeze(dims: dict[str, int]) -> Dimensions:
    return tuple(sorted((base, n) for base, n in dims.items() if n))


def split(unit: str, units: dict[str, UnitDef]) -> list[str]:
    """Components of a canonical name: "dollar per barrel per day" -> ["dollar", "barrel", "day"].

    A known unit that has "per" in its own name ("pound per square inch") stays whole.
    """
    if unit in units:
        return [unit]
    pieces = (" " + unit).split(" per ")
    if not pieces[0]:
        return ["", *pieces[1:]]
    pieces[0] = pieces[0].strip()
    for count in range(len(pieces) - 1, 1, -1):
        head = " per ".join(pieces[:count])
        if head in units:
            return [head, *pieces[count:]]
    return pieces


def meaning(unit: str, units: dict[str, UnitDef], families: Families) -> Meaning:
    """Dimensions and factor of any canonical name; nouns that are no known unit count as their own dimension."""
    pieces = split(unit, units)
    if len(pieces) == 1:
        return _component(pieces[0], units, families)
    dims: dict[str, int] = {}
    factor = 1.0
    for index, piece in enumerate(pieces):
        if not piece or piece == _BODY_SURFACE:
            continue
        part = _component(piece, units, families)
        sign = -1 if index else 1
        factor *= part.factor**sign
        for base, exponent in part.dimensions:
            dims[base] = dims.get(base, 0) + sign * exponent
    return Meaning(_freeze(dims), factor, 0.0)


def _component(piece: str, units: dict[str, UnitDef], families: Families) -> Meaning:
    known = units.get(piece)
    if known is not None:
        return Meaning(families.dimensions(known.family), known.factor, known.offset)
    constant = _CONSTANT.match(piece)
    if constant is not None:
        inner = _component(constant.group(2), units, families)
        return Meaning(inner.dimensions, inner.factor * float(constant.group(1)), 0.0)
    first, _, rest = piece.partition(" ")
    power = _POWER_WORDS.get(first)
    if power and rest:
        inner = _component(rest, units, families)
        return Meaning(tuple((base, n * power) for base, n in inner.dimensions), inner.factor**power, 0.0)
    factors = _product(piece, units)
    if len(factors) > 1:
        dims: dict[str, int] = {}
        total = 1.0
        for name in factors:
            inner = _component(name, units, families)
            total *= inner.factor
            for base, exponent in inner.dimensions:
                dims[base] = dims.get(base, 0) + exponent
        return Meaning(_freeze(dims), total, 0.0)
    return Meaning(((piece, 1),), 1.0, 0.0)


def _product(piece: str, units: dict[str, UnitDef]) -> list[str]:
    """"kilogram metre" -> ["kilogram", "metre"] where every word is a unit; else the piece itself."""
    words = piece.split(" ")
    if len(words) > 1 and all(word in units for word in words):
        return words
    return [piece]
