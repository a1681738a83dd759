"""Decide whether a quantity in the evidence and a sentence of an answer are about the same thing and property.

In all functions, `said` is a sentence of the answer, `number` is a number in it, `one` is a quantity in the evidence,
and `alike` is the list of all quantities in the evidence whose unit can be converted to the number's."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from pyterrier_quantity.english import listed
from pyterrier_quantity.english.adjectives import MEASURED
from pyterrier_quantity.english.nouns import singular
from pyterrier_quantity.english.stems import WORD, stem
from pyterrier_quantity.english.wordnet import things_meant
from pyterrier_quantity.extraction.grammar.bound_wordings import DIRECTIONS
from pyterrier_quantity.extraction.grammar.counted_nouns import STOPS
from pyterrier_quantity.grounding.stated_numbers import CHANGES, MOVES, PERSONS, Stated, noun_of, words_of
from pyterrier_quantity.quantity import BARE, SIDES, Quantity

_ANY_ROW: Final = words_of("total other change amount percentage year")  # too general to identify a row
MOST: Final = 100  # maximum number of quantities compared with a number, or with each other
LACKING: Final = words_of(" ".join(listed("words that names may lack") | listed("digits in words")))
_ADDED: Final = ("new", "additional", "extra", "further")
_EXCLUSIVE: Final = [words_of(group.replace("/", " ")) for group in listed("properties of which a number is one")]
_EXCLUDED: Final = frozenset[str]().union(*_EXCLUSIVE)
_MEASURED: Final = {stem(adjective): words_of(" ".join(found.nouns)) for adjective, found in MEASURED.items()}


class Claim(NamedTuple):
    """A sentence of an answer whose numbers are checked.

    Args:
        words: the stems of the sentence's words.
        names: the stems of the proper names in the sentence.
        thing: the noun phrase at the start of the sentence, if the evidence must mention it near the number, or "".
        moves: the directions of change in the sentence: "up", "down".
        years: the years in the sentence.
        forms: the calculations that the sentence suggests: "on average" -> "average".
        denied: whether the sentence negates the number.
        exact: whether the sentence contains a word such as "exactly".
        led: "from" or "to" if this word is directly before the number, otherwise "".
    """

    words: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    thing: str = ""
    moves: frozenset[str] = frozenset()
    years: frozenset[str] = frozenset()
    forms: frozenset[str] = frozenset()
    denied: bool = False
    exact: bool = False
    led: str = ""


def is_of(one: Stated, said: Claim, apart: bool) -> bool:
    """Return whether the sentence `said` may refer to the quantity `one`: the quantity's document contains all names in
    the sentence, and the years (if known) agree. In or near tables, names may be missing. If `apart` is true, one name
    is enough, because the operands of a calculation may belong to several things."""
    named = said.names & one.words if apart else one.of_report or not said.names - one.words - LACKING
    return bool(named and (not (said.years and one.years) or said.years & one.years))


def of_rows(stated: Sequence[Stated], alike: list[Stated], said: Claim) -> bool:
    """Return whether the sentence `said` may refer to the table row of a quantity in `stated`: the sentence names this
    row, or does not name any row. `alike` contains all quantities in the evidence with a convertible unit."""
    rows = {one.row for one in alike if one.row - _ANY_ROW and one.row <= said.words}
    of = [one.row in rows if one.row else one.cell or any(row & one.words for row in rows) for one in stated]
    return not rows or any(of)


def _of_another(one: Stated, alike: list[Stated], said: Claim) -> bool:
    """Return whether the sentence `said` refers to a neighbour of the quantity `one`: in "9 g of fat and 14 g of
    protein", an answer about protein refers to 14 g, not to 9 g. `alike` contains the possible neighbours."""
    place, first, pairs = (one.sentence, one.quantity.unit), one.phrase.split()[:1], []
    for other in alike[:MOST]:
        if (other.sentence, other.quantity.unit) == place:
            pairs.append((one.label, other.label))
            if first and other.phrase.split()[:1] == first:
                pairs.append((words_of(one.phrase), words_of(other.phrase)))
    return any(said.words & (theirs - own) and not said.words & (own - theirs) for own, theirs in pairs)


def _properties(words: frozenset[str]) -> frozenset[str]:
    """Return the measured properties that the given words name: {"deep", "lake"} -> {"depth"}."""
    return _EXCLUDED & words.union(*(nouns for adjective, nouns in _MEASURED.items() if adjective in words))


