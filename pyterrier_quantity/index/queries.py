"""Convert a frame of queries to `IndexQuery` objects, which contain the constraints and the hashes of search terms."""

import math
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, count, islice, pairwise, takewhile
from typing import Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.constants import NAMES
from pyterrier_quantity.english import STOP_WORDS
from pyterrier_quantity.english.adjectives import MEASURED
from pyterrier_quantity.english.wordnet import other_names, things_meant
from pyterrier_quantity.extraction.grammar.bound_wordings import BEFORE
from pyterrier_quantity.flat_arrays import Ints, Whole
from pyterrier_quantity.frames.frame import cells, checked_texts, is_missing
from pyterrier_quantity.index.context_words import counted_noun, is_count, modifying_terms, noun_terms, query_terms
from pyterrier_quantity.index.unit_matching import PIECES
from pyterrier_quantity.plan import PLAN, QueryPlan, plan_query
from pyterrier_quantity.quantity import BARE, OPERATORS, Constraint
from pyterrier_quantity.score.query import IndexQuery, Name, QueryCondition
from pyterrier_quantity.units import default_registry

CONSTRAINT_COLUMNS: Final = ["condition", "value", "unit"]
"""The columns that can replace the column `constraints`. Ranges also have the column `high`."""

SUPPORT: Final = "support"
"""The column that the transformer `settle` adds: a list with the weight of each constraint of the query."""

READ: Final = ("qid", "query", PLAN, "constraints", *CONSTRAINT_COLUMNS, "high", SUPPORT)
"""The columns with a query's terms and conditions."""

_TYPED: Final = "query_0"  # column in which the query parser stores the query as typed

_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")

_SPELLINGS: Final = {
    "==": "=", "equal": "=", "equals": "=", "≠": "!=", "<>": "!=", "not": "!=", "less": "<", "below": "<",
    "greater": ">", "above": ">", "≤": "<=", "≥": ">=", "between": "range", "≈": "~", "about": "~",
}  # fmt: skip


def has_constraints(frame: pd.DataFrame) -> bool:
    """Return whether a frame of queries has columns with conditions. If so, no parser is needed."""
    asked = {"constraints", PLAN} & set(frame.columns)
    return bool(asked) or all(column in frame.columns for column in CONSTRAINT_COLUMNS)


def index_queries(frame: pd.DataFrame) -> tuple[list[IndexQuery], Ints]:
    """Return the distinct queries of a frame and, for each row, the index of its query.

    Args:
        frame: queries (Q) or results (R), with `qid`. Conditions come from `query_plan`, `constraints`, or the columns
            `condition`, `value` and `unit` (and `high`). Without conditions, the text in `query` is parsed with
            `QuantityQueryParser()`. Search terms come from the plan, otherwise from `query`.

    Raises:
        ValueError: if a value is not a valid constraint. The message names the query and the column.
    """
    number, qids = pd.factorize(frame["qid"])
    if (number < 0).any():
        raise ValueError(f"row {int(np.flatnonzero(number < 0)[0])} has no qid; give every query its own")
    typed = None if has_constraints(frame) else _typed(frame)
    names = [name for name in (*READ, *((typed,) if typed != "query" else ())) if name in frame.columns]
    if len(qids) == len(frame):
        asked = {name: frame[name].tolist() for name in names}
    else:
        first = np.full(len(qids), -1)
        first[number[::-1]] = np.arange(len(frame))[::-1]
        # If there is a column `constraints`, columns `value` and `unit` belong to the documents.
        others = {"qid"} | ({*CONSTRAINT_COLUMNS, "high"} if "constraints" in names else set())
        for name in (name for name in names if name not in others):
            _check_alike(frame[name], first[number], frame["qid"])
        asked = {name: cells(frame[name]).take(first).tolist() for name in names}
    if typed is not None:
        asked[PLAN] = list(map(plan_query, checked_texts(asked["qid"], asked[typed])))
    return queries_of(asked, parsed=PLAN in asked or _TYPED in frame.columns), number.astype(np.int64)


