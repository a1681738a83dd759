"""Parse numbers, units and scales in table cells, headers and captions: "(1,234)*" -> -1234, "Weight (kg)" -> kilogram,
"Sales (€ million)" -> euro and 1e6."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pyterrier_quantity.english import SCALES as ENGLISH_SCALES
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.extraction.grammar.numerals import separated
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.units import default_registry

DASHES: Final = "−–—‒-"
NIL: Final = frozenset({*DASHES, "--", "---", "nil", "– –", "- -"})
"""Texts of cells that mean "no amount" in accounts."""
LONGEST: Final = 300
"""Maximum length of a number or unit phrase in characters; longer texts are not parsed."""
LARGEST: Final = 1e250
"""Maximum number that is parsed, so that a scale such as "billion" cannot overflow a float."""
_FOOTNOTE: Final = re.compile(
    r"(?<=[\w)%.])\s*(?:\[(?:\d{1,3}|[a-z*†‡])\]|\((?:[1-9]\d?|[a-z*†‡])\)|[*†‡§]+|[¹²³⁴⁵⁶⁷⁸⁹⁰]+)$", re.I
)
_NUMBER: Final = re.compile(
    rf"^(?P<open>\(\s*)?(?P<minus>[+{DASHES}]\s*)?(?P<before>[^\d\s(+.,{DASHES}]{{1,4}}\s*)?(?P<open2>\(\s*)?"
    rf"(?P<minus2>[{DASHES}]\s*)?(?P<digits>\d[\d.,'’ \u202f]*|\.\d+)\s*"
    r"(?P<percent>%|pct\.?|percent|per cent)?\s*(?P<close>\))?\s*(?P<percent2>%)?\s*"
    r"(?P<after>[^\d\s()%][^\d()]{0,30})?\)?$",
    re.I,
)
_YEAR: Final = re.compile(
    r"(?:FY|CY|fiscal|year|years|in|at|as of)?\s*['’]?((?:19|20)\d\d)(?:\s*[/–-]\s*(?:\d\d){1,2})?[AEPF]?", re.I
)
_SEVERAL: Final = re.compile(
    r"(?=.*\d)(?:[\d\s.,~≈<>≤≥=±+%()$€£¥−–—-]|\b(?:to|and|or|more|less|than|about|approx|over|under|at least|up)\b)+",
    re.I,
)
_DATE_WORD: Final = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|january|february|march|april|june|july|august|september|"
    r"october|november|december|quarter|half|q[1-4]|h[12]|fy\d*|fiscal|years?|months?|weeks?|ended|ending)\b",
    re.I,
)


@dataclass(frozen=True)
class CellValue:
    """The number, unit and scale in the text of a cell: "$1.2 million" -> 1.2, "dollar", 1e6.

    Args:
        number: the signed number as written: 5 for "5%", 1.2 for "1.2 million".
        unit: a currency, "percentage", or the unit after the number, or None if the cell has no unit.
        scale: the factor of a scale word in the cell: 1e6 for "1.2 million", 1 without a scale word.
        written: the digits as written, with "-" before a negative number and "%" after a percentage.
        before: the currency whose symbol precedes the number, if any.
    """

    number: float
    unit: str | None
    scale: float
    written: str
    before: str | None = None

    @property
    def percent(self) -> bool:
        return self.unit == "percentage"


@lru_cache(maxsize=100_000)
def read_value(text: str) -> CellValue | None:
    """Return the number in a cell, or None if the cell is not a single number: "(1,234)*" -> -1234.

    Brackets or a minus sign mean a negative number. Footnote marks are ignored. Decimal commas ("1.234,56") and spaces
    between thousands are allowed. For a dash or a number above 1e250, the result is None."""
    if len(text) > LONGEST:
        return None
    plain = unnoted(text.strip())
    found = _NUMBER.match(plain)
    number = _digits(found["digits"]) if found else None
    if found is None or number is None:
        return None
    sign = (found["before"] or "").strip()
    currency = default_registry().match_before(sign, len(sign)) if sign else None
    stated = _scale_and_unit(found["after"] or "", currency is not None)
    if stated is None or (sign and currency is None):
        return None
    before = currency.unit if currency else None
    scale, unit = stated
    opened = found["open"] or found["open2"]
    negative = bool(opened or found["minus2"]) or (found["minus"] or "+").strip() in DASHES
    percent = bool(found["percent"] or found["percent2"])
    name = "percentage" if percent else before or unit
    written = ("-" if negative and number else "") + found["digits"].strip() + "%" * percent
    return CellValue(-number if negative else number, name, scale, written, before)


@lru_cache(maxsize=10_000)
def read_several(text: str) -> tuple[Quantity, ...]:
    """Return the quantities in a cell with several numbers: "12 (45%)" -> 12 and 45 percent, "5 to 7" -> a range."""
    if len(text) > LONGEST or not _SEVERAL.fullmatch(text):
        return ()
    found = RuleExtractor(concepts=False).extract(text)
    return tuple(quantity for quantity in found if quantity.low >= -LARGEST and quantity.high <= LARGEST)


def is_nil(text: str) -> bool:
    """Return whether the text of a cell is a dash, with or without a currency sign or brackets: True for "$ —"."""
    return text.strip("$€£¥%() ").lower() in NIL


def unnoted(text: str) -> str:
    """Return the text without the footnote marks at its end: "1,234(1)" -> "1,234", "Revenue [a]" -> "Revenue"."""
    return _FOOTNOTE.sub("", text)


def is_period(text: str) -> bool:
    """Return whether the text of a cell is a year, a quarter or a date: True for "FY2019", "Q1", "March 31"."""
    plain = unnoted(text.strip())
    return bool(_YEAR.fullmatch(plain)) or (bool(_DATE_WORD.search(plain)) and len(plain) < 50)


_ABBREVIATED: Final = {"'000": 1e3, "000": 1e3, "k": 1e3, "m": 1e6, "mm": 1e6, "mil": 1e6, "b": 1e9}
SCALES: Final = {word: 10.0**power for word, power in ENGLISH_SCALES.items()} | _ABBREVIATED
"""A dictionary from each scale word or abbreviation to its factor: "million" -> 1e6, "m" -> 1e6."""


def _scale_and_unit(words: str, money: bool) -> tuple[float, str | None] | None:
    """Return the scale and the unit after a number, or None: "m" -> (1, "metre"), or (1e6, None) if `money` is true."""
    rest = words.strip()
    first = rest.split(" ")[0].lower()
    scale = SCALES.get(first, 1.0) if len(first) > 2 or money else 1.0
    if scale != 1.0:
        rest = rest[len(first) :].strip()
    if not rest or rest.lower() in ("x", "bps", "bp"):
        return scale, {"bps": "basis point", "bp": "basis point"}.get(rest.lower())
    unit = unit_after(rest)
    return (scale, unit) if unit else None


def unit_after(phrase: str) -> str | None:
    """Return the unit named by a phrase after a number ("kg" -> "kilogram"), or None."""
    match = default_registry().match_after(f"1 {phrase}", 1)
    return match.unit if match and match.end == len(phrase) + 2 else None


def _digits(written: str) -> float | None:
    plain = re.sub(r"['’ \u202f]", "", written).rstrip(".,")
    number = float(plain) if plain.isdecimal() else separated(plain)
    return number if number is not None and number <= LARGEST else None


_SCALE_WORD: Final = re.compile(
    r"(?<![a-z])(hundred|thousand|million|billion|trillion|lakh|crore)s?\b|['’`]?(?<!\d)(000)['’]?s?\b"
    r"|(?:(?<=[$€£¥])|(?<=\b(?:usd|eur|gbp|chf|inr|jpy|sek)))\s*(k|mm?|bn?|tn)\b|\b(mm|mn|mil|mio|bn|tn)\b",
    re.I,
)
_FILLER: Final = re.compile(
    r"\b(?:in|of|all|expressed|stated|shown|presented|reported|amounts?|figures?|numbers?|values?|"
    r"dollar amounts|unless|otherwise|noted|indicated|and|are|is|tabular|table|the|unaudited|audited)\b",
    re.I,
)
_EXCEPT: Final = re.compile(r"[,;]?\s*\b(?:except|excluding|other than|unless|apart from)\b.*", re.I | re.S)
_BRACKETED: Final = re.compile(r"[(\[]([^()\[\]]+)[)\]]")
_IN_SENTENCE: Final = re.compile(
    r"\b(?:in|\$|USD|of) ?(?:(?:US|U\.S\.) )?(?:dollars |euros? |\$ ?|€ ?|£ ?)?(?:in )?"
    r"(?:thousands|millions|billions|trillions)"
    r"(?: of (?:US |U\.S\. |Canadian |Australian )?[a-z]+)?"
    r"|[$€£][’']?000s?\b",
    re.I,
)
_PERCENT: Final = re.compile(r"(?<!\d)(?<!\d )(?:%|\b(?:per ?cent(?:ages?)?|pct)\b)", re.I)  # not "4.875% Notes"
_SHARE: Final = re.compile(
    r"\bper\b.*\b(?:share|unit|ads|adr|ton|tonne|barrel|ounce|day|hour|employee|customer)s?\b", re.I
)
_LETTER: Final = re.compile(r"[A-Za-z]")  # more often an abbreviation than a unit: "W" for "won"
# Matches the name of a column whose numbers are labels, not measurements.
_LABEL: Final = re.compile(r"(?:foot)?notes?|ref(?:erence)?|rank|position|pages?|no\.?|#|id|year|line|item", re.I)
SHORT: Final = 30
"""Maximum length in characters of a text that may consist of only a unit or scale."""
_PLAIN_WORD: Final = re.compile(r"[A-Za-z]{4,}")
_COUNTED: Final = re.compile(
    r"\b(?:number|no\.|#) (?:of\b)?|\b(?:shares|employees|headcount|units|customers|persons|people|stores|age|ratio|"
    r"square feet|hectares|tons|tonnes|barrels)\b",
    re.I,
)


@dataclass(frozen=True)
class Measure:
    """The unit and scale in a header, row name or caption, which apply to the numbers of a column, row or table.

    "(in millions of dollars)" -> Measure("dollar", 1e6). A unit or scale that is not stated is None."""

    unit: str | None = None
    scale: float | None = None

    def __bool__(self) -> bool:
        return self.unit is not None or self.scale is not None

    def __or__(self, other: "Measure") -> "Measure":
        return Measure(self.unit or other.unit, self.scale or other.scale)


@lru_cache(maxsize=20_000)
def measure_of(text: str) -> Measure:
    """Return the unit and scale in a header or row name: "Weight (kg)" -> kilogram, "Revenue, in millions" -> 1e6."""
    found = Measure()
    if len(text) > LONGEST:
        return found
    for segment in _segments(text):
        found |= _segment(segment)
    if found.unit is None and _PERCENT.search(_EXCEPT.sub("", text)):
        found = Measure("percentage", found.scale)
    return found


def caption_measure(caption: str) -> Measure:
    """Return the unit and scale in a table's title: "Sales (€ million)" -> euro, 1e6; "in millions" -> None, 1e6."""
    found = measure_of(caption) if len(caption) <= SHORT else Measure()
    for bracketed in _BRACKETED.findall(caption):
        found |= _segment(bracketed)
    return found


