"""Names with numbers in them: what is counted under one ("12 Boeing 737 jets"), and number words within one."""

from __future__ import annotations

import re

from . import counts
from .reading import Reading, Source

_TOKEN = r"(?: (?:i?[A-Z][\w&.'-]*|\d{1,4}[A-Za-z]{0,3}(?![\w.,%])|and(?= i?[A-Z])))"
_COUNTED = re.compile(
    r"(?P<new> (?:new|used|old|additional|extra|more|other|modern|brand-new))?"
    rf"(?P<name>(?(new)(?= i?[A-Z\d])|(?= i?[A-Z])){_TOKEN}{{1,7}})(?= [a-z])"
)
_DISTINCT = re.compile(r"\d| and ")
_NAME_BEFORE = re.compile(r"[A-Z][\w&]* \Z")
_SMALL_BEFORE = re.compile(r"(?:\A|[\s(\"'])[a-z]+ [\"']?\Z")
_NAME_AFTER = re.compile(r" (?:and a |and |a )?[A-Z]|[\"',.;:!?)]|\Z")


def count(source: Source, reading: Reading) -> bool:
    """Read the noun behind the name of a product: "63,000 Model 3 sedans", "two new Falcon 9 rockets".

    Args:
        reading: a number without a unit; its unit is set if there is such a noun.
    """
    number, plain = reading.number, source.plain
    if plain[number.end : number.end + 1] != " ":
        return False
    named = _COUNTED.match(plain, number.end)
    if named is None or not _DISTINCT.search(named["name"]):
        return False
    if _NAME_BEFORE.search(plain, max(0, number.start - 30), number.start):
        return False
    noun = counts.after(source.low, named.end(), False)
    if noun is None or not noun.sure or source.registry.match_after(plain, named.end()) is not None:
        return False
    several = " and " in named["name"]
    start = noun.start if several else number.end + 1
    name = noun.name if several else f"{source.low[start : named.end()]} {noun.name}"
    reading.set_unit(name, start, noun.end, "noun", 0.8)
    return True


def is_title(source: Source, reading: Reading) -> bool:
    """Is the number word, with a capital amid small letters, part of a name ("the film Two and a Half Men")?"""
    number, plain = reading.number, source.plain
    if number.shape != "words" or not plain[number.start].isupper() or reading.source not in ("", "noun"):
        return False
    before = _SMALL_BEFORE.search(plain, max(0, number.start - 24), number.start)
    if before is None or _NAME_AFTER.match(plain, number.end) is None:
        return False
    words = plain[max(0, number.start - 60) : number.start].split()[-6:]
    return sum(len(word) > 3 and word.islower() for word in words) >= sum(word[0].isupper() for word in words)
