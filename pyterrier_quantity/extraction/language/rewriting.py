"""A text of any language in the notation that the steps of a reading know, and the way back to its characters."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import pairwise
from typing import Final, NamedTuple

from pyterrier_quantity.extraction.text import clean
from pyterrier_quantity.units import UnitRegistry

from .numerals import LETTER, Numeral
from .tables import MONTHS, Language

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
_NOTHING: Final = "¦"
"""What stands for a word that no table holds: the steps know nothing of it."""
_WORD: Final = re.compile(rf"{LETTER}+")
_SYMBOL: Final = re.compile(r"[A-Za-zµμΩ]{1,4}(?![A-Za-z])|[^\w\s]")
_LATIN: Final = re.compile("[a-z]")
_IS_LETTER: Final = re.compile(LETTER)
_WORD_NEXT: Final = re.compile(rf" ?(?:{LETTER}|\d)")
_CODE: Final = re.compile("[A-Z]{3}(?![A-Za-z])")
_MINUS: Final = re.compile(r"(?<![\w)\]])- ?\Z")
_LONGEST: Final = 48
_BLANK: Final = " \t-("


class Rewritten(NamedTuple):
    """A text in the reading's notation, and where each of its characters begins and ends in the source."""

    text: str
    starts: list[int]
    ends: list[int]


class _Chunk:
    """A number with its unit: its span, what it is in the notation, and the bounds beside it."""

    def __init__(self, start: int, end: int, pieces: list[tuple[str, int, int]]) -> None:
        self.start, self.end, self.pieces = start, end, pieces
        self.first, self.last = start, end
        """Where the wordings before it begin, and where those behind it end."""
        self.bounds: list[str] = []
        self.range_next = False


def rewrite(text: str, language: Language, registry: UnitRegistry) -> Rewritten:
    """A text in the reading's notation; empty if it holds no number."""
    plain, lower = clean(text)
    chunks = _Reader(plain, lower, language, registry).chunks()
    if not chunks:
        return Rewritten("", [], [])
    pieces: list[tuple[str, int, int]] = []
    at, last = 0, None
    for chunk in chunks:
        if last is not None and last.range_next:
            pieces.append((" to ", at, at))
        else:
            pieces += _between(lower, at, chunk.first, language)
            if last is not None and last.bounds and chunk.bounds and not _WORD.search(lower, at, chunk.first):
                pieces.append((" and ", at, at))
        pieces += [(f" {_WORDS[bound]} ", chunk.start, chunk.start) for bound in chunk.bounds]
        pieces += chunk.pieces
        at, last = chunk.last, chunk
    pieces += _between(lower, at, len(lower), language)
    return _assembled(pieces, plain)


def _assembled(pieces: list[tuple[str, int, int]], plain: str) -> Rewritten:
    starts: list[int] = []
    ends: list[int] = []
    written: list[str] = []
    blank = True
    for piece, start, end in pieces:
        if blank and start == end:
            piece = piece.lstrip(" ")
        if piece.lower() == plain[start:end].lower():
            starts += range(start, end)
            ends += range(start + 1, end + 1)
        else:
            starts += [start] * len(piece)
            ends += [end] * len(piece)
        written.append(piece)
        blank = piece[-1:] == " " if piece else blank
    return Rewritten("".join(written), [*starts, len(plain)], [*ends, len(plain)])


def _between(lower: str, start: int, end: int, language: Language) -> list[tuple[str, int, int]]:
    """What stands between two quantities: known words in the notation, the others as marks."""
    pieces: list[tuple[str, int, int]] = [(" ", start, start)] if lower[start - 1 : start + 1].isalnum() else []
    at = start
    for word in language.word.finditer(lower, start, end):
        pieces.append((lower[at : word.start()], at, word.start()))
        known = language.words.get(word.group())
        pieces += (
            [(known or _NOTHING, *word.span())]
            if language.blanks
            else [(" ", at, at), (known or _NOTHING, *word.span()), (" ", at, at)]
        )
        at = word.end()
    return [*pieces, (lower[at:end], at, end)]


