"""Which rankers know other words for the same: they may say what a quantity is of, where its words do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pyterrier as pt

NEURAL: Final = ("pyterrier_quantity.neural", "pyterrier_dr", "pyterrier_colbert", "pyt_splade", "pyterrier_t5")
"""The packages whose transformers encode texts or queries."""
DENSE_SCORE: Final = "dense_score"
"""The column in which a ranker by vectors and terms says what the vectors alone make of a document."""


def is_neural(ranker: pt.Transformer) -> bool:
    """Whether a transformer of the pipeline is of a package that encodes texts or queries; loads nothing."""
    return any(type(one).__module__.startswith(NEURAL) for one in parts_of(ranker))


def parts_of(transformer: Any) -> Iterator[pt.Transformer]:
    """A pipeline and all transformers in it."""
    yield transformer
    try:
        inner = pt.inspect.subtransformers(transformer)
    except pt.inspect.InspectError:
        return
    for part in inner.values():
        for one in part if isinstance(part, list | tuple) else [part]:
            yield from parts_of(one)
