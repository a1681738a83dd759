"""Ambiguous unit words and signs, decided by the text around them.

A rule gets a `Site` and returns the unit with a confidence, or None: no unit here. Rules look at most `REACH`
characters to either side, so that they cost the same in a tweet and in a book.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from pyterrier_quantity.units.lexer import AGO

REACH = 80
Verdict = tuple[str, float] | None

_NUMBER = re.compile(r"[\d.,/\u00bc-\u00be\u2150-\u215e-]+$")
_PREVIOUS_WORD = re.compile(r"([^\W\d_]+)[\s.:#(]*$")
_NEXT_WORD = re.compile(r"[\s\u00a0-]{0,2}([^\W\d_]*)")
_LABELS = frozenset(
    "type types grade group class stage figure fig table section chapter exhibit annex version model phase channel"
    " chromosome chromosomes no room suite hepatitis vitamin series apartment form schedule appendix rule title note"
    " item page vol division gate highway route interstate block nos subtype category cat arm cohort protein gene"
    " variant tier article panel boeing airbus mig insat tc technetium flight".split())
"""Words before a number that is part of a name: the letter behind it is no unit ("type 2F")."""
_SCALE = re.compile(r"(?:mln|million|billion|bln|bn|trillion|trln|thousand|lakh|crore|\dm|\dk)\.?$", re.IGNORECASE)


class Site(NamedTuple):
    """A place in a text where a doubtful unit word stands: number end, span of the word, its usual unit."""

    text: str
    number_end: int
    start: int
    end: int
    unit: str
    confidence: float

    @property
    def word(self) -> str:
        return self.text[self.start : self.end]

    @property
    def glued(self) -> bool:
        """Whether the word follows the number without a blank or hyphen."""
        return self.start == self.number_end

    @property
    def before(self) -> str:
        """The text up to the number's end."""
        return self.text[max(0, self.number_end - REACH) : self.number_end]

    @property
    def around(self) -> str:
        return self.text[max(0, self.number_end - REACH) : self.end + REACH]

    def next_word(self) -> str:
        match = _NEXT_WORD.match(self.text, self.end)
        return match.group(1) if match else ""

    def number(self) -> str:
        """The digits of the number, or "" where it is written as a word."""
        match = _NUMBER.search(self.before.rstrip())
        return match.group() if match else ""

    def label_before(self) -> bool:
        """Whether the number is a name's number: "type 2F", "Tc-99m", "M-1-A", "Boeing 737"."""
        head = self.before.rstrip()
        number = _NUMBER.search(head)
        head = head[: number.start()] if number else head
        if number and (head[-1:].isalpha() or (number.group().startswith("-") and head[-1:].isalnum())):
            return True
        word = _PREVIOUS_WORD.search(head)
        return word is not None and word.group(1).lower() in _LABELS

    def clings(self) -> bool:
        """Whether the letter goes on as part of a name: "5 C-section", "3 M's", "4 U.S.", "22q11"."""
        after = self.text[self.end : self.end + 2]
        if not after:
            return False
        if after[0].isalnum() or (after[0] in "-'’&." and after[1:].isalpha()):
            return not (after[0] == "." and after[1].islower())
        return after[0] == "-" and after[1:].isdigit()

    def large(self) -> bool:
        """Whether the number is a sum of money rather than a count of things: a scale word, thousands, decimals."""
        head = self.before.rstrip(" -")
        if _SCALE.search(head):
            return True
        number = self.number()
        return "." in number or "," in number or len(number) > 3


Rule = Callable[[Site], Verdict]


def near(pattern: str, found: float, otherwise: float | None = None, glued: float | None = None) -> Rule:
    """A rule: `found` if the pattern is near, else `glued` for a word on the number, else `otherwise` (None: no)."""
    compiled = re.compile(pattern, re.IGNORECASE)

    def rule(site: Site) -> Verdict:
        if len(site.word) <= 2 and (site.clings() or site.label_before()):
            return None
        if compiled.search(site.around):
            return site.unit, found
        confidence = glued if glued is not None and site.glued else otherwise
        return None if confidence is None else (site.unit, confidence)

    return rule


def either(pattern: str, unit: str, confidence: float, otherwise: float) -> Rule:
    """A rule: another unit if the pattern is near, else the usual one."""
    compiled = re.compile(pattern, re.IGNORECASE)

    def rule(site: Site) -> Verdict:
        if len(site.word) <= 2 and (site.clings() or site.label_before()):
            return None
        return (unit, confidence) if compiled.search(site.around) else (site.unit, otherwise)

    return rule


def plain(spaced: float, glued: float | None = None) -> Rule:
    """A rule for short symbols: refused where they belong to a name or stand before a capital; 0 refuses as well."""

    def rule(site: Site) -> Verdict:
        if site.clings() or site.label_before() or (site.word.isupper() and site.text[site.start - 1] == "-"):
            return None
        if not site.glued and site.next_word()[:1].isupper():
            return None
        confidence = glued if glued is not None and site.glued else spaced
        return (site.unit, confidence) if confidence else None

    return rule