def check_asked(frame: pd.DataFrame, context: pt.Transformer, *columns: str, results: bool = True) -> None:
    """Check that a frame has the columns of results (R), or of queries (Q) if `results` is false, and the given
    `columns`. If a column is missing, raise PyTerrier's validation error, which names the transformer `context`."""
    known = [] if has_constraints(frame) or "condition" not in frame.columns else CONSTRAINT_COLUMNS
    with pt.validate.any(frame, context=context) as v:
        form = v.result_frame if results else v.query_frame
        form(extra_columns=["query", *known, *columns], mode="'query' as typed, or as QuantityQueryParser() gives it")


def queries_in(results: pd.DataFrame) -> pd.DataFrame:
    """Return the queries (Q) in results (R): each query once, with only the columns of queries."""
    asked = ["constraints"] if "constraints" in results.columns else [*CONSTRAINT_COLUMNS, "high"]
    belonging = {*pt.model.query_columns(results), *asked} - {"quantities"}
    return results[[name for name in results if name in belonging]].drop_duplicates("qid").reset_index(drop=True)


def _typed(frame: pd.DataFrame) -> str:
    """Return the name of the column with the query as typed: the last of `query_0`, `query_1`, ..., or else `query`."""
    *_, typed = takewhile(frame.columns.__contains__, chain(["query"], map("query_{}".format, count())))
    return typed


def queries_of(asked: Mapping[str, Sequence[Any]], parsed: bool) -> list[IndexQuery]:
    """Return queries as `index_queries` does, but from a dictionary of columns instead of a frame.

    Args:
        asked: columns with one entry for each query, keyed by names in `READ`.
        parsed: whether the constraints come from the parser. Otherwise units that look misspelt cause a warning.
    """
    found = [_query(dict(zip(asked, record, strict=True))) for record in zip(*asked.values(), strict=True)]
    units = dict.fromkeys(constraint.unit for query in found for constraint in query.constraints)
    for unit in () if parsed else units:
        if near := default_registry().misspelt(unit):
            warnings.warn(
                f"the unit {unit!r} is read as a counted noun; if you mean {near!r}, write {near!r}", stacklevel=3
            )
    return found


def _check_alike(column: pd.Series, first: Whole, qids: pd.Series) -> None:
    """Raise a ValueError if two rows of a query have different values in a column. For each row, `first` contains the
    index of the first row with the same query, and `qids` contains the query id."""
    values: Any = column.to_numpy() if column.dtype == object else column.array
    others = values[first]
    if column.dtype == object:
        unlike = [n for n, (value, other) in enumerate(zip(values, others, strict=True)) if value is not other]
    else:
        unlike = np.flatnonzero(~pd.Series(values == others).fillna(False).to_numpy(dtype=bool)).tolist()
    place = next((n for n in unlike if not _alike(values[n], others[n])), None)
    if place is not None:
        raise ValueError(
            f"query {qids.iloc[place]!r}: column {column.name!r} holds {values[place]!r} in one row and "
            f"{others[place]!r} in another; give every query its own qid"
        )


def _alike(value: Any, other: Any) -> bool:
    if isinstance(value, list) and isinstance(other, list):
        return value == other
    if is_missing(value) or is_missing(other):
        return is_missing(value) and is_missing(other)
    return value == other if not isinstance(value, np.ndarray) else list(value) == list(other)


def _query(record: Mapping[str, Any]) -> IndexQuery:
    constraints = query_constraints(record)
    query = record.get("query")
    plan = _given_plan(record) or (plan_query(query) if isinstance(query, str) else QueryPlan(""))
    concept = plan.terms()
    terms = _search_terms(concept, tuple(c.unit for c in constraints if c.unit != BARE))
    support: Sequence[float | None] = _support(record, len(constraints)) or [None] * len(constraints)
    unsaid = {code: weight for code, weight in _unsaid(constraints, plan.text).items() if code not in terms}
    conditions = [_condition(*each, constraints, [*terms, *unsaid]) for each in zip(constraints, support, strict=True)]
    names = _other_names(concept, terms, _named(constraints)) if terms else ()
    return IndexQuery(conditions, terms, unsaid if terms else {}, names, plan.order, modifying_terms(plan.text))


def _unsaid(constraints: Sequence[Constraint], text: str) -> dict[int, float]:
    """Return the attribute words that are not in the query `text`, such as "price" with the option `default="price"`.
    The result maps the hash of each word to 1. Nouns for adjectives in the query ("depth" for "deep") are left out."""
    said = [(word, [MEASURED[one] for one in map(str.lower, c.attribute) if one in MEASURED])
            for c in constraints for word in c.attribute if word.lower() not in text.lower()]  # fmt: skip
    words = [word for word, adjectives in said if not any(word in one.nouns for one in adjectives)]
    return {code: 1.0 for word in words for code in query_terms(word)}


