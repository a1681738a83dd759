"""A table as its author wrote it: a rectangle of texts, and what stands around it."""

from __future__ import annotations

from dataclasses import dataclass, field

Grid = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Table:
    """A table, before anything in it is read.

    Args:
        name: what the docnos of its facts start with.
        grid: rows of cells as texts; ragged rows are filled with empty cells at the end.
        caption: the title, or the line that introduces the table.
        paragraphs: the texts around the table, each with any number of sentences.
        header_rows: how many rows at the top name columns; None where the source does not say.
    """

    name: str
    grid: Grid
    caption: str = ""
    paragraphs: tuple[str, ...] = ()
    header_rows: int | None = None
    width: int = field(init=False)

    def __post_init__(self) -> None:
        width = max((len(row) for row in self.grid), default=0)
        filled = tuple(tuple(map(clean, row)) + ("",) * (width - len(row)) for row in self.grid)
        object.__setattr__(self, "grid", filled)
        object.__setattr__(self, "width", width)


def clean(text: object) -> str:
    """A cell's text with its blanks, also those that do not break, as single spaces."""
    return " ".join(str(text).split())
