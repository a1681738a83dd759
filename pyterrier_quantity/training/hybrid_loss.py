"""The joint loss of a hybrid model: a ranking loss for each of its parts, and FLOPS regularisers on its terms.

Source: hybrid-product-qa, section 4.3; temperature, and other queries' texts as negatives, are its code's.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

from pyterrier_quantity._extras import need
from pyterrier_quantity.neural.hybrid import TERMS, Hybrid
from pyterrier_quantity.training.pooled_head import bare_decoder, decoded_terms
from pyterrier_quantity.training.presets import Preset

Representation = dict[str, Any]
"""What a model says of some texts, by part; "mask" says which tokens are there."""

ALPHAS: Final = sorted(
    (*(round(0.05 * step, 2) for step in range(1, 20)), 0.97, 0.98, 0.99), key=lambda a: abs(a - 0.5)
)
"""Finer where the dense part weighs most: the scores of terms spread tens of times as far as those of unit vectors."""
_COSINE: Final = 20.0
"""What scores are multiplied by in the ranking loss where vectors have length 1: tokens, and mean-pooled vectors."""


def hybrid_in_training(start: Hybrid, separate: bool) -> tuple[Hybrid, Any]:
    """A hybrid to train, and the sentence-transformers model that holds all of its weights.

    Args:
        start: the model to begin with.
        separate: queries get an encoder of their own, which begins as that of documents.
    """
    documents = start.loaded
    if not separate:
        return Hybrid(documents, documents, start.outputs, start.vector, content_only=True), documents
    queries = deepcopy(documents)
    route = need("sentence_transformers.base.modules").Router.for_query_document(list(queries), list(documents))
    both = need("sentence_transformers").SparseEncoder(modules=[route], device=str(documents.device))
    return Hybrid(documents, queries, start.outputs, start.vector, content_only=True), both


def represent(hybrid: Hybrid, features: dict[str, Any], task: str) -> Representation:
    """Each part's representation of some texts, by one pass.

    Args:
        hybrid: the model, whose outputs are the parts.
        features: what its tokenizer made of the texts.
        task: "query" or "document".
    """
    encoder = (hybrid.query_loaded if task == "query" else hybrid.loaded)[0].auto_model
    inputs = {name: features[name] for name in hybrid.loaded.tokenizer.model_input_names if name in features}
    mask = inputs["attention_mask"]
    if "sparse" not in hybrid.outputs:
        states = encoder.base_model(**inputs)[0]
        found = {"mask": mask}
    else:
        with bare_decoder(encoder) as decoder:
            output = encoder(**inputs, output_hidden_states=True)
        weights = decoded_terms(output.logits, mask, decoder) * hybrid.wanted
        states, found = output.hidden_states[-1], {"mask": mask, "sparse": _heaviest(weights, TERMS)}
    if "dense" in hybrid.outputs:
        found["dense"] = hybrid.pooled(states, mask)
    if "tokens" in hybrid.outputs:
        found["tokens"] = need("torch").nn.functional.normalize(states, dim=-1) * mask.unsqueeze(-1)
    return found


def _heaviest(weights: Any, k: int) -> Any:
    """The weights with all but the k largest of each text set to 0."""
    torch = need("torch")
    kept = torch.topk(weights, min(k, weights.shape[1]), dim=1).indices
    return weights * torch.zeros_like(weights).scatter_(1, kept, 1.0)


def similarity(part: str, queries: Representation, documents: Representation) -> Any:
    """(queries, documents): dot products; of token vectors the mean of the query's MaxSims."""
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
            queries, *columns = (represent(hybrid, one, task) for one, task in zip(features, tasks, strict=True))
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
