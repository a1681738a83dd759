"""Turn the conditions in a query's text into filters on your own numeric fields, in the language of a search engine.

    fields = {"price": ("price_eur", "euro"), "weight": ("weight_kg", "kilogram"), "rating": "stars"}
    to_sql("laptops below 800 euros that weigh at most 4 pounds", fields)
    # '"price_eur" < 800.0 AND "weight_kg" <= 1.81436948'

Every function takes the query, as a text or as a list of `Constraint`, and a dictionary `fields`. Its keys are words
for attributes; its values are field names, or pairs of a field name and a unit. A condition applies to the field whose
unit fits: "at most 4 pounds" to a field in kilograms. If several fields fit, or if the number has no unit, the
condition applies to the field whose attribute is named nearest to the number. A condition that fits no field is left
out with a warning. Fields with the unit "date" contain days, and fields with the unit "calendar year" contain years.

`order_by` returns the sort order that a query asks for: `order_by("sql", "cheapest laptop", fields)` -> `"price_eur"
ASC`. `facets` divides the values of a field or of a collection into ranges.

A document whose field has no value does not meet any condition, not even "other than 5".
"""

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
"""A query's text, or a list of `Constraint`, or a list of conditions on fields from `field_conditions` or `Facet`."""


def _written(
    name: str,
    query: Query,
    fields: Fields,
    registry: UnitRegistry | None = None,
    language: str = "en",
    default: str = "",
) -> Any:
    given = [one for one in query if isinstance(one, FieldCondition)]
    return LANGUAGES[name].written(given or field_conditions(query, fields, registry, language, default))  # type: ignore[arg-type]


def to_opensearch(
    query: Query,
    fields: Fields | None = None,
    registry: UnitRegistry | None = None,
    language: str = "en",
    default: str = "",
) -> dict[str, Any]:
    """Return the conditions of a query as an OpenSearch query, for a `filter` clause. If `fields` is None, the
    conditions apply to the quantities in an `OpenSearchIndex`. For other arguments, see `field_conditions`."""
    if fields is not None:
        return _written("opensearch", query, fields, registry, language, default)
    clauses = nested_conditions(parse_query(query, language=language)[1] if isinstance(query, str) else query)  # type: ignore[arg-type]
    return {"bool": {"filter": clauses}} if clauses else {"match_all": {}}


to_elasticsearch: Final = partial(_written, "opensearch")
"""Return the conditions of a query as an Elasticsearch query, which equals the query for OpenSearch."""
to_sql: Final = partial(_written, "sql")
r"""Return the conditions of a query for a `WHERE` clause in standard SQL; "TRUE" if the query sets no condition.

Names of fields are quoted, and values are numbers or dates, so no text of the query enters the clause. In a field's
name, a dot separates table and column. In `r"size\.height"`, the dot is part of the name.
"""
to_duckdb: Final = to_sql
"""Return the conditions of a query for a `WHERE` clause in DuckDB, as `to_sql` does."""
to_lancedb: Final = partial(_written, "lancedb")
"""Return the conditions of a query for LanceDB's `.where()`."""
to_solr: Final = partial(_written, "solr")
"""Return the conditions of a query as a filter query (`fq`) of Solr, or "*:*" if it sets no condition."""
to_vespa: Final = partial(_written, "vespa")
"""Return the conditions of a query for a `where` clause in Vespa's YQL, or "true" if it sets none. Days are converted
to seconds since 1970. If a field's name is not valid in YQL, a ValueError is raised."""
to_typesense: Final = partial(_written, "typesense")
"""Return the conditions of a query for Typesense's `filter_by`, or "" if it sets none. Days are converted to seconds
since 1970. If a field's name is not valid in Typesense, a ValueError is raised."""
to_qdrant: Final = partial(_written, "qdrant")
"""Return a query's conditions as a `qdrant_client.models.Filter`. Raise an ImportError if qdrant-client is missing."""
to_langchain: Final = partial(_written, "langchain")
"""Return the conditions of a query as a filter for LangChain's vector stores: `{"$and": [{field: {"$lt": 200.0}},
...]}`, or {} if the query sets no condition. Days are written as "2019-05-03"."""
to_llamaindex: Final = partial(_written, "llamaindex")
"""Return the conditions of a query as LlamaIndex's `MetadataFilters`, nested only if "or" joins conditions. Days are
written as "2019-05-03". Raise an ImportError if llama-index-core is missing."""