_COUNTED: Final = ((1.0, NAMES.kind, NAMES.kind), (False, False, True))  # the weight, and `Name.defines`


@lru_cache(maxsize=10_000)
def _other_names(concept: str, terms: tuple[int, ...], named: frozenset[int]) -> tuple[Name, ...]:
    """Return synonyms of the attribute words of a query ("staff" -> "employee"), and of two-word phrases with such a
    word. `concept` is the query without conditions. `terms` contains the hashes of its words, and `named` those of its
    attribute words. Synonyms of all words would worsen the rankings of long queries."""
    words = [word for word in _WORD.findall(concept.lower()) if word not in STOP_WORDS]
    asked = frozenset(terms)
    found: dict[tuple[tuple[int, ...], tuple[int, ...]], Name] = {}
    for names in map(_names_of, (*words, *map(" ".join, pairwise(words)))):
        if names and not named.isdisjoint(names[0].said) and asked.issuperset(names[0].said):
            for name in names:
                if not asked.issuperset(name.other):
                    found.setdefault((name.said, name.other), name)
    return tuple(found.values())


@lru_cache(maxsize=10_000)
def _names_of(phrase: str) -> tuple[Name, ...]:
    """Return other words for a phrase of one or two words: synonyms ("staff" -> "employee"), narrower nouns ("metal" ->
    "copper"), and nouns in the phrase's definition."""
    said = query_terms(phrase)
    synonyms, *others = other_names(phrase)
    measured = MEASURED[phrase].nouns if phrase in MEASURED else ()
    kinds = zip(((*synonyms, *measured), *others), *_COUNTED, strict=True)
    found = ((query_terms(name), weight, defines) for names, weight, defines in kinds for name in names)
    return tuple(Name(said, *other) for other in found if other[0])


def _named(constraints: Sequence[Constraint]) -> frozenset[int]:
    """Return the hashes of the attribute words next to each number: "weight" and "loss" in "weight loss > 8%"."""
    words = (takewhile(lambda word: word.lower() not in STOP_WORDS, c.attribute) for c in constraints)
    return frozenset(code for own in words for word in islice(own, NAMES.words) for code in query_terms(word))


_CONTAINERS: Final = query_terms("set pack packet box case carton crate tray bag bundle")  # "wine glasses, set of 6"
_HOLDING: Final = tuple(query_terms("sleeps seats serves feeds accommodates"))  # "sleeps 4" counts persons


def _condition(
    constraint: Constraint, support: float | None, constraints: Sequence[Constraint], terms: Sequence[int]
) -> QueryCondition:
    """Return a `QueryCondition`: the constraint with the query terms that belong to it, and the weight `support`.

    The field `naming` contains the terms that may name what is measured. If the constraint has a unit, these are all
    terms except nouns that other constraints count ("doors" in "3 doors"), otherwise the attribute's terms. `labels`
    contains words that may label a number: "stars" for "above 4 stars" finds "stars: 5".
    """
    unit, counted = constraint.unit, noun_terms(constraint.unit)
    codes = (code for word in constraint.attribute for code in query_terms(word) if code in terms)
    attribute = list(dict.fromkeys(codes))
    taken = {code for other in constraints if other.unit != unit for code in noun_terms(other.unit)}
    naming = attribute if unit == BARE and attribute else [code for code in terms if code not in taken]
    labels = (
        [*counted[-1:], *attribute[:1], *_CONTAINERS] if unit != BARE and (is_count(unit) or unit in PIECES) else []
    )
    persons = default_registry().family(unit) == "person" or unit in things_meant("person")
    labels += _HOLDING if persons else ()
    return QueryCondition(constraint, attribute, naming, frozenset(labels), counted, support)


def _support(record: Mapping[str, Any], constraints: int) -> Sequence[float]:
    given = record.get(SUPPORT)
    if is_missing(given):
        return ()
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) not in (0, constraints):
        raise ValueError(
            f"query {record.get('qid')!r}: column {SUPPORT!r} must hold a number for each of its {constraints} "
            f"constraints, as `settle` gives them, got {given!r}"
        )
    return given


