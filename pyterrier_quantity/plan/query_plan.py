"""What a text asks, read once, from its quantities down to its search terms."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, lru_cache
from typing import Final

from pyterrier_quantity.constants import LEAST_CERTAIN
from pyterrier_quantity.extraction import Extractor, RuleExtractor, read
from pyterrier_quantity.extraction.language import Rewritten, code_of, rewriter
from pyterrier_quantity.extraction.language import spoken as spoken_in
from pyterrier_quantity.plan.answer_kind import AnswerKind, answer_kind
from pyterrier_quantity.plan.conditions import Condition, opened, worded_condition
from pyterrier_quantity.plan.order import Order, read_order
from pyterrier_quantity.plan.relations import is_choice, with_alternatives, with_attributes
from pyterrier_quantity.plan.respelling import Respelled, bounded_numbers, respelled
from pyterrier_quantity.plan.signs import SignReader, Signs, certainty
from pyterrier_quantity.plan.terms import QueryText, search_terms
from pyterrier_quantity.quantity import BARE, Constraint
from pyterrier_quantity.units import default_registry

PLAN: Final = "query_plan"
"""The column that carries each query's plan; PyTerrier's operators keep what begins with "q"."""
_CACHED_LENGTH: Final = 1000
"""Longer texts are read anew each time."""
_ADDRESS: Final = re.compile(r"\b[a-z]{2,20}://\S+|[?&]\w+=[^\s&]*")
"""The numbers of a link, or of its parameters, set no conditions."""


@dataclass(frozen=True)
class QueryPlan:
    """What a text asks.

    Args:
        text: as typed.
        conditions: in the order of the text; the constraint of each says what it asks, which words its number belongs
            to, which others are its alternatives, and how sure it is.
        language: of the text, by its code.
        order: in which documents are asked for, "cheapest"; None: in none.
        unread: the characters of bounds whose numbers cannot be read, "above 3.5.1".
    """

    text: str
    conditions: tuple[Condition, ...] = ()
    language: str = "en"
    order: Order | None = None
    unread: tuple[tuple[int, int], ...] = ()

    @property
    def constraints(self) -> list[Constraint]:
        """What the conditions ask; of a unit in doubt, in each of its readings."""
        return [reading for one in self.conditions for reading in one.readings]

    @cached_property
    def answer(self) -> AnswerKind:
        """What kind of answer it asks for."""
        return answer_kind(self.text, bool(self.conditions))

    def terms(self, keep: QueryText = QueryText.CONCEPT) -> str:
        """The words to search for; never empty unless the text is. Without conditions they are the text."""
        terms = search_terms(self.text, self.conditions, keep, self.order.spans if self.order else ())
        elsewhere = self.language != "en" and (self.conditions or self.order) and keep is not QueryText.ALL
        return rewriter(self.language).language.without_stop_words(terms) if elsewhere else terms


def plan_query(
    text: str, extractor: Extractor | None = None, today: date | None = None, language: str = "en"
) -> QueryPlan:
    """Read what a text asks.

    Args:
        text: as a person types it.
        extractor: reads the quantities; the rule extractor by default.
        today: the day from which "last year" and "2 years ago" count; without it they set no conditions.
        language: of the text, as for `RuleExtractor`; by default the extractor's.

    Raises:
        TypeError: if text is not a string, or today no day.
        ValueError: if both `today` and an extractor are given, or two languages; if the language is unknown.
    """
    if not isinstance(text, str):
        raise TypeError(f"parse_query: the query must be a string, got {type(text).__name__}")
    if extractor is not None and today is not None:
        raise ValueError("parse_query: an extractor brings its own day: RuleExtractor(dates=True, today=...)")
    spoken = getattr(extractor, "language", code_of(language))
    if code_of(language) not in ("en", spoken):
        raise ValueError(
            f"parse_query: the extractor reads {spoken!r}, the query is to be read in {language!r}; give one"
        )
    if spoken == "auto":
        spoken = spoken_in(text)
        extractor = extractor.in_language(spoken) if isinstance(extractor, RuleExtractor) else extractor
    if spoken != "en" or (extractor is None and len(text) <= _CACHED_LENGTH):
        return _plan_cached(text, today, spoken)
    return _plan(text, extractor or _default_extractor(today))


def parse_query(
    text: str,
    extractor: Extractor | None = None,
    keep: QueryText | str = QueryText.CONCEPT,
    today: date | None = None,
    language: str = "en",
) -> tuple[str, list[Constraint]]:
    """The search terms and the constraints of a query.

    Args:
        text: as a person types it.
        extractor: reads the quantities; the rule extractor by default.
        keep: which words stay in the search terms; by default those of the concept alone.
        today: the day from which "last year" and "2 years ago" count; without it they set no conditions.
        language: of the text, as for `RuleExtractor`; by default the extractor's.

    Returns:
        The search terms and the constraints, in the order of the text. A text without a quantity comes back as it is;
        only an empty text has no terms.

    Raises:
        TypeError: if text is not a string, or today no day.
        ValueError: if both `today` and an extractor are given, or two languages; if the language is unknown.
    """
    plan = plan_query(text, extractor, today, language)
    return plan.terms(QueryText(keep)), plan.constraints


def worded_signs(text: str) -> list[tuple[Constraint, Signs]]:
    """All that is worded as a condition, with the signs from which `certainty` tells whether it is one."""
    signs = SignReader(text)
    return [(one.constraint, signs.read(one)) for one in _worded(text, _default_extractor())]


@lru_cache(maxsize=10_000)
def _plan_cached(text: str, today: date | None, code: str) -> QueryPlan:
    """A pipeline reads a query several times: for the search terms, and for the concept's words. In another language
    it is planned in the notation, and told in the places of the text."""
    if code == "en":
        return _plan(text, _default_extractor(today))
    notation = rewriter(code).rewrite(text, default_registry())
    plan = _plan(notation.text, _default_extractor(today), typed=False)
    conditions = tuple(_moved(one, text, notation) for one in plan.conditions)
    order = read_order(text, code)
    if order and any(start < one.end and one.start < end for one in conditions for start, end in order.spans):
        order = None  # "最大" is a bound, too
    plan = QueryPlan(text, conditions, code, order)
    _tell(plan)
    return plan


def _moved(condition: Condition, text: str, notation: Rewritten) -> Condition:
    """A condition of the rewritten query where the query words it, with the wordings on both sides of the number."""
    starts, ends = notation.starts, notation.ends
    number, last = starts[condition.number], ends[condition.end - 1]
    first = starts[condition.start]
    for span in notation.spans:
        first = min(first, span[0]) if span[0] <= number < span[1] else first
        last = max(last, span[1]) if span[0] < last <= span[1] else last
    name = (starts[condition.name[0]], ends[condition.name[1] - 1]) if condition.name[1] else (0, 0)
    name = next((noun for noun in notation.nouns if first < noun[0] < last), name)
    return replace(condition, start=first, end=last, number=number, words=text[number:last], name=name)


@lru_cache(maxsize=8)
def _default_extractor(today: date | None = None) -> RuleExtractor:
    return RuleExtractor(concepts=False, dates=True, today=today)


def _plan(text: str, extractor: Extractor, typed: bool = True) -> QueryPlan:
    """The plan of a text in English, or in the reading's notation: that was not typed, and has no slips."""
    read_as = respelled(text, slips=typed)
    worded = list(_worded(read_as.text, extractor))
    conditions = with_attributes(read_as.text, _likely(read_as.text, worded))
    conditions = with_alternatives(read_as.text, conditions)
    if read_as.text != text:
        conditions = [_typed(one, text, read_as) for one in conditions]
    order = read_order(text) if typed else None
    if order is not None:  # "top 3" asks for no three of anything
        conditions = [one for one in conditions if not any(start <= one.number < end for start, end in order.spans)]
    plan = QueryPlan(text, tuple(conditions), order=order, unread=_unread(read_as, worded))
    if typed:
        _tell(plan)
    return plan


