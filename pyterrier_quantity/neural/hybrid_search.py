"""Search over a `HybridIndex`: every candidate takes its dense and its sparse score, both exact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._folder import IndexFormatError
from pyterrier_quantity._transformer import check_counts
from pyterrier_quantity.neural.hybrid import Hybrid
from pyterrier_quantity.neural.hybrid_indexer import SCALE
from pyterrier_quantity.neural.hybrid_transformers import Pair, check_alpha
from pyterrier_quantity.neural.models import clean_text
from pyterrier_quantity.neural.stored_search import NOTHING_FOUND, Ints, StoredScorer, StoredSearcher, result_frame
from pyterrier_quantity.neural.toks import dot, query_toks, spread
from pyterrier_quantity.pipelines.rankers import DENSE_SCORE

if TYPE_CHECKING:
    from pyterrier_quantity.neural.hybrid_index import HybridIndex


class _HybridSearcher(StoredSearcher):
    """Encodes queries by a hybrid model, and scores by both of its parts."""

    index: HybridIndex
    model: Hybrid | str | None
    alpha: float | None

    def _encoded(self, texts: list[str]) -> list[Pair]:
        found = self.encoder.encode(texts, "query", self.index.terms_kept, outputs=("dense", "sparse"))
        return list(zip(found.dense, found.sparse, strict=True))

    def _score(self, query: Pair, rows: Ints) -> npt.NDArray[np.float64]:
        """The scores of the documents in these rows, and beside them those of their vectors alone."""
        alpha = self.encoder.alpha if self.alpha is None else self.alpha
        dense = self.index.vectors[rows] @ query[0]
        size = max(len(self.encoder.terms), self.index.vocabulary)
        sparse = dot(spread(query[1], size), [self.index.sparse(row) for row in rows.tolist()])
        return np.stack([alpha * dense + (1 - alpha) * sparse, dense], axis=1)


class HybridIndexScorer(_HybridSearcher, StoredScorer):
    """R -> R: the hybrid score of the query and the stored vector and terms of the documents.

    Args:
        index: the index; documents that it does not hold score 0.
        model: encodes the queries; None: the model that built the index, by its name.
        alpha: the weight of the dense part, between 0 and 1; None: the model's own.

    Columns in: `qid`, `docno`, `query`. Columns out: the same, `score`, `dense_score` (the dot product of the vectors),
    `rank`. Rows keep their order.
    """

    COLUMNS = ("score", DENSE_SCORE)

    def __init__(self, index: HybridIndex, model: Hybrid | str | None = None, alpha: float | None = None) -> None:
        check_alpha(alpha)
        self.index, self.model, self.alpha = index, model, alpha


class HybridRetriever(_HybridSearcher):
    """Q -> R: the candidates of both parts, each scored by both.

    PISA's and the FlexIndex's best documents are the candidates; a document that only one of them found still takes the
    other's score, from what is stored of it.

    Args:
        index: the index.
        model: encodes the queries; None: the model that built the index, by its name.
        alpha: the weight of the dense part, between 0 and 1; None: the model's own. With 0 or 1 one part alone gives
            the candidates.
        num_results: documents per query, and candidates of each part.

    Columns in: `qid`, `query`. Columns out: the queries', `docno`, `score`, `rank`, and `dense_score`, the dot product
    of the vectors, by which `quantity_aware` trusts the ranker. An empty query finds nothing.

    Raises:
        ValueError: if alpha is out of range, or `num_results` no whole number of at least 1.
    """

    def __init__(
        self,
        index: HybridIndex,
        model: Hybrid | str | None = None,
        alpha: float | None = None,
        num_results: int = 1000,
    ) -> None:
        check_alpha(alpha)
        check_counts(num_results=num_results)
        self.index, self.model, self.alpha, self.num_results = index, model, alpha, num_results

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        texts = [clean_text(query) for query in inp["query"]]
        encoded = self._encoded(texts) if texts else []
        asked = np.flatnonzero([bool(text) for text in texts])
        candidates = self._candidates([encoded[number] for number in asked])
        found, dense = [NOTHING_FOUND] * len(texts), [np.empty(0)]
        for number, rows in zip(asked.tolist(), candidates, strict=True):
            score, alone = self._score(encoded[number], rows).T
            best = np.lexsort((rows, -score))[: self.num_results]
            found[number] = rows[best], score[best]
            dense.append(alone[best])
        return result_frame(inp, found, self.index).assign(**{DENSE_SCORE: np.concatenate(dense)})

    def _candidates(self, queries: list[Pair]) -> list[Ints]:
        """The rows that either part finds, for each query."""
        if not queries:
            return []
        alpha = self.encoder.alpha if self.alpha is None else self.alpha
        asked = pd.DataFrame({"qid": [str(number) for number in range(len(queries))], "query": ""})
        found = []
        if alpha < 1:
            toks = query_toks([terms for _, terms in queries], self.encoder.terms, SCALE)
            sparse = self.index.pisa.quantized(num_results=self.num_results, toks_scale=1)
            found.append(sparse(asked.assign(query_toks=toks)))
        if alpha > 0:
            dense = self.index.flex.np_retriever(num_results=self.num_results, drop_query_vec=True)
            found.append(dense(asked.assign(query_vec=[vector for vector, _ in queries])))
        pairs = pd.concat([frame[["qid", "docno"]] for frame in found]).drop_duplicates()
        rows = dict(list(pairs.groupby("qid")["docno"]))
        candidates = [np.sort(self.index.docnos.rows(rows[qid])) for qid in asked["qid"]]
        if any(len(found) and found[0] < 0 for found in candidates):
            raise IndexFormatError(f"{self.index.path} is damaged: its parts hold other documents; build it again")
        return candidates

    def fuse_rank_cutoff(self, k: int) -> HybridRetriever | None:
        return HybridRetriever(self.index, self.model, self.alpha, k) if k < self.num_results else None
