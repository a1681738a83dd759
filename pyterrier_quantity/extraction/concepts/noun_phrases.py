"""Noun phrases of tagged tokens, and the subjects of their verbs, found by neighbours alone."""

from __future__ import annotations

from pyterrier_quantity.english import listed
from pyterrier_quantity.english.verbs import forms_of

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
SAYING = frozenset("said announced reported added confirmed".split())
LOOSE = listed("adjectives that stand alone")
_COUNTING = listed("adjectives before a number")
CHAIN = frozenset("of in on for with from off over against at between to per across".split())
_BE = IS | HAVE
_THIRD = frozenset("it they he she".split())
_CAUSING = forms_of("verbs that make someone do something")
_DASHES = frozenset(("-", "–", "—"))
_TITLE = 8
_VERBAL = frozenset((VERB, AUX, ADVERB))
_BEFORE_VERB = frozenset((TIME, DETERMINER, PREPOSITION, QUANTITY, NUMBER))


def after_row(tokens: list[Token], at: int) -> int:
    """What follows the quantity, or a row of them that share a noun: "a 7- or 8-inch screen", "5 mm (2 in) pipe"."""
    index = at + 1
    while index < len(tokens) and (tokens[index].tag in (QUANTITY, MARK) or tokens[index].lower in ("and", "or")):
        index += 1
    last = tokens[index - 1]
    row = index > at + 1 and index < len(tokens) and tokens[index].tag == NOUN
    between = {t.lower for t in tokens[at + 1 : index] if t.tag != QUANTITY}
    if between == {","} and _is_bracketed(tokens, at):
        return at + 1  # "(17.9 ppg, 4.6 apg, .534 FG)" is a list
    return index if row and (last.tag == QUANTITY or last.lower == ")") else at + 1


def _is_bracketed(tokens: list[Token], at: int) -> bool:
    opened = [token.lower for token in tokens[max(0, at - 12) : at] if token.lower in ("(", ")")]
    return bool(opened) and opened[-1] == "("


def is_time(tokens: list[Token], index: int) -> bool:
    """Whether the word only says which time is meant ("early Wednesday")."""
    return index + 1 < len(tokens) and tokens[index + 1].tag == TIME


def is_span(tokens: list[Token], index: int) -> bool:
    """Does "from nut to saddle" begin here?"""
    index += 1
    while index < len(tokens) and tokens[index].tag in (DETERMINER, NOUN):
        index += 1
    return index < len(tokens) and tokens[index].lower == "to"


def nouns(tokens: list[Token], index: int) -> list[Token]:
    words = []
    while index < len(tokens) and tokens[index].tag in (NOUN, NUMBER):
        if tokens[index].lower not in LOOSE:
            words.append(tokens[index])
        index += 1
    return words + chain(tokens, index) if words else []


def chain(tokens: list[Token], index: int) -> list[Token]:
    """The nouns of the prepositional phrases that follow."""
    words: list[Token] = []
    for _ in range(4):
        if index >= len(tokens) or tokens[index].tag != PREPOSITION or tokens[index].lower not in CHAIN:
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


def phrase_before(
    tokens: list[Token], index: int, chained: bool = True, links: frozenset[str] = CHAIN
) -> tuple[list[Token], int]:
    """The noun phrase that ends at `index` (its prepositional phrases included, if `chained`); the token before it."""
    words: list[Token] = []
    while index >= 0:
        token = tokens[index]
        before = tokens[index - 1].tag if index else MARK
        if token.tag == NOUN or (token.tag == NUMBER and (before == NOUN or (words and before == DETERMINER))):
            words.append(token)
        elif token.tag in (DETERMINER, ADVERB):
            if not words or (token.tag == DETERMINER and before == NOUN):
                break
        elif token.tag == PREPOSITION:
            if not words or not chained or token.lower not in links or before not in (NOUN, NUMBER):
                break
        elif token.tag == CONJUNCTION:
            if before != NOUN or token.lower not in ("and", "&", "or"):
                break
        else:
            break
        index -= 1
    return words[::-1], index


def _before_apposition(tokens: list[Token], index: int) -> int:
    """Where the noun ends that the part between this comma and the one before describes; else the same place."""
    inner = index - 1
    while inner > 0 and tokens[inner].tag not in (VERB, MARK, RELATIVE):
        inner -= 1
    opened = inner > 0 and tokens[inner].lower == "," and tokens[inner - 1].tag == NOUN
    return inner - 1 if opened and tokens[inner + 1].tag != PREPOSITION else index


def find_subject(tokens: list[Token], index: int) -> list[Token]:
    """The subject of the verb at `index`; a verb without one of its own takes the one of the verb before it."""
    for _ in range(20):
        verb = index
        index = _before_verb(tokens, index)
        if caused := _caused(tokens, index):
            return caused
        if index > 1 and tokens[index].lower in _THIRD and tokens[index - 1].lower in SAYING:
            index -= 1  # "the company said it expects"
            continue
        if index > 1 and tokens[index].lower in ("it", "them") and tokens[index - 1].tag == PREPOSITION:
            index -= 2  # "the voltage across it was"
        if index < 0 or tokens[index].tag == PRONOUN:
            return []
        if tokens[index].tag == RELATIVE:
            return _antecedent(tokens, index - 1)
        if tokens[index].lower == ",":
            index = _before_apposition(tokens, index)
        if tokens[index].tag == NOUN or is_numbered(tokens, index):
            return _subject_phrase(tokens, index, verb)
        index = _verb_before(tokens, index)
        if index < 0:
            return []
    return []


