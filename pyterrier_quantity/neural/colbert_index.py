"""`ColBERTIndex`: the token vectors of a corpus on disk, for exact MaxSim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import cached_property
from itertools import islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.configured import Configured
from pyterrier_quantity.index import storage
from pyterrier_quantity.index.docnos import build_lookup
from pyterrier_quantity.index.stored import StoredIndex
from pyterrier_quantity.neural import codec
from pyterrier_quantity.neural.colbert import ColBERT
from pyterrier_quantity.neural.maxsim import maxsim, maxsim_many, ragged
from pyterrier_quantity.neural.models import as_text, clean_text
from pyterrier_quantity.neural.places import Places, places
from pyterrier_quantity.ranking import ranks

KIND: Final = storage.Kind(
    "colbert_index",
    "token_vectors",
    2,
    called="ColBERT index",
    build="build one with .indexer(model).index(documents)",
    package="pyterrier-quantity[neural]",
)
PROBE: Final = "A probe of the encoder: 42 kilometres per hour."
"""Encoded by the model of an index and by the model that searches it, to tell whether they are the same."""

_WRITTEN: Final = ("vectors", "steps", "places")
"""Columns that are written chunk by chunk."""
_CHUNK: Final = 4096
"""Documents that are encoded and written at a time."""
_SCAN: Final = 1 << 12
"""Token vectors that the retriever looks at a time: few enough to stay in a processor's cache."""
_TOGETHER: Final = 64
"""Queries that the retriever answers in one pass over the vectors."""


class ModelMismatchError(ValueError):
    """The index was built by another model than the one that is to search it."""


