"""A text of any language in the notation that the steps of a reading know, and the way back to its characters."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import pairwise
from typing import Final, NamedTuple

from pyterrier_quantity.extraction.text import clean
from pyterrier_quantity.units import UnitRegistry

from .forms import LETTER, Found
from .numerals import Numeral
from .tables import Language, Unit

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
_NOTHING: Final = "`"
"""What stands for words that no table holds: the steps know nothing of it."""
_IS_LETTER: Final = re.compile(LETTER)
_UNKNOWN: Final = re.compile(rf"{LETTER}(?:[^\n]*{LETTER})?(?:-\d+)?")
_OF_NAME: Final = re.compile(r"[a-zß-ɏ]-\Z")
"""What stands before a number that is part of a name: "COVID-19"."""
_SPACED: Final = re.compile("(?<=[ぁ-ヿ㐀-鿿]) +(?=[ぁ-ヿ㐀-鿿])")
_LISTING: Final = frozenset(",;、")
_MARKS: Final = " ,;、"
"""What may stand between two bounds that belong together: "1000以上、1500以下"."""
_WORD_NEXT: Final = re.compile(rf"[ ']?(?:{LETTER}|\d)")
_SYMBOL: Final = re.compile(r"[A-Za-zµμΩ]{1,4}(?![A-Za-z])|[^\w\s]")
_LATIN: Final = re.compile(r"\s{0,2}[!-~µμΩ°²³‰\u20a0-\u20bf£¥¢]*")
"""Symbols alone: words go on, as in "16GB以上" and "15 % per anno"."""
_CODE: Final = re.compile("[A-Z]{3}(?![A-Za-z])")
_GOES_ON: Final = re.compile("[/·^²³][A-Za-z0-9]")
"""What makes a symbol of a unit's letters: "9 g/dL"."""
_MINUS: Final = re.compile(r"(?<![^\W぀-ヿ㐀-鿿])(?<![)\]])- ?\Z")
"""A minus; behind a word it is a hyphen, but for the words of Chinese and Japanese: "温度-5度"."""

Piece = tuple[str, int, int]
"""A part of the rewritten text, and the span that it stands for."""


class Rewritten(NamedTuple):
    """A text in the reading's notation, and where each of its characters begins and ends in the source.

    spans: where the quantities stand in the source, with the wordings on both sides.
    """

    text: str
    starts: list[int]
    ends: list[int]
    spans: tuple[tuple[int, int], ...] = ()


class _Chunk:
    """A number with its unit: what they are in the notation, and what the wordings beside them say."""

    def __init__(self, pieces: list[Piece], unit: str = "") -> None:
        self.pieces, self.unit = pieces, unit
        self.start = self.first = self.number = pieces[0][1]
        self.end = self.last = self.bare = pieces[-1][2]
        self.bounds: list[str] = []
        self.range_next = False


def rewrite(text: str, language: Language, registry: UnitRegistry) -> Rewritten:
    """A text in the reading's notation; empty if it holds no number."""
    if language.joined and _SPACED.search(text):
        return _closed_up(text, language, registry)
    plain, lower = clean(text)
    chunks = _Reader(plain, lower, language, registry).chunks()
    if not chunks:
        return Rewritten("", [], [])
    pieces: list[Piece] = []
    at, last = 0, None
    for chunk in chunks:
        if last is not None and last.range_next:
            pieces.append((" to ", at, at))
        elif last is not None and last.bounds and chunk.bounds and not lower[at : chunk.first].strip(_MARKS):
            pieces.append((" and ", at, at))
        else:
            pieces += _between(lower, at, chunk.first, language)
        pieces += [(f" {_WORDS[bound]} ", chunk.start, chunk.start) for bound in chunk.bounds]
        pieces += chunk.pieces
        at, last = chunk.last, chunk
    pieces += _between(lower, at, len(lower), language)
    return _assembled(pieces, plain)._replace(spans=tuple((chunk.first, chunk.last) for chunk in chunks))


def _closed_up(text: str, language: Language, registry: UnitRegistry) -> Rewritten:
    """A text whose letters are set apart, as in "百 分 之 五", read as if they were not."""
    left_out = {at for blank in _SPACED.finditer(text) for at in range(*blank.span())}
    kept = [at for at in range(len(text)) if at not in left_out]
    found = rewrite(_SPACED.sub("", text), language, registry)
    begins, closes = [*kept, len(text)], [0, *(at + 1 for at in kept)]
    return Rewritten(
        found.text,
        [begins[at] for at in found.starts],
        [closes[at] for at in found.ends],
        tuple((begins[first], closes[last]) for first, last in found.spans),
    )


