"""Doubtful words and signs of length: inches, feet, metres."""

from __future__ import annotations

import re

from pyterrier_quantity.english import listed
from pyterrier_quantity.units.ambiguity.site import REACH, Site, Verdict, about
from pyterrier_quantity.units.ambiguity.words import STOPS

_LENGTH = about("lengths")
_SKY = about("the sky")
_AFTER_INCH = re.compile(
    r"\s*(?:$|[,.;:)\]]|x\b|×|by\b|long|wide|high|tall|deep|thick|in (?:diameter|length|width|height)|and\b"
    r"|-(?!\d|\w-)"
    r"|(?:touch)?screens?\b|displays?\b|panels?\b|monitors?\b|tvs?\b|televisions?\b|diagonal|wheels?\b|rims?\b|tyres?\b"
    r"|tires?\b|pipes?\b|pipelines?\b|blades?\b|pans?\b|pizzas?\b|nails?\b|vinyl\b|heels?\b)",
    re.IGNORECASE,
)
_FEET_BEFORE = re.compile(r"(?:ft\.?|feet|foot|['′’x×])\s?\d[\d ./-]*$", re.IGNORECASE)


def inch(site: Site) -> Verdict:
    follower = site.text[site.end : site.end + 1]
    if follower in ("-", "/", "'") and not site.glued:
        return None
    if site.glued:
        return site.unit, 0.9
    if site.text[site.start - 1] == "-":
        return site.unit, 0.8
    if _FEET_BEFORE.search(site.before) or _AFTER_INCH.match(site.text, site.end) or _is_of_a_thing(site):
        return site.unit, 0.7
    return None


def _is_of_a_thing(site: Site) -> bool:
    """Whether keywords begin with how many inches a thing has: "25 in bathroom vanity"; but "3 in 1", "5 in stock"."""
    following = site.next_word()
    begins = site.number() == site.before.strip() and site.text.islower() and len(site.text) < REACH
    return begins and len(following) > 1 and following not in STOPS | _NO_THING


def _in_the_sky(site: Site) -> bool:
    """Whether a quote behind digits is a part of a degree."""
    return bool(_SKY.search(site.around) and site.number()) and not site.text[site.end : site.end + 1].isalnum()


_NO_THING = listed("words that in leads to") | listed("numbers from zero") | listed("tens from twenty")


def inch_sign(site: Site) -> Verdict:
    """A double quote is an inch unless it closes a quotation that opened before; in the sky it is an arcsecond."""
    if _in_the_sky(site):
        return "arcsecond", 0.6
    apart = not site.glued and not (site.text.count(site.word) == 1 and site.text[site.end : site.end + 1] in (" ", ""))
    if apart or site.text[site.end : site.end + 1].isalnum():
        return None
    head = site.text[max(0, site.number_end - 600) : site.number_end]
    if _FEET_BEFORE.search(head[-12:]):
        return site.unit, 0.9
    return None if _is_open(head) or head.count("“") > head.count("”") else (site.unit, 0.7)


def _is_open(head: str) -> bool:
    """Whether a quotation is open where a text ends; outside of one, what is glued to digits is a measure."""
    opened = False
    for found in re.finditer(r'(\d?)"', head):
        opened = not opened and not found[1]
    return opened


def foot_sign(site: Site) -> Verdict:
    """A quote is a foot unless it closes a quotation; in the sky it is an arcminute."""
    if _in_the_sky(site):
        return "arcminute", 0.6
    follower = site.text[site.end : site.end + 1]
    if not site.glued or not site.before[-1:].isdigit() or follower.isalpha() or follower == "-":
        return None
    if follower.isdigit():
        return site.unit, 0.9
    head = site.text[max(0, site.number_end - 300) : site.number_end]
    quotes = head.count(site.word) - len(re.findall(r"\w['’]\w", head))
    return None if quotes % 2 else (site.unit, 0.4)


_MINUTES = re.compile(r"\d\s?(?:h|hrs?|hours?)[\s,]*\d{1,2}$")
_MINUTES_AFTER = re.compile(r"[\s,]*\d{1,2}(?:\.\d+)?\s?s(?:ec)?\b")


def metre(site: Site) -> Verdict:
    if site.clings() or site.label_before():
        return None
    if _MINUTES.search(site.before) or _MINUTES_AFTER.match(site.text, site.end):
        return "minute", 0.9
    if _LENGTH.search(site.text[max(0, site.number_end - 40) : site.end + 30]):
        return site.unit, 0.9
    return site.unit, 0.6
