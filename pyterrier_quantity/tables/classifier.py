"""The fact classifier: a question's facts by how likely they hold the numbers of its answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import numbered, ranks
from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.neural.models import need
from pyterrier_quantity.tables.encoding import SentenceVectors
from pyterrier_quantity.tables.fact_features import NAMES, features

FACT_COLUMNS: Final = ["query", "text", "quantities", "row", "column", "cells"]
"""What facts bring into a frame of results."""
NEGATIVES: Final = 3
"""Negatives for each positive (the FinQA system's 1 : 3)."""


class NotTrainedError(RuntimeError):
    """A model is used before it is trained or loaded."""


class FactFeatures(Configured):
    """R -> R: adds `features`, what the classifier sees of a question and a fact, as PyTerrier's learning to rank does.

    Args:
        encoder: sentence vectors; None: lexical evidence alone.

    Columns in: `qid`, `query`, `docno` and what `facts` makes: `text`, `quantities`, `row`, `column`, `cells`.
    Columns out: the same, with `features` (arrays, see `features.NAMES`). Facts compete with the facts of their
    question, so a frame should hold all candidates of a question.
    """

    def __init__(self, encoder: SentenceVectors | None = None) -> None:
        self.encoder = encoder

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(inp, extra_columns=FACT_COLUMNS, context=self)
        found = np.empty(len(inp), dtype=object)
        query = numbered(inp)
        for number in range(query.max() + 1 if len(inp) else 0):
            rows = np.flatnonzero(query == number)
            found[rows] = list(self._of_question(inp.iloc[rows]))
        return inp.assign(features=pd.Series(found, index=inp.index, dtype=object))

    def _of_question(self, group: pd.DataFrame) -> npt.NDArray[np.float32]:
        question, facts = str(group["query"].iloc[0]), group[["docno", *FACT_COLUMNS]].to_dict("records")
        similarity = np.zeros(len(facts))
        if self.encoder is not None:
            similarity = self.encoder.encode(group["text"].tolist()) @ self.encoder.encode([question])[0]
        return features(question, facts, similarity)


class FactClassifier(pt.Estimator):
    """R -> R: scores facts by a logistic regression over the encoder's similarity, BM25, and the names around cells.

    Args:
        encoder: sentence vectors; None: lexical evidence alone.
        negatives: how many negatives for each positive are sampled in training.
        seed: of the sampling.

    Columns in: as `FactFeatures`; where a frame brings its `features`, they are used. Columns out: the same, with
    `score` (log-odds) and `rank`. Rows keep their order.

    `fit(results, qrels)` trains it on results of these columns and qrels with `qid`, `docno`, `label`; `save` and
    `load` keep the weights as JSON.

    Source: "A Numerical Reasoning Question Answering System with Fine-grained Retriever ...", section 2.2: facts that
    hold a number of the gold program against sampled others; a head on MiniLM in place of a whole BERT.
    """

    def __init__(self, encoder: SentenceVectors | None = None, negatives: int = NEGATIVES, seed: int = 0) -> None:
        if negatives < 1:
            raise ValueError(f"negatives must be at least 1, got {negatives!r}")
        self.encoder, self.negatives, self.seed = encoder, negatives, seed
        self.weights: npt.NDArray[np.float64] | None = None

    def fit(
        self,
        topics_or_res_tr: pd.DataFrame,
        qrels_tr: pd.DataFrame,
        topics_or_res_va: pd.DataFrame | None = None,
        qrels_va: pd.DataFrame | None = None,
    ) -> FactClassifier:
        """Train on the facts of questions and their labels; the validation frames are not used.

        Raises:
            ValueError: if no fact of the results is relevant.
        """
        seen = self._featured(topics_or_res_tr)
        gold = set(zip(qrels_tr["qid"][qrels_tr["label"] > 0], qrels_tr["docno"][qrels_tr["label"] > 0], strict=True))
        label = np.array([pair in gold for pair in zip(seen["qid"], seen["docno"], strict=True)], dtype=bool)
        if not label.any():
            raise ValueError("no fact of the results is relevant: results and qrels must have the same qids and docnos")
        chosen = _sampled(numbered(seen), label, self.negatives, np.random.default_rng(self.seed))
        self.weights = _regression(np.stack(seen["features"].iloc[chosen].tolist()), label[chosen])
        return self

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        seen = self._featured(inp)
        if self.weights is None:
            raise NotTrainedError("FactClassifier is not trained: call fit(results, qrels) or load(path)")
        score = np.zeros(0)
        if len(inp):
            score = np.stack(seen["features"].tolist()) @ self.weights[1:] + self.weights[0]
        return inp.drop(columns=["rank"], errors="ignore").assign(score=score, rank=ranks(numbered(inp), score))

    def _featured(self, inp: pd.DataFrame) -> pd.DataFrame:
        if "features" in inp.columns:
            pt.validate.result_frame(inp, extra_columns=["features"], context=self)
            return inp
        pt.validate.result_frame(inp, extra_columns=FACT_COLUMNS, context=self)
        return FactFeatures(self.encoder).transform(inp)

    def save(self, path: str | Path) -> None:
        """Write the weights, by the features' names, as JSON."""
        if self.weights is None:
            raise NotTrainedError("FactClassifier is not trained: there is nothing to save")
        named = dict(zip(("bias", *NAMES), self.weights.tolist(), strict=True))
        Path(path).write_text(json.dumps({"fact classifier": named}, indent=1), encoding="utf-8")

    def load(self, path: str | Path) -> FactClassifier:
        """Take the weights of a file that `save` wrote.

        Raises:
            ValueError: naming the file, if it holds no weights of this version.
        """
        try:
            named = json.loads(Path(path).read_text(encoding="utf-8"))["fact classifier"]
            self.weights = np.array([float(named[name]) for name in ("bias", *NAMES)])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{path} holds no weights of a fact classifier of this version ({error}); train anew"
            ) from error
        return self

    def _config(self) -> tuple[Any, ...]:
        weights = None if self.weights is None else self.weights.tobytes()
        return (self.encoder, self.negatives, self.seed, weights)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FactClassifier) and self._config() == other._config()

    def __hash__(self) -> int:
        return hash(self._config())

    def __repr__(self) -> str:
        return f"FactClassifier(encoder={self.encoder!r}, negatives={self.negatives!r}, seed={self.seed!r})"


def _sampled(
    query: npt.NDArray[np.int64], label: npt.NDArray[np.bool_], negatives: int, generator: np.random.Generator
) -> npt.NDArray[np.int64]:
    """All positives, and of each question so many times as many others."""
    chosen = [np.flatnonzero(label)]
    for number in np.unique(query[label]):
        other = np.flatnonzero((query == number) & ~label)
        count = negatives * int(np.sum((query == number) & label))
        chosen.append(generator.choice(other, min(len(other), count), replace=False))
    return np.concatenate(chosen)


def _regression(seen: npt.NDArray[np.float32], labels: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Bias and weights of a logistic regression on standardised features, for the features as they are."""
    need("sklearn", "tables")
    from sklearn.linear_model import LogisticRegression

    mean, deviation = seen.mean(axis=0), seen.std(axis=0) + 1e-6
    model = LogisticRegression(C=0.3, max_iter=500).fit((seen - mean) / deviation, labels)
    weights = model.coef_[0] / deviation
    return np.concatenate([[model.intercept_[0] - weights @ mean], weights]).astype(np.float64)
