"""Compute the dimensions and the conversion factor of a unit, given its name: "mile per hour" is length per time.

If numerator and denominator have the same dimension, both are kept: "milligram per kilogram" is mass per mass.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from pyterrier_quantity.units.model import UnitDef
from pyterrier_quantity.units.spellings import DATA
from pyterrier_quantity.units.unit_files import read_table

_POWER_WORDS = {"square": 2, "cubic": 3}
_CONSTANT = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?: (.+))?$")
SILENT_BELOW = "1.73 square metre"
"""The body-surface area to which kidney function is scaled: 60 mL/min/1.73 m2 is treated as equal to 60 mL/min."""
_SILENT_ABOVE = "cell"  # counted thing if a text names only the denominator: 1500/mm3 is 1500 cells/mm3
COMPOUNDING = ("per", *_POWER_WORDS, SILENT_BELOW, _SILENT_ABOVE)
"""Parts of compound unit names that are not units themselves, such as "per" and "square"."""

Side = tuple[tuple[str, int], ...]
Dimensions = tuple[Side, Side]


class Meaning(NamedTuple):
    """The base dimensions of a unit, and its conversion: value * factor + offset is the value in the reference unit."""

    dimensions: Dimensions
    factor: float
    offset: float


class Families:
    """Map families to base dimensions and back. A family is a dimension with a name: "speed" is length per time."""

    def __init__(self) -> None:
        self._dimensions: dict[str, Dimensions] = {}
        self._names: dict[Dimensions, str] = {}
        for row in read_table(DATA / "families.tsv", key="family"):
            sides: tuple[list[tuple[str, int]], list[tuple[str, int]]] = [], []
            for base, _, exponent in (part.partition("^") for part in row.many("dimensions")):
                sides[exponent.startswith("-")].append((base, abs(int(exponent or 1))))
            dimensions = tuple(sorted(sides[0])), tuple(sorted(sides[1]))
            self._dimensions[row.get("family")] = dimensions
            self._names.setdefault(dimensions, row.get("family"))

    def dimensions(self, family: str) -> Dimensions:
        """Return the base dimensions of a family: "speed" -> length per time, "length" -> length."""
        return self._dimensions.get(family) or (((family, 1),), ())

    def name(self, dimensions: Dimensions) -> str:
        """Return the name of the family with the given dimensions: length per time -> "speed". If no family has the
        dimensions, compose a name: "price per volume in dollar"."""
        known = self._names.get(dimensions)
        if known is not None:
            return known
        above, below = dimensions
        under = self._side(below)
        if len(above) == 1 and above[0][1] == 1 and above[0][0].startswith("currency:") and below:
            return f"price per {under} in {above[0][0].removeprefix('currency:')}"
        over = self._side(above) or "number"
        return f"{over} per {under}" if below else over

    def _side(self, side: Side) -> str:
        return self._names.get((side, ())) or " ".join(
            {1: base, 2: f"square {base}", 3: f"cubic {base}"}.get(power, f"{base}^{power}") for base, power in side
        )


_ROUNDING = 1e-12


def rescaled(value: Any, factor: Any, offset: Any) -> Any:
    """Return value * factor + offset, for numbers or NumPy arrays. A rounding error near 0 (32 °F in °C) becomes 0."""
    result = value * factor + offset
    return result * (abs(result) > _ROUNDING * abs(offset)) + 0.0


def changes_values(factor: Any, offset: Any) -> Any:
    """Return whether `rescaled` with this factor and offset changes values, for numbers or NumPy arrays."""
    return (factor != 1.0) | (offset != 0.0)


def split(unit: str, units: dict[str, UnitDef]) -> list[str]:
    """Return the components of a canonical name: "dollar per barrel per day" -> ["dollar", "barrel", "day"]. A known
    unit with "per" in its name is not split ("pound per square inch"). "per day" -> ["", "day"]."""
    if unit in units or " per " not in " " + unit:
        return [unit]
    pieces = (" " + unit).split(" per ")
    pieces[0] = pieces[0].strip()
    for count in range(len(pieces) - 1, 1, -1):
        head = " per ".join(pieces[:count])
        if head in units:
            return [head, *pieces[count:]]
    return pieces


_ABOVE: Final = {"length": 1, "area": 1, "volume": 1, "time": 2}
# The order of components in a name: families with a rank come after all others, the largest rank last.
_BELOW: Final = {"temperature": 1, "time": 2, SILENT_BELOW: 3}


def in_order(unit: str, units: dict[str, UnitDef]) -> str:
    """Return the canonical name of a compound unit, with its components in the usual order: "metre newton" -> "newton
    metre", "milligram per day per kilogram" -> "milligram per kilogram per day"."""
    above, *below = split(unit, units)
    found = _factors(above, units) if above not in units else None
    if found and len(found) > 1:
        factors = sorted(found, key=lambda one: (_ABOVE.get(units[one[0]].family, 0), one[0]))
        above = " ".join(_raised(*one) for one in factors)
    several = Counter(below)
    if any(count > 1 for count in several.values()):
        below = [_raised(name, n) if name in units else " per ".join([name] * n) for name, n in several.items()]
    families = {name: SILENT_BELOW if name == SILENT_BELOW else _family(name, units) for name in below}
    if all(families.values()):
        below.sort(key=lambda name: (_BELOW.get(families[name], 0), name))
    return " per ".join([above, *below]).strip()


