"""Fit the weights of the template generator's features to questions with known results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import minimize

from pyterrier_quantity.tables.generator import FORMS, Weights, proposed

PENALTY = 3e-3
"""Penalty on the squared weights, for features of deviation 1."""
SHARED = 0.3
"""Factor on the penalty of a weight that all forms share."""
ITERATIONS = 60
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """A training question.

    Args:
        question, facts, scores: the input of generators.
        is_right: function that returns whether a program's result is right.
    """

    question: str
    facts: Sequence[Mapping[str, Any]]
    scores: Sequence[float] | None
    is_right: Callable[[Any], bool]

    @cached_property
    def choices(self) -> list[tuple[str, Mapping[str, float], bool]]:
        """Return the form and features of each candidate, and whether it is right."""
        found, seen = proposed(self.question, self.facts, self.scores)
        right = [self.is_right(candidate.program.execute()) for candidate in found]
        return [(candidate.form, *one) for candidate, *one in zip(found, seen, right, strict=True)]  # type: ignore[misc]


def fitted(examples: Sequence[Example]) -> Weights:
    """Return the weights that make right candidates most likely, with a penalty on large weights.

    Raises:
        ValueError: if no example has a right candidate.
    """
    chosen = [example.choices for example in examples if any(right for *_, right in example.choices)]
    if not chosen:
        raise ValueError("no question has a right candidate: nothing to learn from")
    rows = [choice for choices in chosen for choice in choices]
    names = list(dict.fromkeys(name for _, features, _ in rows for name in features))
    seen = np.array([[features.get(name, 0.0) for name in names] for _, features, _ in rows])
    mean, deviation = seen.mean(axis=0), seen.std(axis=0) + 1e-3
    mean[names.index("form")], deviation[names.index("form")] = 0.0, 1.0
    found = _minimum(
        (seen - mean) / deviation,
        np.array([list(FORMS).index(form) for form, *_ in rows]),
        np.array([right for *_, right in rows]),
        np.array([len(choices) for choices in chosen]),
    )
    raw = found / deviation
    raw[:, names.index("form")] -= raw @ mean
    return {form: dict(zip(names, own.round(4).tolist(), strict=True)) for form, own in zip(FORMS, raw, strict=True)}


def _minimum(seen: Floats, form: npt.NDArray[np.int64], right: npt.NDArray[np.bool_], sizes: Any) -> Floats:
    """Return the weights of each form that minimise the negative log-likelihood of the right candidates plus a penalty.

    Args:
        seen, form, right: the features and the form of each candidate, and whether it is right. Candidates for the same
            question are adjacent.
        sizes: the number of candidates of each question.
    """
    every, wide = np.arange(len(seen)), seen.shape[1]
    columns = form[:, None] * wide + np.arange(wide)
    own = sparse.csr_array((seen.ravel(), (every.repeat(wide), columns.ravel())), (len(seen), wide * len(FORMS)))
    design = sparse.hstack([sparse.csr_array(seen), own], format="csr")  # weights that all forms share go first
    costs = PENALTY * np.repeat([SHARED, 1.0], [wide, wide * len(FORMS)])
    start, question = np.cumsum([0, *sizes[:-1]]), np.repeat(np.arange(len(sizes)), sizes)

    def log_sums(scores: Floats) -> Floats:
        top = np.maximum.reduceat(scores, start)
        return top + np.log(np.add.reduceat(np.exp(scores - top[question]), start))

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = design @ weights
        of_all, of_right = log_sums(scores), log_sums(np.where(right, scores, -np.inf))
        error = np.exp(scores - of_all[question])
        error -= np.where(right, np.exp(np.minimum(scores - of_right[question], 0.0)), 0.0)
        gradient = design.T @ error / len(sizes) + 2 * costs * weights
        return float((of_all - of_right).mean() + (costs * weights**2).sum()), gradient

    options = {"maxiter": ITERATIONS}
    shared_first = minimize(loss, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B", options=options).x
    shared, *by_form = shared_first.reshape(len(FORMS) + 1, -1)
    return shared + np.array(by_form)
