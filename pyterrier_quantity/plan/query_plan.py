"""Split a query into conditions, sort order and search terms: "cheapest car above 500 hp"."""

import re
import warnings
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final

from pyterrier_quantity.constants import LEAST_CERTAIN
from pyterrier_quantity.english import listed
from pyterrier_quantity.extraction import DATE_UNIT, Extractor, Mention, RuleExtractor, read
from pyterrier_quantity.extraction.language import LanguageText, code_of, tools_of
from pyterrier_quantity.extraction.language import spoken as spoken_in
from pyterrier_quantity.extraction.steps.joining import join_bounds
from pyterrier_quantity.extraction.text import clean
from pyterrier_quantity.plan.answer_kind import AnswerKind, answer_kind
from pyterrier_quantity.plan.conditions import Condition, opened, worded_condition
from pyterrier_quantity.plan.order import Order, read_order
from pyterrier_quantity.plan.relations import are_joined, is_choice, with_alternatives, with_attributes
from pyterrier_quantity.plan.respelling import Respelled, bounded_numbers, respelled
from pyterrier_quantity.plan.signs import SignReader, Signs, certainty
from pyterrier_quantity.plan.terms import QueryText, search_terms
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.units import default_registry

PLAN: Final = "query_plan"
"""The name of the column with each query's `QueryPlan`. PyTerrier's operators keep columns that begin with "q"."""
_CACHED_LENGTH: Final = 1000  # maximum length, in characters, of a text whose plan is cached
_ASKING: Final = listed("words before a bare number that is asked for")
# A word, but not the "x" in "3 x 4". The vowel signs of Hindi are listed because they are not letters to `re`.
_WORD: Final = re.compile(r"(?![x×](?!\w))(?:[^\W\d_]|[\u0900-\u0963])+")
_ADDRESS: Final = re.compile(r"\b[a-z]{2,20}://\S+|[?&]\w+=[^\s&]*")  # numbers in a web address set no conditions


@dataclass(frozen=True)
class QueryPlan:
    """The result of `plan_query`: a query with its conditions and its sort order.

    Args:
        text: the query as typed.
        conditions: the numerical conditions, in the order of the text.
        language: the code of the query's language.
        order: the sort order that the query asks for ("cheapest"), or None.
        unread: the character spans of bounds whose numbers cannot be parsed, such as "above 3.5.1".
    """

    text: str
    conditions: tuple[Condition, ...] = ()
    language: str = "en"
    order: Order | None = None
    unread: tuple[tuple[int, int], ...] = ()

    @property
    def constraints(self) -> list[Constraint]:
        """The constraints of all conditions: two for "12 kn", because "kn" may mean knots or kilonewtons."""
        return [reading for one in self.conditions for reading in one.readings]

    @cached_property
    def answer(self) -> AnswerKind:
        """The kind of answer that the query asks for, such as a number of lakes."""
        return answer_kind(self.text, bool(self.conditions))

    def terms(self, keep: QueryText = QueryText.CONCEPT) -> str:
        """Return the words to search for: "laptop under 800 euros" -> "laptop". `keep` can select more words."""
        terms = search_terms(self.text, self.conditions, keep, self.order.spans if self.order else ())
        elsewhere = self.language != "en" and (self.conditions or self.order) and keep is not QueryText.ALL
        return tools_of(self.language).language.without_stop_words(terms) if elsewhere else terms


def plan_query(
    text: str, extractor: Extractor | None = None, today: date | None = None, language: str = "en"
) -> QueryPlan:
    """Return the conditions, sort order and search terms of a query.

    Args:
        text: the query as typed.
        extractor: the extractor of quantities, or None for a `RuleExtractor`.
        today: the reference date of "last year" and "2 years ago". Without `today`, such phrases set no conditions.
        language: the query's language; see `RuleExtractor`. A given extractor must have the same language.

    Raises:
        TypeError: if `text` is not a string, or `today` is not a date.
        ValueError: if the language is unknown or not the extractor's, or if `today` and an extractor are given.
    """
    if not isinstance(text, str):
        raise TypeError(f"parse_query: the query must be a string, got {type(text).__name__}")
    if extractor is not None and today is not None:
        raise ValueError("parse_query: give the date to the extractor: RuleExtractor(dates=True, today=...)")
    spoken = getattr(extractor, "language", code_of(language))
    if code_of(language) not in ("en", spoken):
        fault = f"parse_query: the extractor reads {spoken!r}, the query is to be read in {language!r}"
        raise ValueError(f"{fault}; give one")
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
    """Split a query into search terms and constraints.

    Args:
        text: the query as typed.
        keep: the words that stay in the search terms. By default, conditions are removed.
        extractor, today, language: see `plan_query`.

    Returns:
        the search terms and the constraints: "car above 500 hp" -> ("car", [> 500 horsepower]).

    Raises:
        TypeError, ValueError: see `plan_query`.
    """
    plan = plan_query(text, extractor, today, language)
    return plan.terms(QueryText(keep)), plan.constraints


