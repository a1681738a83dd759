"""One encoder, dense and sparse: a single pass gives a text's vector, its terms and its tokens' vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._extras import need
from pyterrier_quantity._transformer import check_choice
from pyterrier_quantity.english import STOP_WORDS
from pyterrier_quantity.neural.colbert import ColBERT, TokenVectors
from pyterrier_quantity.neural.maxsim import maxsim_many
from pyterrier_quantity.neural.models import (
    Kind,
    LazyModel,
    ModelKindError,
    model_kind,
    prompt_of,
    read_settings,
    texts_cut,
)
from pyterrier_quantity.neural.numeric_terms import SLOTS
from pyterrier_quantity.neural.rankers import TextScorer
from pyterrier_quantity.neural.sparse_vectors import (
    NOTHING,
    SparseVector,
    all_terms,
    dot,
    heaviest,
    max_pooled,
    spread,
    terms_column,
    vocabulary,
    with_quantities,
)
from pyterrier_quantity.neural.text_encoders import Columns, DocumentEncoder, QueryEncoder
from pyterrier_quantity.pipelines.rankers import DENSE_SCORE, SPARSE_SCORE

OUTPUTS: Final = ("dense", "sparse", "tokens")
POOLINGS: Final = ("cls", "mean")
SETTINGS_FILE: Final = "hybrid.json"
"""In a trained model's folder: how its vector is pooled, and the weight of its dense part."""
QUERY_FOLDER: Final = "query"
"""In a trained model's folder: the encoder of queries, where it has weights of its own."""
TERMS: Final = 256
"""How many of a text's heaviest terms are kept by default; the paper compares 128, 256 and 512."""


@dataclass(frozen=True)
class Encoded:
    """What one pass gives of some texts; what was not asked for is empty.

    Args:
        dense: (texts, dimension), float32; zeros of an empty text.
        sparse: each text's heaviest terms.
        tokens: each text's token vectors (tokens, dimension), each of length 1.
    """

    dense: npt.NDArray[np.float32]
    sparse: list[SparseVector] = field(default_factory=list)
    tokens: list[npt.NDArray[np.float32]] = field(default_factory=list)


Pair = tuple[npt.NDArray[np.float32], SparseVector]
"""A text's vector and its terms."""

_KEPT_MARKS: Final = frozenset(':-"')


