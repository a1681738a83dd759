"""Late interaction (ColBERT): token vectors of queries and documents, compared by MaxSim."""

from __future__ import annotations

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
    """Return the indexes of all tokens of some documents (`rows`), and the position of each document's first token
    among them. `offsets` are the index of each document's first token, and the number of all tokens."""
    count = offsets[rows + 1] - offsets[rows]
    return ragged_ranges(offsets[rows], count), np.cumsum(count) - count


def maxsim(queries: Sequence[Floats], tokens: Floats, starts: Ints) -> Floats:
    """Return the MaxSim scores of documents: (queries, documents).

    MaxSim is the sum over a query's token vectors (query tokens, dimension) of the highest dot product with a token
    vector of the document. `tokens` are the token vectors of all documents, concatenated: (document tokens, dimension).
    `starts` are the index of each document's first token, ascending; a document without tokens scores 0.
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
    """A late-interaction model.

    The arguments are those of `LazyModel`. ColBERT checkpoints of Stanford and PyLate, and multi-vector models of
    sentence-transformers, load with their projection layer. Other encoders have no such layer: their token vectors are
    used directly.
    Source: Khattab and Zaharia, ColBERT, 2020.

    Raises, on first use:
        ModelKindError: if the model is of another kind (SPLADE).
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
        return st.MultiVectorEncoder(
            modules=[encoder[0], modules.MultiVectorMask(), normal], device=self.device, prompts=encoder.prompts
        )

    @property
    def dimension(self) -> int:
        """Dimension of token vectors."""
        return int(self.loaded.get_embedding_dimension())

    def scorer(self, text_field: str = "text") -> TextScorer:
        """Return a scorer, R -> R, by MaxSim over the text; see `TextScorer`."""
        return TextScorer(self, text_field)

    def encode(self, texts: Sequence[str], task: str = "document") -> Encoded:
        """Encode cleaned texts as token vectors of length 1, and also as numeric terms if the model uses them; see
        `Encoded`. An empty text has no token vectors. The task is "query" or "document"."""
        filled, found = self.encoded(texts, task)
        tokens = objects([np.empty((0, self.dimension), dtype=np.float32)] * len(texts))
        for number, vectors in zip(filled, found or (), strict=True):
            tokens[number] = vectors.float().cpu().numpy()
        return Encoded(tokens=tokens, values=values(self.numeric, texts, task))

    @staticmethod
    def score(query: Encoded, documents: Encoded) -> npt.NDArray[np.float32]:
        """Return the score of each document for one query: (documents,)."""
        lengths = np.array([len(vectors) for vectors in documents.tokens], dtype=np.int64)
        (words,) = maxsim([query.tokens], np.concatenate(list(documents.tokens)), np.cumsum(lengths) - lengths)
        return words if query.values is None else words + met(documents.values, query.values)


def values(numeric: NumericTerms | None, texts: Sequence[str], task: str) -> Any:
    """Return the numeric terms of texts, see `Encoded.values`; None if the model does not use them."""
    if numeric is None:
        return None
    return objects(numeric.queries(texts)) if task == "query" else numeric.documents(texts)
