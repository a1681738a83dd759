"""Write conditions on fields in the filter languages of search engines, such as SQL, Solr and OpenSearch."""

import calendar
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from pyterrier_quantity._extras import need
from pyterrier_quantity.filters.field_conditions import FieldCondition, any_of, grouped

Ends = Mapping[str, Any]
"""A dictionary from "gt", "gte", "lt" or "lte" to a limit of a field's value: {"gte": 5, "lt": 8}."""

_SIGNS: Final = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_DOT: Final = re.compile(r"(?<!\\)\.")  # between a table and its column; a dot within a name is written as `\.`
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][\w.]*")


@dataclass(frozen=True)
class Language:
    """The syntax of an engine's filters.

    Args:
        within: function from a field's name and its limits to one or two comparisons: ['"price" < 5'].
        every: function that joins a list of conditions, which may be empty, with "and" into the complete filter.
        some: function that joins a list of alternatives with "or".
        both: function that joins the two comparisons of an alternative with "and".
        day: function that converts a date to the engine's notation.
    """

    within: Callable[[str, Ends], list[Any]]
    every: Callable[[list[Any]], Any]
    some: Callable[[list[Any]], Any]
    both: Callable[[list[Any]], Any] = list
    day: Callable[[date], Any] = date.isoformat

    def written(self, conditions: Sequence[FieldCondition]) -> Any:
        """Return a filter that requires all conditions, and at least one of several conditions joined by "or"."""
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
    """Return a language, such as SQL, in which filters are strings. `within` and `day` are as in `Language`. `joins`
    contains the text for "and", the text for "or", and the filter without conditions: (" AND ", " OR ", "TRUE")."""
    every, some, nothing = joins
    return Language(
        within,
        lambda parts: every.join(parts) or nothing,
        lambda choices: f"({some.join(choices)})",
        lambda parts: f"({every.join(parts)})",
        day,
    )


def _compared(comparison: str, name: Callable[[str], str]) -> Callable[[str, Ends], list[str]]:
    """Return a function that writes comparisons of a field. `comparison` is a format such as "{} {} {}" for the field
    name, a sign such as "<", and a limit. `name` returns a field name as the language writes it."""

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
    return calendar.timegm(day.timetuple())


quoted: Final = _quoted('"')
"""Return a field's name in the quotation marks of standard SQL: 'price' -> '"price"'."""

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
"""A dictionary from an engine's name to its filter language."""
