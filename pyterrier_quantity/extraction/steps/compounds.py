"""Measures in two units: "2 hours and 30 minutes", "3 lb 5 oz", "thirteen dollars and forty-five cents"."""

from __future__ import annotations

import re

from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text

_PARTS = {
    "week": {"day": 7}, "day": {"hour": 24}, "hour": {"minute": 60, "second": 3600}, "minute": {"second": 60},
    "year": {"month": 12}, "foot": {"inch": 12}, "yard": {"foot": 3, "inch": 36}, "mile": {"yard": 1760, "foot": 5280},
    "stone": {"pound-mass": 14}, "pound-mass": {"ounce": 16}, "dollar": {"cent": 100}, "canadian dollar": {"cent": 100},
    "australian dollar": {"cent": 100}, "euro": {"cent": 100}, "pound sterling": {"penny": 100},
    "chinese yuan": {"mao": 10}, "russian rouble": {"kopeck": 100}, "indian rupee": {"paise": 100},
    "rupee": {"paise": 100}, "german mark": {"pfennig": 100}, "swiss franc": {"rappen": 100, "centime": 100},
}  # fmt: skip
"""The units that a measure may go on in, and how many of them are one of the larger."""
_GAPS = frozenset((" and ", ", and ", ", ", " ", ""))
_LISTED = frozenset(("week", "day", "year"))
"""Units whose commas separate a list rather than the parts of a measure: "at 4 weeks, 3 days"."""
_SENTENCE_END = re.compile(r" ?(?:[.!?](?: |\Z)|\Z)")


def join_compounds(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Add up two mentions that state one measure."""
    joined: list[Mention] = []
    for mention in mentions:
        last = joined[-1] if joined else None
        per = 0.0 if last is None else _goes_on(text.lower, last, text.lower[last.end : mention.start][:8], mention)
        if last is not None and per:
            _join(last, mention, per)
        else:
            joined.append(mention)
    return joined


def _goes_on(lower: str, first: Mention, gap: str, second: Mention) -> float:
    """How many of the second's unit make one of the first's, if both state one measure; else 0."""
    parts = _PARTS.get(first.unit)
    if parts is None or gap not in _GAPS or (gap[:1] == "," and first.unit in _LISTED):
        return 0
    if lower.endswith("between ", 0, first.start):
        return 0
    whole = first.low == first.high and 0 < first.number.value == int(first.number.value)
    if not whole or second.low != second.high or second.low < 0 or second.number_start != second.start:
        return 0
    if not second.source and "cent" in parts:  # "15 dollars and 15."
        ends = 10 <= second.low < 100 and gap[:1] == " " and _SENTENCE_END.match(lower, second.end)
        return 100 if ends else 0
    if not second.source and "mao" in parts and gap == " " and second.low < 10:  # "three kuai five"
        return {"kuai": 10, "mao": 100}.get(lower[: first.end].rpartition(" ")[2], 0)
    per = parts.get(_smaller(second.unit), 0) if second.source == "unit" and first.source in ("unit", "currency") else 0
    return per if second.low < per else 0


def _join(first: Mention, second: Mention, per: float) -> None:
    """Add the second to the first; what its unit says beyond the measure (" of age", " per day") is the whole's."""
    first.low = first.high = first.low + second.low / per
    if second.source:
        first.unit += second.unit.removeprefix(_smaller(second.unit))
    first.end_with(second)


def _smaller(unit: str) -> str:
    return unit.split(" per ")[0].removesuffix(" of age")
