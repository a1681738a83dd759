"""Doubtful letters: watts, temperatures, grams, generations, knots."""

from __future__ import annotations

import re

from pyterrier_quantity.units.ambiguity.site import Site, Verdict, about, near

_LIGHT = about("electricity, light")
_TEMPERATURE = about("temperature")
_WARMTH = about("warmth")
_THOUSANDS = about("thousands")


def watt(site: Site) -> Verdict:
    """W, and no place ("120 W Main Street")."""
    if site.clings() or site.label_before():
        return None
    if _LIGHT.search(site.around):
        return site.unit, 0.9
    place = site.next_word()[:1].isupper() or site.around.isupper()
    return None if place and not site.is_alone() else (site.unit, 0.8 if site.glued else 0.6)


def temperature(site: Site) -> Verdict:
    if site.clings() or site.label_before():
        return None
    around = site.text[max(0, site.number_end - 60) : site.end + 40]
    if site.word == "F" and re.search(r"capacit", around, re.IGNORECASE):
        return "farad", 0.9
    if _TEMPERATURE.search(around) or site.number().startswith("-"):
        return site.unit, 0.9
    return (site.unit, 0.5) if site.is_alone() else None


_CLOTHES = about("clothes")
_TESLA = near("magnets", 0.9)
_TODDLER = re.compile(r"-?[2-6](?:-[2-6])?$")


def ton(site: Site) -> Verdict:
    """t is a ton, T a tesla beside magnets; on small numbers beside clothes both are sizes of toddlers."""
    if site.glued and _TODDLER.match(site.number()) and _CLOTHES.search(site.around):
        return "toddler size", 0.9
    return _TESLA(site) if site.word == "T" else (site.unit, 0.95)


_GAUGED = about("gauges")
_GAUGES = frozenset(map(str, range(14, 33)))


def gram(site: Site) -> Verdict:
    """Grams, but gauges of what is drawn or pierced: "28g wire"."""
    if site.glued and site.number() in _GAUGES and _GAUGED.search(site.around):
        return "gauge", 0.8
    return None if site.clings() else (site.unit, 0.95)


_IS_TEMPERATURE = re.compile(r"\bT\w{0,6} ?[=~<>≈≤≥] ?[\d.,]+$")


def kelvin(site: Site) -> Verdict:
    """K behind a blank is a temperature ("at 300 K"); on the number it is a thousand, but in "T = 300K" and "2700K"."""
    if site.clings() or site.label_before() or site.next_word()[:1].isupper() or site.text[site.start - 1] == "-":
        return None
    if _WARMTH.search(site.around):
        return site.unit, 0.9
    if site.glued and len(site.number()) < 4 and not _IS_TEMPERATURE.search(site.before):
        return None
    return None if _THOUSANDS.search(site.around) else (site.unit, 0.7)


_FORMULA = re.compile(
    r"\s?(?:[A-Z][a-z]?\d*){1,6}[A-Z(\d]"
    r"|[\s)]{0,2}(?:[A-Z][a-z]{0,2}[- ])?(?:\w{1,30}ic acid|aqueous|solutions?\b|buffer"
    r"|\w{1,30} (?:chloride|hydroxide|sulfate|nitrate|acetate|buffer|solution))"
)
_SOLUTION = re.compile(
    r"molar|concentration|solution|buffer|aqueous|electrolyte|\bacid|titrat|dissolv|\bpH\b|\b(?:Na|K|Li|H|Mg|Ca)[A-Z\d]"
)


def molar(site: Site) -> Verdict:
    """M is moles a litre where a chemical or a solution stands around a small number, and no money."""
    if site.clings() or site.label_before() or not site.number() or site.before.rstrip()[-1:] not in "0123456789":
        return None
    whole = site.number().partition(".")[0].strip("-,/")
    if len(whole) > 2 or re.search(r"[$€£]|million|users|sales|revenue", site.around):
        return None
    if _FORMULA.match(site.text, site.end):
        return site.unit, 0.8
    return (site.unit, 0.7) if _SOLUTION.search(site.around) else None
