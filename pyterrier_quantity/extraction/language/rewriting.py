"""A text of any language in the notation that the steps of a reading know, and the way back to its characters."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import pairwise
from typing import Final, NamedTuple

from pyterrier_quantity.english import listed
from pyterrier_quantity.extraction.text import clean
from pyterrier_quantity.units import UnitRegistry

from .forms import LETTER
from .numerals import Numeral
from .tables import NOTHING, Language, Unit

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
_IS_LETTER: Final = re.compile(LETTER)
_UNKNOWN: Final = re.compile(rf"{LETTER}(?:[^\n]*{LETTER})?(?:-\d+)?")
_PERSONS: Final = listed("persons that have an age")
"""Whom an article does not count: "ein Mann"."""
_REACH: Final = 50
"""How far before a number the first word stands that says something about it."""
_OF_NAME: Final = re.compile("[a-zß-ɏ]-")
"""What stands before a number that is part of a name: "COVID-19"."""
_SPACED: Final = re.compile("(?<=[ぁ-ヿ㐀-鿿]) +(?=[ぁ-ヿ㐀-鿿])")
_IDEOGRAPHS: Final = "㐀"
_KANA: Final = re.compile("[ぁ-ヿ]")
_KANA_APART: Final = 3
_KEPT: Final = frozenset(("", "x", "×"))
"""What stands between two numbers as in English: "30 x 20 cm"."""
_LISTING: Final = frozenset(",;、")
_MARKS: Final = " ,;、"
"""What may stand between two bounds that belong together: "1000以上、1500以下"."""
_WORD_NEXT: Final = re.compile(rf"[ ']?(?:{LETTER}|\d)")
_SYMBOL: Final = re.compile(r"[A-Za-zµμΩ]{1,4}(?![A-Za-z])|[^\w\s]")
_LATIN: Final = re.compile(r"\s{0,2}[!-~µμΩ°²³‰\u20a0-\u20bf£¥¢]*")
"""Symbols alone: words go on, as in "16GB以上" and "15 % per anno"."""
_CODE: Final = re.compile("[A-Z]{3}(?![A-Za-z])")
_MINUTES: Final = re.compile(r" ?([0-5]\d)(?![\d.,:])")
_GLUED: Final = re.compile(rf"(?!x ?\d){LETTER}[\w-]*")
_GLUED_LATIN: Final = re.compile(r"(?!x ?\d)[a-z][a-z0-9-]*")
"""Letters right behind digits that are no unit: both together are a name."""
_GOES_ON: Final = re.compile(r"[/·^²³][A-Za-z0-9]|(?<=[A-Za-z])\d")
"""What makes a symbol of a unit's letters: "9 g/dL", "60 m2"."""
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
    """A number with its unit: what they are in the notation, and what the wordings beside them say.

    start, end: of the number with its unit; first, last: with the wordings, too; bare: where the number ends;
    joint: what joins it to the next one, " to " or " per ".
    """

    def __init__(self, pieces: list[Piece], unit: str = "", bare: int = 0) -> None:
        self.pieces, self.unit, self.bare = pieces, unit, bare
        self.start = self.first = pieces[0][1]
        self.end = self.last = pieces[-1][2]
        self.bounds: list[str] = []
        self.wordings: list[tuple[str, int]] = []
        self.joint = ""


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
        if last is not None and last.joint:
            pieces.append((last.joint, at, at))
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
    words = lower[start:end].strip(" ")
    if words in _KEPT:
        return [(lower[start:end] if words else " ", start, end)]
    pieces: list[Piece] = [(" ", start, start)] if start and lower[start - 1 : start + 1].isalnum() else []
    at = start
    for word in language.known.finditer(lower, start, end):
        pieces.append((_UNKNOWN.sub(f" {NOTHING} ", lower[at : word.start()]), at, word.start()))
        pieces.append((f" {language.words[word.group()]} ", *word.span()))
        at = word.end()
    pieces.append((_UNKNOWN.sub(f" {NOTHING} ", lower[at:end]), at, end))
    return [*pieces, (" ", end, end)] if lower[end - 1 : end] in _LISTING else pieces


