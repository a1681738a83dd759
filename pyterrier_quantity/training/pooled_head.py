"""SPLADE's head and pooling in one function, whose gradient visits only what the maximum chose.

Of a text's logits, one number a token and term of the vocabulary, only the highest of each term counts, and only where
it is above zero: some hundred of a million. The function keeps just these, so that a training step of a small model on
a processor takes a fraction of its time and memory. Weights and gradients are those of SPLADE's formula.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyterrier_quantity._extras import need


def pooled_terms(states: Any, mask: Any, weight: Any, bias: Any) -> Any:
    """Each text's weights: log(1 + ReLU) of the highest logit of each term.

    Args:
        states: (texts, tokens, width), the input of the head's last layer.
        mask: (texts, tokens), 0 where a text is filled up.
        weight: (vocabulary, width), bias: (vocabulary) of that layer.

    Returns:
        (texts, vocabulary), differentiable in states, weight and bias.
    """
    return _function().apply(states, mask, weight, bias)


def _function() -> Any:
    torch = need("torch")

    class PooledTerms(torch.autograd.Function):  # type: ignore[name-defined]  # torch is loaded when it is needed
        @staticmethod
        def forward(ctx: Any, states: Any, mask: Any, weight: Any, bias: Any) -> Any:
            highest, place = [], []
            for text, there in zip(states, mask.bool(), strict=True):
                best, token = (text[there] @ weight.T).max(dim=0)
                highest.append(best)
                place.append(there.nonzero().squeeze(1)[token])
            pooled = torch.log1p(torch.relu(torch.stack(highest) + bias))
            text, term = pooled.nonzero(as_tuple=True)
            ctx.save_for_backward(states, weight, pooled, text, term, torch.stack(place)[text, term])
            return pooled

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            states, weight, pooled, text, term, token = ctx.saved_tensors
            slope = (gradient[text, term] * torch.exp(-pooled[text, term])).unsqueeze(1)
            of_states, of_weight = torch.zeros_like(states), torch.zeros_like(weight)
            of_states.index_put_((text, token), (slope * weight[term]).to(states.dtype), accumulate=True)
            of_weight.index_add_(0, term, (slope * states[text, token]).to(weight.dtype))
            of_bias = torch.zeros_like(weight[:, 0]).index_add_(0, term, slope.squeeze(1).to(weight.dtype))
            return of_states, None, of_weight, of_bias

    return PooledTerms


@contextmanager
def bare_decoder(encoder: Any) -> Iterator[Any]:
    """Within it, a masked language model's head ends before its last layer, so that its logits are that layer's input.

    Gives the layer; or None where it is not a linear one, and the head stays whole.
    """
    decoder = encoder.get_output_embeddings()
    if type(decoder).__name__ != "Linear":
        yield None
        return
    decoder.forward = lambda states: states
    try:
        yield decoder
    finally:
        del decoder.forward


def decoded_terms(states: Any, mask: Any, decoder: Any) -> Any:
    """`pooled_terms` by what `bare_decoder` gave; of the logits themselves, where that was None."""
    if decoder is None:
        torch = need("torch")
        return torch.log1p(torch.relu(states.masked_fill(mask.unsqueeze(-1) == 0, 0).amax(dim=1)))
    bias = decoder.bias if decoder.bias is not None else decoder.weight.new_zeros(len(decoder.weight))
    return pooled_terms(states, mask, decoder.weight, bias)


@contextmanager
def pooled_head(model: Any) -> Iterator[None]:
    """Within it, a SPLADE model of sentence-transformers computes its weights by `pooled_terms`.

    Nothing changes for a model of another form: whose head ends in something else than a linear layer, or whose pooling
    is not the maximum of log(1 + ReLU).
    """
    pooling = model[-1]
    if pooling.pooling_strategy != "max" or pooling.activation_function != "relu":
        yield
        return
    with bare_decoder(model[0].model) as decoder:
        if decoder is None:
            yield
            return

        def pool(features: dict[str, Any]) -> dict[str, Any]:
            terms = decoded_terms(features["token_embeddings"], features["attention_mask"], decoder)
            return features | {"sentence_embedding": terms}

        pooling.forward = pool
        try:
            yield
        finally:
            del pooling.forward
