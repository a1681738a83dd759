"""Summarise the values that documents state for one quantity: median, spread, outliers, a table and a chart."""

import html
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import pandas as pd

_WIDTH: Final = 480
_HEIGHT: Final = 56
_MARGIN: Final = 24
_FENCE: Final = 1.5  # a value is an outlier if it is more than 1.5 interquartile ranges outside the quartiles (Tukey)


class Distribution:
    """The distribution of the values that documents state for one quantity, such as the weight of a car in kilograms.

    Args:
        question: the question that the values answer.
        unit: the unit of the values, or "" if `evidence` is empty.
        evidence: dictionaries with `docno`, `value`, `span` and `sentence`, from the column `evidence` of `Extractive`.

    Notebooks show a table and a chart. The chart has a dot for each document (hollow for outliers), a box from the
    first to the third quartile, and a line at the median.
    """

    def __init__(self, question: str, unit: str, evidence: Sequence[Mapping[str, Any]]) -> None:
        self.question, self.unit, self.evidence = question, unit, list(evidence)

    @cached_property
    def values(self) -> pd.Series:
        return pd.Series([item["value"] for item in self.evidence], dtype=float)

    @property
    def median(self) -> float:
        """The median of the values, or NaN if `evidence` is empty."""
        return float(self.values.median())

    @property
    def quartiles(self) -> tuple[float, float]:
        return float(self.values.quantile(0.25)), float(self.values.quantile(0.75))

    @property
    def spread(self) -> float:
        """The interquartile range of the values, or NaN if `evidence` is empty."""
        return self.quartiles[1] - self.quartiles[0]

    @cached_property
    def table(self) -> pd.DataFrame:
        """A frame with a row per document: `docno`, `value`, `span`, `sentence` and `outlier`, sorted by value."""
        kept = ["docno", "value", "span", "sentence"]
        frame = pd.DataFrame([{name: item[name] for name in kept} for item in self.evidence], columns=kept)
        low, high = self.quartiles
        reach = _FENCE * self.spread
        outlier = (frame["value"] < low - reach) | (frame["value"] > high + reach)
        return frame.assign(outlier=outlier).sort_values("value", kind="stable", ignore_index=True)

    @property
    def outliers(self) -> list[str]:
        """The docnos of documents whose value is more than 1.5 interquartile ranges below or above the quartiles."""
        return self.table.loc[self.table["outlier"], "docno"].tolist()

    def __repr__(self) -> str:
        return (
            f"Distribution({self.question!r}: {len(self.values)} documents, median {self.median:,.6g} {self.unit}, "
            f"spread {self.spread:,.6g}, outliers {self.outliers})"
        )

    def _repr_html_(self) -> str:
        title = html.escape(f"{self.question}  ({self.unit})" if self.unit else self.question)
        return f"<p>{title}</p>{self.picture()}{self.table.to_html(index=False, escape=True)}"

    def picture(self) -> str:
        """Return an SVG image of the values on a number line, or "" if `evidence` is empty."""
        if not len(self.values):
            return ""
        low, high = float(self.values.min()), float(self.values.max())

        def place(value: float) -> float:
            share = (value - low) / (high - low) if high > low else 0.5
            return _MARGIN + share * (_WIDTH - 2 * _MARGIN)

        left, right = map(place, self.quartiles)
        shapes = [
            f'<line x1="{_MARGIN}" x2="{_WIDTH - _MARGIN}" y1="20" y2="20" stroke="#bbb"/>',
            f'<rect x="{left:.1f}" width="{right - left:.1f}" y="10" height="20" fill="#cde"/>',
            f'<line x1="{place(self.median):.1f}" x2="{place(self.median):.1f}" y1="8" y2="32" stroke="#246"/>',
        ]
        for docno, value, outlier in self.table[["docno", "value", "outlier"]].itertuples(index=False, name=None):
            label = html.escape(f"{docno}: {value:,.6g}")
            fill = "none" if outlier else "#246"
            dot = f'<circle cx="{place(value):.1f}" cy="20" r="4" stroke="#246" fill="{fill}">'
            shapes.append(f"{dot}<title>{label}</title></circle>")
        for end, side in ((low, "start"), (high, "end")):
            shapes.append(f'<text x="{place(end):.1f}" y="48" font-size="11" text-anchor="{side}">{end:,.6g}</text>')
        return f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img">{"".join(shapes)}</svg>'
