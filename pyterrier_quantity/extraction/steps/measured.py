"""Find the unit after each number: "5 mg/dL", "60 km / h", "6 ft 2 in", "25k tonnes", "2.5-fold", "20 (kg)"."""

import re

from pyterrier_quantity.english import listed, one_of, set_of, wordings, words
from pyterrier_quantity.english.nouns import is_plural, singular
from pyterrier_quantity.extraction.grammar import bound_wordings, counted_nouns, formats, numerals
from pyterrier_quantity.extraction.grammar.english_numbers import TENS, TIMES
from pyterrier_quantity.extraction.mention import SPANS, Mention, is_extent
from pyterrier_quantity.extraction.text import NEXT_DIGIT, Text
from pyterrier_quantity.units import UnitMatch, UnitRegistry

_FEET = re.compile(
    r"(?:(?<![\d.,][4-7])(?<=[4-7])(?=ft)|(?! ?ft[23](?!\d|in\b|[\"'])))(?:'|-?ft\.?| ft\.?,?| ?feet,?"
    r"| ?foot,?)[ -]?(?=((?P<inches>\d{1,2}(?:\.\d+)?)(?: ?[½¼¾⅜⅝⅞⅛]| \d/\d{1,2}(?=[\"']))?))"
)
_INCHES, _FEET_ALONE = re.compile(r" ?(?:\"|''|in\b\.?|inch(?:es)?\b)|(?![\w.%])"), set_of("' ft")
_FLAG = re.compile(r" ?[(\[](?:[hldwHLDW]{1,2}|\*{1,2})[)\]](?= )")  # the letter in "88 (H) U/L", "60 (h) cm"
_PART_OF = re.compile(r" of (?:an?|one)(?: us| u\.s\.| imperial)?(?= )")
_HALF_YEAR = re.compile(r"(?<!past )(?<!last )half(?:[- ]years?|-time)\b")
_CLOCK = re.compile(
    r" ?h ?([0-5]\d)(?![\w.,]*\d|[a-z]| ?min)|h([0-5]?\d)m(?:ins?)?(?:([0-5]?\d)s(?:ecs?)?)?(?!\w)"
    r"|m([0-5]?\d)s(?:ecs?)?(?!\w)|:([0-5]\d) (h|min)(?:(?<=h)(?:rs?|ours?)|utes?|s)?\b"
)
_GLUED_PART = re.compile(  # centimetres attached to metres, or grams attached to kilograms: "1m81", "2kg500"
    r"(?:(?:m| ?m (?=\d\d (?:tall|high|long|wide|deep)\b))(?P<cm>\d\d)|[kK]g(?P<g>\d{3}))(?!\w|[.,]\d)"
)
_GLUED_THINGS = re.compile(r"[a-z]{3,}s(?![\w-])")
_NO_UNIT_AFTER_PLUS = frozenset(("", *"0123456789+-/.,;:)"))
_FOLD = re.compile(r"[ -]?fold\b|[xX×](?= [^\W\d]| ?\(|[.,;:)]|\Z)")
_FOLDS = frozenset("fx×")
_AS_WRITTEN = re.compile(  # token that looks like the symbol of a unit and not like a word: "HRC", "sccm"
    "(?P<gap> ?)(?:[b-df-hj-np-tv-xz]{3,5}|[b-df-hj-np-zµ]{1,2}[A-Z][A-Za-z]{0,2}|[A-Z]{2,4}|[A-Z][a-z])"
    r"(?=[.,;)\]]|\Z| (?:in|of|at|and|or|to|for|with|by|from|is|was|as|on|were|are)\b)"
)
_IN_TWO = frozenset("'-f:hmkK")  # after the first of two numbers: 5'11", 2h30, 4:04 mins
_THING = re.compile(
    rf" (?:(?P<of>of (?:[a-z]+ )?)|(?!(?:[a-z]+(?:ly|ed)|{one_of('adjectives of extents')})\b))(?!"
    r"(?:once|twice|times)\b)(?:[a-z]{3,}|[a-z]+\d[a-z]?)(?: [a-z]\d{0,2})?(?= per |(?(of)|(?<=s)"
    r"(?<!versus)(?<!plus)(?<!less)) (?:an?|each) (?:minute|hour|day|week|month|year)\b(?!-))"
)
_SUBSTANCE = re.compile(r" (?P<of>[a-z]{3,})(?= (?:an?|each) (?:day|week|month|year)\b(?!-))")  # "400 mm rain a year"
_CLAUSE = re.compile(  # "cross the bridge" in "40,000 vehicles cross the bridge each day"
    r"(?: (?!(?:and|or|but|who|which|that|than)\b)[a-z]+){1,6}?(?= (?:each|every|per) (?:minute|hour"
    r"|day|night|week|month|year)\b(?!-))"
)
_DEFINITE, _A = listed("determiners"), (" a",)

