"""Late interaction (ColBERT): token vectors of queries and documents, compared by MaxSim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._extras import need
from pyterrier_quantity.frames.frame import objects
from pyterrier_quantity.neural.encodings import Encoded
from pyterrier_quantity.neural.maxsim import maxsim
from pyterrier_quantity.neural.models import Kind, LazyModel, model_kind
from pyterrier_quantity.neural.numeric_terms import NumericTerms, met
from pyterrier_quantity.neural.rankers import TextScorer


class ColBERT(LazyModel):
    """A late-interaction model.

    The arguments are those of `LazyModel`. Stanford's ColBERT checkpoints, PyLate's, and sentence-transformers'
    multi-vector models load with their own projection. Other encoders have no projection: their own token vectors are
    used.
    Source: Khattab and Zaharia, ColBERT, 2020.

    Raises, on first use:
        ModelKindError: if the model is of another kind (SPLADE).
        ImportError: naming the extra, if torch or sentence-transformers is missing.
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
        """The length of a token vector."""
        return int(self.loaded.get_embedding_dimension())

    def scorer(self, text_field: str = "text") -> TextScorer:
        """Return a scorer, R -> R, by MaxSim over the text; see `TextScorer`."""
        return TextScorer(self, text_field)

    def encode(self, texts: Sequence[str], task: str = "document") -> Encoded:
        """Encode texts.

        Returns an `Encoded`. Its `tokens` has, for each text, the token vectors, (tokens, dimension), each of length 1.
        Its `values` has the terms of the quantities, if the model takes quantities as terms. An empty text has no token
        vectors.

        Args:
            texts: cleaned strings.
            task: "query" or "document".
        """
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
    """Return the quantities of texts as terms, see `Encoded.values`; None if the model does not take them as terms."""
    if numeric is None:
        return None
    return objects(numeric.queries(texts)) if task == "query" else numeric.documents(texts)
