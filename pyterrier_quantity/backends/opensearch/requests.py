"""Many searches in one request, and what the engine answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from pyterrier_quantity.backends.opensearch.connection import EngineError, reason

if TYPE_CHECKING:
    from pyterrier_quantity.backends.opensearch.opensearch_index import OpenSearchIndex

Query = dict[str, Any]
Hit = dict[str, Any]

MOST_RESULTS: Final = 10_000
"""The engine's own limit on the results of one search."""

_BATCH: Final = 500
"""Searches a request."""


def search_all(index: OpenSearchIndex, bodies: Sequence[Query]) -> list[list[Hit]]:
    """The hits of each search, best first; see `answers`."""
    return [answer["hits"]["hits"] for answer in answers(index, bodies)]


def answers(index: OpenSearchIndex, bodies: Sequence[Query]) -> list[dict[str, Any]]:
    """The engine's answer to each search, over all shards; word statistics are those of the whole index.

    Raises:
        EngineError: if a search fails, or any shard of it; partial results are never given.
    """
    found: list[dict[str, Any]] = []
    header = {"index": index.name, "search_type": "dfs_query_then_fetch", "allow_partial_search_results": False}
    for begin in range(0, len(bodies), _BATCH):
        request: list[Query] = []
        for body in bodies[begin : begin + _BATCH]:
            request += [header, {"_source": False, "track_total_hits": False, **body}]
        with index.errors():
            responses = index.client.msearch(body=request)["responses"]
        found += [_checked(index, response) for response in responses]
    return found


def _checked(index: OpenSearchIndex, response: Any) -> dict[str, Any]:
    if response.get("status") == 404:
        raise FileNotFoundError(f"the engine has no index {index.name!r}; build it with .index(documents)")
    shards = response.get("_shards", {})
    error = response.get("error") or (shards if shards.get("failed") else None)
    if error:
        cause = reason(error) or reason((shards.get("failures") or [{}])[0])
        raise EngineError(f"{index!r} could not answer: {cause}; try again, or see the engine's log")
    return response
