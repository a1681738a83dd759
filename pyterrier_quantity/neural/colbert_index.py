"""Store the token vectors of a corpus on disk, for reranking and retrieval by late interaction (ColBERT)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._extras import need
from pyterrier_quantity.flat_arrays import Array, starts_of
from pyterrier_quantity.index.docnos import build_lookup
from pyterrier_quantity.neural.colbert import ColBERT, maxsim, ragged
from pyterrier_quantity.neural.models import prompt_of
from pyterrier_quantity.neural.neural_index import HOW_TO_BUILD, PROBE, NeuralIndex, rounded
from pyterrier_quantity.neural.numeric_terms import SLOTS, met
from pyterrier_quantity.neural.rankers import Encoded, Ints
from pyterrier_quantity.storage import array_file
from pyterrier_quantity.storage.index_folder import Kind

NOWHERE: Final = 2**16 - 1
"""Offset that stands for tokens that are not in the text, such as [CLS]."""
Places = npt.NDArray[np.uint16]


def places(model: Any, texts: Sequence[str], counts: Sequence[int]) -> list[Places]:
    """Return, for each text, an array with the character offset of each token that has a vector. The offset is
    `NOWHERE` for special tokens, and for all tokens if vectors are pooled or the tokenizer has no offsets. `model` is a
    `MultiVectorEncoder`, or a `SparseEncoder` with a vector per token. `counts` is the number of vectors per text."""
    result = [np.full(count, NOWHERE, dtype=np.uint16) for count in counts]
    filled = [number for number, count in enumerate(counts) if count]
    if not filled or not getattr(model.tokenizer, "is_fast", False):
        return result
    before, offsets = prompt_of(model, "document") or "", {"text": {"return_offsets_mapping": True}}
    read = [texts[number].strip() for number in filled]
    features = model[0].preprocess(read, prompt=before, task="document", processing_kwargs=offsets)
    spans = features.pop("offset_mapping").numpy().astype(np.int64)
    for module in model:
        if type(module).__name__ == "MultiVectorMask":  # this module masks the tokens without vectors
            features = module(features, task="document")
    scored = features["attention_mask"].bool().numpy()
    for number, span, has_vector in zip(filled, spans, scored, strict=True):
        begin, end = span[has_vector].T
        if len(begin) == counts[number]:
            inside = (begin < end) & (begin >= len(before))
            shift = len(texts[number]) - len(texts[number].lstrip()) - len(before)
            result[number][:] = np.where(inside, np.minimum(begin + shift, NOWHERE - 1), NOWHERE)
    return result


COLBERT: Final = Kind("colbert_index", "token_vectors", 7, "ColBERT index", HOW_TO_BUILD, "pyterrier-quantity[neural]")
_GROWN: Final = {"vectors": "i1", "steps": "<f2", "places": "<u2", "lengths": "<i8", "values": "<i4", "counts": "<i8"}
"""A dictionary from each column of the index to its NumPy type."""
_SCAN: Final = 1 << 12  # number of token vectors compared at once, which fit into a processor's cache
_TOGETHER: Final = 64  # number of queries that the retriever answers in one pass over the vectors


class ColBERTIndex(NeuralIndex):
    """Index of the token vectors of a corpus, memory-mapped, for late interaction (ColBERT).
    `ColBERTIndex(path).indexer(model).index(documents)` builds an index in the folder `path`."""

    KIND = COLBERT
    MODEL = ColBERT
    GROWN = _GROWN
    WHAT = "The token vectors of a collection, for late interaction (ColBERT)."
    BUILD = "from pyterrier_quantity.neural import ColBERTIndex\nColBERTIndex('index').indexer(model).index(documents)"

    @staticmethod
    def columns(model: Any, texts: Sequence[str], encoded: Encoded) -> dict[str, Array]:
        """Return the arrays to store for a batch of documents: int8 token vectors, the factors that restore their
        values, the tokens' character offsets, and the texts' quantities as sparse vectors."""
        lengths = [len(tokens) for tokens in encoded.tokens]
        vectors, steps = as_bytes(np.concatenate(list(encoded.tokens)))
        found: dict[str, Array] = {"vectors": vectors, "steps": steps, "lengths": np.array(lengths)}
        found["places"] = np.concatenate(places(model.loaded, texts, lengths))
        if encoded.values is not None:
            found |= {"values": encoded.values.indices, "counts": np.diff(encoded.values.indptr)}
        return found

    @classmethod
    def write(cls, folder: Path, model: Any, docnos: Sequence[str], grown: Mapping[str, Array], k: int | None) -> None:
        arrays = {name: grown[name] for name in ("vectors", "steps", "places", "values")}
        arrays |= {"offsets": starts_of(grown["lengths"]), "value_offsets": starts_of(grown["counts"])}
        meta = cls.about(model, docnos) | {"dimension": model.dimension}
        array_file.write(folder, arrays | build_lookup(docnos), meta)

    @staticmethod
    def probe(model: Any) -> list[float]:
        """Return the mean token vector of a fixed text, to check later that queries are encoded by the same model."""
        return rounded(model.encode([PROBE]).tokens[0].mean(axis=0))

    @cached_property
    def values(self) -> Any:
        """The quantities of all documents as sparse vectors, a CSR matrix with a row per document."""
        parts = np.ones(len(self._arrays["values"]), np.float32), self._arrays["values"], self._arrays["value_offsets"]
        return need("scipy.sparse").csr_matrix(parts, shape=(len(self), SLOTS))

    @cached_property
    def offsets(self) -> npt.NDArray[np.int64]:
        """The index of each document's first token vector, followed by the total number of token vectors."""
        return self._arrays["offsets"].astype(np.int64)

    def tokens(self, where: slice | npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Return the token vectors at the positions `where`, an array of shape (positions, dimension)."""
        vectors = self._arrays["vectors"].reshape(-1, self.meta["dimension"])[where].astype(np.float32)
        vectors *= self._arrays["steps"][where].astype(np.float32)[:, None]
        return vectors

    def scores(self, query: Encoded, rows: Ints, alpha: float) -> npt.NDArray[np.float32]:
        where, starts = ragged(rows, self.offsets)
        score = maxsim([query.tokens], self.tokens(where), starts)[0]
        return score if query.values is None else score + met(self.values[rows], query.values)

    def all_scores(self, queries: Encoded, number: int, alpha: float) -> Iterator[npt.NDArray[np.float32]]:
        for start in range(0, number, _TOGETHER):
            some = queries[start : start + _TOGETHER]
            scores = self._scores(list(some.tokens))
            if some.values is not None:
                scores += np.stack([met(self.values, asked) for asked in some.values])
            yield from scores[:, :, None]

    def _scores(self, queries: list[npt.NDArray[np.float32]]) -> npt.NDArray[np.float32]:
        offsets, documents = self.offsets, len(self)
        scores = np.zeros((len(queries), documents), dtype=np.float32)
        first = 0
        while first < documents:
            last = int(np.searchsorted(offsets, offsets[first] + _SCAN, side="right")) - 1
            last = min(max(last, first + 1), documents)
            tokens = self.tokens(slice(offsets[first], offsets[last]))
            scores[:, first:last] = maxsim(queries, tokens, offsets[first:last] - offsets[first])
            first = last
        return scores

    def places(self, where: npt.NDArray[np.int64]) -> Places:
        """Return the character offsets of the tokens at the positions `where`, with `NOWHERE` for special tokens."""
        return self._arrays["places"][where]


def as_bytes(vectors: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float16]]:
    """Round vectors to int8. Return the rounded vectors, and for each vector the factor that restores its values."""
    step = (np.abs(vectors).max(axis=1) / 127 if len(vectors) else np.empty(0)).astype("<f2")
    wide = np.maximum(step.astype(np.float32), 1e-7)[:, None]
    return np.clip(np.rint(vectors / wide), -127, 127).astype(np.int8), step
