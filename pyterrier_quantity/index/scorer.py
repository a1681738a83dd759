"""Score results by the quantities of their documents, read from an index or from the texts, and filter results."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd

from pyterrier_quantity.extraction import Extractor, RuleExtractor
from pyterrier_quantity.flat_arrays import Floats, Ints
from pyterrier_quantity.frames.frame import as_text, objects, ranks
from pyterrier_quantity.frames.transformer import Configured
from pyterrier_quantity.index.columns_builder import ColumnsBuilder
from pyterrier_quantity.index.growing import GrowingIndex
from pyterrier_quantity.index.queries import SUPPORT, check_asked, index_queries
from pyterrier_quantity.index.segments import Segments
from pyterrier_quantity.score import Phi, Scoring, make_scoring
from pyterrier_quantity.score.documents import Documents, Rows
from pyterrier_quantity.score.evidence import Scores, score_documents, score_rows
from pyterrier_quantity.score.query import IndexQuery

SCORED_BY: Final = "quantity_scoring"
"""The key in `results.attrs` for a dictionary that describes the scoring, for `explain`: the items of
`ResultScorer.note`, `index` (the path of the quantity index), `rates`, and `order` (the sorted documents)."""


class ResultScorer(Configured):
    """Transformer, R -> R, that scores results by the quantities of their documents. Subclasses provide the quantities.

    Columns in: `qid`, `query`, `docno`. Conditions are given in `constraints`, or in `condition`, `value`, `unit` (and
    `high` for ranges); otherwise `query` is parsed with `QuantityQueryParser()`. The optional column `support`, added
    by `settle()`, has a weight for each constraint. Columns out: the same, with `score` in [0, 1] and `rank`. Rows keep
    their order. A document's score depends only on the query and the document. The scores extend Eq. 3 and 4 of
    Almasian et al. 2024.
    """

    scoring: Scoring

    @abstractmethod
    def located(self, inp: pd.DataFrame) -> tuple[Documents, Ints]:
        """Return the documents with their quantities and, for each result (R), the row number of its document. The row
        number of an unknown document is negative."""

    def assess(self, inp: pd.DataFrame) -> Scores:
        """Return the quantity scores of results (R), with the quantities used to compute them."""
        return score_documents(*self._read(inp), self.scoring)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        documents, rows, queries = self._read(inp)
        score, _ = score_rows(documents, rows, queries, self.scoring)
        return inp.drop(columns=["rank"], errors="ignore").assign(score=score, rank=ranks(rows.query, score))

    def scored(self, inp: pd.DataFrame) -> tuple[Floats, list[IndexQuery]]:
        """Return the quantity scores of a ranker's results (R), and the queries with weights for their constraints."""
        documents, rows, queries = self._read(inp)
        return score_rows(documents, _ranked(inp, rows), queries, self.scoring)

    def note(self, qids: Sequence[Any], queries: Sequence[IndexQuery]) -> dict[str, Any]:
        """Return a dictionary that describes the scoring to `explain`: "scoring" contains the options (`Scoring.data`),
        and "support" maps the qid of each query with an uncertain constraint to the weights of its constraints."""
        support = {qid: list(one.support) for qid, one in zip(qids, queries, strict=True) if one.support}
        return {"scoring": self.scoring.data, "support": support}

    def settle(self) -> "Settle":
        """Return a transformer, R -> R, that lowers the weight of uncertain conditions; see `Settle`."""
        return Settle(self)

    def _read(self, inp: pd.DataFrame) -> tuple[Documents, Rows, list[IndexQuery]]:
        self._validate(inp)
        queries, query = index_queries(inp)
        documents, document = self.located(inp)
        return documents, Rows(document, query), queries

    def _validate(self, inp: pd.DataFrame, *columns: str) -> None:
        check_asked(inp, self, *columns)


def _ranked(inp: pd.DataFrame, rows: Rows) -> Rows:
    score = inp["score"].to_numpy(dtype=np.float64) if "score" in inp.columns else np.zeros(len(inp))
    return Rows(rows.document, rows.query, ranks(rows.query, score))


