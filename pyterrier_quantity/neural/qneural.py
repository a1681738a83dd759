"""Quantity first, with all that vectors can tell."""

from __future__ import annotations

from typing import Any

import pyterrier as pt

from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.neural.colbert_index import ColBERTIndex
from pyterrier_quantity.neural.near_quantity import NearQuantity
from pyterrier_quantity.neural.vector_feedback import VectorFeedback
from pyterrier_quantity.pipelines import ConceptOnly, quantity_first


def QNeural(
    quantities: QuantityIndex,
    colbert: ColBERTIndex,
    vectors: Any,
    encoder: Any,
    model: Any = None,
    **options: Any,
) -> pt.Transformer:
    """Q -> R: ranks by quantities first, then by three scores of vectors.

    The quantity score says how well the condition is met. The three others say what a sentence is about; each has two
    thirds of the quantity score's weight. They compare the sentence with the query's token vectors (MaxSim); with those
    of its concept, near the quantity that meets the condition (MaxSim); and by single vectors with the five sentences
    that are best so far.

    Args:
        quantities: the quantity index.
        colbert: the token vectors of the same documents.
        vectors: their single vectors, a `pyterrier_dr.FlexIndex`; its results join the candidates.
        encoder: of the single vectors, as `neural.dense(model)`.
        model: encodes queries for the token vectors; None: the model that built the index.
        options: of `quantity_first`, over these settings.
    """
    encode = encoder.query_encoder()
    scorers = [colbert.scorer(model), ConceptOnly(NearQuantity(colbert, quantities, model))]
    feedback = VectorFeedback(vectors.vec_loader(), vectors.np_scorer())
    settings: dict[str, Any] = {"alpha": 0.5, "fit": False, "vector_feedback": feedback}
    return quantity_first(
        quantities, scorers, encode >> vectors.np_retriever(drop_query_vec=True), **(settings | options)
    )
