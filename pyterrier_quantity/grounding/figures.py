"""Whether stated values give the number of an answer: converted, rounded as people round, or calculated with."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, combinations, permutations, product
from typing import Any, Final

from pyterrier_quantity.english.stems import stem
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.grounding.evidence import Stated, is_money
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.plan.calculations import calculation
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.units import default_registry

Member = tuple[float, tuple[Stated, ...]]

_MOST: Final = 16  # numbers that are calculated with
_SUMMANDS: Final = 6  # of these in one row, column or sentence, any of which are added; and all of them
_FARTHEST: Final = 0.05  # share by which a number whose whole digits are rounded away may be off
_DIGITS: Final = re.compile(r"\d[\d,]*(?:\.(\d+))?")
_PERCENT: Final = "percentage"
_PAIRS: Final[dict[str, Callable[[float, float], float]]] = {
    "subtract": lambda one, other: one - other,
    "percentage change": lambda one, other: 100 * (one - other) / other if other else float("inf"),
    "divide": lambda one, other: one / other if other else float("inf"),
}
_UNSAID: Final = {"subtract": 4, "percentage change": 4, "divide": 4, "sum": 5, "average": 5, "multiply": 6}
"""Digits from which a number is hardly computed by chance: its answer need not say how it comes about."""
_DEEP: Final = 4  # the same for two steps
_FORMS: Final = {
    "change": {"subtract", "percentage change"},
    "difference": {"subtract"},
    "percentage change": {"percentage change", "subtract", "divide"},
    "ratio": {"divide"},
    "share": {"divide"},
    "proportion": {"divide"},
    "product": {"multiply"},
    "average": {"average"},
    "mean": {"average"},
    "sum": {"sum"},
    "total": {"sum"},
}
CALCULATING: Final = frozenset(map(stem, (*_FORMS, "percentage", "percent", "increase", "decrease")))


def same_kind(one: str, other: str) -> bool:
    """Whether two units may tell of the same thing: they convert, are both money or counts, or one is none."""
    if one == other or BARE in (one, other) or DATE_UNIT in (one, other):
        return one == other or DATE_UNIT not in (one, other)
    money = is_money(one) and is_money(other)
    return money or (is_count(one) and is_count(other)) or default_registry().conversion(one, other) is not None


def states(number: Quantity, written: str, one: Stated) -> bool:
    """Whether a stated quantity is what the number, as it is written, says."""
    low, high = (_converted(value, one.quantity.unit, number.unit) for value in (one.quantity.low, one.quantity.high))
    if low is None or high is None:
        return False
    if number.low != number.high or low != high:
        room = _room(number, written)
        return abs(number.low - low) <= room and abs(number.high - high) <= room
    hundred = {(_PERCENT, BARE): (100.0,), (BARE, _PERCENT): (0.01,)}.get((number.unit, one.quantity.unit), ())
    return any(_reads_as(number, written, low * by) for by in (1.0, *_unscaled(number, written, one), *hundred))


def derivation(
    number: Quantity, written: str, pool: Sequence[Stated], forms: Collection[str], named: bool = False
) -> tuple[str, tuple[Stated, ...]] | None:
    """The calculation that gives a number, and its operands, from what fits best first.

    Args:
        forms: the calculations that the answer tells of.
        named: whether it names what stands in the pool, so that two steps are no guess.
    """
    digits = len(re.sub(r"\D", "", written).strip("0"))
    able = {*forms, *(form for form, least in _UNSAID.items() if digits >= least)}
    pool = [one for one in pool if one.quantity.low == one.quantity.high != 0][:_MOST] if able else []
    told = forms if named or digits >= _DEEP else ()
    for form, unit, value, chosen in _results(pool, number.unit, able, told):
        if form in ("percentage change", "divide"):
            by = (1.0, 100.0)[: 1 + (form == "divide")] if number.unit in (BARE, _PERCENT) else ()
        else:
            by = (1.0, *_unscaled(number, written, chosen[0])) if same_kind(unit, number.unit) else ()
        if any(_reads_as(number, written, value * one) for one in by):
            return form, chosen
    return None


def forms_of(text: str, words: Collection[str]) -> set[str]:
    """The calculations that a sentence may tell of, by its wording."""
    kinds = {calculation(text), *(kind for kind in _FORMS if stem(kind) in words)}
    return {form for kind in kinds for form in _FORMS.get(kind, ())}


def _results(
    pool: Sequence[Stated], wanted: str, able: set[str], told: Collection[str]
) -> Iterator[tuple[str, str, float, tuple[Stated, ...]]]:
    """Form, unit, value and operands of calculations in each unit, in the wanted one with what converts to it."""
    found: list[tuple[str, Member]] = []
    for one in pool:
        value, unit = _converted(one.quantity.low, one.quantity.unit, wanted), one.quantity.unit
        unit = wanted if value is not None and BARE not in (unit, wanted) else unit
        found.append((unit, (one.quantity.low if value is None else value, (one,))))
    for unit in dict.fromkeys(unit for unit, _ in found if unit != BARE) or [BARE]:
        members = [member for own, member in found if own in (unit, BARE)]
        totals = _totals(members)
        for form in _PAIRS.keys() & able:
            pairs = chain(permutations(members, 2), _steps(totals, members, form, told) if form in told else ())
            for (one_value, first), (other_value, second) in pairs:
                yield form, unit, _PAIRS[form](one_value, other_value), first + second
        for total, chosen in totals:
            yield from (("sum", unit, total, chosen),) if "sum" in able else ()
            yield from (("average", unit, total / len(chosen), chosen),) if "average" in able else ()
    if "multiply" in able:
        for (unit, (one_value, first)), (other, (other_value, second)) in combinations(found, 2):
            rate = 0.01 if _PERCENT in (unit, other) else 1.0
            yield "multiply", wanted, rate * one_value * other_value, first + second


def _steps(totals: Sequence[Member], members: Sequence[Member], form: str, told: Collection[str]) -> Iterator[Any]:
    """The pairs of a second step: of sums and single values, and of averages."""
    sums = [(total, chosen) for total, chosen in totals if len(chosen) < 4]
    means = [(total / len(chosen), chosen) for total, chosen in sums] if "average" in told else []
    parts = product(members, sums) if form == "divide" else ()
    return chain(product(sums, members), parts, combinations(means, 2))


def _totals(members: Sequence[Member]) -> list[Member]:
    """The sums of pairs, and of more in one row, column or sentence."""
    lines: dict[object, list[Member]] = {}
    for member in members:
        (one,) = member[1]
        places = enumerate(one.cell.place) if one.cell else [(0, one.sentence)]
        for place in places:
            lines.setdefault((one.cell is None, place), []).append(member)
    chosen: list[tuple[Member, ...]] = list(combinations(members, 2))
    for line in lines.values():
        for size in range(3, min(len(line), _SUMMANDS) + 1):
            chosen += combinations(line[:_SUMMANDS], size)
        chosen += [tuple(line)] if len(line) > _SUMMANDS else []
    return [(sum(value for value, _ in each), tuple(one for _, (one,) in each)) for each in chosen]


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
