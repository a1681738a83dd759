"""Drop numbers that refer to a part of this or another text: "[14,15]", "Fig. 5b", "Section 4.1", "et al.32"."""

import re
from bisect import insort

from pyterrier_quantity.english import any_of, set_of, wordings
from pyterrier_quantity.extraction.grammar.formats import is_side
from pyterrier_quantity.extraction.grammar.numerals import Number
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.units.model import Remembered

_SMALL = r"-?\d(?:/\d)?(?![\w.%°])"
_PLACES = re.compile(  # "[14]", "{1, 2}", "<110>", "(0, 1/2)", "2020, 3, 988", web addresses; `re` seeks the class
    r"[\[{<(\dhw](?:(?<=\[) ?\d{1,4}[a-z]?(?: ?(?:,|;|-|, ?and) ?\d{1,4}[a-z]?){0,40} ?\]|(?<=<)\d{3,4}>"
    rf"|(?<=\{{)\d{{1,4}}(?:, ?\d{{1,4}}){{0,40}}\}}|(?<=\(){_SMALL}(?:, ?{_SMALL}){{1,3}}\)"
    r"|(?<=\b\d)(?:(?:(?<=1)9|(?<=2)0)\d\d, \d{1,4}(?:\(\d{1,3}\))?, \d{1,6}"
    r"|\d{0,3}, (?:19|20)\d\d, \d{1,6}[-\u2013]\d)[\d\u2013-]{0,7}(?![\w%]| ?[a-z])"
    r"|(?:(?<=h)ttps?://|(?<=w)ww\.)\S{1,300})"
)
_LISTING = frozenset("0123456789,")  # in "Figs. 2, 3", only 2 directly follows the word "Figs."
_LISTED = re.compile(r", (?<=\d, )-?\d")
_NUMBER = r"[A-Za-z]{0,2}\d{1,4}(?:\.\d{1,3}){0,4}(?: ?\([A-Za-z]{1,4}\)|[A-Za-z](?![\w%]))?"
_AFTER_REFERENCE = any_of("""
    above below and or to in of for is are was were by with from as the at on show describe present list give
    summarise summarize illustrate depict compare contain
    """)
_MORE = rf"(?=\W|\Z)(?! ?[%°$])(?! (?!{_AFTER_REFERENCE}s?\b)[a-z])"
_GLUED = ("table", "figure", "fig", "section")
_TORN_BEFORE = re.compile(r"[a-z](?:Table|Fig|Figure|Section)[ .(]{0,2}\Z")
_CHAIN = re.compile(rf"{_NUMBER}(?:(?: ?(?:,|;|-|&)|,? and|,? or| to| through) ?{_NUMBER}{_MORE}){{0,20}}")
_MOVE = re.compile(r"\.{1,3} ?[KQRBN]?[a-h]?x?[a-h][1-8](?!\w)")  # text after the number of a chess move: "23.Rxd5"
_MARK = re.compile(r"\.\)|[.):](?![\d.])")
_MARKS, _NEVER_AFTER = frozenset(".):"), frozenset("(.):")
_SURE = 0.9
_APART = 300  # maximum distance, in characters, between two list entries such as "1." and "2."
_LETTER = re.compile(r"\d{1,4}(?: ?-? ?\d)?\([a-z]\)")
_CODED = re.compile(r"\((?:[^()]{0,20} )?[A-Z][A-Z\d]+[:,] \Z")
_LEAST_CODE = 10_000
_TO_NUMBER = re.compile(r" ?[–-] ?\d+(?:\.\d+)?(?=\s)")  # "–5.6" in "(reference 3.9–5.6 mmol/L)"
_CITED = re.compile(r"(?:[^\W\d_]{2}|[)\]\"'])[.,;]\Z")
_CITES = re.compile(r"\d{1,3}(?:[,-]\d{1,3}){0,6}(?=\s|\Z|\))")
_HEADING = re.compile(  # the start of a line with a number: "2. 3D editors", "348 (Ghost Rider)"
    r"\s{0,4}\d{1,2}(?:\.\d{1,2}){0,3}\.\s{0,3}[A-Z\"'(]|\d{1,2}\.\s{1,8}(?:[a-z_]|\d+[A-Za-z ])"
    r"|\d{1,2}(?:\.\d{1,2}){1,3}\.\Z"
    r"|\d{1,2}\.\d{1,2}(?:\.\d{1,2})?\s{1,3}[A-Z][a-z](?!\Z)"
    r"|\d{1,2}(?:, |: |- )[A-Z][A-Za-z]|\d{1,4} \([A-Z][a-z]+[ ,.]"
)


