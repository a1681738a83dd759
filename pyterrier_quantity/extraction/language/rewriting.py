"""A text of any language in the notation that the steps of a reading know, and the way back to its characters."""

from __future__ import annotations

import re
from bisect import bisect_left
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from pyterrier_quantity.english import listed
from pyterrier_quantity.extraction.text import clean
from pyterrier_quantity.units import UnitRegistry

from .dates import Dates
from .numerals import Numeral, Numerals
from .scanner import LETTER, Scanner, Token
from .tables import NOTHING, Language, Unit, Word, language

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
_UNKNOWN: Final = re.compile(rf"{LETTER}(?:[^\n]*{LETTER})?(?:-\d+)?")
_IDEOGRAPHS: Final = "㐀"
_IS_LETTER: Final = re.compile(LETTER)
_GOES_ON: Final = re.compile(rf"[ ']?(?:{LETTER}|\d)")
_PERSONS: Final = listed("persons that have an age")
"""Whom an article does not count: "ein Mann"."""
_BESIDE: Final = re.compile(r"[ \t(-]*")
"""What may stand between the parts of a quantity."""
_MINUS: Final = re.compile(r"(?<![^\W぀-ヿ㐀-鿿])(?<![)\]])- ?\Z")
"""A minus; behind a word it is a hyphen, but for the words of Chinese and Japanese: "温度-5度"."""
_OF_NAME: Final = re.compile("[a-zß-ɏ]-")
"""What stands before a number that is part of a name: "COVID-19"."""
_SPACED: Final = re.compile("(?<=[ぁ-ヿ㐀-鿿]) +(?=[ぁ-ヿ㐀-鿿])")
_KEPT: Final = frozenset(("", "x", "×"))
"""What stands between two numbers as in English: "30 x 20 cm"."""
_MARKS: Final = ",;、"
_SYMBOL: Final = re.compile(r"\s{0,2}(?:[A-Za-zµμΩ]{1,4}(?![A-Za-z])|[^\w\s])[!-~µμΩ°²³‰\u20a0-\u20bf£¥¢]*")
"""A symbol behind a number, with what may go on from it: "kWh", "g/dL", "°C"."""
_NAMED: Final = re.compile(r"[A-Z]{3}(?![A-Za-z])|[A-Za-zµμΩ]+(?:[/·^²³][A-Za-z0-9]|\d)")
"""A code of money, and a symbol of a unit's letters that goes on, as "m2": the registry reads them."""
_MINUTES: Final = re.compile(r" ?([0-5]\d)(?![\d.,:])")
_GLUED: Final = re.compile(rf"(?!x ?\d){LETTER}[\w-]*")
_GLUED_LATIN: Final = re.compile(r"(?!x ?\d)[a-z][a-z0-9-]*")
"""Letters right behind digits that are no unit: both together are a name."""
_DECIMALS: Final = re.compile(r"\d{1,2}(?!\w)")
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
        self.wordings: list[Token] = []
        self.joint = ""


class Rewriter:
    """Puts the texts of one language into the reading's notation."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.scanner, self.numerals, self.dates = Scanner(language), Numerals(language), Dates(language)

    def rewrite(self, text: str, registry: UnitRegistry) -> Rewritten:
        """A text in the reading's notation; empty if it holds no number."""
        if self.language.blanks == "no" and _SPACED.search(text):
            return self._closed_up(text, registry)
        plain, lower = clean(text)
        reader = _Reader(plain, lower, self, registry)
        chunks = reader.chunks()
        if not chunks:
            return Rewritten("", [], [])
        pieces: list[Piece] = []
        at, last = 0, None
        for chunk in chunks:
            if last is not None and last.joint:
                pieces.append((last.joint, at, at))
            elif last is not None and last.bounds and chunk.bounds and not lower[at : chunk.first].strip(f" {_MARKS}"):
                pieces.append((" and ", at, at))  # "1000以上、1500以下"
            else:
                pieces += reader.between(at, chunk.first)
            pieces += [(f" {_WORDS[bound]} ", chunk.start, chunk.start) for bound in chunk.bounds]
            pieces += chunk.pieces
            at, last = chunk.last, chunk
        pieces += reader.between(at, len(lower))
        return _assembled(pieces, plain)._replace(spans=tuple((chunk.first, chunk.last) for chunk in chunks))

    def _closed_up(self, text: str, registry: UnitRegistry) -> Rewritten:
        """A text whose letters are set apart, as in "百 分 之 五", read as if they were not."""
        left_out = {at for blank in _SPACED.finditer(text) for at in range(*blank.span())}
        kept = [at for at in range(len(text)) if at not in left_out]
        found = self.rewrite(_SPACED.sub("", text), registry)
        begins, closes = [*kept, len(text)], [0, *(at + 1 for at in kept)]
        return Rewritten(
            found.text,
            [begins[at] for at in found.starts],
            [closes[at] for at in found.ends],
            tuple((begins[first], closes[last]) for first, last in found.spans),
        )


