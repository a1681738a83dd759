"""Conditions in free text as filters on a user's own numeric fields, in the language of the engine that holds them.

    fields = {"price": ("price_eur", "euro"), "weight": ("weight_kg", "kilogram"), "rating": "stars"}
    to_sql("laptops below 800 euros that weigh at most 4 pounds", fields)
    # '"price_eur" < 800.0 AND "weight_kg" <= 1.81436948'

Every function takes a query's text, or its constraints, and the fields. `fields` maps the name that people use for an
attribute to a field, or to a field and its unit. A condition goes to the field whose unit it converts to, and its
values are converted. If several fields fit, or the number has no unit, the attribute that is named nearest decides. A
condition that fits no field is left out, with a warning. Fields of the unit "date" hold days, and fields of the unit
"calendar year" hold years. No language model is used.

`order_by` writes the order that a query asks for: `order_by("sql", "cheapest laptop", fields)` is '"price_eur" ASC'.

`facets` gives the ranges of values that a collection holds.

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
"""A query's text, its constraints, or conditions on fields, as `field_conditions` and `Facet.condition` give them."""


def _written(
    name: str,
    query: Query,
    fields: Fields,
    registry: UnitRegistry | None = None,
    language: str = "en",
    default: str = "",
) -> Any:
    """Return a query's conditions in an engine's language. Errors are those of `field_conditions`."""
    given = [one for one in query if isinstance(one, FieldCondition)]
    return LANGUAGES[name].written(given or field_conditions(query, fields, registry, language, default))  # type: ignore[arg-type]


def to_opensearch(
    query: Query,
    fields: Fields | None = None,
    registry: UnitRegistry | None = None,
    language: str = "en",
    default: str = "",
) -> dict[str, Any]:
    """Return a query in OpenSearch's language, for a `filter` clause. Without fields it asks the nested quantities of
    an `OpenSearchIndex`, whatever attribute they belong to."""
    if fields is not None:
        return _written("opensearch", query, fields, registry, language, default)
    clauses = nested_conditions(parse_query(query, language=language)[1] if isinstance(query, str) else query)  # type: ignore[arg-type]
    return {"bool": {"filter": clauses}} if clauses else {"match_all": {}}


to_elasticsearch: Final = partial(_written, "opensearch")
"""A condition for Elasticsearch, whose language agrees with OpenSearch's."""
to_sql: Final = partial(_written, "sql")
r"""The condition of a `WHERE` clause in standard SQL; "TRUE" if the query sets none.

Names are quoted and values are numbers and dates, so nothing of a query's text enters the clause. A dot separates a
table's name from its column's; `r"size\.height"` is one name, with a dot.
"""
to_duckdb: Final = to_sql
"""The same condition for DuckDB, whose SQL is standard here."""
to_lancedb: Final = partial(_written, "lancedb")
"""A condition for LanceDB's `.where()`."""
to_solr: Final = partial(_written, "solr")
"""A filter query (`fq`) of Solr's standard parser; "*:*" if the query sets no condition."""
to_vespa: Final = partial(_written, "vespa")
"""The condition of a `where` clause of Vespa's YQL; "true" if the query sets none. Days are seconds since 1970. A field
whose name is not valid in YQL raises a ValueError."""
to_typesense: Final = partial(_written, "typesense")
"""A value of Typesense's `filter_by`; "" if the query sets no condition. Days and names are as for Vespa."""
to_qdrant: Final = partial(_written, "qdrant")
"""A `qdrant_client.models.Filter` over the payload. Raises an ImportError without qdrant-client."""
to_langchain: Final = partial(_written, "langchain")
"""The filter dictionary that LangChain's vector stores share: `{"$and": [{field: {"$lt": 200.0}}, ...]}`; empty if the
query sets no condition. Days are texts, "2019-05-03"."""
to_llamaindex: Final = partial(_written, "llamaindex")
"""LlamaIndex's `MetadataFilters`, flat if no condition has alternatives, as some of its stores require. Raises an
ImportError without llama-index-core. Days are texts."""
