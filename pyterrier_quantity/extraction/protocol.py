"""What every extractor offers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from pyterrier_quantity.quantity import Quantity


@runtime_checkable
class Extractor(Protocol):
    """Reads quantities from text; spans lie in the text, are sorted and do not overlap."""

    def extract(self, text: str) -> list[Quantity]:
        """The quantities of one text."""

    def extract_batch(self, texts: Iterable[str], threads: int = 1, verbose: bool = False) -> list[list[Quantity]]:
        """The quantities of each text, in the order of the texts.

        Args:
            texts: the texts.
            threads: processes to use.
            verbose: show progress.
        """
