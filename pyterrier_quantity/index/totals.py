"""Derive values that follow from two neighbouring quantities in a text, such as rates and totals.

"3 nights for £210" also means 70 pounds per night. "6 x 330 ml" also means six packs and 1,980 ml. "6 hours a day, 3
days a week" also means 18 hours per week.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from pyterrier_quantity.constants import COMPUTED_VALUE
from pyterrier_quantity.english import listed
from pyterrier_quantity.index.changes import with_changes
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.units import default_registry

_GAP: Final = 40  # maximum number of characters between the two quantities
_FOR: Final = re.compile(
    r"[\s(]*(?:for|costs?|at|@|=)(?: (?:only|just|a total of))?[\s(]*|(?: (?:pack|box|carton|case|bag|tray))?, ",
    re.IGNORECASE,
)
_TIMES: Final = re.compile(r"\s*[x×]\s*", re.IGNORECASE)
_OF: Final = re.compile(r"\s*(?:of|at|@|with|à|[x×])\s*", re.IGNORECASE)
_OVER: Final = re.compile(r", |,? (?:for|over|during|on|with|of|at|[x×]) | \(", re.IGNORECASE)
_SAME_SENTENCE: Final = re.compile(r"[^.;?!\n]*")
_EACH: Final = re.compile(r",? ?(?:each|apiece)\b", re.IGNORECASE)
_SOLD: Final = listed("things sold by number")
_MEASURES: Final = frozenset(("mass", "volume", "information", "power", "energy"))  # not lengths: "4 x 30 mm" is a size


def with_derived(quantities: Sequence[Quantity], text: str) -> list[Quantity]:
    """Return the quantities in a text, and the values that follow from two neighbours: 1980 ml for "6 x 330 ml"."""
    further = {second: _derived(first, second, text) for first, second in pairwise(quantities)}
    found: list[Quantity] = []
    for one in with_changes(quantities, text):
        found += (one, *further.get(one, ()))
    return found


def _derived(first: Quantity, second: Quantity, text: str) -> list[Quantity]:
    gap = text[first.end : second.start]
    exact = first.low == first.high and second.low == second.high and first.low > 0 and second.low > 0
    if not exact or not 0 <= second.start - first.end <= _GAP or first.bound in ("up", "down"):
        return []
    registry = default_registry()
    if _FOR.fullmatch(gap):
        for money, things in ((first, second), (second, first)):
            sold = "," not in gap or things.unit in _SOLD
            if registry.is_currency(money.unit) and _counts(things) and things.bound == "=" and sold:
                return [_computed(money, money.low / things.low, f"{money.unit} per {things.unit}", second)]
    if _TIMES.fullmatch(gap):
        many, one = (first, second) if first.unit == BARE else (second, first)
        if many.unit == BARE and _is_added(one) and many.low.is_integer():
            return [_computed(many, many.low, "pack", second), _computed(one, many.low * one.low, one.unit, second)]
    each = _EACH.match(text, second.end) and _SAME_SENTENCE.fullmatch(gap)
    if (
        (each or _OF.fullmatch(gap))
        and _counts(first)
        and first.bound == "="
        and (_is_added(second) or _are_parts(first, second))
    ):
        return [_computed(second, first.low * second.low, second.unit, second)]
    above, per, below = first.unit.partition(" per ")
    many_unit, *rest = registry.parts(second.unit) if per else ("",)
    summed = registry.family(above) == "time" or registry.is_money(above)  # doses do not add up
    if per and summed and _OVER.fullmatch(gap) and len(rest) < 2 and (by := registry.conversion(many_unit, below)):
        unit = " per ".join((above, *rest))
        return [_computed(first, first.low * second.low * by[0], unit, second)]
    return []


def _counts(quantity: Quantity) -> bool:
    """Return whether a quantity counts at least two things or units of time: true for "3 nights"."""
    known = default_registry().family(quantity.unit) in ("count", "person", "time")
    return quantity.low >= 2 and (known or is_count(quantity.unit)) and " per " not in quantity.unit


def _are_parts(first: Quantity, second: Quantity) -> bool:
    """Return whether the second quantity is a duration per unit of the first: true for "three days of 6 hours"."""
    by = default_registry().conversion(first.unit, second.unit)
    return default_registry().family(first.unit) == "time" and by is not None and by[0] > 1


def _is_added(quantity: Quantity) -> bool:
    """Return whether several such quantities add up to a total: True for "330 ml", False for the dose "20 mg"."""
    grams = default_registry().conversion(quantity.unit, "gram")
    return default_registry().family(quantity.unit) in _MEASURES and (grams is None or grams[0] >= 1)


def _computed(like: Quantity, value: float, unit: str, at: Quantity) -> Quantity:
    value, confidence = float(f"{value:.12g}"), min(like.confidence, at.confidence, COMPUTED_VALUE)
    unit = default_registry().resolve(unit)
    return replace(like, low=value, high=value, unit=unit, start=at.start, end=at.end, confidence=confidence)
