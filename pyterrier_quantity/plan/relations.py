"""Find what each condition limits (its attribute), and which conditions are alternatives: "16 GB or 32 GB".

The attribute is the noun phrase before the number: "Academic Reputation" in "Academic Reputation below 14". The phrase
begins after a punctuation mark, or after a word like "have", "with" or "and". Words in brackets are ignored: "(USD)" in
"Revenue (USD) below 5". After a measurement, the attribute may also follow the number: "512 GB SSD", "60 cm deep".

A document must meet one of several alternatives: "16 GB or 32 GB", "500 g, 1 kg or 2 kg". After a negation, all values
of a list are excluded: "not 8 or 16 GB".
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pyterrier_quantity.english import listed, one_of, set_of
from pyterrier_quantity.english.adjectives import MEASURED
from pyterrier_quantity.extraction.grammar.bound_wordings import DIRECTIONS, OPPOSITE
from pyterrier_quantity.extraction.grammar.counted_nouns import STOPS
from pyterrier_quantity.plan.answer_kind import WORD_FAMILIES, unit_families
from pyterrier_quantity.plan.conditions import Condition
from pyterrier_quantity.quantity import BARE, Constraint
from pyterrier_quantity.units import default_registry

_OR: Final = re.compile(rf"\b{one_of('words of a choice')}\b")
_JOINED: Final = re.compile(rf",?(?: {one_of('conjunctions between bounds')})? ?")  # "above 5 kg and below 7 kg"
_EXCEPTING: Final = re.compile(r"\s*,?\s*(?:but|and|or)?\s*")  # ", " in "8 GB, not 16"
_LEFT_OUT: Final = re.compile(r",?(?: (?:or|nor|and)\b)* ?,?")
_ALTERNATIVE: Final = re.compile(rf",?(?: {_OR.pattern}|,| /|/)? ?(?:either )?")
_NAMED_CHOICE: Final = re.compile(  # between two bounds that are alternatives: " or volume "
    rf",? {_OR.pattern}(?: (?!so\b|{one_of('comparatives of more', 'comparatives of less')}\b)[a-z-]+){{1,2}} ?"
)
_TOKEN: Final = re.compile(r"[^\W_][\w'’-]*|[^\w\s]")
_JOINS: Final = frozenset("'’-&")
_LONGEST: Final = 5
_FEW: Final = 3  # maximum number of words in an attribute that follows its number
_STOPS_BEHIND: Final = STOPS | listed("words that begin another statement") | {"with", "without", "for"}
_REACH: Final = 120
_IN_MEASURE: Final = re.compile(  # preposition and the attribute after a measurement: "in depth" in "60 cm in depth"
    rf" in ({'|'.join(sorted({noun for adjective in MEASURED.values() for noun in adjective.nouns}))})\b", re.IGNORECASE
)


def with_attributes(text: str, conditions: Sequence[Condition]) -> list[Condition]:
    """Return the conditions with the words of their attributes: "battery life above 10 h" -> ("life", "battery")."""
    found, floor, before = list[Condition](), 0, tuple[str, ...]()
    if not conditions:
        return found
    ends = [*(one.start for one in conditions[1:]), len(text)]
    named_after = _is_measure(conditions[-1]) and bool(_words_after(text, conditions[-1].end, ends[-1]))
    for one, other, end in zip(conditions, (*conditions[1:], None), ends, strict=True):
        alike = bool(found) and found[-1].constraint.unit == one.constraint.unit
        gap = text[floor : one.start]
        if not (found and (_ALTERNATIVE.fullmatch(gap) or (alike and _JOINED.fullmatch(gap)))):
            before = _attribute_before(text, *one.name) + _attribute_before(text, floor, one.start)
        own = bool(before) and other is not None and _names_former(text, one, other)
        following, taken = _attribute_after(text, one, end, named_after or own)
        floor = max(one.end, taken)
        words = (*following, *(word for word in before if word not in following))[:_LONGEST]
        bound = text[one.start : one.number].lower().replace("up to", "")
        moved = (word for word in bound.split() if word in DIRECTIONS)
        words = (*moved, *words)
        found.append(replace(one, constraint=replace(one.constraint, attribute=words)))
    return found


def _names_former(text: str, one: Condition, other: Condition) -> bool:
    """Return whether the only word between an equality and a bound names the equality: "ram" in "16 GB ram under $500".
    A word that asks for the bound's kind of unit names the bound: "price" in "16 GB price under $500"."""
    words = _words_after(text, one.end, other.start)
    asked = WORD_FAMILIES.get(words[0][0].lower(), frozenset()) if len(words) == 1 else None
    fits = asked is not None and asked.isdisjoint(unit_families(other.constraint.unit))
    return other.bounded and not one.bounded and fits


def _is_measure(condition: Condition) -> bool:
    return condition.constraint.unit != BARE and default_registry().family(condition.constraint.unit) is not None


