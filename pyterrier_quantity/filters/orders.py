"""Sort by your own fields as a query asks ("cheapest"), in the language of a search engine."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Final

from pyterrier_quantity._extras import need
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.filters.fields import Fields, known_fields
from pyterrier_quantity.filters.languages import plain_name, quoted
from pyterrier_quantity.plan import plan_query
from pyterrier_quantity.plan.answer_kind import unit_families
from pyterrier_quantity.transformers.field_quantities import YEAR
from pyterrier_quantity.units import UnitRegistry

_ORDERS: Final[Mapping[str, Callable[[str, str], Any]]] = {
    "sql": lambda field, way: f"{quoted(field)} {way.upper()}",
    "vespa": lambda field, way: f"{plain_name(field)} {way}",
    "typesense": lambda field, way: f"{plain_name(field)}:{way}",
    "solr": lambda field, way: re.sub(r"(\W)", r"\\\1", field) + f" {way}",
    "opensearch": lambda field, way: [{field: {"order": way}}],
    "qdrant": lambda field, way: need("qdrant_client.models", "qdrant").OrderBy(key=field, direction=way),
}
"""For each engine, the syntax of sorting by a field, "asc" or "desc"."""


def field_order(
    query: str, fields: Fields, registry: UnitRegistry | None = None, language: str = "en"
) -> tuple[str, bool] | None:
    """Return the field to sort by, and whether high values come first. Return None if the query asks for no order. If
    no field can hold the named attribute, return None with a UserWarning. Arguments are those of `field_conditions`."""
    order = plan_query(query, language=language).order
    if order is None:
        return None
    known = known_fields(fields, registry)
    families = {field.name: unit_families(DATE_UNIT if field.unit == YEAR else field.unit) for field in known}
    able = [field for field in known if families[field.name] & order.families.keys()]
    named = [field for field in known if field.distance(order.attribute) < math.inf]
    chosen = min(named, key=lambda field: field.distance(order.attribute)) if named else able[0] if able else None
    if chosen is None or (not named and len(able) > 1):
        warnings.warn(f"no field for the order {str(order)!r}: name its attribute in the fields", stacklevel=3)
        return None
    return chosen.name, next(
        (much for family, much in order.families.items() if family in families[chosen.name]), order.descending
    )


def order_by(
    engine: str, query: str, fields: Fields, registry: UnitRegistry | None = None, language: str = "en"
) -> Any:
    """Return the order that a query asks for in the engine's syntax, or None if it asks for no order.

    The result is the text after `ORDER BY` in SQL and after `order by` in Vespa's YQL, `sort` of OpenSearch and Solr,
    `sort_by` of Typesense, or Qdrant's `OrderBy`. For example, `order_by("sql", "cheapest kettle", {"price":
    ("price_eur", "euro")})` is `"price_eur" ASC`.

    Raises:
        ValueError: if the engine is unknown, and for the reasons given in `field_conditions`.
    """
    if engine not in _ORDERS:
        raise ValueError(f"unknown engine {engine!r}; one of {', '.join(_ORDERS)}")
    found = field_order(query, fields, registry, language)
    return found and _ORDERS[engine](found[0], "desc" if found[1] else "asc")
