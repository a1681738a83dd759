"""How far constraints count that may be none, by what the engine's documents state; see `score.settling`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pyterrier_quantity.backends.opensearch.requests import Query, answers
from pyterrier_quantity.backends.opensearch.scripted import best_quantity, states_unit
from pyterrier_quantity.constants import FIRST
from pyterrier_quantity.score import Scoring
from pyterrier_quantity.score.query import IndexQuery
from pyterrier_quantity.score.settling import with_support

if TYPE_CHECKING:
    from pyterrier_quantity.backends.opensearch.opensearch_index import OpenSearchIndex


def settled(
    index: OpenSearchIndex, needs: Sequence[IndexQuery], among: Sequence[Query], scoring: Scoring,
    window: int | None = None,
) -> list[IndexQuery]:  # fmt: skip
    """The needs, with their support where a constraint is doubtful: in one request, where there is any.

    Args:
        among: for each need, a query: what the documents that it matches, the best of them above all, state bears out
            the constraints.
        window: of each shard only so many of those documents, the best; None: all.
    """
    doubtful = [
        (number, place)
        for number, need in enumerate(needs if scoring.fit is not None else ())
        for place, constraint in enumerate(need.constraints)
        if need.in_doubt and constraint.certainty < 1.0
    ]
    if not doubtful:
        return list(needs)
    bodies = [_asking(index, needs[number], place, among[number], scoring, window)
              for number, place in doubtful]  # fmt: skip
    ends = np.cumsum([len(need.constraints) for need in needs])
    begins = ends - [len(need.constraints) for need in needs]
    best, stated = np.zeros((2, ends[-1]))
    for (number, place), answer in zip(doubtful, answers(index, bodies), strict=True):
        sums, hits = answer["aggregations"], answer["hits"]["hits"]
        best[begins[number] + place] = sums.get("window", sums)["best"]["value"] or 0.0
        stated[begins[number] + place] = sum("matched_queries" in hit for hit in hits) / max(len(hits), 1)
    found = list(needs)
    for number in {number for number, _ in doubtful}:
        own = slice(begins[number], ends[number])
        found[number] = with_support(needs[number], best[own], stated[own])
    return found


def _asking(
    index: OpenSearchIndex, need: IndexQuery, place: int, among: Query, scoring: Scoring, window: int | None
) -> Query:  # fmt: skip
    """A search for the highest score under a constraint, which aggregations give in double precision, and for the first
    documents; those that state something in its unit match by name."""
    best: Query = {"best": {"max": {"script": best_quantity(need, place, scoring, index.statistics)}}}
    if window is not None:
        best = {"window": {"sampler": {"shard_size": window}, "aggs": best}}
    stating = {"terms": states_unit(need, place, scoring, index.statistics) | {"boost": 0.0, "_name": "stating"}}
    query = {"bool": {"must": [among], "should": [stating]}}
    return {"query": query, "size": FIRST, "_source": False, "aggs": best}
