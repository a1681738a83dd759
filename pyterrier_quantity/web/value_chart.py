"""How the values of a unit are spread over a collection, as bars for a small chart."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.constants import UNITS
from pyterrier_quantity.filters.facets import stated_values
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.units import default_registry

BARS: Final = 40
_OUTSIDE: Final = 0.01
"""The share of the values at each end that stands in the last bar: one slip of a key would flatten all others."""
_WIDE: Final = 30.0
"""Positive values of which the largest is so many times the smallest are shown by their magnitude."""
_OFFERED: Final = 12
"""Other units that a condition may be converted to."""

Floats = npt.NDArray[np.float64]


def value_chart(index: QuantityIndex, unit: str) -> dict[str, Any]:
    """The values of a unit, those of units that convert to it among them; of a range its middle.

    Args:
        index: holds them.
        unit: a canonical name; "-" for bare numbers.

    Returns:
        `unit`, `count` of the values, whether the axis is `logarithmic`, the `edges` of the bars, one more than bars,
        and `bars`, how many values each holds; what lies beyond the axis counts in the first and the last.
    """
    values = stated_values(index, unit=unit)
    values = values[np.isfinite(values)]
    if not len(values):
        return {"unit": unit, "count": 0, "logarithmic": False, "edges": [], "bars": []}
    low, high = np.quantile(values, [_OUTSIDE, 1.0 - _OUTSIDE], method="nearest").tolist()
    logarithmic = low > 0 and high / low > _WIDE
    edges = _edges(low, high, logarithmic)
    bars, _ = np.histogram(np.clip(values, edges[0], edges[-1]), edges)
    return {
        "unit": unit,
        "count": len(values),
        "logarithmic": logarithmic,
        "edges": edges.tolist(),
        "bars": bars.tolist(),
    }


def _edges(low: float, high: float, logarithmic: bool) -> Floats:
    if low == high:
        room = abs(low) / 2 or 1.0
        low, high = low - room, high + room
    edges = np.geomspace(low, high, BARS + 1) if logarithmic else np.linspace(low, high, BARS + 1)
    return np.maximum.accumulate(edges)


def convertible(index: QuantityIndex, unit: str) -> list[dict[str, Any]]:
    """The units that the collection states most which a value in `unit` converts to: `unit`, `factor`, `offset`.

    Source * factor + offset is the value in that unit.
    """
    opened, registry = index.opened, default_registry()
    held = [np.diff(segment.arrays["point_offsets"].astype(np.int64)) for segment in opened.segments]
    counts = {
        opened.vocabulary.names[row]: sum(
            int(each[renamed == row].sum()) for each, renamed in zip(held, opened.renamed, strict=True)
        )
        for row in opened.vocabulary.match(unit, (), UNITS["convert"]).rows.tolist()
    }
    names = [unit, *sorted(counts, key=lambda name: -counts[name])]
    pairs = {name: pair for name in names if (pair := registry.conversion(unit, name)) is not None}
    found = [{"unit": name, "factor": factor, "offset": offset} for name, (factor, offset) in pairs.items()]
    return found[: 1 + _OFFERED]
