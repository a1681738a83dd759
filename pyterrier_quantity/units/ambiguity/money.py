"""What tells money from other things: limits of prices, codes that are words or systems of sizes as well."""

from __future__ import annotations

import re

from pyterrier_quantity.english import listed
from pyterrier_quantity.units.ambiguity.site import Site, about

_LIMIT_WORDS = (
    r"\b(?:under|below|up to|at (?:the )?most|(?:less|lower|cheaper|no more) than|max(?:imum)?|between \d+ and)"
)
_LIMIT = re.compile(rf"{_LIMIT_WORDS} [\d,]{{2,}}[ -]?$", re.IGNORECASE)
"""What limits a price, where nothing weighs: "sofa under 900 pounds"."""


def limits_a_price(site: Site) -> bool:
    """Whether the number is a limit as prices have: "under 500 gbp"."""
    return _LIMIT.search(site.before) is not None


_WORDS_AS_CODES = listed("currency codes that are words")
CODE_WORDS = _WORDS_AS_CODES | {"INR"}
_AMOUNT = re.compile(r"\d[\d,.]*(?:\s?(?:m|bn|mln|million|billion|k|b|trillion|tn)\b|(?![-A-Za-z\d]))")
_CAPITALS = re.compile(r"[A-Z]{2,}")


_SYSTEMS = frozenset(("US", "UK", "EU"))
_CLOTHES = about("clothes")
_SIZE = re.compile(r"\d{1,2}(?:\.5)?(?![\w%/]|[.,-]\d)")
_RUPEES = re.compile(r"\d[\d,]")
_FAR = 40


def sign_before(code: str, text: str, start: int, stop: int, number: int) -> float | None:
    """Confidence that an ambiguous sign or code right before a number means money; None: it does not."""
    if code.upper() in _SYSTEMS:
        near = text[max(0, start - _FAR) : number + _FAR]
        return 0.8 if _SIZE.match(text, number) and _CLOTHES.search(near) else None
    if code == "INR":
        return 0.9 if _RUPEES.match(text, number) else None  # no ratio of 2.5
    amount = _AMOUNT.match(text, number)
    short = amount is None or amount.end() - number < 3  # "R1 = 4.7 kΩ", "COP26"
    if code not in _WORDS_AS_CODES:
        return None if short or stop != number else 0.7
    neighbours = text[max(0, start - 12) : start] + " " + text[number : number + 24]
    return None if (short and stop == number) or _CAPITALS.search(neighbours) else 0.7
