"""`explain()`: which quantity met which constraint, and what it scored, as columns and as highlighted HTML."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity.index import QuantityIndex, QuantityScorer
from pyterrier_quantity.index.queries import SUPPORT
from pyterrier_quantity.index.scorer import Assessment, ResultScorer
from pyterrier_quantity.pipelines import SCORED_BY, QuantityAware
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.score import Scoring, make_scoring

COLUMNS: Final = tuple(
    "constraint certainty weight quantity met unit_match phi bound fit confidence quantity_score".split()
)
"""What `explain` adds; None and NaN where a document states nothing in a unit that could meet the constraint."""

_MARKS: Final = ("<mark>", "</mark>")
_PLAIN_MARKS: Final = ("\ue000", "\ue001")
"""What stands for the marks until all else is escaped: characters of private use, which no text is to have."""


class Explanation(pd.DataFrame):
    """A frame that shows itself in notebooks as a table with the quantities marked in their texts."""

    @property
    def _constructor(self) -> type[Explanation]:
        return Explanation

    def _repr_html_(self) -> str:
        shown = pd.DataFrame(self).astype(object).map(_readable)
        names = list(self.columns)
        if names.count("text") == 1 and names.count("quantity") == 1:
            pairs = zip(self["text"], self["quantity"], strict=True)
            marked = [
                highlight(_readable(text), [one] if isinstance(one, Quantity) else [], _PLAIN_MARKS)
                for text, one in pairs
            ]
            shown["text"] = pd.Series(marked, index=shown.index, dtype=object)
        plain = isinstance(self.index, pd.RangeIndex) and self.columns.nlevels == 1
        with pd.option_context("display.max_colwidth", None):
            table = shown.to_html(escape=True, index=not plain)
        return table.replace(_PLAIN_MARKS[0], _MARKS[0]).replace(_PLAIN_MARKS[1], _MARKS[1])


def explain(
    results: pd.DataFrame,
    quantities: QuantityIndex | ResultScorer | QuantityAware | Any = None,
    text_field: str = "text",
) -> Explanation:
    """Which quantity met which constraint, and how its score came about, by the scoring that made the run.

    Args:
        results: R with `query`, and `constraints` or `condition`, `value`, `unit`, as the pipelines give it.
        quantities: what scored the results: an index (an engine's, too), a scorer, or the `quantity_aware` pipeline.
            An index explains by the scoring that a `quantity_aware` pipeline noted in the frame, or by the default one.
            None: the index that was noted; without one, the quantities are read from the text.
        text_field: the column that holds the text, if there is one.

    Returns:
        One row per result and constraint: `qid`, `docno`, and `query`, `rank`, `score`, text as the results have
        them, with the columns

        - `constraint`: the `Constraint` asked;
        - `certainty`: how likely it is a condition, by its wording;
        - `weight`: how much it counts: its own weight, times how far the first results bear it out;
        - `quantity`: the `Quantity` of the document that scored best under it;
        - `met`: whether it meets the constraint;
        - `unit_match`, `phi`, `bound`, `fit`, `confidence`: the factors of its score, each in [0, 1]; 1 for those
          that the scoring leaves out;
        - `quantity_score`: the document's score under the constraint, in [0, 1]: that quantity's, or, with
          `phi="paper"`, the mean over the document's quantities.

        In a notebook it shows itself as a table with the quantities marked in the texts.

    Raises:
        ValueError: if there is neither an index nor a text to explain by, or the run was scored by a function of the
            user's own and `quantities` is neither its scorer nor its pipeline.
    """
    noted = results.attrs.get(SCORED_BY, {})
    scorer = _scorer(results, noted, quantities, text_field)
    asked = results
    if SUPPORT not in results.columns:
        known = noted.get("support")
        if known is None:
            asked = scorer.settle().transform(results)
        else:
            asked = results.assign(**{SUPPORT: _objects([known.get(qid, []) for qid in results["qid"]])})
    found = scorer.assess(asked)
    scores, pairs, evidence = found.scores, found.scores.pairs, found.scores.evidence
    order = np.argsort(pairs.row, kind="stable")
    best = scores.best_evidence()[order]
    kept = [c for c in ("qid", "query", "docno", "rank", "score", text_field) if c in results.columns]
    table = results[kept].iloc[pairs.row[order]].reset_index(drop=True).rename(columns={text_field: "text"})
    constraints = [c for query in scores.queries for c in query.constraints]
    weights = [
        c.weight * effect
        for query in scores.queries
        for c, effect in zip(query.constraints, query.effects, strict=True)
    ]
    numbers = pairs.constraint[order].tolist()
    table["constraint"] = _objects([constraints[number] for number in numbers])
    table["certainty"] = [constraints[number].certainty for number in numbers]
    table["weight"] = [weights[number] for number in numbers]
    table["quantity"] = _objects([_quantity(found, number) for number in best.tolist()])
    factors = {
        "met": evidence.met.astype(np.float64),
        "unit_match": evidence.unit,
        "phi": evidence.phi,
        "bound": evidence.bound,
        "fit": evidence.fit,
        "confidence": evidence.confidence,
    }
    for name, values in factors.items():
        table[name] = np.append(values, np.nan)[best]
    table["met"] = table["met"] == 1.0
    table["quantity_score"] = np.where(best >= 0, scores.pair[order], np.nan)
    return Explanation(table)


def _scorer(results: pd.DataFrame, noted: dict[str, Any], quantities: Any, text_field: str) -> ResultScorer:
    if isinstance(quantities, QuantityAware):
        quantities = quantities.scoring
    if isinstance(quantities, ResultScorer):
        return quantities
    if quantities is None and "index" in noted:
        quantities = QuantityIndex(noted["index"])
    if hasattr(quantities, "scorer") and not noted:
        return quantities.scorer()
    try:
        scoring = Scoring.from_data(noted["scoring"]) if noted else make_scoring()
    except ValueError as error:
        raise ValueError(f"explain: the results were {error}; pass the pipeline: explain(results, pipeline)") from None
    if quantities is not None:
        return quantities.scorer(scoring)
    if text_field not in results.columns:
        raise ValueError(
            f"explain: the results have no column {text_field!r} to read quantities from; "
            "pass the index that scored them: explain(results, index)"
        )
    return QuantityScorer(scoring, text_field=text_field)


def _quantity(found: Assessment, number: int) -> Quantity | None:
    if number < 0:
        return None
    documents = found.documents
    return documents.columns.quantity(int(found.scores.evidence.quantity[number]), documents.vocabulary.names)


def _objects(items: Sequence[Any]) -> npt.NDArray[np.object_]:
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
        return "" if math.isnan(value) else f"{value:.3g}"
    return "" if value is None else str(value)
