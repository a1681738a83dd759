"""How long an attack may take, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count


@dataclass(frozen=True)
class Budget:
    """What an attack may spend.

    Args:
        seconds: from its first try on.
        tries: how many that count.
    """

    seconds: float
    tries: int

    def spent(self, outcome: Outcome) -> Iterator[int]:
        """Number the tries until the time is over or enough of them counted; there is always one."""
        end = time.perf_counter() + self.seconds
        for number in count():
            if number and (outcome.tried >= self.tries or time.perf_counter() >= end):
                return
            yield number


@dataclass
class Outcome:
    """What an attack tried, what did not hold, and figures for the table.

    Args:
        tried: how often, as far as a try counts: a kill that comes when all is done does not.
        failures: what happened, each in a line.
        most: figures of which the greatest counts.
        counts: figures that are added up.
    """

    tried: int = 0
    failures: list[str] = field(default_factory=list)
    most: dict[str, float] = field(default_factory=dict)
    counts: dict[str, float] = field(default_factory=dict)

    def at_least(self, name: str, value: float) -> None:
        """Keep the greatest of a figure."""
        self.most[name] = max(self.most.get(name, value), value)

    def add(self, name: str, value: float = 1) -> None:
        """Add to a figure."""
        self.counts[name] = self.counts.get(name, 0) + value
