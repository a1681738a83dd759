"""Train a reader: a sequence-to-sequence model that writes the answer to a question after reading several texts.

Source: Biswas and Ramnath, *Product Question Answering with Heterogeneous Data*, sections 4.4 and 5.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity._extras import need
from pyterrier_quantity.answers.fusion_in_decoder import FusionInDecoder, fused, sequence_to_sequence
from pyterrier_quantity.frames.frame import rows_by_query
from pyterrier_quantity.neural.models import check_finite, device_of
from pyterrier_quantity.storage.folders import check_free, moved_into_place, write_text
from pyterrier_quantity.training.runs import checkpoints, is_whole, resumable, train_resumed

SETTINGS_FILE: Final = "reader.json"
_EVALUATIONS: Final = 4


@dataclass(frozen=True)
class ReaderSettings:
    """Settings for training a reader (a model that writes the answer to a question).

    Args:
        start: the model to start from: a folder or a name on the Hugging Face hub. None means a small T5 with random
            weights, and a tokenizer trained on the texts.
        steps: number of optimiser steps.
        batch: number of questions per step.
        at_once: number of questions per forward pass.
        learning_rate, warmup: settings of AdamW with a linear schedule. The learning rate rises for `warmup` steps.
        evidences, max_length, source_field: see `FusionInDecoder`.
        device: "cpu" or None (a GPU if there is one).
        seed: random seed of the initial weights and of the order of the examples.
    """

    start: str | None = None
    steps: int = 600
    batch: int = 16
    at_once: int = 16
    learning_rate: float = 1e-3
    warmup: int = 50
    evidences: int = 3
    max_length: int = 64
    source_field: str | None = None
    device: str | None = None
    seed: int = 0


READERS: Final = {
    "tiny": ReaderSettings(),
    "paper": ReaderSettings("google-t5/t5-base", 1000, 64, 8, 1e-5, 200, 3, 128, "source"),
}
"""Dictionary from a preset's name to its settings. "tiny" needs neither a GPU nor a start model."""


def train_reader(
    examples: pd.DataFrame,
    out: str | Path,
    settings: ReaderSettings = READERS["tiny"],
    validation: pd.DataFrame | None = None,
    overwrite: bool = False,
) -> Path:
    """Train a reader, a model that writes the answer to a question, and save the model for `FusionInDecoder`.

    After an interruption, the same call resumes the training from its last checkpoint, in OUT.checkpoints.

    Args:
        examples: a frame R with `qid`, `query`, `docno`, `text`, `rank` or `score`, and `gold_answer` (a text, or a
            list of texts, of which the first is used).
        out: folder for the model, which is also returned.
        settings: settings of the run.
        validation: examples with other questions, to select the best checkpoint, or None to use the last one.
        overwrite: whether to replace an existing model.

    Raises:
        FileNotFoundError: if the start model does not exist.
        ModelKindError: if the start model is not a sequence-to-sequence model.
        FileExistsError: if the folder exists and `overwrite` is not set.
        ValueError: if there are checkpoints of other settings or examples, or if a weight is NaN or infinite.
        ImportError: if torch, transformers or accelerate is missing; the message names the extra.
    """
    out = Path(out)
    check_free(out, overwrite)
    for module in ("torch", "accelerate"):
        need(module, "training")
    device_of(settings.device)
    given = [_examples(frame, settings) for frame in (examples, validation) if frame is not None]
    with checkpoints(out, {"run": asdict(settings), "examples": given}) as kept:
        start = settings.start or str(_small(given[0], kept / "start", settings.seed))
        need("transformers").set_seed(settings.seed)
        tokenizer, model = sequence_to_sequence(start, settings.device)
        check_finite(model, start)
        trainer = _trainer(model, _batches(tokenizer, settings.max_length), given, settings, kept)
        train_resumed(trainer)
        losses = [entry["eval_loss"] for entry in trainer.state.log_history if "eval_loss" in entry]
        report = {"run": asdict(settings), "validation loss": losses}
        with moved_into_place(out) as fresh:
            trainer.model.save_pretrained(fresh)
            tokenizer.save_pretrained(fresh)
            write_text(fresh / SETTINGS_FILE, json.dumps(report, indent=1) + "\n")
    return out


