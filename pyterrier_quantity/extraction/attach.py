"""What a number measures or counts: the unit behind it, or the counted noun."""

from __future__ import annotations

import re

from pyterrier_quantity.units import UnitMatch

from . import bounds, counts, filters, letters, numerals
from .reading import Reading, Source

_FEET_INCHES = re.compile(
    r"(?:'|-?ft\.?| ft\.?,?| ?feet,?| ?foot,?)[ -]?(\d{1,2}(?:\.\d+)?)(?: ?(?:\"|''|in\b\.?|inch(?:es)?\b)|(?![\w.%]))"
)
_FEET_SURE = re.compile(r"' ?\d|.*(?:\"|''|in\b|inch)")
_RATIO = re.compile(
    r" (?:in|out of)(?: every)? "
    r"(?:\d|two|three|four|five|six|seven|eight|nine|ten|twenty|an? (?:hundred|thousand|million|billion))"
)
_SPREAD = re.compile(r"\d ?\(\Z")
"""A number in brackets behind another one is its spread, with the unit of both behind it: "163.9 (12.5) mmHg"."""
_PART_OF = re.compile(r" of (?:an?|one)(?: us| u\.s\.| imperial)?(?= )")
_AGO = re.compile(r" (?:ago|earlier|before)\b")
_IN_A = re.compile(r" in (?:a|an|one|each) (?=day|week|month|year|hour|minute)")
_NAME_GOES_ON = re.compile(r"-\d+(?:[.,]\d+)*(?!\d|[.,]\d| ?[a-zµ°%])")
_CASH = re.compile(r" (?:in )?(?:cash|net)(?= (?:per|a|an)\b)")
_EACH_SHARE = re.compile(r"(?: cash| in cash)? for (?:each|every) (?:[\w.&]+ ){0,4}?(?:shares?|ordinary)\b")
_SHARE_AT = re.compile(r"\bshares? (?:at|for|of|to)(?: about| around| some| only)? \Z")
_EACH_BEFORE = re.compile(r"\b(?:each|every|per) (?:[\w.&]+ ){0,4}?shares? ")
_THE = re.compile(r"\b(?:a|an|the|its|this|their) \Z")
_MODIFIER = re.compile(r"\b(top|previous|record) \Z")
_VERSUS = re.compile(r" vs\.? (?:loss |profit |gain )?\Z")
_TABLE_LABEL = re.compile(r" [A-Z][a-z]+ ")
_NAMED = re.compile(r"-(?:[A-Z]|(?:for-|based|series|type|style|compatible|class|powered)\b)")
_SHARE = r"(?:(?:an? |one[ -])?(?:half|third|quarter)|(?:two|three)[ -](?:third|quarter|fifth)s)"
_TO_SHARE = re.compile(rf" (?:to|or) (?:more|less|{_SHARE})\b")
_AND_SHARE = re.compile(rf" and {_SHARE}\b")
_FROM_SHARE = re.compile(rf"(?:\b{_SHARE} (?:to|or)|\bbetween {_SHARE} and) (?:an? |one-)?\Z")
_HALF_OF = (" a ", " its ", " their ", " our ", " his ", " her ")
_PERIOD = re.compile(r"\b(?:first|second|latter|last|early|final|next) \Z")
_HALF_YEAR = re.compile(r"(?<!past )(?<!last )half[- ]years?\b")
_FOLD = re.compile(r"[ -]?fold\b")
SPANS = frozenset(("second", "minute", "hour", "day", "night", "week", "month", "year"))
_DOSES = ("milligram", "gram", "microgram", "millilitre", "international unit", "unit")


