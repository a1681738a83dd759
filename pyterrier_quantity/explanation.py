"""`explain()`: which quantity met which constraint, and what it scored, as columns and as highlighted HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.index.evidence import best_evidence
from pyterrier_quantity.index.scorer import Assessment, IndexScorer, QuantityScorer
from pyterrier_quantity.pipelines import INDEX_ATTRIBUTE, QuantityAware
from pyterrier_quantity.quantity import Quantity

Scorer = IndexScorer | QuantityScorer

COLUMNS: Final = ("constraint", "quantity", "met", "unit_match", "phi", "fit", "confidence", "quantity_score")
"""What `explain` adds; None and NaN where a document states nothing in a unit that could meet the constraint."""

_MARKS: Final = ("<mark>", "</mark>")


class Explanation(pd.DataFrame):
    """A frame that shows itself in notebooks as a table with the quantities marked in their texts."""

    @property
    def _constructor(self) -> type[Explanation]:
        return Explanation

    def _repr_html_(self) -> str:
        shown = pd.DataFrame(self.astype(object))
        if "text" in shown.columns:
            shown["text"] = [
                highlight(text, [quantity] if quantity is not None else [])
                for text, quantity in zip(shown["text"], shown["quantity"], strict=True)
            ]
        others = [column for column in shown.columns if column != "text"]
        shown[others] = shown[others].map(lambda value: html.escape(_readable(value)))
        return shown.to_html(escape=False, index=False)


def explain(
    results: pd.DataFrame, quantities: QuantityIndex | Scorer | QuantityAware | Any = None, text_field: str = "text"
) -> Explanation:
    """Which quantity met which constraint, and how its score came about.

    Args:
        results: R with `query`, and `constraints` or `condition`, `value`, `unit`, as the pipelines give it.
        quantities: what scored the results: an index (an engine's, too), a scorer, or the `quantity_aware` pipeline.
            None: the index that a `quantity_aware` pipeline noted in the frame; without one, the quantities are read
            from the text.
        text_field: the column that holds the text, if there is one.

    Returns:
        One row per result and constraint: `qid`, `docno`, and `query`, `rank`, `score`, text as the results have
        them, with the columns

        - `constraint`: the `Constraint` asked;
        - `quantity`: the `Quantity` of the document that scored best under it;
        - `met`: whether it meets the constraint;
        - `unit_match`, `phi`, `fit`, `confidence`: the factors of its score, each in [0, 1];
        - `quantity_score`: the score, in [0, 1].

        In a notebook it shows itself as a table with the quantities marked in the texts.

    Raises:
        ValueError: if there is neither an index nor a text to explain by.
    """
    found = _scorer(results, quantities, text_field).assess(results)
    scores, evidence = found.scores, found.scores.evidence
    order = np.argsort(scores.pair_row, kind="stable")
    best = best_evidence(scores)[order]
    kept = [c for c in ("qid", "query", "docno", "rank", "score", text_field) if c in results.columns]
    table = results[kept].iloc[scores.pair_row[order]].reset_index(drop=True).rename(columns={text_field: "text"})
    constraints = [c for need in found.needs for c in need.constraints]
    table["constraint"] = _objects(constraints[number] for number in scores.pair_constraint[order].tolist())
    table["quantity"] = _objects(_quantity(found, number) for number in best.tolist())
    factors = {
        "met": evidence.met.astype(np.float64),
        "unit_match": evidence.unit,
        "phi": evidence.phi,
        "fit": evidence.fit,
        "confidence": found.columns.confidence[evidence.quantity] / 255.0,
        "quantity_score": evidence.score,
    }
    for name, values in factors.items():
        table[name] = np.append(values, np.nan)[best]
    table["met"] = table["met"] == 1.0
    return Explanation(table)


def _scorer(results: pd.DataFrame, quantities: Any, text_field: str) -> Scorer:
    if quantities is None and INDEX_ATTRIBUTE in results.attrs:
        quantities = QuantityIndex(results.attrs[INDEX_ATTRIBUTE])
    if isinstance(quantities, QuantityAware):
        quantities = quantities.scoring
    if hasattr(quantities, "scorer"):
        return quantities.scorer()
    if quantities is not None:
        return quantities
    if text_field not in results.columns:
        raise ValueError(
            f"explain: the results have no column {text_field!r} to read quantities from; "
            "pass the index that scored them: explain(results, index)"
        )
    return QuantityScorer(text_field=text_field)


def _quantity(found: Assessment, number: int) -> Quantity | None:
    if number < 0:
        return None
    return found.columns.quantity(int(found.scores.evidence.quantity[number]), found.units)


def _objects(values: Iterable[Any]) -> npt.NDArray[np.object_]:
    items = list(values)
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def highlight(text: str | None, quantities: Iterable[Quantity], marks: tuple[str, str] = _MARKS) -> str:
    """The text with quantities marked; escaped for HTML where the marks are HTML.

    Args:
        text: the text that the quantities' spans refer to; None counts as empty.
        quantities: what to mark.
        marks: what goes before and behind a quantity.
    """
    escape = html.escape if marks[0].startswith("<") else str
    text, pieces, at = text or "", [], 0
    for quantity in sorted(quantities, key=lambda q: q.start):
        if at <= quantity.start < quantity.end <= len(text):
            marked = escape(text[quantity.start : quantity.end])
            pieces += [escape(text[at : quantity.start]), marks[0], marked, marks[1]]
            at = quantity.end
    return "".join([*pieces, escape(text[at:])])


def _readable(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return "" if value is None else str(value)