class _Reader:
    """Finds the quantities of one text and the wordings beside them."""

    def __init__(self, plain: str, lower: str, language: Language, registry: UnitRegistry) -> None:
        self.plain, self.lower, self.language, self.registry = plain, lower, language, registry

    def chunks(self) -> list[_Chunk]:
        """The quantities in order, with bounds and ranges settled."""
        chunks: list[_Chunk] = []
        dates = self.dates()
        for numeral in self.language.numerals.find(self.lower):
            while dates and dates[0].end <= numeral.start:
                chunks.append(dates.pop(0))
            if dates and dates[0].start < numeral.end:
                continue
            chunk = self._chunk(numeral)
            if chunk is None or (chunks and numeral.start < chunks[-1].end):
                continue
            while chunks and chunk.start < chunks[-1].end:
                chunks.pop()  # "百分之": its number is part of the unit
            chunks.append(chunk)
        chunks += dates
        for chunk, following in pairwise(chunks):
            self._range(chunk, following)
        for before, chunk in zip([None, *chunks], chunks, strict=False):
            self._bounds_before(chunk, before.last if before else 0)
        for chunk, after in zip(chunks, [*chunks[1:], None], strict=False):
            if not chunk.range_next:
                self._bounds_behind(chunk, after.first if after else len(self.lower))
        return chunks

    def dates(self) -> list[_Chunk]:
        """The dates of a text, as the notation writes them, in order."""
        found: list[_Chunk] = []
        for pattern in self.language.dates:
            for date in pattern.finditer(self.lower):
                if all(date.end() <= other.start or other.end <= date.start() for other in found):
                    found.append(_Chunk(*date.span(), [(_date(date.groupdict(), self.language), *date.span())]))
        return sorted(found, key=lambda chunk: chunk.start)

    def _chunk(self, numeral: Numeral) -> _Chunk | None:
        """A number with its unit and its sign; None for an article."""
        beside = self._unit_around(numeral) or self._unit_behind(numeral) or self._unit_before(numeral)
        sign = self._minus(beside.start if beside else numeral.start)
        if beside is not None:
            if sign is not None:
                beside.start = beside.first = sign
                beside.pieces[0] = (f"-{beside.pieces[0][0]}", sign, beside.pieces[0][2])
            return beside
        if numeral.doubtful and sign is None and not self._alone(numeral):
            return None
        if sign is not None:
            return self._with_symbols(Numeral(sign, numeral.end, f"-{numeral.text}"), sign)
        return self._with_symbols(numeral, numeral.start)

    def _with_symbols(self, numeral: Numeral, start: int) -> _Chunk:
        """A number with the symbols beside it, which are the same in all languages."""
        end = self._word_end(numeral.end)
        number = (numeral.text, numeral.start, end)
        sign = self.registry.match_before(self.plain, start)
        if sign is not None and self.plain[sign.start : sign.end] not in self.language.stop_words:
            return _Chunk(sign.start, end, [(self.plain[sign.start : start], sign.start, start), number])
        linked = self._linked(numeral.end)
        symbol = self.registry.match_after(self.plain, linked)
        if symbol is not None and self._is_symbol(symbol.start, symbol.end):
            number = (numeral.text, numeral.start, numeral.end)
            return _Chunk(start, symbol.end, [number, (self.plain[linked : symbol.end], linked, symbol.end)])
        return _Chunk(start, end, [number])

    def _minus(self, at: int) -> int | None:
        """Where a minus begins that stands before an offset, as a sign or a word."""
        sign = _MINUS.search(self.lower, max(0, at - 3), at)
        if sign:
            return sign.start()
        word = self._longest_before(at, self.language.minus)
        bound = self._bound_before(at) if word else None
        return word[0] if word and not (bound and bound[1] < word[0]) else None

    def _unit_around(self, numeral: Numeral) -> _Chunk | None:
        """A number between the two parts of a unit: "섭씨 40도"."""
        behind = self._longest_at(self._skip(numeral.end), self.language.around)
        if behind is None:
            return None
        end = self._skip(numeral.end) + len(behind)
        sign = self._minus(numeral.start)
        before = self._longest_before(numeral.start if sign is None else sign, self.language.around[behind])
        if before is None:
            return None
        unit = self.language.around[behind][before[1]]
        text = f"{'' if sign is None else '-'}{_times(numeral.text, unit.factor)} {unit.name}"
        return _Chunk(before[0], self._word_end(end), [(text, before[0], self._word_end(end))])

    def _unit_before(self, numeral: Numeral) -> _Chunk | None:
        """A number behind its unit: "yüzde 50"."""
        found = self._longest_before(numeral.start, self.language.before) if self.language.before else None
        if found is None:
            return None
        unit = self.language.before[found[1]]
        return _Chunk(
            found[0], numeral.end, [(f"{_times(numeral.text, unit.factor)} {unit.name}", found[0], numeral.end)]
        )

    def _alone(self, numeral: Numeral) -> bool:
        """Whether nothing stands beside a word that may be an article, so that it is the number."""
        end = self._word_end(numeral.end)
        behind = self._longest_at(end, self.language.particles)
        if behind is not None:
            return True
        after, before = (
            _WORD_NEXT.match(self.lower, end),
            numeral.start and _IS_LETTER.match(self.lower, numeral.start - 1),
        )
        return not after and not before

    def _is_symbol(self, start: int, end: int) -> bool:
        goes_on = self.language.blanks and self.plain[end : end + 1].isalpha()
        word = self.plain[start:end] in self.language.stop_words and not self.plain[start - 1].isdecimal()
        word = word or self.plain[start:end] in self.language.no_units
        return not goes_on and not word and _SYMBOL.match(self.plain, start) is not None

    def _unit_behind(self, numeral: Numeral) -> _Chunk | None:
        """A number with the unit behind it, and what that is divided by."""
        start = self._skip(self._linked(numeral.end))
        form = self._longest_at(start, self.language.units)
        other = self._longest_at(start, self.language.no_units) if form else None
        if form is None or (other and len(other) > len(form)) or _CODE.match(self.plain, start):
            return None
        unit, end = self.language.units[form], self._word_end(start + len(form))
        name = unit.name
        per = self._longest_at(self._skip(end), self.language.per)
        if per is not None:
            below_at = self._skip(self._skip(end) + len(per))
            below = self._longest_at(below_at, self.language.units)
            if below is not None and self.language.units[below].factor == "1":
                name, end = f"{name} per {self.language.units[below].name}", self._word_end(below_at + len(below))
        number = (_times(numeral.text, unit.factor), numeral.start, numeral.end)
        return _Chunk(numeral.start, end, [number, (f" {name}", start, end)])

    def _linked(self, at: int) -> int:
        """Where a unit may begin behind a number: "millions de $"."""
        start = self._skip(at)
        link = self._longest_at(start, self.language.linking) if self.language.linking else None
        return self._skip(start + len(link)) if link else at

    def _skip(self, at: int) -> int:
        while at < len(self.lower) and self.lower[at] in _BLANK:
            at += 1
        return at

    def _word_end(self, at: int) -> int:
        """Where a word ends, with its ending."""
        found = self.language.ending.match(self.lower, at) if self.language.blanks else None
        return found.end() if found else at

    def _longest_at(self, at: int, forms: object) -> str | None:
        """The longest form that stands at an offset."""
        for size in range(min(_LONGEST, len(self.lower) - at), 0, -1):
            form = self.lower[at : at + size]
            if form in forms and self._ends(form, at + size):  # type: ignore[operator]
                return form
        return None

    def _ends(self, form: str, at: int) -> bool:
        """Whether a form may end at an offset: with its word, or, without blanks, not amidst Latin letters."""
        if not self.language.blanks:
            return not (_LATIN.match(form[-1]) and _LATIN.match(self.lower, at))
        return not _IS_LETTER.match(form[-1]) or self.language.ending.match(self.lower, at) is not None

    def _longest_before(self, at: int, forms: object) -> tuple[int, str] | None:
        """The longest form that ends right before an offset: where it begins, and the form."""
        while at and self.lower[at - 1] in _BLANK:
            at -= 1
        for size in range(min(_LONGEST, at), 0, -1):
            form = self.lower[at - size : at]
            if form in forms and (self._begins(form, at - size)):  # type: ignore[operator]
                return at - size, form
        return None

    def _begins(self, form: str, at: int) -> bool:
        return not (self.language.blanks and at and _IS_LETTER.match(form[0]) and _IS_LETTER.match(self.lower, at - 1))

    def _range(self, chunk: _Chunk, following: _Chunk) -> None:
        """Settle whether two quantities are the ends of a range."""
        between = self.lower[chunk.end : following.start].strip(" -") or self.lower[chunk.end : following.start].strip()
        for before, behind in self.language.ranges.get(between, ()):
            opened = self._longest_before(chunk.start, {before}) if before else (chunk.start, "")
            closed = self._longest_at(self._skip(following.end), {behind}) if behind else ""
            if opened is not None and closed is not None:
                chunk.first, chunk.range_next, chunk.last = opened[0], True, following.start
                following.last = self._word_end(self._skip(following.end) + len(closed)) if closed else following.end
                following.first = following.start
                return

    def _bounds_before(self, chunk: _Chunk, floor: int) -> None:
        """Note what the wordings before a value say; they win over those behind the value before them."""
        while (found := self._bound_before(chunk.first)) and found[1] >= floor:
            chunk.bounds.insert(0, found[0])
            chunk.first = found[1]

    def _bounds_behind(self, chunk: _Chunk, ceiling: int) -> None:
        while (found := self._bound_behind(self._skip(chunk.last))) and found[1] <= ceiling:
            chunk.bounds.append(found[0])
            chunk.last = found[1]

    def _bound_before(self, at: int) -> tuple[str, int] | None:
        """What the wording before an offset says, and where it begins."""
        forms, patterns = self.language.bounds["before"], self.language.patterns["before"]
        if self.language.articles and (article := self._longest_before(at, self.language.articles)):
            return self._bound_before(article[0])
        if found := self._longest_before(at, forms):
            return forms[found[1]], found[0]
        end = len(self.lower[:at].rstrip(_BLANK))
        shape = patterns[0].search(self.lower, max(0, end - _LONGEST), end) if patterns else None
        return (patterns[1][(shape.lastindex or 1) - 1], shape.start()) if patterns and shape else None

    def _bound_behind(self, at: int) -> tuple[str, int] | None:
        """What the wording at an offset says, and where it ends."""
        forms, patterns = self.language.bounds["after"], self.language.patterns["after"]
        if form := self._longest_at(at, forms):
            return forms[form], self._word_end(at + len(form))
        shape = patterns[0].match(self.lower, at) if patterns else None
        if not patterns or not shape or not self._ends(shape.group(), shape.end()):
            return None
        return patterns[1][(shape.lastindex or 1) - 1], self._word_end(shape.end())


def _times(text: str, factor: str) -> str:
    return text if factor == "1" else f"{Decimal(text.replace(',', '')) * Decimal(factor):f}"


def _date(parts: dict[str, str | None], language: Language) -> str:
    number = int(parts.get("month") or language.months.get(parts.get("name") or "", 0))
    month = MONTHS[number - 1] if 0 < number < 13 else ""
    return " ".join(part for part in (parts.get("day"), month, parts.get("year")) if part)