class Hybrid(LazyModel):
    """A masked language model with its head as dense and sparse encoder at once.

    The dense vector is the final hidden state of [CLS], as it is; the sparse one has for each term of the vocabulary
    the maximum over the tokens of log(1 + ReLU(logit)), cut to its k largest. A pair's score is
    alpha * dense . dense + (1 - alpha) * sparse . sparse (Eq. of section 4.2).

    Args:
        model: a folder or a name on the hub: a masked language model with its head (BERT, SPLADE); or a loaded
            sentence-transformers `SparseEncoder`. It also encodes queries, unless its folder holds a model for these in
            `query/`.
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

    TAKES = "SparseEncoder"
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
        if not outputs:
            raise ValueError(f"outputs is empty; some of {', '.join(OUTPUTS)}")
        for name in outputs:
            check_choice("output", name, OUTPUTS)
        check_choice("pooling", POOLINGS[0] if pooling is None else pooling, POOLINGS)
        self.query_model = str(query_model) if isinstance(query_model, Path) else query_model
        self.outputs, self.pooling, self.content_only = tuple(outputs), pooling, content_only

    def query_encoder(self, k: int | None = TERMS, scale: float = 100.0) -> QueryEncoder:
        """Q -> Q with `query_vec`, `query_toks`; see `QueryEncoder`."""
        return QueryEncoder(self, k, scale)

    def doc_encoder(self, k: int | None = TERMS, text_field: str = "text", scale: float = 100.0) -> DocumentEncoder:
        """D -> D with `doc_vec`, `toks`; see `DocumentEncoder`."""
        return DocumentEncoder(self, text_field, k, scale)

    def columns(self, texts: list[str], task: str, k: int | None, scale: float) -> Columns:
        """What the outputs name, as columns; see `text_encoders`."""
        found = self.encode(texts, task, k) if texts else Encoded(np.empty((0, 0), dtype=np.float32))
        begin = "query" if task == "query" else "doc"
        parts: dict[str, Columns] = {
            "dense": {f"{begin}_vec": list(found.dense)},
            "sparse": terms_column(found.sparse, self.terms if texts else [], task, scale),
            "tokens": {f"{begin}_embs": found.tokens},
        }
        return {name: values for part in OUTPUTS if part in self.outputs for name, values in parts[part].items()}

    def scorer(self, alpha: float | None = None, k: int | None = TERMS, text_field: str = "text") -> HybridScorer:
        """R -> R from the text; see `HybridScorer`."""
        return HybridScorer(self, alpha, k, text_field)

    def token_encoder(self) -> HybridTokens:
        """The same model as a late-interaction model, for `ColBERTIndex` and what searches it."""
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
        cut = 0
        for numbers, batch in self.batches(texts, task):
            found = self._forward(model, batch, task, outputs)
            cut += found.cut
            if "dense" in outputs:
                dense[numbers] = self.pooled(found.hidden, found.mask).cpu().numpy()
            if "sparse" in outputs:
                weights = max_pooled(found.logits, found.mask) * self.wanted
                for number, vector in zip(numbers, heaviest(weights, k), strict=True):
                    sparse[number] = vector
            if "tokens" in outputs:
                vectors = need("torch").nn.functional.normalize(found.hidden, dim=-1).cpu().numpy()
                for number, row, kept in zip(numbers, vectors, found.mask.bool().cpu().numpy(), strict=True):
                    tokens[number] = row[kept]
        self.warn_of_cut(cut)
        if self.numeric and "sparse" in outputs:
            sparse = with_quantities(sparse, texts, task, self.numeric, len(self.terms) - SLOTS)
        return Encoded(dense, sparse, tokens)

    @cached_property
    def query_loaded(self) -> Any:
        """The model that encodes queries."""
        own = Path(self.name) / QUERY_FOLDER
        name = self.query_model or (str(own) if isinstance(self.model, str) and own.exists() else None)
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
        encoder = getattr(super()._checked(model)[0], "auto_model", None)
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


def check_alpha(alpha: float | None) -> None:
    """Raise a ValueError unless this is a weight of the dense part."""
    if alpha is not None and not 0 <= alpha <= 1:
        raise ValueError(f"alpha must be between 0 (sparse alone) and 1 (dense alone), got {alpha!r}")


class HybridScorer(TextScorer):
    """R -> R: alpha times the dot product of the vectors, plus 1 - alpha times that of the terms.

    Args:
        hybrid: the model.
        alpha: the weight of the dense part; 1 is dense alone, 0 sparse alone; None: the model's own.
        k: how many of a text's heaviest terms are kept; None: all.
        text_field: the column that holds the text; an empty text scores 0.

    Columns in: `qid`, `docno`, `query`, and the text. Columns out: the same, `score`, `dense_score` and `sparse_score`
    (the dot products of the vectors and of the terms), `rank`. Each distinct text is encoded once, in one pass. Rows
    keep their order.

    Raises:
        ValueError: if alpha is not between 0 and 1.

    Source: hybrid-product-qa, section 4.2.
    """

    COLUMNS = ("score", DENSE_SCORE, SPARSE_SCORE)

    def __init__(
        self, hybrid: Hybrid, alpha: float | None = None, k: int | None = TERMS, text_field: str = "text"
    ) -> None:
        check_alpha(alpha)
        self.hybrid, self.alpha, self.k, self.text_field = hybrid, alpha, k, text_field

    def _encode(self, texts: Sequence[str], task: str) -> list[Pair]:
        found = self.hybrid.encode(texts, task, self.k, outputs=("dense", "sparse"))
        return list(zip(found.dense, found.sparse, strict=True))

    def _score(self, query: Pair, documents: Sequence[Pair]) -> npt.ArrayLike:
        alpha = self.hybrid.alpha if self.alpha is None else self.alpha
        dense = np.stack([vector for vector, _ in documents]) @ query[0]
        sparse = dot(spread(query[1], len(self.hybrid.terms)), [terms for _, terms in documents])
        return np.stack([alpha * dense + (1 - alpha) * sparse, dense, sparse], axis=1)


class HybridTokens(ColBERT):
    """A hybrid model in the place of a `ColBERT`.

    Args:
        hybrid: the model.
    """

    def __init__(self, hybrid: Hybrid) -> None:
        self.hybrid = hybrid

    @property
    def name(self) -> str:
        return self.hybrid.name

    @property
    def verbose(self) -> bool:  # type: ignore[override]  # an attribute of other encoders
        return self.hybrid.verbose

    @property
    def loaded(self) -> Any:
        return self.hybrid.loaded

    @property
    def quantities(self) -> str:  # type: ignore[override]  # likewise
        return self.hybrid.form

    @property
    def trained(self) -> dict[str, Any]:
        return {}  # what the folder says of a gate is of the sparse vectors

    @property
    def dimension(self) -> int:
        return self.hybrid.dimension

    def encode(self, texts: Sequence[str], task: str = "document") -> list[TokenVectors]:
        return self.hybrid.encode(texts, task, outputs=("tokens",)).tokens

    def _arguments(self) -> dict[str, Any]:
        return {"hybrid": self.hybrid}

    def __hash__(self) -> int:
        return hash((type(self), self.hybrid))
