"""Field conditions in the engines' own filter languages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pyterrier_quantity.filters.fields import FieldCondition, Fields, field_conditions, grouped
from pyterrier_quantity.filters.nested import any_of, nested_conditions
from pyterrier_quantity.plan import parse_query
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.units import UnitRegistry

Query = str | Sequence[Constraint]


def to_opensearch(query: Query, fields: Fields | None = None, registry: UnitRegistry | None = None) -> dict[str, Any]:
    """A query of OpenSearch's language, for a `filter` clause.

    Args:
        query: its text, or its constraints.
        fields: the fields; None: the nested quantities of an `OpenSearchIndex`, whatever they are about.
        registry: see `field_conditions`.
    """
    if fields is None:
        clauses = nested_conditions(parse_query(query)[1] if isinstance(query, str) else query)
    else:
        conditions = field_conditions(query, fields, registry)
        clauses = [any_of([_opensearch(found) for found in group]) for group in _groups(conditions)]
    return {"bool": {"filter": clauses}} if clauses else {"match_all": {}}


def _groups(conditions: Iterable[FieldCondition]) -> list[list[FieldCondition]]:
    """The conditions that must be met, each with its alternatives."""
    return grouped([(found, found) for found in conditions])


def _opensearch(found: FieldCondition) -> dict[str, Any]:
    if found.outside:
        return any_of([{"range": {found.field: {"lt": found.low}}}, {"range": {found.field: {"gt": found.high}}}])
    return {"range": {found.field: _ends(found)}}


def _ends(found: FieldCondition, prefix: str = "") -> dict[str, float]:
    """The ends under their usual names: gt, gte, lt, lte."""
    ends = {}
    if found.low is not None:
        ends[f"{prefix}gt{'e' if found.low_included else ''}"] = found.low
    if found.high is not None:
        ends[f"{prefix}lt{'e' if found.high_included else ''}"] = found.high
    return ends


def to_elasticsearch(query: Query, fields: Fields, registry: UnitRegistry | None = None) -> dict[str, Any]:
    """The same for Elasticsearch, whose language agrees; see `to_opensearch`."""
    return to_opensearch(query, fields, registry)


def to_sql(query: Query, fields: Fields, registry: UnitRegistry | None = None) -> str:
    """The condition of a `WHERE` clause in standard SQL; "TRUE" where the query sets none. See `field_conditions`.

    Names are quoted, values are numbers, so that nothing of a query's text gets into it.
    """
    return _sql(field_conditions(query, fields, registry), '"')


def to_duckdb(query: Query, fields: Fields, registry: UnitRegistry | None = None) -> str:
    """The condition of a `WHERE` clause for DuckDB, whose SQL is standard here; see `to_sql`."""
    return _sql(field_conditions(query, fields, registry), '"')


def to_lancedb(query: Query, fields: Fields, registry: UnitRegistry | None = None) -> str:
    """What LanceDB's `.where()` takes; see `to_sql`."""
    return _sql(field_conditions(query, fields, registry), "`")


def _sql(conditions: Sequence[FieldCondition], quote: str) -> str:
    groups = [[_in_sql(found, quote) for found in group] for group in _groups(conditions)]
    return " AND ".join(group[0] if len(group) == 1 else f"({' OR '.join(group)})" for group in groups) or "TRUE"


def _in_sql(found: FieldCondition, quote: str) -> str:
    name = ".".join(quote + part.replace(quote, 2 * quote) + quote for part in found.field.split("."))
    if found.outside:
        return f"({name} < {found.low!r} OR {name} > {found.high!r})"
    if found.low is not None and found.low == found.high:
        return f"{name} = {found.low!r}"
    signs = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
    return " AND ".join(f"{name} {signs[end]} {value!r}" for end, value in _ends(found).items())


def to_qdrant(query: Query, fields: Fields, registry: UnitRegistry | None = None) -> Any:
    """A `qdrant_client.models.Filter` over the payload; see `field_conditions`.

    Raises:
        ImportError: without qdrant-client.
    """
    try:
        from qdrant_client import models
    except ImportError:
        raise ImportError("to_qdrant needs Qdrant's client: pip install qdrant-client") from None
    conditions = field_conditions(query, fields, registry)

    def ranged(found: FieldCondition, **ends: float) -> Any:
        return models.FieldCondition(key=found.field, range=models.Range(**ends))

    def met(found: FieldCondition) -> list[Any]:
        """What is enough, each by itself."""
        if found.outside and found.low is not None and found.high is not None:
            return [ranged(found, lt=found.low), ranged(found, gt=found.high)]
        return [ranged(found, **_ends(found))]

    groups = [[one for found in group for one in met(found)] for group in _groups(conditions)]
    return models.Filter(must=[group[0] if len(group) == 1 else models.Filter(should=group) for group in groups])


def to_langchain(query: Query, fields: Fields, registry: UnitRegistry | None = None) -> dict[str, Any]:
    """The filter dictionary that LangChain's vector stores share: `{"$and": [{field: {"$lt": 200.0}}, ...]}`; empty
    where the query sets none. See `field_conditions`."""
    parts: list[dict[str, Any]] = []
    for group in _groups(field_conditions(query, fields, registry)):
        met = [_in_langchain(found) for found in group]
        parts += met[0] if len(met) == 1 else [{"$or": [_all_of(each) for each in met]}]
    return _all_of(parts)


def _in_langchain(found: FieldCondition) -> list[dict[str, Any]]:
    """What must be met together."""
    if found.outside:
        return [{"$or": [{found.field: {"$lt": found.low}}, {found.field: {"$gt": found.high}}]}]
    return [{found.field: {end: value}} for end, value in _ends(found, "$").items()]


def _all_of(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"$and": parts} if len(parts) > 1 else parts[0] if parts else {}
