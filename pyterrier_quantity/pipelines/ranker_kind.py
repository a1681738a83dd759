"""What is known of a ranker: whether it encodes texts, and of which documents it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pyterrier as pt

from pyterrier_quantity.backends.bm25 import BM25
from pyterrier_quantity.index import QuantityIndex

NEURAL: Final = (
    "pyterrier_quantity.neural", "pyterrier_dr", "pyterrier_splade", "pyterrier_colbert", "pyterrier_t5",
    "pyterrier_sentence_transformers", "pylate", "sentence_transformers", "torch.nn.",
)  # fmt: skip
"""The packages that encode texts or queries: such rankers know other words for the same, and may say what a quantity is
of, where its words do not."""
_VECTORS: Final = frozenset({"query_vec", "query_embs", "doc_vec", "doc_embs"})
DENSE_SCORE: Final = "dense_score"
SPARSE_SCORE: Final = "sparse_score"
"""The column in which a ranker by vectors and terms says what the vectors alone make of a document."""


def is_neural(ranker: pt.Transformer) -> bool:
    """Whether a transformer of the pipeline is of a package that encodes texts or queries, or holds a model or function
    of one; loads nothing."""
    parts = list(parts_of(ranker))
    held = (value for one in parts for value in (one, *getattr(one, "__dict__", {}).values()))
    return any(map(_declared_encoder, parts)) or any(name.startswith(NEURAL) for one in held for name in _modules(one))


def _declared_encoder(part: pt.Transformer) -> bool:
    """Whether a transformer says that it gives vectors of texts, by PyTerrier's `transform_outputs`."""
    if not isinstance(part, pt.inspect.HasTransformOutputs) or pt.inspect.subtransformers(part):
        return False
    return not _VECTORS.isdisjoint(pt.inspect.transformer_outputs(part, ["qid", "query"], strict=False) or ())


def _modules(value: Any) -> Iterator[str]:
    """The modules of an object's classes, and its own if it is a function."""
    for one in (value, *type(value).__mro__):
        yield str(getattr(one, "__module__", ""))


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


def apart(retriever: pt.Transformer, quantities: QuantityIndex) -> str | None:
    """What to warn of where a BM25 of the retriever was built of other documents than the index; else None."""
    held = quantities.corpus()
    for ranker in parts_of(retriever):
        if not isinstance(ranker, BM25) or not (known := ranker.corpus()):
            continue
        if (known.documents, known.docnos) != (held.documents, held.docnos):
            return (
                f"{ranker.path} holds {known.documents:,} documents and {quantities.path} {held.documents:,}, with "
                "other docnos: build both of the same corpus, or what one alone holds has no score of the other"
            )
    return None
