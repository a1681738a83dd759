"""The PyTerrier face of extraction, query parsing, scoring and the index."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.configured import Configured
from pyterrier_quantity.extraction import Extractor, RuleExtractor
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.index.columns import Columns, build_columns
from pyterrier_quantity.index.evidence import Scores, score_documents
from pyterrier_quantity.index.need import Need
from pyterrier_quantity.index.options import make_scoring
from pyterrier_quantity.index.vocabulary import UnitVocabulary
from pyterrier_quantity.missing import is_missing
from pyterrier_quantity.needs import CONSTRAINT_COLUMNS, query_needs
from pyterrier_quantity.query import QueryText, parse_query
from pyterrier_quantity.ranking import ranks
from pyterrier_quantity.units import default_registry

_CHUNK: Final = 1024


class QuantityQueryParser(Configured):
    """Q -> Q: reads the constraints of a query's text.

    Args:
        extractor: reads the quantities; the rule extractor by default.
        keep: which of the text's words stay in `query`, see `query.QueryText`.

    Columns in: `qid`, `query`. Columns out: `query` (the search terms), `query_0` (the text as typed), `constraints`
    (lists of `Constraint`, empty for a query without a quantity, whose text stays as it is).
    """

    def __init__(self, extractor: Extractor | None = None, keep: QueryText | str = QueryText.ALL) -> None:
        self.extractor = extractor
        self.keep = QueryText(keep)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        queries = pt.model.push_queries(inp)
        parsed = [parse_query(text, self.extractor, self.keep) for text in inp["query"]]
        queries["query"] = pd.Series([text for text, _ in parsed], index=inp.index, dtype=inp["query"].dtype)
        queries["constraints"] = pd.Series([found for _, found in parsed], index=inp.index, dtype=object)
        return queries


class QuantityExtractor(Configured):
    """D -> D, R -> R: adds `quantities`, lists of `Quantity`.

    Args:
        extractor: the rule extractor by default.
        text_field: the column that holds the text; None or NaN in it count as empty.
    """

    def __init__(self, extractor: Extractor | None = None, text_field: str = "text") -> None:
        self.extractor, self.text_field = extractor, text_field

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=[self.text_field], context=self)
        extractor = self.extractor or RuleExtractor()
        quantities = extractor.extract_batch(list(map(_text, inp[self.text_field])))
        return inp.assign(quantities=pd.Series(quantities, index=inp.index, dtype=object))

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        stream, extractor = iter(inp), self.extractor or RuleExtractor()
        while chunk := list(islice(stream, _CHUNK)):
            missing = [record for record in chunk if self.text_field not in record]
            if missing:
                raise KeyError(f"{self!r}: a document has no {self.text_field!r}, only {sorted(missing[0])}")
            quantities = extractor.extract_batch([_text(record[self.text_field]) for record in chunk])
            for record, found in zip(chunk, quantities, strict=True):
                yield {**record, "quantities": found}


def _text(value: Any) -> str:
    return "" if is_missing(value) else value


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
    needs: list[Need]
    query: npt.NDArray[np.int64]
    columns: Columns
    units: Sequence[str]


class _ResultTransformer(Configured):
    """R -> R over quantity scores; subclasses say where the quantities come from."""

    @abstractmethod
    def assess(self, inp: pd.DataFrame) -> Assessment:
        """The quantity scores of R, and what they were made of."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        found = self.assess(inp)
        score = found.scores.row
        return inp.drop(columns=["rank"], errors="ignore").assign(score=score, rank=ranks(found.query, score))

    def _validate(self, inp: pd.DataFrame, *columns: str) -> None:
        with pt.validate.any(inp, context=self) as v:
            v.result_frame(extra_columns=["query", "constraints", *columns])
            v.result_frame(extra_columns=["query", *CONSTRAINT_COLUMNS, *columns])


class IndexScorer(_ResultTransformer):
    """R -> R: scores documents by their quantities in an index.

    Args:
        index: the quantity index; documents that it does not hold score 0.
        phi, options: see `index.options.make_scoring`.

    Columns in: `qid`, `query`, `docno`, and `constraints` or `condition`, `value`, `unit` (`high`).
    Columns out: the same, with `score` in [0, 1] and `rank`. Rows keep their order.
    Source: Numbers Matter!, Eq. 3 and 4, as corrected and extended.
    """

    def __init__(self, index: QuantityIndex, phi: Any = "closest", **options: Any) -> None:
        self.index, self.phi, self.options = index, phi, options
        self.scoring = make_scoring(phi, **options)

    def _config(self) -> dict[str, Any]:
        return {"index": self.index, "phi": self.phi, **self.options}

    def assess(self, inp: pd.DataFrame) -> Assessment:
        self._validate(inp)
        needs, query = query_needs(inp)
        scores = self.score(inp["docno"], query, needs)
        return Assessment(scores, needs, query, self.index.columns, self.index.vocabulary.names)

    def score(self, docnos: Any, query: Any, needs: Any) -> Scores:
        """Scores of result rows, given as docnos, the number of each row's query, and the queries' needs."""
        rows = self.index.docnos.rows(docnos)
        return score_documents(self.index.columns, self.index.vocabulary, rows, query, needs, self.scoring)