def attach(source: Source, reading: Reading, digit: bool) -> bool:
    """Read the unit or the counted noun behind the number; False if the number is part of a longer name."""
    number, low, plain = reading.number, source.low, source.plain
    follower = low[number.end : number.end + 1]
    if digit and number.power == 0 and (follower == " " or follower.isalpha()):
        letters.scale(source, reading)
    end = number.end
    follower = low[end : end + 1]
    if digit and follower in ("'", " ", "f", "-") and _feet_inches(low, reading):
        return True
    versus = follower == " " and _VERSUS.search(low, max(0, number.start - 16), number.start)
    if versus and _TABLE_LABEL.match(plain, end):
        return True  # "Net 516,063 vs 328,468 Revs 8.3 mln"
    if follower == "+" and low[end + 1 : end + 2] == " ":
        follower, end = " ", end + 1  # "10+ kg"
    if number.shape == "share" and _HALF_YEAR.match(low, number.start):
        return False
    unit = source.registry.match_after(plain, end)
    if unit is None and follower == " ":
        unit = _odd_place(source, reading)
    elif unit is None and follower == ")" and _SPREAD.search(low, max(0, number.start - 3), number.start):
        unit = source.registry.match_after(plain, end + 1)
        unit = None if unit is not None and source.is_money(unit.unit) else unit
    glued = follower.isalnum() or follower == "_"
    if unit is not None and not (glued and unit.start != end) and not _ago(low, reading, unit):
        if plain[unit.end - 1].isalpha() and _NAME_GOES_ON.match(plain, unit.end):
            return False
        _with_unit(source, reading, unit)
        return True
    fold = _FOLD.match(low, end)
    if fold:
        reading.set_unit("count", fold.start(), fold.end(), "unit", 1.0)
        return True
    if glued:
        return False
    if follower == "-" and _NAMED.match(plain, end) and not plain.isupper():
        return False
    if number.shape == "share":
        return _share(low, reading)
    if filters.is_year(number, *filters.words_around(low, number)):
        return _counted(source, reading) and reading.unit.rpartition(" per ")[2] in SPANS
    return _counted(source, reading)


def per_after(source: Source, at: int, name: str) -> tuple[str, int]:
    """The unit with the denominator that stands at `at` ("$16 | a barrel"), and where it ends."""
    if source.low[at : at + 1] == " ":
        skipped = _CASH.match(source.low, at) or _IN_A.match(source.low, at)
        start = at if skipped is None else at + 3 if skipped.re is _IN_A else skipped.end()
    else:
        start = at
    per = source.registry.match_per(source.plain, start, name)
    return (name, at) if per is None else (per.unit, per.end)


def _counted(source: Source, reading: Reading) -> bool:
    """Read the counted noun, if any; "one" alone is a pronoun."""
    number, low, end = reading.number, source.low, reading.number.end
    one = number.value == 1 and number.power == 0
    if low.startswith("+ ", end) and not one:
        end += 1  # "5000+ employees"; but "1+ proteinuria"
    if filters.has_label(low, number):
        return True
    if one and low.endswith(("no ", "any", "some", "every"), 0, number.start):
        return False
    noun = counts.after(low, end, one)
    if noun is None and low[end : end + 2] in (" o", " a") and not one:
        cue = bounds.after(low, end)
        noun = counts.after(low, cue.end, False) if cue else None
    simple = number.plain or number.shape == "words"
    if noun is None and simple and not one and _THE.search(low, max(0, number.start - 6), number.start):
        noun = counts.singular_phrase(low, end)
    if noun is not None:
        name, stop = per_after(source, noun.end, noun.name)
        before = _MODIFIER.search(low, max(0, number.start - 10), number.start)
        if before and noun.sure:
            name = f"{before[1]} {name}"
        reading.set_unit(name, noun.start, noun.end, "noun", 0.9 if noun.sure else 0.6)
        reading.end = max(reading.end, stop)
        return True
    if low[end : end + 1] == "-" and low[end + 1 : end + 2].isalpha() and number.shape == "digits":
        return False  # "5-fluorouracil"
    return not (one and number.shape == "words") or _RATIO.match(low, end) is not None


