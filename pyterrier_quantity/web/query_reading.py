"""A query's reading as plain data: the words to search for, its conditions, and its numbers that set none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyterrier_quantity.extraction import Mention, RuleExtractor, read
from pyterrier_quantity.plan import QueryPlan, plan_query, worded_signs
from pyterrier_quantity.quantity import BARE, OPERATORS, Constraint
from pyterrier_quantity.units import default_registry

MOST_CONDITIONS: Final = 20
_SURE: Final = ((0.95, "sure"), (0.6, "likely"), (0.0, "doubtful"))
"""What a certainty from here on is called."""


def query_reading(text: str, language: str = "en") -> dict[str, Any]:
    """How a text is read as a query.

    Args:
        text: as a person types it.
        language: of the text, as for `RuleExtractor`.

    Returns:
        `query`, the text; `terms`, the words to search for; `conditions`, see `condition_data`, each with `words`,
        which word it, their `start` and `end`, and `value_words`, those of number and unit; of a unit in doubt, a
        condition for each reading; and `ignored`, the numbers that set no condition: `words`, `start`, `end`, `why`.
    """
    plan = plan_query(text, language=language)
    conditions = []
    for one in plan.conditions:
        place = {"words": text[one.start : one.end], "start": one.start, "end": one.end, "value_words": one.words}
        conditions += [condition_data(reading) | place for reading in one.readings]
    return {"query": text, "terms": plan.terms(), "conditions": conditions, "ignored": _ignored(text, plan)}


def condition_data(constraint: Constraint) -> dict[str, Any]:
    """A condition as plain data: the fields of `Constraint` but its weight, and `sure` and `text` for people."""
    return {
        **{name: getattr(constraint, name) for name in ("op", "low", "high", "unit", "alternative", "certainty")},
        "attribute": list(constraint.attribute),
        "sure": sureness(constraint.certainty),
        "text": str(constraint),
    }


def sureness(certainty: float) -> str:
    """What a certainty is called."""
    return next(name for least, name in _SURE if certainty >= least)


def conditions_of(given: Sequence[Mapping[str, Any]]) -> list[Constraint]:
    """The conditions of a list of `{"op", "low", "high", "unit", "attribute", "certainty", "alternative"}`.

    `op` and `low` are needed. Units are taken in any spelling.

    Raises:
        ValueError: naming the condition and what is wrong with it.
    """
    if len(given) > MOST_CONDITIONS:
        raise ValueError(f"a query has at most {MOST_CONDITIONS} conditions, got {len(given)}")
    return [_condition(one, f"condition {number}") for number, one in enumerate(given, 1)]


def _condition(given: Mapping[str, Any], called: str) -> Constraint:
    if given.get("op") not in OPERATORS:
        raise ValueError(f"{called}: unknown op {given.get('op')!r:.40}; one of {', '.join(OPERATORS)}")
    low, attribute = _number(given, "low", called), given.get("attribute", [])
    if not isinstance(attribute, Sequence) or not all(isinstance(word, str) for word in attribute):
        raise ValueError(f"{called}: attribute must be a list of words")
    unit, alternative = given.get("unit", BARE), given.get("alternative", 0)
    if not isinstance(unit, str) or not isinstance(alternative, int):
        raise ValueError(f"{called}: unit must be a text, alternative a whole number")
    try:
        return Constraint(
            given["op"],
            low,
            _number(given, "high", called) if "high" in given else low,
            default_registry().resolve(unit or BARE),
            attribute=tuple(attribute[:10]),
            alternative=alternative,
            certainty=_number(given, "certainty", called) if "certainty" in given else 1.0,
        )
    except ValueError as error:
        raise ValueError(f"{called}: {error}") from error


def _number(given: Mapping[str, Any], name: str, called: str) -> float:
    value = given.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError(f"{called}: {name} must be a number, got {value!r:.40}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{called}: {name} is too large a number") from None


def _ignored(text: str, plan: QueryPlan) -> list[dict[str, Any]]:
    taken = [(one.start, one.end) for one in plan.conditions]
    left = [
        one for one in read(text, RuleExtractor(False, dates=True, language=plan.language)) if not _inside(one, taken)
    ]
    if not left:
        return []
    unlikely = {(one.low, one.high, one.unit) for one, _ in worded_signs(text)} if plan.language == "en" else set()
    return [
        {
            "words": text[one.start : one.end],
            "start": one.start,
            "end": one.end,
            "why": "it tells something, and asks for nothing"
            if (one.low, one.high, one.unit) in unlikely
            else "it belongs to a name, or names no value",
        }
        for one in left
    ]


def _inside(mention: Mention, taken: Sequence[tuple[int, int]]) -> bool:
    return any(start < mention.end and mention.start < end for start, end in taken)
