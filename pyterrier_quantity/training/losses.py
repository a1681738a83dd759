"""The losses of joint models, as sentence-transformers has them; where quantities are terms, these count in training.

Hard negatives name the concept that is asked for, with another value. A model that cannot compare numbers can only
guess which text of a triple is right, and pays for guesses with what it knew of topics. Once the terms' part of the
score is there, as it is when the model serves, they tell these texts apart, and what is left to learn is about words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._extras import need
from pyterrier_quantity.neural.numeric_terms import NumericTerms
from pyterrier_quantity.neural.stored_terms import StoredTerms
from pyterrier_quantity.training.presets import Preset

Read = TypeVar("Read")
Triple = tuple[str, str, str]
Met = Callable[[Sequence[int]], npt.NDArray[np.float32]]
"""By the numbers of a batch's triples, what terms add: (queries, 2, texts), first positives, then negatives."""


def ranking_loss(model: Any, kind: str, preset: Preset, met: Met | None) -> Any:
    """Softmax cross-entropy over the positive, the negative and the rest of the batch.

    Args:
        model: of sentence-transformers.
        kind: "splade", "colbert" or "dense".
        preset: its scale and regularisers.
        met: what terms add to the scores; the labels are then the triples' numbers. None: nothing, for no term is used.
    """
    if kind == "splade":
        losses = need("sentence_transformers.sparse_encoder.losses")
        ranking = losses.SparseMultipleNegativesRankingLoss(model, scale=preset.scale)
        loss = losses.SpladeLoss(model, ranking, preset.document_weight, query_regularizer_weight=preset.query_weight)
    elif kind == "colbert":
        losses = need("sentence_transformers.multi_vector_encoder.losses")
        loss = ranking = losses.MultiVectorMultipleNegativesRankingLoss(model, scale=preset.scale)
    else:
        losses = need("sentence_transformers.sentence_transformer.losses")
        loss = ranking = losses.MultipleNegativesRankingLoss(model, scale=preset.scale)
    if met is not None:
        _count_terms(loss, ranking, met, by_query=kind == "colbert")
    return loss


def _count_terms(loss: Any, ranking: Any, met: Met, by_query: bool) -> None:
    """Let the ranking loss score texts with what terms add.

    Args:
        loss: the whole loss. ranking: the part that compares texts, which may be all of it.
        met: what terms add.
        by_query: whether a query's positive and negative stand together, as late interaction has them; else first come
            the positives of all queries.
    """
    torch, alone, similar = need("torch"), loss.forward, ranking.similarity_fct

    def forward(features: Any, numbers: Any) -> Any:
        added = met(numbers.tolist())
        added = (added.transpose(0, 2, 1) if by_query else added).reshape(len(added), -1)
        shift = torch.as_tensor(added, device=numbers.device)
        ranking.similarity_fct = lambda *given, **named: similar(*given, **named) + shift
        return alone(features, None)

    loss.forward = forward


def met_conditions(triples: Sequence[Triple], gate: float) -> Met:
    """What terms add to the scores of a batch's texts.

    Args:
        triples: all of training.
        gate: what meeting a condition is worth.
    """
    numeric = NumericTerms(gate=1.0)
    queries, *sides = zip(*triples, strict=True)
    asked = _of_all(queries, numeric.queries)
    stated = [_of_all(texts, numeric.documents) for texts in sides]

    def met(rows: Sequence[int]) -> npt.NDArray[np.float32]:
        sides = [StoredTerms.of([texts[row] for row in rows]) for texts in stated]
        return gate * np.stack([[side.met(asked[row]) for side in sides] for row in rows])

    return met


def _of_all(texts: Sequence[str], read: Callable[[Sequence[str]], list[Read]]) -> list[Read]:
    """What is read in each text; a text is read once."""
    distinct = list(dict.fromkeys(texts))
    found = dict(zip(distinct, read(distinct), strict=True))
    return [found[text] for text in texts]