def money(site: Site) -> Verdict:
    """Nouns that are also other words ("won", "crown", "dong"): money if the number is a sum."""
    if site.next_word().lower() in ("the", "a", "an", "his", "her", "its", "their", "in", "by", "over", "with"):
        return (site.unit, 0.6) if site.large() and site.next_word().lower() in ("in", "by", "over", "with") else None
    return (site.unit, 0.95) if site.large() else None


YEAR = re.compile(r"(?:19|20)\d\d$")
_OBJECTS = frozenset("the a an his her its their our not only".split())


_REACHED = re.compile(r"\bthe [\d.,-]+(?:[ -](?:million|billion|mln|bln|thousand))?[ -]?$", re.IGNORECASE)
_THEN = re.compile(
    r"\s*(?:$|[.,;:)]|(?:next|last|this|by|in|for|on|at|and|as|before|after|when|within|again)\b)", re.IGNORECASE
)
"""What makes a milestone of a mark: "passed the 6 billion mark last year"; but "the 1,000 mark bonds"."""


def coin(site: Site) -> Verdict:
    """Marks, crowns, bucks: surer with a sum of money, no name ("Mark Hamill") and no verb ("2013 marks the end")."""
    if site.word.lower() == "mark" and _REACHED.search(site.before) and _THEN.match(site.text, site.end):
        return None
    if site.next_word().lower() in _OBJECTS and YEAR.match(site.number()):
        return None
    if site.word[:1].isupper() and not site.word.isupper() and not _SCALE.search(site.before.rstrip(" -")):
        return None
    return site.unit, 0.95 if site.large() else 0.7


def decide(rules: Mapping[str, Rule], rule: str, site: Site) -> Verdict:
    """Ask the rule for this spelling; without one, the usual unit stands with its own confidence."""
    known = rules.get(rule)
    if known is not None:
        return known(site)
    if len(site.word) <= 2 and (site.clings() or site.label_before()):
        return None
    return site.unit, site.confidence


AGES = frozenset(("year", "month", "week", "day"))
_ONE = re.compile(r"(?:^|[^\d.,])1$|\b(?:one|an?)$|/\d+$", re.IGNORECASE)
_AGE_AFTER = re.compile(r"\s(?:or|and)\s(?:older|younger)\b", re.IGNORECASE)
_AGE_BEFORE = re.compile(
    r"\bage[ds]?\b(?:\s|[<>=≤≥:(-]|\d|of|at|least|most|over|under|between|from|to|and|or|is|was|than|older|younger)*$",
    re.IGNORECASE,
)


def is_past(text: str, number_end: int, start: int, end: int) -> bool:
    """Whether "week ago" behind a larger number is only its date: "132,000 head versus 129,000 week ago"."""
    if text[start - 1] in "-\u2010\u2011" or text[end - 1] in "sS" or not AGO.match(text, end):
        return False
    return not _ONE.search(text[max(0, number_end - 8) : number_end])


def is_age(text: str, number_end: int, end: int) -> bool:
    """Whether years, months, weeks or days tell an age: "aged 45 years", "18 years or older"."""
    if _AGE_AFTER.match(text, end):
        return True
    head = text[max(0, number_end - 40) : number_end]
    return "age" in head.lower() and _AGE_BEFORE.search(head) is not None


_WORDS_AS_CODES = frozenset(
    "ALL TOP TRY CUP MAD PEN COP GEL RON SOS MOP BAM ANG AMD CAD SAR DEM BSD DOP NIO CHF BMD CVE MDL ERN LAK".split()
)
_AMOUNT = re.compile(r"\d[\d,.]*(?![-A-Za-z\d])|\d[\d,.]*\s?(?:m|bn|mln|million|billion|k|b|trillion|tn)\b")
_CAPITALS = re.compile(r"[A-Z]{2,}")


def sign_before(code: str, text: str, start: int, stop: int, number: int) -> float | None:
    """Confidence that an ambiguous sign or code right before a number means money; None: it does not."""
    if code == "INR":
        match = re.compile(r"\d[\d,]*(\.\d+)?").match(text, number)
        return 0.9 if match and len(match.group().replace(",", "").split(".")[0]) > 1 else None
    if code in _WORDS_AS_CODES:
        neighbours = text[max(0, start - 12) : start] + " " + text[number : number + 24]
        return None if _CAPITALS.search(neighbours) else 0.7
    if stop != number or not _AMOUNT.match(text, number):
        return None
    return 0.7


def code_after(site: Site) -> Verdict:
    """Currency codes that are words as well: "500 TRY" is money, "52 TOP OFFICERS" is not."""
    neighbours = site.text[max(0, site.number_end - 24) : site.number_end] + " " + site.text[site.end : site.end + 14]
    whole = len(site.number().partition(".")[0])
    return None if _CAPITALS.search(neighbours) or not (whole > 1 or site.large()) else (site.unit, 0.7)


CODE_WORDS = _WORDS_AS_CODES | {"INR"}
