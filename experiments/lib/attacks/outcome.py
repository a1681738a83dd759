"""How long an attack may take, and what came of it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


class Clock:
    """Says when time is up.

    Args:
        seconds: from now on.
    """

    def __init__(self, seconds: float) -> None:
        self._end, self._asked = time.perf_counter() + seconds, False

    def running(self) -> bool:
        """Whether there is time left; when it is asked first, there is."""
        first, self._asked = not self._asked, True
        return first or time.perf_counter() < self._end


@dataclass
class Outcome:
    """What an attack tried, what did not hold, and figures for the table."""

    tried: int = 0
    failures: list[str] = field(default_factory=list)
    notes: dict[str, float | str] = field(default_factory=dict)
