"""Measures in two units: "2 hours and 30 minutes", "3 lb 5 oz", "thirteen dollars and forty-five cents"."""

from __future__ import annotations

import re

from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.quantity import OF_AGE

_GAPS = frozenset((" and ", ", and ", ", ", " ", ""))
_WIDEST = 6
_LISTED = frozenset(("week", "day", "year"))
"""Units whose commas separate a list rather than the parts of a measure: "at 4 weeks, 3 days"."""
_MEASURED = ("time", "length", "mass", "currency:")
_SENTENCE_END = re.compile(r" ?(?:[.!?](?: |\Z)|\Z)")


def join_compounds(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Add up two mentions that state one measure."""
    if len(mentions) < 2:
        return mentions
    joined: list[Mention] = []
    for mention in mentions:
        last = joined[-1] if joined else None
        near = last is not None and last.source != "" and mention.start - last.end <= _WIDEST
        per = _goes_on(text, last, text.lower[last.end : mention.start], mention) if last is not None and near else 0.0
        if last is not None and per:
            _join(last, mention, per)
        else:
            joined.append(mention)
    return joined


def _goes_on(text: Text, first: Mention, gap: str, second: Mention) -> float:
    """How many of the second's unit make one of the first's, if both state one measure; else 0."""
    lower = text.lower
    if gap not in _GAPS or (gap[:1] == "," and first.unit in _LISTED):
        return 0
    measured = second.source == "unit" and first.source in ("unit", "currency")
    per = _parts(text, first.unit, _smaller(second.unit)) if measured else 0
    if (measured and not per) or lower.endswith("between ", 0, first.start):
        return 0
    if first.number.power and first.number.shape == "digits":  # "$22m, 18 cents per share" are two
        return 0
    whole = first.low == first.high and 0 < first.number.value == int(first.number.value)
    if not whole or second.low != second.high or second.low < 0 or second.number_start != second.start:
        return 0
    if measured:
        metric = per in (10, 100, 1000) and not text.is_money(first.unit)
        return per if second.low < per and (gap.strip() == "" or not metric) else 0
    if second.source or not text.is_money(first.unit):
        return 0
    ends = 10 <= second.low < 100 and gap[:1] == " " and _SENTENCE_END.match(lower, second.end)
    return 100 if ends else 0  # "15 dollars and 15."


def _parts(text: Text, larger: str, smaller: str) -> float:
    """How many of the smaller unit are one of the larger; 0 if no whole number of them is."""
    family = text.registry.family(larger) or ""
    if not family.startswith(_MEASURED):
        return 0
    if smaller == "cent" and text.is_money(larger):
        return 100
    if larger == smaller or text.registry.family(smaller) != family:
        return 0
    converted = text.registry.conversion(larger, smaller)
    if converted is None or converted[0] < 2 or abs(converted[0] - round(converted[0])) > 1e-9:
        return 0
    return round(converted[0])


def _join(first: Mention, second: Mention, per: float) -> None:
    """Add the second to the first; what its unit says beyond the measure (" of age", " per day") is the whole's."""
    first.low = first.high = first.low + second.low / per
    if second.source:
        first.unit += second.unit.removeprefix(_smaller(second.unit))
    first.end_with(second)


def _smaller(unit: str) -> str:
    return unit.split(" per ")[0].removesuffix(OF_AGE)