def text_measure(paragraphs: Iterable[str]) -> Measure:
    """Return the first unit and scale in sentences around a table: "(in thousands of dollars)" -> dollar, 1e3."""
    for paragraph in paragraphs:
        for bracketed in _BRACKETED.findall(paragraph):
            if _IN_SENTENCE.search(bracketed) and (found := _segment(bracketed)):
                return found
        if (match := _IN_SENTENCE.search(paragraph)) and (found := _segment(match[0])):
            return found
    return Measure()


def cell_measure(parts: Iterable[str], general: Measure) -> Measure:
    """Return the unit and scale of a cell from its headers and captions, for a cell such as "12.5" that states neither.

    Args:
        parts: header and row texts of the cell, the closest first.
        general: the unit and scale of the whole table. The table's currency does not apply to percentages or counts.
            The table's scale does not apply to percentages or amounts per share.
    """
    names = list(parts)
    if any(_LABEL.fullmatch(name.strip(" :()")) for name in names):
        return Measure(None, 1.0)
    own = Measure()
    for name in names:
        own |= measure_of(name)
    label = " ".join(names)
    if own.unit == "percentage" or _SHARE.search(label):
        return Measure(own.unit or (general.unit if _SHARE.search(label) else None), own.scale or 1.0)
    unit = own.unit or (None if _COUNTED.search(label) else general.unit)
    return Measure(unit, own.scale or general.scale or 1.0)


