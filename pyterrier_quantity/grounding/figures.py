"""Whether stated values give the number of an answer: converted, rounded as people round, or calculated with."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, combinations, permutations
from typing import Any, Final, NamedTuple

from pyterrier_quantity.english import rows_of
from pyterrier_quantity.grounding.evidence import Stated
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.plan.calculations import calculation
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.units import default_registry
from pyterrier_quantity.units.dimensions import rescaled

_FARTHEST: Final = 0.05  # share by which a number whose whole digits are rounded away may be off
_DIGITS: Final = re.compile(r"\d[\d,]*(?:\.(\d+))?")
_RATIOS: Final = {"percentage": 100.0, BARE: 1.0, "proportion": 1.0}
_MOST: Final = 16  # numbers that are calculated with
_LONG: Final = 4  # digits from which the answer need not say how
_FORMS: Final = [(re.compile(wording, re.I), forms.split("|")) for wording, forms in rows_of("calculation_forms.tsv")]
_GIVES: Final[dict[str, Callable[..., float]]] = {
    "subtract": operator.sub,
    "divide": operator.truediv,
    "percentage change": lambda one, other: (one - other) / other,
    "multiply": operator.mul,
    "sum": lambda *values: sum(values),
    "average": lambda *values: sum(values) / len(values),
}
_OF_SEVERAL: Final = ("sum", "average")


class Operand(NamedTuple):
    """A stated value, in the answer's unit where it converts."""

    value: float
    unit: str
    stated: Stated


def same_kind(one: str, other: str) -> bool:
    """Whether two units may tell of the same thing: they convert, or both are money."""
    return _conversion(one, other) is not None or (_is_money(one) and _is_money(other))


def states(number: Quantity, written: str, one: Stated, end: bool) -> bool:
    """Whether a stated quantity is what the number, as it is written, says; `end`: or an end of its range is."""
    pair = _conversion(one.quantity.unit, number.unit)
    if pair is None:
        return False
    ends = [rescaled(value, *pair) for value in (one.quantity.low, one.quantity.high)]
    least, most = _span(number, written)
    enough = any if end else all
    return any(enough([least <= abs(value * by) <= most for value in ends]) for by in _scales(one))


def forms_of(text: str) -> frozenset[str]:
    """The calculations that a sentence may tell of, by its wording."""
    told = f"{calculation(text)}: {text}"
    return frozenset(form for wording, forms in _FORMS if wording.search(told) for form in forms)


def derivation(
    number: Quantity, written: str, pool: Sequence[Stated], told: Collection[str]
) -> tuple[str, tuple[Stated, ...]] | None:
    """The calculation that gives a number, and of what.

    Args:
        pool: what the answer's words fit best, the best first.
        told: the calculations that the answer tells of.
    """
    exact = len(re.sub(r"\D", "", written).strip("0")) >= _LONG
    operands = [_operand(one, number.unit) for one in pool if one.quantity.low == one.quantity.high]
    operands = [one for one in operands if one.value][:_MOST]
    least, most = _span(number, written)
    for form in [form for form in _GIVES if exact or form in told]:
        for each in _summands(operands) if form in _OF_SEVERAL else permutations(operands, 2):
            value = _GIVES[form](*(one.value for one in each))
            if any(least <= abs(value * by) <= most for by in _factors(form, number.unit, each)):
                return form, tuple(one.stated for one in each)
    return None


def _factors(form: str, wanted: str, of: Sequence[Operand]) -> tuple[float, ...]:
    """By what a result may have to be multiplied; nothing where it is of another kind than the number, or of values in
    several units."""
    unit = of[0].unit
    if form == "multiply":
        return _scales(of[0].stated)
    if not all(one.unit == unit or BARE in (one.unit, unit) for one in of):
        return ()
    if form in ("percentage change", "divide"):
        return (_RATIOS[wanted],) if wanted in _RATIOS else ()
    return _scales(of[0].stated) if _conversion(unit, wanted) else ()


def _summands(operands: Sequence[Operand]) -> Iterator[tuple[Operand, ...]]:
    """Pairs, and the best of a row, of a column without its total, or of a sentence."""
    lines: dict[object, list[Operand]] = {}
    for one in operands:
        stated = one.stated
        places: list[object] = [*enumerate(stated.cell.place)] if stated.cell else [stated.sentence]
        for place in places[: 1 if stated.name == {"total"} else None]:
            lines.setdefault(place, []).append(one)
    longer = (tuple(line[:size]) for line in lines.values() for size in range(3, len(line) + 1))
    return chain(combinations(operands, 2), longer)


def _operand(one: Stated, wanted: str) -> Operand:
    value, unit = one.quantity.low, one.quantity.unit
    pair = None if unit == BARE else _conversion(unit, wanted)
    return Operand(rescaled(value, *pair), wanted, one) if pair else Operand(value, unit, one)


def _conversion(unit: str, other: str) -> Any:
    """Factor and offset from a unit to another, None if there are none. A bare number goes with any unit, a count with
    any other."""
    if BARE in (unit, other) or (is_count(unit) and is_count(other)):
        return 1.0, 0.0
    return default_registry().conversion(unit, other)


def _is_money(unit: str) -> bool:
    return (default_registry().family(unit) or "").startswith("currency")


def _span(number: Quantity, written: str) -> tuple[float, float]:
    """The absolute values that a number, as it is written, stands for: within half of its last digit that counts; of
    "more than 500" those a little above, too."""
    low, high = sorted((abs(number.low), abs(number.high)))
    found, room = _DIGITS.search(written), _FARTHEST * high
    plain = found[0].replace(",", "") if found else ""
    if found and plain.strip("0."):
        half = 0.5 * high / float(plain)
        rough = number.bound == "~"
        zeros = min(len(plain) - len(plain.rstrip("0")), max(0, len(plain) - 2 + rough))
        room = half * 10.0 ** -len(found[1]) if found[1] else min(room * (1 + rough), half * 10.0**zeros)
    more, less = (5 * _FARTHEST * high * (number.bound in bounds) for bounds in ((">", ">="), ("<", "<=")))
    return low - less - room, high + more + room


def _scales(one: Stated) -> tuple[float, ...]:
    """By what a table's number may have to be multiplied, where either it or the answer leaves out the scale."""
    told = (one.cell and one.cell.measure.scale) or 1.0
    if told != 1.0:
        return 1.0, 1 / told
    unscaled = one.cell and (one.quantity.unit == BARE or _is_money(one.quantity.unit))
    return (1.0, 1e3, 1e6, 1e9) if unscaled else (1.0,)