@lru_cache(maxsize=32)
def rewriter(code: str) -> Rewriter:
    """What rewrites the texts of a language, by its code or the path to a folder of tables.

    Raises:
        LanguageError: if there is none, naming those that are there; or naming file and line of a bad row.
    """
    return Rewriter(language(code))


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


class _Reader:
    """Finds the quantities of one text and the wordings beside them."""

    def __init__(self, plain: str, lower: str, rewriter: Rewriter, registry: UnitRegistry) -> None:
        self.plain, self.lower, self.language, self.registry = plain, lower, rewriter.language, registry
        self._scanner, self._numerals = rewriter.scanner, rewriter.numerals
        self._dates = [_Chunk([day]) for day in rewriter.dates.find(lower)]
        for day in self._dates:
            self.lower = self.lower[: day.start] + "\0" * (day.end - day.start) + self.lower[day.end :]
        self.tokens = self._scanner.scan(self.lower)
        self._starts = [token.start for token in self.tokens]
        self._closes = [token.close for token in self.tokens]

    def chunks(self) -> list[_Chunk]:
        """The quantities in order, with bounds and ranges settled."""
        found: list[_Chunk] = []
        at = 0
        while at < len(self.tokens):
            if self.tokens[at].word.number is None:
                at += 1
                continue
            numeral, at = self._numerals.read(self.lower, self.tokens, at)
            floor = found[-1].end if found else 0
            chunk = self._chunk(numeral, floor) if numeral and numeral.start >= floor else None
            if chunk:
                found.append(chunk)
                at = max(at, bisect_left(self._starts, chunk.end))
        found = sorted([*found, *self._dates], key=lambda chunk: chunk.start) if self._dates else found
        for chunk, following in pairwise(found):
            self._range(chunk, following)
        ceiling = len(self.lower)
        for chunk in reversed(found):  # a wording between two values belongs to the one behind it
            self._bounds(chunk, ceiling)
            ceiling = chunk.first
        return found

    def between(self, start: int, end: int) -> list[Piece]:
        """What stands between two quantities: known words in the notation, the others as one mark."""
        words = self.lower[start:end].strip(" ")
        if words in _KEPT:
            return [(self.lower[start:end] if words else " ", start, end)]
        pieces: list[Piece] = [(" ", start, start)] if start and self.lower[start - 1 : start + 1].isalnum() else []
        at = start
        for token in self.tokens[bisect_left(self._starts, start) : bisect_left(self._starts, end)]:
            if token.word.english and token.close <= end and token.form[0].isalpha():  # "3/5" stays
                pieces.append((_UNKNOWN.sub(f" {NOTHING} ", self.lower[at : token.start]), at, token.start))
                pieces.append((f" {token.word.english} ", token.start, token.close))
                at = token.close
        pieces.append((_UNKNOWN.sub(f" {NOTHING} ", self.lower[at:end]), at, end))
        return [*pieces, (" ", end, end)] if self.lower[end - 1 : end] in _MARKS else pieces

    def _behind(self, at: int) -> Token | None:
        """The token right behind a place."""
        place = bisect_left(self._starts, at)
        found = place < len(self.tokens) and _BESIDE.fullmatch(self.lower, at, self._starts[place])
        return self.tokens[place] if found else None

    def _closer(self, at: int, ceiling: int | None = None) -> Token | None:
        """What closes a quantity that ends at a place, as "or more"."""
        beside = _BESIDE.match(self.lower, at)
        begin = beside.end() if beside else at
        return self._scanner.closer(self.lower, begin, len(self.lower) if ceiling is None else ceiling)

    def _before(self, at: int, floor: int) -> Token | None:
        """The token right before a place, not before a floor."""
        place = bisect_left(self._starts, at) - 1
        if place < 0 or self._starts[place] < floor or not _BESIDE.fullmatch(self.lower, self._closes[place], at):
            return None
        return self.tokens[place]

    def _chunk(self, numeral: Numeral, floor: int) -> _Chunk | None:
        """A number with its sign, its unit and the wordings before it; None for an article or a name."""
        if _OF_NAME.match(self.lower, max(0, numeral.start - 2)) and floor < numeral.start - 1:
            return None
        sign, start, less = self._signed(numeral, floor)
        numeral = numeral._replace(text="-" + numeral.text) if less else numeral
        pieces, unit = self._with_unit(numeral, sign)
        if not pieces and (less or not numeral.doubtful or self._alone(numeral)):
            pieces, unit = self._with_symbols(numeral, floor)
        if not pieces:
            return None
        start = min(start, pieces[0][1])
        pieces[0] = (pieces[0][0], start if less else pieces[0][1], pieces[0][2])
        chunk = _Chunk(pieces, unit, numeral.end)
        chunk.bounds = [numeral.bound] if numeral.bound else []
        token = self._before(start, floor)
        while token and (token.word.before or token.word.roles & {"opens", "frames", "articles"}):
            if token.word.before or token.word.roles & {"opens", "frames"}:
                chunk.wordings.insert(0, token)
            token = self._before(token.start, floor)
        return chunk

    def _signed(self, numeral: Numeral, floor: int) -> tuple[Token | None, int, bool]:
        """What stands before a number as its unit, where both begin, and whether it is below zero."""
        sign, start, less = None, numeral.start, False
        while True:
            token, dash = self._before(start, floor), _MINUS.search(self.lower, max(floor, start - 2), start)
            if token and "minus" in token.word.roles:
                start, less = token.start, True
            elif dash and not less:
                start, less = dash.start(), True
            elif token and token.word.signs and not sign:
                sign, start = token, token.start
            else:
                return sign, start, less

    def _with_unit(self, numeral: Numeral, sign: Token | None) -> tuple[list[Piece], str]:
        """A number with the unit that a table has for what stands before it or behind it, and the unit's name."""
        end = numeral.end
        label = self._before(numeral.start, 0)
        if label and label.close == numeral.start and label.word.roles & {"number", "page"}:
            return [(f" {NOTHING} ", numeral.start, end)], ""
        tail = self._behind(end)
        tail = self._behind(tail.close) if tail and "linking" in tail.word.roles and not tail.word.unit else tail
        around = sign.word.signs.get(tail.form) if sign and tail else None
        unit = around or (tail.word.unit if tail else None)
        if tail and unit and self._counts(numeral, tail, unit):
            below, last = self._below(tail.close, unit.name)
            text, last = self._with_decimals(numeral, unit, last) if not below else (numeral.text, last)
            named = (unit.name if numeral.text in ("1", "-1") else unit.plural) + below
            minutes = _MINUTES.match(self.lower, last) if tail.form == "h" else None
            counted = self._behind(minutes.end()) if minutes else None
            if minutes and not (counted and counted.word.unit):  # "2 h 30"
                named, last = f"{named} {minutes[1]} minutes", minutes.end()
            begin = sign.start if around and sign else numeral.start
            return [(self._times(text, unit), begin, end), (f" {named}", tail.start, last)], unit.name
        before = sign.word.signs.get("") if sign else None
        if before is None or sign is None:
            return [], ""
        below, last = self._below(end, before.name)
        last = last if below else self._scanner.ends(self.lower, end) or end
        return [(f"{self._times(numeral.text, before)} {before.name}{below}", sign.start, last)], ""

    def _counts(self, numeral: Numeral, tail: Token, unit: Unit) -> bool:
        """Whether a number counts what the form behind it names."""
        article = self.language.blanks == "yes" and numeral.doubtful and numeral.text == "1"
        syllables = numeral.doubtful > 1 and tail.start == numeral.end and len(tail.form) == 1  # "사원"
        named = _NAMED.match(self.plain, tail.start)
        return not (named or syllables or (article and unit.name in _PERSONS))

    def _with_decimals(self, numeral: Numeral, unit: Unit, at: int) -> tuple[str, int]:
        """A number with the decimals that stand behind its unit, as "et demi" and the 5 of "八米五"; and their end."""
        place = bisect_left(self._starts, at)
        token = self._behind(at)
        if token is None or not numeral.text.strip("-").replace(",", "").isdecimal():
            return numeral.text, at
        if "and" in token.word.roles and self.language.blanks == "yes" and place + 1 < len(self.tokens):
            place, token = place + 1, self.tokens[place + 1]
        elif self.language.blanks == "yes" or token.start > at:
            return numeral.text, at
        part, after = self._numerals.read(self.lower, self.tokens, place) if token.word.number else (None, place)
        if part is None or self._goes_on(part):
            return numeral.text, at
        if part.text == "0.5":
            return f"{numeral.text}.5", self._scanner.ends(self.lower, part.end) or part.end
        digits = self.language.blanks == "no" and part.text.isdecimal() and len(part.text) < 3
        apart = not self.lower[part.start].isdecimal() and self.registry.family(unit.name) in (None, "time")
        return (f"{numeral.text}.{part.text}", part.end) if digits and not apart else (numeral.text, at)

    def _goes_on(self, part: Numeral) -> bool:
        """Whether a number has a unit of its own."""
        following = self._behind(part.end)
        return following is not None and (following.word.unit is not None or following.word.number is not None)

    def _with_symbols(self, numeral: Numeral, floor: int) -> tuple[list[Piece], str]:
        """A number with the symbols beside it, which are the same in all languages, and the unit behind it."""
        end = self._scanner.ends(self.lower, numeral.end) or numeral.end
        sign = self.registry.match_before(self.plain, numeral.start)
        if sign is not None and sign.start >= floor:
            kept = (self.plain[sign.start : numeral.start], sign.start, numeral.start)
            return [kept, (numeral.text, numeral.start, end)], ""
        link = self._behind(numeral.end)
        linked = link.close if link and "linking" in link.word.roles else numeral.end
        shape = _SYMBOL.match(self.plain, linked)
        symbol = self.registry.match_after(self.plain[: shape.end()], linked) if shape else None
        if symbol is not None and self._is_symbol(symbol.start, symbol.end):
            written = self.plain[linked : symbol.end]
            below, last = self._below(symbol.end, symbol.unit) if written.strip().isalpha() else ("", symbol.end)
            pieces = [(numeral.text, numeral.start, numeral.end), (written, linked, symbol.end)]
            return [*pieces, (below, symbol.end, last)], symbol.unit
        glued = (_GLUED if self.language.blanks == "yes" else _GLUED_LATIN).match(self.lower, end)
        if glued and self.lower[end - 1].isdecimal():  # "4K", "2LDK", "20e"
            return [(f" {NOTHING} ", numeral.start, glued.end())], ""
        return [(numeral.text, numeral.start, end)], ""

    def _is_symbol(self, start: int, end: int) -> bool:
        """Whether a unit that the registry sees is a symbol here, no word or part of one."""
        written = self.plain[start:end]
        blanks = self.language.blanks == "yes"
        if written[-1:].isalpha() and blanks and (self.plain[end : end + 1].isalpha() or self.lower[end : end + 1] == "'"):
            return self._scanner.ends(self.lower, end) > end
        known = written in self.language.closers or self.language.lexicon.get(written, Word()).english
        return not known and not (self.plain[start - 1].isspace() and written in self.language.stop_words)

    def _alone(self, numeral: Numeral) -> bool:
        """Whether nothing stands beside a word that may be an article, so that it is the number."""
        before = self.lower[max(0, numeral.start - 1) : numeral.start]
        apart = not _IS_LETTER.match(before)
        closer = self._closer(numeral.end) if self.language.blanks != "yes" else None
        if closer and numeral.doubtful < 2 and (apart or before < _IDEOGRAPHS):
            following = self._behind(closer.end)
            if closer.word.behind or closer.word.roles - {"between"} or (following and following.word.number):
                return True
        half = numeral.fraction and self.language.blanks == "yes"  # "clase media"
        last = self._scanner.ends(self.lower, numeral.end) or numeral.end
        return apart and not half and not _GOES_ON.match(self.lower, last)

    def _below(self, end: int, unit: str) -> tuple[str, int]:
        """What a unit that ends here is divided by, in the notation, and where that ends."""
        per = self._behind(end)
        tail = self._behind(per.close) if per and "per" in per.word.roles else None
        below = tail.word.unit if tail else None
        if not tail or not below or self._alike(unit, below.name):
            return "", end
        return f" per {'' if below.factor == '1' else f'{below.factor} '}{below.name}", tail.close

    def _times(self, text: str, unit: Unit) -> str:
        """How many of a unit, which is no year; millions in words where that tells what the unit is ("pounds")."""
        value = Decimal(text.replace(",", ""))
        text = f"{int(text):,}" if text.isdecimal() else text
        if text.count(",") > 1 and self.registry.resolve(unit.name) != unit.name:
            return f"{value / 10**6:f} million"
        return text if unit.factor == "1" or (unit.small and value >= 10) else f"{value * Decimal(unit.factor):f}"

    def _range(self, chunk: _Chunk, following: _Chunk) -> None:
        """Settle whether two quantities are the ends of a range, or one per the other."""
        between = self.lower[chunk.end : following.start].strip()
        ending = self.lower[chunk.bare : following.start].strip()  # "20'den 100'e kadar"
        frames = self.language.ranges.get(between.strip("-") or between) or self.language.ranges.get(ending)
        both = bool(chunk.unit and following.unit)
        if both and len(between) > 1 and self._is_per(between):  # no prices, and no time: "20 min por 5 días"
            family = self.registry.family(following.unit) or ""
            if family != "time" and not family.startswith("currency"):
                chunk.joint, chunk.last, following.first = " per ", following.start, following.start
                return
        if not frames or (both and not self._alike(chunk.unit, following.unit)):
            return
        closed = self._closer(following.end)
        for opening, closing in frames:
            opened = [token.start for token in chunk.wordings[-1:] if token.form in opening]
            if (opened or not opening) and (not closing or (closed and closed.form.startswith(tuple(closing)))):
                if opened:
                    chunk.wordings.pop()
                    chunk.first = opened[0]
                chunk.joint = " to "
                chunk.last = following.first = following.start
                following.wordings = []
                following.last = closed.close if closing and closed else following.end
                return

    def _is_per(self, form: str) -> bool:
        word = self.language.lexicon.get(form)
        return word is not None and "per" in word.roles and "articles" not in word.roles

    def _alike(self, unit: str, other: str) -> bool:
        return unit == other or self.registry.family(unit) == self.registry.family(other)

    def _bounds(self, chunk: _Chunk, ceiling: int) -> None:
        """Note what the wordings on both sides of a value say."""
        said = [token.word.before for token in chunk.wordings]
        if said and said[-1]:
            chunk.bounds, chunk.first = list(filter(None, said)), chunk.wordings[0].start
        token = self._closer(chunk.last, ceiling)
        framed = token.word.framed.get(chunk.wordings[-1].form) if token and chunk.wordings else None
        if token and framed:
            chunk.bounds, chunk.first, chunk.last = [framed], chunk.wordings[-1].start, token.close
        while not chunk.joint and (token := self._closer(chunk.last, ceiling)) and token.word.behind:
            chunk.bounds.append(token.word.behind)
            chunk.last = token.close
        token = self._behind(chunk.last) if chunk.bounds and chunk.bare and len(chunk.pieces) == 1 else None
        if token and token.word.unit and token.close <= ceiling and token.close == token.end:  # "3 or more rooms"
            chunk.pieces.append((f" {token.word.unit.plural}", token.start, token.end))
            chunk.last = token.end
