"""What a quantity is about, found without a parser: the noun phrase beside it and the subject of its clause."""

from __future__ import annotations

import re
from typing import NamedTuple

from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text

from . import beside
from .beside import Subject
from .noun_phrases import (
    after_row,
    begins_clause,
    chain,
    find_subject,
    heading,
    is_numbered,
    is_span,
    is_time,
    nouns,
)
from .tagger import (
    ADVERB,
    CONJUNCTION,
    DETERMINER,
    MARK,
    NOUN,
    PREPOSITION,
    QUANTITY,
    Token,
    tag,
)

_SENTENCE = re.compile(r"[.!?]+[\"')]*\s+(?=[A-Z\"'(\d])|\n+")
_LEFT, _RIGHT, _AHEAD = 320, 160, 70
_RIGHT_LINKS = frozenset(("of", "for", "from"))


def find_concepts(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Set the concept of every mention, one sentence after the other."""
    spans = [span_of(mention) for mention in mentions]
    window = _Window(0, -1, -1, 0, [], [])
    for index, mention in enumerate(mentions):
        previous = mentions[index - 1] if index else None
        if mention.start >= window.end or mention.end > window.sure:
            if previous is not None and mention.start - previous.end <= 2:
                mention.concept = previous.concept  # a row of numbers
                continue
            window = _window(text, mention, spans, index)
        place = index - window.first
        if place < len(window.places):
            before = previous if place else None
            _assign(text.plain, window.tokens, window.places[place], mention, before, find_subject)
    return mentions


class _Window(NamedTuple):
    """A sentence as tagged: its span, up to where it shows enough behind a quantity, its first mention, its tokens."""

    start: int
    sure: int
    end: int
    first: int
    tokens: list[Token]
    places: list[int]


def _window(text: Text, mention: Mention, spans: list[tuple[int, int]], index: int) -> _Window:
    """The sentence around the mention at an index."""
    start, sure, end = _sentence(text.plain, mention)
    last = first = index
    while first and spans[first - 1][1] > start:
        first -= 1
    while last < len(spans) and spans[last][0] < end:
        last += 1
    tokens = tag(text.plain, text.lower, start, end, spans[first:last])
    return _Window(start, sure, end, first, tokens, _places(tokens))


def assign(plain: str, mentions: list[Mention], tokens: list[Token], subject: Subject) -> None:
    """Set the concept of every mention from the tagged tokens of the whole text.

    Args:
        subject: finds the subject of the verb at an index of the tokens.
    """
    previous: Mention | None = None
    for at, mention in zip(_places(tokens), mentions, strict=False):
        _assign(plain, tokens, at, mention, previous, subject)
        previous = mention


def _places(tokens: list[Token]) -> list[int]:
    return [index for index, token in enumerate(tokens) if token.tag == QUANTITY]


def _assign(
    plain: str, tokens: list[Token], at: int, mention: Mention, previous: Mention | None, subject: Subject
) -> None:
    right = [] if _is_signed(plain, tokens, at, mention) else _right(tokens, at, mention)
    if not right and previous is not None and previous.concept and _restates(tokens, at):
        mention.concept = previous.concept
        return
    words = _concept(tokens, at, mention, right, subject)
    if words:
        mention.concept = tuple(_bare(plain[t.start : t.end]) for t in words)
    elif previous is not None and (_follows(tokens, at) or _in_brackets(tokens, at)):
        mention.concept = previous.concept


def span_of(mention: Mention) -> tuple[int, int]:
    """What the quantity covers for this purpose; words of change stay outside, they have a subject or an object."""
    changes = mention.bound in ("up", "down")
    start = mention.start if changes or mention.bound == "=" else min(mention.cue_start, mention.start)
    return start, mention.end if changes else max(mention.end, mention.after_end)


def _bare(word: str) -> str:
    if word[-1] == ".":
        return word if word[0].isupper() else word[:-1]  # "Inc.", but "freq"
    return word[:-2] if word[-1] == "s" and word[-2:-1] in ("'", "’") else word


def _restates(tokens: list[Token], at: int) -> bool:
    """Whether the quantity says the one before again: "60 % of its value, or 5 million", "12 lb (5 kg)"."""
    index = at - 1
    while index >= 0 and tokens[index].tag in (ADVERB, DETERMINER, PREPOSITION):
        index -= 1
    if index >= 0 and tokens[index].tag == QUANTITY:
        return tokens[at - 1].lower in ("to", "at", "from")  # "down 5 % at 30 dollars"
    if index < 0 or tokens[index].lower not in ("or", "("):
        return False
    index -= 1
    while index >= 0 and (tokens[index].tag in (NOUN, DETERMINER, PREPOSITION) or tokens[index].lower == ","):
        index -= 1
    return index >= 0 and tokens[index].tag == QUANTITY


def _in_brackets(tokens: list[Token], at: int) -> bool:
    """Whether the quantity stands in brackets that were opened after the one before."""
    for token in reversed(tokens[max(0, at - 4) : at]):
        if token.tag == QUANTITY or token.lower == ")":
            return False
        if token.lower == "(":
            return True
    return False


def _follows(tokens: list[Token], at: int) -> bool:
    """Whether nothing but links stands between this quantity and the one before."""
    index = at - 1
    while index >= 0 and tokens[index].tag in (CONJUNCTION, MARK, PREPOSITION, ADVERB, DETERMINER):
        index -= 1
    return index >= 0 and tokens[index].tag == QUANTITY


def _sentence(plain: str, mention: Mention) -> tuple[int, int, int]:
    """Where the sentence begins, up to where it shows enough of what follows a quantity, and where it ends."""
    floor = max(0, mention.start - _LEFT)
    start = floor
    for found in _SENTENCE.finditer(plain, floor, mention.start):
        start = found.end()
    stop = _SENTENCE.search(plain, mention.end, mention.end + _RIGHT)
    if stop:
        return start, stop.start(), stop.start()
    end = mention.end + _RIGHT
    return (start, end - _AHEAD, end) if end < len(plain) else (start, len(plain), len(plain))


def _concept(tokens: list[Token], at: int, mention: Mention, right: list[Token], subject: Subject) -> list[Token]:
    if mention.number.shape == "share":
        return right
    if mention.source == "noun" and mention.high == 1:
        return right if mention.unit == "count" else []
    if right and begins_clause(tokens, tokens.index(right[-1], at) + 1):
        subject = _no_subject
    left = beside.before(tokens, at, bool(right), mention, subject)
    if left or right:
        left = heading(tokens, (left or right)[0]) + left
    seen: set[str] = set()
    out = []
    for token in left + right:
        if token.lower not in seen:
            seen.add(token.lower)
            out.append(token)
    return out


def _is_signed(plain: str, tokens: list[Token], at: int, mention: Mention) -> bool:
    """Whether it is a signed change behind its name ("Dow +0.2%")."""
    if at == 0 or plain[mention.start] not in "+-−":
        return False
    return tokens[at - 1].tag == NOUN or is_numbered(tokens, at - 1)


def _no_subject(tokens: list[Token], index: int) -> list[Token]:
    return []


def _right(tokens: list[Token], at: int, mention: Mention) -> list[Token]:
    """The noun that the quantity stands before ("640 hp engine"), or the one behind "of"."""
    index = after_row(tokens, at)
    if index >= len(tokens):
        return []
    if tokens[index].tag == NOUN and mention.source != "noun":
        return [] if is_time(tokens, index) else nouns(tokens, index)
    if tokens[index].lower == "from" and is_span(tokens, index):
        return []
    if tokens[index].lower in _RIGHT_LINKS:
        if index + 1 < len(tokens) and tokens[index + 1].tag == QUANTITY and tokens[index].lower == "of":
            return nouns(tokens, index + 2)
        return chain(tokens, index)
    return []