def _assembled(pieces: list[Piece], plain: str) -> Rewritten:
    """The pieces in a row; of those that are as in the text, each character keeps its place."""
    starts: list[int] = []
    ends: list[int] = []
    written: list[str] = []
    for piece, start, end in pieces:
        if piece[:1] == " " and (not written or written[-1][-1:] == " "):
            piece = piece[1:]
        if len(piece) == end - start and piece.lower() == plain[start:end].lower():
            starts += range(start, end)
            ends += range(start + 1, end + 1)
        elif piece:
            starts += [start] * len(piece)
            ends += [end] * len(piece)
        if piece:
            written.append(piece)
    return Rewritten("".join(written), [*starts, len(plain)], [*ends, len(plain)])


def _between(lower: str, start: int, end: int, language: Language) -> list[Piece]:
    """What stands between two quantities: known words in the notation, the others as one mark."""
    if not lower[start:end].strip(" "):
        return [(" ", start, end)]
    pieces: list[Piece] = [(" ", start, start)] if start and lower[start - 1 : start + 1].isalnum() else []
    at = start
    for word in language.known.finditer(lower, start, end):
        pieces.append((_UNKNOWN.sub(f" {_NOTHING} ", lower[at : word.start()]), at, word.start()))
        pieces.append((f" {language.words[word.group()]} ", *word.span()))
        at = word.end()
    pieces.append((_UNKNOWN.sub(f" {_NOTHING} ", lower[at:end]), at, end))
    return [*pieces, (" ", end, end)] if lower[end - 1 : end] in _LISTING else pieces


