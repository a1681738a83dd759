"""Distribution of the values in a unit over a collection, as the bars of a small chart."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pyterrier_quantity.constants import UNITS
from pyterrier_quantity.filters.facets import stated_values
from pyterrier_quantity.index import QuantityIndex

BARS: Final = 40
_OUTSIDE: Final = 0.01
"""Share of values at each end that are put in the outermost bar. Otherwise one typing error would flatten all bars."""
_WIDE: Final = 30.0
"""Minimum ratio of the largest to the smallest positive value for a logarithmic axis."""
_OFFERED: Final = 12
"""Maximum number of units offered for the conversion of a condition."""
_WRITTEN: Final = (0.1, 20_000.0)
"""Range of values that people write in a unit: nobody writes that a desk is 0.0012 kilometres long."""


def value_chart(index: QuantityIndex, unit: str) -> dict[str, Any]:
    """Return a chart of the values in a unit and in units that convert to it. A range counts by its middle.

    Args:
        index: the quantity index.
        unit: a canonical name; "-" for numbers without a unit.

    Returns:
        `unit`, `count` (of values), `logarithmic` (whether the axis is), `bars` (values in each bar) and `edges` (the
        bars' limits, one more than bars). Values outside the axis count in the first or last bar.
    """
    values = stated_values(index, unit=unit)
    values = values[np.isfinite(values)]
    chart = {"unit": unit, "count": len(values), "logarithmic": False, "edges": [], "bars": []}
    if not len(values):
        return chart
    low, high = np.quantile(values, [_OUTSIDE, 1.0 - _OUTSIDE], method="nearest").tolist()
    logarithmic = low > 0 and high / low > _WIDE
    if low == high:
        low, high = low - (abs(low) / 2 or 1.0), high + (abs(low) / 2 or 1.0)
    edges = np.maximum.accumulate((np.geomspace if logarithmic else np.linspace)(low, high, BARS + 1))
    bars, _ = np.histogram(np.clip(values, edges[0], edges[-1]), edges)
    return chart | {"logarithmic": logarithmic, "edges": edges.tolist(), "bars": bars.tolist()}


def convertible(index: QuantityIndex, unit: str, value: float) -> list[dict[str, Any]]:
    """Return units of the collection to which a value in `unit` converts, if the result is a number that people would
    write. Each has `unit`, `factor` and `offset`: `value * factor + offset` is the value in that unit."""
    vocabulary, registry = index.opened.vocabulary, index.registry
    names = dict.fromkeys([unit, *(vocabulary.names[row] for row in vocabulary.match(unit, (), UNITS["convert"]).rows)])
    pairs = {name: pair for name in names if (pair := registry.conversion(unit, name)) is not None}
    found = [{"unit": name, "factor": factor, "offset": offset} for name, (factor, offset) in pairs.items()]
    low, high = _WRITTEN
    chosen = [one for one in found[1:] if not value or low <= abs(value * one["factor"] + one["offset"]) < high]
    return [*found[:1], *chosen[:_OFFERED]]
