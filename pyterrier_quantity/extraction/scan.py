"""First pass over a text: every single number with its sign, scale, unit or counted noun."""

from __future__ import annotations

import re

from pyterrier_quantity.units import UnitMatch, default_registry

from . import bounds, counts, filters, numbers
from .numbers import Number
from .reading import Reading

_REST_OF_TOKEN = re.compile(r"[\w-]*")
_PREFIX = re.compile(r"(?:\A|[^\w-])(?:sub|minus|to|now|plus|about|under|over|nearly|only|then|and|or|a|per|the|some|up|down|record|year)-\Z")
_GLUED_SCALE = re.compile(r" ?(k|m|mm|b|bn|t|tn)(?![\w])")
_LETTER_POWERS = {"k": 3, "m": 6, "mm": 6, "b": 9, "bn": 9, "t": 12, "tn": 12}
_SIGN_LEFT = frozenset(" (=<>~:\"'[$€£¥/,±≥≤|\t\n")
_FEET_INCHES = re.compile(r"(?:'|-?ft\.?| ft\.?,?| ?feet,?| ?foot,?)[ -]?(\d+(?:\.\d+)?)(?: ?(?:\"|''|in\b\.?|inch(?:es)?\b)|(?![\w.%]))")
_FEET_SURE = re.compile(r"' ?\d|.*(?:\"|''|in\b|inch)")
_RATIO = re.compile(r" (?:in|out of)(?: every)? (?:\d|two|three|four|five|six|seven|eight|nine|ten|twenty)")
_CAPITAL = re.compile(r" [A-Z][A-Za-z]")
_BEFORE_NAME = re.compile(r"(?<![\w&.])[A-Z][\w&.]*(?<!\.) \Z")
_NAMED_AGE = re.compile(r"[^\W\d_a-z][^\W\d_]+, \Z")
_PART_OF = re.compile(r" of (?:an?|one)(?: us| u\.s\.| imperial)?(?= )")
_AGO = re.compile(r" (?:ago|earlier|before)\b")
_IN_A = re.compile(r" in (?:a|an|one|each) (?=day|week|month|year|hour|minute)")
_NAME_GOES_ON = re.compile(r"-\d")
_SHARE_AT = re.compile(r"\bshares? (?:at|for|of|to)(?: about| around| some| only)? \Z")
_EACH_BEFORE = re.compile(r"\b(?:each|every|per) (?:[\w.&]+ ){0,4}?shares? ")
_MONEY = frozenset(("dollar", "cent", "penny", "pound sterling", "euro", "japanese yen", "franc", "mark", "canadian dollar"))
_CASH = re.compile(r" (?:in )?(?:cash|net)(?= (?:per|a|an)\b)")
_EACH_SHARE = re.compile(r"(?: cash| in cash)? for (?:each|every) (?:[\w.&]+ ){0,4}?(?:shares?|ordinary)\b")
_SPANS = frozenset("second minute hour day night week month year".split())
_DOSES = ("milligram", "gram", "microgram", "millilitre", "international unit", "unit")
_MARKER = re.compile(r" ?\)")
_OPENED = re.compile(r"\([^)]*[^)\s][^)]*\Z")
_CENTS = re.compile(r",?(?: and)? (\d{1,2}) ?(?:cents?|¢|cts?)(?!\w)")
_SECOND_CURRENCY = re.compile(r"[ -](?:u\.?s\.? ?)?(?:dollars?|dlrs?|us|usd|canadian|australian)(?![\w$]| ?\d)")
_NAMES = frozenset(("covid", "sars-cov", "sars"))


def scan(plain: str, low: str) -> list[Reading]:
    """All numbers of the text that look like quantities, in order; `plain` and `low` as `normal.clean` gives them."""
    readings: list[Reading] = []
    position = 0
    suspect_end = -100
    search = numbers.CANDIDATE.search
    while True:
        found = search(low, position)
        if found is None:
            return readings
        start, stop = found.span()
        if low[start] == "." and start and low[start - 1].isalnum():
            start += 1
        reading, position = _read(plain, low, start, stop, readings, suspect_end)
        if reading is not None:
            readings.append(reading)
        elif position < 0:
            position = suspect_end = -position
        position = max(position, start + 1)


