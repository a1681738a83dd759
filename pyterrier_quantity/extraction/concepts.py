"""What a quantity is about, found without a parser: the noun phrase beside it and the subject of its clause."""

from __future__ import annotations

import re
from collections.abc import Callable

from .attach import SPANS
from .data import listed
from .reading import Reading
from .tags import (
    ADVERB,
    AUX,
    CONJUNCTION,
    DETERMINER,
    MARK,
    NOUN,
    NUMBER,
    PREPOSITION,
    PRONOUN,
    QUANTITY,
    RELATIVE,
    TIME,
    VERB,
    Token,
    tag,
)

Subject = Callable[[list[Token], int], list[Token]]

_SENTENCE = re.compile(r"[.!?]+[\"')]*\s+(?=[A-Z\"'(\d])|\n+")
_LEFT, _RIGHT, _AHEAD = 320, 160, 70
_RIGHT_LINKS = frozenset(("of", "for", "from"))
_CHAIN = frozenset("of in on for with from off over against at between to per across".split())
_COUNTING = listed("adjectives before a number")
_BACKWARDS = _CHAIN - {"with"}
_LOOSE = listed("adjectives that stand alone")
_IS = frozenset("is are was were be been".split())
_HAVE = frozenset("has have had".split())
_BE = _IS | _HAVE
_SUBORDINATE = frozenset("because if although though unless whether".split())
_VERBAL = frozenset((VERB, AUX, ADVERB))
_BEFORE_VERB = frozenset((TIME, DETERMINER, PREPOSITION, QUANTITY, NUMBER))
_OWN = frozenset("to at for by from over in".split())
_HOLLOW = frozenset("top front terms excess".split())
_THIRD = frozenset("it they he she".split())
SAYING = frozenset("said announced reported added confirmed".split())
_EMPTY = frozenset("total number average".split())


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
    if previous is not None and previous.concept and _restates(tokens, at) and not _right(tokens, at, reading):
        reading.concept = previous.concept
        return
    words = _concept(tokens, at, reading, subject)
    if words:
        reading.concept = tuple(_bare(plain[t.start : t.end]) for t in words)
    elif previous is not None and (_follows(tokens, at) or _in_brackets(tokens, at)):
        reading.concept = previous.concept


def span_of(reading: Reading) -> tuple[int, int]:
    """What the quantity covers for this purpose; a verb of change stays outside, it has a subject."""
    start = reading.start if reading.bound in ("up", "down", "=") else min(reading.cue_start, reading.start)
    return start, max(reading.end, reading.after_end)


def _bare(word: str) -> str:
    if word.endswith("."):
        return word if word[0].isupper() else word[:-1]  # "Inc.", but "freq"
    return word[:-2] if word.endswith(("'s", "’s")) else word


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


def _concept(tokens: list[Token], at: int, reading: Reading, subject: Subject) -> list[Token]:
    if reading.number.shape == "share" or (reading.source == "noun" and reading.high == 1):
        return _right(tokens, at, reading) if reading.number.shape != "share" and reading.unit == "count" else []
    right = _right(tokens, at, reading)
    left = _left(tokens, at, bool(right), reading, subject)
    seen: set[str] = set()
    out = []
    for token in left + right:
        if token.low not in seen:
            seen.add(token.low)
            out.append(token)
    return out


def _right(tokens: list[Token], at: int, reading: Reading) -> list[Token]:
    """The noun that the quantity stands before ("640 hp engine"), or the one behind "of"."""
    index = _after_row(tokens, at)
    if index >= len(tokens):
        return []
    if tokens[index].tag == NOUN and reading.source != "noun":
        return _nouns(tokens, index)
    if tokens[index].low in _RIGHT_LINKS:
        if index + 1 < len(tokens) and tokens[index + 1].tag == QUANTITY and tokens[index].low == "of":
            return _nouns(tokens, index + 2)
        return _chain(tokens, index)
    return []


def _after_row(tokens: list[Token], at: int) -> int:
    """What follows the quantity, or a row of them that share a noun: "a 7- or 8-inch screen", "5 mm (2 in) pipe"."""
    index = at + 1
    while index < len(tokens) and (tokens[index].tag in (QUANTITY, MARK) or tokens[index].low in ("and", "or")):
        index += 1
    last = tokens[index - 1]
    row = index > at + 1 and index < len(tokens) and tokens[index].tag == NOUN
    return index if row and (last.tag == QUANTITY or last.low == ")") else at + 1


