"""Constraints as OpenSearch's queries over the nested quantities of an `OpenSearchIndex`: exact, on every shard, by the
engine's numeric indexes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pyterrier_quantity.constants import ROUGHLY, TOLERANCE
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.filters.conditions import grouped, without_reasons
from pyterrier_quantity.filters.languages import any_of
from pyterrier_quantity.quantity import BARE, Constraint
from pyterrier_quantity.units import default_registry

Query = dict[str, Any]


def nested_conditions(constraints: Sequence[Constraint]) -> list[Query]:
    """What documents must meet: a query for each constraint, or for those that are alternatives of each other.

    Args:
        constraints: their units must be canonical. Other units of a constraint's family count; they are compared in
            the family's reference unit.

    One whose value overflows in the reference unit is left out with a UserWarning, and so are its alternatives.
    """
    found: list[tuple[Constraint, Query | str]] = []
    for constraint in constraints:
        met = _met(constraint)
        if not isinstance(met, str):
            met = {"nested": {"path": "quantities", "query": {"bool": {"filter": [_unit(constraint), met]}}}}
        found.append((constraint, met))
    return [any_of(group) for group in grouped(without_reasons(found))]


def _unit(constraint: Constraint) -> Query:
    if constraint.unit == BARE:  # dates are no ordinary quantities
        return {"bool": {"must_not": [{"term": {"quantities.unit": DATE_UNIT}}]}}
    return {"term": {"quantities.family": default_registry().family(constraint.unit)}}


def _met(constraint: Constraint) -> Query | str:
    """`score.phi.satisfied`, as ranges over a quantity's two ends; or why there is none."""
    reference = constraint.unit != BARE
    factor, offset = default_registry().to_reference(constraint.unit) if reference else (1.0, 0.0)
    low, high = (f"quantities.{'reference_' if reference else ''}{end}" for end in ("low", "high"))
    slack = ROUGHLY * abs(constraint.low) if constraint.op == "~" else 0.0
    least, most = constraint.low - slack, constraint.high + slack
    below_least, above_least, below_most, above_most = (
        (end + sign * TOLERANCE * abs(end)) * factor + offset for end in (least, most) for sign in (-1, 1)
    )
    if not (math.isfinite(below_least) and math.isfinite(above_most)):
        return "its value is too large in the unit that quantities are compared in"
    not_below, not_above = {"range": {high: {"gte": below_least}}}, {"range": {low: {"lte": above_most}}}
    below, above = {"range": {low: {"lt": below_least}}}, {"range": {high: {"gt": above_most}}}
    met = {
        ">": {"range": {high: {"gt": above_least}}},
        ">=": not_below,
        "<": {"range": {low: {"lt": below_most}}},
        "<=": not_above,
        "!=": any_of([below, above]),
    }
    return met.get(constraint.op, {"bool": {"filter": [not_below, not_above]}})
