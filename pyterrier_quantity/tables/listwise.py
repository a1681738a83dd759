"""A log-linear model that chooses one of a question's candidates; trained by the likelihood of the right ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

Floats = npt.NDArray[np.floating]

RATE: Final = 0.03
BATCH: Final = 32


@dataclass(frozen=True)
class Choices:
    """The candidates of one question.

    Args:
        seen: features of the candidates, shape (candidates, features).
        form: which form each candidate has, by number.
        asked: features of the question.
        right: which candidates are right; in training only.
    """

    seen: Floats
    form: npt.NDArray[np.int64]
    asked: Floats
    right: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class LogLinear:
    """score = shared . x + own[form] . x + asks[form] . q, over standardised features x.

    Args:
        shared, own, asks: weights, shapes (features), (forms, features), (forms, question features).
        mean, deviation: of the features in training.
    """

    shared: Floats
    own: Floats
    asks: Floats
    mean: Floats
    deviation: Floats

    def log_probabilities(self, choices: Choices) -> Floats:
        """Of each candidate to be the right one among all."""
        scores = self._scores((choices.seen - self.mean) / self.deviation, choices.form, choices.asked[None, :])
        return scores - _log_sum(scores)

    def _scores(self, seen: Floats, form: npt.NDArray[np.int64], asked: Floats) -> Floats:
        of_forms = seen @ (self.own + self.shared).T + asked @ self.asks.T
        return of_forms[np.arange(len(form)), form]


def average(models: Sequence[LogLinear]) -> LogLinear:
    """The mean of checkpoints' parameters."""
    names = ("shared", "own", "asks", "mean", "deviation")
    return LogLinear(*(np.mean([getattr(model, name) for model in models], axis=0) for name in names))


def train(
    examples: Sequence[Choices], forms: int, epochs: int, penalty: float, checkpoints: int, seed: int, verbose: bool
) -> LogLinear:
    """The mean of the last epochs' models.

    Args:
        examples: questions of which at least one candidate is right; others teach nothing and are left out.
        forms: how many forms there are.
        epochs, penalty: passes over the examples, and the weight of the squared parameters.
        checkpoints: how many of the last epochs are averaged.
        seed: of the order.
        verbose: show progress.

    Raises:
        ValueError: if no example has a right candidate.
    """
    examples = [example for example in examples if example.right.any()]
    if not examples:
        raise ValueError("no question has a right candidate: nothing to learn from")
    every = np.concatenate([example.seen for example in examples])
    mean, deviation = every.mean(axis=0), every.std(axis=0) + 1e-3
    mean[0], deviation[0] = 0.0, 1.0
    parameters = [
        np.zeros(every.shape[1]),
        np.zeros((forms, every.shape[1])),
        np.zeros((forms, len(examples[0].asked))),
    ]
    adam = _Adam(parameters)
    kept: list[LogLinear] = []
    for epoch in tqdm(range(epochs), desc="training the generator", unit="epoch", disable=not verbose):
        rate = RATE * (1 - epoch / epochs) + 0.001
        for batch in _batches(examples, np.random.default_rng((seed, epoch))):
            adam.step(_gradients(batch, _model(parameters, mean, deviation), penalty), rate)
        if epoch >= epochs - checkpoints:
            kept.append(_model([parameter.copy() for parameter in parameters], mean, deviation))
    return average(kept)


def _model(parameters: Sequence[Floats], mean: Floats, deviation: Floats) -> LogLinear:
    shared, own, asks = parameters
    return LogLinear(shared, own, asks, mean, deviation)


def _batches(examples: Sequence[Choices], generator: np.random.Generator) -> Iterator[list[Choices]]:
    order = generator.permutation(len(examples))
    for start in range(0, len(order), BATCH):
        yield [examples[n] for n in order[start : start + BATCH]]


def _gradients(batch: Sequence[Choices], model: LogLinear, penalty: float) -> list[Floats]:
    """Of the mean negative log-likelihood of the right candidates, and of the penalty."""
    shared, own, asks = np.zeros_like(model.shared), 2 * penalty * model.own, 2 * penalty * model.asks
    for choices in batch:
        seen = (choices.seen - model.mean) / model.deviation
        scores = model._scores(seen, choices.form, choices.asked[None, :])
        likely = np.exp(scores - _log_sum(scores))
        right = np.where(choices.right, scores, -np.inf)
        error = (likely - np.exp(right - _log_sum(right))) / len(batch)
        shared += error @ seen
        by_form = np.zeros((len(own), len(error)))
        by_form[choices.form, np.arange(len(error))] = error
        own += by_form @ seen
        asks += np.outer(by_form.sum(axis=1), choices.asked)
    return [shared + 0.6 * penalty * model.shared, own, asks]


def _log_sum(scores: Floats) -> float:
    top = scores.max()
    return float(top + np.log(np.exp(scores - top).sum()))


class _Adam:
    """Adam, in place (Kingma and Ba 2015)."""

    def __init__(self, parameters: Sequence[Floats]) -> None:
        self.parameters = parameters
        self.first = [np.zeros_like(parameter) for parameter in parameters]
        self.second = [np.zeros_like(parameter) for parameter in parameters]
        self.steps = 0

    def step(self, gradients: Sequence[Floats], rate: float) -> None:
        self.steps += 1
        for parameter, first, second, gradient in zip(self.parameters, self.first, self.second, gradients, strict=True):
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient**2 - second)
            corrected = np.sqrt(second / (1 - 0.999**self.steps)) + 1e-8
            parameter -= rate * first / (1 - 0.9**self.steps) / corrected
