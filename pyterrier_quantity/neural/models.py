"""Load neural models on first use, and detect the kind of a model (SPLADE, ColBERT, ...)."""

import inspect
import json
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity._extras import need
from pyterrier_quantity.frames.frame import as_text
from pyterrier_quantity.frames.transformer import check_choice, check_counts
from pyterrier_quantity.neural.numeric_terms import FORMS, PLAIN, TERMS, NumericTerms

CPU_BATCH: Final = 8
"""Number of texts per batch on a CPU. Small batches are fastest, because they fit into the cache."""
GPU_BATCH: Final = 128
SETTINGS_FILE: Final = "quantities.json"
"""File in the folder of a model that this package trained. The file contains the training settings."""


class ModelKindError(ValueError):
    """Raised for a model of the wrong kind, such as a ColBERT model for `Splade`."""


class Kind(Enum):
    """The kinds of models that can be loaded, such as SPLADE and ColBERT."""

    SPARSE = "a sparse encoder (SPLADE)"
    MASKED = "a masked language model"
    MULTI = "a late-interaction model (ColBERT)"
    SINGLE = "a single-vector sentence encoder"
    PLAIN = "a plain encoder"


@contextmanager
def loading_shown(verbose: bool) -> Iterator[None]:
    """Hide the progress bars of models that are loaded inside this `with` block, unless `verbose` is set."""
    logging = need("transformers.utils.logging")
    if verbose or not logging.is_progress_bar_enabled():
        yield
        return
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.enable_progress_bar()


def device_of(asked: str | None) -> str:
    """Return the requested device, by default a GPU if there is one. Raise a ValueError if there is no such device."""
    torch = need("torch")
    if asked is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=asked).tolist()
    except (RuntimeError, AssertionError) as error:
        why = str(error).splitlines()[0][:100]
        raise ValueError(f"device {asked!r} is not available ({why}); use cpu or another device") from error
    return asked


def has_bfloat16(device: str) -> bool:
    """Return whether a device supports fast bfloat16 arithmetic."""
    torch = need("torch")
    if device == "cpu":
        return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
    return bool(torch.cuda.is_available() and torch.cuda.is_bf16_supported(including_emulation=False))


def model_kind(name: str) -> Kind:
    """Return the kind of a model, such as `Kind.SPARSE`, judging by files in its folder or on the Hugging Face hub.
    Raise a FileNotFoundError if the model does not exist, or a ModelKindError if the folder contains no model."""
    check_there(name)
    modules, config = _json(name, "modules.json"), _json(name, "config.json")
    declared = (_json(name, "config_sentence_transformers.json") or {}).get("model_type")
    if modules is None and config is None:
        raise ModelKindError(f"{name} contains no model: neither modules.json nor config.json is there")
    architectures = (config or {}).get("architectures") or []
    if declared == "SparseEncoder":
        return Kind.SPARSE
    late = any(a == "HF_ColBERT" or a.endswith("ForRetrieval") for a in architectures)
    if late or declared in ("MultiVectorEncoder", "ColBERT"):
        return Kind.MULTI
    if modules is not None:
        return Kind.SPARSE if any("Splade" in module["type"] for module in modules) else Kind.SINGLE
    return Kind.MASKED if any(a.endswith("ForMaskedLM") for a in architectures) else Kind.PLAIN


def check_there(name: str) -> None:
    """Check that a name is a folder or a model on the Hugging Face hub. Otherwise raise a FileNotFoundError."""
    if Path(name).is_dir():
        return
    if os.path.isabs(name) or name.startswith((".", "~")) or name.count("/") > 1:
        raise FileNotFoundError(f"no model folder at {name}")
    hub = need("huggingface_hub")
    try:
        known = (hub.try_to_load_from_cache(name, file) for file in ("config.json", "modules.json"))
        if not any(isinstance(path, str) for path in known):
            hub.HfApi().model_info(name, timeout=10)
    except Exception as error:
        problem = f"{name!r} is neither a folder nor a model on the hub that can be reached from here"
        raise FileNotFoundError(f"{problem} ({type(error).__name__}); check the name, and its folder") from error


def _json(name: str, file: str) -> Any:
    path = need("sentence_transformers.util").load_file_path(name, file)
    return json.loads(Path(path).read_text(encoding="utf-8")) if path else None