def _nouns(tokens: list[Token], index: int) -> list[Token]:
    words = []
    while index < len(tokens) and tokens[index].tag in (NOUN, NUMBER):
        if tokens[index].low not in _LOOSE:
            words.append(tokens[index])
        index += 1
    return words + _chain(tokens, index) if words else []


def _chain(tokens: list[Token], index: int) -> list[Token]:
    """The nouns of the prepositional phrases that follow."""
    words: list[Token] = []
    for _ in range(4):
        if index >= len(tokens) or tokens[index].tag != PREPOSITION or tokens[index].low not in _CHAIN:
            break
        inner = index + 1
        while inner < len(tokens) and tokens[inner].tag in (DETERMINER, ADVERB):
            inner += 1
        first = inner
        while inner < len(tokens) and tokens[inner].tag in (NOUN, NUMBER):
            inner += 1
        if inner == first or (inner < len(tokens) and tokens[inner].tag in (TIME, QUANTITY)):
            break
        if tokens[first].tag == NUMBER and inner == first + 1:
            break
        words += tokens[first:inner]
        index = inner
    return words


def _left(tokens: list[Token], at: int, has_right: bool, reading: Reading, subject: Subject) -> list[Token]:
    """The phrase beside the quantity and the subject of its verb."""
    index = at - 1
    beside: list[Token] = []
    own = _preposition(tokens, at)
    apart = own > 0 and tokens[own].low in _OWN
    governor = tokens[own - 1] if own > 0 and tokens[own].low in ("of", "for") else None
    if governor is not None and governor.low in _HOLLOW:
        governor = None
    bare = True  # nothing but the phrase stands right before the quantity
    timed = reading.unit in SPANS
    of = False
    for _ in range(40):
        if index < 0:
            break
        token = tokens[index]
        kind = token.tag
        if kind == NOUN and token is tokens[at - 1] and _is_adjective(tokens, index):
            index -= 1
            continue
        if kind == NOUN and (token.low not in _LOOSE or (index and tokens[index - 1].tag in (NOUN, DETERMINER))):
            phrase, index = _phrase(tokens, index, chained=not has_right)
            if not beside and (token is tokens[at - 1] or token is governor or not (has_right or (timed and not bare))):
                beside = phrase
                if index >= 0 and tokens[index].tag == QUANTITY and tokens[at - 1].tag == CONJUNCTION:
                    beside = []  # "a $3500 mortgage and two children"
                if _moves(tokens, at) and (index < 0 or tokens[index].tag in (AUX, MARK, DETERMINER)):
                    return beside
                of = index + 1 + len(phrase) < at and tokens[at - 1].low == "of"
            bare = False
            continue
        if kind == QUANTITY:
            if beside and tokens[index + 1].tag != PREPOSITION:
                return beside
            bare = False
        elif kind == PREPOSITION:
            bare = False
        elif kind == VERB or (kind == AUX and token.low in _HAVE):
            found = subject(tokens, index)
            return found if found and apart and _argument(tokens, beside) else found + _named(beside)
        elif kind == AUX and token.low in _IS:
            if beside and of:
                return _named(beside)
            return subject(tokens, index) or _named(beside)
        elif kind == RELATIVE or token.low in _SUBORDINATE:
            break
        elif token.low == "(" and has_right:
            return beside
        index -= 1
    return [] if beside and tokens[at - 1].low == "," and _leads(tokens, beside) else beside


def _is_adjective(tokens: list[Token], index: int) -> bool:
    """Does the word right before the quantity describe it ("a record 32 goals", "the top three", "sub-300")?"""
    token = tokens[index]
    return token.low.endswith("-") or (token.low in _COUNTING and (index == 0 or tokens[index - 1].tag != NOUN))


def _moves(tokens: list[Token], at: int) -> bool:
    """Stands the quantity behind a comma as a move ("Unite Group, down 68 p")?"""
    return at > 2 and tokens[at - 1].low in ("up", "down", "off") and tokens[at - 2].low == ","


