"""Find the facts (rows, cells or sentences) that contain the numbers for an answer, with a cross-encoder."""

import tempfile
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.frames.frame import numbered, rescored
from pyterrier_quantity.frames.transformer import Configured
from pyterrier_quantity.neural.models import loading_shown, need
from pyterrier_quantity.neural.systems import start_of
from pyterrier_quantity.storage.folders import moved_into_place
from pyterrier_quantity.training.presets import Preset
from pyterrier_quantity.training.runs import freeze, train_averaged

NEGATIVES: Final = 3
"""Number of irrelevant facts in the training data for each relevant fact (a fact that the answer needs)."""
# Minimum number of evaluated checkpoints in a run (at least one per epoch). The weights of the better half of the
# checkpoints, at most five, are averaged.
_EVALUATIONS: Final = 4
PRESETS: Final = {
    "small": Preset("packaged", 32, 32, 3e-4, epochs=1, max_length=96, frozen=3),
    "paper": Preset("google-bert/bert-base-uncased", 24, 24, 2e-5, epochs=20, max_length=512),
}
"""Training settings. "paper" follows section 3.2 of *A numerical reasoning question answering system for FinQA*."""


class FactClassifier(Configured, pt.Estimator):
    """Transformer, R -> R, that scores facts (cells, rows, sentences) by the log-odds that the answer needs them.

    Args:
        model: folder of a classifier written by `save`. If None, call `fit` before `transform`.
        preset: training settings: "small", "paper", or a `Preset`.
        seed: random seed for the choice of irrelevant facts, for the order of facts and for dropout.
        device: "cpu", "cuda" or None (a GPU if there is one).

    Columns in: `qid`, `query`, `docno`, `text`. Columns out: the same rows, with new `score` and `rank`.

    Source: *A numerical reasoning question answering system for FinQA*, section 2.2.
    """

    def __init__(
        self, model: str | None = None, preset: str | Preset = "small", seed: int = 0, device: str | None = None
    ) -> None:
        self.model, self.preset, self.seed, self.device = model, preset, seed, device

    @cached_property
    def _loaded(self) -> Any:
        if self.model is None:
            raise RuntimeError("FactClassifier is not trained: call fit(results, qrels, ...), or give a model's folder")
        return self._cross_encoder(self.model)

    def _cross_encoder(self, start: str, **options: Any) -> Any:
        with loading_shown(False):
            return need("sentence_transformers").CrossEncoder(start, device=self.device, **options)

    def fit(
        self,
        topics_or_res_tr: pd.DataFrame,
        qrels_tr: pd.DataFrame,
        topics_or_res_va: pd.DataFrame,
        qrels_va: pd.DataFrame,
    ) -> "FactClassifier":
        """Train the classifier.

        Args:
            topics_or_res_tr: training facts, a frame R with `qid`, `query`, `docno`, `text`.
            qrels_tr: a frame with `qid`, `docno`, `label`. Label 1 means that the answer needs a number of the fact.
            topics_or_res_va, qrels_va: validation data, which select the checkpoints to average.

        Raises:
            ValueError: if no fact is relevant.
            ImportError: if an extra is missing; the message names the extra.
        """
        made = PRESETS[self.preset] if isinstance(self.preset, str) else self.preset
        need("accelerate", "training")
        dataset, generator = need("datasets", "training").Dataset, np.random.default_rng(self.seed)
        train = sampled(topics_or_res_tr, qrels_tr, made.epochs, generator)
        validation = sampled(topics_or_res_va, qrels_va, 1, generator)
        start = start_of(made.start, "colbert")
        model = self._cross_encoder(start, num_labels=1, max_length=made.max_length)
        library = need("sentence_transformers.cross_encoder")
        steps, evaluations = -(-len(train) // made.batch), max(_EVALUATIONS, made.epochs)
        freeze(model, made.frozen)
        with tempfile.TemporaryDirectory() as folder:
            settings = library.CrossEncoderTrainingArguments(
                output_dir=folder, max_steps=steps, per_device_train_batch_size=made.batch, bf16=True,
                per_device_eval_batch_size=made.batch, learning_rate=made.learning_rate, warmup_steps=steps // 10,
                eval_strategy="steps", eval_steps=max(1, steps // evaluations), save_strategy="no", seed=self.seed,
                use_cpu=model.device.type == "cpu", disable_tqdm=True, report_to="none",
                logging_strategy="no", batch_sampler=_in_order,
            )  # fmt: skip
            train_averaged(
                library.CrossEncoderTrainer(
                    model=model, args=settings, train_dataset=dataset.from_pandas(train, preserve_index=False),
                    eval_dataset=dataset.from_pandas(validation, preserve_index=False),
                    loss=need("sentence_transformers.cross_encoder.losses").BinaryCrossEntropyLoss(model),
                ), min(5, evaluations // 2),
            )  # fmt: skip
        self._loaded = model
        return self

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(inp, extra_columns=["query", "text"], context=self)
        score, pairs = np.zeros(0), list(zip(inp["query"], inp["text"], strict=True))
        if pairs:
            torch = need("torch")
            with torch.autocast(self._loaded.device.type, dtype=torch.bfloat16):
                score = self._loaded.predict(pairs, activation_fn=torch.nn.Identity(), show_progress_bar=False)
        return rescored(inp, score=np.asarray(score, dtype=float))

    def save(self, folder: str | Path) -> None:
        with moved_into_place(Path(folder)) as fresh:
            self._loaded.save_pretrained(str(fresh))


def sampled(facts: pd.DataFrame, qrels: pd.DataFrame, epochs: int, generator: np.random.Generator) -> pd.DataFrame:
    """Return the training rows of all epochs, with the columns `query`, `text`, `label`. In an epoch, each relevant
    fact (label above 0) occurs once, in random order, and is followed by random irrelevant facts for the question."""
    relevant = qrels.loc[qrels["label"] > 0, ["qid", "docno"]].drop_duplicates()
    label = facts[["qid", "docno"]].merge(relevant, how="left", indicator=True)["_merge"].eq("both").to_numpy()
    if not label.any():
        raise ValueError("no fact is relevant: facts and qrels must have the same qids and docnos")
    query, chosen = numbered(facts), list[int]()
    negatives = {asked: np.flatnonzero((query == asked) & ~label) for asked in set(query[label].tolist())}
    for _ in range(epochs):
        for positive in generator.permutation(np.flatnonzero(label)):
            others = negatives[query[positive]]
            chosen += [positive, *generator.choice(others, min(NEGATIVES, len(others)), replace=False)]
    found = facts[["query", "text"]].iloc[chosen].astype(object)
    return found.assign(label=label[chosen].astype(float))


def _in_order(dataset: Any, batch_size: int, drop_last: bool, **_: Any) -> Any:
    data = need("torch.utils.data")
    return data.BatchSampler(data.SequentialSampler(dataset), batch_size, drop_last)
