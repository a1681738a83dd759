"""Quantity scores of given documents, computed in the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity._frames import ranks
from pyterrier_quantity.backends.opensearch.documents import quantities_of
from pyterrier_quantity.backends.opensearch.requests import MOST_RESULTS, Query, search_all
from pyterrier_quantity.backends.opensearch.scripted import check_scoring, quantity_scores
from pyterrier_quantity.backends.opensearch.settling import settled
from pyterrier_quantity.constants import FIRST
from pyterrier_quantity.index.columns import ColumnsBuilder
from pyterrier_quantity.index.queries import index_queries
from pyterrier_quantity.index.scorer import InMemory, ResultScorer
from pyterrier_quantity.index.segmented import SegmentedColumns
from pyterrier_quantity.index.unit_matching import UnitVocabulary
from pyterrier_quantity.score import Scoring
from pyterrier_quantity.score.query import IndexQuery
from pyterrier_quantity.units import default_registry

if TYPE_CHECKING:
    from pyterrier_quantity.backends.opensearch.opensearch_index import OpenSearchIndex


class OpenSearchScorer(ResultScorer):
    """R -> R: scores documents by their quantities, in the engine.

    Args:
        index: the index; documents that it does not hold score 0.
        scoring: how evidence becomes a score; a phi of one's own cannot run in the engine.

    Columns: see `ResultScorer`.
    """

    def __init__(self, index: OpenSearchIndex, scoring: Scoring) -> None:
        self.index, self.scoring = index, scoring
        check_scoring(scoring)

    def subtransformers(self) -> dict[str, Any]:
        """The index is none: it takes documents, not queries."""
        return {}

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        self._validate(inp)
        needs, number = index_queries(inp)
        docnos = inp["docno"].to_numpy(dtype=object)
        given = [_first_before_others(docnos[number == query].tolist()) for query in range(len(needs))]
        needs = settled(self.index, needs, given, self.scoring)
        asked = [(query, part) for query, need in enumerate(needs) if need.constraints
                 for part in _parts(docnos[number == query])]  # fmt: skip
        found = search_all(self.index, [self._body(needs[query], part) for query, part in asked])
        scores = {(query, hit["_id"]): hit["_score"] for (query, _), hits in zip(asked, found, strict=True)
                  for hit in hits}  # fmt: skip
        score = np.array([scores.get(key, 0.0) for key in zip(number.tolist(), docnos, strict=True)], dtype=np.float64)
        return inp.drop(columns=["rank"], errors="ignore").assign(score=score, rank=ranks(number, score))

    def _body(self, need: IndexQuery, docnos: list[str]) -> Query:
        scored = quantity_scores(need, self.scoring, self.index.statistics)
        return {"query": {"bool": {"filter": [_these(docnos)], "must": [scored]}}, "size": len(docnos)}

    def located(self, inp: pd.DataFrame) -> tuple[InMemory, npt.NDArray[np.int64]]:
        """What the index holds of these documents, as columns, and of their whole: for `explain`."""
        document, docnos = pd.factorize(inp["docno"])
        index = self.index
        sources = index.sources(list(docnos), ["quantities", index.text_field])
        builder = ColumnsBuilder()
        for docno in docnos:
            source = sources.get(docno, {})
            builder.add(quantities_of(source), source.get(index.text_field))
        built, units = builder.build()
        counted = index.statistics
        columns = SegmentedColumns([built], documents=counted.documents, term_documents=counted.term_documents)
        return InMemory(columns, UnitVocabulary(units, default_registry())), document.astype(np.int64)


def _these(docnos: list[str]) -> Query:
    """The documents of these docnos."""
    return {"ids": {"values": docnos}}


def _first_before_others(docnos: list[str]) -> Query:
    """The same, the first `FIRST` of them by a higher score."""
    return {"bool": {"filter": [_these(docnos)], "should": [_these(docnos[:FIRST])]}}


def _parts(docnos: npt.NDArray[np.object_]) -> list[list[str]]:
    """As many at a time as the engine gives results."""
    return [docnos[begin : begin + MOST_RESULTS].tolist() for begin in range(0, len(docnos), MOST_RESULTS)]
