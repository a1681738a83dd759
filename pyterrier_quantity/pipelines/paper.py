"""Make the ranking systems of Almasian et al. 2024 ("Numbers Matter!"), with the paper's names and equation numbers."""

from typing import Any, Final

import pyterrier as pt

from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.pipelines.aware import quantity_aware
from pyterrier_quantity.plan import QueryText
from pyterrier_quantity.transformers.query_parser import QuantityQueryParser

PAPER: Final[dict[str, Any]] = {"alpha": 1.0, "norm": "max", "phi": "paper"}
"""Settings of Almasian et al. 2024 (section 4 and C.2): equal weights, and scores divided by the highest score."""


def QBM25(bm25: pt.Transformer, quantities: QuantityIndex, **options: Any) -> pt.Transformer:
    """Return a transformer, Q -> R, that scores by BM25 plus alpha * quantity score (Almasian et al. 2024, Eq. 5).

    BM25 searches for the terms of the query's concept: "car above 200 dollars" -> "car". Every document that BM25
    returns contains such a term and therefore gets a quantity score. `phi="released"` selects the scoring of the
    authors' released code, which uses an alpha of 2.

    Args:
        bm25: transformer, Q -> R, that returns the whole ranking, such as `pisa_bm25(path, num_results=None)`.
        quantities: the quantity index.
        options: `keep` selects the words to search for, see `QueryText`: "concept" by default, "all" for the whole
            text. Other options are those of `quantity_aware`; `phi="closest", alpha=8.0` gives better rankings.

    Columns in: `qid`, `query`. If the input has `constraints`, `query` must contain only the concept's terms.
    """
    return _paper(bm25, quantities, **options)


def QSPLADE(splade: pt.Transformer, quantities: QuantityIndex, **options: Any) -> pt.Transformer:
    """Return a transformer, Q -> R, that scores by SPLADE plus alpha * quantity score (Almasian et al. 2024, Eq. 8, 9).

    Args:
        splade: transformer, Q -> R, such as `Splade(model).query_encoder() >> PisaIndex(path,
            stemmer="none").quantized(num_results=n)`. Only its results get a score. To rank as the paper does, set n to
            the number of documents (default: 1000).
        quantities: the quantity index.
        options: see `QBM25`.
    """
    return _paper(splade, quantities, **options)


def QColBERT(colbert: pt.Transformer, quantities: QuantityIndex, depth: int = 1000, **options: Any) -> pt.Transformer:
    """Return a transformer, Q -> R, that scores by ColBERT plus alpha * quantity score (Almasian et al. 2024, Eq. 6-7).

    Args:
        colbert: transformer, Q -> R, such as `ColBERTIndex(path).retriever()` or `bm25 % 1000 >>
            ColBERTIndex(path).scorer()`.
        quantities: the quantity index.
        depth: the number of ColBERT's best results per query that get a quantity score.
        options: see `QBM25`.
    """
    return _paper(colbert, quantities, depth=depth, **options)


def _paper(
    ranker: pt.Transformer, quantities: QuantityIndex, keep: QueryText | str = QueryText.CONCEPT, **options: Any
) -> pt.Transformer:
    return quantity_aware(ranker, quantities, **PAPER | {"parser": QuantityQueryParser(keep=keep)} | options)
