"""The quantities of one text in any language, from its tokens: numbers with their units, ranges, and bounds."""

from __future__ import annotations

import re
from bisect import bisect_left
from decimal import Decimal
from itertools import pairwise
from typing import Final, NamedTuple

from pyterrier_quantity.english import listed
from pyterrier_quantity.extraction.text import clean
from pyterrier_quantity.units import UnitRegistry

from .dates import Dates
from .numerals import Numeral, Numerals
from .scanner import BESIDE, LETTER, Scanner, Token
from .tables import NOTHING, Language, Unit

_UNKNOWN: Final = re.compile(rf"{LETTER}(?:[^\n]*{LETTER})?(?:-\d+)?")
_PERSONS: Final = listed("persons that have an age")
"""Whom an article does not count: "ein Mann"."""
_FAR: Final = 5
_PLAIN: Final = re.compile(r"-?\d+(?:\.\d+)?")
_THOUSAND: Final = 1000
_OF_NAME: Final = re.compile("[a-zß-ɏ]-")
"""What stands before a number that is part of a name: "COVID-19"."""
_KEPT: Final = frozenset(("", "x", "×"))
"""What stands between two numbers as in English: "30 x 20 cm"."""
_MARKS: Final = ",;、"
_SYMBOL: Final = re.compile(
    r"\s{0,2}(?:(?P<word>[A-Za-zµμΩ]{1,4})(?![a-zA-ZÀ-ɏ])|[^\w\s.,;:!?()])[!-~µμΩ°²³‰\u20a0-\u20bf£¥¢]*"
)
"""A symbol behind a number, with what may go on from it: "kWh", "g/dL", "°C"."""
_RAISED: Final = re.compile(r"[A-Z]{3}(?![A-Za-z])|[A-Za-zµμΩ]+(?:[/·^²³][A-Za-z0-9]|\d)")
"""A code of money ("SEK"), and a symbol of a unit's letters that goes on ("m2"): the registry reads them."""
_MINUTES: Final = re.compile(r" ?([0-5]\d)(?![\d.,:])")
_GLUED: Final = {True: re.compile(rf"(?!x ?\d){LETTER}[\w-]*"), False: re.compile(r"(?!x ?\d)[a-z][a-z0-9-]*")}
"""Letters right behind digits that are no unit, where words are set apart and where not: both together are a name."""
_NEXT_WORD: Final = re.compile(rf"[ ']?(?:{LETTER}|\d)")
_IDEOGRAPHS: Final = "㐀"
Piece = tuple[str, int, int]
"""A part of the rewritten text, and the span that it stands for."""


class Tools(NamedTuple):
    """What reads the texts of one language."""

    language: Language
    scanner: Scanner
    numerals: Numerals
    dates: Dates
    noun: re.Pattern[str]


class Chunk:
    """A number with its unit: what they are in the notation, and what the wordings beside them say.

    start, end: of the number with its unit; first, last: with the wordings, too; bare: where the number ends;
    joint: what joins it to the next one, " to " or " per "; scale: what the last word of the number multiplies by.
    """

    def __init__(self, pieces: list[Piece], unit: str = "", bare: int = 0) -> None:
        self.pieces, self.unit, self.bare = pieces, unit, bare
        self.start = self.first = pieces[0][1]
        self.end = self.last = pieces[-1][2]
        self.bounds: list[str] = []
        self.wordings: list[Token] = []
        self.joint = ""
        self.scale = Decimal(1)

    def share_scale(self, following: Chunk) -> None:
        """Let what multiplies the second number of a range count for the first, too: "2 bis 3 Millionen"."""
        place, one = self._number()
        other = following._number()[1] / following.scale
        if not self.unit and self.scale == 1 and 0 < one < other < _THOUSAND:
            self.pieces[place] = (f"{one * following.scale:,f}", *self.pieces[place][1:])

    def _number(self) -> tuple[int, Decimal]:
        """Which piece is the number, and its value."""
        digits = ((place, text.replace(",", "")) for place, (text, *_) in enumerate(self.pieces))
        return next(((place, Decimal(text)) for place, text in digits if _PLAIN.fullmatch(text)), (0, Decimal(0)))


