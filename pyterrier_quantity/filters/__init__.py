"""Conditions in free text as filters on a user's own numeric fields, in the language of the engine that holds them.

    fields = {"price": ("price_eur", "euro"), "weight": ("weight_kg", "kilogram"), "rating": "stars"}
    to_sql("laptops below 800 euros that weigh at most 4 pounds", fields)
    # '"price_eur" < 800.0 AND "weight_kg" <= 1.81436948'

Every function takes a query's text, or its constraints, and the fields: by the attribute's name as people say it, the
field, or the field and the unit of its values. A condition goes to the field whose unit its own converts to; several
such fields, and numbers without a unit, are told apart by the attribute that is named nearest. What goes to no field is
left out with a warning that names it. Values are in the field's unit. Fields of the unit "date" hold days, those of
"calendar year" years. No language model takes part.

`facets` gives the ranges of values that a collection holds.

An absent value meets no condition, "other than 5" included.
"""

from pyterrier_quantity.filters.engines import (
    to_duckdb,
    to_elasticsearch,
    to_lancedb,
    to_langchain,
    to_llamaindex,
    to_opensearch,
    to_qdrant,
    to_solr,
    to_sql,
    to_typesense,
    to_vespa,
)
from pyterrier_quantity.filters.facets import Facet, facets, stated_values
from pyterrier_quantity.filters.fields import FieldCondition, Fields, field_conditions

__all__ = [
    "Facet",
    "FieldCondition",
    "Fields",
    "facets",
    "field_conditions",
    "stated_values",
    "to_duckdb",
    "to_elasticsearch",
    "to_lancedb",
    "to_langchain",
    "to_llamaindex",
    "to_opensearch",
    "to_qdrant",
    "to_solr",
    "to_sql",
    "to_typesense",
    "to_vespa",
]
