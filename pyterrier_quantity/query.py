"""Query text to search terms and constraints: "BMW above 530hp" -> "BMW", [> 530 horsepower]."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from typing import Final

from pyterrier_quantity.attributes import attribute_before
from pyterrier_quantity.english import LABELS, in_order, listed
from pyterrier_quantity.extraction import DATE_UNIT, Extractor, Mention, RuleExtractor, read
from pyterrier_quantity.extraction.grammar.bound_wordings import OPPOSITE
from pyterrier_quantity.extraction.grammar.counted_nouns import PARTS, is_superlative
from pyterrier_quantity.narration import LEAST, Form, certainty, form_of
from pyterrier_quantity.quantity import BARE, Constraint
from pyterrier_quantity.units import default_registry

CACHED_LENGTH: Final = 1000
"""Longer texts are parsed anew each time."""

_NEGATION: Final = re.compile(
    r"(?:\b(?:not|never|other than|different from|anything but|except(?: for)?|excluding"
    r"|without|unequal to|apart from)|n['’]t)(?: (?:exactly|equal(?: to)?|at|of|with|the|be|a|precisely))*\s*$",
    re.IGNORECASE,
)
_NAMED_RANGE: Final = re.compile(r"[ -](?:[a-z]+[ -])?(?:range|bracket|band)s?\b", re.IGNORECASE)
"""A range that is called one: "in the 500 to 800 dollar range"."""
_OUTSIDE: Final = re.compile(r"\boutside(?: of)?(?: the range(?: of)?)?\s*$", re.IGNORECASE)
_UNEQUAL: Final = re.compile(r"(?:≠|!=|<>|=/=)\s*$")
_EQUALITY: Final = re.compile(
    r"(?:\b(?:(?:is|are|was|were|be|being|of|at|with|for|by|to|as|has|having|costs?|priced|measuring|weighing|in|aged)\s+)?"
    r"(?:of|at|with|is|are|for|aged|between|(?:starting )?from|starting at|anywhere (?:between|from))|[=:])\s*$",
    re.IGNORECASE,
)
_STARTING: Final = re.compile(r"\bfrom\s*$|^starting", re.IGNORECASE)
_EXACT: Final = re.compile(r"\b(?:exactly|exact|precisely)\s*$", re.IGNORECASE)
_EQUAL: Final = re.compile(r"(?:\b(?:exactly |precisely )?equals?(?: to)?|==?)\s*$", re.IGNORECASE)
"""Says the same, unless it closes a bound: "less than or equal to", "<="."""
_DANGLING: Final = listed("words at the end of search terms")
"""Words that mean nothing at an end of the search terms."""

_SCALED: Final = re.compile(
    r"[%€$£¥]|\d[.,]\d|(?!(?<!\d)\dk\b)\d ?[a-z]+\b|\b(?:dozen|hundred|thousand|million|mln|billion|bln|trillion)s?\b",
    re.IGNORECASE,
)
_RANKING: Final = listed("words that say how many results")
"""A count or a time after these says how many results or how recent."""
_NAMING: Final = LABELS | listed("names of series")
"""A count after these words, or after a capital, belongs to a name: "Windows 11 drivers", "phase 3 trials"."""
_FOR: Final = re.compile(r"(?:for|with)\s", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"\b[a-z]{2,20}://\S+|[?&]\w+=[^\s&]*")
"""The numbers of a link, or of its parameters, set no conditions."""
_TOLERANCE: Final = re.compile(r"±|\+/?-")
_SIZE: Final = re.compile(
    r"\b(?:sizes?|sz|rated|rating|seats|sleeps):? (?:[\d.]{1,5}(?:,? or |, | ?/ ?)){0,3}\Z", re.IGNORECASE
)
"""What asks for a bare number behind it, or for one of several: "size 42 or 43"."""
_ABILITIES: Final = "|".join(in_order("measures of what a thing can do"))
_EXTREME: Final = re.compile(
    rf"\b(?:min(?:imum)?(?! (?:order|stay))|(?P<most>max(?:imum)?)(?! (?:{_ABILITIES})\b))\.? "
    r"(?:[a-z]+ ){1,2}(?:of |is |: ?)?\Z",
    re.IGNORECASE,
)
"""What makes a limit of the value behind it: "maximum weight 2 kg"; "maximum speed of 200 km/h" is what a car does."""
_ALTERNATIVE: Final = re.compile(r",?(?: or|,| /|/)? ?(?:either )?|,? or ")
_REACH: Final = 80
"""How many characters before a quantity may word its condition."""
_ABBREVIATED: Final = re.compile(r"\.\w\.\s*$")
_MARKS: Final = " \t\n,;:.!?(["
_LISTED: Final = re.compile(r"\s*(?:[,/–×-]|(?:or|and|to|by)\b|x(?![a-z]))\s*")


class QueryText(str, Enum):
    """Which of a query's words stay as search terms."""

    CONCEPT = "concept"
    """Only what the quantity is about; conditions, numbers and units go."""
    UNIT = "unit"
    """The unit's words as well."""
    NUMBER = "number"
    """Units, and the number where it is asked for exactly: bounds are hardly ever met by the very number."""
    ALL = "all"
    """The text as typed."""