class Settle(Configured):
    """Transformer, R -> R, that lowers the weight of numbers that are possibly not meant as conditions.

    For example, "wheat exports in 500 words" probably does not ask for documents that mention 500 words. If no result
    contains such a number near the query's terms, the constraint has no effect. Use this step between ranker and
    scorer; `quantity_aware` includes it. All results of a query must be in one frame.

    Args:
        scorer: `qindex.scorer(...)` or `QuantityScorer(...)`.

    Columns in: those of the scorer. The results with the highest `score` (or, if it is missing, the first rows) have
    the most influence. Columns out: the same and `support`, a list with the weight of each constraint of the query,
    from 0 to 1. The list is empty if the parser is certain of all constraints. Rows keep their order and scores.
    """

    def __init__(self, scorer: ResultScorer) -> None:
        self.scorer = scorer

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        self.scorer._validate(inp)
        queries, query = index_queries(inp)
        support: list[Sequence[float]] = [asked.support for asked in queries]
        doubtful = np.array([asked.in_doubt for asked in queries], dtype=bool)
        chosen = np.flatnonzero(doubtful[query]) if len(query) else query
        if len(chosen):
            _, settled = self.scorer.scored(inp.iloc[chosen])
            for number, asked in zip(pd.unique(query[chosen]).tolist(), settled, strict=True):
                support[number] = asked.support
        return inp.assign(**{SUPPORT: objects([support[number] for number in query.tolist()])})


class IndexScorer(ResultScorer):
    """Transformer, R -> R, that scores documents by their quantities in an index.

    Args:
        index: the quantity index. Documents that are not in the index score 0.
        scoring: the scoring options.

    Columns: see `ResultScorer`.
    """

    def __init__(self, index: GrowingIndex, scoring: Scoring) -> None:
        self.index, self.scoring = index, scoring

    def located(self, inp: pd.DataFrame) -> tuple[Documents, Ints]:
        opened = self.index.opened
        return opened, opened.docnos.rows(inp["docno"])


class IndexFilter(Configured):
    """Transformer, R -> R, that keeps only the documents that meet all constraints of the query.

    Args:
        index: the quantity index.
        keep_unknown: whether to keep documents without a quantity in a unit that matches the constraint.
        convert: whether to accept units that can be converted to the constraint's unit, and any unit if the constraint
            has none. False gives BM25_filter of Almasian et al. 2024. Similar units are never accepted.

    A bound in a document is accepted if it may meet the constraint: "up to 600" for "> 500" (see `score.bound`). If
    `convert` is False, "up to 600" is treated as the value 600.

    Columns in: those of `ResultScorer`. Columns out: the remaining rows with new ranks and unchanged scores. Queries
    without a constraint keep all rows.
    """

    def __init__(self, index: GrowingIndex, keep_unknown: bool = False, convert: bool = True) -> None:
        self.index, self.keep_unknown, self.convert = index, keep_unknown, convert
        units = "convert" if convert else "strict"
        scoring = make_scoring("binary", units=units, fit=False)
        self._scorer = IndexScorer(index, replace(scoring, bounds=convert))

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        scores = self._scorer.assess(inp)
        kept = scores.meeting(self.keep_unknown)
        left = inp[kept].reset_index(drop=True)
        if "score" not in left.columns:
            return left
        return left.assign(rank=ranks(scores.rows.query[kept], left["score"].to_numpy(dtype=np.float64)))


class QuantityScorer(ResultScorer):
    """Transformer, R -> R, that scores documents by the quantities of their text, without an index.

    Args:
        phi, units, fit: see `score.make_scoring`.
        extractor: the extractor for frames without the column `quantities`, by default the rule extractor.
        text_field: the column with the text.

    Columns in: those of `ResultScorer`, and the text. The scores equal those of an index of only these documents: with
    `fit`, term weights come from the frame, not from the whole collection.
    """

    def __init__(
        self,
        phi: str | Phi | Scoring = "closest",
        extractor: Extractor | None = None,
        text_field: str = "text",
        units: str | None = None,
        fit: bool | None = None,
    ) -> None:
        self.scoring = make_scoring(phi, units, fit)
        self.phi, self.extractor, self.text_field, self.units, self.fit = phi, extractor, text_field, units, fit

    def _validate(self, inp: pd.DataFrame, *columns: str) -> None:
        super()._validate(inp, self.text_field, *columns)

    def located(self, inp: pd.DataFrame) -> tuple[Documents, Ints]:
        document, _ = pd.factorize(inp["docno"])
        unique = inp.iloc[np.unique(document, return_index=True)[1]]
        texts = list(map(as_text, unique[self.text_field]))
        if "quantities" in unique.columns:
            quantities = list(unique["quantities"])
        else:
            quantities = (self.extractor or RuleExtractor(concepts=False, dates=True)).extract_batch(texts)
        builder = ColumnsBuilder()
        for one, text in zip(quantities, texts, strict=True):
            builder.add(one, text)
        return Segments({}, [builder.in_memory()]), document.astype(np.int64)
