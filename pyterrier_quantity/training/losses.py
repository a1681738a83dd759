"""Compute the training losses of SPLADE, ColBERT, sentence encoders and hybrids.

A loss may add a score to each text that meets the query's condition, as retrieval does. The model then need not compare
numbers, and learns only to match words.

Source of the hybrid's loss: Biswas and Ramnath, *Product Question Answering with Heterogeneous Data*, section 4.3.
"""

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
"""Function that takes indexes of triples and returns scores to add, an array of shape (queries, 2, texts)."""
_COSINE: Final = 20.0  # factor by which the hybrid's loss multiplies cosine similarities
_LOSSES: Final = {
    "splade": ("sparse_encoder", "SparseMultipleNegativesRankingLoss"),
    "colbert": ("multi_vector_encoder", "MultiVectorMultipleNegativesRankingLoss"),
    "dense": ("sentence_transformer", "MultipleNegativesRankingLoss"),
}


def ranking_loss(model: Any, kind: str, preset: Preset, added: Met | None) -> Any:
    """Return the loss of a "splade", "colbert" or "dense" model: softmax cross-entropy over the query's two texts and
    the other texts of the batch. `added` (from `met_conditions`) returns the score to add to each text."""
    room, name = _LOSSES[kind]
    losses = need(f"sentence_transformers.{room}.losses")
    loss = ranking = getattr(losses, name)(model, scale=preset.scale)
    if kind == "splade":
        loss = losses.SpladeLoss(model, ranking, preset.document_weight, query_regularizer_weight=preset.query_weight)
    if added is not None:
        _count_terms(loss, ranking, added, by_query=kind == "colbert")
    return loss


def _count_terms(loss: Any, ranking: Any, added: Met, by_query: bool) -> None:
    """Change `loss` so that the similarities in its ranking loss (`ranking`) include the scores from `added`. If
    `by_query` is true, positive and negative texts alternate in a batch; otherwise, all positive texts come first."""
    torch, alone, similar = need("torch"), loss.forward, ranking.similarity_fct

    def forward(features: Any, numbers: Any) -> Any:
        more = added(numbers.tolist())
        more = (more.transpose(0, 2, 1) if by_query else more).reshape(len(more), -1)
        shift = torch.as_tensor(more, device=numbers.device)
        ranking.similarity_fct = lambda *given, **named: similar(*given, **named) + shift
        return alone(features, None)

    loss.forward = forward


def met_conditions(triples: Sequence[Triple], gate: float) -> Met:
    """Return a function that takes the indexes of some triples (query, positive text, negative text). The function
    returns the score to add to each text: `gate` if the text meets the query's condition, otherwise 0."""
    numeric, columns = NumericTerms(gate), np.array(triples, dtype=object).T
    query, queries = pd.factorize(columns[0])
    place, texts = pd.factorize(columns[1:].ravel())
    asked, stated = numeric.queries(list(queries)), numeric.documents(list(texts))
    sides = place.reshape(2, -1)

    def added(rows: Sequence[int]) -> npt.NDArray[np.float32]:
        return np.stack([[met(stated[side[rows]], asked[query[row]]) for side in sides] for row in rows])

    return added


def similarity(part: str, queries: dict[str, Any], documents: dict[str, Any]) -> Any:
    """Return the similarities of encodings from `Hybrid.represent`, a tensor of shape (queries, documents). `part`
    names the encoding to compare: "tokens" (mean MaxSim per query token), "dense" or "sparse" (dot product)."""
    torch = need("torch")
    if part != "tokens":
        return queries[part] @ documents[part].T
    similar = torch.einsum("qid,cjd->qcij", queries[part], documents[part])
    return similar.amax(dim=3).sum(dim=2) / queries["mask"].sum(dim=1, keepdim=True)


def hybrid_loss(hybrid: Hybrid, model: Any, preset: Preset) -> Any:
    """Return the loss of a hybrid model: softmax cross-entropy for each output, plus SPLADE's regularisers. `model` is
    the sentence-transformers model that shares its weights with `hybrid`."""
    torch, losses = need("torch"), need("sentence_transformers.sparse_encoder.losses")
    unit = {"tokens"} | ({"dense"} if hybrid.vector == "mean" else set())

    class HybridLoss(losses.SpladeLoss):  # type: ignore[name-defined]
        """Loss of a hybrid model. The class extends `SpladeLoss`, because the trainer's callback, which changes the
        weights of the regularisers during training, requires a `SpladeLoss`."""

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
