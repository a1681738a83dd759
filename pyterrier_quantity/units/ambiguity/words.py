"""Unit words that are everyday words as well: cups, points, heads, times; seconds, days, ages."""

from __future__ import annotations

import re

from pyterrier_quantity.english import listed, words_of
from pyterrier_quantity.english.nouns import singular
from pyterrier_quantity.units.ambiguity.site import Site, Verdict, plain

STOPS = words_of("stops.tsv")
_AFTER_THING = {one: listed(f"nouns after one {one}") for one in ("cup", "head", "pack", "sterling")}
_AFTER_TIME = listed("nouns after one time")


def times(site: Site) -> Verdict:
    if site.word.lower() == "times":
        return site.unit, 0.9
    series = site.next_word().lower().rstrip("s") in _AFTER_TIME | {"serie"}
    return None if series or site.before.rstrip(" -").lower().endswith(" one") else (site.unit, 0.5)


def grand(site: Site) -> Verdict:
    """Ten grand is money, ten grand pianos are not."""
    noun = len(site.next_word()) > 3 and site.next_word() not in ("from", "each", "worth")
    return None if noun or not site.word.islower() else (site.unit, 0.6)


def bar(site: Site) -> Verdict:
    if re.search(r"pressur|psi\b|vacuum|\bpump|boost|valve|hydraul|turbo", site.around, re.IGNORECASE):
        return site.unit, 0.9
    goes_on = site.next_word()[:1].isalpha() and site.next_word() not in STOPS  # "200 bar and", but "3 bar stools"
    return (site.unit, 0.6) if site.word == "bar" and site.number() and not goes_on else None


_OF_SO_MANY = re.compile(r" of \d")
"""What begins another statement: "bodysuits size 62 pack of 5"."""


def thing(site: Site) -> Verdict:
    """Cups, heads and packs, where they stand before no noun that they make another thing of ("cup final")."""
    word, following = site.word, site.next_word().lower()
    leaders = word.lower() == "heads" and following == "of"
    several = word == "pack" and _OF_SO_MANY.match(site.text, site.end)
    if several or leaders or word[:2] == "Cu" or following in _AFTER_THING[singular(word.lower())]:
        return None
    return site.unit, 0.95 if site.number() else 0.6


def decimal(site: Site) -> Verdict:
    return (site.unit, 0.9) if "." in site.number() else None


def singular_only(site: Site) -> Verdict:
    """Grain the goods, not grains the weight: "1986/87 grain crop"; "airpod 2 case cover", not two cases."""
    return (site.unit, 0.9) if site.glued or site.word.endswith("s") else None


def calorie(site: Site) -> Verdict:
    """People mean kilocalories, of food and of exercise."""
    return "kilocalorie", 0.9


_AFTER_ORDINAL = listed("nouns after the ordinal second")


def second(site: Site) -> Verdict:
    if site.word.lower() == "seconds":
        return site.unit, 1.0
    if site.text[site.end : site.end + 1] == "-" or site.next_word().lower() in _AFTER_ORDINAL:
        return None
    return site.unit, 0.8


_NO_SECONDS = re.compile(
    r"(?<![\d.,])\d\d\d?0['’]?$|/\d+$|\d['’]$|\b(?:the|mid|late|early|high|low|upper|their|his|her)[ -]\d0$",
    re.IGNORECASE,
)


_UNDER_AGE = re.compile(r"\b(?:for|the|all|and|to|most|many) (?:under|over)[ -]\d\d?$", re.IGNORECASE)
"""Who is meant by an age: "free for under 18s", "the over-60s"; but "100 m under 10s"."""
_DECADES = ("50", "60", "70", "80", "90")


def seconds(site: Site) -> Verdict:
    """The symbol s, and no decade ("the 1980s", "in their 50s", "80s music")."""
    before = site.before.lower().split()[-2:]
    named = site.next_word() not in STOPS | {""} and STOPS.isdisjoint(before)
    if site.glued and before[-1:] and before[-1] in _DECADES and named:
        return None
    if site.glued and _UNDER_AGE.search(site.before):
        return "year of age", 0.8
    if site.clings() or site.label_before() or (site.glued and _NO_SECONDS.search(site.before)):
        return None
    if site.glued:
        return site.unit, 0.6
    return None if site.next_word()[:1].isupper() else (site.unit, 0.8)


_CAR = re.compile(r"(?<![.!?] )\b[A-Z][\w-]* (?:[A-Z] )?\d{3}$")


def day(site: Site) -> Verdict:
    if site.glued and _CAR.search(site.before):
        return None  # "BMW 320d"
    if site.number() in ("2", "3", "4") and (site.glued or site.text[site.start - 1] == "-"):
        return None
    return plain(0.6, 0.6)(site)


AGES = frozenset(("year", "month", "week", "day"))
_AGE_AFTER = re.compile(r"\s(?:or|and)\s(?:older|younger)\b", re.IGNORECASE)
_AGE_BEFORE = re.compile(
    r"\bage[ds]?\b(?:\s|[<>=≤≥:(-]|\d|of|at|least|most|over|under|between|from|to|and|or(?: more| fewer| less)?"
    r"|is|was|than|older|younger)*$",
    re.IGNORECASE,
)


def is_age(text: str, number_end: int, end: int) -> bool:
    """Whether years, months, weeks or days tell an age: "aged 45 years", "18 years or older"."""
    if _AGE_AFTER.match(text, end):
        return True
    head = text[max(0, number_end - 40) : number_end]
    return "age" in head.lower() and _AGE_BEFORE.search(head) is not None
