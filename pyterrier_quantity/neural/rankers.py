"""Define transformers with neural models: encoders of texts, scorers of results, and retrievers."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.flat_arrays import Ints
from pyterrier_quantity.frames.frame import rescored, retrieved
from pyterrier_quantity.frames.transformer import Configured, check_counts
from pyterrier_quantity.neural.models import clean_text, distinct_texts


@dataclass(frozen=True)
class Encoded:
    """Encodings of texts. `encoded[n]` is the part for text n. Encodings that the model does not compute are None.

    Args:
        dense: dense vectors, a float32 array of shape (texts, dimension), with zeros for an empty text.
        sparse: weights of terms, a SciPy CSR matrix of shape (texts, terms).
        tokens: token vectors, an object array with an array of shape (tokens, dimension) for each text.
        values: the quantities as sparse vectors (see `numeric_terms`), for late interaction: for documents, a CSR
            matrix with a row per text; for queries, an object array with a CSR matrix for each query.
    """

    dense: Any = None
    sparse: Any = None
    tokens: Any = None
    values: Any = None

    def __getitem__(self, texts: Any) -> "Encoded":
        return Encoded(*(None if part is None else part[texts] for part in vars(self).values()))


class TextEncoder(Configured):
    """Transformer that adds encodings of texts: Q -> Q for queries, D -> D for documents.

    Args:
        model: a `Splade` or a `Hybrid`.
        task: "query" or "document".
        field: the column with the text. None, NaN and empty texts have no terms, and a vector of zeros.
        k: how many of the highest-weighted terms to keep per text, or None for all terms.
        scale: factor for the weights of terms. For documents, the products are rounded, and zeros are dropped.

    Columns in: the text. Columns out: the same, and one column for each of the model's `outputs`:

    - "sparse": `query_toks` for queries, a dictionary that maps terms to weights. `toks` for documents, with integer
      weights, for PISA's `toks_indexer(scale=1)` or Terrier's pre-tokenised indexing;
    - "dense": `query_vec` or `doc_vec`, a float32 vector in the format that `FlexIndex` expects;
    - "tokens": `query_embs` or `doc_embs`, an array of shape (tokens, dimension).
    """

    batch_size = 1024
    """Number of documents that an indexing pipeline encodes at a time."""

    def __init__(self, model: Any, task: str, field: str, k: int | None = None, scale: float = 100.0) -> None:
        self.model, self.task, self.field, self.k, self.scale = model, task, field, k, scale

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=[self.field], context=self)
        number, texts = distinct_texts(inp[self.field])
        begin, toks = ("query", "query_toks") if self.task == "query" else ("doc", "toks")
        names = {"dense": f"{begin}_vec", "sparse": toks, "tokens": f"{begin}_embs"}
        encoded = self.model.encode(texts, self.task, self.k) if texts else None  # without texts, no model is loaded
        found = {}
        for part in (part for part in names if part in self.model.outputs):
            values = getattr(encoded, part, ())
            values = [self._toks(row) for row in values] if part == "sparse" else values
            found[names[part]] = pd.Series([values[n] for n in number], index=inp.index, dtype=object)
        return inp.assign(**found)

    def _toks(self, row: Any) -> dict[str, float]:
        scaled = row.data * self.scale
        weights = scaled if self.task == "query" else np.rint(scaled).astype(np.int64)
        terms = self.model.terms
        return {terms[n]: w for n, w in zip(row.indices.tolist(), weights.tolist(), strict=True) if w}


class PairScorer(Configured):
    """Base class of scorers, R -> R, that encode each distinct query once. The order of the rows stays the same."""

    @property
    def _columns(self) -> Sequence[str]:
        return ("score",)

    @abstractmethod
    def _documents(self, inp: pd.DataFrame) -> tuple[Ints, Callable[[Ints], Any]]:
        """Return the index of each row's document (-1 if unknown), and a function from such indexes to encodings."""

    @abstractmethod
    def _encoded(self, texts: list[str]) -> Encoded:
        """Return the encodings of query texts, which are already stripped."""

    @abstractmethod
    def _score(self, query: Encoded, documents: Any) -> npt.ArrayLike:
        """Return the scores of documents for a query, an array of shape (documents,) or (documents, scores)."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "docno", "query"], context=self)
        if not len(inp):
            return rescored(inp, **dict.fromkeys(self._columns, np.empty(0)))
        document, chosen_documents = self._documents(inp)
        query, queries = distinct_texts(inp["query"])
        score = np.zeros((len(inp), len(self._columns)))
        encoded, known = self._encoded(queries), np.flatnonzero(document >= 0)
        for number, places in pd.Series(known).groupby(query[known]).indices.items():
            chosen = known[places]
            found = self._score(encoded[number], chosen_documents(document[chosen]))
            score[chosen] = np.reshape(found, (len(chosen), len(self._columns)))
        return rescored(inp, **dict(zip(self._columns, score.T, strict=True)))


class TextScorer(PairScorer):
    """Transformer, R -> R, that encodes and scores the texts of results. Each distinct text is encoded once.

    Args:
        model: a `Splade`, which scores by the dot product of sparse vectors; or a `ColBERT`, which scores by MaxSim of
            token vectors, and adds a score for meeting the query's condition if the model compares values.
        text_field: the column with the text; an empty text scores 0.

    Columns in: `qid`, `docno`, `query`, the text. Columns out: the same rows, with new `score` and `rank`.
    """

    def __init__(self, model: Any, text_field: str = "text") -> None:
        self.model, self.text_field = model, text_field

    def _encoded(self, texts: list[str], task: str = "query") -> Encoded:
        return self.model.encode(texts, task)

    def _documents(self, inp: pd.DataFrame) -> tuple[Ints, Callable[[Ints], Encoded]]:
        pt.validate.columns(inp, includes=[self.text_field], context=self)
        number, texts = distinct_texts(inp[self.text_field])
        return number, self._encoded(texts, "document").__getitem__

    def _score(self, query: Encoded, documents: Encoded) -> npt.ArrayLike:
        return self.model.score(query, documents)


class NeuralSearcher(Configured):
    """Base class of transformers that encode queries, and compare them with the encoded documents in an index."""

    index: Any
    model: Any
    alpha: float | None = None

    @cached_property
    def encoder(self) -> Any:
        """The query encoder. On first use, raise a ModelMismatchError if another model built the index."""
        return self.index.model(self.model)

    def _encoded(self, texts: list[str]) -> Encoded:
        return self.index.encode(self.encoder, texts, "query")

    @property
    def _weight(self) -> float:
        return getattr(self.encoder, "alpha", 1.0) if self.alpha is None else self.alpha


class NeuralScorer(NeuralSearcher, PairScorer):
    """Transformer, R -> R, that scores documents by their encodings in an index. Unknown documents score 0.

    Args:
        index: a `ColBERTIndex` or a `HybridIndex`.
        model: the encoder of queries, or None for the model that built the index.
        alpha: in a hybrid index, the weight of the dense score, from 0 to 1, or None for the model's setting.

    Columns in: `qid`, `docno`, `query`. Columns out: the same rows, with new `score` and `rank`; for a hybrid index
        also `dense_score` and `sparse_score`, the dot products of the dense and of the sparse vectors.

    Raises:
        ValueError: if alpha is out of range.
    """

    def __init__(self, index: Any, model: Any = None, alpha: float | None = None) -> None:
        check_alpha(alpha)
        self.index, self.model, self.alpha = index, model, alpha

    @property
    def _columns(self) -> Sequence[str]:
        return self.index.SCORES

    def _documents(self, inp: pd.DataFrame) -> tuple[Ints, Callable[[Ints], Ints]]:
        return self.index.docnos.rows(inp["docno"]), lambda chosen: chosen

    def _score(self, query: Encoded, documents: Ints) -> npt.ArrayLike:
        return self.index.scores(query, documents, self._weight)


class NeuralRetriever(NeuralSearcher):
    """Transformer, Q -> R, that retrieves the documents with the highest scores, by exhaustive search of an index.

    Args:
        index: a `ColBERTIndex` or a `HybridIndex`.
        model: the encoder of queries, or None for the model that built the index.
        num_results: number of documents per query.
        alpha: in a hybrid index, the weight of the dense score, from 0 to 1, or None for the model's setting.

    Columns in: `qid`, `query`. Columns out: the queries' columns, `docno`, `score`, `rank`, and for a hybrid index
    `dense_score` and `sparse_score`. An empty query has no results.

    Raises:
        ValueError: if alpha is out of range, or `num_results` is not a positive integer.
    """

    def __init__(self, index: Any, model: Any = None, num_results: int = 1000, alpha: float | None = None) -> None:
        check_counts(num_results=num_results)
        check_alpha(alpha)
        self.index, self.model, self.num_results, self.alpha = index, model, num_results, alpha

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        texts = [clean_text(query) for query in inp["query"]]
        asked, names = list(dict.fromkeys(filter(None, texts))), self.index.SCORES
        best: dict[str, tuple[Ints, npt.NDArray[Any]]] = {"": (np.empty(0, int), np.empty((0, len(names))))}
        every = self.index.all_scores(self._encoded(asked), len(asked), self._weight) if asked else ()
        for text, scores in zip(asked, every, strict=True):
            rows = _best(scores[:, 0], self.num_results)
            best[text] = rows, scores[rows].astype(np.float64)
        found = [best[text] for text in texts]
        result = retrieved(inp, [(self.index.docnos.docnos(rows), scores[:, 0]) for rows, scores in found])
        columns = np.concatenate([best[""][1], *(scores for _, scores in found)])
        return result.assign(**dict(zip(names[1:], columns[:, 1:].T, strict=True)))


def _best(score: npt.NDArray[Any], count: int) -> Ints:
    rows = np.arange(len(score))
    if count < len(score):
        rows = np.flatnonzero(score >= np.partition(score, -count)[-count])
    return rows[np.argsort(-score[rows], kind="stable")[:count]]


def check_alpha(alpha: float | None) -> None:
    if alpha is not None and not 0 <= alpha <= 1:
        raise ValueError(f"alpha must be between 0 (only sparse) and 1 (only dense), got {alpha!r}")
