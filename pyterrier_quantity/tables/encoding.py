"""Sentence vectors of questions and facts, each text encoded once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.neural.models import loading_shown, need


class SentenceVectors:
    """A sentence encoder that remembers what it has encoded; equal and pickled as its arguments.

    Args:
        model: a folder or a name on the hub, of a single-vector sentence encoder such as all-MiniLM-L6-v2.
        dtype: "float32" or "bfloat16", what the weights are computed in.
        cache: an .npz file that keeps the vectors from one run to the next; None: memory only.
        verbose: show progress.
        device: "cpu", "cuda", ...; None: a GPU where there is one.
    """

    def __init__(
        self,
        model: str,
        dtype: str = "float32",
        cache: str | Path | None = None,
        verbose: bool = False,
        device: str | None = None,
    ) -> None:
        if dtype not in ("float32", "bfloat16"):
            raise ValueError(f"unknown dtype {dtype!r}; one of float32, bfloat16")
        self.model, self.dtype, self.verbose, self.device = str(model), dtype, verbose, device
        self.cache = None if cache is None else str(cache)

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of length 1, shape (texts, dimension)."""
        new = sorted(set(texts) - self._known.keys(), key=len)
        if new:
            with need("torch").inference_mode():
                found = self._loaded.encode(new, batch_size=32, show_progress_bar=self.verbose, convert_to_numpy=False)
            vectors = [vector.float().cpu().numpy() for vector in found]
            self._known.update(zip(new, (vector / np.linalg.norm(vector) for vector in vectors), strict=True))
            self._save()
        return np.stack([self._known[text] for text in texts]) if texts else np.zeros((0, 1), dtype=np.float32)

    @cached_property
    def _known(self) -> dict[str, npt.NDArray[np.float32]]:
        if self.cache is None or not Path(self.cache).exists():
            return {}
        with np.load(self.cache, allow_pickle=False) as kept:
            return dict(zip(kept["texts"].tolist(), kept["vectors"].astype(np.float32), strict=True))

    def _save(self) -> None:
        if self.cache is not None:
            texts = list(self._known)
            Path(self.cache).parent.mkdir(parents=True, exist_ok=True)
            np.savez(self.cache, texts=np.array(texts), vectors=np.stack(list(self._known.values())).astype(np.float16))

    @cached_property
    def _loaded(self) -> Any:
        torch = need("torch")
        sentence_transformers = need("sentence_transformers")
        with loading_shown(self.verbose):
            return sentence_transformers.SentenceTransformer(
                self.model, device=self.device, model_kwargs={"dtype": getattr(torch, self.dtype)}
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SentenceVectors) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"SentenceVectors({self.model!r}, dtype={self.dtype!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("model", "dtype", "cache", "verbose", "device")}
