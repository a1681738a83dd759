"""The filter languages of engines in one table: how to write a field's limits, joined conditions, and days."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from pyterrier_quantity._extras import need
from pyterrier_quantity.filters.field_conditions import FieldCondition, any_of, grouped

Ends = Mapping[str, Any]
"""Limits of a value, by "gt", "gte", "lt" and "lte"."""

_SIGNS: Final = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_DOT: Final = re.compile(r"(?<!\\)\.")
"""The dot between the names of a table and its column. A dot within a name has a backslash before it."""
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][\w.]*")


@dataclass(frozen=True)
class Language:
    """An engine's syntax for conditions.

    Args:
        within: writes that a field's value is within limits, in one part or two.
        every: joins the parts that must all be met into the whole filter, which may be empty.
        some: joins alternatives, one of which must be met.
        both: joins the two parts of an alternative. It is not used if `within` always writes one part.
        day: writes a day.
    """

    within: Callable[[str, Ends], list[Any]]
    every: Callable[[list[Any]], Any]
    some: Callable[[list[Any]], Any]
    both: Callable[[list[Any]], Any] = list
    day: Callable[[date], Any] = date.isoformat

    def written(self, conditions: Sequence[FieldCondition]) -> Any:
        """Return the filter that requires all conditions, or one of each group of alternatives."""
        parts: list[Any] = []
        for group in grouped([(one, one) for one in conditions]):
            if not all(choice for one in group for choice in one.choices):
                continue  # a choice without comparisons is always met
            choices = [self.within(one.field, self._ends(choice)) for one in group for choice in one.choices]
            whole = [self.both(choice) if len(choice) > 1 else choice[0] for choice in choices]
            parts += [self.some(whole)] if len(choices) > 1 else choices[0]
        return self.every(parts)

    def _ends(self, choice: Mapping[str, float | date]) -> Ends:
        return {sign: self.day(end) if isinstance(end, date) else end for sign, end in choice.items()}


def _text(within: Callable[[str, Ends], list[str]], joins: Sequence[str], day: Callable[[date], Any]) -> Language:
    """Return a language whose filters are text. `joins` contains the text that joins conditions, the text that joins
    alternatives, and an empty filter."""
    every, some, nothing = joins
    return Language(
        within,
        lambda parts: every.join(parts) or nothing,
        lambda choices: f"({some.join(choices)})",
        lambda parts: f"({every.join(parts)})",
        day,
    )


def _compared(comparison: str, name: Callable[[str], str]) -> Callable[[str, Ends], list[str]]:
    """Return a function that compares a field with its limits by signs such as "<"."""

    def within(field: str, ends: Ends) -> list[str]:
        signs = {_SIGNS[end]: value for end, value in ends.items()}
        if ends.get("gte", ...) == ends.get("lte"):
            signs = {"=": ends["gte"]}
        return [comparison.format(name(field), sign, value) for sign, value in signs.items()]

    return within


def _solr(field: str, ends: Ends) -> list[str]:
    low, high = ends.get("gt", ends.get("gte", "*")), ends.get("lt", ends.get("lte", "*"))
    name = re.sub(r"(\W)", r"\\\1", field)
    return [f"{name}:{'{' if 'gt' in ends else '['}{low} TO {high}{'}' if 'lt' in ends else ']'}"]


def _quoted(quote: str) -> Callable[[str], str]:
    return lambda name: ".".join(
        quote + part.replace(r"\.", ".").replace(quote, 2 * quote) + quote for part in _DOT.split(name)
    )


def plain_name(name: str) -> str:
    if not _PLAIN_NAME.fullmatch(name):
        raise ValueError(f"the field {name!r} cannot be named in this language; letters, digits, '_' and '.' can")
    return name


def _seconds(day: date) -> int:
    """Return the first second of a day, for engines that store dates as numbers."""
    return calendar.timegm(day.timetuple())


quoted: Final = _quoted('"')
"""Function that quotes a field's name for standard SQL."""

LANGUAGES: Final[Mapping[str, Language]] = {
    "sql": _text(_compared("{} {} {}", quoted), (" AND ", " OR ", "TRUE"), "DATE '{}'".format),
    "lancedb": _text(_compared("{} {} {}", _quoted("`")), (" AND ", " OR ", "TRUE"), "DATE '{}'".format),
    "vespa": _text(_compared("{} {} {}", plain_name), (" and ", " or ", "true"), _seconds),
    "typesense": _text(_compared("{}:{}{}", plain_name), (" && ", " || ", ""), _seconds),
    "solr": _text(_solr, (" AND ", " OR ", "*:*"), "{}T00:00:00Z".format),
    "opensearch": Language(
        lambda field, ends: [{"range": {field: ends}}],
        lambda parts: {"bool": {"filter": parts}} if parts else {"match_all": {}},
        any_of,
    ),
    "langchain": Language(
        lambda field, ends: [{field: {f"${end}": value}} for end, value in ends.items()],
        lambda parts: {"$and": parts} if len(parts) > 1 else dict(*parts),
        lambda choices: {"$or": choices},
        lambda parts: {"$and": parts},
    ),
    "qdrant": Language(
        lambda field, ends: [{"key": field, "range": ends}],
        lambda parts: need("qdrant_client.models", "qdrant").Filter(must=parts),
        lambda choices: {"should": choices},
    ),
    "llamaindex": Language(
        lambda field, ends: [{"key": field, "operator": _SIGNS[end], "value": ends[end]} for end in ends],
        lambda parts: need("llama_index.core.vector_stores", "llamaindex").MetadataFilters(filters=parts),
        lambda choices: {"filters": choices, "condition": "or"},
        lambda parts: {"filters": parts},
    ),
}
"""The languages by engine. For the last two, the client library turns the result into objects."""