def drop_references(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Drop the numbers of citations, figures and headings: "[14]", "Fig. 3", "2. Methods". For "Articles 5 and 6", the
    end offset of the 5 is added to `text.named`, so that a later step also drops the 6."""
    lower = text.lower
    listed = len(mentions) > 1 and ", " in lower and _LISTED.search(lower) is not None
    opened = "[" in lower or "{" in lower or "<" in lower or "www." in lower or "://" in lower
    found = _PLACES.finditer(lower) if listed or opened else ()
    places = [place.span() for place in found if not _is_spread(text, place)]
    kept: list[Mention] = []
    at = end = 0
    for mention in mentions:
        start = mention.number.start
        while at < len(places) and places[at][0] <= start:
            end = max(end, places[at][1])
            at += 1
        number = mention.number
        if number.apart and not _REFERS[number.before] and lower[number.end : number.end + 1] not in _NEVER_AFTER:
            kept += [mention] * (start >= end)  # no reference
            continue
        named = start >= end and _names_part(text.plain, number) and not _is_measured(text, number)
        if named and not (kept and _is_reference_range(text, kept[-1], mention)):
            chain = _CHAIN.match(text.plain, start)
            end = chain.end() if chain else mention.number.end
            if lower.startswith(wordings("words of addition", " "), end):
                insort(text.named, end)  # "Articles 5 and 6 apply"
        if start >= end and not _refers(text, mention.number):
            kept.append(mention)
    return kept


def _is_spread(text: Text, place: re.Match[str]) -> bool:
    """Return whether numbers in brackets (`place`) are the range of the value before them: true for "9 [6-14] days"."""
    if place.group()[0] != "[" or not text.lower[max(0, place.start() - 2) : place.start()].strip().isdecimal():
        return False
    return text.registry.match_after(text.plain, place.end()) is not None


_REFERRING = set_of("""
    pat patent patents figure figures fig figs table tables section sections sec secs sect equation equations
    eq eqs exhibit
    exhibits scheme schemes ref refs reference references appendix appendices chapter chapters algorithm
    algorithms clause clauses paragraph paragraphs para paras footnote footnotes article articles case rule
    rules §
    """)


_REFERS = Remembered(lambda word: word in _REFERRING or word.endswith(_GLUED))


def _names_part(plain: str, number: Number) -> bool:
    """Return whether the word before a number refers to a figure, a table or a section: true for "Fig. 3"."""
    if plain[number.start - 2 : number.start - 1] in _LISTING:
        return False
    word = number.before.rstrip(".(")
    if plain[number.start - 1 : number.start] == "(":  # "Section (3.1)"
        word = plain[max(0, number.start - 16) : number.start - 1].rstrip(" .").rpartition(" ")[2].lstrip("([").lower()
    glued = word.endswith(_GLUED) and _TORN_BEFORE.search(plain, number.start - 12, number.start) is not None
    return word in _REFERRING or glued


def _is_measured(text: Text, number: Number) -> bool:
    """Return whether a number is a measure and not a reference: true for "case 38mm" and "table 12 ft". A single letter
    is not a unit here: false for "Fig. 5b" and "table 3m"."""
    if is_side(text.lower, number.start, number.end):
        return True
    ranged = _TO_NUMBER.match(text.plain, number.end)
    unit = text.registry.match_after(text.plain, ranged.end() if ranged else number.end)
    if unit is None or unit.end - unit.start < 2:
        return False
    return ranged is not None or unit.start == number.end or unit.confidence >= 1


_REFERENCE = re.compile(r" \(ref(?:erence)?(?: range)?[.:]? ?(?:[<>] ?\d+|\d+\.\d+|\d+(?= ?-| to \d))")


def _is_reference_range(text: Text, last: Mention, mention: Mention) -> bool:
    """Return whether a number in brackets belongs to the usual range of the measured value before the brackets: true
    for "5.9 mmol/L (ref. 3.5 to 5.1)". `last` is the mention before `mention`."""
    unit = text.registry.match_after(text.plain, last.number.end)
    found = _REFERENCE.match(text.lower, unit.end) if unit else None
    return found is not None and found.end() >= mention.number.end


def _refers(text: Text, number: Number) -> bool:
    """Return whether a number is a citation ("et al.32"), a code, or the number of a list entry or heading."""
    lower, plain, start = text.lower, text.plain, number.start
    following = lower[number.end : number.end + 1]
    if (following == "(" and _LETTER.match(lower, start)) or (following == "." and _MOVE.match(plain, number.end)):
        return True
    if number.plain and number.value >= _LEAST_CODE and following == ")":
        return _CODED.search(plain, start - 40, start) is not None
    if number.plain and number.value < 30 and following in _MARKS and _is_listed(lower, number):
        return True
    if lower[start - 1 : start] == " " and lower[start - 2 : start - 1].isalpha():
        return False
    if start > 2 and lower[start - 1] in ".,;":
        return _CITED.search(lower, start - 3, start) is not None and _CITES.match(lower, start) is not None
    if start > 3 and "\n" not in plain[start - 4 : start]:
        return False
    begins = not plain[max(0, start - 4) : start].rpartition("\n")[2].strip(" *#")
    unit = text.registry.match_after(plain, number.end) if begins and _HEADING.match(plain, start) else None
    return begins and _HEADING.match(plain, start) is not None and (unit is None or unit.confidence < _SURE)


def _is_listed(lower: str, number: Number) -> bool:
    """Return whether a number labels a list item, judging by another label nearby: true for 1 in "1. tea 2. a cup"."""
    mark = _MARK.match(lower, number.end)
    if mark is None:
        return False
    near, at = lower[max(0, number.start - _APART) : number.end + _APART], round(number.value)
    return any(re.search(rf"(?<![\w.,$£€-]){other}{re.escape(mark[0])}(?!\d)", near) for other in (at - 1, at + 1))
