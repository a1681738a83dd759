"""Whether stated values give the number of an answer: converted, rounded as people round, or calculated with."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import combinations, permutations
from typing import Final, NamedTuple

from pyterrier_quantity.english import rows_of
from pyterrier_quantity.grounding.evidence import Stated, is_money
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.plan.calculations import calculation
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.units import default_registry

_FARTHEST: Final = 0.05  # share by which a number whose whole digits are rounded away may be off
_DIGITS: Final = re.compile(r"\d[\d,]*(?:\.(\d+))?")
_PERCENT: Final = "percentage"
_RATIOS: Final = {_PERCENT: (1.0, 100.0), BARE: (1.0, 100.0), "proportion": (1.0,), "count": (1.0,)}
_MOST: Final = 16  # numbers that are calculated with
_LONG: Final = 4  # digits from which the answer need not say how
_FORMS: Final = [(re.compile(wordings, re.I), forms.split("|")) for wordings, forms in rows_of("calculation_forms.tsv")]
_ALL: Final = frozenset(form for _, forms in _FORMS for form in forms)
_OF_TWO: Final[dict[str, Callable[[float, float], float]]] = {
    "subtract": lambda one, other: one - other,
    "divide": lambda one, other: one / other,
    "percentage change": lambda one, other: (one - other) / other,
    "multiply": lambda one, other: one * other,
}


def same_kind(one: str, other: str) -> bool:
    """Whether two units may tell of the same thing: they convert, are both money or counts, or one is none."""
    return (is_money(one) and is_money(other)) or _converted(1.0, one, other) is not None


def states(number: Quantity, written: str, one: Stated, ends: bool) -> bool:
    """Whether a stated quantity is what the number, as it is written, says; `ends`: or an end of its range."""
    low, high = (_converted(value, one.quantity.unit, number.unit) for value in (one.quantity.low, one.quantity.high))
    if low is None or high is None:
        return False
    if number.low == number.high and (ends or low == high):
        least, most = _span(number, written)
        return any(least <= abs(end * by) <= most for end in (low, high) for by in _scales(number, written, one))
    room = _room(number, written)
    return abs(number.low - low) <= room and abs(number.high - high) <= room


def forms_of(text: str) -> set[str]:
    """The calculations that a sentence may tell of, by its wording."""
    told = f"{calculation(text)}: {text}"
    return {form for wording, forms in _FORMS if wording.search(told) for form in forms}


class Result(NamedTuple):
    """What a calculation gives, in the answer's unit where it converts, and of what; at first a stated value."""

    value: float
    unit: str
    of: tuple[Stated, ...]
    form: str = ""


def derivation(number: Quantity, written: str, pool: Sequence[Stated], told: set[str]) -> Result | None:
    """The calculation that gives a number.

    Args:
        pool: what the answer's words fit best, the best first.
        told: the calculations that the answer tells of.
    """
    exact = len(re.sub(r"\D", "", written).strip("0")) >= _LONG
    operands = [_operand(one, number.unit) for one in pool if one.quantity.low == one.quantity.high != 0][:_MOST]
    least, most = _span(number, written)
    for one in _calculated(operands, _ALL if exact else told):
        by = _scales(number, written, one.of[0]) if same_kind(one.unit, number.unit) else ()
        if one.form in ("percentage change", "divide"):
            by = _RATIOS.get(number.unit, ())
        elif one.form == "multiply":
            by += (0.01,)  # a percentage of something
        if any(least <= abs(one.value * each) <= most for each in by):
            return one
    return None


def _calculated(operands: Sequence[Result], able: Collection[str]) -> Iterator[Result]:
    """What these forms of calculation give."""
    forms = [form for form in _OF_TWO if form in able]
    for one, other in permutations(operands, 2) if forms else ():
        for form in forms if other.value else ():
            if form == "multiply" or _add(one, other):
                unit = BARE if form == "multiply" else one.unit
                yield Result(_OF_TWO[form](one.value, other.value), unit, one.of + other.of, form)
    for chosen in _summands(operands) if {"sum", "average"} & {*able} else ():
        total, of = sum(one.value for one in chosen), tuple(one.of[0] for one in chosen)
        for form, value in (("sum", total), ("average", total / len(of))):
            if form in able:
                yield Result(value, chosen[0].unit, of, form)


def _summands(operands: Sequence[Result]) -> list[tuple[Result, ...]]:
    """Pairs, and the best of a row, of a column without its total, or of a sentence, if they add up."""
    found: list[tuple[Result, ...]] = list(combinations(operands, 2))
    lines: dict[object, list[Result]] = {}
    for one in operands:
        (stated,) = one.of
        places: list[object] = [*enumerate(stated.cell.place)] if stated.cell else [stated.sentence]
        for place in places[: 1 if stated.name == {"total"} else None]:
            lines.setdefault(place, []).append(one)
    for line in lines.values():
        found += [tuple(line[:size]) for size in range(3, len(line) + 1)]
    return [each for each in found if all(_add(each[0], one) for one in each)]


def _add(one: Result, other: Result) -> bool:
    return one.unit == other.unit or BARE in (one.unit, other.unit)


def _operand(one: Stated, wanted: str) -> Result:
    value = None if one.quantity.unit == BARE else _converted(one.quantity.low, one.quantity.unit, wanted)
    return Result(one.quantity.low, one.quantity.unit, (one,)) if value is None else Result(value, wanted, (one,))


def _converted(value: float, unit: str, other: str) -> float | None:
    """A value in another unit, None if it has none there. A bare number goes with any unit, a count with any other."""
    if unit == other or BARE in (unit, other) or (is_count(unit) and is_count(other)):
        return value
    registry = default_registry()
    return None if registry.conversion(unit, other) is None else float(registry.convert(value, unit, other))


def _room(number: Quantity, written: str) -> float:
    """By how much a value may differ that the number stands for: half of its last digit that counts."""
    found, value = _DIGITS.search(written), abs(number.high)
    plain = found[0].replace(",", "") if found else ""
    if found is None or not value or not float(plain):
        return _FARTHEST * value
    scale, rough = value / float(plain), number.bound == "~"
    if found[1]:
        return 0.5 * 10.0 ** -len(found[1]) * scale * (1 + 1e-6)
    zeros = min(len(plain) - len(plain.rstrip("0")), max(0, len(plain) - 2 + rough))
    half = 0.5 * 10.0**zeros * scale
    return half if half <= 0.5 else min(half, _FARTHEST * value * (1 + rough))


def _span(number: Quantity, written: str) -> tuple[float, float]:
    """The absolute values that a number, as it is written, stands for; of "more than 500" those a little above, too."""
    room = _room(number, written)
    low, high = sorted((abs(number.low), abs(number.high)))
    more, less = (5 * _FARTHEST * high * (number.bound in bounds) for bounds in ((">", ">="), ("<", "<=")))
    return (low - less - room) * (1 - 1e-9), (high + more + room) * (1 + 1e-9)


def _scales(number: Quantity, written: str, one: Stated) -> tuple[float, ...]:
    """By what a table's number may have to be multiplied, where either it or the answer leaves out the scale."""
    told = (one.cell and one.cell.measure.scale) or 1.0
    if one.cell is None or number.unit == _PERCENT:
        return (1.0,)
    if told == 1.0:
        return (1.0, 1e3, 1e6, 1e9) if one.quantity.unit == BARE or is_money(one.quantity.unit) else (1.0,)
    return (1.0, 1 / told) if _DIGITS.fullmatch(written.strip("$€£ ()-")) else (1.0,)
