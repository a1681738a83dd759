"""Encode texts as dense vectors, sparse vectors of terms, and token vectors, in one pass through a hybrid model."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._extras import need
from pyterrier_quantity._progress import bar
from pyterrier_quantity.english import STOP_WORDS
from pyterrier_quantity.frames.frame import objects
from pyterrier_quantity.frames.transformer import check_choice, check_counts
from pyterrier_quantity.neural.colbert import ColBERT, maxsim, values
from pyterrier_quantity.neural.models import ModelKindError, prompt_of, read_settings
from pyterrier_quantity.neural.numeric_terms import NumericTerms
from pyterrier_quantity.neural.rankers import Encoded, TextEncoder, TextScorer, check_alpha
from pyterrier_quantity.neural.splade import SparseModel, dot
from pyterrier_quantity.pipelines.ranker_kind import DENSE_SCORE, SPARSE_SCORE

OUTPUTS: Final = ("dense", "sparse", "tokens")
POOLINGS: Final = ("cls", "mean")
SETTINGS_FILE: Final = "hybrid.json"
"""File in the folder of a trained hybrid with the settings `pooling`, `alpha` and `content_only`."""
QUERY_FOLDER: Final = "query"
"""Subfolder in the folder of a trained hybrid with the query encoder, if queries have a separate encoder."""
TERMS: Final = 256
"""Default number of terms to keep per text, those with the highest weights."""
SCORES: Final = ("score", DENSE_SCORE, SPARSE_SCORE)
"""Columns with the total score, the score of the dense vectors and the score of the sparse vectors."""
_KEPT_MARKS: Final = frozenset(':-"')


class Hybrid(SparseModel):
    """A dense and sparse encoder in one model: a masked language model with its head.

    The dense vector is the final hidden state of [CLS], not normalised. The sparse vector has, for each term of the
    vocabulary, the maximum over the tokens of log(1 + ReLU(logit)). Encoding keeps the k largest weights. The score of
    query and document is alpha * (dot product of dense vectors) + (1 - alpha) * (dot product of sparse vectors).

    Args:
        model: a folder or Hugging Face name of a masked language model with its head (BERT, SPLADE), or a loaded
            sentence-transformers `SparseEncoder`.
        query_model: another model for queries. None means the model in the subfolder `query/` of the model's folder if
            there is such a subfolder, otherwise the same model.
        outputs: the encodings to compute, some of "dense", "sparse" and "tokens".
        pooling: how the dense vector is made: "cls", or "mean" for the normalised mean of the tokens' states. None
            means the setting in the model's folder, by default "cls".
        content_only: whether to ignore special tokens, English stop words and punctuation marks other than `:`, `-` and
            `"`. None means the setting in the model's folder, by default False.
        options: arguments of `LazyModel`. With `quantities="terms"`, the model compares values.

    Raises, on first use:
        ModelKindError: if the model has no masked-language head.
        ImportError: if torch or sentence-transformers is missing; the message names the extra.

    Source: Biswas and Ramnath, *Product Question Answering with Heterogeneous Data*, section 4.2.
    """

    OTHERWISE = "without a masked-language head to take terms from; give a masked language model or a SPLADE model"

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

    def query_encoder(self, k: int | None = TERMS, scale: float = 100.0) -> TextEncoder:
        """Return a transformer, Q -> Q, that adds `query_vec` and `query_toks`, as `doc_encoder` does for documents."""
        return TextEncoder(self, "query", "query", k, scale)

    def doc_encoder(self, k: int | None = TERMS, text_field: str = "text", scale: float = 100.0) -> TextEncoder:
        """Return a transformer, D -> D, that adds the dense vector (`doc_vec`) and the terms (`toks`): a dictionary
        from the `k` highest-weighted terms to their weights, multiplied by `scale`."""
        return TextEncoder(self, "document", text_field, k, scale)

    def scorer(self, alpha: float | None = None, k: int | None = TERMS, text_field: str = "text") -> "HybridScorer":
        """Return a transformer, R -> R, that scores texts; see `HybridScorer`."""
        return HybridScorer(self, alpha, k, text_field)

    def token_encoder(self) -> "Hybrid":
        """Return the same model with token vectors as its only output, to search a `ColBERTIndex`."""
        found = Hybrid(**self._arguments() | {"outputs": ("tokens",)})
        found.__dict__ |= {"loaded": self.loaded, "query_loaded": self.query_loaded}
        return found

    @property
    def alpha(self) -> float:
        """The weight of the dense part of the score, from the model's settings, by default 0.5."""
        return float(self._settings.get("alpha", 0.5))

    @property
    def dimension(self) -> int:
        """Number of dimensions of the dense vector and of a token vector."""
        return int(self.loaded[0].auto_model.config.hidden_size)

    def encode(
        self, texts: Sequence[str], task: str = "document", k: int | None = TERMS, outputs: Sequence[str] | None = None
    ) -> Encoded:
        """Return the encodings of texts. An empty text has a dense vector of zeros, and no terms or tokens.

        Args:
            texts: the texts, already stripped.
            task: "query" or "document".
            k: how many of the highest-weighted terms to keep per text, or None for all terms.
            outputs: the encodings to compute, some of "dense", "sparse" and "tokens", or None for `self.outputs`.
        """
        check_counts(k=1 if k is None else k)
        outputs = self.outputs if outputs is None else outputs
        csr_matrix, blocks, order = need("scipy.sparse").csr_matrix, [], list[int]()
        dense = np.zeros((len(texts), self.dimension), dtype=np.float32) if "dense" in outputs else None
        tokens = objects([np.empty((0, self.dimension), np.float32)] * len(texts)) if "tokens" in outputs else None
        for numbers, found in self._passes(texts, task, k, outputs):
            order += numbers
            if dense is not None:
                dense[numbers] = found["dense"]
            if "sparse" in outputs:
                blocks.append(csr_matrix(found["sparse"]))
            if tokens is not None:
                for number, vectors, there in zip(numbers, found["tokens"], found["mask"], strict=True):
                    tokens[number] = vectors[there.astype(bool)]
        sparse, late = None, NumericTerms(ColBERT.GATE) if self.numeric and tokens is not None else None
        if "sparse" in outputs:
            order += [number for number, text in enumerate(texts) if not text]
            blocks.append(csr_matrix((sum(not text for text in texts), len(self.wanted)), dtype=np.float32))
            sparse = need("scipy.sparse").vstack(blocks, format="csr")[np.argsort(order)]
            sparse = self.with_quantities(sparse, texts, task)
        return Encoded(dense, sparse, tokens, values(late, texts, task))

    def _passes(
        self, texts: Sequence[str], task: str, k: int | None, outputs: Sequence[str]
    ) -> Iterator[tuple[list[int], dict[str, npt.NDArray[Any]]]]:
        """Yield, for each batch of texts, the indexes and encodings of the texts. For the arguments, see `encode`."""
        self.warn_of_cut(texts)
        model = self.query_loaded if task == "query" else self.loaded
        longest = sorted((number for number, text in enumerate(texts) if text), key=lambda n: -len(texts[n]))
        with bar(self.verbose, total=len(longest), desc=f"Hybrid {task}", unit="text") as progress:
            for start in range(0, len(longest), self.size):
                numbers = longest[start : start + self.size]
                features = model.preprocess([texts[n] for n in numbers], prompt=prompt_of(model, task))
                with need("torch").inference_mode():
                    found = self.represent(features, task, k, outputs)
                yield numbers, {name: part.cpu().numpy() for name, part in found.items()}
                progress.update(len(numbers))

    def represent(
        self, features: Mapping[str, Any], task: str, k: int | None, outputs: Sequence[str]
    ) -> dict[str, Any]:
        """Return encodings of tokenised texts (`features`) as differentiable tensors. For the arguments, see `encode`.

        Returns:
            A dictionary with a tensor for each name in `outputs`, and "mask". Shapes: "dense" (texts, dimension),
            "sparse" (texts, terms), "tokens" (texts, tokens, dimension), "mask" (texts, tokens; 0 for padding).
        """
        torch, model = need("torch"), self.query_loaded if task == "query" else self.loaded
        encoder = model[0].auto_model
        names = [name for name in model.tokenizer.model_input_names if name in features]
        inputs = {name: features[name].to(model.device) for name in names}
        there = inputs["attention_mask"].unsqueeze(-1)
        found = {"mask": inputs["attention_mask"]}
        if "sparse" in outputs:
            output = encoder(**inputs, output_hidden_states=True)
            states = output.hidden_states[-1].float()
            highest = output.logits.masked_fill_(there == 0, 0).amax(dim=1).float()
            weights = torch.log1p(torch.relu(highest)) * self.wanted
            found["sparse"] = need("sentence_transformers.util").select_max_active_dims(weights, k)
        else:
            states = encoder.base_model(**inputs).last_hidden_state.float()
        if "dense" in outputs:
            normal = torch.nn.functional.normalize
            found["dense"] = states[:, 0] if self.vector == "cls" else normal((states * there).sum(dim=1), dim=1)
        if "tokens" in outputs:
            found["tokens"] = torch.nn.functional.normalize(states, dim=-1) * there
        return found

    @cached_property
    def query_loaded(self) -> Any:
        """The sentence-transformers model that encodes queries."""
        own = Path(self.name) / QUERY_FOLDER
        name = self.query_model or (str(own) if isinstance(self.model, str) and own.exists() else None)
        if name is None:
            return self.loaded
        names = self._arguments() | {"model": name, "query_model": None}
        return Hybrid(**names).loaded

    def _checked(self, model: Any) -> Any:
        encoder = getattr(super()._checked(model)[0], "auto_model", None)
        if encoder is None or not type(encoder).__name__.endswith("ForMaskedLM"):
            fault = f"{self.name} is a sparse encoder of another form ({type(model[0]).__name__})"
            raise ModelKindError(f"{fault}, without a masked-language head to take terms from")
        return model

    @property
    def vector(self) -> str:
        """How the dense vector is made from the states of the tokens: "cls" or "mean"."""
        return self.pooling or str(self._settings.get("pooling", POOLINGS[0]))

    def similarities(
        self, queries: Sequence[str], texts: Sequence[str], k: int | None = TERMS
    ) -> dict[str, npt.NDArray[Any]]:
        """Return the similarity of each query and text, as arrays of shape (queries, texts): dot products for "dense"
        and "sparse", MaxSim for "tokens". `k` is the number of terms to keep per text, or None for all."""
        asked, stated = self.encode(queries, "query", k), self.encode(texts, "document", k)
        found: dict[str, npt.NDArray[Any]] = {}
        if asked.dense is not None:
            found["dense"] = asked.dense @ stated.dense.T
        if asked.sparse is not None:
            found["sparse"] = (asked.sparse @ stated.sparse.T).toarray()
        if asked.tokens is not None:
            starts = np.cumsum([0, *map(len, stated.tokens)])[:-1]
            found["tokens"] = maxsim(list(asked.tokens), np.concatenate(list(stated.tokens)), starts)
        return found

    @cached_property
    def wanted(self) -> Any:
        """A tensor of shape (terms,): 1 for terms that may have a weight, 0 for terms that `content_only` excludes."""
        chosen = self._settings.get("content_only", False) if self.content_only is None else self.content_only
        markers = self.loaded.tokenizer.all_special_tokens
        kept = content_terms(self.vocabulary, markers) if chosen else [True] * len(self.vocabulary)
        return need("torch").tensor(kept, dtype=need("torch").float32, device=self.loaded.device)

    @cached_property
    def _settings(self) -> dict[str, Any]:
        return read_settings(Path(self.name) / SETTINGS_FILE) if isinstance(self.model, str) else {}

    def _arguments(self) -> dict[str, Any]:
        names = ("query_model", "outputs", "pooling", "content_only")
        return super()._arguments() | {name: getattr(self, name) for name in names}