@lru_cache(maxsize=10_000)
def _search_terms(concept: str, units: tuple[str, ...]) -> tuple[int, ...]:
    """Return the hashes of the words to search for. They are the words of `concept` (the query without conditions) and
    the nouns counted by `units` ("goals" in "more than 20 goals"). The words of units of measurement are left out."""
    counted = " ".join(map(counted_noun, units))
    words = frozenset().union(*map(_unit_words, units))
    return query_terms(f"{concept} {counted}", words) or query_terms(concept)


@lru_cache(maxsize=10_000)
def _unit_words(unit: str) -> frozenset[int]:
    """Return the hashes of a unit's name and its one-word spellings. Longer spellings are left out because their words
    may be search terms, such as the "oil" of "barrel of oil"."""
    registry = default_registry()
    if is_count(unit):
        return frozenset().union(*map(_unit_words, registry.parts(unit)[1:]))
    spellings = (surface for surface in registry.surfaces(unit) if " " not in surface)
    return frozenset(code for surface in (unit, *spellings) for code in query_terms(surface))


def query_constraints(record: Mapping[str, Any]) -> list[Constraint]:
    """Return the constraints of one query, given a dictionary from column to cell (`record`). The cells contain either
    `Constraint` objects or an operator, a value and a unit. Units become canonical names.

    Raises:
        ValueError: if a value is not a valid constraint. The message names the query and the column.
    """
    given, plan = record.get("constraints"), _given_plan(record)
    if is_missing(given) and plan is not None:
        given = plan.constraints
    try:
        plain = is_missing(given)
        constraints = _plain_constraint(record) if plain else _checked(given)
        return [_canonical(c, "unit" if plain else "constraints") for c in constraints]
    except (TypeError, ValueError) as error:
        raise ValueError(f"query {record.get('qid')!r}: {error}") from error


def _given_plan(record: Mapping[str, Any]) -> QueryPlan | None:
    plan = record.get(PLAN)
    if is_missing(plan):
        return None
    if not isinstance(plan, QueryPlan):
        fault = f"query {record.get('qid')!r}: column {PLAN!r} must hold QueryPlan"
        raise ValueError(f"{fault}, as plan_query() makes it, got {type(plan).__name__}")
    return plan


def _canonical(constraint: Constraint, column: str) -> Constraint:
    if constraint.unit == BARE:
        return constraint
    try:
        unit = default_registry().resolve(constraint.unit)
    except ValueError as error:
        raise ValueError(f"column {column!r}: {error}") from error
    return constraint if unit == constraint.unit else replace(constraint, unit=unit)


def _checked(given: Any) -> list[Constraint]:
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        raise TypeError(f"column 'constraints' must hold lists of Constraint, got {type(given).__name__}")
    for item in given:
        if not isinstance(item, Constraint):
            raise TypeError(f"column 'constraints' must hold lists of Constraint, got a list of {type(item).__name__}")
    return list(given)


def _plain_constraint(record: Mapping[str, Any]) -> list[Constraint]:
    condition = _text(record, "condition")
    if not condition:
        return []
    op = _SPELLINGS.get(condition.lower()) or BEFORE.get(condition.lower(), condition)
    if op not in OPERATORS:
        raise ValueError(f"column 'condition': unknown {condition!r}; one of {', '.join(OPERATORS)}")
    low = _number(record, "value")
    high = record.get("high")
    blank = is_missing(high) or not str(high).strip()  # text files contain ""
    between = op == "range" or (op == "!=" and not blank)
    end = _number(record, "high") if between else low
    if low > end:
        raise ValueError(f"column 'value': {low:g} is greater than column 'high': {end:g}; swap them")
    return [Constraint(op, low, end, _text(record, "unit") or BARE)]


def _text(record: Mapping[str, Any], column: str) -> str:
    value = record.get(column)
    if is_missing(value):
        return ""
    if not isinstance(value, str):
        raise TypeError(f"column {column!r}: {value!r} is not a string")
    return value.strip()


def _number(record: Mapping[str, Any], column: str) -> float:
    value: Any = record.get(column)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"column {column!r}: {value!r} is not a number") from None
    if not math.isfinite(number):
        raise ValueError(f"column {column!r}: {value!r} is not finite")
    return number
