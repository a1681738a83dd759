"""A small part-of-speech guess by word lists and neighbours, enough to find clauses and their noun phrases."""

from __future__ import annotations

import re
from functools import lru_cache

from pyterrier_quantity.english import MONTHS, kinds_of, listed
from pyterrier_quantity.english.verbs import HARDLY_NOUNS, VERBS, forms_of
from pyterrier_quantity.extraction.grammar.bound_wordings import CHANGES

NOUN, VERB, AUX, PREPOSITION, DETERMINER, PRONOUN = "N", "V", "A", "P", "D", "O"
RELATIVE, CONJUNCTION, ADVERB, TIME, QUANTITY, MARK, NUMBER = "W", "C", "R", "T", "Q", "X", "M"

_TOKEN = re.compile(
    r"[^\W\d_][\w&/'’-]*(?:\.(?:[A-Za-z]\.?(?:\.[A-Za-z]\.?)*"
    r"|(?:(?<=\b(?:co|dr|mr|ms|st|jr|sr)\.)|(?<=\b(?:inc|ltd|mrs)\.)|(?<=\b(?:corp|bros|freq)\.))(?!\w)))?"
    r"|\d+(?:[.,/-]\d+)*\w*|[^\w\s]"
)
_ASCII_TOKEN = re.compile(_TOKEN.pattern, re.ASCII)
"""The same for text in ASCII alone, where it is faster."""
CLAUSE = kinds_of("clause.tsv")


def _kinds() -> dict[str, str]:
    """Words by kind; of verbs, forms that are hardly ever nouns are "?" (past, -ing), those that often are "b"."""
    sure = {form for base, verb in VERBS.items() for form in verb.past + verb.going if form != base}
    sure |= {form for base in HARDLY_NOUNS for form in VERBS[base].present}
    present = {form for verb in VERBS.values() for form in verb.present}
    return dict.fromkeys(present, "b") | dict.fromkeys(sure, "?") | CLAUSE | {"&": CONJUNCTION}


_KINDS = _kinds()
_NOUNLIKE_BEFORE = frozenset((DETERMINER, PREPOSITION, NUMBER, QUANTITY))
_TAKES_OBJECT = frozenset((DETERMINER, NUMBER, QUANTITY, ADVERB))


_LY_NOUNS = frozenset(("family", "supply", "assembly", "reply", "monopoly", "anomaly", "rally", "italy", "july"))
_NO_VERBS = frozenset(("hundred", "united", "limited"))
_MONTHS = MONTHS - {"may"}
_DAILY = listed("adverbs that can be adjectives")
_MEASURED = forms_of("verbs of having a measure")
_SHIFTING = _DAILY | _MONTHS | {"us", "that", "who", "x"}


class Token:
    """A word of the text: its lower-case form, its span, and its tag."""

    __slots__ = ("end", "lower", "start", "tag")

    def __init__(self, lower: str, start: int, end: int, tag: str) -> None:
        self.lower, self.start, self.end, self.tag = lower, start, end, tag


def tag(plain: str, lower: str, start: int, end: int, quantities: list[tuple[int, int]]) -> list[Token]:
    """The tokens of text[start:end] with tags; `quantities` (sorted spans) become one token each."""
    tokens = cut(lower, start, end, quantities)
    _settle(plain, tokens)
    return tokens


def cut(lower: str, start: int, end: int, quantities: list[tuple[int, int]]) -> list[Token]:
    """The tokens of text[start:end] with the tags that word lists give, verbs and nouns still undecided."""
    tokens: list[Token] = []
    position = start
    for first, last in quantities:
        if position < first:
            _words(lower, position, min(first, end), tokens)
        tokens.append(Token("", first, last, QUANTITY))
        position = max(position, last)
    if position < end:
        _words(lower, position, end, tokens)
    return tokens


def _words(lower: str, start: int, end: int, tokens: list[Token]) -> None:
    at, index = start, lower.index
    pattern = _ASCII_TOKEN if lower.isascii() else _TOKEN
    tokens += [
        Token(word, at := index(word, at), at := at + len(word), _kind(word))
        for word in pattern.findall(lower, start, end)
    ]


