"""The unit and scale that captions, headers and rows state: "(in millions of dollars)", "€ million", "Weight (kg)"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pyterrier_quantity.tables.cell_values import SCALES, unit_behind
from pyterrier_quantity.units import default_registry

_SCALE_WORD: Final = re.compile(
    r"(?<![a-z])(hundred|thousand|million|billion|trillion)s?\b|['’`]?(?<!\d)(000)['’]?s?\b"
    r"|(?<=[$€£¥])\s*(k|mm?|bn?|tn)\b|\b(mm|mn|mil|mio|bn|tn)\b",
    re.I,
)
_FILLER: Final = re.compile(
    r"\b(?:in|of|all|expressed|stated|shown|presented|reported|amounts?|figures?|numbers?|values?|dollar amounts|"
    r"unless|otherwise|noted|indicated|and|are|is|tabular|table|the|unaudited|audited)\b",
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
_PERCENT: Final = re.compile(r"(?<!\d)(?<!\d )(?:%|\b(?:per ?cent(?:ages?)?|pct)\b)", re.I)
"""Behind a number it is a part of a name: "4.875% Senior Notes"."""
_SHARE: Final = re.compile(
    r"\bper\b.*\b(?:share|unit|ads|adr|ton|tonne|barrel|ounce|day|hour|employee|customer)s?\b", re.I
)
_LETTER: Final = re.compile(r"[A-Za-z]")
"""As a header it is an abbreviation, W for won or for width, more often than a unit."""
_LABEL: Final = re.compile(r"(?:foot)?notes?|ref(?:erence)?|rank|position|pages?|no\.?|#|id|year|line|item", re.I)
"""Columns of numbers that name and do not measure."""
SHORT: Final = 30
"""The length up to which a whole phrase may be a measure."""
LONGEST: Final = 300
"""Phrases longer than this measure nothing."""
_PLAIN_WORD: Final = re.compile(r"[A-Za-z]{4,}")
_COUNTED: Final = re.compile(
    r"\b(?:number|no\.|#) (?:of\b)?|\b(?:shares|employees|headcount|units|customers|persons|people|stores|age|ratio|"
    r"square feet|hectares|tons|tonnes|barrels)\b",
    re.I,
)


@dataclass(frozen=True)
class Measure:
    """What a phrase says about the numbers below or beside it.

    Args:
        unit: canonical name of the unit; None where it names none.
        scale: what the numbers are multiplied by; None where it says nothing about that.
    """

    unit: str | None = None
    scale: float | None = None

    def __bool__(self) -> bool:
        return self.unit is not None or self.scale is not None

    def __or__(self, other: Measure) -> Measure:
        """Both, this one first."""
        return Measure(self.unit or other.unit, self.scale or other.scale)


@lru_cache(maxsize=20_000)
def phrase_measure(text: str) -> Measure:
    """The measure of a header, row name or first cell: in its brackets, behind its comma, or all of it."""
    found = Measure()
    if len(text) > LONGEST:
        return found
    for segment in _segments(text):
        found |= _segment(segment)
    if found.unit is None and _PERCENT.search(_EXCEPT.sub("", text)):
        found = Measure("percentage", found.scale)
    return found


def caption_measure(caption: str) -> Measure:
    """The measure of a table's title: all of a short one, or what stands in brackets, "Sales by region (€ million)"."""
    found = phrase_measure(caption) if len(caption) <= SHORT else Measure()
    for bracketed in _BRACKETED.findall(caption):
        found |= _segment(bracketed)
    return found


def text_measure(paragraphs: Iterable[str]) -> Measure:
    """The measure that a caption or introducing sentence states among its words, "(in thousands of dollars):"."""
    for paragraph in paragraphs:
        for bracketed in _BRACKETED.findall(paragraph):
            if _IN_SENTENCE.search(bracketed) and (found := _segment(bracketed)):
                return found
        if (match := _IN_SENTENCE.search(paragraph)) and (found := _segment(match[0])):
            return found
    return Measure()


def cell_measure(parts: Iterable[str], general: Measure) -> Measure:
    """The measure of a cell without a unit of its own.

    Args:
        parts: the texts of its column and row, the closest first.
        general: what the whole table is measured in. What is stated per share, in percent or as a count of things is
            not in the table's currency, and amounts per share are not in its millions.
    """
    names = list(parts)
    if any(_LABEL.fullmatch(name.strip(" :()")) for name in names):
        return Measure(None, 1.0)
    own = Measure()
    for name in names:
        own |= phrase_measure(name)
    label = " ".join(names)
    if own.unit == "percentage" or _SHARE.search(label):
        return Measure(own.unit or (general.unit if _SHARE.search(label) else None), own.scale or 1.0)
    unit = own.unit or (None if _COUNTED.search(label) else general.unit)
    return Measure(unit, own.scale or general.scale or 1.0)


def is_measure(text: str) -> bool:
    """Whether a text is nothing but a measure: "(in millions)", "$'000", "%", "€ million"; a plain word is a name."""
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
        yield outside.split(" ")[-1] if re.search(r"[$€£¥]", outside) else ""


def _segment(text: str) -> Measure:
    """The measure of a phrase that holds nothing else; without one where words are left over."""
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
        return Measure(None, scale)
    unit = _unit(rest) or (_unit(rest.rpartition(" ")[0]) if scale is not None else None)
    if unit is None and scale is not None and re.search(r"\bin\b", text, re.I):
        return Measure(None, scale)
    return Measure(unit, scale) if unit else Measure()


def _unit(phrase: str) -> str | None:
    """The unit that a whole phrase names."""
    if not phrase:
        return None
    if phrase == "%":
        return "percentage"
    before = default_registry().match_before(phrase, len(phrase))
    return unit_behind(phrase) or (before.unit if before and before.start == 0 else None)