def _read(
    plain: str, low: str, start: int, stop: int, readings: list[Reading], suspect_end: int
) -> tuple[Reading | None, int]:
    """The quantity at a candidate, or None, and where to go on (negative: after a label or date, which may go on)."""
    digit = low[start] in ".0123456789"
    glue = low[start - 1] if start else " "
    currency: UnitMatch | None = None
    if digit:
        skipped = filters.SKIP.match(low, start)
        if skipped and not (readings and readings[-1].end >= start - 1 and glue == "-"):
            return None, -skipped.end() if low[skipped.end() - 1].isalpha() else skipped.end()
        if glue.isalnum() or glue in "_^@":
            currency = default_registry().match_before(plain, start)
            if currency is None or currency.end != start or (currency.start and plain[currency.start - 1] in "-_"):
                return None, _token_end(low, stop)
    number = numbers.read(low, start, stop)
    if number is None:
        return None, stop
    window = low[max(0, start - 24) : start]
    words = window.split()
    before = words[-1].lstrip("(\"'[,;") if words else ""
    reading = Reading(number, start)
    if not digit and glue == "-" and not (readings and readings[-1].end >= start - 1) and not _prefixed(low, start):
        return None, number.end
    if digit and glue in "-+" and (before.rstrip("-+ ") in _NAMES or not _sign(low, start, reading, readings)):
        return None, _token_end(low, number.end)
    if glue == " " and before in ("minus", "negative") and window.endswith(before + " "):
        _negate(reading, start - len(before) - 1)
    if currency is None and before:
        currency = _currency(plain, low, reading.start)
    if currency is not None and readings and currency.start < readings[-1].end:
        currency = None
    if currency is not None:
        _with_currency(plain, low, reading, currency)
        return reading, reading.end
    if filters.is_date_part(number, before):
        return None, -number.end
    if not _unit_after(plain, low, reading, digit):
        return None, _token_end(low, number.end)
    if not reading.source and _age(plain, low, reading, before):
        return reading, reading.end
    if not reading.source and _is_name(plain, low, reading, before, window, suspect_end):
        return None, -number.end
    return reading, reading.end


def _token_end(low: str, at: int) -> int:
    found = _REST_OF_TOKEN.match(low, at)
    return found.end() if found else at


def _sign(low: str, start: int, reading: Reading, readings: list[Reading]) -> bool:
    """Settle what a dash or plus right before the digits is; False: the inside of a name ("COVID-19")."""
    left = low[start - 2] if start > 1 else " "
    if low[start - 1] == "+":
        if left in _SIGN_LEFT:
            reading.start = reading.number_start = start - 1
            reading.bound = "up"
        return True
    if readings and readings[-1].end == start - 1:
        return True
    if left in _SIGN_LEFT and not (readings and low[readings[-1].end : start - 1] == " "):
        _negate(reading, start - 1)
        return True
    if left.isalnum() or left in ").":
        prefix = _PREFIX.search(low, max(0, start - 10), start)
        if prefix and prefix.group().strip(" (").startswith("minus"):
            _negate(reading, start - 6)
        return prefix is not None
    return True


def _negate(reading: Reading, start: int) -> None:
    reading.low = reading.high = -reading.high
    reading.start = reading.number_start = start


def _currency(plain: str, low: str, start: int) -> UnitMatch | None:
    """A currency right before the number; letters are looked up only where they may be one."""
    return default_registry().match_before(plain, start)


def _with_currency(plain: str, low: str, reading: Reading, currency: UnitMatch) -> None:
    number = reading.number
    scale = _GLUED_SCALE.match(low, number.end)
    if scale and number.power == 0:
        _scale(reading, _LETTER_POWERS[scale[1]], scale.end())
    if currency.scale != 1:
        reading.low, reading.high = reading.low * currency.scale, reading.high * currency.scale
    end = number.end
    again = _SECOND_CURRENCY.match(low, end)
    if again:
        end = again.end()
    name = currency.unit
    per = default_registry().match_per(plain, end, name)
    if per is not None:
        name, end = per.unit, per.end
    reading.set_unit(name, currency.start, currency.end, "currency", currency.confidence)
    reading.start, reading.end = min(currency.start, reading.start), max(end, number.end)


def _scale(reading: Reading, power: int, end: int) -> None:
    sign = -1.0 if reading.high < 0 else 1.0
    reading.number.scale(power, end)
    reading.low = reading.high = sign * reading.number.value
    reading.number_end = reading.unit_start = reading.unit_end = reading.end = end
    reading.after_start = reading.after_end = end


