"""Doubtful words and signs of money: pounds, pence, marks, codes that are words as well."""

from __future__ import annotations

import re

from pyterrier_quantity.units.ambiguity.site import SCALED, YEAR, Site, Verdict, about


def money(site: Site) -> Verdict:
    """Nouns that are also other words ("won", "crown", "dong"): money if the number is a sum."""
    return (site.unit, 0.95) if site.large() and site.next_word().lower() not in _OBJECTS else None


_OBJECTS = frozenset("the a an his her its their our not only".split())


def coin(site: Site) -> Verdict:
    """Marks, crowns, bucks: surer with a sum of money, no name ("Mark Hamill") and no verb ("2013 marks the end")."""
    if site.next_word().lower() in _OBJECTS and YEAR.match(site.number()):
        return None
    if site.word[:1].isupper() and not site.word.isupper() and not SCALED.search(site.before.rstrip(" -")):
        return None
    return site.unit, 0.95 if site.large() else 0.7


_MONEY = about("money")
_POUND_SCALE = re.compile(r"(?:mln|million|billion|bln|bn|\dm|trillion)[\s-]*$", re.IGNORECASE)


_GOODS = about("goods by weight")
_LIMIT_WORDS = (
    r"\b(?:under|below|up to|at (?:the )?most|(?:less|lower|cheaper|no more) than|max(?:imum)?|between \d+ and)"
)
_METRIC = re.compile(r"\d ?k?g\b")
"""What is weighed so is not weighed in pounds: "rice 10 kg under 20 pounds"."""
_LIMIT = re.compile(rf"{_LIMIT_WORDS} [\d,]{{2,}}[ -]?$", re.IGNORECASE)
"""What limits a price, where nothing weighs: "sofa under 900 pounds"."""


def limits_a_price(site: Site) -> bool:
    """Whether the number is a limit as prices have: "under 500 gbp"."""
    return _LIMIT.search(site.before) is not None


def pound(site: Site) -> Verdict:
    if _POUND_SCALE.search(site.before):
        goods = _GOODS.search(site.text, site.end, site.end + 24) is not None
        mass = goods or (_GOODS.search(site.around) and not _MONEY.search(site.around))
        return ("pound-mass", 0.6) if mass else ("pound sterling", 0.8)
    if limits_a_price(site) and _METRIC.search(site.around):
        return "pound sterling", 0.6
    if _GOODS.search(site.around) or site.text[site.start - 1] == "-":
        return "pound-mass", 0.9
    if _MONEY.search(site.around):
        return "pound sterling", 0.7
    if limits_a_price(site):
        return "pound sterling", 0.6
    return "pound-mass", 0.7


_VIDEO = frozenset("240 360 480 540 720 1080 1440 2160 4320".split())
_CHROMOSOME = re.compile(r"chromosom|somy\b|deletion|duplication|\barms?\b|karyotyp", re.IGNORECASE)


_ABBREVIATED = frozenset((".m", ".a", ".p", "/h", "/m", "/w", "/p"))
"""What goes on behind a p that is no penny: "45,000 p.a."."""


def pence(site: Site) -> Verdict:
    if site.clings() or site.label_before() or site.text[site.end : site.end + 2].lower() in _ABBREVIATED:
        return None
    if site.next_word() in ("video", "HD", "resolution") or _CHROMOSOME.search(site.around):
        return None
    if site.glued and site.number() in _VIDEO and not re.search(r"share|pence|div|price", site.around):
        return None
    return site.unit, 0.9 if site.glued else 0.7


_WORDS_AS_CODES = frozenset(
    "ALL TOP TRY CUP MAD PEN COP GEL RON SOS MOP BAM ANG AMD CAD SAR DEM BSD DOP NIO CHF BMD CVE MDL ERN LAK".split()
)
_AMOUNT = re.compile(r"\d[\d,.]*(?:\s?(?:m|bn|mln|million|billion|k|b|trillion|tn)\b|(?![-A-Za-z\d]))")
_CAPITALS = re.compile(r"[A-Z]{2,}")


_SYSTEMS = frozenset(("US", "UK", "EU"))
_CLOTHES = about("clothes")
_SIZE = re.compile(r"\d{1,2}(?:\.5)?(?![\w%/]|[.,-]\d)")
_RUPEES = re.compile(r"\d[\d,]")
_FAR = 40


def sign_before(code: str, text: str, start: int, stop: int, number: int) -> float | None:
    """Confidence that an ambiguous sign or code right before a number means money; None: it does not."""
    if code.upper() in _SYSTEMS:
        near = text[max(0, start - _FAR) : number + _FAR]
        return 0.8 if _SIZE.match(text, number) and _CLOTHES.search(near) else None
    if code == "INR":
        return 0.9 if _RUPEES.match(text, number) else None  # no ratio of 2.5
    amount = _AMOUNT.match(text, number)
    short = amount is None or amount.end() - number < 3  # "R1 = 4.7 kΩ", "COP26"
    if code not in _WORDS_AS_CODES:
        return None if short or stop != number else 0.7
    neighbours = text[max(0, start - 12) : start] + " " + text[number : number + 24]
    return None if (short and stop == number) or _CAPITALS.search(neighbours) else 0.7


def code_after(site: Site) -> Verdict:
    """Currency codes that are words as well: "500 TRY" is money, "52 TOP OFFICERS" is not."""
    neighbours = site.text[max(0, site.number_end - 24) : site.number_end] + " " + site.text[site.end : site.end + 14]
    whole = len(site.number().partition(".")[0])
    return None if _CAPITALS.search(neighbours) or not (whole > 1 or site.large()) else (site.unit, 0.7)


CODE_WORDS = _WORDS_AS_CODES | {"INR"}
