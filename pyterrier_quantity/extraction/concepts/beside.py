"""What stands before a quantity: the noun phrase beside it, and the subject of the verb that governs it."""

from __future__ import annotations

from collections.abc import Callable

from pyterrier_quantity.extraction.mention import SPANS, Mention

from .noun_phrases import (
    CHAIN,
    HAVE,
    IS,
    LOOSE,
    is_adjective,
    is_argument,
    is_move,
    is_numbered,
    is_object,
    leads_sentence,
    phrase_before,
    preposition_of,
)
from .tagger import AUX, CONJUNCTION, DETERMINER, MARK, NOUN, NUMBER, PREPOSITION, QUANTITY, RELATIVE, VERB, Token

Subject = Callable[[list[Token], int], list[Token]]
"""Finds the subject of the verb at an index of the tokens."""

_SUBORDINATE = frozenset("because if although though unless whether".split())
_OWN = frozenset("to at for by from over in".split())
_HOLLOW = frozenset("top front terms excess eligible due responsible available".split())
_EMPTY = frozenset("total number average equivalent".split())
_DEGREES = frozenset("lower higher cheaper dearer larger smaller longer shorter".split())
_GOVERNED = CHAIN - {"with"}  # "a storm with winds of 74 mph"
_FAR = 40
_HEADS = frozenset((NOUN, NUMBER))
_VERBS = frozenset((VERB, AUX))


def before(tokens: list[Token], at: int, has_right: bool, mention: Mention, subject: Subject) -> list[Token]:
    """The phrase beside the quantity at an index, and the subject of its verb.

    Args:
        has_right: whether the quantity stands before a noun of its own ("640 hp engine") or before "of".
    """
    beside: list[Token] = []
    governor = _governor(tokens, at)
    bare = True  # nothing but the phrase stands right before the quantity
    index = at - 1
    for _ in range(_FAR):
        if index < 0:
            break
        token = tokens[index]
        kind = token.tag
        if kind in _HEADS and _is_head(tokens, index, at):
            links = _GOVERNED if token is governor else CHAIN
            phrase, index = phrase_before(tokens, index, chained=not has_right, links=links)
            near = token is tokens[at - 1] or token is governor
            if not beside and (near or not (has_right or (mention.unit in SPANS and not bare))):
                if is_move(tokens, at) and (index < 0 or tokens[index].tag in (AUX, MARK, DETERMINER)):
                    return phrase
                beside = [] if _is_listed(tokens, index, at) else phrase
            bare = False
            continue
        if kind in _VERBS and _governs(token):
            return _with_subject(tokens, at, index, beside, subject)
        if kind == RELATIVE or token.lower in _SUBORDINATE:
            break
        if has_right and token.lower == "(":
            return beside
        if kind == QUANTITY and beside and tokens[index + 1].tag != PREPOSITION:
            return beside
        bare = bare and kind not in (PREPOSITION, QUANTITY)
        index -= 1
    return [] if beside and tokens[at - 1].lower == "," and leads_sentence(tokens, beside) else beside


def _is_head(tokens: list[Token], index: int, at: int) -> bool:
    """Whether a noun phrase, or a name with a number, ends here."""
    if tokens[index].tag == NOUN and _ends_phrase(tokens, index, at):
        return True
    return index == at - 1 and is_numbered(tokens, index)


def _governs(token: Token) -> bool:
    return token.tag == VERB or (token.tag == AUX and (token.lower in HAVE or token.lower in IS))


def _ends_phrase(tokens: list[Token], index: int, at: int) -> bool:
    """Whether a noun phrase ends with this noun. Some adjectives need a noun or an article before them."""
    lower = tokens[index].lower
    if index == at - 1 and is_adjective(tokens, index):
        return False
    return lower not in LOOSE or (index > 0 and tokens[index - 1].tag in (NOUN, DETERMINER))


def _governor(tokens: list[Token], at: int) -> Token | None:
    """The noun that governs the quantity, "speeds of 5 m/s", or gets it, "gave the staff a £1,000 payment"."""
    if at > 1 and tokens[at - 1].lower in ("a", "an") and tokens[at - 2].tag == NOUN:
        return tokens[at - 2]
    own = preposition_of(tokens, at)
    if own > 0 and tokens[own].lower in ("of", "for") and tokens[own - 1].lower not in _HOLLOW:
        return tokens[own - 1]
    return None


def _is_listed(tokens: list[Token], index: int, at: int) -> bool:
    """Whether the phrase belongs to the quantity before ("a $3500 mortgage and two children")."""
    return index >= 0 and tokens[index].tag == QUANTITY and tokens[at - 1].tag == CONJUNCTION


def _with_subject(tokens: list[Token], at: int, verb: int, beside: list[Token], subject: Subject) -> list[Token]:
    """The verb's subject and the phrase, as far as the quantity is about them."""
    named = beside[:-1] if beside and beside[-1].lower in _EMPTY else beside  # "an average of"
    if tokens[verb].tag == AUX and tokens[verb].lower in IS:
        of = tokens[at - 1].lower == "of" and bool(beside) and tokens[at - 2] is beside[-1]
        return named if of else subject(tokens, verb) or named
    found = subject(tokens, verb)
    if found and beside:
        own = preposition_of(tokens, at)
        if own > 0 and tokens[own].lower in _OWN and is_argument(tokens, beside):
            return found
        if at + 1 < len(tokens) and tokens[at + 1].lower in _DEGREES and is_object(tokens, beside):
            return named  # "pulled the sector 0.7 percent lower"
    return found + named
