"""What a quantity is about, found without a parser: the noun phrase beside it and the subject of its clause."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text

from . import beside
from .beside import Subject
from .noun_phrases import LINKS, after_row, begins_clause, chain, find_subject, nouns
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

_SENTENCE = re.compile(r"[.!?\n](?:(?<=\n)\n*|(?<!\n)[.!?]*[\"')]*\s+(?=[A-Z\"'(\d]))")
_JOINED = re.compile(r",? and (?:the )?|, (?:the )?")
_LISTING = frozenset(("", "and", ","))
"""Tokens of a row: quantities, which have no word of their own, and what joins them."""
_LEFT, _RIGHT, _AHEAD = 320, 160, 80


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
            window = _window(text, mention, spans, index, window.end if window.sure == window.end else 0)
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


def _window(text: Text, mention: Mention, spans: list[tuple[int, int]], index: int, seen: int) -> _Window:
    """The sentence around the mention at an index; before `seen`, where another ended, no end need be sought."""
    start, sure, end = _sentence(text.plain, mention, seen)
    last = first = index
    while first and spans[first - 1][1] > start:
        first -= 1
    while last < len(spans) and spans[last][0] < end:
        last += 1
    enough = text.lower.find(" ", spans[last - 1][1] + _AHEAD, end)
    tokens = tag(text.plain, text.lower, start, end if enough < 0 else enough, spans[first:last])
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
    words = _concept(tokens, at, mention, subject)
    if words:
        if len(words) > 1 and mention.source != "noun":
            words = _own(plain, tokens, at, words)
        mention.concept = tuple([_bare(plain[t.start : t.end]) for t in words])
    elif previous is not None and _follows(tokens, at):
        mention.concept = previous.concept


def _own(plain: str, tokens: list[Token], at: int, words: list[Token]) -> list[Token]:
    """The one of as many names as there are quantities in a row: "the mass and radius are 3 kg and 2 m"."""
    names = [words[:1]]
    for word, other in pairwise(words):
        if _JOINED.fullmatch(plain, word.end, other.start):
            names.append([])
        names[-1].append(other)
    if len(names) == 1:
        return words
    before, behind = (_in_row(tokens, at, step, len(names)) for step in (-1, 1))
    return names[before] if before + behind + 1 == len(names) else words


def _in_row(tokens: list[Token], at: int, step: int, most: int) -> int:
    """How many quantities stand to one side of another with nothing but commas and "and" between."""
    count = 0
    index = at + step
    while 0 <= index < len(tokens) and count < most and tokens[index].lower in _LISTING:
        count += tokens[index].tag == QUANTITY
        index += step
    return count


def span_of(mention: Mention) -> tuple[int, int]:
    """What the quantity covers for this purpose; words of change stay outside, they have a subject or an object."""
    if mention.bound in ("up", "down"):
        return mention.start, mention.end
    start = mention.start if mention.bound == "=" or mention.has_name else min(mention.cue_start, mention.start)
    return start, mention.after_end if mention.after_end > mention.end else mention.end


def _bare(word: str) -> str:
    if word[-1] == ".":
        return word if word[0].isupper() else word[:-1]  # "Inc.", but "freq"
    return word[:-2] if word[-1] == "s" and word[-2:-1] in ("'", "’") else word


def _follows(tokens: list[Token], at: int) -> bool:
    """Whether nothing but links stands between this quantity and the one before."""
    index = at - 1
    while index >= 0 and tokens[index].tag in (CONJUNCTION, MARK, PREPOSITION, ADVERB, DETERMINER):
        index -= 1
    return index >= 0 and tokens[index].tag == QUANTITY


def _sentence(plain: str, mention: Mention, seen: int) -> tuple[int, int, int]:
    """Where the sentence begins, up to where it shows enough of what follows a quantity, and where it ends."""
    floor = max(0, mention.start - _LEFT)
    start = _begin(plain, seen, mention.start) if seen > floor else 0
    start = start or _begin(plain, floor, mention.start) or floor
    stop = _SENTENCE.search(plain, mention.end, mention.end + _RIGHT)
    if stop:
        return start, stop.start(), stop.start()
    end = mention.end + _RIGHT
    return (start, end - _AHEAD, end) if end < len(plain) else (start, len(plain), len(plain))


def _begin(plain: str, floor: int, stop: int) -> int:
    """Where the last sentence begins between two offsets; 0 if none does."""
    begin = 0
    for found in _SENTENCE.finditer(plain, floor, stop):
        begin = found.end()
    return begin


def _concept(tokens: list[Token], at: int, mention: Mention, subject: Subject) -> list[Token]:
    right = _right(tokens, at)
    if mention.number.shape == "share":
        return right
    if mention.source == "noun" and mention.high == 1 and not right:
        return []
    if right and begins_clause(tokens, tokens.index(right[-1], at) + 1):
        subject = _no_subject
    words = beside.before(tokens, at, bool(right), mention, subject) + right
    if len(words) < 2:
        return words
    seen: set[str] = set()
    out = []
    for token in words:
        if token.lower not in seen:
            seen.add(token.lower)
            out.append(token)
    return out


def _no_subject(tokens: list[Token], index: int) -> list[Token]:
    return []


def _right(tokens: list[Token], at: int) -> list[Token]:
    """The noun that the quantity stands before ("640 hp engine"), or the one behind "of"."""
    index = after_row(tokens, at)
    if index >= len(tokens):
        return []
    if tokens[index].tag == NOUN:
        return nouns(tokens, index)
    return chain(tokens, index) if tokens[index].lower in LINKS else []
