"""Translate the sort order that a query asks for ("cheapest") into an engine's syntax, with your field names."""

import math
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Final

from pyterrier_quantity._extras import need
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.filters.fields import Fields, known_fields
from pyterrier_quantity.filters.languages import plain_name, quoted
from pyterrier_quantity.frames.transformer import check_choice
from pyterrier_quantity.plan import plan_query
from pyterrier_quantity.plan.answer_kind import unit_families
from pyterrier_quantity.transformers.field_quantities import YEAR
from pyterrier_quantity.units import UnitRegistry

_ORDERS: Final[Mapping[str, Callable[[str, str], Any]]] = {  # by engine: a function of a field's name and a direction
    "sql": lambda field, way: f"{quoted(field)} {way.upper()}",
    "vespa": lambda field, way: f"{plain_name(field)} {way}",
    "typesense": lambda field, way: f"{plain_name(field)}:{way}",
    "solr": lambda field, way: re.sub(r"(\W)", r"\\\1", field) + f" {way}",
    "opensearch": lambda field, way: [{field: {"order": way}}],
    "qdrant": lambda field, way: need("qdrant_client.models", "qdrant").OrderBy(key=field, direction=way),
}


def field_order(
    query: str, fields: Fields, registry: UnitRegistry | None = None, language: str = "en"
) -> tuple[str, bool] | None:
    """Return the field that a query asks to sort by, and whether high values come first: "cheapest laptop" ->
    ("price_eur", False). Return None if the query does not ask for an order, or (with a UserWarning) if no field fits.
    The arguments are those of `field_conditions`."""
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
    much = (much for family, much in order.families.items() if family in families[chosen.name])
    return chosen.name, next(much, order.descending)


def order_by(
    engine: str, query: str, fields: Fields, registry: UnitRegistry | None = None, language: str = "en"
) -> Any:
    """Return the sort order that a query asks for, in the engine's syntax, or None if the query asks for no order.

    Example: `order_by("sql", "cheapest kettle", {"price": ("price_eur", "euro")})` -> `"price_eur" ASC`.

    Args:
        engine: "sql" or "vespa", for the text after `ORDER BY`; "opensearch" or "solr", for `sort`; "typesense", for
            `sort_by`; or "qdrant", for an `OrderBy` object.
        query, fields, registry, language: see `field_conditions`.

    Raises:
        ValueError: if the engine is unknown, or for a reason that `field_conditions` lists.
    """
    check_choice("engine", engine, _ORDERS)
    found = field_order(query, fields, registry, language)
    return found and _ORDERS[engine](found[0], "desc" if found[1] else "asc")
