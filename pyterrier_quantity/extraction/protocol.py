"""What every extractor offers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from pyterrier_quantity.quantity import Quantity


@runtime_checkable
class Extractor(Protocol):
    """Anything that reads quantities off texts; pass your own wherever an extractor is asked for."""

    def extract(self, text: str) -> list[Quantity]:
        """The quantities of a text, in order."""
        ...

    def extract_batch(self, texts: Iterable[str], threads: int | None = None) -> list[list[Quantity]]:
        """One list of quantities for each text, in the order of the texts; `threads` at a time, if it can."""
        ...


class Comparable:
    """Extractors of one class are equal by their settings."""

    def _settings(self) -> tuple[object, ...]:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._settings() == other._settings()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._settings()))


def check_text(text: object) -> str:
    """The text, if it is one.

    Raises:
        TypeError: naming the type, if it is no string.
    """
    if not isinstance(text, str):
        raise TypeError(f"extract: text must be a string, got {type(text).__name__}")
    return text
