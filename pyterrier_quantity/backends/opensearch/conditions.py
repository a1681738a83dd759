"""Constraints as the engine's own queries over nested quantities: exact, on every shard, by its numeric indexes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pyterrier_quantity.constants import ROUGHLY, TOLERANCE
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.quantity import BARE, Constraint
from pyterrier_quantity.units import default_registry

Query = dict[str, Any]

MOST_SHOWN: Final = 10
"""How many of a document's quantities that meet a constraint are given with it."""


def condition(constraint: Constraint, convert: bool = True, shown_as: str | None = None) -> Query:
    """Documents with a quantity that meets the constraint.

    Args:
        constraint: its unit must be canonical.
        convert: whether other units of its family count; they are compared in the family's reference unit.
        shown_as: the name under which a hit lists the quantities that met it; None: not at all.
    """
    reference = convert and constraint.unit != BARE
    factor, offset = default_registry().to_reference(constraint.unit) if reference else (1.0, 0.0)
    prefix = "quantities.reference_" if reference else "quantities."
    met = _met(constraint, prefix + "low", prefix + "high", factor, offset)
    nested = {"path": "quantities", "query": {"bool": {"filter": [*_unit(constraint, convert), met]}}}
    if shown_as is not None:
        nested["inner_hits"] = {"name": shown_as, "size": MOST_SHOWN}
    return {"nested": nested}


def unknown(constraint: Constraint, convert: bool = True) -> Query:
    """Documents that state nothing in a unit that could meet the constraint."""
    units = {"bool": {"filter": _unit(constraint, convert)}}
    return {"bool": {"must_not": [{"nested": {"path": "quantities", "query": units}}]}}


def together(constraints: Sequence[Constraint], conditions: Sequence[Query]) -> list[Query]:
    """Of each constraint's condition those that must be met; of alternatives one must."""
    groups: dict[tuple[int, int], list[Query]] = {}
    for place, (constraint, met) in enumerate(zip(constraints, conditions, strict=True)):
        groups.setdefault((constraint.alternative, 0 if constraint.alternative else place), []).append(met)
    return [group[0] if len(group) == 1 else {"bool": {"should": group, "minimum_should_match": 1}}
            for group in groups.values()]  # fmt: skip


def _unit(constraint: Constraint, convert: bool) -> list[Query]:
    if convert and constraint.unit == BARE:
        return [{"bool": {"must_not": [{"term": {"quantities.unit": DATE_UNIT}}]}}]  # dates are no ordinary quantities
    if convert:
        return [{"term": {"quantities.family": default_registry().family(constraint.unit)}}]
    return [{"term": {"quantities.unit": constraint.unit}}]


def _met(constraint: Constraint, low: str, high: str, factor: float, offset: float) -> Query:
    """`scoring.satisfied`, as ranges over a quantity's two ends."""

    def less(value: float) -> float:
        return (value - TOLERANCE * abs(value)) * factor + offset

    def more(value: float) -> float:
        return (value + TOLERANCE * abs(value)) * factor + offset

    op = constraint.op
    if op == ">":
        return {"range": {high: {"gt": more(constraint.low)}}}
    if op == ">=":
        return {"range": {high: {"gte": less(constraint.low)}}}
    if op == "<":
        return {"range": {low: {"lt": less(constraint.high)}}}
    if op == "<=":
        return {"range": {low: {"lte": more(constraint.high)}}}
    if op == "!=":
        either = [{"range": {low: {"lt": less(constraint.low)}}}, {"range": {high: {"gt": more(constraint.high)}}}]
        return {"bool": {"should": either, "minimum_should_match": 1}}
    slack = ROUGHLY * abs(constraint.low) if op == "~" else 0.0
    reaches = {"range": {high: {"gte": less(constraint.low - slack)}}}
    begins = {"range": {low: {"lte": more(constraint.high + slack)}}}
    return {"bool": {"filter": [reaches, begins]}}
