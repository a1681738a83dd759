"""What scoring must know of the whole index: its units, how many documents it holds, and how many hold each word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.backends.opensearch.connection import complete, plain_errors
from pyterrier_quantity.index.unit_matching import UnitVocabulary
from pyterrier_quantity.units import default_registry

_PAGE: Final = 10_000
"""Values a request."""


@dataclass(frozen=True)
class Statistics:
    """A corpus's statistics.

    Args:
        documents: how many there are.
        term_documents: of each of the 65,536 term codes, how many documents with quantities hold it.
        vocabulary: the units stated.
    """

    documents: int
    term_documents: npt.NDArray[np.int64]
    vocabulary: UnitVocabulary


def read_statistics(client: Any, url: str, name: str) -> Statistics:
    """The statistics as they are now; raises an EngineError if a shard does not answer."""
    with plain_errors(url, name):
        documents = int(complete(client.count(index=name), url, name)["count"])
        term_documents = np.zeros(1 << 16, dtype=np.int64)
        for code, count in _counts(client, url, name, "terms"):
            term_documents[code] = count
        units = sorted(unit for unit, _ in _counts(client, url, name, "units"))
    return Statistics(documents, term_documents, UnitVocabulary(units, default_registry()))


def _counts(client: Any, url: str, name: str, field: str) -> Iterator[tuple[Any, int]]:
    """Every value of a field, ascending, and how many documents hold it: exact, page by page."""
    pages: dict[str, Any] = {"size": _PAGE, "sources": [{"value": {"terms": {"field": field}}}]}
    while True:
        body = {"size": 0, "track_total_hits": False, "aggs": {"values": {"composite": pages}}}
        found = complete(client.search(index=name, body=body), url, name)["aggregations"]["values"]
        for bucket in found["buckets"]:
            yield bucket["key"]["value"], bucket["doc_count"]
        if "after_key" not in found:
            return
        pages["after"] = found["after_key"]