def read_settings(path: Path) -> dict[str, Any]:
    """Return the settings in a JSON file, or {} if the file is missing. A malformed file raises a ModelKindError."""
    if not path.is_file():
        return {}
    try:
        settings = json.loads(path.read_bytes())
        if not isinstance(settings, dict):
            raise ValueError("it is not a JSON object")
    except (ValueError, RecursionError) as error:
        raise ModelKindError(f"{path} is damaged ({error}); train the model again, or remove that file") from error
    return settings


def prompt_of(model: Any, task: str) -> str | None:
    """Return the prompt that a model prepends to the texts of a task ("query" or "document"), or None for no prompt."""
    names = ("query",) if task == "query" else ("document", "passage", "corpus")
    name = next((n for n in names if model.prompts.get(n)), model.default_prompt_name)
    return model.prompts.get(name) if name else None


def check_finite(model: Any, name: str) -> None:
    """Check that all weights of a model are finite numbers. Otherwise raise a ValueError that names the model."""
    for weights, values in model.named_parameters():
        if not values.isfinite().all():
            problem = f"{name}: the weights {weights!r} are NaN or infinite"
            raise ValueError(f"{problem}; take another model, or train again with a smaller learning rate")


class LazyModel:
    """Base class of models that are loaded on first use. Objects with the same arguments are equal.

    Args:
        model: a folder, a name on the Hugging Face hub, or a loaded sentence-transformers model.
        device: "cpu", "cuda" or None (a GPU if there is one).
        dtype: type of the weights: "float32", "bfloat16" or "float16".
        batch_size: number of texts per batch, or None for 8 on a CPU and 128 on a GPU.
        max_length: maximum number of tokens per text, or None for the limit of the model.
        backend: "torch", "onnx" or "openvino", as in sentence-transformers.
        verbose: whether to show progress.
        quantities: how the model reads quantities. "plain": only as text. "terms": also as sparse vectors that compare
            values. None means the setting used in training, or "plain" for models trained elsewhere.
    """

    TAKES: ClassVar[str]
    """Name of the sentence-transformers class that the model must have."""
    KINDS: ClassVar[tuple[Kind, ...]]
    """Kinds of models that the class can load."""
    OTHERWISE: ClassVar[str]
    """End of the error message for a model of another kind."""
    GATE: ClassVar[float] = 1.0
    """Default score that a text gets for meeting the query's condition, if the model compares values."""

    def __init__(
        self,
        model: Any,
        device: str | None = None,
        dtype: str = "float32",
        batch_size: int | None = None,
        max_length: int | None = None,
        backend: str = "torch",
        verbose: bool = False,
        quantities: str | None = None,
    ) -> None:
        check_choice("form of quantities", PLAIN if quantities is None else quantities, FORMS)
        check_choice("dtype", dtype, ("float32", "bfloat16", "float16"))
        check_counts(batch_size=1 if batch_size is None else batch_size)
        self.model = str(model) if isinstance(model, str | os.PathLike) else model
        self.device, self.dtype, self.batch_size, self.max_length = device, dtype, batch_size, max_length
        self.backend, self.verbose, self.quantities = backend, verbose, quantities

    @property
    def name(self) -> str:
        """The folder or name of the model, as text."""
        if isinstance(self.model, str):
            return self.model
        card = getattr(self.model, "model_card_data", None)
        return getattr(card, "base_model", None) or type(self.model).__name__

    @cached_property
    def loaded(self) -> Any:
        """The loaded sentence-transformers model."""
        need("torch")
        need("sentence_transformers")
        try:
            with loading_shown(self.verbose):
                loaded = self._checked(self._load() if isinstance(self.model, str) else self.model)
        except need("safetensors").SafetensorError as error:
            raise ValueError(f"{self.name}: its weights are damaged ({error}); copy the model again") from error
        check_finite(loaded, self.name)
        if self.max_length is not None:
            loaded.max_seq_length = self.max_length
        loaded.eval()
        return loaded

    def _load(self) -> Any:
        kind = model_kind(self.name)
        if kind not in self.KINDS:
            raise ModelKindError(f"{self.name} is {kind.value}, {self.OTHERWISE}")
        return getattr(need("sentence_transformers"), self.TAKES)(self.name, **self._loading())

    def _checked(self, model: Any) -> Any:
        if not isinstance(model, getattr(need("sentence_transformers"), self.TAKES)):
            raise ModelKindError(f"{type(self).__name__} takes a {self.TAKES} or a name, got {type(model).__name__}")
        return model

    def _loading(self) -> dict[str, Any]:
        kwargs = {"dtype": getattr(need("torch"), self.dtype)} if self.backend == "torch" else {}
        device = self.device and device_of(self.device)
        return {"device": device, "backend": self.backend, "model_kwargs": kwargs}

    @cached_property
    def form(self) -> str:
        """How the model reads quantities: "plain" (only as text) or "terms" (the model also compares values)."""
        form = self.quantities or str(self.trained.get("quantities", PLAIN))
        if form not in FORMS:
            raise ModelKindError(f"{self.name} takes quantities as {form!r}, which is not supported; train it again")
        return form

    @cached_property
    def numeric(self) -> NumericTerms | None:
        """A converter from quantities to sparse vectors, or None if the model does not compare values."""
        return NumericTerms(float(self.trained.get("gate", self.GATE))) if self.form == TERMS else None

    @cached_property
    def trained(self) -> dict[str, Any]:
        """The settings with which this package trained the model, or {} for other models."""
        return read_settings(Path(self.name) / SETTINGS_FILE)

    @property
    def size(self) -> int:
        return self.batch_size or (CPU_BATCH if self.loaded.device.type == "cpu" else GPU_BATCH)

    def encoded(self, texts: Sequence[str], task: str, **options: Any) -> tuple[list[int], Any]:
        """Return the indexes of the non-empty texts, and the encodings of these texts (None if all are empty). `task`
        is "query" or "document". The options are for sentence-transformers' `encode_query` or `encode_document`."""
        filled = [number for number, text in enumerate(texts) if text]
        self.warn_of_cut(texts)
        encode = self.loaded.encode_query if task == "query" else self.loaded.encode_document
        options |= {"batch_size": self.size, "show_progress_bar": self.verbose}
        return filled, encode([texts[number] for number in filled], **options) if filled else None

    def warn_of_cut(self, texts: Sequence[str]) -> None:
        """Warn if texts are truncated at the model's maximum length, and state how many."""
        limit = self.loaded.max_seq_length or sys.maxsize
        # A token has at least one character, except for special tokens.
        long = [text for text in texts if len(text) > limit // 2]
        tokens = self.loaded.tokenizer(long, truncation=True, max_length=limit)["input_ids"] if long else []
        if cut := sum(len(ids) >= limit for ids in tokens):
            said = f"{cut} texts fill the {limit} tokens that {self.name} reads; the rest is not encoded"
            warnings.warn(said, stacklevel=3)

    def _arguments(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in inspect.signature(LazyModel).parameters}

    def __getstate__(self) -> dict[str, Any]:
        return self._arguments()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._arguments() == other._arguments()

    def __hash__(self) -> int:
        return hash((type(self), self.name, self.dtype))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def distinct_texts(column: pd.Series) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Return the index of each cell's text among the distinct texts of a column, and the distinct texts. Leading and
    trailing spaces are removed: ["a", "b ", "a"] -> [0, 1, 0], ["a", "b"]."""
    number, cells = pd.factorize(column, use_na_sentinel=False)
    cleaned, texts = pd.factorize(pd.Series([clean_text(cell) for cell in cells], dtype=object))
    return cleaned[number], list(texts)


def clean_text(value: Any) -> str:
    """Return the value of a field as text without leading and trailing spaces, or "" for a missing value."""
    return as_text(value).strip()


class SentenceModel(LazyModel):
    """A sentence encoder with one vector per text. The arguments are those of `LazyModel`."""

    TAKES = "SentenceTransformer"
    KINDS = (Kind.SINGLE, Kind.PLAIN, Kind.MASKED)
    OTHERWISE = f"not {Kind.SINGLE.value}; use Splade or ColBERT"


def dense(model: str, device: str | None = None, dtype: str = "float32", batch_size: int = 8, **options: Any) -> Any:
    """Return a sentence encoder with one vector per text, a `pyterrier_dr.SBertBiEncoder`.

    Args:
        model: a folder or a name on the Hugging Face hub.
        device, dtype, batch_size, options: see `LazyModel`.

    Returns:
        The encoder, with `.query_encoder()`, `.doc_encoder()` and `.text_scorer()`. `encoder >> index.np_retriever()`
        is a retriever if `index` is a `pyterrier_dr.FlexIndex`.

    Raises:
        ImportError: if pyterrier-dr is missing; the message names the extra.
        ModelKindError: if the model is of the wrong kind.
    """
    loaded = SentenceModel(model, device=device, dtype=dtype, batch_size=batch_size, **options).loaded
    verbose = options.get("verbose", False)
    with loading_shown(verbose):
        kind = need("pyterrier_dr", "dense").SBertBiEncoder
        encoder = kind(str(model), batch_size=batch_size, device=str(loaded.device), verbose=verbose)
    encoder.model = loaded
    return encoder
