"""The budget and the outcome of an attack."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count


@dataclass(frozen=True)
class Budget:
    """The budget of an attack.

    Args:
        seconds: the time since the first try.
        tries: the number of tries that count.
    """

    seconds: float
    tries: int

    def spent(self, outcome: "Outcome") -> Iterator[int]:
        """Yield the number of each try (at least one), until the time is over or enough tries have counted."""
        end = time.perf_counter() + self.seconds
        for number in count():
            if number and (outcome.tried >= self.tries or time.perf_counter() >= end):
                return
            yield number


@dataclass
class Outcome:
    """The tries of an attack, its failures, and figures for the table.

    Args:
        tried: the number of tries that count. Killing a finished process does not count.
        failures: a line for each failure.
        most: the figures whose maximum is kept.
        counts: the figures that are added up.
    """

    tried: int = 0
    failures: list[str] = field(default_factory=list)
    most: dict[str, float] = field(default_factory=dict)
    counts: dict[str, float] = field(default_factory=dict)

    def at_least(self, name: str, value: float) -> None:
        """Keep the maximum of a figure."""
        self.most[name] = max(self.most.get(name, value), value)

    def add(self, name: str, value: float = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + value
