"""Trained generators of programs: they choose among the candidates over the retrieved numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np

from pyterrier_quantity.tables import network
from pyterrier_quantity.tables.choosing import candidate_features, form_of, question_features
from pyterrier_quantity.tables.classifier import NotTrainedError
from pyterrier_quantity.tables.encoding import SentenceVectors
from pyterrier_quantity.tables.listwise import Choices, Floats, LogLinear, train
from pyterrier_quantity.tables.operand_candidates import FORMS, Candidate, candidates
from pyterrier_quantity.tables.pool import best_operands, relative_scores
from pyterrier_quantity.tables.program import Program
from pyterrier_quantity.tables.program_templates import ranked
from pyterrier_quantity.tables.questions import read_question

Facts = Sequence[Mapping[str, Any]]


class ProgramGenerator(Protocol):
    """What proposes programs: rules, a trained model, or a wrapper around a language model."""

    def generate(
        self, question: str, facts: Facts, scores: Sequence[float] | None = None
    ) -> list[tuple[Program, float]]:
        """Programs with their scores, natural logarithms of probabilities, best first; empty where there is none.

        Args:
            question: its text.
            facts: what was retrieved, the best first, as `facts` makes them.
            scores: of the facts, by the retriever.
        """


@dataclass
class Example:
    """A question to learn from; what generators see of it is computed once.

    Args:
        question, facts, scores: as `generate` gets them.
        is_right: whether a result is the gold program's; None where that is not known.
    """

    question: str
    facts: Facts
    scores: Sequence[float] | None = None
    is_right: Callable[[float], bool] | None = None

    @cached_property
    def candidates(self) -> list[Candidate]:
        """The programs to choose from."""
        return list(candidates(best_operands(self.facts)))

    @cached_property
    def choices(self) -> Choices:
        """The candidates as the generators see them, with the question's plain features."""
        asked, found = read_question(self.question), self.candidates
        scores = relative_scores(best_operands(self.facts), len(self.facts), self.scores)
        right = [self._right(candidate) for candidate in found]
        form = np.array([form_of(candidate) for candidate in found], dtype=np.int64)
        seen = candidate_features(asked, found, scores)
        return Choices(seen, form, np.array(question_features(asked)), np.array(right, dtype=bool))

    def _right(self, candidate: Candidate) -> bool:
        result = candidate.result if self.is_right else None
        return result is not None and self.is_right is not None and self.is_right(result)


class _Trained(ABC):
    """What the trained generators share.

    Args:
        epochs: passes over the examples.
        checkpoints: how many of the last epochs' parameters are averaged.
        seed: of the order, and of the start.
        verbose: show progress.
    """

    _what: ClassVar[str]

    def __init__(self, epochs: int, checkpoints: int, seed: int, verbose: bool) -> None:
        for name, value in (("epochs", epochs), ("checkpoints", checkpoints)):
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {value!r}")
        self.epochs, self.checkpoints, self.seed, self.verbose = epochs, checkpoints, seed, verbose
        self.model: Any = None

    def fit(self, examples: Sequence[Example]) -> Any:
        """Train on questions with their facts and results; returns the generator.

        Raises:
            ValueError: if of no example a program over the facts gives the result.
        """
        self.model = self._trained([self._seen(example) for example in examples])
        return self

    def generate(
        self, question: str, facts: Facts, scores: Sequence[float] | None = None
    ) -> list[tuple[Program, float]]:
        """See `ProgramGenerator.generate`.

        Raises:
            NotTrainedError: before `fit` or `load`.
        """
        return self.generate_for(Example(question, facts, scores))

    def generate_for(self, example: Example) -> list[tuple[Program, float]]:
        """`generate`, for an example whose candidates other generators may have seen before."""
        if self.model is None:
            raise NotTrainedError(f"{type(self).__name__} is not trained: call fit(examples) or load(path)")
        if not example.candidates:
            return []
        return ranked(example.candidates, self.model.log_probabilities(self._seen(example)))

    def save(self, path: str | Path) -> None:
        """Write the parameters as .npz, which holds arrays only."""
        if self.model is None:
            raise NotTrainedError(f"{type(self).__name__} is not trained: there is nothing to save")
        with Path(path).open("wb") as file:
            arrays: dict[str, Any] = {"kind": np.array(self._what), **self._state()}
            np.savez(file, **arrays)

    def load(self, path: str | Path) -> Any:
        """Take the parameters of a file that `save` wrote; returns the generator.

        Raises:
            ValueError: naming the file, if it holds no parameters of this kind.
        """
        try:
            with np.load(path, allow_pickle=False) as kept:
                state = {name: kept[name] for name in kept.files}
            if str(state.pop("kind")) != self._what:
                raise ValueError("another kind of generator")
            self.model = self._made(state)
        except (KeyError, ValueError, RuntimeError) as error:
            raise ValueError(f"{path} holds no {self._what} of this version ({error}); train anew") from error
        return self

    @abstractmethod
    def _trained(self, examples: list[Choices]) -> Any: ...

    @abstractmethod
    def _state(self) -> dict[str, Floats]: ...

    @abstractmethod
    def _made(self, state: dict[str, Floats]) -> Any: ...

    def _seen(self, example: Example) -> Choices:
        return example.choices


class LogLinearGenerator(_Trained):
    """Chooses a program by a log-linear model with weights for each form, over names, periods, places and scores.

    Args: see `_Trained`; penalty: weight of the squared parameters.
    """

    _what = "log-linear generator"

    def __init__(
        self, penalty: float = 3e-4, epochs: int = 25, checkpoints: int = 5, seed: int = 0, verbose: bool = False
    ) -> None:  # fmt: skip
        super().__init__(epochs, checkpoints, seed, verbose)
        self.penalty = penalty

    def _trained(self, examples: list[Choices]) -> LogLinear:
        return train(examples, len(FORMS), self.epochs, self.penalty, self.checkpoints, self.seed, self.verbose)

    def _state(self) -> dict[str, Floats]:
        return vars(self.model)

    def _made(self, state: dict[str, Floats]) -> LogLinear:
        return LogLinear(**state)

    def __repr__(self) -> str:
        return f"LogLinearGenerator(penalty={self.penalty!r}, epochs={self.epochs!r}, seed={self.seed!r})"


class NeuralGenerator(_Trained):
    """Chooses a program by a network over the question's MiniLM vector and what the log-linear one sees.

    In place of FinQANet's decoder, which writes a program token by token, it scores whole programs: operation and
    arguments together, copied from the retrieved facts.

    Args:
        encoder: sentence vectors of questions.
        epochs, checkpoints, seed, verbose: see `_Trained`.
    """

    _what = "neural generator"

    def __init__(
        self, encoder: SentenceVectors, epochs: int = 25, checkpoints: int = 5, seed: int = 0, verbose: bool = False
    ) -> None:  # fmt: skip
        super().__init__(epochs, checkpoints, seed, verbose)
        self.encoder = encoder

    def _seen(self, example: Example) -> Choices:
        vector = self.encoder.encode([example.question])[0]
        return replace(example.choices, asked=np.concatenate([example.choices.asked, vector]))

    def _trained(self, examples: list[Choices]) -> network.Network:
        plain = len(question_features(read_question("")))
        return network.train(examples, len(FORMS), plain, self.epochs, self.checkpoints, self.seed, self.verbose)

    def _state(self) -> dict[str, Floats]:
        return self.model.state

    def _made(self, state: dict[str, Floats]) -> network.Network:
        return network.Network(state)

    def __repr__(self) -> str:
        return f"NeuralGenerator(encoder={self.encoder!r}, epochs={self.epochs!r}, seed={self.seed!r})"
