"""Give bare numbers the unit of their label: "Revenue (USD) below 5,000", "Age (years): 40", "Weight in kg: 75"."""

from __future__ import annotations

import re

from pyterrier_quantity.english import SCALES as POWERS
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.units import UnitMatch

_BRACKETS = re.compile(
    r"[^\W\d_] ?(?:\((?P<unit>[^()\d]{1,24})\)(?:[:=] ?| (?:[a-z]{1,12} ){0,4})|in (?P<label>[^():\d]{1,24}): ?)"
    r"[<>=≤≥~]{0,2} ?\Z"
)
_SCALED = re.compile(
    rf"(?:in )?(?P<sign>[^\w\s]|[a-z]{{3}}(?= ))?? ?(?P<scale>(?:{'|'.join(POWERS)})s?\b)(?: of)? ?(?P<rest>[^()\d]*)"
)
"""A unit and its scale: "in $ millions", "mln bpd", "thousands of tonnes"."""
_REACH = 80


def read_bracketed_units(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Read the unit of each number without one in the brackets, or behind the "in" of the label, before it."""
    lower = text.lower
    opened = "(" in lower
    if not (opened or (": " in lower and " in " in lower)):
        return mentions
    for mention in mentions:
        if mention.unit == BARE and mention.source == "" and (opened or lower.endswith(": ", 0, mention.start)):
            unit = _unit_before(text, mention.start)
            if unit is not None:
                mention.unit, mention.source, mention.confidence = unit.unit, "shared", 0.9
                mention.multiply(unit.scale)
    return mentions


def _unit_before(text: Text, start: int) -> UnitMatch | None:
    brackets = _BRACKETS.search(text.lower, max(0, start - _REACH), start)
    if brackets is None:
        return None
    begin, end = brackets.span(brackets.lastgroup or "unit")
    scaled = _SCALED.fullmatch(text.lower, begin, end)
    if scaled:
        sign = text.registry.match_before(text.plain, scaled.end("sign")) if scaled["sign"] else None
        unit = sign or text.registry.match_after(text.plain, scaled.start("rest"))
        return None if unit is None else unit._replace(scale=unit.scale * 10.0 ** POWERS[scaled["scale"].rstrip("s")])
    unit = text.registry.match_after(text.plain, begin)
    return unit if unit is not None and unit.start == begin and unit.end == end else None
