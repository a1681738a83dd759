"""What a hybrid model learns from: queries, each with a text that answers it and texts that do not."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_HEADER: Final = ["query", "positive", "negative"]
_HELD_OUT: Final = 0.1
"""Share of the queries that validate."""

Batch = tuple[list[str], list[str], list[int]]
"""Queries, texts, and where among these each query's positive is."""


@dataclass(frozen=True)
class Instance:
    """A query, a text that answers it, and texts that do not."""

    query: str
    positive: str
    negatives: tuple[str, ...]


def read_instances(path: str | Path) -> list[Instance]:
    """Training instances of a file.

    Args:
        path: TSV with query, positive and negative, the negatives of a pair gathered; or JSON lines with `query`,
            `positive` and `negatives`. A text may be `{"text": ..., "source": ...}`: its source's name is then put
            before it, as in the paper's code.

    Raises:
        ValueError: naming the file and line that is no instance.
    """
    gathered: dict[tuple[str, str], list[str]] = {}
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if number == 1 and line.split() == _HEADER:
                continue
            try:
                query, positive, negatives = _parsed(line.rstrip("\n"), str(path).endswith(".tsv"))
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{path}, line {number} is no training instance: {error}") from error
            gathered.setdefault((query, positive), []).extend(negatives)
    return [Instance(query, positive, tuple(negatives)) for (query, positive), negatives in gathered.items()]


def _parsed(line: str, tabular: bool) -> tuple[str, str, list[str]]:
    if tabular:
        query, positive, negative = line.split("\t")
        return query, positive, [negative]
    record = json.loads(line)
    return record["query"], _text(record["positive"]), [_text(negative) for negative in record["negatives"]]


def _text(given: Any) -> str:
    if isinstance(given, str):
        return given
    return f"{given['source']} {given['text']}" if given.get("source") else str(given["text"])


def split(instances: Sequence[Instance], seed: int) -> tuple[list[Instance], list[Instance]]:
    """Instances to train on and to validate by, without a common query.

    Raises:
        ValueError: on fewer than two queries.
    """
    queries = sorted({instance.query for instance in instances})
    if len(queries) < 2:
        raise ValueError(f"{len(queries)} queries are too few to train and validate by; give at least 2")
    random.Random(seed).shuffle(queries)
    held_out = set(queries[: math.ceil(_HELD_OUT * len(queries))])
    return [i for i in instances if i.query not in held_out], [i for i in instances if i.query in held_out]


def batches(instances: Sequence[Instance], size: int, candidates: int, seed: int) -> Iterator[Batch]:
    """Batches of different queries without end, in a new order each time round.

    A query brings its positive and as many of its negatives as there is room for; repeated, or borrowed from another
    query where it has none.
    """
    order, chosen = list(instances), random.Random(seed)
    while True:
        chosen.shuffle(order)
        for start in range(0, len(order), size):
            batch = list({instance.query: instance for instance in order[start : start + size]}.values())
            texts: list[str] = []
            own = []
            for instance in batch:
                negatives = list(instance.negatives) or [chosen.choice(order).positive]
                chosen.shuffle(negatives)
                own.append(len(texts))
                texts += [instance.positive, *(negatives * candidates)[: candidates - 1]]
            yield [instance.query for instance in batch], texts, own
