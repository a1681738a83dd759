"""Divide the values of an attribute into ranges (facets), from which users choose: "below 100", "100 to 500"."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from pyterrier_quantity.constants import UNITS, WordWeights
from pyterrier_quantity.filters.field_conditions import DIGITS, FieldCondition
from pyterrier_quantity.flat_arrays import Bools, Floats, Ints, ragged_ranges
from pyterrier_quantity.frames.frame import is_missing
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.index.columns import Columns
from pyterrier_quantity.index.context_words import query_terms, without_marks
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.score.fit import nearness
from pyterrier_quantity.transformers.field_quantities import resolved
from pyterrier_quantity.units import default_registry
from pyterrier_quantity.units.dimensions import rescaled

_SHIFT: Final = 0.3  # maximum share of a range's values that rounding a limit may move to another range


@dataclass(frozen=True)
class Facet:
    """A range of an attribute's values.

    Args:
        low: the lower limit, inclusive, or None for the first range.
        high: the upper limit, exclusive, or None for the last range.
        count: the number of values in the range.
    """

    low: float | None
    high: float | None
    count: int

    def condition(self, field: str) -> FieldCondition:
        """Return this range as a condition on a field, to pass to a function such as `to_sql([condition], fields)`."""
        ends = {"gte": self.low, "lt": self.high}
        return FieldCondition(field, [{sign: end for sign, end in ends.items() if end is not None}])

    def __str__(self) -> str:
        if self.low is None:
            return "all" if self.high is None else f"below {self.high:g}"
        return f"{self.low:g} and more" if self.high is None else f"{self.low:g} to {self.high:g}"


def facets(values: Iterable[float], ranges: int = 5, by: str = "round") -> list[Facet]:
    """Divide values into ascending ranges with about the same number of values in each.

    Args:
        values: the values of a field, or the result of `stated_values`. NaN, None and pandas' NA are left out.
        ranges: the maximum number of ranges. Fewer distinct values give fewer ranges.
        by: how limits are chosen: "quantiles", or "round" for round numbers near the quantiles.

    Raises:
        ValueError: if `ranges` is below 1, or `by` is unknown.
    """
    if ranges < 1 or by not in ("round", "quantiles"):
        raise ValueError(f"facets: ranges must be at least 1, by 'round' or 'quantiles'; got {ranges!r} and {by!r}")
    known = np.array([math.nan if is_missing(value) else float(value) for value in values])
    known = np.sort(known[np.isfinite(known)])
    if not len(known):
        return []
    shift = _SHIFT if by == "round" else 0.0
    shares = np.arange(1, ranges)[:, None] + [-shift, shift]
    between = np.quantile(known, shares / ranges) if ranges > 1 else shares
    chosen = {_roundest(low, high) if shift else low for low, high in between.tolist()}
    ends = np.array(sorted(end for end in chosen if known[0] < end <= known[-1]))
    # If no value lies between two limits, only one of the limits is kept.
    first, kept = np.unique(np.searchsorted(known, ends), return_index=True)
    counts, ends = np.diff([0, *first, len(known)]).tolist(), ends[kept].tolist()
    return [Facet(*each) for each in zip([None, *ends], [*ends, None], counts, strict=True)]


def _roundest(low: float, high: float) -> float:
    """Return the roundest number from low to high, a multiple of 1 or 5 times a power of ten: (183, 230) -> 200."""
    if low <= 0 <= high:
        return 0.0
    if not 1e-300 < max(-low, high) < 1e300:
        return low
    middle, largest = (low + high) / 2, math.floor(math.log10(max(-low, high)))
    steps = (times * 10.0**power for power in range(largest, largest - DIGITS, -1) for times in (5, 1))
    rounded = (float(f"{round(middle / step) * step:.{DIGITS}g}") for step in steps)
    return next((number for number in rounded if low <= number <= high), low)


def stated_values(index: QuantityIndex, attribute: str = "", unit: str = BARE) -> Floats:
    """Return the values that the documents of an index state for an attribute ("weight"), as an array in one unit.

    A range such as "5 to 7 kg" counts as its midpoint.

    Args:
        index: the quantity index.
        attribute: words that must all occur near a value, or "" for all values.
        unit: the unit, in any spelling; "-" for numbers without a unit. Values in other units are converted.

    Raises:
        ValueError: if the unit is unknown, or if an attribute is given and the index does not store words.
    """
    name = resolved(unit, "stated_values", default_registry())
    opened, columns = index.opened, index.opened.columns
    match = opened.vocabulary.match(name, (), UNITS["strict" if name == BARE else "convert"])
    rows = np.setdiff1d(np.arange(len(columns.doc_offsets)), opened.deleted)
    first, count = columns.doc_offsets.extent(rows)
    number, document = ragged_ranges(first, count), np.repeat(rows, count)
    kept = np.flatnonzero(np.isin(columns.unit[number], match.rows))
    number = number[kept][_near(columns, attribute, number[kept], document[kept])]
    low, high = columns.ends(number)
    place = np.searchsorted(match.rows, columns.unit[number])
    return rescaled((low + high) / 2, match.factor[place], match.offset[place])


def _near(columns: Columns, attribute: str, number: Ints, document: Ints) -> Bools:
    """Return, for each quantity, whether all words of an attribute are near the quantity. `number` and `document` are
    the row numbers of the quantities and of their documents in the index."""
    near = np.ones(len(number), dtype=bool)
    codes = query_terms(attribute)
    if codes and not columns.has_terms:
        raise ValueError("stated_values: this index keeps no words around values; leave the attribute out")
    if codes and len(number):
        first, count = columns.term_offsets.extent(document)
        terms = columns.terms[np.arange(int((first + count).max()))]
        terms, own, first, end = without_marks(terms, first + columns.position[number], first, first + count)
        for code in codes:
            near &= nearness(own, np.flatnonzero(terms == code), WordWeights(), first, end - first) >= 0.5
    return near
