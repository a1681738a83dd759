"""Steps that pipelines are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import ranks
from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.plan import QueryText, parse_query


class Candidates(Configured):
    """Q -> R: every document that any of several retrievers returns, once, with nothing but the queries' columns.

    Args:
        retrievers: Q -> R. Scores, ranks and numbers of their own do not reach the next step, where another index might
            take them for its own.

    Columns out: the queries', `docno`, `score` (0) and `rank`.
    """

    def __init__(self, retrievers: Sequence[pt.Transformer]) -> None:
        self.retrievers = list(retrievers)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        results = [retriever.transform(inp)[["qid", "docno"]] for retriever in self.retrievers]
        pairs = pd.concat(results, ignore_index=True).drop_duplicates()
        place = pd.Index(inp["qid"]).get_indexer(pairs["qid"]).astype(np.int64)
        order = np.argsort(place, kind="stable")
        found = inp.iloc[place[order]].reset_index(drop=True)
        found["docno"] = pairs["docno"].to_numpy(dtype=object)[order]
        return found.assign(score=0.0, rank=ranks(place[order], np.zeros(len(found))))


class ConceptOnly(Configured):
    """R -> R: a scorer that sees of each query what it is about, without its value, unit and condition.

    A late-interaction model compares every token of a query: "more than 5 dollars" finds its tokens in sentences about
    other dollars. The quantity score judges these words better.

    Args:
        scorer: R -> R that reads `query`.

    Columns in: those of the scorer. Columns out: the same as the scorer's; `query` stays as it was.
    """

    def __init__(self, scorer: pt.Transformer) -> None:
        self.scorer = scorer

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "docno", "query"], context=self)
        number, texts = pd.factorize(inp["query"])
        concepts = np.array([parse_query(text, keep=QueryText.CONCEPT)[0] for text in texts], dtype=object)
        scored = self.scorer.transform(inp.assign(query=concepts[number] if len(inp) else inp["query"]))
        typed = inp.drop_duplicates("qid").set_index("qid")["query"]
        return scored.assign(query=typed.reindex(scored["qid"]).to_numpy())
