"""Whether stated values give the number of an answer: converted, rounded as people round, or calculated with."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final

from pyterrier_quantity.english.stems import stem
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.grounding.evidence import Stated
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.plan.calculations import calculation
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.tables.candidates import Operand, candidates
from pyterrier_quantity.units import default_registry

MOST: Final = 12  # numbers that are calculated with
_PRECISE: Final = 4  # digits of a number that is hardly computed by chance: its answer need not say how it comes about
_FARTHEST: Final = 0.05  # share by which a number whose whole digits are rounded away may be off
_DIGITS: Final = re.compile(r"\d[\d,]*(?:\.(\d+))?")
_PERCENT: Final = "percentage"
_GIVES: Final[dict[str, Callable[[Sequence[float]], float]]] = {
    "subtract": lambda v: v[0] - v[1],
    "percentage change": lambda v: 100 * (v[0] - v[1]) / v[1],
    "divide": lambda v: v[0] / v[1],
    "sum": sum,
    "average": lambda v: sum(v) / len(v),
}
_FORMS: Final = {
    "change": {"subtract", "percentage change"},
    "difference": {"subtract"},
    "percentage change": {"percentage change", "subtract", "divide"},
    "ratio": {"divide"},
    "share": {"divide"},
    "average": {"average"},
    "mean": {"average"},
    "sum": {"sum"},
    "total": {"sum"},
}
CALCULATING: Final = frozenset(map(stem, (*_FORMS, "percentage", "percent", "proportion", "increase", "decrease")))


def same_kind(one: str, other: str) -> bool:
    """Whether two units may tell of the same thing: they convert, are both money or counts, or one is none."""
    if one == other or BARE in (one, other) or DATE_UNIT in (one, other):
        return one == other or DATE_UNIT not in (one, other)
    money = is_money(one) and is_money(other)
    return money or (is_count(one) and is_count(other)) or default_registry().conversion(one, other) is not None


def is_money(unit: str) -> bool:
    """Whether a unit is a currency, or a currency per something."""
    return (default_registry().family(unit) or "").startswith("currency")


def states(number: Quantity, written: str, one: Stated) -> bool:
    """Whether a stated quantity is what the number, as it is written, says."""
    low, high = (_converted(value, one.quantity.unit, number.unit) for value in (one.quantity.low, one.quantity.high))
    if low is None or high is None:
        return False
    if number.low != number.high or low != high:
        room = _room(number, written)
        return abs(number.low - low) <= room and abs(number.high - high) <= room
    hundred = [100.0] if number.unit == _PERCENT and one.quantity.unit == BARE else []
    return any(_reads_as(number, written, low * by) for by in (1.0, *_unscaled(number, written, one), *hundred))


def derivation(
    number: Quantity, written: str, pool: Sequence[Stated], forms: Collection[str]
) -> tuple[str, tuple[Stated, ...]] | None:
    """The calculation that gives a number, and its operands, from what fits best first."""
    digits = len(re.sub(r"\D", "", written).strip("0"))
    unsaid = [form for form in _GIVES if digits >= _PRECISE + (form in ("sum", "average"))]
    pool = [one for one in pool if one.quantity.low == one.quantity.high][:MOST] if {*forms, *unsaid} else []
    operands = []
    for place, one in enumerate(pool):
        value = _converted(one.quantity.low, one.quantity.unit, number.unit)
        unit = one.quantity.unit if value is None or number.unit == BARE else number.unit
        value = one.quantity.low if value is None else value
        operands.append(Operand(one.docno, "", value, unit, 1.0, place, one.sentence, one.cell))
    for candidate in candidates(operands):
        form, chosen = candidate.form, [pool[operand.fact] for operand in candidate.operands]
        values = [operand.value for operand in candidate.operands]
        units = {operand.unit for operand in candidate.operands} - {BARE}
        quotient = form in ("percentage change", "divide")
        unit = _PERCENT if quotient and number.unit != BARE else next(iter(units), BARE)
        if (
            (form in forms or form in unsaid)
            and len(units) < 2
            and same_kind(unit, number.unit)
            and (values[-1] or not quotient)
        ):
            by = (
                (1.0, 100.0)
                if form == "divide"
                else (1.0,)
                if quotient
                else (1.0, *_unscaled(number, written, chosen[0]))
            )
            if any(_reads_as(number, written, _GIVES[form](values) * one) for one in by):
                return form, tuple(chosen)
    return None


def forms_of(text: str, words: Collection[str]) -> set[str]:
    """The calculations that a sentence may tell of, by its wording."""
    kinds = {calculation(text), *(kind for kind in _FORMS if stem(kind) in words)}
    return {form for kind in kinds for form in _FORMS.get(kind, ())}


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
