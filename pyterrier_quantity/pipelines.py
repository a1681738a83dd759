"""`quantity_aware()`: any retriever with quantity scores, as one transformer."""

from __future__ import annotations

import inspect
import math
from typing import Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.configured import Configured
from pyterrier_quantity.feedback import QuantityFeedback
from pyterrier_quantity.fusion import check_method, normalise
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.needs import CONSTRAINT_COLUMNS, RELATED, query_needs
from pyterrier_quantity.ranking import best_first, ranks
from pyterrier_quantity.transformers import IndexScorer, QuantityQueryParser

INDEX_ATTRIBUTE: Final = "quantity_index"
"""Where a run's frame names the index that scored it, in `attrs`, for `explain`."""

CANDIDATES: Final = ("retriever", "quantities", "union")


def quantity_aware(
    retriever: pt.Transformer,
    quantities: QuantityIndex | pt.Transformer,
    alpha: float = 4.0,
    norm: str = "max",
    phi: Any = "closest",
    depth: int | None = None,
    candidates: str = "retriever",
    scorer: pt.Transformer | None = None,
    parser: pt.Transformer | None = None,
    feedback: bool | QuantityFeedback = False,
    **options: Any,
) -> pt.Transformer:
    """Q -> R: the retriever's normalised score plus alpha times the quantity score (Eq. 5, 7, 9).

    The same run as `parser >> retriever >> (Normalise(norm) + alpha * quantities.scorer(phi))`, in one pass.

    Args:
        retriever: Q -> R, any ranker.
        quantities: a quantity index; or an R -> R that scores quantities, such as `QuantityScorer()`.
        alpha: weight of the quantity score; 0 is the retriever alone.
        norm: a method of `Normalise`.
        phi, options: see `index.options.make_scoring`; for an index only.
        depth: only this many of the retriever's results per query take a quantity score; None: all.
        candidates: "retriever": its results; "quantities": the documents that meet the constraints, by the index;
            "union": both.
        scorer: R -> R, gives the ranker's score of documents that only the index found; without it they start at 0, or
            at the retriever's lowest score where that is negative.
        parser: Q -> Q; `QuantityQueryParser()` by default. Not used where a frame brings constraints.
        feedback: score once more, with words that the best results have in common; True or a `QuantityFeedback`. Needs
            an index, and the results then have its column `related_terms`. The ranker still runs once.

    Columns in: `qid`, `query`, and optionally `constraints` or `condition`, `value`, `unit`.
    Columns out: the retriever's, sorted by rank. A query without a quantity keeps the retriever's order.

    Raises:
        ValueError, TypeError: on an unknown `norm`, `phi`, `candidates` or option.
    """
    parser = parser or QuantityQueryParser()
    return QuantityAware(
        retriever, quantities, alpha, norm, phi, depth, candidates, scorer, parser, feedback, **options
    )


