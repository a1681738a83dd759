"""Whether stated values give the number of an answer: converted, rounded as people round, or calculated with."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, combinations, permutations, product
from typing import Final, NamedTuple

from pyterrier_quantity.english import rows_of
from pyterrier_quantity.english.stems import stem
from pyterrier_quantity.grounding.evidence import Stated, is_money
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.plan.calculations import calculation
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.units import default_registry

_MOST: Final = 16  # numbers that are calculated with
_FARTHEST: Final = 0.05  # share by which a number whose whole digits are rounded away may be off
_DIGITS: Final = re.compile(r"\d[\d,]*(?:\.(\d+))?")
_PERCENT: Final = "percentage"
_UNSAID: Final = {True: 3, False: 5}  # digits from which the answer need not say how: of a table's cells, of texts
_FORMS: Final = {kind: forms.split("|") for kind, forms in rows_of("calculation_forms.tsv")}
_OF_TWO: Final = {
    "subtract": lambda one, other: one - other,
    "divide": lambda one, other: one / other,
    "percentage change": lambda one, other: 100 * (one - other) / other,
}
CALCULATING: Final = frozenset(map(stem, (*_FORMS, "percentage", "percent", "increase", "decrease")))


class Operand(NamedTuple):
    """A value to be calculated with, in the answer's unit where it converts, and what states it."""

    value: float
    unit: str
    of: tuple[Stated, ...]


def same_kind(one: str, other: str) -> bool:
    """Whether two units may tell of the same thing: they convert, are both money or counts, or one is none."""
    return (is_money(one) and is_money(other)) or _converted(1.0, one, other) is not None


def states(number: Quantity, written: str, one: Stated, ends: bool = False) -> bool:
    """Whether a stated quantity is what the number, as it is written, says; `ends`: or an end of its range."""
    low, high = (_converted(value, one.quantity.unit, number.unit) for value in (one.quantity.low, one.quantity.high))
    if low is None or high is None:
        return False
    if ends and number.low == number.high and low != high:
        return any(_reads_as(number, written, end) for end in (low, high))
    if number.low != number.high or low != high:
        room = _room(number, written)
        return abs(number.low - low) <= room and abs(number.high - high) <= room
    hundred = {(_PERCENT, BARE): (100.0,), (BARE, _PERCENT): (0.01,)}.get((number.unit, one.quantity.unit), ())
    return any(_reads_as(number, written, low * by) for by in (1.0, *_unscaled(number, written, one), *hundred))


def forms_of(text: str, words: Collection[str]) -> set[str]:
    """The calculations that a sentence may tell of, by its wording."""
    kinds = {calculation(text), *(kind for kind in _FORMS if stem(kind) in words)}
    return {form for kind in kinds for form in _FORMS.get(kind, ())}


def derivation(
    number: Quantity, written: str, pool: Sequence[Stated], told: set[str], named: bool
) -> tuple[str, tuple[Stated, ...]] | None:
    """The calculation that gives a number, and its operands, from what fits best first.

    Args:
        told: the calculations that the answer tells of.
        named: whether it names what stands in the pool, so that two steps are no guess.
    """
    exact = len(re.sub(r"\D", "", written).strip("0")) >= _UNSAID[all(one.cell for one in pool)]
    able = {form for forms in _FORMS.values() for form in forms} if exact else told
    operands = [_operand(one, number.unit) for one in pool if one.quantity.low == one.quantity.high != 0][:_MOST]
    for form, (value, unit, of) in _results(operands, able, told if named or exact else set()):
        if form in ("percentage change", "divide"):
            by = (1.0, 100.0)[: 1 + (form == "divide")] if number.unit in (BARE, _PERCENT) else ()
        else:
            by = (1.0, *_unscaled(number, written, of[0])) if same_kind(unit, number.unit) else ()
        if any(_reads_as(number, written, value * one) for one in by):
            return form, of
    return None


