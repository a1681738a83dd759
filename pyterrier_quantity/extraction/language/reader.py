"""The quantities of one text in any language, from its tokens: numbers with their units, ranges, and bounds."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from pyterrier_quantity.extraction.grammar import formats
from pyterrier_quantity.extraction.grammar.bound_wordings import OPPOSITE
from pyterrier_quantity.extraction.grammar.numerals import Number
from pyterrier_quantity.extraction.mention import SPANS, Mention
from pyterrier_quantity.extraction.steps.joining import make_range
from pyterrier_quantity.quantity import OF_AGE

from .dates import Date
from .numerals import Numeral
from .scanner import Token
from .text import LanguageText
from .units import Chunk, Units

_NEAR: Final = 30
_THOUSAND: Final = 1000
_OF_NAME: Final = re.compile("[a-zß-ɏ]-")
"""Text before a number that is part of a name: "COVID-19"."""
_DASHES: Final = tuple("-~〜～")
"""Text between the ends of a range without words."""
_THOUSANDS: Final = re.compile(r" {1,2}k(?![\w°/-])")
"""Thousands of a number in digits: "45 k€"."""
_FIRST_BOUNDS: Final = ("<", ">", "<=", ">=", "=", "up", "down", "~")
"""The order in which bounds count where several are worded."""


def find_quantities(text: LanguageText, mentions: list[Mention]) -> list[Mention]:
    """Add a mention for each number with its unit and bound; `text.dates` keeps the years and dates."""
    return [*mentions, *Reader(text).mentions()]


def add_dates(text: LanguageText, mentions: list[Mention]) -> list[Mention]:
    """Add the years and dates of the text."""
    return sorted([*mentions, *text.dates], key=lambda mention: mention.start)


class Reader:
    """Finds the quantities of one text and the wordings beside them."""

    def __init__(self, text: LanguageText) -> None:
        self._text, self._lower, self._tools, self._units = text, text.masked, text.tools, Units(text)

    def mentions(self) -> list[Mention]:
        """The quantities in order, with bounds and ranges settled; years and dates go to the text."""
        found, mentions, at = self._chunks(), list[Mention](), 0
        while at < len(found):
            pair = [one for one in found[at : at + 1 + found[at].joined] if not one.is_empty]
            at += 1 + found[at].joined
            for one in pair:
                self._word(one)
            alike = len({one.day is None for one in pair}) < 2
            for group in [pair] if pair and alike else [[one] for one in pair]:
                mentions += self._settled(group)
        return mentions

    def _settled(self, pair: list[Chunk]) -> list[Mention]:
        """Return the quantities of one chunk, or of two that are joined; years and dates go to the text."""
        self._text.spans.append((pair[0].first, pair[-1].last))
        if all(map(self._is_year, pair)):
            self._date(pair)
            return []
        return self._joined(*pair) if len(pair) > 1 else [one.mention for one in pair]

    def _word(self, chunk: Chunk) -> None:
        """Note the bound of a chunk's mention, and where its wordings stand."""
        mention = chunk.mention
        token = self._text.behind(chunk.last) if mention.unit in SPANS else None
        if token and token.word.name == "old":
            mention.unit += OF_AGE
            chunk.last = mention.end = token.close
        if not chunk.bounds:
            return
        mention.bound = min(chunk.bounds, key=_FIRST_BOUNDS.index)
        mention.cue_start, mention.cue_end = min(chunk.first, mention.start), mention.start
        if chunk.last > chunk.end:
            mention.after_start, mention.after_end = chunk.end, chunk.last

    def _is_year(self, chunk: Chunk) -> bool:
        if chunk.day or not chunk.is_year:
            return chunk.day is not None
        return (chunk.dated or not chunk.bounds) and formats.is_year(self._text.lower, chunk.mention.number)

    def _date(self, pair: list[Chunk]) -> None:
        """Keep a year, a date or a range of two as a date; a year without any wording is none."""
        during = pair[0].mention.number.before == "during"
        if len(pair) == 1 and not (pair[0].day or pair[0].dated or during):
            return
        values = [value for one in pair if (value := one.day.value if one.day else one.mention.low) is not None]
        if len(values) < len(pair):
            return
        mention = pair[0].mention
        mention.low, mention.high = min(values), max(values)
        word = self._text.before(mention.start, 0) if during else None
        if word or not pair[0].dated:
            alone = pair[0].day and not pair[0].day.month  # "2006年" is a date in any text
            mention.bound, mention.cue_start = "=", word.start if word else mention.start
            mention.cue_end = mention.end if alone else mention.start
        mention.set_unit("date", pair[-1].end, pair[-1].end, "date", 0.9)
        mention.number_end = pair[-1].end
        self._text.dates.append(mention)

    def _joined(self, chunk: Chunk, following: Chunk) -> list[Mention]:
        """Return the range that two quantities are the ends of; or both, if they are an old and a new value."""
        first, second = chunk.mention, following.mention
        if chunk.numeral and following.numeral and chunk.numeral.value > following.numeral.value:
            if not first.source and second.source:
                first.take_unit(second, "shared", 0.8)
            return [first, second]
        make_range(first, second)
        return [first]

    def _chunks(self) -> list[Chunk]:
        """The numbers and dates in order."""
        found: list[Chunk] = []
        tokens, at, floor = self._text.tokens, 0, 0
        while at < len(tokens):
            if tokens[at].word.number is None or tokens[at].start < floor:
                at += 1
                continue
            numeral, at = self._tools.numerals.read(self._lower, tokens, at)
            closes = found and found[-1].unit and numeral and self._closes_quantity(numeral, floor)
            chunk = self._chunk(numeral, floor) if numeral and not closes else None
            if chunk:
                found.append(chunk)
                floor = chunk.end
        if self._text.days:
            found = sorted([*found, *map(self._day, self._text.days)], key=lambda chunk: chunk.start)
        for chunk, following in pairwise(found):
            self._range(chunk, following)
        ceiling = len(self._lower)
        for chunk in reversed(found):  # a wording between two values belongs to the one after it
            if not chunk.is_empty:
                self._bounds(chunk, ceiling)
            ceiling = chunk.first
        for chunk, following in pairwise(found):
            if self._lower[chunk.end : following.first].strip() in _DASHES and not (chunk.bounds or following.wordings):
                chunk.bounds, following.bounds = following.bounds, []  # "20〜30％減"
        return found

    def _day(self, day: Date) -> Chunk:
        """A date with the bound before it; telephone numbers and the like are no quantities."""
        chunk = Chunk(day.start, day.end, Mention(Number(0, day.start, day.end), day.start) if day.year else None)
        chunk.day = day
        token = self._text.before(day.start, 0)
        token = self._text.before(token.start, 0) if token and "articles" in token.word.roles else token
        chunk.mention.number.before = token.word.name if token else ""
        chunk.wordings = [token] if token and token.word.bounds else []
        return chunk

    def _closes_quantity(self, numeral: Numeral, floor: int) -> bool:
        """Whether a number word closes the quantity that ends before it, as "altı" (six, or below) in Turkish."""
        closers = self._tools.scanner.closers(self._lower, floor, len(self._lower))
        following = self._text.behind(numeral.end)
        return any(one.end == numeral.end for one in closers) and not (following and following.word.unit)

    def _chunk(self, numeral: Numeral, floor: int) -> Chunk | None:
        """A number with its sign, its unit and the wordings before it; None for an article or a name."""
        if floor < numeral.start - 1 and _OF_NAME.match(self._lower, numeral.start - 2):
            return None
        token = self._text.before(numeral.start, floor)
        if token and token.close == numeral.start and token.word.roles & {"number", "page"}:  # "第3"
            return Chunk(numeral.start, numeral.end)
        if thousands := self._lower[numeral.end - 1].isdecimal() and _THOUSANDS.match(self._text.plain, numeral.end):
            numeral = numeral.times(_THOUSAND, thousands.end())
        start, sign, wordings = self._wordings(numeral, floor)
        numeral = numeral._replace(doubtful=0) if start < numeral.start else numeral
        chunk = self._units.read(numeral, sign, floor)
        if chunk is None or chunk.is_empty:
            return chunk
        chunk.mention.number.before = token.word.name.lower() if token else ""
        if not chunk.unit and self._is_name(chunk.mention.number):
            return Chunk(chunk.start, chunk.end)
        if not wordings and chunk.start < start:  # "environ £ 15"
            wordings = self._wordings(numeral._replace(start=chunk.start), floor)[2]
        self._sign(chunk, start)
        chunk.bounds = [numeral.bound] if numeral.bound else []
        chunk.wordings = wordings
        return chunk

    def _sign(self, chunk: Chunk, start: int) -> None:
        """Settle the sign of a number, whose minus may stand before it, or be "below zero" after it."""
        below = self._tools.below_zero.match(self._lower, chunk.end) if self._tools.below_zero else None
        if start < chunk.mention.number_start or (below and chunk.mention.low > 0):
            chunk.mention.negate(start)
        chunk.start = chunk.first = chunk.mention.start = min(start, chunk.mention.start)
        chunk.end = chunk.last = below.end() if below else chunk.end

    def _is_name(self, number: Number) -> bool:
        """Whether a bare number is that of a thing, a day or an entry: "Artikel 7", "1) ..."."""
        lower, named = self._text.lower, number.before
        labelled = named != "" and (formats.is_date_part(number, named) or formats.has_label(lower, number))
        return labelled or formats.is_mark(lower, number)

    def _wordings(self, numeral: Numeral, floor: int) -> tuple[int, Token | None, list[Token]]:
        """Where a number with its minus starts, what its unit begins with, also before wordings ("时速约350公里"), and
        the wordings before it.
        """
        wordings: list[Token] = []
        start, sign = numeral.start, None
        tail = self._text.behind(numeral.end)
        token = self._text.before(start, floor)
        while token:
            roles, signs = token.word.roles, token.word.signs
            if "minus" in roles and not wordings:
                start = token.start
            elif signs and (not wordings or (tail and signs.get(tail.form))):
                sign = token
            elif token.word.bounds or roles & {"opens", "frames"}:
                if token.form == "~" and floor and not self._lower[floor : token.start].strip():
                    break  # "20 ~ 30"
                wordings.insert(0, token)
            elif "articles" not in roles:
                break
            token = self._text.before(token.start, floor)
        return start, sign, wordings

    def _range(self, chunk: Chunk, following: Chunk) -> None:
        """Settle whether two quantities are the ends of a range."""
        if chunk.is_empty or following.is_empty:
            return
        between = self._lower[chunk.end : following.start].strip()
        bare = chunk.numeral.end if chunk.numeral else 0
        ending = self._lower[bare : following.start].strip()  # "20'den 100'e kadar"
        frames = self._tools.language.ranges.get(between.strip("-") or between) or self._tools.language.ranges.get(
            ending
        )
        both = bool(chunk.unit and following.unit)
        if between == "-":
            self._begin_range(chunk, following)
            chunk.joined = chunk.is_year and following.is_year
        if chunk.joined or not frames or (both and not self._text.alike(chunk.unit, following.unit)):
            return
        closers = list(self._tools.scanner.closers(self._lower, following.end, len(self._lower)))
        for opening, closing in frames:
            opened = bool(opening) and chunk.wordings != [] and chunk.wordings[-1].form in opening
            closed = next((token.close for token in closers if token.form in closing), 0)
            if bool(opening) == opened and bool(closing) == bool(closed):
                chunk.first = chunk.wordings.pop().start if opened else chunk.first
                chunk.joined = True
                self._begin_range(chunk, following)
                chunk.last = following.first = following.start
                following.wordings, following.last = [], closed or following.end
                return

    def _begin_range(self, chunk: Chunk, following: Chunk) -> None:
        """Let what multiplies the second number of a range count for the first, too ("2 bis 3 Millionen"), and its unit
        tell that the first is no year.
        """
        one, other = chunk.numeral, following.numeral
        if one is None or other is None or chunk.unit:
            return
        if one.scale == 1 and 0 < one.value < other.value / other.scale < _THOUSAND:
            chunk.mention.multiply(float(other.scale))
            chunk.numeral = one = one.times(other.scale, one.end)
        if following.unit:
            chunk.numeral = one._replace(plain=False)

    def _bounds(self, chunk: Chunk, ceiling: int) -> None:
        """Note what the wordings on both sides of a value say."""
        is_year = chunk.is_year
        if found := [token.word.bounds for token in chunk.wordings]:
            side = "before %" if chunk.unit.startswith("percentage") else "before year" if is_year else "before"
            chunk.dated = is_year and "before year" in found[-1]
            said = [bounds.get(side) or bounds.get("before", "") for bounds in found]
            if said[-1]:
                chunk.bounds, chunk.first = list(filter(None, said)), chunk.wordings[0].start
        framed = f"after {chunk.wordings[-1].form}" if chunk.wordings else ""
        sides = {"after", framed, "after year"} if is_year else {"after", framed}
        while not chunk.joined:
            closers = self._tools.scanner.closers(self._lower, chunk.last, ceiling)
            token = next((one for one in closers if one.word.bounds.keys() & sides), None)
            if token is None:
                break
            chunk.last, bounds = token.close, token.word.bounds
            chunk.dated |= is_year and "after year" in bounds
            if framed in bounds:
                chunk.bounds, chunk.first = [bounds[framed]], chunk.wordings[-1].start
            else:
                chunk.bounds.append(bounds["after year"] if is_year and "after year" in bounds else bounds["after"])
        self._turn(chunk)
        token = self._text.behind(chunk.last) if chunk.bounds and chunk.numeral and not chunk.unit else None
        if token and token.word.unit and token.close <= ceiling and token.close == token.end:  # "3 or more rooms"
            name = token.word.unit.name
            chunk.mention.set_unit(name, token.start, token.end, self._text.kind(name), 0.9)
            chunk.last = token.end

    def _turn(self, chunk: Chunk) -> None:
        """Turn bounds round that are negated before or after them: "nie mehr als 5 kg", "5 kilodan fazla değil"."""
        if OPPOSITE.keys().isdisjoint(chunk.bounds):
            return
        before = self._tools.negated.search(self._lower, max(0, chunk.first - _NEAR), chunk.first)
        behind = None if before else self._tools.turned.match(self._lower, chunk.last)
        if before is not None and before.group().strip():
            chunk.first = before.start()
        elif behind is not None and behind.group().strip():
            chunk.last = behind.end()
        else:
            return
        chunk.bounds = [OPPOSITE.get(bound, bound) for bound in chunk.bounds]
