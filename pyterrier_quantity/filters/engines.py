"""Field conditions in the engines' own filter languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyterrier_quantity.filters.fields import FieldCondition, Fields, field_conditions, grouped
from pyterrier_quantity.filters.languages import LANGUAGES, Language
from pyterrier_quantity.filters.nested import nested_conditions
from pyterrier_quantity.plan import parse_query
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.units import UnitRegistry

Query = str | Sequence[Constraint] | Sequence[FieldCondition]
"""A query's text, its constraints, or conditions on fields, as `field_conditions` and `Facet.condition` give them."""


def _written(name: str, query: Query, fields: Fields, registry: UnitRegistry | None) -> Any:
    """A query's conditions in an engine's language."""
    language = LANGUAGES[name]()
    given = [one for one in query if isinstance(one, FieldCondition)]
    conditions = given or field_conditions(query, fields, registry)  # type: ignore[arg-type]
    groups = grouped([(found, _met(found, language)) for found in conditions])
    each = [group[0] if len(group) == 1 else language.some(group) for group in groups]
    return language.every(each) if each else language.nothing


def _met(found: FieldCondition, language: Language) -> Any:
    ends = {}
    if found.low is not None:
        ends["gte" if found.low_included else "gt"] = language.value(found.low)
    if found.high is not None:
        ends["lte" if found.high_included else "lt"] = language.value(found.high)
    if not found.outside:
        return language.within(found.field, ends)
    beyond = {"gte": "lt", "gt": "lte", "lte": "gt", "lt": "gte"}
    return language.some([language.within(found.field, {beyond[end]: value}) for end, value in ends.items()])


def to_opensearch(query: Query, fields: Fields | None = None, registry: UnitRegistry | None = None) -> dict[str, Any]:
    """A query of OpenSearch's language, for a `filter` clause.

    Args:
        query: its text, or its constraints.
        fields: the fields; None: the nested quantities of an `OpenSearchIndex`, whatever they are about.
        registry: see `field_conditions`.
    """
    if fields is not None:
        return _written("opensearch", query, fields, registry)
    clauses = nested_conditions(parse_query(query)[1] if isinstance(query, str) else query)  # type: ignore[arg-type]
    return {"bool": {"filter": clauses}} if clauses else {"match_all": {}}


def to_elasticsearch(query: Query, fields: Fields, registry: UnitRegistry | None = None) -> dict[str, Any]:
    """The same for Elasticsearch, whose language agrees; see `to_opensearch`."""
    return to_opensearch(query, fields, registry)


def to_sql(query: Query, fields: Fields, registry: UnitRegistry | None = None) -> str:
    """The condition of a `WHERE` clause in standard SQL; "TRUE" where the query sets none. See `field_conditions`.

    Names are quoted, values are numbers and dates, so that nothing of a query's text gets into it.
    """
    return _written("sql", query, fields, registry)


def to_duckdb(query: Query, fields: Fields, registry: UnitRegistry | None = None) -> str:
    """The condition of a `WHERE` clause for DuckDB, whose SQL is standard here; see `to_sql`."""
    return _written("sql", query, fields, registry)


def to_lancedb(query: Query, fields: Fields, registry: UnitRegistry | None = None) -> str:
    """What LanceDB's `.where()` takes; see `to_sql`."""
    return _written("lancedb", query, fields, registry)


def to_solr(query: Query, fields: Fields, registry: UnitRegistry | None = None) -> str:
    """A filter query (`fq`) of Solr's standard parser; "*:*" where the query sets no condition. See
    `field_conditions`."""
    return _written("solr", query, fields, registry)


def to_vespa(query: Query, fields: Fields, registry: UnitRegistry | None = None) -> str:
    """The condition of a `where` clause of Vespa's YQL; "true" where the query sets none. Days are seconds since 1970.

    Raises:
        ValueError: if a field's name is none in YQL; see also `field_conditions`.
    """
    return _written("vespa", query, fields, registry)


def to_typesense(query: Query, fields: Fields, registry: UnitRegistry | None = None) -> str:
    """What Typesense takes as `filter_by`; "" where the query sets no condition. Days are seconds since 1970.

    Raises:
        ValueError: if a field's name is none there; see also `field_conditions`.
    """
    return _written("typesense", query, fields, registry)


def to_qdrant(query: Query, fields: Fields, registry: UnitRegistry | None = None) -> Any:
    """A `qdrant_client.models.Filter` over the payload; see `field_conditions`.

    Raises:
        ImportError: without qdrant-client.
    """
    return _written("qdrant", query, fields, registry)


def to_langchain(query: Query, fields: Fields, registry: UnitRegistry | None = None) -> dict[str, Any]:
    """The filter dictionary that LangChain's vector stores share: `{"$and": [{field: {"$lt": 200.0}}, ...]}`; empty
    where the query sets none. Days are texts, "2019-05-03". See `field_conditions`."""
    return _written("langchain", query, fields, registry)


def to_llamaindex(query: Query, fields: Fields, registry: UnitRegistry | None = None) -> Any:
    """LlamaIndex's `MetadataFilters`, flat where no condition has alternatives, as some of its stores ask for. Days are
    texts. See `field_conditions`.

    Raises:
        ImportError: without llama-index-core.
    """
    return _written("llamaindex", query, fields, registry)
