"""Quantity-first retrieval: find documents that meet the condition, then rank these documents by the other words."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.frames.frame import ranks
from pyterrier_quantity.frames.transformer import Configured, check_transformers
from pyterrier_quantity.fusion import Fusion
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.index.queries import index_queries
from pyterrier_quantity.plan import PLAN, QueryText, plan_query
from pyterrier_quantity.score.query import IndexQuery
from pyterrier_quantity.transformers.query_parser import QuantityQueryParser

_CANDIDATES: Final = 3000  # number of documents that the quantity index returns for a query
_SURE: Final = 0.5
"""Synonyms from documents are used if their weight is above this value. One definition gives at most this weight."""


class Candidates(Configured):
    """Transformer, Q -> R, that returns the documents of several retrievers, without the retrievers' own columns.

    Args:
        retrievers: transformers, Q -> R. Their scores, ranks and internal document ids (`docid`) are dropped, so
            that a later step with another index does not use them by mistake.

    Columns out: the queries' columns, `docno`, `score` (0) and `rank`.
    """

    def __init__(self, retrievers: Sequence[pt.Transformer]) -> None:
        self.retrievers = list(retrievers)
        check_transformers(**{f"retriever {number}": one for number, one in enumerate(self.retrievers)})

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        results = [retriever.transform(inp)[["qid", "docno"]] for retriever in self.retrievers]
        pairs = pd.concat(results, ignore_index=True).drop_duplicates()
        place = pd.Index(inp["qid"]).get_indexer(pairs["qid"]).astype(np.int64)
        order = np.argsort(place, kind="stable")
        found = inp.iloc[place[order]].reset_index(drop=True)
        found["docno"] = pairs["docno"].to_numpy(dtype=object)[order]
        return found.assign(score=0.0, rank=ranks(place[order], np.zeros(len(found))))


class _Reworded(Configured):
    """Transformer, R -> R, that calls a scorer with reworded queries. Subclasses define the rewording in `_texts`."""

    def __init__(self, scorer: pt.Transformer) -> None:
        self.scorer = scorer

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "docno", "query"], context=self)
        queries = inp.drop_duplicates("qid")
        qids, texts = pd.Index(queries["qid"]), pd.array(self._texts(queries), dtype="str")
        scored = self.scorer.transform(inp.assign(query=texts.take(qids.get_indexer(inp["qid"]))))
        return scored.assign(query=queries["query"].array.take(qids.get_indexer(scored["qid"])))

    @abstractmethod
    def _texts(self, queries: pd.DataFrame) -> list[str]:
        """Return the text that the scorer reads instead of each query, such as the query without its condition."""


class ConceptOnly(_Reworded):
    """Transformer, R -> R, that calls a scorer with only the concept of each query: "car above 500 hp" -> "car".

    A late-interaction model compares every token, so "more than 5 dollars" matches sentences about other amounts.

    Args:
        scorer: transformer, R -> R, that reads `query`.

    Columns in: the columns that the scorer needs. Columns out: the scorer's columns; `query` is unchanged.
    """

    def _texts(self, queries: pd.DataFrame) -> list[str]:
        plans = queries[PLAN] if PLAN in queries.columns else map(plan_query, queries["query"])
        return [plan.terms(QueryText.CONCEPT) for plan in plans]


class WithStatedNames(_Reworded):
    """Transformer, R -> R, that adds synonyms from documents to a scorer's queries: "GFR" -> "GFR (glomerular ...)".

    A small encoder does not know that Adriamycin is doxorubicin. A synonym is appended to the query if several
    documents state it in brackets after the query's term, and most brackets after this term contain the synonym.

    Args:
        scorer: transformer, R -> R, that reads `query`.
        quantities: the quantity index of the documents.

    Columns in: the columns that the scorer needs, and either `constraints` or all of `condition`, `value` and `unit`.
    Columns out: the scorer's columns; `query` is unchanged.
    """

    def __init__(self, scorer: pt.Transformer, quantities: QuantityIndex) -> None:
        super().__init__(scorer)
        self.quantities = quantities

    def _texts(self, queries: pd.DataFrame) -> list[str]:
        asked, _ = index_queries(queries) if len(queries) else ([], None)
        return [self._named(text, query) for text, query in zip(queries["query"], asked, strict=True)]

    def _named(self, text: str, query: IndexQuery) -> str:
        stated = self.quantities.opened.stated_names.of(query.terms, query.attribute)
        names = [name for name, (*_, weight, _) in stated if weight > _SURE]
        return f"{text} ({', '.join(names)})" if names else text


def quantity_first(
    quantities: QuantityIndex,
    scorers: Sequence[pt.Transformer] | pt.Transformer,
    retrievers: Sequence[pt.Transformer] | pt.Transformer = (),
    alpha: float = 1.0,
    weights: Sequence[float] | None = None,
    norm: str = "minmax",
    num_results: int | None = 1000,
    parser: pt.Transformer | None = None,
    vector_feedback: pt.Transformer | None = None,
    **options: Any,
) -> pt.Transformer:
    """Return a transformer, Q -> R, that finds documents that meet the constraints, and ranks them by several scorers.

    A document's score is the weighted sum of the scorers' normalised scores plus alpha times its quantity score.

    Args:
        quantities: the quantity index.
        scorers: one or several transformers, R -> R, such as `ColBERTIndex(path).scorer()`.
        retrievers: transformers, Q -> R, that return additional documents to rank. If empty, a query without a quantity
            has no results.
        alpha: the weight of the quantity score.
        weights: one weight per scorer, then the weight of the vector feedback, or None for equal weights.
        norm: how scorers' scores are normalised; see `Normalise`.
        num_results: the maximum number of documents per query, or None for all.
        parser: transformer, Q -> Q, by default `QuantityQueryParser()`.
        vector_feedback: transformer, R -> R, such as `VectorFeedback`, that scores similarity to the best documents.
        options: options of the quantity score; see `score.make_scoring`.
    """
    given = [scorers] if isinstance(scorers, pt.Transformer) else list(scorers)
    others = [retrievers] if isinstance(retrievers, pt.Transformer) else list(retrievers)
    candidates = Candidates([quantities.retriever(num_results=_CANDIDATES, **options), *others])
    parts = len(given) + (vector_feedback is not None)
    share = [1.0 / parts] * parts if weights is None else list(weights)
    if len(share) != parts:
        raise ValueError(f"{len(share)} weights for {parts} scorers")
    scorer = quantities.scorer(**options)
    norms, most = [*[norm] * len(given), None], None if vector_feedback else num_results
    ranking: pt.Transformer = Fusion([*given, scorer], "linear", [*share[: len(given)], alpha], norms, num_results=most)
    pipeline = (parser or QuantityQueryParser()) >> candidates
    pipeline = (pipeline >> scorer.settle() if scorer.scoring.fit else pipeline) >> ranking
    if vector_feedback:
        again = [pt.Transformer.identity(), vector_feedback]
        pipeline = pipeline >> Fusion(again, "linear", [1.0, share[-1]], [None, norm], num_results=num_results)
    return pipeline
