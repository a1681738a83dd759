"""What the checks of an index cost: opening it, and queries that compare what they read for the first time."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Final

import pandas as pd

from lib.attacks.outcome import Budget, Outcome
from pyterrier_quantity import Constraint, QuantityIndex
from pyterrier_quantity.datasets import DemoCollection

OPENING_MS: Final = 10.0
QUERIES_PERCENT: Final = 3.0
_DOCUMENTS: Final = 20_000
_ROUNDS: Final = 15
_ASKED: Final = pd.DataFrame(
    [
        {"qid": f"{unit} {op} {value}", "query": "oil price", "constraints": [Constraint(op, value, value, unit)]}
        for unit in ("dollar", "percent", "-", "year", "kilogram")
        for op in ("<", ">", "=")
        for value in (1.5 * 1.5**step for step in range(20))
    ]
)


def attack(random: Random, budget: Budget) -> Outcome:
    """Opening, and the checks beside the first 300 queries; the fastest of each counts."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        texts = [document["text"] for document in DemoCollection().get_corpus_iter(verbose=False)]
        drawn = ({"docno": f"d{number}", "text": random.choice(texts)} for number in islice(count(), _DOCUMENTS))
        QuantityIndex(path).indexer(threads=1, verbose=False).index(drawn)
        for _ in budget.spent(outcome):
            opening, checks, asking = _measured(path)
            outcome.tried += 1
            percent = 100 * checks / asking
            outcome.at_least("opening, ms", round(1000 * opening, 2))
            outcome.at_least("checks, %", round(percent, 2))
            if 1000 * opening > OPENING_MS or percent > QUERIES_PERCENT:
                outcome.failures.append(f"opening takes {1000 * opening:.1f} ms, checks {percent:.1f} % of the queries")
    return outcome


def _measured(path: Path) -> tuple[float, float, float]:
    """Seconds of processor time: to open the index, to compare all of it with its digests, and to ask."""
    times = []
    for _ in range(_ROUNDS):
        index = QuantityIndex(path)
        opening = _seconds(lambda index=index: index.parts)
        checks = _seconds(index.verify)
        retriever = index.retriever()
        asked = [_ASKED.iloc[at : at + 10] for at in range(0, len(_ASKED), 10)]
        times.append((opening, checks, _seconds(lambda retriever=retriever, asked=asked: list(map(retriever, asked)))))
    opening, checks, asking = (min(column) for column in zip(*times, strict=True))
    return opening, checks, asking


def _seconds(call: Callable[[], object]) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin
