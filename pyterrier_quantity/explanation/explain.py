"""Explain search results: which quantity met each constraint, and how it was scored, in columns and in words."""

import math
from typing import Any, Final

import numpy as np
import pandas as pd

from pyterrier_quantity.explanation.highlighting import document_blocks
from pyterrier_quantity.frames.frame import objects
from pyterrier_quantity.index import QuantityIndex, QuantityScorer
from pyterrier_quantity.index.queries import SUPPORT
from pyterrier_quantity.index.scorer import SCORED_BY, ResultScorer
from pyterrier_quantity.pipelines import QuantityAware
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.score import Scoring, make_scoring

# Columns that a frame needs to be shown as blocks. A frame without these columns is shown as a table.
_BLOCK: Final = frozenset({"qid", "docno", "constraint", "quantity", "met"})


class Explanation(pd.DataFrame):
    """A data frame with the columns that `explain` describes. Notebooks show the frame as a block for each document,
    with the quantities marked in the text."""

    @property
    def _constructor(self) -> "type[Explanation]":
        return Explanation

    def _repr_html_(self) -> str:
        names = list(self.columns)
        if len(self) and all(names.count(name) == 1 for name in names) and set(names) >= _BLOCK:
            rows = pd.DataFrame(self).to_dict("records")
            if all(isinstance(row["constraint"], Constraint) for row in rows):
                return document_blocks(rows)
        shown = pd.DataFrame(self).astype(object).map(_readable)
        plain = isinstance(self.index, pd.RangeIndex) and self.columns.nlevels == 1
        with pd.option_context("display.max_colwidth", None):
            return str(shown.to_html(escape=True, index=not plain))


def explain(
    results: pd.DataFrame,
    quantities: QuantityIndex | ResultScorer | QuantityAware | Any = None,
    text_field: str = "text",
) -> Explanation:
    """Return, for each document and each constraint of the query, the best quantity and the factors of its score.

    Args:
        results: results (R) of a pipeline, with `query`, and either `constraints` or `condition`, `value` and `unit`.
        quantities: the index, the scorer or the `quantity_aware` pipeline that scored the results. None means the index
            that the pipeline stored in `results.attrs`. Without an index, quantities are extracted from the text.
        text_field: the column with the text, if there is one.

    Returns:
        A frame with one row per result and constraint: the results' `qid`, `docno`, `query`, `rank`, `score`, text, and

        - `constraint`: the `Constraint` of the query;
        - `certainty`: the probability (from the query's wording) that the constraint is meant as a condition;
        - `weight`: the weight of the constraint, times the degree to which the ranker's results support the constraint;
        - `quantity`: the `Quantity` of the document with the best score for the constraint;
        - `met`: whether the quantity meets the constraint;
        - `unit_match`, `phi`, `bound`, `fit`, `confidence`: the factors of the quantity's score, from 0 to 1: how well
          the unit, the value, the bound and the nearby words suit the constraint, and how certain the extraction is;
        - `quantity_score`: the document's score for the constraint, from 0 to 1: the score of the best quantity, or the
          mean score of all quantities if the scorer's option `phi` is "paper";
        - `order`: only if a query asked for an order: a text such as "first of 23 by price", or "" for documents that
          were not sorted. A query without constraints then has a row for each sorted document.

        If a document has no quantity in a matching unit, `quantity` and its factors are None or NaN.

    Raises:
        ValueError: if there is neither an index nor a text; or if a user's own function scored the results, and
            `quantities` is not the scorer or the pipeline with this function.
    """
    noted = results.attrs.get(SCORED_BY, {})
    scorer = _scorer(results, noted, quantities, text_field)
    asked = results
    if SUPPORT not in results.columns:
        known = noted.get("support")
        if known is None:
            asked = scorer.settle().transform(results)
        else:
            asked = results.assign(**{SUPPORT: objects([known.get(qid, []) for qid in results["qid"]])})
    scores = scorer.assess(asked)
    pairs, evidence = scores.pairs, scores.evidence
    order = np.argsort(pairs.row, kind="stable")
    best = scores.best_evidence()[order]
    kept = [c for c in ("qid", "query", "docno", "rank", "score", text_field) if c in results.columns]
    table = results[kept].iloc[pairs.row[order]].reset_index(drop=True).rename(columns={text_field: "text"})
    conditions = [condition for query in scores.queries for condition in query.conditions]
    constraints = [condition.constraint for condition in conditions]
    weights = [condition.constraint.weight * condition.effect for condition in conditions]
    numbers = pairs.constraint[order].tolist()
    table["constraint"] = objects([constraints[number] for number in numbers])
    table["certainty"] = [constraints[number].certainty for number in numbers]
    table["weight"] = [weights[number] for number in numbers]
    stated = np.full(len(table), None, dtype=object)
    places, names = evidence.quantity[best[best >= 0]], scores.documents.vocabulary.names
    stated[best >= 0] = objects(scores.documents.columns.quantities(places, names))
    table["quantity"] = stated
    for name in ("met", "unit", "phi", "bound", "fit", "confidence"):
        table["unit_match" if name == "unit" else name] = np.append(getattr(evidence, name), np.nan)[best]
    table["met"] = table["met"] == 1.0
    table["quantity_score"] = np.where(best >= 0, scores.pair[order], np.nan)
    return Explanation(_with_order(table, results, noted.get("order") or {}))


def _with_order(table: pd.DataFrame, results: pd.DataFrame, order: dict[Any, Any]) -> pd.DataFrame:
    """Return the table of `explain` with the column `order`, which contains each document's place in the order that a
    query asks for: "first of 23 by price". The argument `order` maps each qid to its sorted documents."""
    places = {
        (qid, docno): f"{_ORDINALS.get(place, f'{place}th')} of {one['of']} {one['by']}"
        for qid, one in order.items()
        for place, docno in enumerate(one["docnos"], 1)
    }
    if not places:
        return table
    asked = results[[pair in places for pair in zip(results["qid"], results["docno"], strict=True)]]
    others = asked[~asked["qid"].isin(table["qid"])]
    table = pd.concat([table, others[[name for name in table if name in others]]], ignore_index=True)
    table = table.assign(constraint=table["constraint"].astype(object).where(table["constraint"].notna(), None))
    table["met"] = table["met"].eq(True)
    table["order"] = [places.get(pair, "") for pair in zip(table["qid"], table["docno"], strict=True)]
    return table


_ORDINALS: Final = {1: "first", 2: "second", 3: "third"}


def _scorer(results: pd.DataFrame, noted: dict[str, Any], quantities: Any, text_field: str) -> ResultScorer:
    if isinstance(quantities, QuantityAware):
        quantities = quantities.scoring
    if isinstance(quantities, ResultScorer):
        return quantities
    if quantities is None and "index" in noted:
        quantities = QuantityIndex(noted["index"], rates=noted.get("rates"))
    if hasattr(quantities, "scorer") and not noted:
        return quantities.scorer()
    try:
        scoring = Scoring.from_data(noted["scoring"]) if noted else make_scoring()
    except ValueError as error:
        raise ValueError(f"explain: the results were {error}; pass the pipeline: explain(results, pipeline)") from None
    if quantities is not None:
        return quantities.scorer(scoring)
    if text_field not in results.columns:
        fault = f"explain: the results have no column {text_field!r} from which quantities could be extracted"
        raise ValueError(f"{fault}; pass the index that scored them: explain(results, index)")
    return QuantityScorer(scoring, text_field=text_field)


def _readable(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.3g}"
    return "" if value is None else str(value)