def parse_query(
    text: str, extractor: Extractor | None = None, keep: QueryText | str = QueryText.CONCEPT
) -> tuple[str, list[Constraint]]:
    """The search terms and the constraints of a query.

    Args:
        text: as a person types it.
        extractor: reads the quantities; the rule extractor by default.
        keep: which words stay in the search terms; by default those of the concept alone.

    Returns:
        The search terms, never empty unless the text is, and the constraints in the order of the text. A text without
        a quantity comes back as it is.

    Raises:
        TypeError: if text is no string.
    """
    if not isinstance(text, str):
        raise TypeError(f"parse_query: the query must be a string, got {type(text).__name__}")
    if extractor is None and len(text) <= CACHED_LENGTH:
        terms, constraints = _parse_cached(text, QueryText(keep))
        return terms, list(constraints)
    return _parse(text, _asked(text, extractor or _default_extractor()), QueryText(keep))


@lru_cache(maxsize=10_000)
def _parse_cached(text: str, keep: QueryText) -> tuple[str, tuple[Constraint, ...]]:
    terms, constraints = _parse(text, _asked_cached(text), keep)
    return terms, tuple(constraints)


@lru_cache(maxsize=10_000)
def _asked_cached(text: str) -> tuple[_Asked, ...]:
    """A pipeline reads a query once for the search terms and once for the concept's words."""
    return tuple(_asked(text, _default_extractor()))


@lru_cache(maxsize=1)
def _default_extractor() -> RuleExtractor:
    return RuleExtractor(concepts=False, dates=True)


def worded_constraints(text: str, extractor: Extractor | None = None) -> list[tuple[Constraint, int, int]]:
    """The constraints of a query, each with the span of the characters that word it: "below 530hp"."""
    return [(one.constraint, one.start, one.end) for one in _asked(text, extractor or _default_extractor())]


def worded_forms(text: str) -> list[tuple[Constraint, Form]]:
    """All that is worded as a condition, with the signs from which `narration` tells whether it is one."""
    found = (_worded(text, mention) for mention in read(text, _default_extractor()))
    return [(one.constraint, one.form) for one in found if one is not None]


def _asked(text: str, extractor: Extractor) -> list[_Asked]:
    addresses = [found.span() for found in _ADDRESS.finditer(text)]
    asked = [
        one for mention in read(text, extractor)
        if (one := _condition(text, mention)) is not None
        and not any(begin < mention.start < end for begin, end in addresses)
    ]  # fmt: skip
    constraints = _with_alternatives(text, asked, _attributed(text, asked))
    return [replace(one, constraint=constraint) for one, constraint in zip(asked, constraints, strict=True)]


def _parse(text: str, asked: Sequence[_Asked], keep: QueryText) -> tuple[str, list[Constraint]]:
    constraints = [one.constraint for one in asked]
    if not constraints or keep is QueryText.ALL:
        return text, constraints
    kept = [(one, _words(text[slice(*one.name)])) for one in asked]
    terms = _without(
        text, [(one.start, one.end, f"{name} {_kept_words(one.words, one.constraint.op, keep)}") for one, name in kept]
    )
    return terms or _without(text, [(one.start, one.end, _words(one.words)) for one in asked]) or text, constraints