@lru_cache(maxsize=32_768)
def _kind(word: str) -> str:
    """What the lists say of a word, or what it looks like: a number, a mark, a participle ("?"), or else a noun."""
    if word in _KINDS:
        return _KINDS[word]
    if word[0].isdigit():
        return NUMBER
    if not word[0].isalpha() or word == "x":
        return MARK
    if word.endswith(("'s", "’s")) and len(word) > 3:
        return NOUN
    if word.endswith("ed") and len(word) > 5 and word not in _NO_VERBS:
        return "?"
    if "'" in word and CLAUSE.get(word[: word.index("'")]) in (PRONOUN, DETERMINER, RELATIVE):
        return PRONOUN
    return ADVERB if word.endswith("ly") and len(word) > 4 and word.split("-")[-1] not in _LY_NOUNS else NOUN


def _settle(plain: str, tokens: list[Token]) -> None:
    """Decide verb or noun for the forms that can be both, from left to right."""
    before = MARK
    for index, token in enumerate(tokens):
        if token.tag == "?" or token.tag == "b":
            following = tokens[index + 1].tag if index + 1 < len(tokens) else MARK
            settle = _settle_sure if token.tag == "?" else _settle_open
            token.tag = settle(token.lower, before, following, index and tokens[index - 1].lower)
            if token.tag == VERB and before not in (MARK, QUANTITY) and plain[token.start].isupper():
                token.tag = VERB if plain[:200].isupper() else NOUN  # "Reynolds Building", amid small letters
        elif token.lower in _SHIFTING or (before == AUX and token.lower.endswith("ing")):
            following = tokens[index + 1].tag if index + 1 < len(tokens) else MARK
            token.tag = _settle_word(plain, token, before, following)
        before = token.tag


def _settle_word(plain: str, token: Token, before: str, following: str) -> str:
    """Words whose part depends on what follows ("daily limit", "that was") or on their capitals ("US")."""
    if before == AUX and token.tag == NOUN and token.lower.endswith("ing") and following in "DQ":
        return VERB
    if token.lower == "us" and plain[token.start : token.end] == "US":
        return NOUN
    if token.lower == "x" and plain[token.start] == "X" and before not in (QUANTITY, NUMBER) and following == NOUN:
        return NOUN  # "the X chromosome"; "9 x 13" is a sign
    if token.lower in _DAILY and following in "N?b":
        return NOUN
    if token.lower in _MONTHS and before == DETERMINER and following in (NOUN, "b"):
        return NOUN  # "the December contract"
    if token.lower in ("that", "who") and following in (AUX, VERB, "?"):
        return RELATIVE
    return token.tag


def _settle_sure(word: str, before: str, following: str, previous: str | int) -> str:
    if previous == "to":
        return VERB
    if before == DETERMINER or (before in (PREPOSITION, QUANTITY) and following in "Nb"):
        return NOUN
    if word.endswith("ing") and before == NOUN and following == NOUN:
        return NOUN
    return VERB


def _settle_open(word: str, before: str, following: str, previous: str | int) -> str:
    if before in (AUX, PRONOUN, RELATIVE) or previous == "to":
        return VERB
    if before == QUANTITY and following in (DETERMINER, QUANTITY):
        return VERB
    opens = previous == 0 or word.endswith("s")
    if before == MARK and (following == QUANTITY or (following == DETERMINER and opens)):
        return VERB
    if before == CONJUNCTION and following == QUANTITY and word.endswith("s") and word in _MEASURED:
        return VERB  # "is 2 m wide and weighs 5 kg"
    if before in _NOUNLIKE_BEFORE or before in (MARK, CONJUNCTION, VERB):
        return NOUN
    if word.endswith("s") and before == NOUN and (following in _TAKES_OBJECT or word in CHANGES):
        return VERB
    if before in (ADVERB, NOUN) and following in (DETERMINER, QUANTITY):
        return VERB
    return NOUN
