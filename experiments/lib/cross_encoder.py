"""Train a cross-encoder, which reads the query and a text together, on triples, and apply it to a ranking."""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyterrier as pt

from lib.digests import digest
from pyterrier_quantity._extras import need
from pyterrier_quantity.neural.systems import packaged_model
from pyterrier_quantity.storage.folders import moved_into_place
from pyterrier_quantity.training.data_files import Triple

_LENGTH: Final = 96
"""The maximum number of tokens in the query and the text together."""
_RUN: Final = {"per_device_train_batch_size": 32, "learning_rate": 1e-4, "bf16": True}


def trained_cross_encoder(triples: Sequence[Triple], home: Path, args: argparse.Namespace) -> Any:
    """Return the packaged MiniLM, trained to distinguish a query's positive and negative texts (binary cross-entropy).

    Args:
        triples: the training data.
        home: the folder in which the model is stored under a digest of its settings.
        args: the options, with `steps`, `seed`, `device` and `quiet`.
    """
    cross_encoder = need("sentence_transformers").CrossEncoder
    about = [args.steps, args.seed, _LENGTH, _RUN, list(triples)]
    folder = home / f"cross-encoder-{digest(about)}"
    if not folder.exists():
        model = cross_encoder(packaged_model("colbert"), num_labels=1, max_length=_LENGTH, device=args.device)
        _train(model, triples, args)
        with moved_into_place(folder) as fresh:
            model.save_pretrained(str(fresh))
    return cross_encoder(str(folder), max_length=_LENGTH, device=args.device)


def _train(model: Any, triples: Sequence[Triple], args: argparse.Namespace) -> None:
    """Train the model with equal numbers of positive and negative pairs."""
    library = need("sentence_transformers.cross_encoder")
    pairs = [(query, text, label) for query, *both in triples for text, label in zip(both, (1.0, 0.0), strict=True)]
    columns = dict(zip(("query", "text", "label"), map(list, zip(*pairs, strict=True)), strict=True))
    with tempfile.TemporaryDirectory() as folder:
        settings = library.CrossEncoderTrainingArguments(
            output_dir=folder, max_steps=args.steps, warmup_steps=args.steps // 10, seed=args.seed, report_to="none",
            save_strategy="no", use_cpu=model.device.type == "cpu", disable_tqdm=args.quiet, **_RUN,
        )  # fmt: skip
        library.CrossEncoderTrainer(
            model=model, args=settings, train_dataset=need("datasets", "training").Dataset.from_dict(columns),
            loss=need("sentence_transformers.cross_encoder.losses").BinaryCrossEntropyLoss(model),
        ).train()  # fmt: skip


def cross_scores(model: Any, results: pd.DataFrame) -> pd.DataFrame:
    """Return results (R) reordered by the model. Columns in: `qid`, `query`, `docno`, `text`."""
    pairs = list(zip(results["query"], results["text"], strict=True))
    return pt.model.add_ranks(results.assign(score=model.predict(pairs, batch_size=16)).drop(columns=["rank"]))
