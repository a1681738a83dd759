"""A text of any language in the notation that the steps of a reading know, and the way back to its characters; and
which language a text is in.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final, NamedTuple

from pyterrier_quantity._extras import need
from pyterrier_quantity.units import UnitRegistry

from .quantities import Piece, Reader, Tools
from .tables import Language, codes, folder_of

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
SURE: Final = 0.7
"""What share of the likelihood of the languages that can be read one must have."""
_KNOWN: Final = 0.2
"""How likely it must be that the text is in one of them at all."""
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
        self._tools, self._is_dense = Tools(language), language.blanks == "no"

    def rewrite(self, text: str, registry: UnitRegistry) -> Rewritten:
        """A text in the reading's notation; empty if it holds no number."""
        gaps = {at for found in _SPACED.finditer(text) for at in range(*found.span())} if self._is_dense else ()
        if gaps:  # "百 分 之 五"
            return self._moved(text, [at for at in range(len(text) + 1) if at not in gaps], registry)
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

    def _moved(self, text: str, kept: list[int], registry: UnitRegistry) -> Rewritten:
        """A text rewritten without the characters that are not kept, in the places of the whole."""
        found = self.rewrite("".join(text[at] for at in kept[:-1]), registry)
        ends = [0, *(at + 1 for at in kept)]
        spans = tuple((kept[first], ends[last]) for first, last in found.spans)
        return Rewritten(found.text, [kept[at] for at in found.starts], [ends[at] for at in found.ends], spans)


@lru_cache(maxsize=32)
def rewriter(code: str) -> Rewriter:
    """What rewrites the texts of a language, by its code or the path to a folder of tables.

    Raises:
        LanguageError: if there is none, naming those that are there; or naming file and line of a bad row.
    """
    return Rewriter(Language(folder_of(code)))


@lru_cache(maxsize=1)
def detector() -> Any:
    """The identifier of languages.

    Raises:
        ImportError: if py3langid is missing.
    """
    found = need("py3langid.langid", "languages")
    return found.LanguageIdentifier.from_model_file(found.MODEL_FILE, norm_probs=True)


def spoken(text: str) -> str:
    """The code of the language that a text is in.

    Args:
        text: any; short ones, and names and numbers alone, are English.
    """
    known = {code: likely for code, likely in detector().rank(text) if code in codes()}
    code, total = max(known, key=lambda code: known[code]), sum(known.values())
    return code if total >= _KNOWN and known[code] >= SURE * total else "en"
