"""A neural network like FinQANet: an encoder, and an LSTM that generates a calculation from the encoder's states.

Sources: Chen et al., *FinQA: a dataset of numerical reasoning over financial data*, section 5; *A numerical reasoning
question answering system for FinQA*, section 2.3.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from pyterrier_quantity.tables.program_tokens import MOST_STEPS, RESERVED

FORBIDDEN: Final = -1e4
Allowed = Callable[[Sequence[int]], npt.NDArray[np.bool_]]


@dataclass
class Memory:
    """Vectors of a batch of questions. The decoder attends to the vectors, and chooses program tokens among `options`.

    Args:
        text: states of the text's tokens, a tensor of shape (questions, length, width).
        text_mask: mask of the tokens that are not padding, a tensor of shape (questions, length).
        rows: a vector for each number and row name in the facts, a tensor of shape (questions, numbers and rows,
            width). The decoder attends only to the vectors of row names.
        row_mask: True for a row name, False for a number, a tensor of shape (questions, numbers and rows).
        options: vectors of all program tokens: operations, constants, then the numbers and row names in the facts.
    """

    text: Tensor
    text_mask: Tensor
    rows: Tensor
    row_mask: Tensor
    options: Tensor


@dataclass
class State:
    """The decoder's state: two vectors of the LSTM, and the LSTM's output after each operation so far."""

    hidden: Tensor
    cell: Tensor
    steps: Tensor
    done: int = 0


class ProgramNetwork(nn.Module):
    """Network that scores the next token of a program (a calculation such as "divide(9, 8)"), given the tokens so far.

    Args:
        width: size of the encoder's states.
        hidden: size of the decoder's vectors.
        layers: number of self-attention layers between encoder and decoder. Use at least one with a frozen encoder.
        dropout: dropout probability of the encoder's states and of the decoder's vectors.
        encoder: encoder that is trained together with the network. If None, the input must be the states of an encoder.
    """

    def __init__(self, width: int, hidden: int, layers: int, dropout: float, encoder: Any = None) -> None:
        super().__init__()
        self.encoder = encoder
        self.project = nn.Linear(width, hidden)
        one = nn.TransformerEncoderLayer(hidden, 4, 2 * hidden, dropout, "gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(one, layers, enable_nested_tensor=False) if layers else None
        self.reserved = nn.Parameter(torch.randn(len(RESERVED), hidden) / math.sqrt(hidden))
        self.number, self.row = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden)
        self.lstm = nn.LSTMCell(2 * hidden, hidden)
        self.out = nn.Linear(4 * hidden, hidden)
        self.dropout = nn.Dropout(dropout)

    def forward(self, targets: Tensor, previous: Tensor, allowed: Tensor, **given: Tensor) -> dict[str, Tensor]:
        """Return {"loss": loss}, the negative log-likelihood of each correct program, averaged over the batch.

        Args:
            targets: mask of the correct tokens at each position, a tensor of shape (questions, positions, tokens). All
                values after the end of a program are False.
            previous: the previous token at each position, a tensor of shape (questions, positions).
            allowed: mask of the allowed tokens at each position, a tensor of the same shape as `targets`.
            given: the arguments of the method `read`.
        """
        memory = self.read(**given)
        state, scores = self.start(memory), []
        for place in range(targets.shape[1]):
            found, state = self.step(memory, state, previous[:, place])
            scores.append(found)
        likely = torch.stack(scores, 1).masked_fill(~allowed, FORBIDDEN).log_softmax(-1)
        right = likely.masked_fill(~targets, FORBIDDEN).logsumexp(-1)
        return {"loss": -(right * targets.any(-1)).sum(1).mean()}

    def read(self, text: Tensor, text_mask: Tensor, copied: Tensor, is_row: Tensor) -> Memory:
        """Return the vectors that the decoder attends to.

        Args:
            text: states of the text's tokens, or token ids if the network has an encoder.
            text_mask: mask of the tokens that are not padding, a tensor of shape (questions, length).
            copied: for each number or row name that a program may copy from the text, the weights of the text tokens
                that form its vector. The shape is (questions, numbers and rows, length).
            is_row: True for a row, False for a number, a tensor of shape (questions, numbers and rows).
        """
        states = text if self.encoder is None else self.encoder(text, text_mask.long()).last_hidden_state
        read = self.dropout(self.project(states.float()))
        if self.layers is not None:
            read = self.layers(read, src_key_padding_mask=~text_mask)
        taken = copied @ read
        rows = self.row(taken)
        own = torch.where(is_row[..., None], rows, self.number(taken))
        options = torch.cat([self.reserved.expand(len(read), -1, -1), own], 1)
        return Memory(read, text_mask, rows, is_row & copied.any(-1), options)

    def start(self, memory: Memory) -> State:
        first = (memory.text * memory.text_mask[..., None]).sum(1) / memory.text_mask.sum(1, keepdim=True)
        return State(first, torch.zeros_like(first), first.new_zeros(len(first), MOST_STEPS + 1, first.shape[1]))

    def step(self, memory: Memory, state: State, previous: Tensor) -> tuple[Tensor, State]:
        """Return the score of each token as the next token of the program, a tensor of shape (questions, tokens), and
        the decoder's next state. At the beginning of a program, `previous` is the end token."""
        options = memory.options.clone()
        first = len(RESERVED) - MOST_STEPS
        options[:, first : first + MOST_STEPS] += state.steps[:, :MOST_STEPS]
        chosen = options[torch.arange(len(previous)), previous]
        about = _attended(state.hidden, memory.text, memory.text_mask)
        hidden, cell = self.lstm(torch.cat([chosen, about], 1), (state.hidden, state.cell))
        finished = torch.arange(MOST_STEPS + 1) < state.done // 3
        seen = [_attended(hidden, memory.text, memory.text_mask), _attended(hidden, memory.rows, memory.row_mask)]
        seen.append(_attended(hidden, state.steps, finished.to(hidden.device).expand(len(hidden), -1)))
        out = self.dropout(torch.tanh(self.out(torch.cat([hidden, *seen], 1))))
        steps = state.steps
        if state.done % 3 == 2:
            steps = steps.clone()
            steps[:, state.done // 3] = out
        scores = (options @ out[..., None])[..., 0]
        return scores, State(hidden, cell, steps, state.done + 1)


def _attended(asking: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
    fit = (memory @ asking[..., None])[..., 0] / math.sqrt(asking.shape[1])
    weight = fit.masked_fill(~mask, FORBIDDEN).softmax(-1) * mask if mask.shape[1] else fit
    return (weight[:, None] @ memory)[:, 0]


@torch.inference_mode()
def beam_search(
    network: ProgramNetwork, given: dict[str, Tensor], allowed: Allowed, width: int
) -> list[tuple[tuple[int, ...], float]]:
    """Return at most `width` programs (token sequences of calculations) for one question, the most probable first, as
    pairs (token indexes, log-probability). `given` contains the arguments of `ProgramNetwork.read` for the question.
    `allowed` is a function from the tokens so far to the mask of the tokens that may follow."""
    memory = network.read(**given)
    state, done = network.start(memory), list[tuple[tuple[int, ...], float]]()
    beam: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    while beam:
        last = torch.tensor([tokens[-1] if tokens else 0 for tokens, _ in beam], device=memory.text.device)
        same = Memory(*(value.expand(len(beam), *value.shape[1:]) for value in vars(memory).values()))
        scores, state = network.step(same, state, last)
        mask = torch.from_numpy(np.stack([allowed(tokens) for tokens, _ in beam])).to(scores.device)
        total = scores.masked_fill(~mask, -torch.inf).log_softmax(-1) + scores.new_tensor([[one] for _, one in beam])
        best = total.flatten().topk(min(width, total.numel()))
        places = [divmod(int(place), total.shape[1]) for place in best.indices]
        found = [
            (beam[row][0] + (token,), float(score), row)
            for (row, token), score in zip(places, best.values, strict=True)
            if score > -torch.inf
        ]
        done += [(tokens, score) for tokens, score, _ in found if tokens[-1] == 0]
        going = [one for one in found if one[0][-1] != 0] if len(done) < width else []
        beam = [(tokens, score) for tokens, score, _ in going]
        rows = torch.tensor([row for *_, row in going], dtype=torch.long, device=scores.device)
        state = State(state.hidden[rows], state.cell[rows], state.steps[rows], state.done)
    return sorted(done, key=lambda one: -one[1])[:width]
