"""What a quantity is about, found without a parser: the noun phrase beside it and the subject of its clause."""

from __future__ import annotations

import re

from . import beside
from .beside import Subject
from .phrases import (
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
from .reading import Reading
from .tags import (
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


def add_concepts(plain: str, low: str, readings: list[Reading]) -> None:
    """Set the concept of every reading.

    Args:
        plain, low: the text as `normal.clean` gives it.
    """
    start, sure, end, first = 0, -1, -1, 0
    tokens: list[Token] = []
    places: list[int] = []
    spans = [span_of(r) for r in readings]
    for index, reading in enumerate(readings):
        previous = readings[index - 1] if index else None
        if reading.start >= end or reading.end > sure:
            if previous is not None and reading.start - previous.end <= 2:
                reading.concept = previous.concept  # a row of numbers
                continue
            start, sure, end = _sentence(plain, reading)
            last = first = index
            while first and spans[first - 1][1] > start:
                first -= 1
            while last < len(spans) and spans[last][0] < end:
                last += 1
            tokens = tag(plain, low, start, end, spans[first:last])
            places = _places(tokens)
        if index - first < len(places):
            _assign(plain, tokens, places[index - first], reading, previous if index > first else None, find_subject)


def assign(plain: str, readings: list[Reading], tokens: list[Token], subject: Subject) -> None:
    """Set the concept of every reading from the tagged tokens of the whole text.

    Args:
        subject: finds the subject of the verb at an index of the tokens.
    """
    previous: Reading | None = None
    for at, reading in zip(_places(tokens), readings, strict=False):
        _assign(plain, tokens, at, reading, previous, subject)
        previous = reading


def _places(tokens: list[Token]) -> list[int]:
    return [index for index, token in enumerate(tokens) if token.tag == QUANTITY]


def _assign(
    plain: str, tokens: list[Token], at: int, reading: Reading, previous: Reading | None, subject: Subject
) -> None:
    right = [] if _is_signed(plain, tokens, at, reading) else _right(tokens, at, reading)
    if not right and previous is not None and previous.concept and _restates(tokens, at):
        reading.concept = previous.concept
        return
    words = _concept(tokens, at, reading, right, subject)
    if words:
        reading.concept = tuple(_bare(plain[t.start : t.end]) for t in words)
    elif previous is not None and (_follows(tokens, at) or _in_brackets(tokens, at)):
        reading.concept = previous.concept


def span_of(reading: Reading) -> tuple[int, int]:
    """What the quantity covers for this purpose; a verb of change stays outside, it has a subject."""
    start = reading.start if reading.bound in ("up", "down", "=") else min(reading.cue_start, reading.start)
    return start, max(reading.end, reading.after_end)


def _bare(word: str) -> str:
    if word[-1] == ".":
        return word if word[0].isupper() else word[:-1]  # "Inc.", but "freq"
    return word[:-2] if word[-1] == "s" and word[-2:-1] in ("'", "’") else word


def _restates(tokens: list[Token], at: int) -> bool:
    """Does the quantity say the one before again, "60 % of its value, or 5 million", "12 lb (5 kg)"?"""
    index = at - 1
    while index >= 0 and tokens[index].tag in (ADVERB, DETERMINER, PREPOSITION):
        index -= 1
    if index >= 0 and tokens[index].tag == QUANTITY:
        return tokens[at - 1].low in ("to", "at", "from")  # "down 5 % at 30 dollars"
    if index < 0 or tokens[index].low not in ("or", "("):
        return False
    index -= 1
    while index >= 0 and (tokens[index].tag in (NOUN, DETERMINER, PREPOSITION) or tokens[index].low == ","):
        index -= 1
    return index >= 0 and tokens[index].tag == QUANTITY


def _in_brackets(tokens: list[Token], at: int) -> bool:
    """Does the quantity stand in brackets that were opened after the one before?"""
    for token in reversed(tokens[max(0, at - 4) : at]):
        if token.tag == QUANTITY or token.low == ")":
            return False
        if token.low == "(":
            return True
    return False


def _follows(tokens: list[Token], at: int) -> bool:
    """Does nothing but links stand between this quantity and the one before?"""
    index = at - 1
    while index >= 0 and tokens[index].tag in (CONJUNCTION, MARK, PREPOSITION, ADVERB, DETERMINER):
        index -= 1
    return index >= 0 and tokens[index].tag == QUANTITY


def _sentence(plain: str, reading: Reading) -> tuple[int, int, int]:
    """Where the sentence begins, up to where it shows enough of what follows a quantity, and where it ends."""
    floor = max(0, reading.start - _LEFT)
    start = floor
    for found in _SENTENCE.finditer(plain, floor, reading.start):
        start = found.end()
    stop = _SENTENCE.search(plain, reading.end, reading.end + _RIGHT)
    if stop:
        return start, stop.start(), stop.start()
    end = reading.end + _RIGHT
    return (start, end - _AHEAD, end) if end < len(plain) else (start, len(plain), len(plain))


def _concept(tokens: list[Token], at: int, reading: Reading, right: list[Token], subject: Subject) -> list[Token]:
    if reading.number.shape == "share":
        return right
    if reading.source == "noun" and reading.high == 1:
        return right if reading.unit == "count" else []
    if right and begins_clause(tokens, tokens.index(right[-1], at) + 1):
        subject = _no_subject
    left = beside.before(tokens, at, bool(right), reading, subject)
    if left or right:
        left = heading(tokens, (left or right)[0]) + left
    seen: set[str] = set()
    out = []
    for token in left + right:
        if token.low not in seen:
            seen.add(token.low)
            out.append(token)
    return out


def _is_signed(plain: str, tokens: list[Token], at: int, reading: Reading) -> bool:
    """Is it a signed change behind its name ("Dow +0.2%")?"""
    if at == 0 or plain[reading.start] not in "+-−":
        return False
    return tokens[at - 1].tag == NOUN or is_numbered(tokens, at - 1)


def _no_subject(tokens: list[Token], index: int) -> list[Token]:
    return []


def _right(tokens: list[Token], at: int, reading: Reading) -> list[Token]:
    """The noun that the quantity stands before ("640 hp engine"), or the one behind "of"."""
    index = after_row(tokens, at)
    if index >= len(tokens):
        return []
    if tokens[index].tag == NOUN and reading.source != "noun":
        return [] if is_time(tokens, index) else nouns(tokens, index)
    if tokens[index].low == "from" and is_span(tokens, index):
        return []
    if tokens[index].low in _RIGHT_LINKS:
        if index + 1 < len(tokens) and tokens[index + 1].tag == QUANTITY and tokens[index].low == "of":
            return nouns(tokens, index + 2)
        return chain(tokens, index)
    return []