def _unit_after(plain: str, low: str, reading: Reading, digit: bool) -> bool:
    """Read the unit or the counted noun behind the number; False if the number is part of a longer name."""
    number = reading.number
    registry = default_registry()
    end = number.end
    follower = low[end : end + 1]
    if digit and (follower.isalpha() or follower == " ") and number.power == 0:
        _letter_scale(plain, low, reading)
        end = number.end
        follower = low[end : end + 1]
    if follower in ("'", " ", "f", "-") and digit and _feet_inches(low, reading):
        return True
    unit = registry.match_after(plain, end)
    if unit is None and follower == " ":
        unit = _odd_place(plain, low, reading)
    glued = follower.isalnum() or follower == "_"
    if unit is not None and _NAME_GOES_ON.match(plain, unit.end):
        return False
    if unit is not None and not (glued and unit.start != end) and not _ago(low, reading, unit):
        _with_unit(plain, low, reading, unit)
        return True
    if glued:
        return False
    if follower == "-" and low[end + 1 : end + 2].isalpha() and plain[end + 1].isupper() and not plain.isupper():
        return False
    if number.shape == "share":
        return _share(low, reading)
    if filters.is_year(number, *_around(low, number)):
        return False
    one = number.value == 1 and number.power == 0
    noun = counts.after(low, end, one)
    if noun is None and follower == " " and not one:
        cue = bounds.after(low, end)
        noun = counts.after(low, cue.end, False) if cue else None
    if noun is not None:
        _with_noun(plain, low, reading, noun)
        return True
    if number.shape == "words" and number.value == 1 and number.power == 0:
        return _RATIO.match(low, end) is not None
    return True


def _odd_place(plain: str, low: str, reading: Reading) -> UnitMatch | None:
    """A unit that does not follow directly: "1/16 of a pint", "10 or more mg", "20 (kg)", "30 - year"."""
    end = reading.number.end
    follower = low[end + 1 : end + 2]
    registry = default_registry()
    if follower in "([{<" and follower:
        unit = registry.match_after(plain, end + 2)
        closed = unit is not None and unit.start == end + 2 and plain[unit.end : unit.end + 1] in ")]}>"
        return unit if closed else None
    if follower == "-" and low[end + 2 : end + 3] == " ":
        return registry.match_after(plain, end + 2)
    if reading.number.value < 1:
        part = _PART_OF.match(low, end)
        return registry.match_after(plain, part.end()) if part else None
    cue = bounds.after(low, end) if follower in "oa" else None
    return registry.match_after(plain, cue.end) if cue else None


def _ago(low: str, reading: Reading, unit: UnitMatch) -> bool:
    """ "129,000 week ago": the week is when, not what."""
    return unit.unit in _SPANS and reading.high > 1 and low[unit.end - 1] != "s" and _AGO.match(low, unit.end) is not None


def _with_noun(plain: str, low: str, reading: Reading, noun: counts.Noun) -> None:
    name, stop = noun.name, noun.end
    inside = _IN_A.match(low, stop)
    per = default_registry().match_per(plain, stop + 3 if inside else stop, name)
    if per is not None:
        name, stop = per.unit, per.end
    reading.set_unit(name, noun.start, noun.end, "noun", 0.9 if noun.sure else 0.6)
    reading.end = max(reading.end, stop)


def _with_unit(plain: str, low: str, reading: Reading, unit: UnitMatch) -> None:
    name, end = unit.unit, unit.end
    numerator, _, denominator = name.rpartition(" per ")
    if denominator in _SPANS and (numerator in _SPANS or (numerator.startswith(_DOSES) and low[end - 2 : end] == "ly")):
        name = numerator  # "30 minutes a day", "25 mg weekly": a schedule, not a rate
    elif not denominator and name in _MONEY:
        cash = _CASH.match(low, end)
        per = default_registry().match_per(plain, cash.end(), name) if cash else None
        if per is not None:
            name, end = per.unit, per.end
        elif cash is None and (each := _EACH_SHARE.match(low, end)):
            name, end = f"{name} per share", each.end()
        elif _SHARE_AT.search(low, max(0, reading.start - 70), reading.start) and (
            low.startswith((" each", " apiece"), end) or _EACH_BEFORE.search(low, max(0, reading.start - 70), reading.start)
        ):
            name = f"{name} per share"
    reading.set_unit(name, unit.start, end, "unit", unit.confidence)
    if unit.scale != 1:
        reading.low, reading.high = reading.low * unit.scale, reading.high * unit.scale
    if reading.number.power == 0 and name in _MONEY:
        scale = numbers.SCALE.match(low, reading.end)
        if scale:
            _scale(reading, numbers.POWERS[scale["word"]], scale.end("word"))
            reading.unit_start, reading.unit_end = unit.start, end