def _unread(read_as: Respelled, worded: list[Condition]) -> tuple[tuple[int, int], ...]:
    """The bounds whose numbers cannot be read, where the query words them."""
    bounds = bounded_numbers(read_as.text)
    known = bytearray(len(read_as.text))
    for start, end in [(one.start, one.end) for one in worded] + [
        one.span() for one in _ADDRESS.finditer(read_as.text)
    ]:
        known[start:end] = b"1" * (end - start)
    return tuple(read_as.span(*span) for span in bounds if not any(known[slice(*span)]))


def _tell(plan: QueryPlan) -> None:
    """Warn of what is read otherwise than it is typed, or not at all."""
    for one in plan.conditions if plan.language == "en" else ():
        if meant := default_registry().misspelt(one.words):
            warnings.warn(f"{one.words!r} is read in the unit {meant!r}", stacklevel=5)
    for start, end in plan.unread:
        warnings.warn(f"{plan.text[start:end]!r} sets no condition: its number cannot be read", stacklevel=5)


def _typed(condition: Condition, text: str, read_as: Respelled) -> Condition:
    """A condition of the text as it is read where the query words it."""
    start, end = read_as.span(condition.start, condition.end)
    number, stop = read_as.span(condition.number, condition.number + len(condition.words))
    words = condition.words if condition.constraint.op == "range" else text[number:stop]
    return replace(condition, start=start, end=end, number=number, name=read_as.span(*condition.name), words=words)


def _worded(text: str, extractor: Extractor) -> Iterator[Condition]:
    """All that is worded as a condition, in links, too; a bare number after "or" if the one before it is: "at 9 or
    10"."""
    last: Condition | None = None
    for mention in (part for found in read(text, extractor) for part in opened(text, found)):
        listed = last is not None and last.constraint.unit == mention.unit == BARE
        chosen = listed and last is not None and is_choice(text[last.end : mention.start])
        last = worded_condition(text, mention, chosen)
        if last is not None:
            yield last


def _likely(text: str, worded: list[Condition]) -> list[Condition]:
    """What is likely enough to be a condition, with how sure it is."""
    signs, found = SignReader(text), []
    addresses = [place.span() for place in _ADDRESS.finditer(text)]
    for one in worded:
        sure = certainty(signs.read(one), one.constraint.unit)
        place = bisect_left(addresses, (one.number, 0)) - 1
        in_address = place >= 0 and one.number < addresses[place][1]
        if sure >= LEAST_CERTAIN and not in_address:
            found.append(replace(one, constraint=replace(one.constraint, certainty=sure)))
    return found