def _attribute_after(text: str, one: Condition, end: int, named_after: bool) -> tuple[tuple[str, ...], int]:
    """Return the words after the condition `one` that name its attribute, and the offset of their end: "60 cm ledge" ->
    (("ledge",), 11). If there are no such words, return ((), 0). `end` is the start of the next condition.
    `named_after` is true if attributes follow their numbers: "ram" belongs to "16gb" in "16gb ram 512gb ssd"."""
    named = _IN_MEASURE.match(text, one.end, end)
    words = _words_after(text, named.start(1) if named else one.end, end)
    if not words or not _is_measure(one):
        return (), 0
    if named:
        return (named[1],), named.end()
    stop = words[-1].end()
    adjective = MEASURED.get(words[0][0].lower())
    if adjective and not unit_families(one.constraint.unit).isdisjoint(adjective.families):
        return (words[0][0], *adjective.nouns), words[0].end()
    last = end == len(text) or stop < len(text[:end].rstrip())
    if not (last or named_after) or len(words) > _FEW:
        return (), 0
    return tuple(word[0] for word in words), stop


def _words_after(text: str, start: int, end: int) -> list[re.Match[str]]:
    """Return the words between two offsets, up to the first punctuation mark or word that begins a new phrase."""
    words: list[re.Match[str]] = []
    for word in _TOKEN.finditer(text, start, end):
        if not word[0][0].isalpha() or word[0].lower() in _STOPS_BEHIND:
            break
        words.append(word)
    return words


_VAGUE_NAMES_ATTRIBUTE = set_of("level levels value values rate amount content contents concentration score")
_WORDS_NAME_NO_ATTRIBUTE = set_of("""
    x a an the its their his her is are was were be been being of at to by as number total only
    """)


def _attribute_before(text: str, floor: int, start: int) -> tuple[str, ...]:
    """Return the attribute's words between the offsets `floor` and `start`: "battery life" -> ("life", "battery")."""
    words: list[str] = []
    general: list[str] = []
    bracketed = 0
    for word in reversed(_TOKEN.findall(text[max(floor, start - _REACH) : start])):
        if word in "()":
            bracketed = max(0, bracketed + (1 if word == ")" else -1))
        elif bracketed or word in _JOINS or word.isdecimal() or word.lower() in _WORDS_NAME_NO_ATTRIBUTE:
            continue
        elif word.lower() in _VAGUE_NAMES_ATTRIBUTE:
            general.append(word)
        elif not word[0].isalnum() or word.lower() in listed("words that begin another statement"):
            if words or general:
                break
        else:
            words.append(word)
            if len(words) == _LONGEST:
                break
    return tuple(words or general)


def with_alternatives(conditions: Sequence[Condition], gaps: Sequence[str]) -> list[Condition]:
    """Return the conditions with `alternative` set: alternatives ("16 GB or 32 GB") share a group number (1, 2, ...).

    A group consists of conditions joined by "or", or of a single condition that may mean several units ("12 kn"). An
    excluded number without a unit has the unit of the condition before it: "8 GB, not 16" excludes 16 GB.

    Args:
        conditions: the conditions in the order of the text.
        gaps: the text between each condition and the next, in lower case.
    """
    marked = [one.constraint for one in conditions]
    for place, gap in enumerate(gaps):
        if marked[place + 1].op == "!=" and marked[place + 1].unit == BARE and _EXCEPTING.fullmatch(gap):
            marked[place + 1] = replace(marked[place + 1], unit=marked[place].unit)  # "8 or 16 GB, not 32"
    begin = group = 0
    while begin < len(marked):
        group, end = group + 1, begin + 1
        while end < len(marked) and are_joined(gaps[end - 1], marked[begin], marked[end]):
            left_out = marked[end - 1].op == "!=" and not conditions[end].bounded
            if conditions[end].is_plain or left_out:
                marked[end] = _bound_alike(marked[end - 1], marked[end])
            end += 1
        either = any(map(_OR.search, gaps[begin : end - 1])) and {one.op for one in marked[begin:end]} != {"!="}
        for place in range(begin, end):
            if either or conditions[place].others:
                marked[place] = replace(marked[place], alternative=group)
                group += not either
        begin = end
    return [replace(one, constraint=constraint) for one, constraint in zip(conditions, marked, strict=True)]


def is_choice(gap: str) -> bool:
    """Return whether the text between two numbers makes them alternatives: True for " or " and ", or "."""
    return bool(_ALTERNATIVE.fullmatch(gap.lower()) and _OR.search(gap.lower()))


def are_joined(gap: str, one: Constraint, other: Constraint) -> bool:
    """Return whether two neighbouring conditions may be alternatives ("8 or 16 GB", "under 1 kg or over 10 kg"), or may
    share a negation ("not 8 or 16 GB"). `gap` is the text between the conditions."""
    listed = _ALTERNATIVE.fullmatch(gap) and (_OR.search(gap) or _are_equalities_of_one_family(one, other))
    named = one.op in OPPOSITE and other.op in OPPOSITE and _NAMED_CHOICE.fullmatch(gap)
    left_out = one.op == "!=" and other.op == "=" and one.unit == other.unit and _LEFT_OUT.fullmatch(gap)
    return bool(listed or named or left_out)


def _are_equalities_of_one_family(one: Constraint, other: Constraint) -> bool:
    first, second = (default_registry().family(each.unit) or each.unit for each in (one, other))
    return one.op == other.op == "=" and (first == second or BARE in (one.unit, other.unit))


def _bound_alike(one: Constraint, other: Constraint) -> Constraint:
    """Return the constraint `other` with the operator of the previous constraint (`one`): "not 8 or 16 GB" excludes 16
    GB too. If `other` has a bound or another unit, return it unchanged."""
    if (one.op in OPPOSITE or one.op == "!=") and other.op == "=" and one.unit == other.unit:
        return replace(other, op=one.op, certainty=one.certainty)
    return other
