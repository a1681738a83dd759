"""Constraints as OpenSearch's queries over the nested quantities of an `OpenSearchIndex`: exact, on every shard, by the
engine's numeric indexes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from pyterrier_quantity.constants import ROUGHLY, TOLERANCE
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.filters.conditions import comparisons, each_met, grouped
from pyterrier_quantity.filters.languages import any_of
from pyterrier_quantity.quantity import BARE, Constraint
from pyterrier_quantity.units import default_registry

Query = dict[str, Any]
_SLACK: Final = {"gt": TOLERANCE, "gte": -TOLERANCE, "lt": -TOLERANCE, "lte": TOLERANCE}


def nested_conditions(constraints: Sequence[Constraint]) -> list[Query]:
    """What documents must meet: a query for each constraint, or for those that are alternatives of each other.

    Args:
        constraints: their units must be canonical. Other units of a constraint's family count; they are compared in
            the family's reference unit.

    One whose value overflows in the reference unit is left out with a UserWarning, and so are its alternatives.
    """
    return [any_of(group) for group in grouped(each_met((one, partial(_met, one)) for one in constraints))]


def _met(constraint: Constraint) -> Query:
    """`score.phi.satisfied`, as ranges over a quantity's two ends."""
    registry, op, bare = default_registry(), constraint.op, constraint.unit == BARE
    factor, offset = registry.to_reference(constraint.unit)
    roughly = ROUGHLY * abs(constraint.low) if op == "~" else 0.0

    def beside(sign: str, value: float) -> Query:
        end = f"{'' if bare else 'reference_'}{'high' if sign in ('gt', 'gte') else 'low'}"
        value = (value + _SLACK[sign] * abs(value)) * factor + offset
        if not math.isfinite(value):
            raise ValueError("its value is too large in the unit that quantities are compared in")
        return {"range": {f"quantities.{end}": {sign: value}}}

    choices = comparisons(op, constraint.low - roughly, constraint.high + roughly)
    met = [beside(sign, value) for choice in choices for sign, value in choice.items()]
    family = {"term": {"quantities.family": registry.family(constraint.unit)}}
    no_date = {"bool": {"must_not": [{"term": {"quantities.unit": DATE_UNIT}}]}}  # dates are no ordinary quantities
    every = [no_date if bare else family, *(met if len(choices) == 1 else [any_of(met)])]
    return {"nested": {"path": "quantities", "query": {"bool": {"filter": every}}}}