def _odd_place(source: Source, reading: Reading) -> UnitMatch | None:
    """A unit that does not follow directly: "1/16 of a pint", "10 or more mg", "20 (kg)", "30 - year"."""
    end, low, plain = reading.number.end, source.low, source.plain
    follower = low[end + 1 : end + 2]
    match = source.registry.match_after
    if follower in ("(", "[", "{", "<"):
        unit = match(plain, end + 2)
        closed = unit is not None and unit.start == end + 2 and plain[unit.end : unit.end + 1] in (")", "]", "}", ">")
        return unit if closed else None
    if follower == "-" and low[end + 2 : end + 3] == " ":
        return match(plain, end + 2)
    if reading.number.value < 1:
        part = _PART_OF.match(low, end)
        return match(plain, part.end()) if part else None
    cue = bounds.after(low, end) if follower in ("o", "a") else None
    return match(plain, cue.end) if cue else None


def _ago(low: str, reading: Reading, unit: UnitMatch) -> bool:
    """ "129,000 week ago": the week is when, not what."""
    return (
        reading.high > 1 and unit.unit in SPANS and low[unit.end - 1] != "s" and _AGO.match(low, unit.end) is not None
    )


def _with_unit(source: Source, reading: Reading, unit: UnitMatch) -> None:
    name, end = unit.unit, unit.end
    money = source.is_money(name)
    numerator, _, denominator = name.rpartition(" per ")
    adverb = source.low[end - 2 : end] == "ly"
    if denominator in SPANS and (numerator in SPANS or (adverb and numerator.startswith(_DOSES))):
        name = numerator  # "30 minutes a day", "25 mg weekly": a schedule, not a rate
    elif money:
        name, end = _per_share(source, reading, name, end)
    reading.set_unit(name, unit.start, end, "unit", unit.confidence)
    reading.multiply(unit.scale)
    if money and reading.number.power == 0:
        scale = numerals.SCALE.match(source.low, reading.end)
        if scale:  # "75 USD million"
            reading.scale(numerals.POWERS[scale["word"]], scale.end("word"))
            reading.unit_start, reading.unit_end = unit.start, end


def _per_share(source: Source, reading: Reading, name: str, end: int) -> tuple[str, int]:
    """Prices of shares in other words: "52 dlrs cash per share", "345p for every X share", "each share at 205p"."""
    low = source.low
    cash = _CASH.match(low, end)
    if cash:
        return per_after(source, end, name)
    each = _EACH_SHARE.match(low, end)
    if each:
        return f"{name} per share", each.end()
    floor = max(0, reading.start - 70)
    if _SHARE_AT.search(low, floor, reading.start) and (
        low.startswith((" each", " apiece"), end) or _EACH_BEFORE.search(low, floor, reading.start)
    ):
        return f"{name} per share", end
    return name, end


def _share(low: str, reading: Reading) -> bool:
    """ "a third of", "half the": a share only where something follows that it is a share of, or another share."""
    start, end = reading.number.start, reading.number.end
    reading.confidence = 0.5
    before = low[max(0, start - 30) : start]
    between = before.endswith(("between ", "between a ")) and _AND_SHARE.match(low, end)
    if between or _TO_SHARE.match(low, end) or _FROM_SHARE.search(before):
        return True
    half = low.startswith(("half", "halves"), start)
    if half and _PERIOD.search(before):
        return False
    return low.startswith((" of ", " the ", *(_HALF_OF if half else (" interest",))), end)


def _feet_inches(low: str, reading: Reading) -> bool:
    """Heights: 5'11", 6 ft 2 in, 5 feet 11 inches."""
    number = reading.number
    found = _FEET_INCHES.match(low, number.end)
    if not found or not number.plain or float(found[1]) >= 12 or not _FEET_SURE.match(found.group()):
        return False
    reading.low = reading.high = reading.high + float(found[1]) / 12
    reading.set_unit("foot", number.end, found.end(), "unit", 1.0)
    reading.number_end = found.end()
    return True
