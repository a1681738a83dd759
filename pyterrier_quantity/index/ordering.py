"""R -> R: the order that queries ask for, over a quantity index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pyterrier_quantity.flat_arrays import Floats, Ints
from pyterrier_quantity.frames.frame import ranks
from pyterrier_quantity.frames.transformer import Configured
from pyterrier_quantity.index.growing import GrowingIndex
from pyterrier_quantity.index.queries import check_asked, index_queries
from pyterrier_quantity.score import make_scoring
from pyterrier_quantity.score.documents import Documents, Rows
from pyterrier_quantity.score.evidence import score_documents
from pyterrier_quantity.score.ordered_documents import ordered
from pyterrier_quantity.score.query import IndexQuery


class Placed(NamedTuple):
    """The results that are in the order that a query asks for.

    Args:
        query: the place of the query among the queries.
        rows: of the results, the first first.
        of: how many documents fit the query.
    """

    query: int
    rows: Ints
    of: int


def placed(documents: Documents, queries: Sequence[IndexQuery], document: Ints, query: Ints) -> list[Placed]:
    """The results in order, for each query that asks for one.

    Args:
        documents: the index.
        queries: what is asked.
        document: of each result its row in the index; negative: unknown.
        query: of each result the place of its query.
    """
    found = []
    for number, asked in enumerate(queries):
        rows = np.flatnonzero(query == number) if asked.order is not None else np.empty(0, dtype=np.int64)
        if asked.order is not None and len(rows):
            own = document[rows]
            scores = score_documents(documents, Rows(own, np.zeros(len(own), dtype=np.int64)), [asked], make_scoring())
            order = ordered(documents, own, scores.meeting(), asked, asked.order)
            found.append(Placed(number, rows[order.places], order.of))
    return found


def raised(score: Floats, query: Ints, order: Sequence[Placed]) -> Floats:
    """The scores with those of placed results above all others of their query, in order."""
    score = score.copy()
    for one in order:
        places = len(one.rows)
        if places:
            score[one.rows] = score[query == one.query].max() + np.arange(places, 0, -1) / places
    return score


class IndexOrder(Configured):
    """R -> R: first the documents that fit the words of a query, in the order of the value that it asks for.

    "Cheapest electric kettle" orders electric kettles by their prices; conditions still hold. Documents without such a
    value follow in the order that they had. What belongs to one query must come in one frame. `quantity_aware` has this
    step built in.

    Args:
        index: the quantity index.

    Columns in: `qid`, `query`, `docno`, `score`, and what queries ask, see `QuantityQueryParser`. Columns out: the
    same, with new `score` and `rank`; rows stay where they are.
    """

    def __init__(self, index: GrowingIndex) -> None:
        self.index = index

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        check_asked(inp, self, "score")
        queries, query = index_queries(inp)
        opened: Any = self.index.opened
        order = placed(opened, queries, opened.docnos.rows(inp["docno"]), query)
        score = raised(inp["score"].to_numpy(dtype=np.float64), query, order)
        return inp.assign(score=score, rank=ranks(query, score))
