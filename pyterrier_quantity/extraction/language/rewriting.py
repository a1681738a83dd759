"""A text of any language in the notation that the steps of a reading know, and the way back to its characters."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from pyterrier_quantity.units import UnitRegistry

from .dates import Dates
from .numerals import Numerals
from .quantities import Piece, Reader, Tools
from .scanner import LETTER, Scanner
from .tables import Language, any_of, folder_of

_WORDS: Final = {
    ">": "more than",
    "<": "less than",
    ">=": "at least",
    "<=": "at most",
    "~": "about",
    "=": "exactly",
    "up": "up",
    "down": "down",
}
"""How the reading's notation words what a text says about a value."""
_SPACED: Final = re.compile("(?<=[ぁ-ヿ㐀-鿿]) +(?=[ぁ-ヿ㐀-鿿])")


class Rewritten(NamedTuple):
    """A text in the reading's notation, and where each of its characters begins and ends in the source.

    spans: where the quantities stand in the source, with the wordings on both sides.
    """

    text: str
    starts: list[int]
    ends: list[int]
    spans: tuple[tuple[int, int], ...] = ()


class Rewriter:
    """Puts the texts of one language into the reading's notation."""

    def __init__(self, language: Language) -> None:
        self.language = language
        linking = any_of(language.settings["linking"])
        apart = language.blanks == "yes"
        noun = re.compile(rf" (?:{linking} ?)?{LETTER}{{3,20}} " if apart else "(?!)")
        self._tools = Tools(language, Scanner(language), Numerals(language), Dates(language), noun)

    def rewrite(self, text: str, registry: UnitRegistry) -> Rewritten:
        """A text in the reading's notation; empty if it holds no number."""
        blanks = _SPACED.search(text) if self.language.blanks == "no" else None
        if blanks:  # "百 分 之 五"
            return _moved(self.rewrite(text[: blanks.start()] + text[blanks.end() :], registry), *blanks.span())
        reader = Reader(text, self._tools, registry)
        chunks = reader.chunks()
        pieces: list[Piece] = []
        at, last = 0, None
        for chunk in chunks:
            pieces += reader.between(at, chunk.first, last, chunk)
            pieces += [(f" {_WORDS[bound]} ", chunk.start, chunk.start) for bound in chunk.bounds]
            pieces += chunk.pieces
            at, last = chunk.last, chunk
        pieces += reader.between(at, len(text)) if chunks else []
        written, starts, ends = [" "], [], []
        for piece, start, end in pieces:
            added = piece[1:] if piece[:1] == " " and written[-1][-1:] == " " else piece
            if added:
                written.append(added)
                starts += [start] * len(added)
                ends += [end] * len(added)
        spans = tuple((chunk.first, chunk.last) for chunk in chunks)
        return Rewritten("".join(written[1:]), [*starts, len(text)], [*ends, len(text)], spans)


def _moved(found: Rewritten, start: int, end: int) -> Rewritten:
    """A rewritten text in the places of the one that also has the blanks from `start` to `end`."""

    def begin(at: int) -> int:
        return at + (end - start) * (at >= start)

    def close(at: int) -> int:
        return at + (end - start) * (at > start)

    spans = tuple((begin(first), close(last)) for first, last in found.spans)
    return Rewritten(found.text, list(map(begin, found.starts)), list(map(close, found.ends)), spans)


@lru_cache(maxsize=32)
def rewriter(code: str) -> Rewriter:
    """What rewrites the texts of a language, by its code or the path to a folder of tables.

    Raises:
        LanguageError: if there is none, naming those that are there; or naming file and line of a bad row.
    """
    return Rewriter(Language(folder_of(code)))
