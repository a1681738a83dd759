"""Find out whether a ranker is neural, and whether a ranker and an index contain the same documents."""

from collections.abc import Iterator
from typing import Any, Final

import pyterrier as pt

from pyterrier_quantity.backends.bm25 import BM25
from pyterrier_quantity.index import QuantityIndex

NEURAL: Final = (
    "pyterrier_quantity.neural", "pyterrier_dr", "pyterrier_splade", "pyterrier_colbert", "pyterrier_t5",
    "pyterrier_sentence_transformers", "pylate", "sentence_transformers", "torch.nn.",
)  # fmt: skip
"""Packages with neural models. Neural rankers recognise synonyms, so they may rank a document highly even if the words
around its quantity are not those of the query."""
_VECTORS: Final = frozenset({"query_vec", "query_embs", "doc_vec", "doc_embs"})
DENSE_SCORE: Final = "dense_score"
SPARSE_SCORE: Final = "sparse_score"
"""Two columns of a hybrid ranker: the score from dense vectors, and the score from terms."""


def is_neural(ranker: pt.Transformer) -> bool:
    """Return whether a pipeline contains a transformer, model or function from a package such as sentence-transformers,
    or a transformer that makes text embeddings."""
    parts = list(parts_of(ranker))
    held = (value for one in parts for value in (one, *getattr(one, "__dict__", {}).values()))
    modules = (str(getattr(one, "__module__", "")) for value in held for one in (value, *type(value).__mro__))
    return any(map(_declared_encoder, parts)) or any(name.startswith(NEURAL) for name in modules)


def _declared_encoder(part: pt.Transformer) -> bool:
    if not isinstance(part, pt.inspect.HasTransformOutputs) or pt.inspect.subtransformers(part):
        return False
    return not _VECTORS.isdisjoint(pt.inspect.transformer_outputs(part, ["qid", "query"], strict=False) or ())


def parts_of(transformer: Any) -> Iterator[pt.Transformer]:
    """Yield a pipeline and, recursively, all transformers in it."""
    yield transformer
    try:
        inner = pt.inspect.subtransformers(transformer)
    except pt.inspect.InspectError:
        return
    for part in inner.values():
        for one in part if isinstance(part, list | tuple) else [part]:
            yield from parts_of(one)


def apart(retriever: pt.Transformer, quantities: QuantityIndex) -> str | None:
    """Return a warning if the retriever's BM25 index and `quantities` contain different documents, otherwise None."""
    held = quantities.corpus()
    for ranker in parts_of(retriever):
        if not isinstance(ranker, BM25) or not (known := ranker.corpus()):
            continue
        if (known.documents, known.docnos) != (held.documents, held.docnos):
            return (
                f"{ranker.path} holds {known.documents:,} documents and {quantities.path} {held.documents:,}, with "
                "other docnos: build both from the same corpus; a document in only one gets no score from the other"
            )
    return None