def is_measure(text: str) -> bool:
    """Return whether a text is only a unit or scale, such as "(in millions)", "$'000" or "%". For a unit spelt out as
    one word of at least four letters ("hours"), return False, because such a word may be a name."""
    inner = text.strip().strip("()[]").strip()
    found = _segment(inner) if inner else Measure()
    return found.scale is not None or (found.unit is not None and not _PLAIN_WORD.fullmatch(text))


def _segments(text: str) -> Iterator[str]:
    yield from _BRACKETED.findall(text)
    outside = _BRACKETED.sub("", text).strip(" :")
    if "," in outside:
        yield outside.rsplit(",", 1)[1]
    if match := re.search(r"\bin ([^,]+)$", outside):
        yield match[1]
    if len(outside) <= SHORT and not _LETTER.fullmatch(outside):
        yield outside
        if re.search(r"[$€£¥]", outside):
            yield outside.split(" ")[-1]
            yield " ".join(outside.split(" ")[-2:])  # "2019 US$ million"


def _segment(text: str) -> Measure:
    """Return the unit and scale in a phrase ("in millions" -> None, 1e6), or None for both if there are other words."""
    if len(text) > LONGEST:
        return Measure()
    plain = _EXCEPT.sub("", text).strip(" :;,.")
    scale = None
    if match := _SCALE_WORD.search(plain):
        word = next(group for group in match.groups() if group).lower()
        scale = SCALES[word]
        plain = f"{plain[: match.start()]} {plain[match.end() :]}"
    rest = " ".join(_FILLER.sub(" ", plain).replace("’", "'").strip(" ,'").split())
    if not rest:
        return Measure("millimetre") if text.strip(" :").endswith("mm") else Measure(None, scale)
    unit = _unit(rest) or (_unit(rest.rpartition(" ")[0]) if scale is not None else None)
    if unit is None and scale is not None and re.search(r"\bin\b", text, re.I):
        return Measure(None, scale)
    return Measure(unit, scale) if unit else Measure()


def _unit(phrase: str) -> str | None:
    if not phrase:
        return None
    if phrase == "%":
        return "percentage"
    before = default_registry().match_before(phrase, len(phrase))
    return unit_after(phrase) or (before.unit if before and before.start == 0 else None)
