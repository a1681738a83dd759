"""Use a sequence-to-sequence model such as T5 to generate programs: calculations that answer questions about tables."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pandas as pd

from pyterrier_quantity.answers.fusion_in_decoder import sequence_to_sequence
from pyterrier_quantity.neural.models import need
from pyterrier_quantity.tables.generator import Facts, Programs
from pyterrier_quantity.tables.neural_generator import ProgramExample
from pyterrier_quantity.tables.program import OPERATIONS, OVER_ROWS, Program
from pyterrier_quantity.training.reader_run import READERS, ReaderSettings, train_reader

_OPERATION: Final = re.compile(r"\b([A-Za-z_]{2,30})\s*\(")
_OVER_ROW: Final = re.compile(rf"\b({'|'.join(OVER_ROWS)})\s*\(\s*([^()]{{1,300}}?)\s*(?:,\s*none\s*)?\)")
PRESETS: Final = {
    "tiny": replace(READERS["tiny"], steps=200, evidences=1, max_length=192),
    "paper": ReaderSettings("google-t5/t5-large", 52_100, 12, 12, 1.5e-5, 0, 1, 512),
}
"""Presets. "paper" follows section 3.2 of *A numerical reasoning question answering system for FinQA*: batches of 12,
and 100 epochs over 6,251 questions. A T5-large replaces the paper's RoBERTa-large."""


class SequenceGenerator:
    """Generator of programs (calculations such as "divide(9, 8)") with a sequence-to-sequence model, which reads a
    question and facts.

    Args:
        model: folder or Hugging Face name of a sequence-to-sequence model such as T5. The model must be trained to
            write "divide(9, 8)" for a text "question: ... context: ...", for example by the method `train`.
        beam: width of the beam search, and maximum number of programs returned.
        max_length, max_new_tokens: maximum numbers of input and output tokens.
        device: "cpu", "cuda" or None (a GPU if there is one).

    Source: *A numerical reasoning question answering system for FinQA*, section 2.3.

    Raises:
        FileNotFoundError: if the model does not exist. The model is loaded on first use.
        ModelKindError: if the model is not an encoder-decoder model.
    """

    def __init__(
        self, model: str, beam: int = 3, max_length: int = 512, max_new_tokens: int = 128, device: str | None = None
    ) -> None:
        self.model, self.beam, self.device = str(model), beam, device
        self.max_length, self.max_new_tokens = max_length, max_new_tokens

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        return sequence_to_sequence(self.model, self.device)

    def generate(self, question: str, facts: Facts, scores: Sequence[float] | None = None) -> Programs:
        """Return well-formed programs such as "divide(9, 8)", best first; see `ProgramGenerator.generate`."""
        need("nltk", "tables")  # which corrects the model's outputs
        tokenizer, model = self._loaded
        text = f"question: {question} context: {_read(facts)}"
        given = tokenizer(text, truncation=True, max_length=self.max_length, return_tensors="pt")
        with need("torch").inference_mode():
            found = model.generate(
                **{name: given[name].to(model.device) for name in ("input_ids", "attention_mask")},
                num_beams=self.beam, num_return_sequences=self.beam, max_new_tokens=self.max_new_tokens,
                do_sample=False, length_penalty=0.0, output_scores=True, return_dict_in_generate=True,
            )  # fmt: skip
        written = tokenizer.batch_decode(found.sequences, skip_special_tokens=True)
        rows = list(dict.fromkeys(cell.row or cell.section for fact in facts for cell in fact["cells"]))
        programs = [Program.parse(repaired(text, rows)) for text in written]
        return [pair for pair in zip(programs, found.sequences_scores.tolist(), strict=True) if pair[0].steps]

    @classmethod
    def train(
        cls,
        examples: Sequence[ProgramExample],
        out: str | Path,
        validation: Sequence[ProgramExample] = (),
        preset: str | ReaderSettings = "tiny",
        overwrite: bool = False,
    ) -> "SequenceGenerator":
        """Train and save a model, and return its `SequenceGenerator`. Repeat the call to resume interrupted training.

        Args:
            examples: training examples.
            out: folder for the model; checkpoints are in OUT.checkpoints until the training ends.
            validation: examples that select the checkpoint with the lowest loss. If empty, the last checkpoint is kept.
            preset: "tiny" (random initial weights), "paper" (T5-large, which needs a GPU), or a `ReaderSettings`.
            overwrite: whether to replace an existing model.

        Raises:
            FileExistsError, FileNotFoundError, ModelKindError, ValueError, ImportError: see `training.train_reader`.
        """
        settings = PRESETS[preset] if isinstance(preset, str) else preset
        frames, columns = [], ["qid", "query", "docno", "text", "rank", "gold_answer"]
        for part in (examples, validation):
            rows = [(str(n), e.question, "facts", _read(e.facts), 0, str(e.program)) for n, e in enumerate(part)]
            frames.append(pd.DataFrame(rows, columns=columns))
        folder = train_reader(frames[0], out, settings, frames[1] if validation else None, overwrite)
        return cls(str(folder), max_length=settings.max_length, device=settings.device)


def _read(facts: Facts) -> str:
    return " ".join(fact["text"] for fact in facts)


def repaired(text: str, rows: Sequence[str]) -> str:
    """Return a model's output with corrected names: "substract($9, 8)" -> "subtract(9, 8)". An unknown operation or row
    name becomes the existing name with the smallest edit distance. "$" signs are removed."""
    text = text.replace("$", " ")
    text = _OPERATION.sub(lambda found: f"{_nearest(found[1].lower(), OPERATIONS)}(", text)
    return _OVER_ROW.sub(lambda found: f"{found[1]}({_nearest(found[2], rows)}, none)", text)


def _nearest(name: str, known: Iterable[str]) -> str:
    distance = need("nltk.metrics.distance", "tables").edit_distance
    return min(known, key=lambda other: distance(name.lower(), other.lower()), default=name)
