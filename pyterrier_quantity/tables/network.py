"""A small network that chooses one of a question's candidates, the question's sentence vector among what it sees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from tqdm import tqdm

from pyterrier_quantity.neural.models import need
from pyterrier_quantity.tables.listwise import Choices, Floats

HIDDEN: Final = 48
FROM_VECTOR: Final = 16
DROPOUT: Final = 0.3
RATE: Final = 0.004
BATCH: Final = 16
_VECTOR_SCALE: Final = 5.0


class Network:
    """score = MLP(x, form, q, v) + form . (q, v), for features x, question features q and the projected vector v.

    Args:
        state: its parameters by name, and `mean` and `deviation` of the features in training.
    """

    def __init__(self, state: Mapping[str, Floats]) -> None:
        self.state = dict(state)
        layers = {name: values for name, values in self.state.items() if "." in name}
        self.mean, self.deviation = self.state["mean"], self.state["deviation"]
        forms, asked = layers["forms.weight"].shape
        self.plain = asked - FROM_VECTOR
        self._layers = _layers(len(self.mean), forms, self.plain, layers["vector.weight"].shape[1])
        torch = need("torch")
        self._layers.load_state_dict({name: torch.tensor(values) for name, values in layers.items()})
        self._layers.eval()

    def log_probabilities(self, choices: Choices) -> Floats:
        """Of each candidate to be the right one among all."""
        torch = need("torch")
        with torch.inference_mode():
            scores = _forward(self._layers, _Batch([choices], self.mean, self.deviation), self.plain)
            return torch.log_softmax(scores, 0).numpy().astype(np.float64)


def train(
    examples: Sequence[Choices], forms: int, plain: int, epochs: int, checkpoints: int, seed: int, verbose: bool
) -> Network:
    """The mean of the last epochs' parameters.

    Args:
        examples: questions of which at least one candidate is right; others teach nothing and are left out.
        forms: how many forms there are.
        plain: how many question features stand before the sentence vector.
        epochs, checkpoints: passes over the examples, and how many of the last ones are averaged.
        seed: of the start and the order.
        verbose: show progress.

    Raises:
        ValueError: if no example has a right candidate.
    """
    examples = [example for example in examples if example.right.any()]
    if not examples:
        raise ValueError("no question has a right candidate: nothing to learn from")
    torch = need("torch")
    every = np.concatenate([example.seen for example in examples])
    mean, deviation = every.mean(axis=0), every.std(axis=0) + 1e-3
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers = _layers(every.shape[1], forms, plain, len(examples[0].asked) - plain)
        optimizer = torch.optim.AdamW(layers.parameters(), lr=RATE, weight_decay=0.01)
        kept: list[dict[str, Any]] = []
        for epoch in tqdm(range(epochs), desc="training the generator", unit="epoch", disable=not verbose):
            for group in optimizer.param_groups:
                group["lr"] = RATE * (1 - epoch / epochs) + 0.0002
            for chosen in _batches(examples, np.random.default_rng((seed, epoch))):
                batch = _Batch(chosen, mean, deviation)
                loss = _loss(_forward(layers, batch, plain), batch)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            if epoch >= epochs - checkpoints:
                kept.append({name: values.detach().numpy().copy() for name, values in layers.state_dict().items()})
    state = {name: np.mean([checkpoint[name] for checkpoint in kept], axis=0) for name in kept[0]}
    return Network(state | {"mean": mean, "deviation": deviation})


def _layers(seen: int, forms: int, plain: int, dimension: int) -> Any:
    nn = need("torch").nn
    asked = plain + FROM_VECTOR
    return nn.ModuleDict({
        "vector": nn.Linear(dimension, FROM_VECTOR), "hidden": nn.Linear(seen + forms + asked, HIDDEN),
        "score": nn.Linear(HIDDEN, 1), "forms": nn.Linear(asked, forms), "dropout": nn.Dropout(DROPOUT),
    })  # fmt: skip


class _Batch:
    """Several questions' candidates as tensors, one question behind the other."""

    def __init__(self, batch: Sequence[Choices], mean: Floats, deviation: Floats) -> None:
        torch = need("torch")
        seen = np.concatenate([choices.seen for choices in batch])
        self.seen = torch.tensor(((seen - mean) / deviation).astype(np.float32))
        self.form = torch.tensor(np.concatenate([choices.form for choices in batch]))
        self.question = torch.tensor(np.repeat(np.arange(len(batch)), [len(choices.form) for choices in batch]))
        self.asked = torch.tensor(np.stack([choices.asked for choices in batch]).astype(np.float32))
        self.right = torch.tensor(np.concatenate([choices.right for choices in batch]))
        self.questions = len(batch)


def _forward(layers: Any, batch: _Batch, plain: int) -> Any:
    """The scores of all candidates of a batch."""
    torch = need("torch")
    vector = layers["dropout"](layers["vector"](batch.asked[:, plain:] * _VECTOR_SCALE))
    asked = torch.cat([batch.asked[:, :plain], vector], 1)
    of_forms = layers["forms"](asked)
    one_hot = torch.nn.functional.one_hot(batch.form, of_forms.shape[1]).float()
    hidden = torch.relu(layers["hidden"](torch.cat([batch.seen, one_hot, asked[batch.question]], 1)))
    own = of_forms[batch.question].gather(1, batch.form[:, None])
    return (layers["score"](layers["dropout"](hidden)) + own)[:, 0]


def _loss(scores: Any, batch: _Batch) -> Any:
    """The mean negative log-likelihood of the right candidates."""
    every = _log_sums(scores, batch.question, batch.questions)
    right = _log_sums(scores[batch.right], batch.question[batch.right], batch.questions)
    return (every - right).mean()


def _log_sums(scores: Any, question: Any, questions: int) -> Any:
    """The logarithm of each question's sum of exponentials."""
    torch = need("torch")
    top = torch.full((questions,), -np.inf).scatter_reduce(0, question, scores.detach(), "amax")
    return top + torch.zeros(questions).index_add(0, question, torch.exp(scores - top[question])).log()


def _batches(examples: Sequence[Choices], generator: np.random.Generator) -> Iterator[list[Choices]]:
    order = generator.permutation(len(examples))
    for start in range(0, len(order), BATCH):
        yield [examples[n] for n in order[start : start + BATCH]]
