"""Drop numbers that are part of a word ("747-400ER"), and fractions that are not quantities ("second half")."""

import re

from pyterrier_quantity.english import any_of, one_of, words
from pyterrier_quantity.extraction.grammar import counted_nouns
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text

_BETWEEN_SIDES = ("x", "×", "r", "zr")  # text between the dimensions of a thing: "20x30 cm", "10x 13", "205/55R16"
_ARGUMENT = re.compile(r"\)|, ?\d")
_SECOND = re.compile(r"[^\W\d_]\([\d.]+, \Z")
_NAME_ABOVE = re.compile(r"(?<![\w-])(?=[^\W\d_])(?![a-z]+/)[\w-]+/\Z")
_SYMBOL_BELOW = re.compile(r"/(?:[A-ZΑ-Ω]|[a-zα-ω](?!\w))")
_AFTER_FORMULA = frozenset((")", "/"))
_NAMED = re.compile(r"-(?:[A-Z]|(?:for-|based|series|type|style|compatible|class|powered)\b)")
_SHARE = re.compile("(?:(?:an? |one[ -])?(?:half|third|quarter)|(?:two|three)[ -](?:third|quarter|fifth)s)").pattern
_AND_SHARE = re.compile(rf" and {_SHARE}\b")
_FROM_SHARE = re.compile(rf"(?:\b{_SHARE} (?:to|or)|\bbetween {_SHARE} and) (?:an? |one-)?\Z")
_NEARLY = "(?:(?:nearly|almost|about) )?(?:an |a |one |one-)?"
_BEFORE_SHARE = any_of("by above below under over than least up down rose fell climbed dropped")
_MEASURE_OF_SHARE = re.compile(rf"\b{_BEFORE_SHARE} {_NEARLY}\Z")
_COMPARED = re.compile(r" (?:more|less|fewer|higher|lower|larger|smaller|cheaper|faster)\b")
_AFTER_SHARE = any_of("""
    in to from by since and or when while if on over this last compared within during between after
    """)
_ENDS = re.compile(rf"\Z|[.,;:)]| {_AFTER_SHARE}\b")
_HALF, _HALF_OF = ("half", "halves"), (" a ", " its ", " their ", " our ", " his ", " her ")
_INTEREST = (" interest",)
_DO = words("_were_ _are_ _have_ _do_ _did_ _say_ _said_ _of_ _the_")  # words after a fraction: "half were red"
_COUNTED_PART = re.compile(rf"{one_of('digits in words')}[ -]{{1,3}}[a-z]+")
_PERIOD = re.compile(r"\b(?:first|second|latter|last|early|final|next) \Z")


def drop_fragments(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Drop numbers without a unit that are parts of words or formulas: "747-400ER", "Pt(111)". The step also sets the
    confidence of fractions such as "a third"."""
    kept: list[Mention] = []
    for mention, following in zip(mentions, [*mentions[1:], None], strict=False):
        side = following and not mention.source and text.lower[mention.end : following.start].strip() in _BETWEEN_SIDES
        if mention.source or side or not _is_fragment(text, mention, kept):
            kept.append(mention)
    return kept


def _is_fragment(text: Text, mention: Mention, kept: list[Mention]) -> bool:
    """Return whether a number is only a part of a formula or a name. `kept` contains the earlier mentions. A number
    directly after a quantity is not part of a formula, because it restates the quantity: "400m/1300ft"."""
    number = mention.number
    follower = text.plain[number.end : number.end + 1]
    if follower.isalnum() or follower == "_":
        return True
    glued = follower in _AFTER_FORMULA or text.plain[number.start - 1 : number.start] != " "
    restates = kept and kept[-1].source and kept[-1].end == number.start - 1
    if glued and not restates and _is_in_formula(text.plain, number.start, number.end):
        return True
    if follower == "-" and number.shape == "digits" and _NAMED.match(text.plain, number.end):
        return counted_nouns.GLUED_PART.match(text.lower, number.end) is None
    return number.shape == "share" and not _is_share(text.lower, mention)


def _is_in_formula(plain: str, start: int, end: int) -> bool:
    """Return whether the number plain[start:end] is part of a formula: true in "Mg(ClO4)2", "Pt(111)" and "E1/2"."""
    glue = plain[start - 1 : start]
    if glue == "(" and plain[start - 2 : start - 1].isalpha():
        return _ARGUMENT.match(plain, end) is not None
    second = plain.startswith(")", end) and _SECOND.search(plain, start - 12, start)
    below = glue == "/" and _NAME_ABOVE.search(plain, start - 16, start)
    return bool(second or below) or glue in (")", "]", "}") or _SYMBOL_BELOW.match(plain, end) is not None


def _is_share(lower: str, mention: Mention) -> bool:
    """Return whether a fraction such as "half" is a quantity: true for "half of the users", false for "second half"."""
    start, end = mention.number.start, mention.number.end
    mention.confidence = 0.5
    before = lower[max(0, start - 30) : start]
    between = before.endswith(("between ", "between a ")) and _AND_SHARE.match(lower, end)
    if between or _FROM_SHARE.search(before):
        return True
    if _COUNTED_PART.match(lower, start) or _COMPARED.match(lower, end):
        return True
    if _MEASURE_OF_SHARE.search(before) and _ENDS.match(lower, end):
        return True
    half = lower.startswith(_HALF, start)
    if half and _PERIOD.search(before):
        return False
    if lower.startswith(_DO, end):
        return not lower.endswith(" and a half", 0, end)  # "a year and a half have passed"
    return lower.startswith(_HALF_OF if half else _INTEREST, end)
