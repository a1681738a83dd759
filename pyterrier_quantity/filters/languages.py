"""The engines' filter languages, in one table: how each writes a field's ends, joins conditions, and writes a day."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timezone
from importlib import import_module
from typing import Any, Final

from pyterrier_quantity.filters.nested import any_of

Ends = Mapping[str, Any]
"""What a value is compared with, by "gt", "gte", "lt" and "lte"."""

_SIGNS: Final = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][\w.]*")


@dataclass(frozen=True)
class Language:
    """How an engine writes conditions.

    Args:
        within: what a field meets whose value lies between ends: all parts of a list.
        every: what meets all parts; the whole filter, too, where there may be none.
        some: what meets one of several lists of parts.
        day: how a day is written.
    """

    within: Callable[[str, Ends], list[Any]]
    every: Callable[[list[Any]], Any]
    some: Callable[[list[list[Any]]], Any]
    day: Callable[[date], Any] = date.isoformat

    def written(self, groups: Sequence[Sequence[Sequence[tuple[str, Ends]]]]) -> Any:
        """What meets one condition of each group; a condition is one of several fields between ends."""
        parts: list[Any] = []
        for group in groups:
            choices = [self.within(*one) for condition in group for one in condition]
            parts += choices[0] if len(choices) == 1 else [self.some(choices)]
        return self.every(parts)


def _text(
    comparison: str, joins: tuple[str, str, str], name: Callable[[str], str], day: Callable[[date], Any]
) -> Language:
    """A language of comparisons: of a field, a sign and a value; joined by one word for all, another for one, and with
    what is written where nothing is asked."""
    every, some, nothing = joins

    def within(field: str, ends: Ends) -> list[str]:
        signs = {_SIGNS[end]: value for end, value in ends.items()}
        if " " in comparison and ends.get("gte", ...) == ends.get("lte"):
            signs = {"=": ends["gte"]}
        return [comparison.format(name(field), sign, value) for sign, value in signs.items()]

    def either(choices: list[list[str]]) -> str:
        return f"({some.join(f'({every.join(parts)})' if len(parts) > 1 else parts[0] for parts in choices)})"

    return Language(within, lambda parts: every.join(parts) or nothing, either, day)


def _solr(field: str, ends: Ends) -> list[str]:
    low, high = ends.get("gt", ends.get("gte", "*")), ends.get("lt", ends.get("lte", "*"))
    name = re.sub(r"(\W)", r"\\\1", field)
    return [f"{name}:{'{' if 'gt' in ends else '['}{low} TO {high}{'}' if 'lt' in ends else ']'}"]


def _all_of(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"$and": parts} if len(parts) > 1 else dict(*parts)


def _qdrant() -> Language:
    models = _client("qdrant_client.models", "qdrant-client")

    def within(field: str, ends: Ends) -> list[Any]:
        kind = models.DatetimeRange if any(isinstance(end, str) for end in ends.values()) else models.Range
        return [models.FieldCondition(key=field, range=kind(**ends))]

    return Language(
        within, lambda parts: models.Filter(must=parts), lambda choices: models.Filter(should=_only(choices))
    )


def _llamaindex() -> Language:
    """Flat where no condition has alternatives: not all stores take filters within filters."""
    stores = _client("llama_index.core.vector_stores", "llama-index-core")

    def within(field: str, ends: Ends) -> list[Any]:
        signs = {end: stores.FilterOperator(_SIGNS[end]) for end in ends}
        return [stores.MetadataFilter(key=field, operator=signs[end], value=ends[end]) for end in ends]

    def every(parts: list[Any]) -> Any:
        return stores.MetadataFilters(filters=parts)

    def some(choices: list[list[Any]]) -> Any:
        each = [every(parts) if len(parts) > 1 else parts[0] for parts in choices]
        return stores.MetadataFilters(filters=each, condition=stores.FilterCondition.OR)

    return Language(within, every, some)


def _only(choices: list[list[Any]]) -> list[Any]:
    return [part for (part,) in choices]


def _client(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(f"filters in this form need a client: pip install {package}") from None


def _quoted(quote: str) -> Callable[[str], str]:
    return lambda name: ".".join(quote + part.replace(quote, 2 * quote) + quote for part in name.split("."))


def _plain(name: str) -> str:
    if not _PLAIN_NAME.fullmatch(name):
        raise ValueError(f"the field {name!r} cannot be named in this language; letters, digits, '_' and '.' can")
    return name


def _seconds(day: date) -> int:
    """The day's first second, as engines count that hold dates as numbers."""
    return int(datetime(day.year, day.month, day.day, tzinfo=timezone.utc).timestamp())


LANGUAGES: Final[Mapping[str, Callable[[], Language]]] = {
    "sql": lambda: _text("{} {} {}", (" AND ", " OR ", "TRUE"), _quoted('"'), "DATE '{}'".format),
    "lancedb": lambda: _text("{} {} {}", (" AND ", " OR ", "TRUE"), _quoted("`"), "DATE '{}'".format),
    "vespa": lambda: _text("{} {} {}", (" and ", " or ", "true"), _plain, _seconds),
    "typesense": lambda: _text("{}:{}{}", (" && ", " || ", ""), _plain, _seconds),
    "solr": lambda: Language(
        _solr,
        lambda parts: " AND ".join(parts) or "*:*",
        lambda choices: f"({' OR '.join(_only(choices))})",
        "{}T00:00:00Z".format,
    ),
    "opensearch": lambda: Language(
        lambda field, ends: [{"range": {field: ends}}],
        lambda parts: {"bool": {"filter": parts}} if parts else {"match_all": {}},
        lambda choices: any_of(_only(choices)),
    ),
    "langchain": lambda: Language(
        lambda field, ends: [{field: {f"${end}": value}} for end, value in ends.items()],
        _all_of,
        lambda choices: {"$or": list(map(_all_of, choices))},
    ),
    "qdrant": _qdrant,
    "llamaindex": _llamaindex,
}
"""By name; those of a client's own objects load it when they are asked for."""
