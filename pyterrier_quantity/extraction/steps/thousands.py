"""Points that group thousands, as most of Europe writes: "1.299 €", "12.000 people", "60.000 km"."""

from __future__ import annotations

import re

from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text

_GROUPED = re.compile(r"[1-9]\d{0,2}\.(\d{3})\Z")
_DECIMAL = ("dollar", "pound sterling")


def group_thousands(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Multiply what can have no three decimals: counted things, sums of money, round distances."""
    for mention in mentions:
        number = mention.number
        if mention.low == mention.high and 5 <= number.end - number.start < 8 and number.value < 1000:
            digits = _GROUPED.match(text.lower[number.start : number.end])
            if digits and _is_grouped(text, mention, digits[1]):
                mention.multiply(1000)
    return mentions


def _is_grouped(text: Text, mention: Mention, decimals: str) -> bool:
    if " per " in mention.unit:
        return False
    if text.is_money(mention.unit):
        return mention.unit_end - mention.unit_start <= 3 and not mention.unit.endswith(_DECIMAL)
    if mention.source == "noun" or mention.unit == "people":
        return mention.confidence > 0.5
    return mention.unit == "kilometre" and decimals == "000"