Example = dict[str, Any]
"""Dictionary with a question's "prompts" (a list with one prompt per text) and "answer"."""


def _examples(frame: pd.DataFrame, settings: ReaderSettings) -> list[Example]:
    sources = [settings.source_field] if settings.source_field else []
    pt.validate.columns(frame, includes=["qid", "query", "docno", "text", "gold_answer", *sources])
    reader = FusionInDecoder("", settings.evidences, source_field=settings.source_field)
    found = []
    for places in rows_by_query(frame):
        results = frame.iloc[places[: settings.evidences]]
        gold = results["gold_answer"].iloc[0]
        found.append({"prompts": reader.prompts(results), "answer": gold if isinstance(gold, str) else gold[0]})
    return found


def _batches(tokenizer: Any, length: int) -> Callable[[Sequence[Example]], dict[str, Any]]:
    """Return a collate function from examples to tensors: "input_ids" and "attention_mask" of shape (questions * texts,
    tokens), and "labels", the tokens of the answers, of shape (questions, tokens). Texts are cut at `length` tokens."""
    options = {"truncation": True, "padding": True, "return_tensors": "pt", "max_length": length}
    ending = "" if tokenizer("a")["input_ids"][-1] == tokenizer.eos_token_id else tokenizer.eos_token

    def collate(examples: Sequence[Example]) -> dict[str, Any]:
        prompts = tokenizer([text for example in examples for text in example["prompts"]], **options)
        answers = tokenizer([example["answer"] + ending for example in examples], **options)
        labels = answers["input_ids"].masked_fill(answers["attention_mask"] == 0, -100)  # ignored by cross-entropy
        return {"input_ids": prompts["input_ids"], "attention_mask": prompts["attention_mask"], "labels": labels}

    return collate


def _trainer(model: Any, batches: Any, given: Sequence[list[Example]], settings: ReaderSettings, kept: Path) -> Any:
    transformers, validated = need("transformers"), len(given) > 1

    class FusedTrainer(transformers.Trainer):  # type: ignore[name-defined]  # loaded when it is needed
        def compute_loss(self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, **_: Any) -> Any:
            labels = inputs["labels"]
            output = model(**fused(model, inputs["input_ids"], inputs["attention_mask"], len(labels)), labels=labels)
            return (output.loss, output) if return_outputs else output.loss

    arguments = transformers.TrainingArguments(
        **resumable(kept, settings.steps, _EVALUATIONS, validated), per_device_train_batch_size=settings.at_once,
        gradient_accumulation_steps=max(1, settings.batch // settings.at_once), learning_rate=settings.learning_rate,
        per_device_eval_batch_size=settings.at_once, warmup_steps=settings.warmup, seed=settings.seed,
        use_cpu=settings.device == "cpu", prediction_loss_only=True, remove_unused_columns=False,
        label_names=["labels"], disable_tqdm=True, logging_strategy="no",
    )  # fmt: skip
    return FusedTrainer(model, arguments, batches, given[0], given[1] if validated else None)


def _small(examples: Sequence[Example], folder: Path, seed: int) -> Path:
    """Make a small T5 with random weights, and a tokenizer trained on the examples. Return the folder with both."""
    if is_whole(folder, "model.safetensors"):
        return folder
    tokenizers, transformers = need("tokenizers"), need("transformers")
    own = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>"))
    before = tokenizers.pre_tokenizers
    own.pre_tokenizer = before.Sequence([before.Metaspace(), before.Punctuation(), before.Digits(True)])
    own.decoder = tokenizers.decoders.Metaspace()
    special = ["<pad>", "</s>", "<unk>"]
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=2000, special_tokens=special, show_progress=False)
    own.train_from_iterator((text for one in examples for text in (*one["prompts"], one["answer"])), trainer)
    marks = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=own, **marks)
    transformers.set_seed(seed)
    config = transformers.T5Config(
        vocab_size=own.get_vocab_size(), d_model=128, d_kv=32, d_ff=256, num_layers=2, num_heads=4,
        decoder_start_token_id=0, pad_token_id=0, eos_token_id=1, dropout_rate=0.0,
    )  # fmt: skip
    tokenizer.save_pretrained(folder)
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder
