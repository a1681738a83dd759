"""Writing a `ColBERTIndex`: the token vectors of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity import _arrays
from pyterrier_quantity._growing_column import GrowingColumn
from pyterrier_quantity._index_folder import Kind
from pyterrier_quantity._ragged import starts_of
from pyterrier_quantity.index.docnos import build_lookup
from pyterrier_quantity.neural.colbert import ColBERT, TokenVectors
from pyterrier_quantity.neural.neural_index import PROBE, Chunk, NeuralIndex, NeuralIndexer, probe_of
from pyterrier_quantity.neural.numeric_terms import FORM
from pyterrier_quantity.neural.places import places
from pyterrier_quantity.neural.stored_terms import StoredTerms

COLBERT: Final = Kind(
    "colbert_index",
    "token_vectors",
    5,
    called="ColBERT index",
    build="build one with .indexer(model).index(documents)",
    package="pyterrier-quantity[neural]",
)
_GROWN: Final = {"vectors": "i1", "steps": "<f2", "places": "<u2", "lengths": "<i8", "terms": "<u4", "counts": "<i8"}
"""What is kept of token vectors, of their documents, and of quantities as terms, while they grow."""


class ColBERTIndexer(NeuralIndexer):
    """Encodes documents into a `ColBERTIndex`: a byte for each number of a vector, and one step size a vector.

    Args:
        index: where to.
        model: the model, or its name.
        overwrite: replace an index at this path.
        text_field: the field that holds the text.
    """

    def __init__(
        self, index: NeuralIndex, model: ColBERT | str, overwrite: bool = False, text_field: str = "text"
    ) -> None:
        super().__init__(index, model if isinstance(model, ColBERT) else ColBERT(model), overwrite, text_field)

    def _write(self, folder: Path, chunks: Iterable[Chunk]) -> None:
        written, docnos = TokenWriter(self.model, folder), list[str]()
        for names, texts in chunks:
            docnos += names
            written.add(texts, self.model.encode([text.strip() for text in texts], "document"))
        written.write(folder, docnos)


def token_probe(model: ColBERT) -> npt.NDArray[np.float32]:
    """The mean token vector of a fixed sentence."""
    return np.asarray(model.encode([PROBE])[0].mean(axis=0), dtype=np.float32)


class TokenWriter:
    """Collects documents' token vectors and writes them.

    Args:
        model: what makes them.
        folder: where they lie meanwhile.
    """

    def __init__(self, model: ColBERT, folder: Path) -> None:
        self._model = model
        self._grown = {name: GrowingColumn(dtype, folder) for name, dtype in _GROWN.items()}

    def add(self, texts: Sequence[str], encoded: Sequence[TokenVectors]) -> None:
        """Add documents: their texts and what the model makes of these."""
        lengths = [len(tokens) for tokens in encoded]
        values, steps = as_bytes(np.concatenate(encoded))
        columns: dict[str, Any] = {"vectors": values, "steps": steps, "lengths": np.array(lengths)}
        columns["places"] = np.concatenate(places(self._model.loaded, texts, lengths))
        if self._model.numeric:
            stored = StoredTerms.of(self._model.numeric.documents([text.strip() for text in texts]))
            columns |= {"terms": stored.terms, "counts": np.diff(stored.offsets)}
        for name, column in columns.items():
            self._grown[name].append(column)

    def write(self, folder: Path, docnos: Sequence[str]) -> None:
        """Write an index of all that was added, by these docnos, to an empty folder."""
        model, grown = self._model, {name: column.array() for name, column in self._grown.items()}
        arrays = {name: grown[name] for name in ("vectors", "steps", "places")}
        arrays |= {"offsets": starts_of(grown["lengths"]), **build_lookup(docnos)}
        if model.numeric:
            arrays |= StoredTerms(grown["terms"], starts_of(grown["counts"])).columns
        meta = {"documents": len(docnos), "model": model.name, "dimension": model.dimension}
        meta |= {"probe": probe_of(token_probe(model)), "quantities": model.form, "terms": FORM}
        _arrays.write(folder, arrays, meta)


def as_bytes(vectors: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float16]]:
    """Vectors in whole numbers from -127 to 127, and the step size of each."""
    step = (np.abs(vectors).max(axis=1) / 127 if len(vectors) else np.empty(0)).astype("<f2")
    wide = np.maximum(step.astype(np.float32), 1e-7)[:, None]
    return np.clip(np.rint(vectors / wide), -127, 127).astype(np.int8), step