class _Reader:
    """Finds the quantities of one text and the wordings beside them."""

    def __init__(self, plain: str, lower: str, language: Language, registry: UnitRegistry) -> None:
        self.plain, self.lower, self.language, self.registry = plain, lower, language, registry

    def chunks(self) -> list[_Chunk]:
        """The quantities in order, with bounds and ranges settled."""
        found: list[_Chunk] = []
        dates = [_Chunk([(self.language.date(day), *day.span())]) for day in self.language.dates.finditer(self.lower)]
        if dates:  # their numbers are no quantities
            self.lower = self.language.dates.sub(lambda day: "\0" * len(day.group()), self.lower)
        head = self._head(0)
        while head:
            numerals, end = self.language.numerals.read(self.lower, head)
            for numeral in numerals:
                floor = found[-1].end if found else -1
                named = _OF_NAME.match(self.lower, max(0, numeral.start - 2), numeral.start)
                within = self._within_a_word(numeral, head)
                if numeral.start < floor or (named and floor < numeral.start - 1) or within:
                    continue
                chunk = self._chunk(numeral, head, floor)
                if chunk:
                    found.append(chunk)
                    head = None
            head = self._head(max(end, found[-1].end if found else 0))
        found = sorted([*found, *dates], key=lambda chunk: chunk.start) if dates else found
        for chunk, following in pairwise(found):
            self._range(chunk, following)
        ceiling = len(self.lower)
        for chunk in reversed(found):  # a wording between two values belongs to the one behind it
            self._bounds(chunk, ceiling)
            ceiling = chunk.first
        return found

    def _head(self, floor: int) -> re.Match[str] | None:
        """The first word of the next number, with what stands before it."""
        number = self.language.number.search(self.lower, floor)
        return self.language.head.search(self.lower, max(floor, number.start() - _REACH)) if number else None

    def _chunk(self, numeral: Numeral, head: re.Match[str] | None, floor: int) -> _Chunk | None:
        """A number with its sign, its unit and the wordings before it; None for an article."""
        less = [at for at in map(head.start, ("minus", "inner")) if at > floor] if head else []
        signed = numeral._replace(start=less[0], text="-" + numeral.text) if less else numeral
        pieces, unit = self._with_unit(signed, head, numeral.end)
        if not pieces and (less or not numeral.doubtful or self._alone(numeral)):
            pieces, unit = self._with_symbols(signed, floor)
        if not pieces:
            return None
        chunk = _Chunk(pieces, unit, numeral.end)
        inner = [form for form in self.language.within if form in self.lower[numeral.start + 1 : numeral.end]]
        chunk.bounds = [self.language.bounds_behind[form] for form in inner[:1]]
        if head and not (head["code"] and chunk.start > head.start("code")):
            wordings = self.language.bound_before.finditer(self.lower, *head.span("bounds"))
            chunk.wordings = [(wording.group(), wording.start()) for wording in wordings]
            if head["opens"]:
                chunk.wordings.append((head["opens"], head.start("opens")))
        return chunk

    def _with_unit(self, numeral: Numeral, head: re.Match[str] | None, end: int) -> tuple[list[Piece], str]:
        """A number with the unit that a table has for what stands before it or behind it, and the unit's name."""
        language = self.language
        first = (head["sign"] or "") if head else ""
        begin = min(numeral.start, head.start("sign")) if head and first else numeral.start
        tail = language.tail.match(self.lower, end)
        if self.lower.endswith(language.labels, 0, numeral.start):
            return [(numeral.text, numeral.start, end)], ""
        article = language.blanks and numeral.doubtful and numeral.text == "1"
        for opened in dict.fromkeys((first, "")) if tail else ():
            unit = self._unit_behind(tail, opened) if tail else None
            if tail and unit and not (article and unit.name in _PERSONS) and self._apart(numeral, tail):
                unit, last = self._divided(tail, unit)
                part = tail["part"] if "." not in numeral.text and last == tail.end() else None
                number = self._times(f"{numeral.text}.{language.parts.get(part, part)}" if part else numeral.text, unit)
                named = unit.name if numeral.text in ("1", "-1") else unit.plural
                minutes = _MINUTES.match(self.lower, last) if tail["unit"] == "h" else None
                if minutes and not language.tail.match(self.lower, minutes.end()):  # "2 h 30"
                    named, last = f"{named} {minutes[1]} minutes", minutes.end()
                behind = (f" {named}", tail.start("unit"), last)
                return [(number, begin if opened else numeral.start, end), behind], unit.name
        before = language.units.get((first, ""))
        if before is None:
            return [], ""
        below, last = self._below(end, before.name)
        last = last if below else language.word_end(self.lower, end)
        return [(f"{self._times(numeral.text, before)} {before.name}{below}", begin, last)], ""

    def _with_symbols(self, numeral: Numeral, floor: int) -> tuple[list[Piece], str]:
        """A number with the symbols beside it, which are the same in all languages, and the unit behind it."""
        end = self.language.word_end(self.lower, numeral.end)
        sign = self.registry.match_before(self.plain, numeral.start)
        if sign is not None and sign.start >= floor:
            kept = (self.plain[sign.start : numeral.start], sign.start, numeral.start)
            return [kept, (numeral.text, numeral.start, end)], ""
        link = self.language.link.match(self.lower, numeral.end)
        linked = link.end() if link else numeral.end
        signs = _LATIN.match(self.plain, linked)
        symbol = self.registry.match_after(self.plain[: signs.end()], linked) if signs else None
        if symbol is not None and self._is_symbol(symbol.start, symbol.end):
            written = self.plain[linked : symbol.end]
            below, last = self._below(symbol.end, symbol.unit) if written.strip().isalpha() else ("", symbol.end)
            pieces = [(numeral.text, numeral.start, numeral.end), (written, linked, symbol.end)]
            return [*pieces, (below, symbol.end, last)], symbol.unit
        glued = (_GLUED if self.language.blanks else _GLUED_LATIN).match(self.lower, end)
        if glued and self.lower[end - 1].isdecimal():  # "4K", "2LDK", "20e"
            return [(f" {NOTHING} ", numeral.start, glued.end())], ""
        return [(numeral.text, numeral.start, end)], ""

    def _is_symbol(self, start: int, end: int) -> bool:
        """Whether a unit that the registry sees is a symbol here, no word or part of one."""
        written, language = self.plain[start:end], self.language
        behind = self.plain[end : end + 1]
        elided = behind == "'" and written.isalpha() and language.word_end(self.lower, end) == end  # "5 l'ora"
        before = self.plain[start - 1]
        if written in language.others or (language.blanks and (before.isalpha() or behind.isalpha() or elided)):
            return False
        apart = not before.isdecimal()
        return not (apart and written in language.stop_words) and _SYMBOL.match(self.plain, start) is not None

    def _within_a_word(self, numeral: Numeral, head: re.Match[str] | None) -> bool:
        """Whether few kana go on from a word, as in "お母さん": with a bound before they are a number."""
        kana = _KANA.match(self.lower, numeral.start) and numeral.end - numeral.start < _KANA_APART
        bounded = head and head["bounds"] and head.end("bounds") == numeral.start
        return bool(kana and not bounded and _IS_LETTER.match(self.lower, max(0, numeral.start - 1), numeral.start))

    def _apart(self, numeral: Numeral, tail: re.Match[str]) -> bool:
        """Whether a number in words and its unit end where a word may end; syllables of Korean words do not."""
        syllables = numeral.doubtful > 1 and tail.start("unit") == numeral.end and len(tail["unit"]) == 1
        digits = self.lower[numeral.end - 1].isdecimal()
        return not syllables and (digits or self.language.word_ends.match(self.lower, tail.end("whole")) is not None)

    def _alone(self, numeral: Numeral) -> bool:
        """Whether nothing stands beside a word that may be an article, so that it is the number."""
        before, first = self.lower[max(0, numeral.start - 1) : numeral.start], self.lower[numeral.start]
        apart = not _IS_LETTER.match(before)
        if numeral.doubtful < 2 and (apart or (before < _IDEOGRAPHS and not _KANA.match(first))):
            for word in (self.language.particle, self.language.bound_behind, self.language.between):
                if word.match(self.lower, numeral.end):
                    return True
        half = numeral.fraction and self.language.blanks  # "clase media"
        return apart and not half and not _WORD_NEXT.match(self.lower, self.language.word_end(self.lower, numeral.end))

    def _unit_behind(self, tail: re.Match[str], opened: str = "") -> Unit | None:
        """The unit behind a number; None for a code or a symbol that goes on."""
        unit = self.language.units.get((opened, tail["unit"]))
        coded = _CODE.match(self.plain, tail.start("unit")) or _GOES_ON.match(self.plain, tail.end("unit"))
        return None if coded else unit

    def _divided(self, tail: re.Match[str], unit: Unit) -> tuple[Unit, int]:
        """A unit with what it is divided by, and where it ends, decimals behind it included ("八米五")."""
        below, last = self._below(tail.end("whole"), unit.name)
        if below:
            return unit._replace(name=unit.name + below, plural=unit.plural + below), last
        following = self.language.tail.match(self.lower, tail.end()) if tail["part"] else None
        counted = following and self._unit_behind(following)
        word = self.language.numerals.words.get(tail["part"] or "")
        digit = word is not None and word.value.isdecimal()  # "十分钟一班"
        apart = digit and self.registry.family(unit.name) in (None, "time")
        return unit, last if counted or apart else tail.end()

    def _below(self, end: int, unit: str) -> tuple[str, int]:
        """What a unit that ends here is divided by, in the notation, and where that ends."""
        per = self.language.per.match(self.lower, end)
        tail = self.language.tail.match(self.lower, per.end()) if per else None
        below = self._unit_behind(tail) if tail else None
        if not tail or not below or self._alike(unit, below.name):
            return "", end
        return f" per {'' if below.factor == '1' else f'{below.factor} '}{below.name}", tail.end("whole")

    def _times(self, text: str, unit: Unit) -> str:
        """How many of a unit, which is no year; millions in words where that tells what the unit is ("pounds")."""
        value = Decimal(text.replace(",", ""))
        text = f"{int(text):,}" if text.isdecimal() else text
        if text.count(",") > 1 and self.registry.resolve(unit.name) != unit.name:
            return f"{value / 10**6:f} million"
        return text if unit.factor == "1" or (unit.small and value >= 10) else f"{value * Decimal(unit.factor):f}"

    def _range(self, chunk: _Chunk, following: _Chunk) -> None:
        """Settle whether two quantities are the ends of a range."""
        between = self.lower[chunk.end : following.start].strip()
        ending = self.lower[chunk.bare : following.start].strip()  # "20'den 100'e kadar"
        ranges = self.language.ranges
        frames = ranges.get(between.strip("-") or between) or ranges.get(ending)
        if (
            chunk.unit and following.unit and between in self.language.each
        ):  # no prices, and no time: "20 min por 5 días"
            family = self.registry.family(following.unit) or ""
            if family != "time" and not family.startswith("currency"):
                chunk.joint, chunk.last, following.first = " per ", following.start, following.start
                return
        if not frames or (chunk.unit and following.unit and not self._alike(chunk.unit, following.unit)):
            return
        closed = self.language.closing.match(self.lower, following.end)
        for opening, closing in frames:
            opened = [at for form, at in chunk.wordings[-1:] if form in opening]
            if (opened or not opening) and (not closing or (closed and closed["form"].startswith(tuple(closing)))):
                if opened:
                    chunk.wordings.pop()
                    chunk.first = opened[0]
                chunk.joint = " to "
                chunk.last = following.first = following.start
                following.wordings = []
                following.last = closed.end() if closing and closed else following.end
                return

    def _alike(self, unit: str, other: str) -> bool:
        return unit == other or self.registry.family(unit) == self.registry.family(other)

    def _bounds(self, chunk: _Chunk, ceiling: int) -> None:
        """Note what the wordings on both sides of a value say."""
        behind = self.language.bound_behind
        said = [self.language.bound(wording) for wording, _ in chunk.wordings]
        if said and said[-1]:
            chunk.bounds, chunk.first = list(filter(None, said)), chunk.wordings[0][1]
        opened, start = chunk.wordings[-1] if chunk.wordings else ("", chunk.first)
        around = self.language.bounds_around.get(opened)
        closed = self.language.bound_around.match(self.lower, chunk.last) if around else None
        if around and closed and closed["form"] in around:
            chunk.bounds, chunk.first, chunk.last = [around[closed["form"]]], start, closed.end()
        while not chunk.joint and (found := behind.match(self.lower, chunk.last)) and found.end() <= ceiling:
            chunk.bounds.append(self.language.bounds_behind[found["form"]])
            chunk.last = found.end()
        tail = self.language.tail.match(self.lower, chunk.last) if chunk.bounds and chunk.bare else None
        unit = self._unit_behind(tail) if tail and len(chunk.pieces) == 1 and tail.end("unit") <= ceiling else None
        if tail and unit and tail.end("unit") == tail.end("whole"):  # "3 or more rooms"; no head, as in "şehirler"
            chunk.pieces.append((f" {unit.plural}", tail.start("unit"), tail.end("unit")))
            chunk.last = tail.end("unit")
