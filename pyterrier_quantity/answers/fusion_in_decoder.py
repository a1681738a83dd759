"""Generate answers to questions with a sequence-to-sequence model that reads several texts (fusion in the decoder).

Source: Biswas and Ramnath, *Product Question Answering with Heterogeneous Data*, section 4.4 (answer generation).
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

from pyterrier_quantity._extras import need
from pyterrier_quantity.counts.count_transformers import first_rows, with_answers
from pyterrier_quantity.frames.frame import is_missing, rows_by_query
from pyterrier_quantity.frames.transformer import Configured, check_counts
from pyterrier_quantity.neural.models import ModelKindError, check_there, device_of


class FusionInDecoder(Configured):
    """Transformer, R -> Q, that generates an answer to each question after reading the texts of several results.

    Each text is encoded separately with the question. The decoder attends to the concatenated states of all texts.

    Args:
        model: folder or Hugging Face name of a sequence-to-sequence model (T5, BART, ...) with its tokenizer.
        evidences: number of top results to read. If a question has fewer results, its results are repeated.
        max_length: maximum number of tokens of a text with its question.
        max_new_tokens: maximum number of tokens of an answer.
        batch_size: number of questions per batch.
        device: "cpu", "cuda" or None (a GPU if there is one).
        text_field: the column with the texts; None and NaN count as empty texts.
        source_field: a column with the source of each text ("review"), which is then part of the prompt.
        verbose: whether to show progress.

    Columns in: `qid`, `query`, `docno`, the text, the source, and `rank` or `score`. Columns out: `qid`, `query` and
    other query columns, `qanswer` (text), `evidence` (list of docnos).

    Raises:
        FileNotFoundError: if the model does not exist.
        ModelKindError: if the model is not a sequence-to-sequence model.
        ImportError: if torch or transformers is missing; the message names the extra.
    """

    def __init__(
        self,
        model: str,
        evidences: int = 3,
        max_length: int = 200,
        max_new_tokens: int = 100,
        batch_size: int = 4,
        device: str | None = None,
        text_field: str = "text",
        source_field: str | None = None,
        verbose: bool = False,
    ) -> None:
        check_counts(evidences=evidences)
        self.model, self.evidences, self.device = str(model), evidences, device
        self.max_length, self.max_new_tokens, self.batch_size = max_length, max_new_tokens, batch_size
        self.text_field, self.source_field, self.verbose = text_field, source_field, verbose

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        if self.source_field is not None:
            pt.validate.columns(inp, includes=[self.source_field], context=self)
        pt.validate.columns(inp, includes=["qid", "query", "docno", self.text_field], context=self)
        groups = rows_by_query(inp)
        taken = [inp.iloc[places[: self.evidences]] for places in groups]
        answers: list[str] = []
        batches = range(0, len(taken), self.batch_size)
        for begin in pt.tqdm(batches, desc="answers", disable=not self.verbose):
            answers += self._answers(taken[begin : begin + self.batch_size])
        found = zip(answers, taken, strict=True)
        rows = [{"qanswer": answer, "evidence": results["docno"].tolist()} for answer, results in found]
        return with_answers(first_rows(inp, groups), rows, ("qanswer", "evidence"))

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        return sequence_to_sequence(self.model, self.device)

    def prompts(self, results: pd.DataFrame) -> list[str]:
        """Return the prompts for one question's results, one per text: "question: ... source: ... context: ..."."""
        texts = ["" if is_missing(text) else text for text in results[self.text_field]]
        if self.source_field is not None:
            texts = [f"source: {s} context: {t}" for s, t in zip(results[self.source_field], texts, strict=True)]
        else:
            texts = [f"context: {text}" for text in texts]
        prompts = [f"question: {results['query'].iloc[0]} {text}" for text in texts]
        return [prompts[number % len(prompts)] for number in range(self.evidences)]

    def _answers(self, questions: Sequence[pd.DataFrame]) -> list[str]:
        tokenizer, model = self._loaded
        prompts = [prompt for results in questions for prompt in self.prompts(results)]
        tokens = tokenizer(prompts, max_length=self.max_length, truncation=True, padding=True, return_tensors="pt")
        mask = tokens["attention_mask"].to(model.device)
        with need("torch").inference_mode():
            states = fused(model, tokens["input_ids"].to(model.device), mask, len(questions))
            output = model.generate(**states, max_new_tokens=self.max_new_tokens, do_sample=False, num_beams=1)
        return [text.strip() for text in tokenizer.batch_decode(output, skip_special_tokens=True)]


def fused(model: Any, tokens: Any, mask: Any, questions: int) -> dict[str, Any]:
    """Return keyword arguments for a model's decoder: the states of each question's texts, encoded separately and then
    joined. `tokens` and `mask` are token ids and their attention mask, of shape (questions * texts, length)."""
    states = model.get_encoder()(input_ids=tokens, attention_mask=mask)[0].reshape(questions, -1, model.config.d_model)
    output = need("transformers.modeling_outputs").BaseModelOutput(last_hidden_state=states)
    return {"encoder_outputs": output, "attention_mask": mask.reshape(questions, -1)}


def sequence_to_sequence(model: str, device: str | None) -> tuple[Any, Any]:
    """Load a sequence-to-sequence model, and return its tokenizer and the model. For errors, see `FusionInDecoder`."""
    check_there(model)
    transformers = need("transformers")
    try:
        config = transformers.AutoConfig.from_pretrained(model, trust_remote_code=False)
    except (OSError, ValueError) as error:
        unknown = isinstance(error, ValueError) and "custom code" not in str(error)
        if unknown and (Path(model) / "config.json").is_file():
            raise ModelKindError(f"{model}: transformers has no such model; take T5 or BART: {error}") from error
        raise FileNotFoundError(f"{model!r} is neither a model's folder nor a model on the hub: {error}") from error
    if not config.is_encoder_decoder:
        fault = f"{model} is {config.model_type}, not a sequence-to-sequence model: it has one stack of layers"
        raise ModelKindError(f"{fault}, and no decoder that attends to an encoder; take T5 or BART")
    loaded = transformers.AutoModelForSeq2SeqLM.from_pretrained(model, trust_remote_code=False)
    tokenizer = transformers.AutoTokenizer.from_pretrained(model, trust_remote_code=False)
    return tokenizer, loaded.to(device_of(device)).eval()
