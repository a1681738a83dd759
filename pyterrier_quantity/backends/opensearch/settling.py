"""How far constraints count that may be none, by what the engine's documents state; see `index.belief`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pyterrier_quantity.backends.opensearch.requests import Query, answers
from pyterrier_quantity.backends.opensearch.scripted import best_quantity
from pyterrier_quantity.index.belief import beliefs
from pyterrier_quantity.index.needs import QueryNeed
from pyterrier_quantity.index.options import Scoring

if TYPE_CHECKING:
    from pyterrier_quantity.backends.opensearch.opensearch_index import OpenSearchIndex


def settled(
    index: OpenSearchIndex, needs: Sequence[QueryNeed], among: Sequence[Query], scoring: Scoring,
    window: int | None = None,
) -> list[QueryNeed]:  # fmt: skip
    """The needs, with beliefs where a constraint is doubtful: in one request, where there is any.

    Args:
        among: for each need, a query: what the documents that it matches state bears out the constraints.
        window: of each shard only so many of those documents, the best; None: all.
    """
    doubtful = [
        (number, place)
        for number, need in enumerate(needs if scoring.fit is not None else ())
        for place, constraint in enumerate(need.constraints)
        if constraint.certainty < 1.0
    ]
    if not doubtful:
        return list(needs)
    bodies = [_best(among[number], best_quantity(needs[number], place, scoring, index.statistics), window)
              for number, place in doubtful]  # fmt: skip
    best = [_value(answer["aggregations"]) for answer in answers(index, bodies)]
    ends = np.cumsum([len(need.constraints) for need in needs])
    begins = ends - [len(need.constraints) for need in needs]
    constraint = np.array([begins[number] + place for number, place in doubtful])
    belief = beliefs(needs, constraint, np.array(best), asks_for_words=True)
    asked = {number for number, _ in doubtful}
    return [replace(need, beliefs=tuple(belief[begins[number] : ends[number]].tolist())) if number in asked else need
            for number, need in enumerate(needs)]  # fmt: skip


def _best(among: Query, script: Query, window: int | None) -> Query:
    """A search for the highest value of a script, which aggregations give in double precision."""
    best: Query = {"best": {"max": {"script": script}}}
    if window is not None:
        best = {"window": {"sampler": {"shard_size": window}, "aggs": best}}
    return {"query": among, "size": 0, "aggs": best}


def _value(aggregations: Query) -> float:
    """The value that was found; 0 where no document matched."""
    return float(aggregations.get("window", aggregations)["best"]["value"] or 0.0)