class _Reader:
    """Finds the quantities of one text and the wordings beside them."""

    def __init__(self, plain: str, lower: str, language: Language, registry: UnitRegistry) -> None:
        self.plain, self.lower, self.language, self.registry = plain, lower, language, registry

    def chunks(self) -> list[_Chunk]:
        """The quantities in order, with bounds and ranges settled."""
        found: list[_Chunk] = []
        numerals = self.language.numerals.find(self.lower)
        days = self.language.dates.finditer(self.lower) if numerals else ()
        dates = [_Chunk([(self.language.date(day), *day.span())]) for day in days]
        for numeral in numerals:
            dated = any(date.start < numeral.end and numeral.start < date.end for date in dates)
            named = _OF_NAME.search(self.lower, max(0, numeral.start - 2), numeral.start) is not None
            before = found[-1].end if found else -1
            if dated or numeral.start < before or (named and before < numeral.start - 1):
                continue
            chunk = self._chunk(numeral, found[-1] if found else None)
            while chunk and found and chunk.start < found[-1].end:
                found.pop()  # "百分之": its number is part of the unit
            if chunk:
                chunk.number, chunk.bare = numeral.start, numeral.end
                found.append(chunk)
        found = sorted([*found, *dates], key=lambda chunk: chunk.start) if dates else found
        for chunk, following in pairwise(found):
            self._range(chunk, following)
        floors, ceiling = [0, *(chunk.last for chunk in found)], len(self.lower)
        for place in reversed(range(len(found))):  # a wording between two values belongs to the one behind it
            self._bounds(found[place], floors[place], ceiling)
            ceiling = found[place].first
        return found

    def _chunk(self, numeral: Numeral, last: _Chunk | None) -> _Chunk | None:
        """A number with its sign and its unit, which does not cut through the one before; None for an article."""
        lower, language = self.lower, self.language
        minus = self._minus(numeral.start)
        sign, start = ("", numeral.start) if minus is None or (last and minus <= last.end) else ("-", minus)
        if (end := language.around.at(lower, numeral.end)) and (opened := end.meaning.before(lower, start)):
            return _Chunk([(sign + _with(numeral.text, opened.meaning), opened.start, end.end)])
        if (unit := self._unit_behind(numeral.end)) is not None:
            part = None if "." in numeral.text else self._part_behind(unit.end)
            number = sign + _times(f"{numeral.text}.{part.meaning}" if part else numeral.text, unit.meaning)
            end_of_unit = part.end if part else unit.end
            named = unit.meaning.written if numeral.text != "1" else unit.meaning.name
            pieces = [(number, start, numeral.end), (f" {named}", unit.start, end_of_unit)]
            return _Chunk(pieces, unit.meaning.name)
        before = language.before.before(lower, start)
        if before and not (last and last.number < before.start < last.end):
            minus = self._minus(before.start)
            sign, start = ("", before.start) if minus is None else ("-", minus)
            end_of_number = language.word_end(lower, numeral.end)
            return _Chunk([(sign + _with(numeral.text, before.meaning), start, end_of_number)])
        if numeral.doubtful and not sign and not self._alone(numeral):
            return None
        return self._with_symbols(Numeral(start, numeral.end, sign + numeral.text))

    def _with_symbols(self, numeral: Numeral) -> _Chunk:
        """A number with the symbols beside it, which are the same in all languages."""
        end = self.language.word_end(self.lower, numeral.end)
        sign = self.registry.match_before(self.plain, numeral.start)
        if sign is not None:
            kept = (self.plain[sign.start : numeral.start], sign.start, numeral.start)
            return _Chunk([kept, (numeral.text, numeral.start, end)])
        link = self.language.linking.at(self.lower, numeral.end)
        linked = link.end if link else numeral.end
        signs = _LATIN.match(self.plain, linked)
        symbol = self.registry.match_after(self.plain[: signs.end()], linked) if signs else None
        if symbol is not None and self._is_symbol(symbol.start, symbol.end):
            kept = (self.plain[linked : symbol.end], linked, symbol.end)
            return _Chunk([(numeral.text, numeral.start, numeral.end), kept], symbol.unit)
        return _Chunk([(numeral.text, numeral.start, end)])

    def _is_symbol(self, start: int, end: int) -> bool:
        """Whether a unit that the registry sees is a symbol here, no word or part of one."""
        written, language = self.plain[start:end], self.language
        word = written in language.stop_words and not self.plain[start - 1].isdecimal()
        word = word or written in language.no_units.meanings
        behind = self.plain[end : end + 1]
        elided = behind == "'" and written.isalpha() and language.word_end(self.lower, end) == end  # "5 l'ora"
        goes_on = language.blanks and (behind.isalpha() or elided)
        return not goes_on and not word and _SYMBOL.match(self.plain, start) is not None

    def _minus(self, at: int) -> int | None:
        """Where a minus begins that stands before an offset, as a sign or a word; "al menos" is none."""
        if sign := _MINUS.search(self.lower, max(0, at - 3), at):
            return sign.start()
        word = self.language.minus.before(self.lower, at)
        bound = self.language.bounds_before.before(self.lower, at) if word else None
        return word.start if word and not (bound and bound.start < word.start) else None

    def _alone(self, numeral: Numeral) -> bool:
        """Whether nothing stands beside a word that may be an article, so that it is the number."""
        if self.language.particles.at(self.lower, numeral.end):
            return True
        after = _WORD_NEXT.match(self.lower, self.language.word_end(self.lower, numeral.end))
        return not after and not (numeral.start and _IS_LETTER.match(self.lower, numeral.start - 1))

    def _unit_behind(self, at: int) -> Found[Unit] | None:
        """The unit behind a number, with what it is divided by."""
        units = self.language.units
        unit = units.at(self.lower, at)
        if unit is None or _CODE.match(self.plain, unit.start) or _GOES_ON.match(self.plain, unit.end):
            return None
        other = self.language.no_units.at(self.lower, unit.start)
        if other and other.end > unit.end:
            return None
        per = self.language.per.at(self.lower, unit.end)
        below = units.at(self.lower, per.end) if per else None
        if below is None or self._alike(unit.meaning.name, below.meaning.name):
            return unit
        name = f"{unit.meaning.name} per {below.meaning.name}"
        whole = unit.meaning._replace(name=name, written=name)
        return Found(whole, unit.start, below.end)

    def _part_behind(self, at: int) -> Found[str] | None:
        """The decimals behind a unit: a half or, in some languages, a digit without a unit of its own ("八米五")."""
        part = self.language.parts.at(self.lower, at)
        return None if part is None or self._unit_behind(part.end) else part

    def _range(self, chunk: _Chunk, following: _Chunk) -> None:
        """Settle whether two quantities are the ends of a range."""
        if chunk.unit and following.unit and not self._alike(chunk.unit, following.unit):
            return
        between = self.lower[chunk.end : following.start].strip()
        ending = self.lower[chunk.bare : following.start].strip()  # "20'den 100'e kadar"
        ranges = self.language.ranges
        for frame in ranges.get(between.strip("-") or between) or ranges.get(ending) or ():
            opened = frame[0].before(self.lower, chunk.start)
            closed = frame[1].at(self.lower, following.end)
            if (opened or not frame[0].meanings) and (closed or not frame[1].meanings):
                chunk.first, chunk.range_next = opened.start if opened else chunk.start, True
                chunk.last = following.first = following.start
                following.last = closed.end if closed else following.end
                return

    def _alike(self, unit: str, other: str) -> bool:
        return unit == other or self.registry.family(unit) == self.registry.family(other)

    def _bounds(self, chunk: _Chunk, floor: int, ceiling: int) -> None:
        """Note what the wordings on both sides of a value say."""
        before, behind = self.language.bounds_before, self.language.bounds_behind
        while (found := before.before(self.lower, chunk.first)) and found.start >= floor:
            chunk.bounds.insert(0, found.meaning)
            chunk.first = found.start
        while not chunk.range_next and (found := behind.at(self.lower, chunk.last)) and found.end <= ceiling:
            chunk.bounds.append(found.meaning)
            chunk.last = found.end


def _times(text: str, unit: Unit) -> str:
    value = Decimal(text.replace(",", ""))
    return text if unit.factor == "1" or (unit.small and value >= 10) else f"{value * Decimal(unit.factor):f}"


def _with(text: str, unit: Unit) -> str:
    return f"{_times(text, unit)} {unit.name}"