def _around(low: str, number: Number) -> tuple[str, str]:
    words = low[max(0, number.start - 20) : number.start].split()
    rest = low[number.end : number.end + 20].split()
    return (words[-1].strip("(,") if words else ""), (rest[0].strip(".,;)") if rest else "")


def _share(low: str, reading: Reading) -> bool:
    """ "a third of", "half the": a share only where something follows that it is a share of."""
    rest = low[reading.number.end : reading.number.end + 12]
    reading.confidence = 0.5
    if low.startswith(("half", "halves"), reading.number.start):
        return rest.startswith((" of ", " the ", " a ", " its ", " their ", " our ", " his ", " her "))
    return rest.startswith(" of ") or rest.startswith(" interest")


def _letter_scale(plain: str, low: str, reading: Reading) -> None:
    """ "25k", "1.2m tons", "8 B people": a letter as a scale, where the text after it allows no unit."""
    number = reading.number
    scale = _GLUED_SCALE.match(low, number.end)
    if not scale:
        return
    letter, glued = scale[1], low[number.end] != " "
    if letter == "k" and glued:
        if plain[number.end] == "K" and default_registry().match_after(plain, scale.end()) is None:
            return
        _scale(reading, 3, scale.end())
        return
    if not glued and (not plain[scale.start(1)].isupper() or letter not in ("m", "b")):
        return
    if low[scale.end() : scale.end() + 1] != " ":
        return
    if letter == "bn" or letter == "tn":
        _scale(reading, _LETTER_POWERS[letter], scale.end())
        return
    unit = default_registry().match_after(plain, scale.end())
    if unit is not None:
        counted = low[unit.start : unit.end].endswith(("s", "$", "people", "barrels")) and unit.end - unit.start > 2
        if counted or default_registry().family(unit.unit) == "currency":
            _scale(reading, _LETTER_POWERS[letter], scale.end())
    elif counts.after(low, scale.end(), False) is not None:
        _scale(reading, _LETTER_POWERS[letter], scale.end())


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


def _age(plain: str, low: str, reading: Reading, before: str) -> bool:
    """Ages without a unit: "aged 18", "age 65", "Maddon, 66, has"."""
    number = reading.number
    if not number.plain or not 0 < number.value < 120:
        return False
    named = number.value >= 10 and low[number.end : number.end + 1] == "," and _NAMED_AGE.search(plain, max(0, number.start - 30), number.start)
    if before in ("age", "aged", "ages") or named:
        reading.set_unit("year of age", number.end, number.end, "age", 0.8)
        return True
    return False


def _is_name(plain: str, low: str, reading: Reading, before: str, window: str, suspect_end: int) -> bool:
    """Is a number without any unit a label, a year, or part of a name?"""
    number = reading.number
    gap = window[len(window.rstrip(" #")) :] if window else ""
    if before and filters.is_label(before, gap):
        return True
    if number.plain and number.value < 100 and _MARKER.match(low, number.end) and not _OPENED.search(low, max(0, number.start - 20), number.start):
        return True
    if number.plain and 0 <= number.start - suspect_end <= 5 and low[suspect_end : number.start].strip(" ,-/&") in ("", "and", "or", "to", "through"):
        return True
    if number.power or not (number.plain or number.shape == "words") or _shouting(plain, number.start):
        return False
    if number.shape == "digits" and _CAPITAL.match(plain, number.end):
        return True
    token = _BEFORE_NAME.search(plain, max(0, number.start - 40), number.start)
    if token is None or (number.shape == "words" and not plain[number.start].isupper()):
        return False
    return token.start() > 0 or sum(map(str.isupper, token.group())) > 1


def _shouting(plain: str, at: int) -> bool:
    """Is the text around in capitals, so that they mean nothing?"""
    return plain[max(0, at - 60) : at + 60].isupper()


def _prefixed(low: str, start: int) -> bool:
    return _PREFIX.search(low, max(0, start - 10), start) is not None
