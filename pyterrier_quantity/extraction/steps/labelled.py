"""Units before bare numbers: "aged 18", "Revenue (USD): 5,000", "Weight in kg: 75", "places per 10 employees: 3"."""

from __future__ import annotations

import re

from pyterrier_quantity.english import SCALES as POWERS
from pyterrier_quantity.english import listed
from pyterrier_quantity.english.nouns import is_plural
from pyterrier_quantity.english.verbs import VERBS
from pyterrier_quantity.extraction.grammar import bound_wordings, counted_nouns
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.units import UnitMatch

_AGED = re.compile(
    r"\bage[sd]?(?: of| is)?[: ]{0,2}(?:[<>=≥≤/]{1,3} ?|at least |over |under |above |below |between )?\Z"
)
_AGE_IS = re.compile(
    r"\b(?:life expectanc(?:y|ies)|(?:average|mean|median|minimum|maximum|retirement|pension|drinking|voting|legal) age"
    r"|ages? of (?:the |her |his |their |its |all )?[a-z]+)\b(?: \((?:sd|range|years?)\))?(?: [a-z]+){0,6}?"
    r" (?:is|was|are|were|be|of|at|reached|to|from|exceeds|exceeded)"
    r"(?: (?:about|around|only|just|nearly|almost|approximately|over|under|above|below|now|still|at least|at most))*"
    r" (?:the |between )?\Z"
)
_PERSONS = listed("persons that have an age")
_NAMED_AGE = re.compile(
    r"(?P<place>\b[AIO][nt] |\b(?:in|at|on|near) )?"
    r"(?P<first>[^\W\d_a-z][\w.'-]* )?(?P<last>[^\W\d_a-z][^\W\d_]+), \Z"
)
_OF_PERSON = re.compile(r", (?!(?:and|or|but|plus|with|in)\b|[^,]{1,30}, \d)(?P<word>[^\W\d]+)")
_SAYING = listed("auxiliary verbs").union(
    ("who", "whose", "now"), *((*verb.present[1:], *verb.past) for verb in VERBS.values())
)
"""What follows the age of a person whose last name alone is given: "Johnson, 42, said"."""


def read_ages(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Make years of age of the bare numbers that the words around them call an age."""
    for mention in mentions:
        if not mention.source and not mention.number.power and 0 <= mention.number.value < 120:
            confidence = _stated_age(text, mention)
            if confidence:
                end = mention.number.end
                mention.set_unit("year of age", end, end, "age", confidence)
    return mentions


def _stated_age(text: Text, mention: Mention) -> float:
    """How surely the number is an age; 0 if nothing says so."""
    number = mention.number
    lower, floor = text.lower, max(0, number.start - 80)
    stated = lower.find("age", floor, number.start) >= 0 or lower.find("expectanc", floor, number.start) >= 0
    if stated and _AGE_IS.search(lower, floor, number.start) and not text.starts_measure(number):
        return 0.7
    if not (number.plain or number.shape == "words"):
        return 0
    person = number.before == "of" and not _PERSONS.isdisjoint(lower[floor : number.start].split()[-2:-1])
    if person or (stated and _AGED.search(lower, max(0, number.start - 26), number.start)):
        return 0 if text.starts_measure(number) else 0.8
    behind = _OF_PERSON.match(text.plain, number.end) if number.value >= 10 else None
    name = _NAMED_AGE.search(text.plain, max(0, number.start - 40), number.start) if behind else None
    if behind is None or name is None or name["place"] or is_plural(name["last"].lower()):
        return 0
    return 0.8 if name["first"] or behind["word"] in _SAYING else 0


_BRACKETS = re.compile(
    r"[^\W\d_] ?(?:\((?P<unit>[^()\d]{1,24})\)(?:[:=] ?| (?:[a-z]{1,12} ){0,4})|in (?P<label>[^():\d]{1,24}): ?)"
    r"[<>=≤≥~]{0,2} ?\Z"
)
_SCALED = re.compile(
    rf"(?:in )?(?P<sign>[^\w\s]|[a-z]{{3}}(?= ))?? ?(?P<scale>(?:{'|'.join(POWERS)})s?\b)(?: of)? ?(?P<rest>[^()\d]*)"
)
"""A unit and its scale: "in $ millions", "mln bpd", "thousands of tonnes"."""
_LABEL_REACH = 80


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
    brackets = _BRACKETS.search(text.lower, max(0, start - _LABEL_REACH), start)
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


_LABEL = re.compile(
    r"(?:.*(?:[^\w ] ?|\b(?:of|with|have|has|having|where|and|the) )|\A|\n)"
    r"(?P<counted>(?: ?[^\W\d_]+){1,3})(?: \(| )per \Z"
)
"""What is counted, from the label's begin or behind a little word: "the number of doctors per 1,000 people"."""
_STATES = re.compile(r"\)?(?: ?[:=])? ?(?:(?:is|was|were|are) )?(?:of )?")
_ROUND = frozenset(10.0**power for power in range(1, 10))
_RATE_REACH = 60


def join_labelled_rates(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Make one mention of the number that a label divides by and the bare number that the label is followed by."""
    if "per " not in text.lower:
        return mentions
    joined: list[Mention] = []
    for mention in mentions:
        rate = _rate(text, joined[-1], mention) if joined and mention.source in ("", "age") else None
        if rate is not None:
            joined.pop()
            mention.unit, mention.source, mention.confidence = rate, "shared", 0.8
        joined.append(mention)
    return joined


def _rate(text: Text, label: Mention, value: Mention) -> str | None:
    """The unit of a value behind a label: "parking place per 10 employee"; None where it is not such a label."""
    lower = text.lower
    if text.registry.family(label.unit) not in (label.unit, "person", None):
        return None
    if label.low not in _ROUND or label.high != label.low or value.start - label.end > _RATE_REACH:
        return None
    bound = bound_wordings.before(lower, value.start)
    if not _STATES.fullmatch(lower, label.end, bound.start if bound else value.start):
        return None
    begin = _LABEL.search(lower, max(0, label.start - _RATE_REACH), label.start)
    if begin is None:
        return None
    counted = f" {begin['counted'].strip()}"
    noun = counted_nouns.after(counted, 0, False)
    below = f"{label.low:.0f}" if label.unit == BARE else f"{label.low:.0f} {label.unit}"
    return None if noun is None or noun.end < len(counted) else f"{noun.name} per {below}"
