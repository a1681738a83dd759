"""A text of any language in the notation that the steps of a reading know, and the way back to its characters; and
which language a text is in.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from pyterrier_quantity._extras import need
from pyterrier_quantity.english import listed
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.units import UnitRegistry

from .chunk import Chunk, Piece
from .quantities import Reader, Tools
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
_TIMES: Final = _WORDS | {">": "after", "<": "before", ">=": "since", "<=": "until"}
"""The same about a year."""
SURE: Final = 0.7
"""What share of the likelihood of the languages that can be read one must have."""
_KNOWN: Final = 0.2
"""How likely it must be that the text is in one of them at all."""
_SPACED: Final = re.compile("(?<=[ぁ-ヿ㐀-鿿]) +(?=[ぁ-ヿ㐀-鿿])")
_TOUCHED: Final = re.compile(
    r"(?s)(?![\s`,;!?)\]।。、？！」]|\.(?!\d)|' `|\Z)|.*?\d|.*[^\w\s`(,:;.!?\"\[।。、？！]\s*\Z|.*[.!?;]\Z|.*\S\b\Z"
)
"""What touches the numbers around it ("3/4", "2:00"), or has digits."""
_FIRST: Final = re.compile(r" *([a-z]*)(\)?)")
_LAST: Final = re.compile(r"[a-z]{3,} *\Z")
_PARTING: Final = listed("words that part quantities") | {""}


class Rewritten:
    """A text in the reading's notation, and where each of its characters begins and ends in the source.

    spans: where the quantities stand in the source, with the wordings on both sides; nouns: what stands within them.
    """

    def __init__(self, chunks: list[Chunk], nouns: list[tuple[int, int]]) -> None:
        self.chunks, self.nouns, self._is_plain = chunks, nouns, True
        self._parts = [" "]
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.spans = [(chunk.first, chunk.last) for chunk in chunks]

    @property
    def text(self) -> str:
        return "".join(self._parts[1:])

    def add(self, pieces: list[Piece]) -> list[tuple[int, int]]:
        """Write what stands for parts of the source, and tell where it stands; no two blanks."""
        places = []
        for piece, start, end in pieces:
            added = piece[1:] if piece[:1] == " " and self._parts[-1][-1] == " " else piece
            at = len(self.starts)
            if added:
                self._parts.append(added)
                self.starts += [start] * len(added)
                self.ends += [end] * len(added)
            places.append((at, at + len(added)))
        return places

    def part(self, pieces: list[Piece], last: Chunk | None, chunk: Chunk | None) -> None:
        """Write what stands between two quantities."""
        gap = "".join([piece[0] for piece in pieces])
        self._is_plain &= bool(last and last.joint) or _is_apart(gap, last, chunk)
        self.add(pieces)

    def mentions(self, text: Text) -> list[Mention] | None:
        """The quantities of the notation, or None if that has to be read: more stands beside them than a table has."""
        if not (self._is_plain and all(chunk.is_sure(text.registry) for chunk in self.chunks)):
            return None
        return [mention for chunk in self.chunks for mention in chunk.mentions(text)]


def _is_apart(gap: str, last: Chunk | None, chunk: Chunk | None) -> bool:
    """Whether nothing that stands between two quantities belongs to either."""
    if not gap.strip(" `") and "`" in gap:
        return True
    if chunk and not gap.strip(" ."):
        return last.found is not None or last.numeral is None or gap == " . " if last else "." not in gap
    first = _FIRST.match(gap)
    if last and first and (first[1] not in _PARTING or (first[2] and not last.found)):
        return False
    if chunk and (named := _LAST.search(gap)) and named[0].strip() not in _PARTING:
        return False
    ahead, behind = " " * (last is None), gap if chunk else gap.rstrip(".!?;,:) ") + " "
    return not _TOUCHED.match(ahead + behind)


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
        written = Rewritten(reader.chunks(), reader.nouns)
        at, last = 0, None
        for chunk in written.chunks:
            written.part(reader.between(at, chunk.first, last, chunk), last, chunk)
            words = _TIMES if chunk.dated else _WORDS
            says = [words[bound] for bound in chunk.bounds]
            if not (says or chunk.numeral) and chunk.pieces[0][0].isdecimal():
                says = ["during"]  # a year alone is a date in any text
            if says:
                said = written.add([(f" {word} ", chunk.start, chunk.start) for word in says])
                chunk.cue = (said[0][0], said[-1][1])
            chunk.places = written.add(chunk.pieces)
            at, last = chunk.last, chunk
        if last:
            written.part([*reader.between(at, len(text)), (" ", len(text), len(text))], last, None)
        return written

    def _moved(self, text: str, kept: list[int], registry: UnitRegistry) -> Rewritten:
        """A text rewritten without the characters that are not kept, in the places of the whole."""
        found = self.rewrite("".join(text[at] for at in kept[:-1]), registry)
        ends = [0, *(at + 1 for at in kept)]
        found.spans = [(kept[first], ends[last]) for first, last in found.spans]
        found.starts, found.ends = [kept[at] for at in found.starts], [ends[at] for at in found.ends]
        return found


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