class QuantityAware(Configured):
    """See `quantity_aware`."""

    def __init__(
        self,
        retriever: pt.Transformer,
        quantities: QuantityIndex | pt.Transformer,
        alpha: float,
        norm: str,
        phi: Any,
        depth: int | None,
        candidates: str,
        scorer: pt.Transformer | None,
        parser: pt.Transformer,
        feedback: bool | QuantityFeedback,
        num_results: int | None = None,
        **options: Any,
    ) -> None:
        check_method(norm)
        if not math.isfinite(alpha):
            raise ValueError(f"alpha must be finite, got {alpha!r}")
        if depth is not None and depth < 0:
            raise ValueError(f"depth must not be negative, got {depth!r}")
        if candidates not in CANDIDATES:
            raise ValueError(f"unknown candidates {candidates!r}; one of {', '.join(CANDIDATES)}")
        self.retriever, self.quantities, self.alpha, self.norm, self.phi = retriever, quantities, alpha, norm, phi
        self.depth, self.candidates, self.scorer, self.parser = depth, candidates, scorer, parser
        self.feedback, self.num_results, self.options = feedback, num_results, options
        self.scoring: pt.Transformer
        if isinstance(quantities, QuantityIndex):
            self.scoring = quantities.scorer(phi, **options)
        elif not isinstance(quantities, pt.Transformer):
            raise TypeError(f"quantities must be a QuantityIndex or a transformer, got {type(quantities).__name__}")
        elif candidates != "retriever" or feedback:
            option = f"candidates={candidates!r}" if candidates != "retriever" else "feedback"
            raise ValueError(f"{option} needs a QuantityIndex, got {type(quantities).__name__}")
        elif options or phi != "closest":
            raise ValueError(f"phi and options go to the scorer itself: {type(quantities).__name__}(phi=...)")
        else:
            self.scoring = quantities

    def _config(self) -> dict[str, Any]:
        names = inspect.signature(quantity_aware).parameters.keys() - {"options"}
        return {name: getattr(self, name) for name in (*sorted(names), "num_results")} | self.options

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        queries = inp if _has_constraints(inp) else self.parser.transform(inp)
        retrieved = None if self.candidates == "quantities" else self.retriever.transform(queries)
        ranked = self._rank(queries, retrieved)
        if self.feedback:
            related = self._related(queries, ranked)
            ranked = self._rank(queries.assign(**{RELATED: queries["qid"].map(related)}), retrieved)
            ranked[RELATED] = ranked["qid"].map(related)
        if self.num_results is not None:
            ranked = ranked[ranked["rank"] < self.num_results].reset_index(drop=True)
        if isinstance(self.quantities, QuantityIndex):
            ranked.attrs[INDEX_ATTRIBUTE] = str(self.quantities.path)
        return ranked

    def _related(self, queries: pd.DataFrame, ranked: pd.DataFrame) -> pd.Series:
        """The related terms of each query that has results, by `qid`."""
        assert isinstance(self.quantities, QuantityIndex)
        given = self.feedback if isinstance(self.feedback, QuantityFeedback) else QuantityFeedback(self.quantities)
        return given.transform(_with_asked(ranked, queries)).set_index("qid")[RELATED]

    def _rank(self, queries: pd.DataFrame, retrieved: pd.DataFrame | None) -> pd.DataFrame:
        results, added = self._results(queries, retrieved)
        query = pd.factorize(results["qid"])[0].astype(np.int64)
        score = normalise(results["score"], query, self.norm)
        if self.alpha and len(results):
            score = score + self.alpha * self._quantity_scores(queries, results, query, added)
        order = best_first(query, score)
        ranked = results.take(order).reset_index(drop=True)
        ranked["score"], ranked["rank"] = score[order], ranks(query[order], score[order])
        return ranked

    def _quantity_scores(self, queries: pd.DataFrame, results: pd.DataFrame, query: Any, added: Any) -> Any:
        scores = np.zeros(len(results))
        chosen = np.ones(len(results), dtype=bool)
        if self.depth is not None:
            chosen = added | (ranks(query, results["score"].to_numpy(dtype=np.float64)) < self.depth)
            results = results[chosen]
        if isinstance(self.scoring, IndexScorer):
            needs, number = query_needs(queries)
            place = pd.Index(queries["qid"]).get_indexer(results["qid"])
            scores[chosen] = self.scoring.score(results["docno"], number[place], needs).row
        else:
            scored = self.scoring.transform(_with_asked(results, queries))
            scores[chosen] = scored["score"].to_numpy(dtype=np.float64)
        return scores

    def _results(self, queries: pd.DataFrame, retrieved: pd.DataFrame | None) -> tuple[pd.DataFrame, Any]:
        """R, and which of its rows the index added: the retriever's results, the index's, or both."""
        if retrieved is not None and self.candidates == "retriever":
            return retrieved, np.zeros(len(retrieved), dtype=bool)
        found = self.quantities.retriever(phi=self.phi, **self.options).transform(queries)  # type: ignore[union-attr]
        if retrieved is None:
            found = self.scorer.transform(found) if self.scorer else found.assign(score=0.0)
            return found, np.ones(len(found), dtype=bool)
        known = pd.MultiIndex.from_frame(retrieved[["qid", "docno"]])
        new = found[~pd.MultiIndex.from_frame(found[["qid", "docno"]]).isin(known)]
        if self.scorer and len(new):
            new = self.scorer.transform(new)
        else:
            lowest = new["qid"].map(retrieved.groupby("qid")["score"].min())
            new = new.assign(score=lowest.fillna(0.0).clip(upper=0.0).astype(np.float64))
        both = pd.concat([retrieved, new], ignore_index=True)[retrieved.columns]
        return both, np.arange(len(both)) >= len(retrieved)

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        if self.num_results is not None and k >= self.num_results:
            return None
        return QuantityAware(**(self._config() | {"num_results": k}))


def _has_constraints(frame: pd.DataFrame) -> bool:
    return "constraints" in frame.columns or all(column in frame.columns for column in CONSTRAINT_COLUMNS)


def _with_asked(results: pd.DataFrame, queries: pd.DataFrame) -> pd.DataFrame:
    """R with those columns of its queries that a retriever dropped."""
    place = pd.Index(queries["qid"]).get_indexer(results["qid"])
    asked = {name: queries[name].to_numpy()[place] for name in queries if name not in results.columns}
    return results.assign(**asked)
