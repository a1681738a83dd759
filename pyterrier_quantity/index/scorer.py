"""R -> R: quantity scores, from an index or from the texts of the results."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import as_text, ranks
from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.extraction import Extractor, RuleExtractor
from pyterrier_quantity.index.columns import build_columns
from pyterrier_quantity.index.evidence import Scores, score_documents, score_rows
from pyterrier_quantity.index.needs import CONSTRAINT_COLUMNS, QueryNeed, query_needs
from pyterrier_quantity.index.segmented import SegmentedColumns
from pyterrier_quantity.index.unit_matching import UnitVocabulary
from pyterrier_quantity.score import Phi, Scoring, make_scoring
from pyterrier_quantity.units import default_registry

if TYPE_CHECKING:
    from pyterrier_quantity.index.quantity_index import QuantityIndex
    from pyterrier_quantity.index.segments import Segments

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Assessment:
    """The scores of result rows, with the quantities that they came from.

    Args:
        scores: see `index.evidence.Scores`.
        needs: what each distinct query asks, in the order of `query`.
        query: the number of each row's query.
        columns, units: the quantities, and the names that their units refer to.
    """

    scores: Scores
    needs: list[QueryNeed]
    query: Ints
    columns: SegmentedColumns
    units: Sequence[str]


def _scores_of(results: pd.DataFrame) -> Floats | None:
    """What R's ranker gave; None where it gave no scores."""
    return results["score"].to_numpy(dtype=np.float64) if "score" in results.columns else None


class ResultScorer(Configured):
    """R -> R over quantity scores; subclasses say where the quantities come from.

    Columns in: `qid`, `query`, `docno`, and `constraints` or `condition`, `value`, `unit` (`high`).
    Columns out: the same, with `score` in [0, 1] and `rank`. Rows keep their order. Where a number may set no
    condition, the ten results of its query with the highest `score` have a say, or the first ten where there is none.
    Source: Numbers Matter!, Eq. 3 and 4, as corrected and extended.
    """

    @abstractmethod
    def assess(self, inp: pd.DataFrame) -> Assessment:
        """The quantity scores of R, and what they were made of."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        score, query = self._scored(inp)
        return inp.drop(columns=["rank"], errors="ignore").assign(score=score, rank=ranks(query, score))

    def _scored(self, inp: pd.DataFrame) -> tuple[Floats, Ints]:
        """The quantity score of each row, and the number of its query."""
        found = self.assess(inp)
        return found.scores.row, found.query

    def _validate(self, inp: pd.DataFrame, *columns: str) -> None:
        with pt.validate.any(inp, context=self) as v:
            v.result_frame(extra_columns=["query", "constraints", *columns])
            v.result_frame(extra_columns=["query", *CONSTRAINT_COLUMNS, *columns])


class IndexScorer(ResultScorer):
    """R -> R: scores documents by their quantities in an index.

    Args:
        index: the quantity index; documents that it does not hold score 0.
        scoring: how evidence becomes a score.

    Columns: see `ResultScorer`.
    """

    def __init__(self, index: QuantityIndex, scoring: Scoring) -> None:
        self.index, self.scoring = index, scoring

    def assess(self, inp: pd.DataFrame) -> Assessment:
        opened, rows, query, needs = self._given(inp)
        scores = score_documents(
            opened.columns, opened.vocabulary, rows, query, needs, self.scoring, ranked=_scores_of(inp)
        )
        return Assessment(scores, needs, query, opened.columns, opened.vocabulary.names)

    def _scored(self, inp: pd.DataFrame) -> tuple[Floats, Ints]:
        opened, rows, query, needs = self._given(inp)
        return self.score(opened, rows, query, needs, _scores_of(inp))[0], query

    def _given(self, inp: pd.DataFrame) -> tuple[Segments, Ints, Ints, list[QueryNeed]]:
        """The opened index, and of each result its row there and the number of its query; what the queries ask."""
        self._validate(inp)
        needs, query = query_needs(inp)
        opened = self.index.opened
        return opened, opened.docnos.rows(inp["docno"]), query, needs

    def score(
        self,
        opened: Segments,
        rows: Ints,
        query: Ints,
        needs: Sequence[QueryNeed],
        ranked: Floats | None,
        vouched: Floats | None = None,
    ) -> tuple[Floats, Floats]:
        """The scores of results, given as rows of the opened index, the number of each one's query, the needs, the
        ranker's score of each result and how far it vouches for it, see `score_documents`; and how far each constraint
        counts."""
        return score_rows(opened.columns, opened.vocabulary, rows, query, needs, self.scoring, vouched, ranked)


class QuantityScorer(ResultScorer):
    """R -> R: scores documents by the quantities of their text, without an index.

    Args:
        phi, options: see `score.options.make_scoring`.
        extractor: the rule extractor by default; not used where the frame brings `quantities`.
        text_field: the column that holds the text.

    Columns in: those of `ResultScorer`, and the text. The scores are those of an index of the same documents; with
    `fit`, the terms' weights come from the frame's documents, not from the whole collection's.
    """

    def __init__(
        self,
        phi: str | Phi | Scoring = "closest",
        extractor: Extractor | None = None,
        text_field: str = "text",
        **options: Any,
    ) -> None:
        self.scoring = make_scoring(phi, **options)
        self.phi: str | Phi | Scoring = self.scoring
        self.extractor, self.text_field = extractor, text_field
        self.options: dict[str, Any] = {}

    def assess(self, inp: pd.DataFrame) -> Assessment:
        self._validate(inp, self.text_field)
        needs, query = query_needs(inp)
        document, _ = pd.factorize(inp["docno"])
        unique = inp.iloc[np.unique(document, return_index=True)[1]]
        texts = list(map(as_text, unique[self.text_field]))
        if "quantities" in unique.columns:
            quantities = list(unique["quantities"])
        else:
            quantities = (self.extractor or RuleExtractor(concepts=False, dates=True)).extract_batch(texts)
        built, units = build_columns(zip(quantities, texts, strict=True))
        columns, vocabulary = SegmentedColumns([built]), UnitVocabulary(units, default_registry())
        scores = score_documents(
            columns, vocabulary, document.astype(np.int64), query, needs, self.scoring, ranked=_scores_of(inp)
        )
        return Assessment(scores, needs, query, columns, units)