def _leads(tokens: list[Token], phrase: list[Token]) -> bool:
    """Is it a prepositional phrase at the sentence's head ("In total, 500 came")?"""
    index = tokens.index(phrase[0]) - 1
    while index > 0 and tokens[index].tag in (DETERMINER, TIME, NUMBER):
        index -= 1
    return index >= 0 and tokens[index].tag == PREPOSITION and (index == 0 or tokens[index - 1].tag != NOUN)


def _preposition(tokens: list[Token], at: int) -> int:
    """Where the preposition stands that governs the quantity; 0 if none does."""
    index = at - 1
    while index > 0 and tokens[index].tag in (ADVERB, DETERMINER):
        index -= 1
    return index if index > 0 and tokens[index].tag == PREPOSITION else 0


def _argument(tokens: list[Token], phrase: list[Token]) -> bool:
    """Does a preposition that belongs to the verb govern the phrase ("easing against the yen")?"""
    if not phrase:
        return False
    index = tokens.index(phrase[0]) - 1
    while index > 0 and tokens[index].tag == DETERMINER:
        index -= 1
    if index <= 0 or tokens[index].tag != PREPOSITION or tokens[index].low in ("of", "with", "by"):
        return False
    index -= 1
    while index > 0 and tokens[index].tag == ADVERB:
        index -= 1
    return tokens[index].tag == VERB


def _named(words: list[Token]) -> list[Token]:
    """The words without a head that names nothing ("an average of", "a total of")."""
    return words[:-1] if words and words[-1].low in _EMPTY else words


def _before_apposition(tokens: list[Token], index: int) -> int:
    """Where the noun ends that the part between this comma and the one before describes; else the same place."""
    inner = index - 1
    while inner > 0 and tokens[inner].tag not in (VERB, MARK, RELATIVE):
        inner -= 1
    opened = inner > 0 and tokens[inner].low == "," and tokens[inner - 1].tag == NOUN
    return inner - 1 if opened and tokens[inner + 1].tag != PREPOSITION else index


def _phrase(tokens: list[Token], index: int, chained: bool = True) -> tuple[list[Token], int]:
    """The noun phrase that ends at `index` (its prepositional phrases included, if `chained`); the token before it."""
    words: list[Token] = []
    while index >= 0:
        token = tokens[index]
        before = tokens[index - 1].tag if index else MARK
        if token.tag == NOUN or (token.tag == NUMBER and before == NOUN):
            words.append(token)
        elif token.tag in (DETERMINER, ADVERB):
            if not words or (token.tag == DETERMINER and before == NOUN):
                break
        elif token.tag == PREPOSITION:
            if not words or not chained or token.low not in _BACKWARDS or before not in (NOUN, NUMBER):
                break
        elif token.tag == CONJUNCTION:
            if before != NOUN or token.low not in ("and", "&", "or"):
                break
        else:
            break
        index -= 1
    return words[::-1], index


def find_subject(tokens: list[Token], index: int) -> list[Token]:
    """The subject of the verb at `index`; a verb without one of its own takes the one of the verb before it."""
    for _ in range(20):
        while index >= 0 and tokens[index].tag in _VERBAL:
            index -= 1
        first = tokens[index + 1].low
        if index >= 0 and not first.endswith("ing") and tokens[index].low not in ("to", "by"):
            while index >= 0 and tokens[index].tag in _BEFORE_VERB:
                if tokens[index].tag == NUMBER and index and tokens[index - 1].tag == NOUN:
                    break
                index -= 1
        if index > 1 and tokens[index].low in _THIRD and tokens[index - 1].low in SAYING:
            index -= 1  # "the company said it expects"
            continue
        if index < 0 or tokens[index].tag == PRONOUN:
            return []
        if tokens[index].tag == RELATIVE:
            index -= 1
            if index >= 0 and tokens[index].low == ",":
                index -= 1
            return _phrase(tokens, index, chained=False)[0] if index >= 0 else []
        if tokens[index].low == ",":
            index = _before_apposition(tokens, index)
        if tokens[index].tag == NOUN or (tokens[index].tag == NUMBER and index and tokens[index - 1].tag == NOUN):
            return _phrase(tokens, index)[0]
        while index >= 0 and tokens[index].tag != VERB and tokens[index].low not in _BE:
            if tokens[index].low == ";":
                return []
            index -= 1
    return []
