"""Means of weights, of a fine-tuned model and its start, or of a run's best checkpoints; and layers that stay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from pyterrier_quantity._extras import need

_LAYER: Final = re.compile(r"\blayers?\.(\d+)\.")


@contextmanager
def frozen(model: Any, layers: int) -> Iterator[None]:
    """Within it, the embeddings and so many of the lowest layers of a model are not trained.

    Args:
        model: of sentence-transformers.
        layers: 0: everything is trained.
    """
    parameters = [value for name, value in model.named_parameters() if layers and _is_low(name, layers)]
    for parameter in parameters:
        parameter.requires_grad_(False)
    try:
        yield
    finally:
        for parameter in parameters:
            parameter.requires_grad_(True)


def _is_low(name: str, layers: int) -> bool:
    """Whether a parameter is of the embeddings, or of one of so many lowest layers."""
    layer = _LAYER.search(name)
    return int(layer[1]) < layers if layer else "embeddings" in name


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


def train_averaged(trainer: Any, best: int) -> None:
    """Train, and give the model the mean of the weights that it had when it was best on the validation data.

    Source: a numerical reasoning question answering system for FinQA, section 2.4 (checkpoints average).

    Args:
        trainer: of transformers or sentence-transformers, which evaluates now and then.
        best: so many evaluations' weights are averaged, those with the least loss.
    """
    callback = type("Callback", (_Best, need("transformers").TrainerCallback), {})
    kept = callback(best)
    trainer.add_callback(kept)
    trainer.remove_callback(need("transformers").PrinterCallback)
    trainer.train()
    states = [state for _, state in kept.states]
    if states:
        trainer.model.load_state_dict({name: _mean([state[name] for state in states]) for name in states[0]})


class _Best:
    """The weights of the evaluations with the least loss."""

    def __init__(self, best: int) -> None:
        self.best, self.states = best, list[tuple[float, dict[str, Any]]]()

    def on_evaluate(self, args: Any, state: Any, control: Any, model: Any, metrics: dict[str, float], **_: Any) -> None:
        """Called by the trainer."""
        found = (metrics["eval_loss"], {name: value.cpu() for name, value in copied(model).items()})
        self.states = sorted([*self.states, found], key=lambda pair: pair[0])[: self.best]


def _mean(values: Sequence[Any]) -> Any:
    return need("torch").stack(list(values)).mean(0) if values[0].is_floating_point() else values[0]
