"""Weights of the template generator's features, fitted to questions of which the right results are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from pyterrier_quantity.tables.candidates import FORMS
from pyterrier_quantity.tables.generator import Weights, proposed

PENALTY = 3e-3
"""Of the squared weights, which are for features of deviation 1."""
SHARED = 0.3
"""A weight that all forms share costs so much of that."""
ITERATIONS = 60
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """A question to learn from.

    Args:
        question, facts, scores: as generators get them.
        is_right: whether a program's result is right.
    """

    question: str
    facts: Sequence[Mapping[str, Any]]
    scores: Sequence[float] | None
    is_right: Callable[[Any], bool]

    @cached_property
    def choices(self) -> list[tuple[str, Mapping[str, float], bool]]:
        """Of each candidate its form, its features, and whether it is right."""
        found, seen = proposed(self.question, self.facts, self.scores)
        right = [self.is_right(candidate.program.execute()) for candidate in found]
        return [(candidate.form, *one) for candidate, *one in zip(found, seen, right, strict=True)]  # type: ignore[misc]


class _Choices:
    """All candidates of all questions, one question behind the other, as arrays."""

    def __init__(self, examples: Sequence[Example]) -> None:
        rows = [choice for example in examples for choice in example.choices]
        self.names = list(dict.fromkeys(name for _, features, _ in rows for name in features))
        seen = np.array([[features.get(name, 0.0) for name in self.names] for _, features, _ in rows])
        self.mean, self.deviation = seen.mean(axis=0), seen.std(axis=0) + 1e-3
        self.mean[self.names.index("form")], self.deviation[self.names.index("form")] = 0.0, 1.0
        seen = (seen - self.mean) / self.deviation
        form = np.array([list(FORMS).index(form) for form, _, _ in rows])
        self.rows = [np.flatnonzero(form == number) for number in range(len(FORMS))]
        self.seen = [seen[rows] for rows in self.rows]
        self.right = np.array([right for _, _, right in rows])
        sizes = [len(example.choices) for example in examples]
        self.start = np.cumsum([0, *sizes[:-1]])
        self.question = np.repeat(np.arange(len(examples)), sizes)

    def loss(self, flat: Floats) -> tuple[float, Floats]:
        """The mean negative log-likelihood of the right candidates with the penalty, and its gradient.

        Args:
            flat: shared weights, then those of each form.
        """
        shared, *own = parts = flat.reshape(len(FORMS) + 1, -1)
        scores = np.empty(len(self.right))
        for rows, seen, weights in zip(self.rows, self.seen, own, strict=True):
            scores[rows] = seen @ (shared + weights)
        every, right = self._log_sums(scores), self._log_sums(np.where(self.right, scores, -np.inf))
        error = np.exp(scores - every[self.question])
        error -= np.where(self.right, np.exp(np.minimum(scores - right[self.question], 0.0)), 0.0)
        costs = np.array([SHARED, *[1.0] * len(own)])[:, None] * PENALTY
        gradient = 2 * costs * parts
        for number, (rows, seen) in enumerate(zip(self.rows, self.seen, strict=True), 1):
            of_form = error[rows] @ seen / len(every)
            gradient[0] += of_form
            gradient[number] += of_form
        return float((every - right).mean() + (costs * parts**2).sum()), gradient.ravel()

    def _log_sums(self, scores: Floats) -> Floats:
        """The logarithm of each question's sum of exponentials."""
        top = np.maximum.reduceat(scores, self.start)
        return top + np.log(np.add.reduceat(np.exp(scores - top[self.question]), self.start))

    def raw(self, weights: Floats) -> dict[str, float]:
        """Weights of a form for the features as they are; the rest goes into the form's own constant."""
        raw = weights / self.deviation
        raw[self.names.index("form")] -= raw @ self.mean
        return {name: round(float(value), 4) for name, value in zip(self.names, raw, strict=True)}


def fitted(examples: Sequence[Example]) -> Weights:
    """The weights under which right candidates are most likely.

    Raises:
        ValueError: if no example has a right candidate.
    """
    taught = [example for example in examples if any(right for _, _, right in example.choices)]
    if not taught:
        raise ValueError("no question has a right candidate: nothing to learn from")
    choices = _Choices(taught)
    start = np.zeros((len(FORMS) + 1) * len(choices.names))
    found = minimize(choices.loss, start, jac=True, method="L-BFGS-B", options={"maxiter": ITERATIONS}).x
    shared, *own = found.reshape(len(FORMS) + 1, -1)
    return {form: choices.raw(shared + weights) for form, weights in zip(FORMS, own, strict=True)}