class IndexFilter(_ResultTransformer):
    """R -> R: drops documents that do not meet every constraint of their query.

    Args:
        index: the quantity index.
        keep_unknown: keep documents that state no quantity in a unit that could meet the constraint.
        convert: whether units that convert to the constraint's count; those that only partly match never do.

    Columns in: as `IndexScorer`. Columns out: the same rows with new ranks; scores stay, queries without a
    constraint lose nothing.
    """

    def __init__(self, index: QuantityIndex, keep_unknown: bool = False, convert: bool = True) -> None:
        self.index, self.keep_unknown, self.convert = index, keep_unknown, convert
        self._scorer = IndexScorer(index, "binary", units="convert" if convert else "strict", fit=False)

    def assess(self, inp: pd.DataFrame) -> Assessment:
        self._validate(inp)
        return self._scorer.assess(inp)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        found = self.assess(inp)
        scores, evidence = found.scores, found.scores.evidence
        met, known = np.zeros(len(scores.pair), dtype=bool), np.zeros(len(scores.pair), dtype=bool)
        known[evidence.pair] = True
        met[evidence.pair[evidence.met]] = True
        fails = ~(met | ~known) if self.keep_unknown else ~met
        kept = np.bincount(scores.pair_row, weights=fails, minlength=len(inp)) == 0
        left = inp[kept].reset_index(drop=True)
        if "score" not in left.columns:
            return left
        return left.assign(rank=ranks(found.query[kept], left["score"].to_numpy(dtype=np.float64)))


class QuantityScorer(_ResultTransformer):
    """R -> R: scores documents by the quantities of their text, without an index.

    Args:
        phi, options: see `index.options.make_scoring`.
        extractor: the rule extractor by default; not used where the frame brings `quantities`.
        text_field: the column that holds the text.

    Columns in: as `IndexScorer`, and the text. Columns out: the same, with `score` in [0, 1] and `rank`. The scores are
    those of an index of the same documents; with `fit`, the terms' weights come from the frame's documents, not from
    the whole collection's.
    """

    def __init__(
        self, phi: Any = "closest", extractor: Extractor | None = None, text_field: str = "text", **options: Any
    ) -> None:
        self.phi, self.extractor, self.text_field, self.options = phi, extractor, text_field, options
        self.scoring = make_scoring(phi, **options)

    def _config(self) -> dict[str, Any]:
        return {"phi": self.phi, "extractor": self.extractor, "text_field": self.text_field, **self.options}

    def assess(self, inp: pd.DataFrame) -> Assessment:
        self._validate(inp, self.text_field)
        needs, query = query_needs(inp)
        document, _ = pd.factorize(inp["docno"])
        unique = inp.iloc[np.unique(document, return_index=True)[1]]
        texts = list(map(_text, unique[self.text_field]))
        if "quantities" in unique.columns:
            quantities = list(unique["quantities"])
        else:
            quantities = (self.extractor or RuleExtractor(concepts=False)).extract_batch(texts)
        columns, units = build_columns(zip(quantities, texts, strict=True))
        vocabulary = UnitVocabulary(units, default_registry())
        scores = score_documents(columns, vocabulary, document.astype(np.int64), query, needs, self.scoring)
        return Assessment(scores, needs, query, columns, units)


class IndexRetriever(Configured):
    """Q -> R: documents by their quantities alone.

    Args:
        index: the quantity index.
        num_results: documents per query.
        candidates: how many quantities that meet the condition are looked at, best units and nearest values first.
        phi, options: see `index.options.make_scoring`.

    Columns in: `qid`, `query`, and `constraints` or `condition`, `value`, `unit`. Columns out: the queries' columns,
    `docno`, `score`, `rank`. A query without a constraint gets no documents.
    """

    def __init__(
        self,
        index: QuantityIndex,
        num_results: int = 1000,
        candidates: int = 10_000,
        phi: Any = "closest",
        **options: Any,
    ) -> None:
        if num_results < 1 or candidates < 1:
            raise ValueError(f"num_results and candidates must be at least 1, got {num_results!r}, {candidates!r}")
        self.index, self.num_results, self.candidates, self.phi, self.options = (
            index, num_results, candidates, phi, options,
        )  # fmt: skip
        self.scoring = make_scoring(phi, **options)

    def _config(self) -> dict[str, Any]:
        sizes = {"num_results": self.num_results, "candidates": self.candidates}
        return {"index": self.index, **sizes, "phi": self.phi, **self.options}

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        with pt.validate.any(inp, context=self) as v:
            v.query_frame(extra_columns=["query", "constraints"])
            v.query_frame(extra_columns=["query", *CONSTRAINT_COLUMNS])
        needs, query = query_needs(inp)
        documents, scores = [], []
        for number in query.tolist():
            found, score = self._search(needs[number])
            documents.append(found)
            scores.append(score)
        count = [len(found) for found in documents]
        result = inp.iloc[np.repeat(np.arange(len(inp)), count)].reset_index(drop=True)
        rows = np.concatenate(documents) if documents else np.empty(0, dtype=np.int64)
        result["docno"] = pd.Series(self.index.docnos.docnos(rows) if len(rows) else [], dtype=object)
        result["score"] = np.concatenate(scores) if scores else np.empty(0)
        result["rank"] = np.concatenate([np.arange(n) for n in count]) if count else np.empty(0, dtype=np.int64)
        return result

    def _search(self, need: Any) -> tuple[Any, Any]:
        columns, vocabulary = self.index.columns, self.index.vocabulary
        found = [
            self.index.values.documents(c, vocabulary.match(c.unit, need.terms, self.scoring.units), self.candidates)
            for c in need.constraints
        ]
        documents = np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
        query = np.zeros(len(documents), dtype=np.int64)
        score = score_documents(columns, vocabulary, documents, query, [need], self.scoring).row
        best = np.argsort(-score, kind="stable")[: self.num_results]
        return documents[best], score[best]

    def fuse_rank_cutoff(self, k: int) -> IndexRetriever | None:
        if k >= self.num_results:
            return None
        return IndexRetriever(self.index, k, self.candidates, self.phi, **self.options)
