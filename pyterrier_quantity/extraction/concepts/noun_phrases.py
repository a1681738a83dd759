"""Noun phrases of tagged tokens, and the subjects of their verbs, found by neighbours alone."""

from __future__ import annotations

from pyterrier_quantity.english import listed

from .tagger import (
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
)

IS = frozenset("is are was were be been".split())
HAVE = frozenset("has have had".split())
LOOSE = listed("adjectives that stand alone")
LINKS = frozenset(("of", "in", "for"))
"""What joins a quantity to what it is of: "5 % of the price of crude oil in Asia"."""
_CHAIN = LINKS | frozenset("on with from off over against at between to per across through".split())
"""What stands within a noun phrase before a verb or a quantity: "growth across Asia"."""
_COUNTING = listed("adjectives before a number")
_VERBAL = frozenset((VERB, AUX, ADVERB))
_BEFORE_VERB = frozenset((TIME, DETERMINER, PREPOSITION, QUANTITY, NUMBER))
_BEFORE_NOUN = frozenset((DETERMINER, ADVERB))
_CONTENT = frozenset((NOUN, NUMBER))
_ASIDE = 8


def after_row(tokens: list[Token], at: int) -> int:
    """What follows the quantity, or a row of them that share a noun: "a 7- or 8-inch screen", "5 mm (2 in) pipe"."""
    index = at + 1
    while index < len(tokens) and (tokens[index].tag in (QUANTITY, MARK) or tokens[index].lower in ("and", "or")):
        index += 1
    if index == at + 1 or index == len(tokens) or tokens[index].tag != NOUN:
        return at + 1
    if all(token.lower == "," for token in tokens[at + 1 : index] if token.tag != QUANTITY) and opened(tokens, at):
        return at + 1  # "(17.9 ppg, 4.6 apg, .534 FG)" is a list
    return index if tokens[index - 1].tag == QUANTITY or tokens[index - 1].lower == ")" else at + 1


def opened(tokens: list[Token], at: int) -> int:
    """Where the bracket opens that the token stands in; 0 if it stands in none."""
    for index in range(at - 1, max(-1, at - 13), -1):
        if tokens[index].lower in ("(", ")"):
            return index if tokens[index].lower == "(" else 0
    return 0


def nouns(tokens: list[Token], index: int) -> list[Token]:
    """The nouns from an index on, with the prepositional phrases that follow."""
    words = []
    while index < len(tokens) and tokens[index].tag in _CONTENT:
        if tokens[index].lower not in LOOSE:
            words.append(tokens[index])
        index += 1
    return words + chain(tokens, index) if words else []


def chain(tokens: list[Token], index: int) -> list[Token]:
    """The nouns of the prepositional phrases that follow: "of freshly prepared 80% ethanol in water"."""
    words: list[Token] = []
    for _ in range(4):
        if index >= len(tokens) or tokens[index].tag != PREPOSITION or tokens[index].lower not in LINKS:
            break
        first = _skip_modifiers(tokens, index + 1, not words and tokens[index].lower == "of")
        inner = first
        while inner < len(tokens) and tokens[inner].tag in _CONTENT:
            inner += 1
        if inner == first or (inner < len(tokens) and tokens[inner].tag in (TIME, QUANTITY)):
            break
        if tokens[first].tag == NUMBER and inner == first + 1:
            break
        words += tokens[first:inner]
        index = inner
    return words


def _skip_modifiers(tokens: list[Token], index: int, measured: bool) -> int:
    """Past the articles, adverbs and participles before a noun, and where it is `measured` past its quantities."""
    while index < len(tokens):
        token = tokens[index]
        participle = token.tag == VERB and token.lower.endswith("ed")
        if token.tag not in _BEFORE_NOUN and not (measured and (participle or token.tag == QUANTITY)):
            break
        index += 1
    return index


