"""Unit words that are everyday words as well: cups, points, heads, times, bars."""

from __future__ import annotations

import re

from pyterrier_quantity.english import listed, words_of
from pyterrier_quantity.units.ambiguity.site import Site, Verdict

STOPS = words_of("stops.tsv")
_CONTESTS = frozenset("final finals match tie win winner winners title titles".split())


def cup(site: Site) -> Verdict:
    if site.word[:1].isupper() or site.next_word().lower() in _CONTESTS:
        return None
    return site.unit, 0.9


_AFTER_TIME = listed("nouns after one time")


def times(site: Site) -> Verdict:
    if site.word.lower() == "times":
        return site.unit, 0.9
    series = site.next_word().lower().rstrip("s") in _AFTER_TIME | {"serie"}
    return None if series or site.before.rstrip(" -").lower().endswith(" one") else (site.unit, 0.5)


def point(site: Site) -> Verdict:
    head = site.before.lower()
    if site.word.lower() != "point" or not head.endswith("one"):
        return site.unit, 0.95
    at_one = head.endswith("at one") or site.next_word() in ("of", "in", "that", "where", "is", "was")
    return None if at_one else (site.unit, 0.95)


def grand(site: Site) -> Verdict:
    """Ten grand is money, ten grand pianos are not."""
    noun = len(site.next_word()) > 3 and site.next_word() not in ("from", "each", "worth")
    return None if noun or not site.word.islower() else (site.unit, 0.6)


def part_of(site: Site) -> Verdict:
    fraction = site.next_word() == "of" and site.before.rstrip(" -").lower().endswith(("three", "one"))
    return None if fraction else (site.unit, 0.95)


def bar(site: Site) -> Verdict:
    if re.search(r"pressur|psi\b|vacuum|\bpump|boost|valve|hydraul|turbo", site.around, re.IGNORECASE):
        return site.unit, 0.9
    goes_on = site.next_word()[:1].isalpha() and site.next_word() not in STOPS  # "200 bar and", but "3 bar stools"
    return (site.unit, 0.6) if site.word == "bar" and site.number() and not goes_on else None


_AFTER_HEAD = listed("nouns after one head")


def head(site: Site) -> Verdict:
    if site.next_word().lower() in _AFTER_HEAD or (site.word.lower() == "heads" and site.next_word() == "of"):
        return None
    return (site.unit, 0.95) if site.number() else (site.unit, 0.6)


def decimal(site: Site) -> Verdict:
    return (site.unit, 0.9) if "." in site.number() else None


def singular_only(site: Site) -> Verdict:
    """Grain the goods, not grains the weight: "1986/87 grain crop"."""
    return (site.unit, 0.9) if site.glued or site.word.endswith("s") else None


_PHYSICS = re.compile(
    r"\b(?:joules?|thermochem\w*|specific heat|\w*mol|bond|reaction|per gram|calorimet\w*)\b", re.IGNORECASE
)


def calorie(site: Site) -> Verdict:
    """People mean kilocalories, of food and of exercise; the small calorie is a chemist's."""
    return (site.unit, 0.8) if _PHYSICS.search(site.around) else ("kilocalorie", 0.9)