@dataclass(frozen=True)
class _Asked:
    """A constraint, the characters that word it, those of its number and unit alone, and the signs of its sentence."""

    constraint: Constraint
    start: int
    end: int
    words: str
    form: Form
    name: tuple[int, int] = (0, 0)
    """Where among them the name of what is asked of stands: "magnitude" in "above magnitude 7"."""


def _attributed(text: str, asked: list[_Asked]) -> list[Constraint]:
    """The constraints with the words that they belong to."""
    floors = [0, *(one.end for one in asked)]
    return [
        replace(one.constraint, attribute=attribute_before(text, *one.name) + attribute_before(text, floor, one.start))
        for one, floor in zip(asked, floors, strict=False)
    ]


def _with_alternatives(text: str, asked: list[_Asked], constraints: list[Constraint]) -> list[Constraint]:
    """Mark what "or" joins as alternatives of each other: "16 GB or 32 GB", "500 g, 1 kg or 2 kg", "under 1 kg or over
    10 kg"."""
    marked = list(constraints)
    gaps = [text[one.end : other.start].lower() for one, other in pairwise(asked)]
    begin = 0
    for group in range(1, len(asked)):
        end = begin + 1
        while end < len(asked) and _joined(gaps[end - 1], marked[begin], marked[end]):
            if text[asked[end].start : asked[end].end] == asked[end].words:
                marked[end] = _bound_alike(marked[end - 1], marked[end])
            end += 1
        if any("or" in gap for gap in gaps[begin : end - 1]):
            marked[begin:end] = [replace(constraint, alternative=group) for constraint in marked[begin:end]]
        begin = end
    return marked


def _bound_alike(one: Constraint, other: Constraint) -> Constraint:
    """A bare value behind a bound: "cheaper than 50 dollars or 60 dollars"."""
    if one.op in OPPOSITE and other.op == "=" and one.unit == other.unit:
        return replace(other, op=one.op, certainty=one.certainty)
    return other


def _joined(gap: str, one: Constraint, other: Constraint) -> bool:
    """Whether two conditions may be alternatives: values in a list, or anything right behind "or"."""
    return bool(_ALTERNATIVE.fullmatch(gap)) and (one.op == other.op == "=" or "or" in gap)


def _condition(text: str, mention: Mention) -> _Asked | None:
    """The constraint that a mention of the query sets, and the characters that word it; None if it sets none."""
    worded = _worded(text, mention)
    if worded is None:
        return None
    sure = certainty(worded.form, worded.constraint.unit)
    return None if sure < LEAST else replace(worded, constraint=replace(worded.constraint, certainty=sure))


def _worded(text: str, mention: Mention) -> _Asked | None:
    """The same, whether or not its sentence asks for it."""
    start, end = mention.start, max(mention.end, mention.after_end)
    op = "=" if mention.bound in ("up", "down") else mention.bound
    worded = mention.cue_start < mention.cue_end and mention.bound not in ("up", "down")
    if worded:
        start = mention.cue_start
    exact = _exactly(text, mention, worded)
    if exact:
        op, start = "=", min(start, exact.start())
    equality = _ends_with(_EQUALITY, text, start)
    op, start = _negated(text, mention, op, start, equality)
    if mention.low != mention.high and op in ("=", "~"):
        op = "range"
    elif op == "=" and _TOLERANCE.search(text, mention.start, mention.end):
        op = "~"
    elif op == "=" and (extreme := _ends_with(_EXTREME, text, mention.start)):
        op = "<=" if extreme["most"] else ">="
    elif op == "=" and equality and _STARTING.search(equality.group()):
        op = ">="
    if equality and mention.unit == BARE and _FOR.match(equality.group()):
        equality = None  # "dinner for two"
    if op == "=" and not (exact or equality or _states_a_value(text, mention)):
        return None
    if op == "range" and mention.low == 0 and mention.unit == BARE:
        return None  # "0-100 in under 6 s"
    ranged = op == "range" and (start < mention.start or _NAMED_RANGE.match(text, mention.end) is not None)
    bounded = bool(exact) or op not in ("=", "~", "range") or ranged
    form = form_of(text, start, end, mention.start, bounded, mention.unit)
    constraint = Constraint(op, mention.low, mention.high, mention.unit)
    words = (mention.start, mention.end) if op != "range" else (mention.unit_start, mention.unit_end)
    name = (mention.cue_end, mention.start) if worded and mention.has_name else (0, 0)
    return _Asked(constraint, start, end, text[slice(*words)], form, name)


