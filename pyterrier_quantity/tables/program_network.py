"""A network like FinQANet: an encoder, and an LSTM that writes a program while attending to the encoder's states.

Source: Chen et al., FinQA: a dataset of numerical reasoning over financial data, section 5; a numerical reasoning
question answering system for FinQA, section 2.3.
"""

from __future__ import annotations

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
    """Vectors for a batch of questions that the decoder attends to and selects tokens from.

    Args:
        text, text_mask: states of the text's tokens (questions, length, width), and the mask of real tokens.
        rows, row_mask: states of table rows, and the mask of real rows.
        options: vectors of the program tokens. The reserved tokens come first, then those for numbers and rows.
    """

    text: Tensor
    text_mask: Tensor
    rows: Tensor
    row_mask: Tensor
    options: Tensor


@dataclass
class State:
    """State of the decoder: the LSTM's two vectors, and its output at the end of each finished step of the program."""

    hidden: Tensor
    cell: Tensor
    steps: Tensor
    done: int = 0


class ProgramNetwork(nn.Module):
    """Network that scores the next token of a program, given the previous tokens.

    Args:
        width: size of the encoder's states.
        hidden: size of the decoder's vectors.
        layers: number of self-attention layers between encoder and decoder. With a frozen encoder, only these can learn
            which numbers a question needs.
        dropout: dropout of the states and of the decoder's vectors.
        encoder: encoder to train with the network. None: the input is the encoder's states.
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
        """Return the loss: the negative log-likelihood of each program, averaged over the batch.

        Args:
            targets: mask of correct tokens at each position (questions, positions, tokens); all false after the end.
            previous: the previous token at each position (questions, positions).
            allowed: mask of the tokens that are allowed at each position, of the shape of `targets`.
            given: arguments of `read`.
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
        """Return the memory for the decoder.

        Args:
            text: states of the text's tokens, or token ids if there is an encoder.
            text_mask: mask of real tokens.
            copied: weights of tokens in each number or row that may be copied (questions, numbers and rows, length).
            is_row: mask of the copied texts that are rows.
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
        """Return the score of each possible next token, and the next state. At first, `previous` is the end token."""
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
    """Return the attention-weighted mean of memory vectors; zero for an empty memory."""
    fit = (memory @ asking[..., None])[..., 0] / math.sqrt(asking.shape[1])
    weight = fit.masked_fill(~mask, FORBIDDEN).softmax(-1) * mask if mask.shape[1] else fit
    return (weight[:, None] @ memory)[:, 0]


@torch.inference_mode()
def beam_search(
    network: ProgramNetwork, given: dict[str, Tensor], allowed: Allowed, width: int
) -> list[tuple[tuple[int, ...], float]]:
    """Return the most probable programs for one question: their tokens before the end token, and their log-probability.
    `given` are the arguments of `ProgramNetwork.read`, and `allowed` returns the mask of tokens that may follow the
    tokens so far."""
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