class ColBERTIndex(StoredIndex):
    """The token vectors of a corpus, memory-mapped.

    Args:
        path: the index's folder. Opening it reads nothing; the first use maps the files.

    Build it by `ColBERTIndex(path).indexer(model).index(documents)`.
    """

    KIND = KIND
    ARTIFACT_TYPE = KIND.type
    ARTIFACT_FORMAT = KIND.format
    ARTIFACT_PACKAGE_HINT = KIND.package

    def indexer(
        self, model: ColBERT | str, dtype: str = "int8", overwrite: bool = False, text_field: str = "text"
    ) -> ColBERTIndexer:
        """An indexer; see `ColBERTIndexer`."""
        return ColBERTIndexer(self, model, dtype, overwrite, text_field)

    def scorer(self, model: ColBERT | str | None = None) -> ColBERTIndexScorer:
        """R -> R by the stored vectors; see `ColBERTIndexScorer`."""
        return ColBERTIndexScorer(self, model)

    def retriever(self, model: ColBERT | str | None = None, num_results: int = 1000) -> ColBERTRetriever:
        """Q -> R by exact MaxSim over all documents; see `ColBERTRetriever`."""
        return ColBERTRetriever(self, model, num_results)

    def model(self, given: ColBERT | str | None = None) -> ColBERT:
        """The model to encode queries with: the one given, or the one that built the index.

        Raises:
            ModelMismatchError: if it is another than the one that built the index, naming both.
        """
        model = given if isinstance(given, ColBERT) else ColBERT(given or self.meta["model"])
        expected, found = np.array(self.meta["probe"], dtype=np.float32), probe(model)
        if len(expected) != len(found) or not _cosine(expected, found) > 0.99:
            raise ModelMismatchError(
                f"{self.path} was built by {self.meta['model']} ({len(expected)} dimensions), the model given is "
                f"{model.name} ({len(found)} dimensions); search it with its own model, or build it again"
            )
        return model

    @cached_property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where each document's tokens begin, and the end of the last."""
        return np.asarray(self._arrays["offsets"]).astype(np.int64)

    def tokens(self, where: slice | npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The token vectors at these positions."""
        vectors = np.asarray(self._arrays["vectors"]).reshape(-1, self.meta["dimension"])
        return codec.decode(vectors[where], np.asarray(self._arrays["steps"])[where] if self._quantised else None)

    def places(self, where: npt.NDArray[np.int64]) -> Places:
        """Where the tokens at these positions begin in their texts, in characters; see `places.NOWHERE`."""
        return np.asarray(self._arrays["places"])[where]

    @property
    def _quantised(self) -> bool:
        return self.meta["columns"]["vectors"]["dtype"].endswith("i1")


class ColBERTIndexer(pt.Indexer):
    """Encodes documents into a `ColBERTIndex`.

    Args:
        index: where to.
        model: the model, or its name.
        dtype: "int8", with one step size a vector (a quarter of the size), or "float16".
        overwrite: replace an index at this path.
        text_field: the field that holds the text.
    """

    def __init__(
        self,
        index: ColBERTIndex,
        model: ColBERT | str,
        dtype: str = "int8",
        overwrite: bool = False,
        text_field: str = "text",
    ) -> None:
        codec.check(dtype)
        self._index, self.model = index, model if isinstance(model, ColBERT) else ColBERT(model)
        self.dtype, self.overwrite, self.text_field = dtype, overwrite, text_field

    def index_inputs(self) -> list[list[str]]:
        return [["docno", self.text_field]]

    def index(self, iter: Iterable[Mapping[str, Any]], **kwargs: Any) -> ColBERTIndex:
        """Build the index aside and move it into place; returns the index.

        Raises:
            FileExistsError: if there is an index and `overwrite` is off, or something else at the path.
            TypeError, ValueError: on a document without a string docno or a text, and on a docno that comes twice.
            Whatever the iterator raises. In every case nothing half-written stays, and an older index stays as it was.
        """
        docnos: list[str] = []
        lengths: list[int] = []
        with storage.new_folder(self._index.folder, self.overwrite, KIND) as folder:
            with ExitStack() as stack:
                vectors, steps, begins = (stack.enter_context(open(folder / f"{n}.bin", "wb")) for n in _WRITTEN)
                for names, texts in self._chunks(iter):
                    docnos += names
                    encoded = self.model.encode([text.strip() for text in texts], "document")
                    counts = [len(tokens) for tokens in encoded]
                    lengths += counts
                    values, step = codec.encode(np.concatenate(encoded), self.dtype)
                    values.tofile(vectors)
                    step.tofile(steps)
                    np.concatenate(places(self.model.loaded, texts, counts)).tofile(begins)
            arrays = {"offsets": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)} | build_lookup(docnos)
            meta = {"documents": len(docnos), "model": self.model.name, "dimension": self.model.dimension}
            meta["probe"] = [round(float(x), 5) for x in probe(self.model)]
            storage.write(
                folder, arrays, meta, KIND, written=dict(zip(_WRITTEN, (self.dtype, "float16", "uint16"), strict=True))
            )
        self._index.forget()
        return self._index

    def _chunks(self, documents: Iterable[Mapping[str, Any]]) -> Iterator[tuple[list[str], list[str]]]:
        stream, seen = iter(documents), set[str]()
        while chunk := list(islice(stream, _CHUNK)):
            for document in chunk:
                docno = document.get("docno")
                if not isinstance(docno, str):
                    raise TypeError(f"every document needs a string docno, got {docno!r}")
                if self.text_field not in document:
                    raise ValueError(f"document {docno!r} has no {self.text_field!r}, only {sorted(document)}")
                if docno in seen:
                    raise ValueError(f"docno {docno!r} comes twice; a ColBERT index holds one text a docno")
                seen.add(docno)
            yield [d["docno"] for d in chunk], [as_text(d[self.text_field]) for d in chunk]

    def __repr__(self) -> str:
        return f"ColBERTIndexer({self._index!r}, {self.model!r}, dtype={self.dtype!r})"


class Searcher(Configured):
    index: ColBERTIndex
    model: ColBERT | str | None

    @cached_property
    def encoder(self) -> ColBERT:
        """The model, checked against the index once."""
        return self.index.model(self.model)

    def __getstate__(self) -> dict[str, Any]:
        return self._config()


class ColBERTIndexScorer(Searcher):
    """R -> R: MaxSim between the query and the stored vectors of the documents.

    Args:
        index: the index; documents that it does not hold score 0.
        model: encodes the queries; None: the model that built the index, by its name.

    Columns in: `qid`, `docno`, `query`. Rows keep their order.
    """

    def __init__(self, index: ColBERTIndex, model: ColBERT | str | None = None) -> None:
        self.index, self.model = index, model

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "docno", "query"], context=self)
        result = inp.drop(columns=["score", "rank"], errors="ignore")
        if not len(inp):
            return result.assign(score=np.empty(0), rank=np.empty(0, dtype=np.int64))
        document = self.index.docnos.rows(inp["docno"])
        query, queries = pd.factorize(pd.Series([clean_text(q) for q in inp["query"]]))
        query[document < 0] = len(queries)
        score = np.zeros(len(inp))
        rows = np.split(np.argsort(query, kind="stable"), np.cumsum(np.bincount(query, minlength=len(queries)))[:-1])
        for vectors, chosen in zip(self.encoder.encode(list(queries), "query"), rows, strict=False):
            chosen = chosen[document[chosen] >= 0]
            where, starts = ragged(document[chosen], self.index.offsets)
            score[chosen] = maxsim(vectors, self.index.tokens(where), starts)
        number = pd.factorize(inp["qid"])[0].astype(np.int64)
        return result.assign(score=score, rank=ranks(number, score))


class ColBERTRetriever(Searcher):
    """Q -> R: the documents with the highest MaxSim, exactly, by a pass over all vectors.

    Args:
        index: the index.
        model: encodes the queries; None: the model that built the index, by its name.
        num_results: documents per query.

    Columns in: `qid`, `query`. Columns out: the queries', `docno`, `score`, `rank`. An empty query finds nothing.
    """

    def __init__(self, index: ColBERTIndex, model: ColBERT | str | None = None, num_results: int = 1000) -> None:
        self.index, self.model, self.num_results = index, model, num_results

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        vectors = self.encoder.encode([clean_text(q) for q in inp["query"]], "query") if len(inp) else []
        found = [
            pair for start in range(0, len(inp), _TOGETHER) for pair in self._search(vectors[start : start + _TOGETHER])
        ]
        count = [len(rows) for rows, _ in found]
        result = inp.iloc[np.repeat(np.arange(len(inp)), count)].reset_index(drop=True)
        rows = np.concatenate([r for r, _ in found]) if found else np.empty(0, dtype=np.int64)
        result["docno"] = pd.Series(self.index.docnos.docnos(rows) if len(rows) else [], dtype=object)
        result["score"] = np.concatenate([s for _, s in found]) if found else np.empty(0)
        result["rank"] = np.concatenate([np.arange(n) for n in count]) if count else np.empty(0, dtype=np.int64)
        return result

    def _search(self, queries: list[Any]) -> Iterator[tuple[Any, Any]]:
        """The best rows and their scores, of each query."""
        offsets, documents = self.index.offsets, len(self.index)
        scores = np.zeros((len(queries), documents), dtype=np.float32)
        first = 0
        while first < documents:
            last = int(np.searchsorted(offsets, offsets[first] + _SCAN, side="right")) - 1
            last = min(max(last, first + 1), documents)
            tokens = self.index.tokens(slice(offsets[first], offsets[last]))
            part = maxsim_many(queries, tokens, offsets[first:last] - offsets[first])
            scores[:, first:last] = part
            first = last
        for query, row in zip(queries, scores, strict=True):
            size = min(self.num_results, documents) if len(query) else 0
            best = np.argpartition(-row, size - 1)[:size] if size else np.empty(0, dtype=np.int64)
            best = best[np.lexsort((best, -row[best]))]
            yield best, row[best].astype(np.float64)

    def fuse_rank_cutoff(self, k: int) -> ColBERTRetriever | None:
        return ColBERTRetriever(self.index, self.model, k) if k < self.num_results else None


def probe(model: ColBERT) -> npt.NDArray[np.float32]:
    """The mean token vector of a fixed sentence."""
    return np.asarray(model.encode([PROBE])[0].mean(axis=0), dtype=np.float32)


def _cosine(a: npt.NDArray[np.float32], b: npt.NDArray[np.float32]) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))
