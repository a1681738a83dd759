"""Turn conditions in a query's text into filters on your own numeric fields, in the language of a search engine.

    fields = {"price": ("price_eur", "euro"), "weight": ("weight_kg", "kilogram"), "rating": "stars"}
    to_sql("laptops below 800 euros that weigh at most 4 pounds", fields)
    # '"price_eur" < 800.0 AND "weight_kg" <= 1.81436948'

Every function takes a query's text, or its constraints, and the fields. `fields` maps an attribute, as people call it,
to a field, or to a field and its unit. A condition is applied to the field to whose unit it can be converted. If there
are several such fields, or if the number has no unit, it is the field whose attribute is named nearest to the number. A
condition that fits no field is left out with a warning. Fields with the unit "date" hold days, and fields with the unit
"calendar year" hold years. No language model is used.

`order_by` returns the order that a query asks for: `order_by("sql", "cheapest laptop", fields)` is '"price_eur" ASC'.

`facets` divides the values of a field or of a collection into ranges.

A missing value meets no condition, not even "other than 5".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from pyterrier_quantity.filters.facets import Facet, facets, stated_values
from pyterrier_quantity.filters.field_conditions import FieldCondition, nested_conditions
from pyterrier_quantity.filters.fields import Fields, field_conditions
from pyterrier_quantity.filters.languages import LANGUAGES
from pyterrier_quantity.filters.orders import field_order, order_by
from pyterrier_quantity.plan import parse_query
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.units import UnitRegistry

__all__ = [
    "Facet", "Fields", "facets", "field_conditions", "field_order", "order_by", "stated_values", "to_duckdb",
    "to_elasticsearch", "to_lancedb", "to_langchain", "to_llamaindex", "to_opensearch", "to_qdrant", "to_solr",
    "to_sql", "to_typesense", "to_vespa",
]  # fmt: skip

Query = str | Sequence[Constraint] | Sequence[FieldCondition]
"""A query's text, its constraints, or conditions on fields, as `field_conditions` and `Facet.condition` return them."""


def _written(
    name: str,
    query: Query,
    fields: Fields,
    registry: UnitRegistry | None = None,
    language: str = "en",
    default: str = "",
) -> Any:
    """Return a query's conditions in an engine's language, or raise the errors of `field_conditions`."""
    given = [one for one in query if isinstance(one, FieldCondition)]
    return LANGUAGES[name].written(given or field_conditions(query, fields, registry, language, default))  # type: ignore[arg-type]


def to_opensearch(
    query: Query,
    fields: Fields | None = None,
    registry: UnitRegistry | None = None,
    language: str = "en",
    default: str = "",
) -> dict[str, Any]:
    """Return a query in OpenSearch's language for a `filter` clause. If `fields` is None, it searches the nested
    quantities of an `OpenSearchIndex`, regardless of their attribute."""
    if fields is not None:
        return _written("opensearch", query, fields, registry, language, default)
    clauses = nested_conditions(parse_query(query, language=language)[1] if isinstance(query, str) else query)  # type: ignore[arg-type]
    return {"bool": {"filter": clauses}} if clauses else {"match_all": {}}


to_elasticsearch: Final = partial(_written, "opensearch")
"""A condition for Elasticsearch, in the same language as for OpenSearch."""
to_sql: Final = partial(_written, "sql")
r"""The condition of a `WHERE` clause in standard SQL; "TRUE" if the query sets none.

Names are quoted, and values are numbers and dates, so no text of the query enters the clause. A dot separates the names
of table and column; in `r"size\.height"` the dot is part of the name.
"""
to_duckdb: Final = to_sql
"""The same condition for DuckDB, which accepts standard SQL here."""
to_lancedb: Final = partial(_written, "lancedb")
"""A condition for LanceDB's `.where()`."""
to_solr: Final = partial(_written, "solr")
"""A filter query (`fq`) of Solr's standard parser; "*:*" if the query sets no condition."""
to_vespa: Final = partial(_written, "vespa")
"""The condition of a `where` clause in Vespa's YQL; "true" if the query sets none. Days are given in seconds since
1970. If the name of a field is not valid in YQL, a ValueError is raised."""
to_typesense: Final = partial(_written, "typesense")
"""A value for Typesense's `filter_by`; "" if the query sets no condition. Days and names are treated as for Vespa."""
to_qdrant: Final = partial(_written, "qdrant")
"""A `qdrant_client.models.Filter` on the payload. Raises an ImportError without qdrant-client."""
to_langchain: Final = partial(_written, "langchain")
"""The filter dictionary that LangChain's vector stores have in common: `{"$and": [{field: {"$lt": 200.0}}, ...]}`;
empty if the query sets no condition. Days are given as text, "2019-05-03"."""
to_llamaindex: Final = partial(_written, "llamaindex")
"""LlamaIndex's `MetadataFilters`. They are not nested if no condition has alternatives, as some of its stores require.
Days are given as text. Raises an ImportError without llama-index-core."""