def _results(operands: Sequence[Operand], able: set[str], deep: set[str]) -> Iterator[tuple[str, Operand]]:
    """What each calculation gives; `deep`: those that may take a second step, of sums and averages."""
    sums = _sums(operands)
    means = [Operand(one.value / len(one.of), one.unit, one.of) for one in sums]
    for form in sorted(able & {*_OF_TWO}):
        pairs: Iterator[tuple[Operand, Operand]] = permutations(operands, 2)
        if form in deep:
            steps = [product(sums, operands), product(operands, sums) if form == "divide" else ()]
            pairs = chain(pairs, *steps, combinations(means, 2) if "average" in deep else ())
        for one, other in pairs:
            if _add(one, other) and (form == "subtract" or other.value):
                yield form, Operand(_OF_TWO[form](one.value, other.value), one.unit, one.of + other.of)
    for form, given in (("sum", sums), ("average", means)):
        yield from ((form, one) for one in given if form in able)
    for one, other in combinations(operands, 2) if "multiply" in able else ():
        rate = 0.01 if _PERCENT in (one.unit, other.unit) else 1.0
        yield "multiply", Operand(rate * one.value * other.value, BARE, one.of + other.of)


def _sums(operands: Sequence[Operand]) -> list[Operand]:
    """The sums of pairs, and of the best of a row, of a column without its totals, or of a sentence."""
    chosen: list[tuple[Operand, ...]] = list(combinations(operands, 2))
    lines: dict[object, list[Operand]] = {}
    for one in operands:
        (stated,) = one.of
        places = [*enumerate(stated.cell.place)] if stated.cell else [stated.sentence]
        for place in places[: 1 if stated.is_total else None]:  # a row of totals adds up, too
            lines.setdefault(place, []).append(one)
    for line in lines.values():
        chosen += [tuple(line[:size]) for size in range(3, len(line) + 1)]
    alike = [each for each in chosen if all(_add(each[0], one) for one in each)]
    return [Operand(sum(one.value for one in each), each[0].unit, tuple(one.of[0] for one in each)) for each in alike]


def _add(one: Operand, other: Operand) -> bool:
    return one.unit == other.unit or BARE in (one.unit, other.unit)


def _operand(one: Stated, wanted: str) -> Operand:
    """A number without a unit may come of values in any."""
    value = _converted(one.quantity.low, one.quantity.unit, wanted)
    if value is None or one.quantity.unit == BARE:
        return Operand(one.quantity.low, one.quantity.unit, (one,))
    return Operand(value, wanted, (one,))


def _converted(value: float, unit: str, other: str) -> float | None:
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
    scale = value / float(plain)
    if found[1]:
        return 0.5 * 10.0 ** -len(found[1]) * scale * (1 + 1e-6)
    rough = number.bound == "~"
    zeros = min(len(plain) - len(plain.rstrip("0")), max(0, len(plain) - (1 if rough else 2)))
    return min(0.5 * 10.0**zeros * scale, _FARTHEST * value * (1 + rough)) if 10.0**zeros * scale > 1 else 0.5


def _reads_as(number: Quantity, written: str, value: float) -> bool:
    room, value = _room(number, written) + 1e-9 * abs(value), abs(value)
    low, high = sorted((abs(number.low), abs(number.high)))
    more, less = (5 * _FARTHEST * high * (number.bound in bounds) for bounds in ((">", ">="), ("<", "<=")))
    return low - less - room <= value <= high + more + room


def _unscaled(number: Quantity, written: str, one: Stated) -> tuple[float, ...]:
    """By what a table's number may have to be multiplied, where either it or the answer leaves out the scale."""
    if one.cell is None or number.unit == _PERCENT:
        return ()
    if (one.cell.measure.scale or 1.0) == 1.0:
        return (1e3, 1e6, 1e9) if one.quantity.unit == BARE or is_money(one.quantity.unit) else ()
    return (1 / (one.cell.measure.scale or 1.0),) if _DIGITS.fullmatch(written.strip("$€£ ()-")) else ()
