"""Quantity first, the order that the paper does not try: what meets the condition, ranked by what it is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyterrier as pt

from pyterrier_quantity.fusion import Fusion
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.pipelines.parts import Candidates
from pyterrier_quantity.transformers import QuantityQueryParser


def quantity_first(
    quantities: QuantityIndex,
    scorers: Sequence[pt.Transformer] | pt.Transformer,
    retrievers: Sequence[pt.Transformer] | pt.Transformer = (),
    alpha: float = 1.0,
    weights: Sequence[float] | None = None,
    norm: str = "minmax",
    num_candidates: int = 3000,
    num_results: int | None = 1000,
    parser: pt.Transformer | None = None,
    prepare: pt.Transformer | None = None,
    vector_feedback: pt.Transformer | None = None,
    **options: Any,
) -> pt.Transformer:
    """Q -> R: the documents that meet the constraints, in union with rankers' candidates, ranked by scorers and by
    their quantities.

    A document's score is the sum of the scorers' normalised scores, times their weights, and alpha times its quantity
    score. Every candidate takes every score, so none is judged by a list that it happens not to be in.

    Args:
        quantities: the quantity index.
        scorers: R -> R, such as `ColBERTIndex(path).scorer()` or a dense index's scorer; several are added up.
        retrievers: Q -> R whose results join the candidates; without any, a query without a quantity finds nothing.
        alpha: weight of the quantity score; the index's nearest candidates are those that are looked at.
        weights: of the scorers, and last of the vector feedback; None: they share 1 equally.
        norm: how scorers' scores are normalised; see `Normalise`.
        num_candidates: candidates that the quantity index gives for a query.
        num_results: documents per query; None: all.
        parser: Q -> Q; `QuantityQueryParser()` by default.
        prepare: R -> R before the scorers, to add what they read, such as `pt.text.get_text(dataset)`.
        vector_feedback: R -> R that looks at the ranking's best documents and scores all of them once more, such as
            `neural.VectorFeedback`.
        options: of the quantity score; see `score.options.make_scoring`.
    """
    given = [scorers] if isinstance(scorers, pt.Transformer) else list(scorers)
    others = [retrievers] if isinstance(retrievers, pt.Transformer) else list(retrievers)
    candidates = Candidates([quantities.retriever(num_results=num_candidates, **options), *others])
    parts = len(given) + (vector_feedback is not None)
    share = [1.0 / parts] * parts if weights is None else list(weights)
    if len(share) != parts:
        raise ValueError(f"{len(share)} weights for {parts} scorers")
    scoring = [*given, quantities.scorer(**options)]
    ranking: pt.Transformer = Fusion(
        scoring, "linear", [*share[: len(given)], alpha], [*[norm] * len(given), None],
        num_results=None if vector_feedback else num_results,
    )  # fmt: skip
    if vector_feedback:
        again = Fusion([pt.Transformer.identity(), vector_feedback], "linear", [1.0, share[-1]], [None, norm],
                       num_results=num_results)  # fmt: skip
        ranking = ranking >> again
    pipeline = parser or QuantityQueryParser()
    for part in (candidates, *([prepare] if prepare else []), ranking):
        pipeline = pipeline >> part
    return pipeline
