"""What keeps a fine-tuned model near the one that it began with: layers that stay, and the mean of both weights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyterrier_quantity._extras import need


@contextmanager
def frozen(model: Any, layers: int) -> Iterator[None]:
    """Within it, the embeddings and so many of the lowest layers of a model are not trained.

    Args:
        model: of sentence-transformers.
        layers: 0: everything is trained.

    Raises:
        ValueError: if the encoder has no more layers than that.
    """
    parameters = _lowest(model[0].model, layers) if layers else []
    for parameter in parameters:
        parameter.requires_grad_(False)
    try:
        yield
    finally:
        for parameter in parameters:
            parameter.requires_grad_(True)


def _lowest(encoder: Any, layers: int) -> list[Any]:
    """The parameters of the embeddings, and of the lowest layers."""
    kind = need("torch").nn.ModuleList
    stack = next(module for module in encoder.modules() if isinstance(module, kind))
    if layers >= len(stack):
        raise ValueError(f"the model has {len(stack)} layers; {layers} of them cannot be kept; one at least is trained")
    modules = [encoder.get_input_embeddings(), *stack[:layers]]
    return [parameter for module in modules for parameter in module.parameters()]


def copied(model: Any) -> dict[str, Any]:
    """A copy of a model's weights, by name."""
    return {name: value.detach().clone() for name, value in model.state_dict().items()}


def average(model: Any, before: dict[str, Any], kept: float) -> None:
    """Set the weights of a model to the mean of these and its own.

    Args:
        model: a torch module.
        before: what `copied` gave.
        kept: the share of `before`; 0: the model stays as it is.
    """
    if not kept:
        return
    after = copied(model)
    model.load_state_dict(
        {name: w.lerp(before[name], kept) if w.is_floating_point() else w for name, w in after.items()}
    )