def _before_verb(tokens: list[Token], index: int) -> int:
    """The token before a verb, its auxiliaries and adverbs, and what stands between them and the subject."""
    while index >= 0 and tokens[index].tag in _VERBAL:
        index -= 1
    if index >= 0 and not tokens[index + 1].lower.endswith("ing") and tokens[index].lower not in ("to", "by"):
        while index >= 0 and tokens[index].tag in _BEFORE_VERB and not is_numbered(tokens, index):
            index -= 1
    return index


def _caused(tokens: list[Token], index: int) -> list[Token]:
    """Who is made to do what the verb behind "to" says ("forced the firm to cut")."""
    if index <= 1 or tokens[index].lower != "to" or tokens[index - 1].tag != NOUN:
        return []
    phrase, before = phrase_before(tokens, index - 1)
    return phrase if before >= 0 and tokens[before].lower in _CAUSING else []


def _antecedent(tokens: list[Token], index: int) -> list[Token]:
    """The noun that a relative clause behind `index` describes."""
    if index >= 0 and tokens[index].lower == ",":
        index -= 1
    return phrase_before(tokens, index, chained=False)[0] if index >= 0 else []


def _verb_before(tokens: list[Token], index: int) -> int:
    """The nearest verb up to an index in the same part of the sentence; -1 if there is none."""
    while index >= 0 and tokens[index].tag != VERB and tokens[index].lower not in _BE:
        if tokens[index].lower == ";":
            return -1
        index -= 1
    return index


def is_adjective(tokens: list[Token], index: int) -> bool:
    """Whether the word right before the quantity describes it ("a record 32 goals", "the top three", "sub-300")."""
    token = tokens[index]
    return token.lower.endswith("-") or (token.lower in _COUNTING and (index == 0 or tokens[index - 1].tag != NOUN))


def is_move(tokens: list[Token], at: int) -> bool:
    """Whether the quantity stands behind a comma as a move ("Unite Group, down 68 p")."""
    return at > 2 and tokens[at - 1].lower in ("up", "down", "off") and tokens[at - 2].lower == ","


def leads_sentence(tokens: list[Token], phrase: list[Token]) -> bool:
    """Whether it is a prepositional phrase at the sentence's head ("In total, 500 came")."""
    index = tokens.index(phrase[0]) - 1
    while index > 0 and tokens[index].tag in (DETERMINER, TIME, NUMBER):
        index -= 1
    if index < 0 or tokens[index].tag != PREPOSITION or tokens[index].lower in ("of", "among"):
        return False  # "Of the placements, 56 mln shares"
    return index == 0 or tokens[index - 1].tag != NOUN


def preposition_of(tokens: list[Token], at: int) -> int:
    """Where the preposition stands that governs the quantity; 0 if none does."""
    index = at - 1
    while index > 0 and tokens[index].tag in (ADVERB, DETERMINER):
        index -= 1
    return index if index > 0 and tokens[index].tag == PREPOSITION else 0


def heading(tokens: list[Token], first: Token) -> list[Token]:
    """The name that a dash sets before a definite phrase beginning with `first` ("Alphatec - The stock tumbled")."""
    dash = 0
    for index in range(1, min(_TITLE, len(tokens))):
        if tokens[index].lower in _DASHES:
            dash = index
            break
    if not dash or first not in tokens[dash + 1 : dash + 3] or tokens[dash + 1].lower not in ("the", "shares", "stock"):
        return []
    phrase, before = phrase_before(tokens, dash - 1)
    return phrase if before < 0 else []


def is_numbered(tokens: list[Token], index: int) -> bool:
    """Whether the token is the number of a name ("S&P 500")."""
    return index > 0 and tokens[index].tag == NUMBER and tokens[index - 1].tag == NOUN


def begins_clause(tokens: list[Token], index: int) -> bool:
    """Whether a verb stands here, so that the phrase before is its subject ("said 70 % of firms saw a fall")."""
    while index < len(tokens) and tokens[index].tag == ADVERB:
        index += 1
    if index + 1 >= len(tokens):
        return False
    return tokens[index].tag == AUX or (tokens[index].tag == VERB and tokens[index + 1].tag != PREPOSITION)


def is_object(tokens: list[Token], phrase: list[Token]) -> bool:
    """Whether the phrase follows its verb at once ("orbits the sun")."""
    index = tokens.index(phrase[0]) - 1
    while index > 0 and tokens[index].tag == DETERMINER:
        index -= 1
    return index >= 0 and tokens[index].tag == VERB


def is_argument(tokens: list[Token], phrase: list[Token]) -> bool:
    """Whether a preposition that belongs to the verb governs the phrase ("easing against the yen")."""
    if not phrase:
        return False
    index = tokens.index(phrase[0]) - 1
    while index > 0 and tokens[index].tag == DETERMINER:
        index -= 1
    if index <= 0 or tokens[index].tag != PREPOSITION or tokens[index].lower in ("of", "with", "by"):
        return False
    index -= 1
    while index > 0 and tokens[index].tag == ADVERB:
        index -= 1
    return tokens[index].tag == VERB


def _subject_phrase(tokens: list[Token], index: int, verb: int) -> list[Token]:
    """The noun phrase that ends at `index` before the verb: one with a participle of its own is taken whole."""
    phrase, before = phrase_before(tokens, index)
    participle = tokens[verb].lower.endswith("ed") and index + 1 == verb
    if participle and before >= 0 and tokens[before].tag == VERB:
        return phrase_before(tokens, index, chained=False)[0]  # "raised its supply of products priced at"
    within = before > 1 and [t.tag for t in tokens[before - 2 : before + 1]] == [NOUN, VERB, PREPOSITION]
    if tokens[verb].tag == AUX and within and not tokens[before - 1].lower.endswith("ing"):
        return [*phrase_before(tokens, before - 2)[0], tokens[before - 1], *phrase]  # "the charge stored in it was"
    return phrase