def _exactly(text: str, mention: Mention, worded: bool) -> re.Match[str] | None:
    """The word before that asks for the very value; "equal to" may also close a bound."""
    exact = _ends_with(_EXACT, text, mention.start)
    if exact or (worded and mention.bound in OPPOSITE):
        return exact
    return _ends_with(_EQUAL, text, mention.start)


def _negated(
    text: str, mention: Mention, op: str, start: int, equality: re.Match[str] | None
) -> tuple[str, int]:
    """The operator and where its wording begins, negation included."""
    if unequal := _ends_with(_UNEQUAL, text, mention.start):
        return "!=", unequal.start()
    is_range = mention.low != mention.high
    negation = _negation(text, start, is_range) or (equality and _negation(text, equality.start(), is_range))
    if negation:
        return OPPOSITE.get(op, "!="), negation.start()
    return op, equality.start() if equality else start


def _ends_with(wording: re.Pattern[str], text: str, end: int) -> re.Match[str] | None:
    return wording.search(text, max(0, end - _REACH), end)


def _negation(text: str, end: int, is_range: bool) -> re.Match[str] | None:
    return _ends_with(_NEGATION, text, end) or (_ends_with(_OUTSIDE, text, end) if is_range else None)


def _states_a_value(text: str, mention: Mention) -> bool:
    """Whether a number without any wording of a condition asks for a value, and is not part of a name."""
    words = text[mention.start : mention.end]
    if mention.unit == DATE_UNIT:
        return mention.cue_start < mention.cue_end and text[mention.cue_start : mention.cue_end].lower() != "of "
    if mention.unit == BARE and _ends_with(_SIZE, text, mention.start):
        return True
    if mention.unit == BARE:
        return bool(_SCALED.search(words))
    if words.isdecimal():
        # Its unit comes from a number further on: one of a list ("5 or 10 percent"), or a name ("Porsche 911").
        return bool(_LISTED.match(text, mention.end))
    before = text[max(0, mention.start - _REACH) : mention.start].split()
    noun = words.split()
    if noun[1:] and (noun[1].lower() in _RANKING or is_superlative(noun[1].lower())):
        return False  # "10 best phones"
    return not _is_part_of_a_name(before[-1] if before else "", noun[-1], mention.unit)


def _is_part_of_a_name(before: str, noun: str, unit: str) -> bool:
    """Whether the word before a number, or a capital on what it counts, makes a name of it."""
    family = default_registry().family(unit)
    counted = family in (unit, None)
    if before.lower() in _RANKING:
        return counted or family == "time"
    if not counted or unit in PARTS or before.endswith((",", ";", ":")):
        return False
    return before.lower() in _NAMING or any(c.isupper() for c in before) or noun[0].isupper()


def _kept_words(quantity: str, op: str, keep: QueryText) -> str:
    if keep is QueryText.CONCEPT:
        return ""
    return quantity if keep is QueryText.NUMBER and op in ("=", "~") else _words(quantity)


def _words(quantity: str) -> str:
    return " ".join(re.findall(r"[^\W\d_]\w*", quantity))


def _without(text: str, removed: list[tuple[int, int, str]]) -> str:
    """The text with spans replaced, without the little words that then dangle at its ends."""
    pieces: list[str] = []
    at = 0
    for start, end, kept in removed:
        between = text[at:start]
        pieces += [*([] if at and _LISTED.fullmatch(between) else _trimmed(between)), kept]
        at = max(at, end)
    words = " ".join([*pieces, text[at:]]).split()
    while words and words[0].lower() in _DANGLING:
        del words[0]
    return " ".join(_trimmed(" ".join(words)))


def _trimmed(piece: str) -> list[str]:
    words = (piece.strip(_MARKS) + ("." if _ABBREVIATED.search(piece) else "")).split()
    while words and words[-1].lower() in _DANGLING:
        words.pop()
    return words