class Reader:
    """Finds the quantities of one text and the wordings beside them."""

    def __init__(self, text: str, tools: Tools, registry: UnitRegistry) -> None:
        self._plain, self._lower = clean(text)
        self._language, self._registry = tools.language, registry
        self._scanner, self._numerals, self._noun = tools.scanner, tools.numerals, tools.noun
        self._dates = [Chunk([day]) for day in tools.dates.find(self._lower)]
        for day in self._dates:
            self._lower = self._lower[: day.start] + "\0" * (day.end - day.start) + self._lower[day.end :]
        self._tokens = self._scanner.scan(self._lower)
        self._starts = [token.start for token in self._tokens]

    def chunks(self) -> list[Chunk]:
        """The quantities in order, with bounds and ranges settled."""
        found: list[Chunk] = []
        at = 0
        while at < len(self._tokens):
            if self._tokens[at].word.number is None:
                at += 1
                continue
            numeral, at = self._numerals.read(self._lower, self._tokens, at)
            floor = found[-1].end if found else 0
            closes = found and found[-1].unit and numeral and self._closes(numeral, floor)
            chunk = self._chunk(numeral, floor) if numeral and numeral.start >= floor and not closes else None
            if chunk:
                found.append(chunk)
                at = max(at, bisect_left(self._starts, chunk.end))
        found = sorted([*found, *self._dates], key=lambda chunk: chunk.start) if self._dates else found
        for chunk, following in pairwise(found):
            self._range(chunk, following)
        ceiling = len(self._lower)
        for chunk in reversed(found):  # a wording between two values belongs to the one behind it
            self._bounds(chunk, ceiling)
            ceiling = chunk.first
        return found

    def _closes(self, numeral: Numeral, floor: int) -> bool:
        """Whether a number word closes the quantity that ends before it, as "altı" (six, or below) in Turkish."""
        closer = self._language.closers.get(self._lower[numeral.start : numeral.end])
        following = self._behind(numeral.end)
        touches = self._touch(floor, numeral.start) and not (following and following.word.unit)
        return closer is not None and bool(closer.bounds) and touches

    def between(self, start: int, end: int, last: Chunk | None = None, chunk: Chunk | None = None) -> list[Piece]:
        """What stands between two quantities: known words in the notation, the others as one mark; "and" between two
        bounds ("1000以上、1500以下"), and what joins them.
        """
        if last and chunk and last.bounds and chunk.bounds and not self._lower[start:end].strip(f" {_MARKS}"):
            return [(last.joint or " and ", start, start)]
        if last and last.joint:
            return [(last.joint, start, start)]
        words = self._lower[start:end].strip(" ")
        if words in _KEPT:
            return [(self._lower[start:end] if words else " ", start, end)]
        pieces: list[Piece] = []
        at = start
        for token in self._tokens[bisect_left(self._starts, start) : bisect_left(self._starts, end)]:
            if token.word.english and token.close <= end and token.form[0].isalpha():  # "3/5" stays
                pieces.append((_UNKNOWN.sub(f" {NOTHING} ", self._lower[at : token.start]), at, token.start))
                pieces.append((f" {token.word.english} ", token.start, token.close))
                at = token.close
        pieces.append((_UNKNOWN.sub(f" {NOTHING} ", self._lower[at:end]), at, end))
        return [*pieces, (" ", end, end)] if self._lower[end - 1 : end] in _MARKS else pieces

    def _behind(self, at: int) -> Token | None:
        """The token right behind a place."""
        place = bisect_left(self._starts, at)
        token = self._tokens[place] if place < len(self._tokens) else None
        return token if token and self._touch(at, token.start) else None

    def _before(self, at: int, floor: int) -> Token | None:
        """The token right before a place, not before a floor."""
        place = bisect_left(self._starts, at) - 1
        token = self._tokens[place] if place >= 0 and self._starts[place] >= floor else None
        return token if token and self._touch(token.close, at) else None

    def _touch(self, end: int, start: int) -> bool:
        """Whether only blanks and the like stand between what ends and what starts somewhere."""
        return end == start or (start - end < _FAR and BESIDE.fullmatch(self._lower, end, start) is not None)

    def _chunk(self, numeral: Numeral, floor: int) -> Chunk | None:
        """A number with its sign, its unit and the wordings before it; None for an article or a name."""
        if _OF_NAME.match(self._lower, max(0, numeral.start - 2)) and floor < numeral.start - 1:
            return None
        token = self._before(numeral.start, floor)
        if token and token.close == numeral.start and token.word.roles & {"number", "page"}:  # "第3"
            return Chunk([(f" {NOTHING} ", numeral.start, numeral.end)])
        start, sign, wordings = self._wordings(numeral, floor)
        negative = start < numeral.start
        if negative:
            numeral = numeral._replace(text=f"-{numeral.text}", doubtful=0)
        pieces, unit = self._with_unit(numeral, sign)
        if not pieces and (not numeral.doubtful or self._alone(numeral)):
            pieces, unit = self._with_symbols(numeral, floor)
        if not pieces:
            return None
        text, begin, end = pieces[0]
        pieces[0] = (text, min(start, begin), end)
        chunk = Chunk(pieces, unit, numeral.end)
        chunk.bounds = [numeral.bound] if numeral.bound else []
        chunk.scale = numeral.scale
        if not wordings and chunk.start < start:  # "environ £ 15"
            wordings = self._wordings(numeral._replace(start=chunk.start), floor)[2]
        chunk.wordings = wordings
        return chunk

    def _wordings(self, numeral: Numeral, floor: int) -> tuple[int, Token | None, list[Token]]:
        """Where a number with its minus starts, what its unit begins with, also before wordings ("时速约350公里"), and
        the wordings before it.
        """
        wordings: list[Token] = []
        start, sign = numeral.start, None
        tail = self._behind(numeral.end)
        token = self._before(start, floor)
        while token:
            roles, signs = token.word.roles, token.word.signs
            if "minus" in roles and not wordings:
                start = token.start
            elif signs and (not wordings or (tail and signs.get(tail.form))):
                sign = token
            elif "before" in token.word.bounds or roles & {"opens", "frames"}:
                wordings.insert(0, token)
            elif "articles" not in roles:
                break
            token = self._before(token.start, floor)
        return start, sign, wordings

    def _with_unit(self, numeral: Numeral, sign: Token | None) -> tuple[list[Piece], str]:
        """A number with the unit that a table has for what stands before it or behind it, and the unit's name."""
        end = numeral.end
        tail = self._behind(end)
        tail = self._behind(tail.close) if tail and "linking" in tail.word.roles and not tail.word.unit else tail
        around = sign.word.signs.get(tail.form) if sign and tail else None
        unit = around or (tail.word.unit if tail else None)
        if tail and unit and self._counts(numeral, tail, unit):
            below, last = self._below(tail.close, unit.name)
            text = numeral.text
            if not below:
                text, last = self._with_decimals(numeral, unit, last)
                below, last = self._below(last, unit.name)  # "un litre et demi d'eau par jour"
            minutes = _MINUTES.match(self._lower, last) if tail.form == "h" else None
            counted = self._behind(minutes.end()) if minutes else None
            if minutes and not (counted and counted.word.unit):  # "2 h 30"
                below, last = f" {minutes[1]} minutes", minutes.end()
            named = (unit.name if numeral.text in ("1", "-1") else unit.plural) + below
            begin = sign.start if around and sign else numeral.start
            return [(_times(text, unit), begin, end), (f" {named}", tail.start, last)], unit.name
        before = sign.word.signs.get("") if sign else None
        if before is None or sign is None:
            return [], ""
        below, last = self._below(end, before.name)
        last = last if below else self._scanner.ends(self._lower, end) or end
        return [(f"{_times(numeral.text, before)} {before.name}{below}", sign.start, last)], ""

    def _counts(self, numeral: Numeral, tail: Token, unit: Unit) -> bool:
        """Whether a number counts what the form behind it names."""
        article = self._language.blanks == "yes" and numeral.doubtful and numeral.text == "1"
        syllables = numeral.doubtful > 1 and tail.start == numeral.end and len(tail.form) == 1  # "사원"
        return not (_RAISED.match(self._plain, tail.start) or syllables or (article and unit.name in _PERSONS))

    def _with_decimals(self, numeral: Numeral, unit: Unit, at: int) -> tuple[str, int]:
        """A number with the decimals that stand behind its unit, as "et demi" and the 5 of "八米五"; and their end."""
        place = bisect_left(self._starts, at)
        token, blanks = self._behind(at), self._language.blanks == "yes"
        if token is None or not numeral.text.strip("-").replace(",", "").isdecimal():
            return numeral.text, at
        joined = blanks and "and" in token.word.roles
        if not (joined or (token.word.number if blanks else token.start == at or self._language.blanks == "before")):
            return numeral.text, at
        part, after = self._numerals.read(self._lower, self._tokens, place + joined)
        following = self._tokens[after] if after < len(self._tokens) else None
        if part is None or (
            following and following.start == part.end and (following.word.unit or following.word.number)
        ):
            return numeral.text, at
        if part.text == "0.5" and (joined or not blanks):
            return f"{numeral.text}.5", self._scanner.ends(self._lower, part.end) or part.end
        family = self._registry.family(unit.name) or ""
        if blanks:
            height = unit.name == "metre" or (family.startswith("currency") and not joined)
            fits = height and len(part.text) == 2 and not _NEXT_WORD.match(self._lower, part.end)  # "ein Meter achtzig"
        else:
            apart = not self._lower[part.start].isdecimal() and family in ("", "time")
            fits = self._language.blanks == "no" and len(part.text) < 3 and not apart
        return (f"{numeral.text}.{part.text}", part.end) if fits and part.text.isdecimal() else (numeral.text, at)

    def _with_symbols(self, numeral: Numeral, floor: int) -> tuple[list[Piece], str]:
        """A number with the symbols beside it, which are the same in all languages, and the unit behind it."""
        end = self._scanner.ends(self._lower, numeral.end) or numeral.end
        sign = self._registry.match_before(self._plain, numeral.start)
        if sign is not None and sign.start >= floor:
            kept = (self._plain[sign.start : numeral.start], sign.start, numeral.start)
            below, last = self._below(end, sign.unit)
            return [kept, (numeral.text, numeral.start, end), (below, end, last if below else end)], sign.unit
        link = self._behind(numeral.end)
        linked = link.close if link and "linking" in link.word.roles else numeral.end
        shape = _SYMBOL.match(self._plain, linked)
        known = shape is None or shape["word"] in self._language.no_symbols
        symbol = None if known or shape is None else self._registry.match_after(self._plain[: shape.end()], linked)
        if symbol is not None:
            written = self._plain[linked : symbol.end]
            plain = written.strip().isalpha() or len(written.strip()) == 1
            below, last = self._below(symbol.end, symbol.unit) if plain else ("", symbol.end)
            pieces = [(numeral.text, numeral.start, numeral.end), (written, linked, symbol.end)]
            return [*pieces, (below, symbol.end, last)], symbol.unit
        glued = _GLUED[self._language.blanks == "yes"].match(self._lower, end)
        if glued and self._lower[end - 1].isdecimal():  # "4K", "2LDK", "20e"
            return [(f" {NOTHING} ", numeral.start, glued.end())], ""
        return [(numeral.text, numeral.start, end)], ""

    def _alone(self, numeral: Numeral) -> bool:
        """Whether nothing stands beside a word that may be an article, so that it is the number."""
        before, blanks = self._lower[max(0, numeral.start - 1) : numeral.start], self._language.blanks == "yes"
        apart = not re.match(LETTER, before)
        begins = apart or before < _IDEOGRAPHS
        closers = self._scanner.closers(self._lower, numeral.end, len(self._lower))
        for closer in () if blanks or numeral.doubtful > 1 else closers:
            following = self._behind(closer.end)
            ranges = "between" in closer.word.roles and following and following.word.number
            if ranges or (begins and (closer.word.bounds or closer.word.roles - {"between"})):
                return True
        last = self._scanner.ends(self._lower, numeral.end) or numeral.end
        half = numeral.fraction and blanks  # "clase media"
        return apart and not half and not _NEXT_WORD.match(self._lower, last)

    def _below(self, end: int, unit: str) -> tuple[str, int]:
        """What a unit that ends here is divided by, in the notation, and where that ends; a noun may stand before it
        ("litres d'eau par jour").
        """
        per, noun = self._behind(end), None
        if per is None or "per" not in per.word.roles:
            noun = self._noun.match(self._lower, end)
            per = self._behind(noun.end()) if noun else None
        if per is None or "per" not in per.word.roles or (noun and per.form not in self._language.each):
            return "", end
        tail = self._behind(per.close)
        below = tail.word.unit if tail else None
        if not tail or not below or self._alike(unit, below.name):
            return "", end
        return f" per {'' if below.factor == '1' else f'{below.factor} '}{below.name}", tail.close

    def _range(self, chunk: Chunk, following: Chunk) -> None:
        """Settle whether two quantities are the ends of a range, or one per the other."""
        between = self._lower[chunk.end : following.start].strip()
        ending = self._lower[chunk.bare : following.start].strip()  # "20'den 100'e kadar"
        frames = self._language.ranges.get(between.strip("-") or between) or self._language.ranges.get(ending)
        both = bool(chunk.unit and following.unit)
        if between == "-":
            chunk.share_scale(following)
        if both and between in self._language.each:
            family = self._registry.family(following.unit) or ""
            if family != "time" and not family.startswith("currency"):  # no prices, and no time: "20 min por 5 días"
                chunk.joint, chunk.last, following.first = " per ", following.start, following.start
        if chunk.joint or not frames or (both and not self._alike(chunk.unit, following.unit)):
            return
        closers = list(self._scanner.closers(self._lower, following.end, len(self._lower)))
        for opening, closing in frames:
            opened = [token.start for token in chunk.wordings[-1:] if token.form in opening]
            closed = next((token for token in closers if token.form in closing), None)
            if (opened or not opening) and (closed or not closing):
                if opened:
                    chunk.wordings.pop()
                    chunk.first = opened[0]
                chunk.joint = " to "
                chunk.share_scale(following)
                chunk.last = following.first = following.start
                following.wordings = []
                following.last = closed.close if closed else following.end
                return

    def _alike(self, unit: str, other: str) -> bool:
        return unit == other or self._registry.family(unit) == self._registry.family(other)

    def _bounds(self, chunk: Chunk, ceiling: int) -> None:
        """Note what the wordings on both sides of a value say."""
        said = [token.word.bounds.get("before", "") for token in chunk.wordings]
        if said and said[-1]:
            chunk.bounds, chunk.first = list(filter(None, said)), chunk.wordings[0].start
        opened = chunk.wordings[-1].form if chunk.wordings else ""
        while not chunk.joint:
            closers = self._scanner.closers(self._lower, chunk.last, ceiling)
            sides = ("after", f"after {opened}")
            token = next((one for one in closers if not one.word.bounds.keys().isdisjoint(sides)), None)
            if token is None:
                break
            chunk.last = token.close
            if sides[1] in token.word.bounds:
                chunk.bounds, chunk.first = [token.word.bounds[sides[1]]], chunk.wordings[-1].start
            else:
                chunk.bounds.append(token.word.bounds["after"])
        token = self._behind(chunk.last) if chunk.bounds and chunk.bare and len(chunk.pieces) == 1 else None
        if token and token.word.unit and token.close <= ceiling and token.close == token.end:  # "3 or more rooms"
            chunk.pieces.append((f" {token.word.unit.plural}", token.start, token.end))
            chunk.last = token.end


def _times(text: str, unit: Unit) -> str:
    """How many of a unit; digits grouped, so that they are no year."""
    text = f"{int(text):,}" if text.isdecimal() else text
    value = Decimal(text.replace(",", ""))
    return text if unit.factor == "1" or (unit.small and value >= 10) else f"{value * Decimal(unit.factor):f}"
