"""The engines' filter languages, in one table: how each writes a field's ends, joins conditions, and writes a day."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timezone
from functools import partial
from importlib import import_module
from typing import Any, Final

from pyterrier_quantity.filters.fields import End
from pyterrier_quantity.filters.nested import any_of

_SIGNS: Final = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][\w.]*")


@dataclass(frozen=True)
class Language:
    """How an engine writes conditions.

    Args:
        within: what a field meets whose value lies between the ends, which are named "gt", "gte", "lt" and "lte".
        every, some: what meets all, or one, of several.
        nothing: what stands where the query sets no condition.
        day: how a day is written.
    """

    within: Callable[[str, Mapping[str, Any]], Any]
    every: Callable[[list[Any]], Any]
    some: Callable[[list[Any]], Any]
    nothing: Any
    day: Callable[[date], Any] = date.isoformat

    def value(self, end: End) -> Any:
        """A value as it is written."""
        return self.day(end) if isinstance(end, date) else end


def _seconds(day: date) -> int:
    """The day's first second, as engines count that hold dates as numbers."""
    return int(datetime(day.year, day.month, day.day, tzinfo=timezone.utc).timestamp())


def _text(
    sign: str, joins: tuple[str, str], nothing: str, name: Callable[[str], str], day: Callable[[date], Any]
) -> Language:
    """A language of comparisons.

    Args:
        sign: what stands around a comparison's sign: " {} ".
        joins: for all and for one of several.
    """
    every, some = joins

    def within(field: str, ends: Mapping[str, Any]) -> str:
        values, written = set(ends.values()), name(field)
        if set(ends) == {"gte", "lte"} and len(values) == 1 and sign == " {} ":
            return f"{written} = {values.pop()}"
        return every.join(f"{written}{sign.format(_SIGNS[end])}{value}" for end, value in ends.items())

    def either(parts: list[str]) -> str:
        return f"({some.join(f'({part})' if every in part else part for part in parts)})"

    return Language(within, every.join, either, nothing, day)


def _quoted(quote: str, name: str) -> str:
    return ".".join(quote + part.replace(quote, 2 * quote) + quote for part in name.split("."))


def _plain(name: str) -> str:
    if not _PLAIN_NAME.fullmatch(name):
        raise ValueError(f"the field {name!r} cannot be named in this language; letters, digits, '_' and '.' can")
    return name


def _sql(quote: str) -> Language:
    return _text(" {} ", (" AND ", " OR "), "TRUE", partial(_quoted, quote), "DATE '{}'".format)


def _solr(field: str, ends: Mapping[str, Any]) -> str:
    low, high = (next((ends[name] for name in names if name in ends), "*") for names in (("gt", "gte"), ("lt", "lte")))
    name = re.sub(r"(\W)", r"\\\1", field)
    return f"{name}:{'{' if 'gt' in ends else '['}{low} TO {high}{'}' if 'lt' in ends else ']'}"


def _flat(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """All of LangChain's conditions, in one list."""
    each = [one for part in parts for one in part.get("$and", [part])]
    return {"$and": each} if len(each) > 1 else dict(each[0])


def _langchain(field: str, ends: Mapping[str, Any]) -> dict[str, Any]:
    return _flat([{field: {f"${end}": value}} for end, value in ends.items()])


def _client(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(f"filters in this form need a client: pip install {package}") from None


def _qdrant() -> Language:
    models = _client("qdrant_client.models", "qdrant-client")

    def within(field: str, ends: Mapping[str, Any]) -> Any:
        kind = models.DatetimeRange if any(isinstance(end, str) for end in ends.values()) else models.Range
        return models.FieldCondition(key=field, range=kind(**ends))

    def some(parts: list[Any]) -> Any:
        return models.Filter(should=parts)

    return Language(within, lambda parts: models.Filter(must=parts), some, models.Filter(must=[]))


def _llamaindex() -> Language:
    stores = _client("llama_index.core.vector_stores", "llama-index-core")

    def within(field: str, ends: Mapping[str, Any]) -> Any:
        signs = {end: stores.FilterOperator(_SIGNS[end]) for end in ends}
        return every([stores.MetadataFilter(key=field, operator=signs[end], value=ends[end]) for end in ends])

    def every(parts: list[Any]) -> Any:
        """Flat where it can be: not all stores take filters within filters."""
        joined = [getattr(part, "condition", None) == stores.FilterCondition.AND for part in parts]
        each = [one for part, all_of in zip(parts, joined, strict=True) for one in (part.filters if all_of else [part])]
        return stores.MetadataFilters(filters=each)

    def some(parts: list[Any]) -> Any:
        each = [part.filters[0] if len(part.filters) == 1 else part for part in parts]
        return stores.MetadataFilters(filters=each, condition=stores.FilterCondition.OR)

    return Language(within, every, some, stores.MetadataFilters(filters=[]))


LANGUAGES: Final[Mapping[str, Callable[[], Language]]] = {
    "opensearch": lambda: Language(
        lambda field, ends: {"range": {field: dict(ends)}},
        lambda parts: {"bool": {"filter": parts}},
        any_of,
        {"match_all": {}},
    ),
    "sql": partial(_sql, '"'),
    "lancedb": partial(_sql, "`"),
    "vespa": partial(_text, " {} ", (" and ", " or "), "true", _plain, _seconds),
    "typesense": partial(_text, ":{}", (" && ", " || "), "", _plain, _seconds),
    "solr": lambda: Language(
        _solr, " AND ".join, lambda parts: f"({' OR '.join(parts)})", "*:*", "{}T00:00:00Z".format
    ),
    "qdrant": _qdrant,
    "langchain": lambda: Language(_langchain, _flat, lambda parts: {"$or": parts}, {}),
    "llamaindex": _llamaindex,
}
"""By name; those of a client's own objects load it when they are asked for."""
