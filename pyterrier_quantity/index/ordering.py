"""Sort results by a value in a quantity index, if the query asks for an order: "cheapest kettle" -> by price."""

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
    """The results of a query, sorted by the value that the query asks for. Results without the query's words or without
    a value are left out.

    Args:
        query: the index of the query in the list of queries.
        rows: the sorted results, in the new order, as row numbers in the frame of results.
        of: the number of sorted results: 23 in "first of 23 by price".
    """

    query: int
    rows: Ints
    of: int


def placed(documents: Documents, queries: Sequence[IndexQuery], document: Ints, query: Ints) -> list[Placed]:
    """Return the sorted results of each query that asks for an order, such as "cheapest kettle".

    Args:
        document: for each result, the row number of its document in the index `documents` (negative if unknown).
        query: for each result, the index of its query in `queries`.
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
    """Return the scores of results, changed so that the sorted results in `order` are ranked above all other results of
    their query. For each result, `query` is the index of its query."""
    score = score.copy()
    for one in order:
        places = len(one.rows)
        if places:
            score[one.rows] = score[query == one.query].max() + np.arange(places, 0, -1) / places
    return score


class IndexOrder(Configured):
    """Transformer, R -> R, that sorts results by a value if the query asks for an order.

    "Cheapest electric kettle" sorts electric kettles by price; conditions still apply. Results without a price come
    last, ranked as before. All results of a query must be in one frame. `quantity_aware` includes this step.

    Args:
        index: the quantity index.

    Columns in: `qid`, `query`, `docno`, `score`, and optionally the query's conditions, see `QuantityQueryParser`.
    Columns out: the same columns with new `score` and `rank`. Rows keep their order.
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