def worded_signs(text: str) -> list[tuple[Constraint, Signs]]:
    """Return pairs (constraint, features), one for each number of a query that may set a condition; see `Signs`."""
    worded = list(_worded(text, _default_extractor()))
    signs = SignReader(text, worded)
    return [(one.constraint, signs.read(one)) for one in worded]


@lru_cache(maxsize=10_000)
def _plan_cached(text: str, today: date | None, code: str) -> QueryPlan:
    if code == "en":
        return _plan(text, _default_extractor(today))
    conditions = _elsewhere(text, _default_extractor(language=code))
    order = read_order(text, code)
    if order and any(start < one.end and one.start < end for one in conditions for start, end in order.spans):
        order = None  # the word, such as "最大" (maximum), is a bound here
    return QueryPlan(text, tuple(conditions), code, order)


def _elsewhere(text: str, extractor: RuleExtractor) -> list[Condition]:
    """Return the conditions of a query in a language other than English."""
    source, mentions = extractor.located(text, but=join_bounds)
    gaps = _with_exclusions(source, mentions)
    choices = [gap == " nor " or is_choice(gap) for gap in gaps]
    alike = [joins and one.unit == other.unit for (one, other), joins in zip(pairwise(mentions), choices, strict=True)]
    source.put_back(mentions)
    seen, worded, last = _masked(text, mentions), list[Condition](), -1
    places = list[int]()
    for place, mention in enumerate(mentions):
        follows, leads = place == last + 1 > 0 and alike[last], mention.source and alike[place : place + 1] == [True]
        chosen = bool(follows or leads) or mention.number.before in _ASKING
        if (one := worded_condition(seen, mention, chosen)) is not None:
            mention.cue_start = worded[-1].end if follows else mention.cue_start  # "noch" is not a search term
            worded.append(_located(one, text, mention, source.nouns))
            places.append(place)
            last = place
    likely = _likely(seen, worded, _gaps_between(places, gaps))
    kept = [place for place, one in zip(places, worded, strict=True) if any(one.number == it.number for it in likely)]
    return with_alternatives(likely, _gaps_between(kept, gaps))


def _gaps_between(places: list[int], gaps: list[str]) -> list[str]:
    return [gaps[one] if other == one + 1 else "" for one, other in pairwise(places)]


def _with_exclusions(source: LanguageText, mentions: list[Mention]) -> list[str]:
    """Set the bounds of negated quantities to "!=" (German "nicht 16 GB"). Return the texts between the quantities."""
    for one in mentions:
        if one.bound == "=" and one.source and (span := source.negation(one.cue_start, one.end, touching=True)):
            one.bound, one.cue_start, one.after_end = "!=", min(span[0], one.cue_start), span[1]
    gaps = [source.between(*pair) for pair in pairwise(mentions)]
    for place in reversed(range(len(gaps))):
        if gaps[place] == " nor " and mentions[place + 1].bound == "!=":
            mentions[place].bound = "!="  # "8GBでも16GBでもない" (neither 8 nor 16 GB)
    return gaps


def _masked(text: str, mentions: list[Mention]) -> str:
    """Return a text in lower case, with "`" instead of each letter outside quantities: "sous 5 g" -> "```` 5 g"."""
    seen, at = "", 0
    for start, end in [*((mention.start, mention.end) for mention in mentions), (len(text), len(text))]:
        seen += _WORD.sub(lambda word: "`" * len(word[0]), text[at:start]) + text[start:end]
        at = max(at, end)
    return clean(seen)[1]


def _located(condition: Condition, text: str, mention: Mention, nouns: list[tuple[int, int]]) -> Condition:
    """Extend the span of a condition to include the foreign words of its bound: "5 kg" -> "sous 5 kg" (under 5 kg).
    `mention` contains the position of these words, and `nouns` contains the spans of counted nouns in the text."""
    first, last = min(condition.start, mention.cue_start), condition.end
    name = next((noun for noun in nouns if first < noun[0] < last), condition.name)
    return replace(condition, start=first, words=text[condition.number : last], name=name)


