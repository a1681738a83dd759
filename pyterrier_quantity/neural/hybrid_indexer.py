"""`HybridIndexer`: encodes a corpus once into everything that a `HybridIndex` holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyterrier as pt

from pyterrier_quantity import _arrays, _recorded
from pyterrier_quantity._index_folder import install
from pyterrier_quantity.backends.pisa import kept_quiet
from pyterrier_quantity.index.docnos import build_lookup
from pyterrier_quantity.index.stored_index import StoredIndex
from pyterrier_quantity.neural.colbert_indexer import token_columns, write_tokens
from pyterrier_quantity.neural.hybrid import TERMS, Encoded, Hybrid
from pyterrier_quantity.neural.index_kinds import COLBERT, HYBRID, PROBE, TOKENS, probe_of
from pyterrier_quantity.neural.models import need
from pyterrier_quantity.neural.numeric_terms import FORM
from pyterrier_quantity.neural.resuming import Growing, chunks, growing
from pyterrier_quantity.neural.sparse_vectors import SparseVector, doc_toks
from pyterrier_quantity.neural.token_coding import check_dtype

SCALE = 100.0
"""PISA holds whole numbers: weights times this."""


class HybridIndexer(pt.Indexer):
    """Encodes documents into a `HybridIndex`, each in one pass.

    Args:
        index: where to.
        model: the model, or its name; with "tokens" among its outputs the index holds token vectors, too.
        k: how many of a text's heaviest terms are kept; None: 256.
        overwrite: replace an index at this path.
        text_field: the field that holds the text.
        resume: keep what an interrupted run has encoded, beside the path, and go on from there in the next run.
        dtype: of the token vectors; see `ColBERTIndexer`.

    Raises:
        ValueError: if the model's outputs lack "dense" or "sparse".
    """

    def __init__(
        self,
        index: StoredIndex,
        model: Hybrid | str,
        k: int | None = None,
        overwrite: bool = False,
        text_field: str = "text",
        resume: bool = False,
        dtype: str = "int8",
    ) -> None:
        check_dtype(dtype)
        self._index, self.model = index, model if isinstance(model, Hybrid) else Hybrid(model)
        if missing := {"dense", "sparse"} - set(self.model.outputs):
            raise ValueError(f"a hybrid index needs the model's output {sorted(missing)[0]!r}; add it to outputs")
        self.k, self.overwrite, self.text_field = k or TERMS, overwrite, text_field
        self.resume, self.dtype = resume, dtype

    def index_inputs(self) -> list[list[str]]:
        return [["docno", self.text_field]]

    def index(self, iter: Iterable[Mapping[str, Any]], **kwargs: Any) -> StoredIndex:
        """Build the index aside and move it into place; returns the index.

        Raises:
            FileExistsError: if there is an index and `overwrite` is off, or something else at the path.
            TypeError, ValueError: on a document without a string docno or a text, on a docno that comes twice or that
            PISA cannot write, and on an empty corpus; and if an interrupted run is continued with other settings or
            documents.
            Whatever the iterator raises. An older index then stays as it was. Without `resume` nothing half-written
            stays.
        """
        model = self.model
        settings = {"model": model.name, "k": self.k, "text_field": self.text_field, "dtype": self.dtype}
        settings |= {"outputs": list(model.outputs), "pooling": model.pooling}
        with growing(self._index.folder, HYBRID, settings, self.overwrite, self.resume) as grown:
            for docnos, texts in grown.new(chunks(iter, self.text_field)):
                _check_docnos(docnos)
                grown.append(self._columns(texts))
            if not grown.docnos:
                raise ValueError("the corpus is empty: there is nothing to index")
            self._write(grown)
        self._index.forget()
        return self._index

    def _columns(self, texts: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
        found = self.model.encode([text.strip() for text in texts], "document", self.k)
        columns = _sparse_columns(found) | {"dense": found.dense}
        if "tokens" in self.model.outputs:
            kept = token_columns(self.model.token_encoder(), texts, found.tokens, self.dtype)
            columns |= {f"tokens/{name}": values for name, values in kept.items()}
        return columns

    def _write(self, grown: Growing) -> None:
        """Make the indexes of the grown columns."""
        folder, docnos, dimension = grown.folder, grown.docnos, self.model.dimension
        offsets = np.concatenate([[0], np.cumsum(grown.column("count", "<i8"))]).astype(np.int64)
        flex = need("pyterrier_dr", "dense").FlexIndex(str(folder / "flex"), verbose=False)
        vectors = zip(docnos, grown.column("dense", "<f4", dimension), strict=True)
        flex.index({"docno": docno, "doc_vec": vector} for docno, vector in vectors)
        pisa = need("pyterrier_pisa", "pisa").PisaIndex(str(folder / "pisa"), stemmer="none", threads=1)
        with kept_quiet([1, 2]):  # it prints as it indexes
            pisa.toks_indexer(scale=1.0).index(self._toks(grown, offsets))
            pisa.quantized(toks_scale=1)  # makes the postings, which it would do in place at the first search
        for name in ("flex", "pisa"):
            _recorded.record(folder / name)
        if "tokens" in self.model.outputs:
            write_tokens(folder / "tokens", docnos, self.model.token_encoder(), self.dtype)
            install(folder / "tokens", folder / TOKENS, overwrite=False, kind=COLBERT)
        for name in ("count", "dense"):
            (folder / f"{name}.bin").unlink()
        meta = {"documents": len(docnos), "model": self.model.name, "dimension": dimension, "k": self.k}
        meta |= {"vocabulary": len(self.model.terms), "quantities": self.model.form}
        if self.model.numeric:
            meta["terms"] = FORM
        meta["probe"] = probe_of(vector_probe(self.model))
        arrays = {"offsets": offsets} | build_lookup(docnos)
        _arrays.write(folder, arrays, meta, grown={"term": "uint32", "weight": "float32"})

    def _toks(self, grown: Growing, offsets: npt.NDArray[np.int64]) -> Iterator[dict[str, Any]]:
        term, weight = grown.column("term", "<u4"), grown.column("weight", "<f4")
        for docno, begin, end in zip(grown.docnos, offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            vector: SparseVector = (term[begin:end].astype(np.int64), weight[begin:end])
            yield {"docno": docno, "toks": doc_toks([vector], self.model.terms, SCALE)[0]}

    def __repr__(self) -> str:
        return f"HybridIndexer({self._index!r}, {self.model!r}, k={self.k})"


def vector_probe(model: Hybrid) -> npt.NDArray[np.float32]:
    """The vector of a fixed sentence."""
    return model.encode([PROBE], outputs=("dense",)).dense[0]


def _sparse_columns(found: Encoded) -> dict[str, npt.NDArray[Any]]:
    return {
        "count": np.array([len(terms) for terms, _ in found.sparse], dtype="<i8"),
        "term": np.concatenate([terms for terms, _ in found.sparse]).astype("<u4"),
        "weight": np.concatenate([weights for _, weights in found.sparse]).astype("<f4"),
    }


def _check_docnos(docnos: Sequence[str]) -> None:
    for docno in docnos:
        if docno.split() != [docno] or not docno.isprintable():
            raise ValueError(f"docno {docno!r} is empty or holds blanks or control characters, which PISA cannot write")