_RATE_WORDS = words("_per_ _each_ _every_ _a_minute _an_hour _a_day _a_week _a_month _a_year")


def read_units(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Set the unit of each number without a currency to the unit after the number: "5 mg/dL". Drop numbers inside a
    unit: 100 000 in "5 per 100 000 people". The step also sets the fields `confidence` and `source`."""
    kept: list[Mention] = []
    end = 0
    lower = text.lower
    rates = any(map(lower.__contains__, _RATE_WORDS))
    for mention in mentions:
        if mention.start < end:
            continue  # "10 m 2", "6 ft 2 in", "5 per 100 000 people"
        if mention.source or _read(text, mention):
            last = kept[-1] if kept and not kept[-1].source and kept[-1].end == mention.start - 1 else None
            kept.append(mention)
            things = rates and last and last.low > 1 and counted_nouns.after(lower, mention.end, False)
            end = divide(text, mention) if rates and not things else mention.end  # not "two 4-hour shifts a week"
        else:
            end = text.token_end(mention.number.end)
    return kept


def divide(text: Text, mention: Mention) -> int:
    """Extend the unit to include a denominator later in the phrase: "10 g of protein per serving" -> gram per serving.
    Return the end offset of the denominator, or of the mention if no denominator follows."""
    if text.lower[mention.end + 1 : mention.end + 12].partition(" ")[0] in TENS:
        return mention.end  # "one euro fifty per litre"
    thing = _THING.match(text.lower, mention.end) if mention.source in ("unit", "noun") else None
    if thing is None and mention.source == "unit" and (thing := _SUBSTANCE.match(text.lower, mention.end)):
        thing = None if thing["of"] in counted_nouns.STOPS else thing
    counted = mention.source == "noun" or mention.unit == "people"
    if thing is None and counted and mention.number.before not in _DEFINITE:
        thing = _CLAUSE.match(text.lower, mention.end)
    if thing is None or " per " in f" {mention.unit}":
        return mention.end
    if mention.unit in SPANS and not text.lower.startswith(wordings("words of division", " "), thing.end()):
        return mention.end  # "30 minutes of exercise a day": a schedule
    mention.unit, end = text.per_after(thing.end(), mention.unit)
    return max(mention.end, end)


def _read(text: Text, mention: Mention) -> bool:
    """Set the unit of a mention to the unit after the number, if any. Return False if the number is part of a name."""
    number, lower = mention.number, text.lower
    digit = lower[number.start] in ".0123456789"
    following = lower[number.end : number.end + 2]
    if digit and following in NEXT_DIGIT:
        return True  # only the next number follows
    parted = not _IN_TWO.isdisjoint(following) or text.registry.match_inside(text.plain, number.end)
    if digit and number.plain and parted and _read_two_parts(text, mention):
        return True
    if number.shape == "share" and _HALF_YEAR.match(lower, number.start):
        return False
    unit = _unit(text, mention)
    if not digit and lower[number.start : number.end] in TIMES:
        name, end = text.per_after(number.end, "count")
        mention.set_unit(name, number.end + 1, end, "unit", 0.9)
    elif unit is not None:
        _take(text, mention, unit)
    elif (
        not _FOLDS.isdisjoint(following)
        and (fold := _FOLD.match(text.plain, number.end))
        and (fold.group() != "X" or number.value <= 200)
    ):
        mention.set_unit("count", fold.start(), fold.end(), "unit", 1.0)
    elif digit and not _per_time(text, mention):
        if lower[number.end : number.end + 1].isalpha():
            _read_glued(text, mention)
        _keep_unknown(text, mention)
    _add_part(lower, mention)
    return True


def _add_part(lower: str, mention: Mention) -> None:
    """Add the fraction after a unit to the value: "six hours and a half" -> 6.5 hour."""
    adds = mention.source == "unit" and lower.startswith(" and ", mention.end)
    part = numerals.AND_PART.match(lower, mention.end) if adds else None
    if part is not None:
        whole = mention.number.value % 1 == 0
        mention.low = mention.high = mention.high + whole * numerals.part_value(part)
        mention.end = part.end()


def _read_glued(text: Text, mention: Mention) -> None:
    """Set the unit to the counted noun that follows the number without a space: "under 200pages" -> "page"."""
    part = counted_nouns.GLUED_PART.match(text.lower, mention.number.end)
    found = (part or _GLUED_THINGS.match(text.plain, mention.number.end)) if mention.number.plain else None
    counted = text.registry.counted(singular(found.group())) if found and (part or is_plural(found.group())) else None
    if found is not None and counted is not None:
        mention.set_unit(counted, found.start(), found.end(), "noun", 0.6)


def _per_time(text: Text, mention: Mention) -> bool:
    """Set the unit to the denominator after a number: "60k a year" -> "per year". Return whether there is one."""
    end = mention.number.end + text.lower.startswith("+", mention.number.end)
    name, stop = text.per_after(end, "") if text.lower.startswith(_A, end) else ("", end)
    below = name.removeprefix(" per ")
    if below not in SPANS and text.registry.family(below) not in ("mass", "volume"):
        return False
    mention.set_unit(name.strip(), mention.number.end + 1, stop, "unit", 0.8)
    return True


def _keep_unknown(text: Text, mention: Mention) -> None:
    """Set the unit to the symbol after the number, although the symbol is not in the registry: "23 HRC" -> "hrc"."""
    plain, number = text.plain, mention.number
    found = _AS_WRITTEN.match(plain, number.end)
    if found is None or found.group().strip().lower() in counted_nouns.STOPS or formats.has_label(text.lower, number):
        return  # "on day 8 PO"
    if number.power or "," in plain[number.start : number.end]:
        return  # "50k DOE", "45,000 OTE"
    year = number.plain and 1800 <= number.value < 2100
    if year if found["gap"] else "." not in plain[number.start : number.end]:
        return
    start, end = found.start() + len(found["gap"]), found.end()
    mention.set_unit(text.registry.resolve(text.lower[start:end]), start, end, "noun", 0.4)


def _unit(text: Text, mention: Mention) -> UnitMatch | None:
    """Return the unit after a number, or None if it belongs to a name or the next number: "seat" in "row 5 seat 12"."""
    lower, end = text.lower, mention.number.end
    if lower[end : end + 1] == "+" and lower[end + 1 : end + 2] not in _NO_UNIT_AFTER_PLUS:
        end += 1  # "10+ kg", "300+ms"
    flag = _FLAG.match(text.plain, end) if lower[end : end + 2] == " (" else None
    unit = (flag and text.registry.match_after(text.plain, flag.end())) or text.unit_after(end)
    unit = unit or _odd_place(text, mention.number)
    if unit is None or (text.number_after(unit.end) and _is_next_entry(text, mention, unit)):
        return None
    side = formats.is_last_side(lower, mention.number.start) and not is_extent(unit.unit)
    if side and text.registry.family(unit.unit) == unit.unit:
        return None  # "18x18 seat cushions"
    return unit


def _is_next_entry(text: Text, mention: Mention, unit: UnitMatch) -> bool:
    """Return whether a unit between two numbers belongs to the second number: true for "row 5 seat 12"."""
    if text.is_money(unit.unit):
        sign = unit.start > mention.number.end and not text.plain[unit.start].isalnum()  # "two $ 500 checks"
        return sign or formats.has_label(text.lower, mention.number)
    row = text.plain[unit.start].isupper() or formats.has_label(text.lower, mention.number)
    return row and text.registry.family(unit.unit) == unit.unit  # "row 5 seat 12"


def _odd_place(text: Text, number: numerals.Number) -> UnitMatch | None:
    """Return a number's unit if other words come between number and unit ("pint" in "1/16 of a pint"), or None."""
    if number.value < 1:
        part = _PART_OF.match(text.lower, number.end)
        return text.registry.match_after(text.plain, part.end()) if part else None
    cue = bound_wordings.after(text.lower, number.end)
    return text.registry.match_after(text.plain, cue.end) if cue else None


def _take(text: Text, mention: Mention, unit: UnitMatch) -> None:
    name, end = unit.unit, unit.end
    mention.set_unit(name, unit.start, end, "unit", unit.confidence)
    if unit.others:
        mention.others = tuple([(other, scale / unit.scale) for other, scale in unit.others])
    if unit.scale != 1:
        mention.multiply(unit.scale)
    if mention.number.power == 0 and text.is_money(name) and (scale := numerals.SCALE.match(text.lower, mention.end)):
        mention.scale(numerals.POWERS[scale["word"]], scale.end("word"))  # "75 USD million"
        mention.unit_start, mention.unit_end = unit.start, end


def glued_part(registry: UnitRegistry, plain: str, at: int) -> tuple[float, UnitMatch] | None:
    """Return (fraction, unit) for a unit at offset `at` with a fraction directly after it, or None: "1m81" -> 0.81,
    metre."""
    found = _GLUED_PART.match(plain, at)
    if found is None:
        return registry.match_inside(plain, at)
    unit, per = ("metre", 100) if found["cm"] else ("kilogram", 1000)
    return int(found[found.lastgroup or 0]) / per, UnitMatch(unit, at, found.end(), 0.9)


def _read_two_parts(text: Text, mention: Mention) -> bool:
    """Set the value and unit of a height or duration in two parts: 5'11", 6 ft 2 in, 2h30, 4:04 mins, 5:30 min/km.
    Return False if a second part is missing."""
    lower, end, scale = text.lower, mention.number.end, 1.0
    feet = _FEET.match(lower, end)
    inches = numerals.read(lower[: feet.end(1)], *feet.span("inches")) if feet else None
    found = _INCHES.match(lower, inches.end) if inches and inches.value < 12 else None
    if found and feet and inches and (found.group() or feet.group() in _FEET_ALONE):
        part, unit, confidence, stop = inches.value / 12, "foot", 1.0, found.end()
    elif glued := glued_part(text.registry, text.plain, end):
        part, (unit, _, stop, confidence, scale, _) = glued
    elif found := _CLOCK.match(lower, end):
        first, *seconds = [int(digits) for digits in found.groups()[:5] if digits]
        part, confidence, stop = first / 60 + sum(seconds) / 3600, 0.9, found.end()
        unit = "minute" if found[4] or found[6] == "min" else "hour"
    else:
        return False
    mention.low = mention.high = (mention.high + part) * scale
    unit, unit_end = text.per_after(stop, unit)
    mention.set_unit(unit, end, unit_end, "unit", confidence)
    mention.number_end = stop
    return True