def phrase_before(tokens: list[Token], index: int, chained: bool = True) -> tuple[list[Token], int]:
    """The noun phrase that ends at `index` (its prepositional phrases included, if `chained`); the token before it.

    What stands in brackets inside of it is passed over: "surface roughness (RMS) of the film".
    """
    words: list[Token] = []
    while index >= 0:
        token = tokens[index]
        before = tokens[index - 1].tag if index else MARK
        if token.tag == NOUN or (token.tag == NUMBER and (before == NOUN or (words and before == DETERMINER))):
            words.append(token)
        elif token.tag in _BEFORE_NOUN:
            if not words or (token.tag == DETERMINER and before == NOUN):
                break
        elif token.tag == PREPOSITION:
            linked = before in _CONTENT or tokens[index - 1].lower == ")"
            if not words or not chained or token.lower not in _CHAIN or not linked:
                break
        elif token.tag == CONJUNCTION:
            if before != NOUN or token.lower not in ("and", "&", "or"):
                break
        elif token.lower == ")" and (aside := _aside(tokens, index)):
            index = aside
        else:
            break
        index -= 1
    return words[::-1], index


def _aside(tokens: list[Token], index: int) -> int:
    """Where the bracket opens, right behind a noun, that closes at an index; 0 if it is not near."""
    for start in range(index - 1, max(0, index - _ASIDE), -1):
        if tokens[start].lower == "(":
            return start if tokens[start - 1].tag in _CONTENT else 0
    return 0


def find_subject(tokens: list[Token], index: int) -> list[Token]:
    """The subject of the verb at `index`; a verb without one of its own takes the one of the verb before it."""
    for _ in range(20):
        index = _before_verb(tokens, index)
        if index < 0 or tokens[index].tag == PRONOUN:
            return []
        if tokens[index].tag == RELATIVE:
            return _antecedent(tokens, index - 1)
        if tokens[index].tag in _CONTENT or tokens[index].lower == ")":
            phrase, _ = phrase_before(tokens, index)
            if phrase:
                return phrase
        index = _verb_before(tokens, index)
        if index < 0:
            return []
    return []


def _before_verb(tokens: list[Token], index: int) -> int:
    """The token before a verb, its auxiliaries and adverbs, and what stands between them and the subject."""
    while index >= 0 and tokens[index].tag in _VERBAL:
        index -= 1
    if index >= 0 and not tokens[index + 1].lower.endswith("ing") and tokens[index].lower not in ("to", "by"):
        while index >= 0 and tokens[index].tag in _BEFORE_VERB:
            if tokens[index].tag == NUMBER and index and tokens[index - 1].tag == NOUN:
                break  # "the S&P 500 lost"
            index -= 1
    return index


def _antecedent(tokens: list[Token], index: int) -> list[Token]:
    """The noun that a relative clause behind `index` describes."""
    if index >= 0 and tokens[index].lower == ",":
        index -= 1
    return phrase_before(tokens, index, chained=False)[0] if index >= 0 else []


def _verb_before(tokens: list[Token], index: int) -> int:
    """The nearest verb up to an index in the same part of the sentence; -1 if there is none."""
    while index >= 0 and tokens[index].tag != VERB and tokens[index].lower not in IS | HAVE:
        if tokens[index].lower == ";":
            return -1
        index -= 1
    return index


def is_adjective(tokens: list[Token], index: int) -> bool:
    """Whether the word right before the quantity describes it ("a record 32 goals", "the top three", "sub-300")."""
    token = tokens[index]
    return token.lower.endswith("-") or (token.lower in _COUNTING and (index == 0 or tokens[index - 1].tag != NOUN))


def preposition_of(tokens: list[Token], at: int) -> int:
    """Where the preposition stands that governs the quantity; 0 if none does."""
    index = at - 1
    while index > 0 and tokens[index].tag in _BEFORE_NOUN:
        index -= 1
    return index if index > 0 and tokens[index].tag == PREPOSITION else 0


def begins_clause(tokens: list[Token], index: int) -> bool:
    """Whether a verb stands here, so that the phrase before is its subject ("said 70 % of firms saw a fall")."""
    while index < len(tokens) and tokens[index].tag == ADVERB:
        index += 1
    if index + 1 >= len(tokens):
        return False
    return tokens[index].tag == AUX or (tokens[index].tag == VERB and tokens[index + 1].tag != PREPOSITION)
