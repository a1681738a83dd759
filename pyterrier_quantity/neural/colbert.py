"""Encode queries and documents as token vectors, and score documents by MaxSim (late interaction, ColBERT)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._extras import need
from pyterrier_quantity.flat_arrays import Ints, ragged_ranges
from pyterrier_quantity.frames.frame import objects
from pyterrier_quantity.neural.models import Kind, LazyModel, model_kind
from pyterrier_quantity.neural.numeric_terms import NumericTerms, met
from pyterrier_quantity.neural.rankers import Encoded, TextScorer

Floats = npt.NDArray[np.float32]


def ragged(rows: Ints, offsets: Ints) -> tuple[Ints, Ints]:
    """Return the indexes of all tokens of the documents `rows`, and the positions in this array at which the documents
    begin. Example: rows [1, 0], offsets [0, 2, 5] -> [2, 3, 4, 0, 1], [0, 3]. `offsets` contains the index of the
    first token of each document, followed by the total number of tokens."""
    count = offsets[rows + 1] - offsets[rows]
    return ragged_ranges(offsets[rows], count), np.cumsum(count) - count


def maxsim(queries: Sequence[Floats], tokens: Floats, starts: Ints) -> Floats:
    """Return the MaxSim scores of documents for queries, an array of shape (queries, documents).

    MaxSim is the sum, over the query's tokens, of the highest dot product with a token vector of the document.

    Args:
        queries: token vectors of each query, an array of shape (query tokens, dimension).
        tokens: concatenated token vectors of all documents, an array of shape (document tokens, dimension).
        starts: index of each document's first token, in ascending order. A document without tokens scores 0.
    """
    scores = np.zeros((len(queries), len(starts)), dtype=np.float32)
    filled = np.flatnonzero(np.append(starts[1:], len(tokens)) > starts)
    ends = np.cumsum([len(query) for query in queries])
    if len(filled) and len(ends) and ends[-1]:
        best = np.maximum.reduceat(tokens @ np.concatenate(queries).T, starts[filled], axis=0)
        for score, part in zip(scores, np.split(best, ends[:-1], axis=1), strict=True):
            score[filled] = part.sum(axis=1)
    return scores


class ColBERT(LazyModel):
    """A late-interaction model (ColBERT), which represents a text as one vector per token.

    The arguments are those of `LazyModel`. ColBERT checkpoints from Stanford and PyLate, and multi-vector
    sentence-transformers models, are loaded with their projection layer. For other encoders, the token vectors are
    hidden states. Source: Khattab and Zaharia, *ColBERT*, 2020.

    Raises, on first use:
        ModelKindError: if the model is a SPLADE model.
        ImportError: if torch or sentence-transformers is missing; the message names the extra.
    """

    TAKES = "MultiVectorEncoder"
    KINDS = (Kind.MULTI,)
    OTHERWISE = "which has no token vectors; use Splade(model)"
    GATE = 3.0

    def _load(self) -> Any:
        if model_kind(self.name) in (Kind.MULTI, Kind.SPARSE):
            return super()._load()
        st = need("sentence_transformers")
        encoder = st.SentenceTransformer(self.name, **self._loading())
        modules = need("sentence_transformers.multi_vector_encoder.modules")
        normal = need("sentence_transformers.base.modules").Normalize(module_input_name="token_embeddings")
        chain = [encoder[0], modules.MultiVectorMask(), normal]
        return st.MultiVectorEncoder(modules=chain, device=self.device, prompts=encoder.prompts)

    @property
    def dimension(self) -> int:
        """Number of dimensions of a token vector."""
        return int(self.loaded.get_embedding_dimension())

    def scorer(self, text_field: str = "text") -> TextScorer:
        """Return a transformer, R -> R, that scores texts by MaxSim; see `TextScorer`."""
        return TextScorer(self, text_field)

    def encode(self, texts: Sequence[str], task: str = "document") -> Encoded:
        """Return the token vectors of stripped texts, normalised to length 1. If the model compares values, also return
        the texts' quantities as sparse vectors. The task is "query" or "document"."""
        filled, found = self.encoded(texts, task)
        tokens = objects([np.empty((0, self.dimension), dtype=np.float32)] * len(texts))
        for number, vectors in zip(filled, found or (), strict=True):
            tokens[number] = vectors.float().cpu().numpy()
        return Encoded(tokens=tokens, values=values(self.numeric, texts, task))

    @staticmethod
    def score(query: Encoded, documents: Encoded) -> npt.NDArray[np.float32]:
        """Return the scores of documents for one query, an array of shape (documents,)."""
        lengths = np.array([len(vectors) for vectors in documents.tokens], dtype=np.int64)
        (words,) = maxsim([query.tokens], np.concatenate(list(documents.tokens)), np.cumsum(lengths) - lengths)
        return words if query.values is None else words + met(documents.values, query.values)


def values(numeric: NumericTerms | None, texts: Sequence[str], task: str) -> Any:
    """Return the quantities of texts in the form of `Encoded.values`, or None if the model does not compare values."""
    if numeric is None:
        return None
    return objects(numeric.queries(texts)) if task == "query" else numeric.documents(texts)