@lru_cache(maxsize=8)
def _default_extractor(today: date | None = None, language: str = "en") -> RuleExtractor:
    return RuleExtractor(concepts=False, dates=True, today=today, language=language)


def _plan(text: str, extractor: Extractor) -> QueryPlan:
    read_as = respelled(text)
    worded = list(_worded(read_as.text, extractor))
    conditions = with_attributes(read_as.text, _likely(read_as.text, worded, _gaps(read_as.text, worded)))
    conditions = with_alternatives(conditions, _gaps(read_as.text, conditions))
    if read_as.text != text:
        conditions = [_typed(one, text, read_as) for one in conditions]
    order = read_order(text)
    if order is not None:  # the 3 of "top 3" is not a condition
        conditions = [one for one in conditions if not any(start <= one.number < end for start, end in order.spans)]
    plan = QueryPlan(text, tuple(conditions), order=order, unread=_unread(read_as, worded))
    for one in plan.conditions:
        if meant := default_registry().misspelt(one.words):
            warnings.warn(f"{one.words!r} is read as the unit {meant!r}", stacklevel=4)
    for start, end in plan.unread:
        warnings.warn(f"{text[start:end]!r} sets no condition: its number cannot be read", stacklevel=4)
    return plan


def _gaps(text: str, conditions: list[Condition]) -> list[str]:
    return [text[one.end : other.start].lower() for one, other in pairwise(conditions)]


def _unread(read_as: Respelled, worded: list[Condition]) -> tuple[tuple[int, int], ...]:
    """Return the spans of bounds whose numbers cannot be parsed ("above 3.5.1"), as offsets in the query as typed.
    `read_as` is the query with normalised spelling, and `worded` are the conditions found in it."""
    bounds = bounded_numbers(read_as.text)
    known = bytearray(len(read_as.text))
    addresses = [one.span() for one in _ADDRESS.finditer(read_as.text)]
    for start, end in [*((one.start, one.end) for one in worded), *addresses]:
        known[start:end] = b"1" * (end - start)
    return tuple(read_as.span(*span) for span in bounds if not any(known[slice(*span)]))


def _typed(condition: Condition, text: str, read_as: Respelled) -> Condition:
    start, end = read_as.span(condition.start, condition.end)
    number, stop = read_as.span(condition.number, condition.number + len(condition.words))
    words = condition.words if condition.constraint.op == "range" else text[number:stop]
    return replace(condition, start=start, end=end, number=number, name=read_as.span(*condition.name), words=words)


def _worded(text: str, extractor: Extractor) -> Iterator[Condition]:
    """Yield the conditions that the numbers in a text may set: one for "over 5 kg", two for "at 9 or 10"."""
    last: Condition | None = None
    for mention in (part for found in read(text, extractor) for part in opened(text, found)):
        gap = text[last.end : mention.start] if last and last.constraint.unit == mention.unit else ""
        chosen = is_choice(gap) or (gap == ", " and mention.unit == DATE_UNIT)
        last = worded_condition(text, mention, chosen)
        if last is not None:
            yield last


def _likely(text: str, worded: list[Condition], gaps: list[str]) -> list[Condition]:
    """Return the probable conditions, with their `certainty`. Leave out conditions in web addresses. In a list such as
    "not 8 or 16 GB", all conditions get the highest certainty in the list.

    Args:
        worded: the possible conditions, in the order of the text.
        gaps: the text between each condition and the next.
    """
    signs, found = SignReader(text, worded), list[Condition]()
    addresses = [place.span() for place in _ADDRESS.finditer(text)]
    sure = [certainty(signs.read(one), one.constraint.unit) for one in worded]
    asked = [one.constraint for one in worded]
    in_lists = [place for place, gap in enumerate(gaps) if are_joined(gap, *asked[place : place + 2])]
    for place in (*in_lists, *reversed(in_lists)):
        sure[place] = sure[place + 1] = max(sure[place : place + 2])
    for one, likelihood in zip(worded, sure, strict=True):
        place = bisect_left(addresses, (one.number, 0)) - 1
        in_address = place >= 0 and one.number < addresses[place][1]
        if likelihood >= LEAST_CERTAIN and not in_address:
            found.append(replace(one, constraint=replace(one.constraint, certainty=likelihood)))
    return found