def content_terms(terms: Sequence[str], markers: Sequence[str]) -> list[bool]:
    """Return, for each term, whether it is a content term. Special tokens (`markers`), stop words and punctuation marks
    other than `:`, `-` and `"` are not content terms."""
    left_out = STOP_WORDS | set(markers)
    return [term not in left_out and (any(c.isalnum() for c in term) or term in _KEPT_MARKS) for term in terms]


class HybridScorer(TextScorer):
    """Transformer, R -> R, that scores texts by alpha * dense score + (1 - alpha) * sparse score.

    Args:
        model: the hybrid model.
        alpha: weight of the dense score, from 0 (sparse only) to 1 (dense only). None means the model's setting.
        k: how many of the highest-weighted terms to keep per text, or None for all terms.
        text_field: the column with the text; an empty text scores 0.

    Columns in: `qid`, `docno`, `query`, and the text. Columns out: the same, with new `score`, `dense_score`,
    `sparse_score` and `rank`. The order of the rows does not change. Each distinct text is encoded once.

    Raises:
        ValueError: if alpha is not between 0 and 1.

    Source: Biswas and Ramnath, *Product Question Answering with Heterogeneous Data*, section 4.2.
    """

    @property
    def _columns(self) -> Sequence[str]:
        return SCORES

    def __init__(
        self, model: Hybrid, alpha: float | None = None, k: int | None = TERMS, text_field: str = "text"
    ) -> None:
        check_alpha(alpha)
        self.model, self.alpha, self.k, self.text_field = model, alpha, k, text_field

    def _encoded(self, texts: list[str], task: str = "query") -> Encoded:
        return self.model.encode(texts, task, self.k, outputs=("dense", "sparse"))

    def _score(self, query: Encoded, documents: Encoded) -> npt.NDArray[Any]:
        alpha = self.model.alpha if self.alpha is None else self.alpha
        return mixed(alpha, documents.dense @ query.dense, dot(query.sparse, documents.sparse))


def mixed(alpha: float, dense: npt.NDArray[Any], sparse: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array of shape (documents, 3) with the columns alpha * dense + (1 - alpha) * sparse, dense, sparse."""
    return np.stack([alpha * dense + (1 - alpha) * sparse, dense, sparse], axis=1)
