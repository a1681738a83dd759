"""One encoder, dense and sparse: a single pass gives a text's vector, its terms and its tokens' vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.index.context_words import STOP_WORDS
from pyterrier_quantity.neural.hybrid_outputs import OUTPUTS, POOLINGS, SETTINGS_FILE, TERMS, Encoded
from pyterrier_quantity.neural.maxsim import maxsim_many
from pyterrier_quantity.neural.models import (
    Kind,
    LazyModel,
    ModelKindError,
    model_kind,
    need,
    prompt_of,
    read_settings,
    texts_cut,
)
from pyterrier_quantity.neural.numeric_terms import SLOTS
from pyterrier_quantity.neural.sparse_quantities import all_terms, with_quantities
from pyterrier_quantity.neural.toks import NOTHING, SparseVector, dot, heaviest, max_pooled, spread, vocabulary

if TYPE_CHECKING:
    from pyterrier_quantity.neural.hybrid_tokens import HybridTokens
    from pyterrier_quantity.neural.hybrid_transformers import HybridDocEncoder, HybridQueryEncoder, HybridScorer

_KEPT_MARKS: Final = frozenset(':-"')


class Hybrid(LazyModel):
    """A masked language model with its head as dense and sparse encoder at once.

    The dense vector is the final hidden state of [CLS], as it is; the sparse one has for each term of the vocabulary
    the maximum over the tokens of log(1 + ReLU(logit)), cut to its k largest. A pair's score is
    alpha * dense . dense + (1 - alpha) * sparse . sparse (Eq. of section 4.2).

    Args:
        model: a folder or a name on the hub: a masked language model with its head (BERT, SPLADE), which encodes
            documents, and queries, too, where its folder holds none for these in `query/`; or a loaded
            sentence-transformers `SparseEncoder`.
        query_model: the encoder of queries; None: the model's own.
        outputs: which of "dense", "sparse" and "tokens" are computed.
        pooling: "cls", or "mean" of the tokens, normalised, as sentence encoders have it; None: what the model's folder
            says, or else "cls".
        content_only: give no weight to markers, English stop words and punctuation but : - ", as the paper's code does;
            None: what the model's folder says, or else False.
        options: of `LazyModel`; `quantities="terms"` puts the terms of quantities behind the k largest, and into what
            `token_encoder()` gives.

    Raises, on first use:
        ModelKindError: if the model has no masked-language head.
        ImportError: naming the extra, if torch or sentence-transformers is missing.

    Source: hybrid-product-qa, section 4.2.
    """

    GATE = 12.0

    def __init__(
        self,
        model: Any,
        query_model: Any = None,
        outputs: Sequence[str] = ("dense", "sparse"),
        pooling: str | None = None,
        content_only: bool | None = None,
        **options: Any,
    ) -> None:
        super().__init__(model, **options)
        if unknown := [name for name in outputs if name not in OUTPUTS]:
            raise ValueError(f"unknown output {unknown[0]!r}; some of {', '.join(OUTPUTS)}")
        if not outputs:
            raise ValueError(f"outputs is empty; some of {', '.join(OUTPUTS)}")
        if pooling not in (None, *POOLINGS):
            raise ValueError(f"unknown pooling {pooling!r}; one of {', '.join(POOLINGS)}")
        self.query_model = str(query_model) if isinstance(query_model, Path) else query_model
        self.outputs, self.pooling, self.content_only = tuple(outputs), pooling, content_only

    def query_encoder(self, k: int | None = TERMS, scale: float = 100.0) -> HybridQueryEncoder:
        """Q -> Q with `query_vec`, `query_toks`; see `HybridQueryEncoder`."""
        from pyterrier_quantity.neural.hybrid_transformers import HybridQueryEncoder

        return HybridQueryEncoder(self, k, scale)

    def doc_encoder(self, k: int | None = TERMS, text_field: str = "text", scale: float = 100.0) -> HybridDocEncoder:
        """D -> D with `doc_vec`, `toks`; see `HybridDocEncoder`."""
        from pyterrier_quantity.neural.hybrid_transformers import HybridDocEncoder

        return HybridDocEncoder(self, k, text_field, scale)

    def scorer(self, alpha: float | None = None, k: int | None = TERMS, text_field: str = "text") -> HybridScorer:
        """R -> R from the text; see `HybridScorer`."""
        from pyterrier_quantity.neural.hybrid_transformers import HybridScorer

        return HybridScorer(self, alpha, k, text_field)

    def token_encoder(self) -> HybridTokens:
        """The same model as a late-interaction model, for `ColBERTIndex` and what searches it."""
        from pyterrier_quantity.neural.hybrid_tokens import HybridTokens

        return HybridTokens(self)

    @property
    def alpha(self) -> float:
        """The weight of the dense part that the model was trained for, or .5."""
        return float(self._settings.get("alpha", 0.5))

    @cached_property
    def terms(self) -> list[str]:
        """The vocabulary, by number; behind it, if quantities are terms, theirs."""
        return all_terms(self.loaded, self.numeric)

    @property
    def dimension(self) -> int:
        """The length of the dense vector, and of a token's."""
        return int(self.loaded[0].auto_model.config.hidden_size)

    def encode(
        self,
        texts: Sequence[str],
        task: str = "document",
        k: int | None = TERMS,
        outputs: Sequence[str] | None = None,
    ) -> Encoded:
        """Encode texts, each in one pass of the model.

        Args:
            texts: cleaned strings; an empty one has a vector of zeros, no terms, no tokens.
            task: "query" or "document".
            k: how many of the heaviest terms are kept; None: all.
            outputs: what is computed; None: the model's own `outputs`.
        """
        if k is not None and k < 1:
            raise ValueError(f"k must be at least 1, got {k!r}")
        outputs = self.outputs if outputs is None else outputs
        model = self.query_loaded if task == "query" else self.loaded
        dense = np.zeros((len(texts), self.dimension), dtype=np.float32)
        sparse: list[SparseVector] = [NOTHING] * len(texts)
        tokens = [np.empty((0, self.dimension), dtype=np.float32)] * len(texts)
        filled = [number for number, text in enumerate(texts) if text]
        chosen, cut = self.prepared([texts[number] for number in filled], task), 0
        for batch in self.batches(chosen, f"hybrid {task}"):
            found = self._forward(model, [chosen[n] for n in batch], task, outputs)
            cut += found.cut
            if "dense" in outputs:
                dense[[filled[n] for n in batch]] = self.pooled(found.hidden, found.mask).cpu().numpy()
            if "sparse" in outputs:
                weights = max_pooled(found.logits, found.mask) * self.wanted
                for number, vector in zip(batch, heaviest(weights, k), strict=True):
                    sparse[filled[number]] = vector
            if "tokens" in outputs:
                for number, vectors in zip(batch, _token_vectors(found), strict=True):
                    tokens[filled[number]] = vectors
        self.warn_of_cut(cut)
        if self.numeric and "sparse" in outputs:
            sparse = with_quantities(sparse, texts, task, self.numeric, len(self.terms) - SLOTS)
        return Encoded(dense, sparse, tokens)

    @cached_property
    def query_loaded(self) -> Any:
        """The model that encodes queries."""
        name = self.query_model or self._own("query")
        if name is None:
            return self.loaded
        names = self._arguments() | {"model": name, "query_model": None}
        return Hybrid(**names).loaded

    def _load(self) -> Any:
        kind = model_kind(self.name)
        if kind not in (Kind.SPARSE, Kind.MASKED):
            raise ModelKindError(
                f"{self.name} is {kind.value} without a masked-language head, from which Hybrid takes its terms; give "
                "a masked language model or a SPLADE model, or put a head on it by training.head.with_head"
            )
        return self._checked(need("sentence_transformers").SparseEncoder(self.name, **self._loading()))

    def _checked(self, model: Any) -> Any:
        if not isinstance(model, need("sentence_transformers").SparseEncoder):
            raise ModelKindError(f"Hybrid takes a SparseEncoder or a name, got {type(model).__name__}")
        encoder = getattr(model[0], "auto_model", None)
        if encoder is None or not type(encoder).__name__.endswith("ForMaskedLM"):
            raise ModelKindError(
                f"{self.name} is a sparse encoder of another form ({type(model[0]).__name__}), without a "
                "masked-language head to take terms from"
            )
        return model

    def _forward(self, model: Any, texts: list[str], task: str, outputs: Sequence[str]) -> _Pass:
        """One pass, without the head where no terms are asked for."""
        torch, encoder = need("torch"), model[0].auto_model
        features = model.preprocess(texts, prompt=prompt_of(model, task))
        names = [name for name in model.tokenizer.model_input_names if name in features]
        inputs = {name: features[name].to(model.device) for name in names}
        mask = inputs["attention_mask"]
        cut = texts_cut(mask, model.max_seq_length)
        with torch.inference_mode():
            if "sparse" not in outputs:
                return _Pass(encoder.base_model(**inputs).last_hidden_state.float(), None, mask, cut)
            output = encoder(**inputs, output_hidden_states=True)
            return _Pass(output.hidden_states[-1].float(), output.logits, mask, cut)

    @property
    def vector(self) -> str:
        """How the dense vector is made of the tokens' states, one of `POOLINGS`."""
        return self.pooling or str(self._settings.get("pooling", POOLINGS[0]))

    def pooled(self, states: Any, mask: Any) -> Any:
        """The dense vectors of texts, given their tokens' states and which tokens are there."""
        if self.vector == "cls":
            return states[:, 0]
        return need("torch").nn.functional.normalize((states * mask.unsqueeze(-1)).sum(dim=1), dim=1)

    def similarities(
        self, queries: Sequence[str], texts: Sequence[str], k: int | None = TERMS
    ) -> dict[str, npt.NDArray[Any]]:
        """(queries, texts) for each of the outputs: the dot product of vectors, of terms, and MaxSim of tokens."""
        asked, stated = self.encode(queries, "query", k), self.encode(texts, "document", k)
        found: dict[str, npt.NDArray[Any]] = {}
        if "dense" in self.outputs:
            found["dense"] = asked.dense @ stated.dense.T
        if "sparse" in self.outputs:
            found["sparse"] = np.stack([dot(spread(one, len(self.terms)), stated.sparse) for one in asked.sparse])
        if "tokens" in self.outputs:
            starts = np.cumsum([0, *map(len, stated.tokens)])[:-1]
            found["tokens"] = np.stack(maxsim_many(asked.tokens, np.concatenate(stated.tokens), starts))
        return found

    @cached_property
    def wanted(self) -> Any:
        """1 for each term that may have a weight, 0 for the others; a tensor."""
        chosen = self._settings.get("content_only", False) if self.content_only is None else self.content_only
        markers = self.loaded.tokenizer.all_special_tokens
        terms = vocabulary(self.loaded)
        kept = content_terms(terms, markers) if chosen else [True] * len(terms)
        return need("torch").tensor(kept, dtype=need("torch").float32, device=self.loaded.device)

    @cached_property
    def _settings(self) -> dict[str, Any]:
        """What the model's folder says of itself."""
        return read_settings(Path(self.name) / SETTINGS_FILE) if isinstance(self.model, str) else {}

    def _own(self, name: str) -> str | None:
        """A part of the model's folder, if it has it."""
        path = Path(self.model) / name if isinstance(self.model, str) else None
        return str(path) if path and path.exists() else None

    def _arguments(self) -> dict[str, Any]:
        names = ("query_model", "outputs", "pooling", "content_only")
        return super()._arguments() | {name: getattr(self, name) for name in names}


def content_terms(terms: Sequence[str], markers: Sequence[str]) -> list[bool]:
    """Which terms of a vocabulary say what a text is about: no markers, stop words and punctuation but : - and "."""
    left_out = STOP_WORDS | set(markers)
    return [term not in left_out and (any(c.isalnum() for c in term) or term in _KEPT_MARKS) for term in terms]


@dataclass(frozen=True)
class _Pass:
    """What the model gives of a batch: hidden states, logits where asked for, the mask, and how many texts are cut."""

    hidden: Any
    logits: Any
    mask: Any
    cut: int


def _token_vectors(found: _Pass) -> list[npt.NDArray[np.float32]]:
    vectors = need("torch").nn.functional.normalize(found.hidden, dim=-1).cpu().numpy()
    return [row[kept] for row, kept in zip(vectors, found.mask.bool().cpu().numpy(), strict=True)]
