"""Conditions in free text as filters on a user's own numeric fields, in the language of the engine that holds them.

    fields = {"price": ("price_eur", "euro"), "weight": ("weight_kg", "kilogram"), "rating": "stars"}
    to_sql("laptops below 800 euros that weigh at most 4 pounds", fields)
    # '"price_eur" < 800.0 AND "weight_kg" <= 1.81436948'

Every function takes a query's text, or its constraints, and the fields. `fields` maps the name that people use for an
attribute to a field, or to a field and its unit. A condition goes to the field whose unit it converts to, and its
values are converted. If several fields fit, or the number has no unit, the attribute that is named nearest decides. A
condition that fits no field is left out, with a warning. Fields of the unit "date" hold days, those of "calendar year"
years. No language model takes part.

`facets` gives the ranges of values that a collection holds.

A missing value meets no condition, not even "other than 5".
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
