"""Single-vector sentence encoders, with the speed options of this package, for use with pyterrier-dr."""

from __future__ import annotations

from typing import Any

from pyterrier_quantity._extras import need
from pyterrier_quantity.neural.models import Kind, LazyModel, loading_shown


class SentenceModel(LazyModel):
    """A single-vector sentence encoder; arguments are those of `LazyModel`."""

    TAKES = "SentenceTransformer"
    KINDS = (Kind.SINGLE, Kind.PLAIN, Kind.MASKED)
    OTHERWISE = f"not {Kind.SINGLE.value}; use Splade or ColBERT"


def dense(model: str, device: str | None = None, dtype: str = "float32", batch_size: int = 8, **options: Any) -> Any:
    """Return a `pyterrier_dr.SBertBiEncoder` whose model is loaded with these options.

    Args:
        model: a folder or a name on the hub.
        device, dtype, batch_size, options: see `LazyModel`.

    Returns:
        The encoder: `.query_encoder()`, `.doc_encoder()`, `.text_scorer()`, and with `pyterrier_dr.FlexIndex` an index
        and a retriever, `encoder >> index.np_retriever()`.

    Raises:
        ImportError: naming the extra, if pyterrier-dr is missing.
        ModelKindError: if the model is of another kind.
    """
    loaded = SentenceModel(model, device=device, dtype=dtype, batch_size=batch_size, **options).loaded
    verbose = options.get("verbose", False)
    with loading_shown(verbose):
        encoder = need("pyterrier_dr", "dense").SBertBiEncoder(
            str(model), batch_size=batch_size, device=str(loaded.device), verbose=verbose
        )
    encoder.model = loaded
    return encoder
