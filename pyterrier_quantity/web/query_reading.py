"""Return the interpretation of a query as a dictionary: the search terms, the conditions, and the ignored numbers."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyterrier_quantity.extraction import RuleExtractor, read
from pyterrier_quantity.plan import Defaults, QueryPlan, plan_query, worded_signs
from pyterrier_quantity.quantity import BARE, Constraint
from pyterrier_quantity.units import default_registry

NO_DEFAULTS: Final = Defaults()
MOST_CONDITIONS: Final = 20
_SURE: Final = ((0.95, "sure"), (0.6, "likely"), (0.0, "doubtful"))  # minimum probability of a condition, and its word

_TAKEN: Final[Mapping[str, tuple[Any, str]]] = {
    **dict.fromkeys(("low", "high", "certainty"), (int | float, "a number")),
    "unit": (str, "a text"),
    "attribute": (list, "a list of words"),
    "alternative": (int, f"a whole number from 0 to {MOST_CONDITIONS}"),
}


def query_reading(text: str, language: str = "en", defaults: Defaults = NO_DEFAULTS) -> dict[str, Any]:
    """Return a dictionary that shows how a query is understood: what to search for, and which conditions to apply.

    Args:
        text: the query as a person types it.
        language: the language of the text: any value that `RuleExtractor` accepts.
        defaults: the attribute or unit to assume for a number if the query states neither, and exchange rates.

    Returns:
        a dictionary with these keys:
        `query`: the text.
        `terms`: the words to search for.
        `conditions`: results of `condition_data`, each with `words` (the condition's phrase in the query), `start` and
        `end` of this phrase, and `value_words` (number and unit). For an ambiguous unit, there is one condition per
            meaning.
        `ignored`: the numbers that are not conditions, each with `words`, `start`, `end` and the reason `why`.
        `order`: a dictionary with `attribute`, `descending`, and `count` (the number of results that the query asks
            for, or 0). The key is missing if the query does not ask for a sort order.
    """
    plan = defaults.applied(plan_query(text, language=language))
    conditions = []
    for one in plan.conditions:
        place = {"words": text[one.start : one.end], "start": one.start, "end": one.end, "value_words": one.words}
        conditions += [condition_data(reading) | place for reading in one.readings]
    known: dict[str, Any] = {"query": text, "terms": plan.terms(), "conditions": conditions}
    known["ignored"] = _ignored(text, plan)
    if order := plan.order:
        known["order"] = {"attribute": list(order.attribute), "descending": order.descending, "count": order.count}
    return known


def condition_data(constraint: Constraint) -> dict[str, Any]:
    """Return a dictionary with a constraint's fields, its `text`, and `sure`, a word for its probability ("likely")."""
    return {
        **{name: getattr(constraint, name) for name in ("op", "low", "high", "unit", "alternative", "certainty")},
        "attribute": list(constraint.attribute),
        "sure": next(called for least, called in _SURE if constraint.certainty >= least),
        "text": str(constraint),
    }


def conditions_of(given: Sequence[Mapping[str, Any]]) -> list[Constraint]:
    """Return constraints from dictionaries with `op`, `low` (both required), `high`, `unit` (in any spelling),
    `attribute`, `certainty`, `alternative`. Raise a ValueError that states the position of a malformed dictionary."""
    if len(given) > MOST_CONDITIONS:
        raise ValueError(f"a query has at most {MOST_CONDITIONS} conditions, got {len(given)}")
    return [_condition(one, f"condition {number}") for number, one in enumerate(given, 1)]


def _condition(given: Mapping[str, Any], called: str) -> Constraint:
    for name, (kind, valid) in _TAKEN.items():
        value = given.get(name)
        wrong = not isinstance(value, kind) or isinstance(value, bool)
        if (name in given or name == "low") and (wrong or (kind is int and value not in range(MOST_CONDITIONS + 1))):
            raise ValueError(f"{called}: {name} must be {valid}, got {value!r:.40}")
    try:
        return Constraint(
            given.get("op", ""),
            float(given["low"]),
            float(given.get("high", given["low"])),
            default_registry().resolve(given.get("unit") or BARE),
            attribute=tuple(map(str, given.get("attribute", ())[:10])),
            alternative=given.get("alternative", 0),
            certainty=float(given.get("certainty", 1.0)),
        )
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{called}: {str(error).removeprefix('Constraint: ')}") from error


def _ignored(text: str, plan: QueryPlan) -> list[dict[str, Any]]:
    unlikely = {(one.low, one.high, one.unit) for one, _ in worded_signs(text)} if plan.language == "en" else set()
    taken, found = [*((one.start, one.end) for one in plan.conditions), *plan.unread], list[tuple[int, int, str]]()
    for one in read(text, RuleExtractor(False, dates=True, language=plan.language)):
        if not any(start < one.end and one.start < end for start, end in taken):
            states = (one.low, one.high, one.unit) in unlikely
            why = "it states something, and asks for nothing" if states else "it belongs to a name, or names no value"
            found.append((one.start, one.end, why))
    found += [(start, end, "its number cannot be read") for start, end in plan.unread]
    return [{"words": text[start:end], "start": start, "end": end, "why": why} for start, end, why in found]
