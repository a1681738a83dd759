"""`HybridIndexer`: encodes a corpus once into everything that a `HybridIndex` holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity import _arrays, _recorded
from pyterrier_quantity._extras import need
from pyterrier_quantity._growing_column import GrowingColumn
from pyterrier_quantity._index_folder import Kind, new_folder
from pyterrier_quantity.index.docnos import build_lookup
from pyterrier_quantity.neural.colbert_indexer import COLBERT, TokenWriter
from pyterrier_quantity.neural.hybrid import TERMS, Hybrid
from pyterrier_quantity.neural.neural_index import PROBE, Chunk, NeuralIndex, NeuralIndexer, probe_of
from pyterrier_quantity.neural.numeric_terms import FORM

HYBRID: Final = Kind(
    "hybrid_index",
    "dense_sparse",
    5,
    called="hybrid index",
    build="build one with .indexer(model).index(documents)",
    package="pyterrier-quantity[dense]",
)
VECTORS, TOKENS = "flex", "token_index"
"""The folders of the vectors and of the token vectors within a hybrid index."""
_GROWN: Final = {"dense": "<f4", "term": "<u4", "weight": "<f4", "count": "<i8"}
"""What is kept while it grows: vectors, and each document's terms, one after the other."""


class HybridIndexer(NeuralIndexer):
    """Encodes documents into a `HybridIndex`, each in one pass.

    Args:
        index: where to.
        model: the model, or its name; with "tokens" among its outputs the index holds token vectors, too.
        k: how many of a text's heaviest terms are kept; None: 256.
        overwrite: replace an index at this path.
        text_field: the field that holds the text.

    Raises:
        ValueError: if the model's outputs lack "dense" or "sparse"; by `index` on an empty corpus.
    """

    def __init__(
        self,
        index: NeuralIndex,
        model: Hybrid | str,
        k: int | None = None,
        overwrite: bool = False,
        text_field: str = "text",
    ) -> None:
        super().__init__(index, model if isinstance(model, Hybrid) else Hybrid(model), overwrite, text_field)
        if missing := {"dense", "sparse"} - set(self.model.outputs):
            raise ValueError(f"a hybrid index needs the model's output {sorted(missing)[0]!r}; add it to outputs")
        self.k = k or TERMS

    def _write(self, folder: Path, chunks: Iterable[Chunk]) -> None:
        model, docnos = self.model, list[str]()
        grown = {name: GrowingColumn(dtype, folder) for name, dtype in _GROWN.items()}
        tokens = TokenWriter(model.token_encoder(), folder) if "tokens" in model.outputs else None
        for names, texts in chunks:
            docnos += names
            found = model.encode([text.strip() for text in texts], "document", self.k)
            grown["dense"].append(found.dense)
            grown["count"].append(np.array([len(terms) for terms, _ in found.sparse]))
            for name, parts in zip(("term", "weight"), zip(*found.sparse, strict=True), strict=True):
                grown[name].append(np.concatenate(parts))
            if tokens:
                tokens.add(texts, found.tokens)
        if not docnos:
            raise ValueError("the corpus is empty: there is nothing to index")
        self._write_vectors(folder / VECTORS, docnos, grown["dense"].array())
        if tokens:
            with new_folder(folder / TOKENS, False, COLBERT) as part:
                tokens.write(part, docnos)
        meta = {"documents": len(docnos), "model": model.name, "dimension": model.dimension, "k": self.k}
        meta |= {"quantities": model.form, "probe": probe_of(vector_probe(model))}
        if model.numeric:
            meta["terms"] = FORM
        postings = _postings(grown["term"].array(), grown["weight"].array(), grown["count"].array(), len(model.terms))
        _arrays.write(folder, postings | build_lookup(docnos), meta)

    def _write_vectors(self, folder: Path, docnos: Sequence[str], dense: npt.NDArray[np.float32]) -> None:
        vectors = zip(docnos, dense.reshape(len(docnos), -1), strict=True)
        flex = need("pyterrier_dr", "dense").FlexIndex(str(folder), verbose=False)
        flex.index({"docno": docno, "doc_vec": vector} for docno, vector in vectors)
        _recorded.record(folder)


def vector_probe(model: Hybrid) -> npt.NDArray[np.float32]:
    """The vector of a fixed sentence."""
    return model.encode([PROBE], outputs=("dense",)).dense[0]


def _postings(
    term: npt.NDArray[Any], weight: npt.NDArray[Any], count: npt.NDArray[Any], terms: int
) -> dict[str, npt.NDArray[Any]]:
    """Of each term the rows of the documents that have it, and its weights there.

    Args:
        term, weight: of the documents' terms, one document after the other.
        count: how many each document has.
        terms: how many there are.
    """
    order = np.argsort(term, kind="stable")
    begin = np.searchsorted(term[order], np.arange(terms + 1)).astype("<i8")
    row = np.repeat(np.arange(len(count), dtype="<u4"), count)
    return {"term_begin": begin, "row": row[order], "weight": weight[order]}