def _raised(name: str, power: int) -> str:
    return {1: name, 2: f"square {name}", 3: f"cubic {name}"}.get(power, " per ".join([name] * power))


def _family(name: str, units: dict[str, UnitDef]) -> str:
    known = units.get(bare_unit(name).removeprefix("square ").removeprefix("cubic "))
    return known.family if known else ""


def bare_unit(piece: str) -> str:
    """Remove the number from a component: "100000 people" -> "people". A component without words stays unchanged."""
    match = _CONSTANT.match(piece)
    return (match.group(2) or piece) if match else piece


def meaning(unit: str, units: dict[str, UnitDef], families: Families) -> Meaning:
    """Return the `Meaning` of a unit: its dimensions and its conversion. A noun ("car") is its own dimension."""
    pieces = split(unit, units)
    if len(pieces) == 1:
        return _component(pieces[0], units, families)
    stated = [
        (_component(piece, units, families), -1 if index else 1)
        for index, piece in enumerate(pieces)
        if piece not in ("", SILENT_BELOW if index else _SILENT_ABOVE)
    ]
    return _product(stated)


def _product(parts: Iterable[tuple[Meaning, int]]) -> Meaning:
    sides: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    factor = 1.0
    for part, power in parts:
        factor = factor * part.factor**power if power > 0 else factor / part.factor**-power
        for side, dimensions in zip(sides if power > 0 else sides[::-1], part.dimensions, strict=True):
            for base, exponent in dimensions:
                side[base] += exponent * abs(power)
    above, below = (tuple(sorted(side.items())) for side in sides)
    return Meaning((above, below), factor, 0.0)


def _component(piece: str, units: dict[str, UnitDef], families: Families) -> Meaning:
    known = units.get(piece)
    if known is not None:
        return Meaning(families.dimensions(known.family), known.factor, known.offset)
    constant = _CONSTANT.match(piece)
    if constant is not None:
        inner = _component(constant[2], units, families) if constant[2] else Meaning(((), ()), 1.0, 0.0)
        return Meaning(inner.dimensions, inner.factor * float(constant[1]), 0.0)
    factors = _factors(piece, units)
    if factors is None:
        return Meaning((((piece, 1),), ()), 1.0, 0.0)
    return _product((_component(name, units, families), power) for name, power in factors)


def _factors(piece: str, units: dict[str, UnitDef]) -> list[tuple[str, int]] | None:
    """Return the units and powers of a product, or None: "square metre ampere" -> [("metre", 2), ("ampere", 1)]."""
    words = piece.split(" ")
    found: list[tuple[str, int]] = []
    start = 0
    while start < len(words):
        power = _POWER_WORDS.get(words[start], 1)
        start += power > 1
        for end in range(min(len(words), start + 5), start, -1):
            name = " ".join(words[start:end])
            if name in units:
                found.append((name, power))
                start = end
                break
        else:
            return None
    return found
