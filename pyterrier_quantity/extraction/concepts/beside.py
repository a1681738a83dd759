"""What stands before a quantity: the noun phrase beside it, and the subject of the verb that governs it."""

from __future__ import annotations

from collections.abc import Callable

from pyterrier_quantity.extraction.mention import SPANS, Mention

from .noun_phrases import HAVE, IS, LOOSE, is_adjective, phrase_before, preposition_of
from .tagger import AUX, CONJUNCTION, DETERMINER, NOUN, PREPOSITION, QUANTITY, RELATIVE, VERB, Token

Subject = Callable[[list[Token], int], list[Token]]
"""Finds the subject of the verb at an index of the tokens."""

_FAR = 40


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
        if token.tag == NOUN and _ends_phrase(tokens, index, at):
            phrase, index = phrase_before(tokens, index, chained=not has_right)
            near = token is tokens[at - 1] or token is governor
            if not beside and (near or not (has_right or (mention.unit in SPANS and not bare))):
                beside = phrase
            bare = False
            continue
        if _governs(token):
            return _with_subject(tokens, at, index, beside, subject)
        if token.tag == RELATIVE or token.lower == ";":
            break
        if token.lower == "(":
            return [*phrase_before(tokens, index - 1, chained=False)[0], *beside]  # "buffer (pH 8)"
        if token.tag == QUANTITY and beside and tokens[index + 1].tag != PREPOSITION:
            return [] if tokens[at - 1].tag == CONJUNCTION else beside  # "a 60 kg dog and 5 cats"
        bare = bare and token.tag not in (PREPOSITION, QUANTITY)
        index -= 1
    return beside


def _governs(token: Token) -> bool:
    return token.tag == VERB or (token.tag == AUX and (token.lower in HAVE or token.lower in IS))


def _ends_phrase(tokens: list[Token], index: int, at: int) -> bool:
    """Whether a noun phrase ends with this noun. Some adjectives need a noun or an article before them."""
    if index == at - 1 and is_adjective(tokens, index):
        return False
    return tokens[index].lower not in LOOSE or (index > 0 and tokens[index - 1].tag in (NOUN, DETERMINER))


def _governor(tokens: list[Token], at: int) -> Token | None:
    """The noun that governs the quantity, "speeds of 5 m/s", or gets it, "gave the staff a £1,000 payment"."""
    if at > 1 and tokens[at - 1].lower in ("a", "an") and tokens[at - 2].tag == NOUN:
        return tokens[at - 2]
    own = preposition_of(tokens, at)
    return tokens[own - 1] if own > 0 and tokens[own].lower in ("of", "for") else None


def _with_subject(tokens: list[Token], at: int, verb: int, beside: list[Token], subject: Subject) -> list[Token]:
    """The verb's subject and the phrase; what something is belongs to the subject alone."""
    if tokens[verb].tag == AUX and tokens[verb].lower in IS:
        of = tokens[at - 1].lower == "of" and bool(beside) and tokens[at - 2] is beside[-1]
        return beside if of else subject(tokens, verb) or beside
    return subject(tokens, verb) + beside
