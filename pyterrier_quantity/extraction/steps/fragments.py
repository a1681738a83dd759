"""Numbers that are pieces of words ("747-400ER", "5-Fluorouracil") or shares of nothing; and years."""

from __future__ import annotations

import re

from pyterrier_quantity.english import expression, one_of, wordings
from pyterrier_quantity.extraction.grammar import counted_nouns
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text

_BETWEEN_SIDES = ("x", "×", "r", "zr")
"""Text between the sides of a thing: "20x30 cm", "10x 13", "205/55R16"."""
_ARGUMENT = re.compile(r"\)|, ?\d")
_SECOND = re.compile(r"[^\W\d_]\([\d.]+, \Z")
_NAME_ABOVE = re.compile(r"(?<![\w-])(?=[^\W\d_])(?![a-z]+/)[\w-]+/\Z")
_SYMBOL_BELOW = re.compile(r"/(?:[A-ZΑ-Ω]|[a-zα-ω](?!\w))")
_BEHIND_FORMULA = frozenset((")", "/"))
_NAMED = re.compile(rf"-(?:[A-Z]|{one_of('what names go on with behind a hyphen')}\b)")
_SHARE = expression("a share").pattern
_TO_SHARE = expression("to a share", SHARE=_SHARE)
_AND_SHARE = expression("and a share", SHARE=_SHARE)
_FROM_SHARE = expression("from a share", SHARE=_SHARE)
_NEARLY = f"(?:{one_of('words that come near')} )?{one_of('articles and one')}?"
_MEASURE_OF_SHARE = re.compile(rf"\b{one_of('words before a measured share')} {_NEARLY}\Z")
_COMPARED = re.compile(rf" {one_of('words that compare shares')}\b")
_ENDS = re.compile(rf"\Z|[.,;:)]| {one_of('words after a share of nothing')}\b")
_HALF, _HALF_OF = wordings("words for halves"), wordings("what a half is of")
_INTEREST = wordings("what any share is of")
_DO = wordings("words behind a share of what is named")
"""What those do that are a share of what was named before."""
_COUNTED_PART = re.compile(rf"{one_of('digits in words')}[ -]{{1,3}}[a-z]+")
_PERIOD = re.compile(rf"\b{one_of('places in an order')} \Z")


def drop_fragments(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Drop the numbers without a unit that the letters around them make no numbers of."""
    kept: list[Mention] = []
    for mention, behind in zip(mentions, [*mentions[1:], None], strict=False):
        side = behind is not None and text.lower[mention.end : behind.start].strip() in _BETWEEN_SIDES
        if mention.source or side or not _is_fragment(text, mention, kept):
            kept.append(mention)
    return kept


def _is_fragment(text: Text, mention: Mention, kept: list[Mention]) -> bool:
    """Whether it is no number of its own.

    Args:
        kept: what stands before it; after a unit it restates a value: "400m/330-1300ft".
    """
    number = mention.number
    follower = text.plain[number.end : number.end + 1]
    if follower.isalnum() or follower == "_":
        return True
    glued = follower in _BEHIND_FORMULA or text.plain[number.start - 1 : number.start] != " "
    restates = kept and kept[-1].source and kept[-1].end == number.start - 1
    if glued and not restates and _is_in_formula(text.plain, number.start, number.end):
        return True
    if follower == "-" and number.shape == "digits" and _NAMED.match(text.plain, number.end):
        return counted_nouns.GLUED_PART.match(text.lower, number.end) is None
    return number.shape == "share" and not _is_share(text.lower, mention)


def _is_in_formula(plain: str, start: int, end: int) -> bool:
    """Whether what is glued to a number makes a part of a formula of it: "Mg(ClO4)2", "Pt(111)", "E1/2", "1/T"."""
    glue = plain[start - 1 : start]
    if glue == "(" and plain[start - 2 : start - 1].isalpha():
        return _ARGUMENT.match(plain, end) is not None
    second = plain.startswith(")", end) and _SECOND.search(plain, max(0, start - 12), start)
    below = glue == "/" and _NAME_ABOVE.search(plain, max(0, start - 16), start)
    return bool(second or below) or glue in (")", "]", "}") or _SYMBOL_BELOW.match(plain, end) is not None


def _is_share(lower: str, mention: Mention) -> bool:
    """ "a third of", "half the": a share only where something follows that it is a share of, or another share."""
    start, end = mention.number.start, mention.number.end
    mention.confidence = 0.5
    before = lower[max(0, start - 30) : start]
    between = before.endswith(wordings("words before the lower of two shares")) and _AND_SHARE.match(lower, end)
    if between or _TO_SHARE.match(lower, end) or _FROM_SHARE.search(before):
        return True
    if _COUNTED_PART.match(lower, start) or _COMPARED.match(lower, end):
        return True
    if _MEASURE_OF_SHARE.search(before) and _ENDS.match(lower, end):
        return True
    half = lower.startswith(_HALF, start)
    if half and _PERIOD.search(before):
        return False
    if lower.startswith(_DO, end):
        return not lower.endswith(wordings("halves that are added"), 0, end)  # "a year and a half have passed"
    return lower.startswith(_HALF_OF if half else _INTEREST, end)
