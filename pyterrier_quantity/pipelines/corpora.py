"""Whether a ranker and a quantity index are of the same documents."""

from __future__ import annotations

import pyterrier as pt

from pyterrier_quantity.backends.bm25 import BM25
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.pipelines.neural_rankers import parts_of


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