def is_said(one: Stated, alike: list[Stated], number: Quantity, span: tuple[float, float], said: Claim) -> bool:
    """Return whether the quantity `one` has the same value and subject as `number` in the sentence `said`. `span` is
    the range of values that round to the number. `alike` contains all quantities with a convertible unit."""
    same = one.says(number, span, "end" in said.forms) and not (said.exact and one.quantity.bound in SIDES)
    if not same or len({said.led, one.led} - {""}) > 1 or _of_another(one, alike, said):
        return False
    moves = moves_of(one.sentence) if said.led and one.cell is None else said.moves
    if len(moves) == len(said.moves) == 1 and moves != said.moves:
        return False
    return not (is_another(one, alike, number, said) or any(_is_rather(other, one, said) for other in alike[:MOST]))


@lru_cache(maxsize=10_000)
def moves_of(text: str) -> frozenset[str]:
    """Return the directions of change in a text: "sales rose" -> {"up"}."""
    return frozenset(DIRECTIONS[word] for word in WORD.findall(text.lower()) if word in DIRECTIONS)


def _is_elsewhere(one: Stated, alike: list[Stated], thing: str) -> bool:
    """Return whether the text near the quantity `one` mentions neither `thing` nor a synonym or more general term. For
    "bus", "vehicle" is sufficient; for "rear tyre", "tyre" is sufficient, but "front tyre" is not. The previous
    sentence is also searched, unless the sentence of another quantity in `alike` mentions the thing."""
    named = words_of(thing) - _ANY_ROW
    if named <= one.near or (named <= one.near | one.before and not _is_near(named, alike)):
        return False
    words, head = WORD.findall(one.sentence.lower()), singular(thing.split()[-1])
    if words[:1] and words[0] in PERSONS and one.near == words_of(one.sentence):
        return False  # the passage begins with "it", which may stand for any thing
    plain = [word for before, word in pairwise(["the", *words]) if singular(word) != head or before in STOPS]
    return not any(_are_kin(singular(word), head) for word in plain)


def _is_near(named: frozenset[str], alike: list[Stated]) -> bool:
    return any(named <= other.near for other in alike[:MOST])


def _are_kin(first: str, second: str) -> bool:
    return first == second or first in things_meant(second) or second in things_meant(first)


def _is_change(one: Stated, number: Quantity, said: Claim) -> bool:
    """Return whether the quantity `one` states a change ("rose by 5"), but the number in the sentence `said` does
    not."""
    noun = noun_of(one.quantity.unit).split()
    if noun and any(f"{word} {noun[-1]}" in one.sentence and not words_of(word) & said.words for word in _ADDED):
        return True
    moved = one.quantity.bound in MOVES and number.bound not in MOVES and number.unit != "percentage"
    return moved and not (said.moves or said.forms & {*CHANGES})


def _is_none(one: Stated, number: Quantity) -> bool:
    # "No staff" states zero with an empty span. It states no measurement and no amount of money.
    return one.quantity.start == one.quantity.end and number.unit != BARE and not noun_of(number.unit)


def _is_rather(other: Stated, one: Stated, said: Claim) -> bool:
    """Return whether the sentence `said` refers to the quantity `other` rather than to `one`, because the proper names
    of the sentence are near `other`, but not near `one`."""
    elsewhere = one.name - said.words and one.cell is other.cell and one.sentence != other.sentence
    return bool(elsewhere and said.names - one.near and said.names <= other.near)


def is_another(one: Stated, alike: list[Stated], number: Quantity, said: Claim) -> bool:
    """Return whether the quantity `one` measures a different property than `number` in the sentence `said` (depth
    instead of height), or counts other things (floors instead of engines). A count of managers may support a number of
    workers, unless the evidence has another quantity (in `alike`) that counts workers."""
    if one.cell is None and (
        _is_elsewhere(one, alike, said.thing) or _is_change(one, number, said) or _is_none(one, number)
    ):
        return True
    ours, labelled, near = (_properties(words) for words in (said.words, one.label | words_of(one.phrase), one.near))
    for group in _EXCLUSIVE:
        theirs = group & labelled or group & near
        if group & ours and theirs and not theirs & ours:
            return True
    noun, own = noun_of(number.unit), noun_of(one.quantity.unit)
    if not noun or not own or words_of(noun) & words_of(own):
        return False
    first, second = noun.split()[-1], own.split()[-1]
    kin = _are_kin(first, second) or words_of(noun) <= one.near
    counts = [other for other in alike[:MOST] if words_of(noun) & words_of(noun_of(other.quantity.unit))]
    return not kin or _is_near(words_of(said.thing) - _ANY_ROW, counts)
