"""The losses of joint models, on sentence-transformers' own; where quantities are terms, these count in training.

Hard negatives name the concept that is asked for, with another value. A model that cannot compare numbers can only
guess which text of a triple is right, and pays for guesses with what it knew of topics. Once the terms' part of the
score is there, as it is when the model serves, they tell these texts apart, and what is left to learn is about words.

Source of the hybrid's loss: hybrid-product-qa, section 4.3; temperature, and other queries' texts as negatives, are its
code's.
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
"""By the numbers of a batch's triples, what terms add: (queries, 2, texts), first positives, then negatives."""
_COSINE: Final = 20.0
"""What scores are multiplied by in the hybrid's loss where vectors have length 1: tokens, and mean-pooled vectors."""

_LOSSES: Final = {
    "splade": ("sparse_encoder", "SparseMultipleNegativesRankingLoss"),
    "colbert": ("multi_vector_encoder", "MultiVectorMultipleNegativesRankingLoss"),
    "dense": ("sentence_transformer", "MultipleNegativesRankingLoss"),
}


def ranking_loss(model: Any, kind: str, preset: Preset, added: Met | None) -> Any:
    """Softmax cross-entropy over the positive, the negative and the rest of the batch.

    Args:
        model: of sentence-transformers.
        kind: "splade", "colbert" or "dense".
        preset: its scale and regularisers.
        added: what terms add to the scores; the labels are then the triples' numbers. None: nothing, for no term is
            used.
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
    """Let `ranking`, the part of the loss that compares texts, score them with what terms add; `by_query`: a query's
    positive and negative stand together, as late interaction has them, else the positives of all queries come first."""
    torch, alone, similar = need("torch"), loss.forward, ranking.similarity_fct

    def forward(features: Any, numbers: Any) -> Any:
        more = added(numbers.tolist())
        more = (more.transpose(0, 2, 1) if by_query else more).reshape(len(more), -1)
        shift = torch.as_tensor(more, device=numbers.device)
        ranking.similarity_fct = lambda *given, **named: similar(*given, **named) + shift
        return alone(features, None)

    loss.forward = forward


def met_conditions(triples: Sequence[Triple], gate: float) -> Met:
    """What terms add to the scores of a batch's texts.

    Args:
        triples: all of training.
        gate: what meeting a condition is worth.
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
    """(queries, documents), by what `Hybrid.represent` makes of them: dot products; of token vectors the mean of the
    query's MaxSims."""
    torch = need("torch")
    if part != "tokens":
        return queries[part] @ documents[part].T
    similar = torch.einsum("qid,cjd->qcij", queries[part], documents[part])
    return similar.amax(dim=3).sum(dim=2) / queries["mask"].sum(dim=1, keepdim=True)


def hybrid_loss(hybrid: Hybrid, model: Any, preset: Preset) -> Any:
    """Softmax cross-entropy over all texts of the batch for each part, and SPLADE's regularisers of queries and texts.

    Args:
        hybrid: whose outputs are the parts that are trained.
        model: what holds its weights.
        preset: says the scale of scores, and the weights of the regularisers.
    """
    torch, losses = need("torch"), need("sentence_transformers.sparse_encoder.losses")
    unit = {"tokens"} | ({"dense"} if hybrid.vector == "mean" else set())

    class HybridLoss(losses.SpladeLoss):  # type: ignore[name-defined]
        """By SpladeLoss's regularisers, whose weights its callback raises."""

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

    ranking = losses.SparseMultipleNegativesRankingLoss(model)  # asked for, and not used
    return HybridLoss(model, ranking, preset.document_weight, query_regularizer_weight=preset.query_weight)
