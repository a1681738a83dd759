"""Losses of joint models, built on sentence-transformers' losses. If quantities are terms, these count in training.

Hard negatives name the concept of the query, with another value. A model that cannot compare numbers can only guess
which text of a triple is right, and loses knowledge of topics by guessing. With the terms' part of the score, as in
use, these texts are distinguished by terms, and the model learns only about words.

Source of the hybrid's loss: hybrid-product-qa, section 4.3; temperature, and other queries' texts as negatives, are
from its code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity._extras import need
from pyterrier_quantity.neural.hybrid import TERMS, Hybrid
from pyterrier_quantity.neural.numeric_terms import NumericTerms, met
from pyterrier_quantity.training.data_files import Triple
from pyterrier_quantity.training.presets import Preset

Met = Callable[[Sequence[int]], npt.NDArray[np.float32]]
"""Function from triples' numbers to the terms' scores: (queries, 2, texts), first positives, then negatives."""
_COSINE: Final = 20.0
"""Scale of scores in the hybrid's loss for vectors of length 1: token vectors, and mean-pooled vectors."""

_LOSSES: Final = {
    "splade": ("sparse_encoder", "SparseMultipleNegativesRankingLoss"),
    "colbert": ("multi_vector_encoder", "MultiVectorMultipleNegativesRankingLoss"),
    "dense": ("sentence_transformer", "MultipleNegativesRankingLoss"),
}


def ranking_loss(model: Any, kind: str, preset: Preset, added: Met | None) -> Any:
    """Return the softmax cross-entropy over the positive, the negative and the other texts of the batch.

    Args:
        model: a sentence-transformers model.
        kind: "splade", "colbert" or "dense".
        preset: source of the scale and the regularisers' weights.
        added: the terms' scores, which are added; the labels are then the triples' numbers. None: terms are not used.
    """
    room, name = _LOSSES[kind]
    losses = need(f"sentence_transformers.{room}.losses")
    loss = ranking = getattr(losses, name)(model, scale=preset.scale)
    if kind == "splade":
        loss = losses.SpladeLoss(model, ranking, preset.document_weight, query_regularizer_weight=preset.query_weight)
    if added is not None:
        _count_terms(loss, ranking, added, by_query=kind == "colbert")
    return loss


def _count_terms(loss: Any, ranking: Any, added: Met, by_query: bool) -> None:
    """Add the terms' scores in `ranking`, the part of the loss that compares texts. The order of the texts depends
    on `by_query`. True: each query's positive and negative are adjacent, as in late interaction. False: the
    positives of all queries come first."""
    torch, alone, similar = need("torch"), loss.forward, ranking.similarity_fct

    def forward(features: Any, numbers: Any) -> Any:
        more = added(numbers.tolist())
        more = (more.transpose(0, 2, 1) if by_query else more).reshape(len(more), -1)
        shift = torch.as_tensor(more, device=numbers.device)
        ranking.similarity_fct = lambda *given, **named: similar(*given, **named) + shift
        return alone(features, None)

    loss.forward = forward


def met_conditions(triples: Sequence[Triple], gate: float) -> Met:
    """Return a function for the scores that terms add to a batch's texts.

    Args:
        triples: all training triples.
        gate: the weight of a met condition.
    """
    numeric, columns = NumericTerms(gate), np.array(triples, dtype=object).T
    query, queries = pd.factorize(columns[0])
    place, texts = pd.factorize(columns[1:].ravel())
    asked, stated = numeric.queries(list(queries)), numeric.documents(list(texts))
    sides = place.reshape(2, -1)

    def added(rows: Sequence[int]) -> npt.NDArray[np.float32]:
        return np.stack([[met(stated[side[rows]], asked[query[row]]) for side in sides] for row in rows])

    return added


def similarity(part: str, queries: dict[str, Any], documents: dict[str, Any]) -> Any:
    """Return the similarities (queries, documents) of encodings by `Hybrid.represent`, for one part. These are dot
    products or, for "tokens", MaxSim divided by the number of query tokens."""
    torch = need("torch")
    if part != "tokens":
        return queries[part] @ documents[part].T
    similar = torch.einsum("qid,cjd->qcij", queries[part], documents[part])
    return similar.amax(dim=3).sum(dim=2) / queries["mask"].sum(dim=1, keepdim=True)


def hybrid_loss(hybrid: Hybrid, model: Any, preset: Preset) -> Any:
    """Return a loss: softmax cross-entropy over the batch's texts for each part, and SPLADE's regularisers.

    Args:
        hybrid: the encoder; its outputs are the parts to train.
        model: the sentence-transformers model that holds its weights.
        preset: source of the scale and the regularisers' weights.
    """
    torch, losses = need("torch"), need("sentence_transformers.sparse_encoder.losses")
    unit = {"tokens"} | ({"dense"} if hybrid.vector == "mean" else set())

    class HybridLoss(losses.SpladeLoss):  # type: ignore[name-defined]
        """Loss that uses SpladeLoss's regularisers, whose weights a callback raises during training."""

        def forward(self, features: Any, labels: Any = None) -> dict[str, Any]:
            tasks = ["query"] + ["document"] * (len(features := list(features)) - 1)
            queries, *columns = (
                hybrid.represent(one, task, TERMS, hybrid.outputs) for one, task in zip(features, tasks, strict=True)
            )
            right = torch.arange(len(queries["mask"]), device=queries["mask"].device)
            found = {}
            for part in hybrid.outputs:
                similar = torch.cat([similarity(part, queries, column) for column in columns], dim=1)
                scale = _COSINE if part in unit else preset.scale
                found[part] = torch.nn.functional.cross_entropy(similar * scale, right)
            if "sparse" in hybrid.outputs:
                texts = torch.cat([column["sparse"] for column in columns])
                flops = self.document_regularizer.compute_loss_from_embeddings
                found["query_regularizer"] = self.query_regularizer_weight * flops(queries["sparse"])
                found["document_regularizer"] = self.document_regularizer_weight * flops(texts)
            return found

    ranking = losses.SparseMultipleNegativesRankingLoss(model)  # required, but not used
    return HybridLoss(model, ranking, preset.document_weight, query_regularizer_weight=preset.query_weight)
