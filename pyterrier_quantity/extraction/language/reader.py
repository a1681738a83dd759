"""Find the quantities in texts of any language, with units, ranges and bounds, from the tokens of a text."""

import re
from typing import Final

from pyterrier_quantity.extraction.grammar import formats
from pyterrier_quantity.extraction.grammar.bound_wordings import OPPOSITE
from pyterrier_quantity.extraction.grammar.number_words import Numeral
from pyterrier_quantity.extraction.grammar.numerals import Number, go_on
from pyterrier_quantity.extraction.grammar.tokens import Token
from pyterrier_quantity.extraction.mention import SPANS, Mention
from pyterrier_quantity.extraction.steps.joining import make_range
from pyterrier_quantity.quantity import OF_AGE

from .dates import Date
from .text import LanguageText
from .units import PERSONS, Chunk, UnitReader

_OF_NAME: Final = re.compile("[a-zß-ɏ]-")  # "COVID-19"
_THOUSANDS: Final = re.compile(r" {1,2}k(?![\w°/-])")  # "45 k€"
_SIGNED: Final = (None, "temperature", "angle", "ratio")  # families of units whose values may be negative
_TOLERANCE: Final = re.compile(r" ?(?:±|\+/?-) ?")
_FIRST_BOUNDS: Final = ("<", ">", "<=", ">=", "=", "up", "down", "~")  # of several, the first in this list counts


def find_quantities(text: LanguageText, mentions: list[Mention]) -> list[Mention]:
    """Return the given mentions, and a mention for each quantity in the text. Add years and dates to `text.dates`."""
    return [*mentions, *Reader(text).mentions()]


def add_dates(text: LanguageText, mentions: list[Mention]) -> list[Mention]:
    """Merge the given mentions and the dates in `text.dates` into one list, ordered by position."""
    return sorted([*mentions, *text.dates], key=lambda mention: mention.start)


class Reader(UnitReader):
    """Find the quantities in a text, with bounds: "mehr als 5 kg" -> more than 5 kilogram."""

    def mentions(self) -> list[Mention]:
        """Return one mention for each quantity, in text order. Add years and dates to `text.dates`."""
        found, ceiling = self._chunks(), len(self._lower)
        for chunk in reversed(found):  # a phrase between two values belongs to the second
            if not chunk.is_empty:
                self._bounds(chunk, ceiling)
            ceiling = chunk.first
        kept = [chunk for chunk in found if not chunk.is_empty and not self._is_date(chunk)]
        return [chunk.mention for chunk in kept]

    def _is_date(self, chunk: Chunk) -> bool:
        """Return whether a possible quantity is really a year or a date. If nearby words confirm the date ("seit 2006",
        since 2006), add it to `text.dates`."""
        mention, day, pair = chunk.mention, chunk.day, chunk.pair
        bare = chunk.is_year and (chunk.dated or pair is not None or not chunk.bounds)
        numbers = [one.mention.number for one in (chunk, pair) if one and not one.day]
        if not (bare and all(formats.is_year(self._text.lower, number) for number in numbers)):
            return chunk.day is not None
        word = self._text.before(mention.start, 0) if mention.number.before == "during" else None
        if day or word or chunk.dated or pair:
            if word or not chunk.dated:
                alone = day and day.is_year  # "2006年" is a date in any text
                mention.bound, mention.cue_start = "=", word.start if word else chunk.first
                mention.cue_end = mention.end if alone else mention.start
            mention.set_unit("date", mention.end, mention.end, "date", 0.9)
            self._text.dates.append(mention)
        return True

    def _chunks(self) -> list[Chunk]:
        """Return all possible quantities in text order, including ranges and dates: "5 kg", "3 bis 4 m"."""
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
                self._divide(chunk, found[-1] if found else None, floor)
                found.append(chunk)
                floor = chunk.mention.end
        if self._text.days:
            found = sorted([*found, *map(self._day, self._text.days)], key=lambda chunk: chunk.mention.start)
        joined = found[:1]
        for chunk in found[1:]:
            if not self._range(joined[-1], chunk):
                joined.append(chunk)
        for chunk in joined:
            chunk.is_empty |= chunk.numeral is not None and not chunk.unit and self._is_name(chunk.mention.number)
        return joined

    def _divide(self, chunk: Chunk, first: Chunk | None, floor: int) -> None:
        """Add the denominator before a number to the unit of a possible quantity (`chunk`): "1キロ当たり300円" (300 yen
        per kilo). The denominator is the previous possible quantity (`first`), or a word after offset `floor`."""
        at = chunk.wordings[0].start if chunk.wordings else chunk.mention.start
        each = self._text.before(at, floor)
        if each is None or not chunk.unit or " per " in chunk.unit:
            return
        if first and "apiece" in each.word.roles and self._text.after(first.mention.end) is each:
            below = first.unit if first.mention.low == 1 else f"{first.mention.low:g} {first.unit}"
            first.is_empty = self._divides(first.unit)
            chunk.mention.unit += f" per {below}" if first.is_empty else ""
        else:
            chunk.mention.unit += self._below_before(each, floor, chunk.unit)

    def _day(self, day: Date) -> Chunk:
        """Return a `Chunk` with a date and the bound before it, or an empty `Chunk` for other digits (a clock time)."""
        chunk = Chunk(day.start, day.end, day=day if day.value else None)
        token = self._text.before(day.start, 0)
        token = self._text.before(token.start, 0) if token and "articles" in token.word.roles else token
        chunk.mention.low = chunk.mention.high = day.value or 0
        chunk.mention.number.before = token.word.name if token else ""
        chunk.wordings = [token] if token and (token.word.bounds or "opens" in token.word.roles) else []
        return chunk

    def _closes_quantity(self, numeral: Numeral, floor: int) -> bool:
        """Return whether a number word after a quantity is a bound: Turkish "altı" (six, or below) in "5 kg altı". The
        quantity ends at offset `floor`."""
        closers = self._tools.scanner.closers(self._lower, floor, len(self._lower))
        following = self._text.after(numeral.end)
        return any(one.end == numeral.end for one in closers) and not (following and following.word.unit)

    def _chunk(self, numeral: Numeral, floor: int) -> Chunk | None:
        """Return a possible quantity: a number, its sign and unit, and the phrase before it ("mehr als 5 kg"). Return
        None for an article, such as German "ein", or a part of a name. The previous quantity ends at offset `floor`."""
        if floor < numeral.start - 1 and _OF_NAME.match(self._lower, numeral.start - 2):
            return None
        token = self._text.before(numeral.start, floor)
        if token and token.close == numeral.start and token.word.roles & {"number", "page"}:  # "第3"
            return Chunk(numeral.start, numeral.end)
        if thousands := self._lower[numeral.end - 1].isdecimal() and _THOUSANDS.match(self._text.plain, numeral.end):
            numeral = numeral.plus(numeral.value * 999)._replace(end=thousands.end())
        if self._lower[numeral.end : numeral.end + 1] == ")":
            numeral = self._closed(numeral, floor)
        start, sign, wordings = self._wordings(numeral, floor)
        numeral = numeral._replace(doubtful=0) if start < numeral.start else numeral
        chunk = self._with_unit_beside(numeral, sign, floor)
        if chunk is None or chunk.is_empty:
            return chunk
        chunk.mention.number.before = token.word.name.lower() if token else ""
        if not wordings and chunk.mention.start < start:  # "environ £ 15"
            wordings = self._wordings(numeral._replace(start=chunk.mention.start), floor)[2]
        minus = self._begins.get(start) if start < numeral.start else None
        if minus and minus.word.bounds and self._registry.family(chunk.unit) not in _SIGNED:
            start, wordings = numeral.start, [minus]  # "min 5 kg" is a minimum, "min 5 °C" is below zero
        self._sign(chunk.mention, start)
        chunk.bounds = [numeral.bound] if numeral.bound else []
        chunk.wordings = wordings
        return chunk

    def _closed(self, numeral: Numeral, floor: int) -> Numeral:
        """Return a number multiplied by the power of ten after a closing bracket: "(6,02 ± 0,01) × 10^23". Extend the
        span of a tolerance to include the bracket: "(25 ± 2) °C". The previous quantity ends at `floor`."""
        number = Number(float(numeral.value), numeral.start, numeral.end)
        if go_on(self._lower, number):
            return numeral.scaled(number.power)._replace(end=number.end)
        is_tolerance = _TOLERANCE.fullmatch(self._lower, floor, numeral.start)
        return numeral._replace(end=numeral.end + 1) if is_tolerance else numeral

    def _sign(self, mention: Mention, start: int) -> None:
        """Make a number negative if a minus is at offset `start`, or if "below zero" follows it. Set its span."""
        below = self._tools.below_zero.match(self._lower, mention.end) if self._tools.below_zero else None
        if start < mention.number_start or (below and mention.low > 0):
            mention.negate(start)
        mention.end = below.end() if below else mention.end
        mention.start = mention.cue_start = mention.cue_end = min(start, mention.start)
        mention.after_start = mention.after_end = mention.end

    def _is_name(self, number: Number) -> bool:
        """Return whether a number without a unit belongs to a name ("Artikel 7") or a date, or labels a list entry."""
        lower, named = self._text.lower, number.before
        labelled = named != "" and (formats.is_date_part(number, named) or formats.has_label(lower, number))
        return labelled or formats.is_mark(lower, number)

    def _wordings(self, numeral: Numeral, floor: int) -> tuple[int, Token | None, list[Token]]:
        """Find the minus sign, unit and bound between offset `floor` and a number. The unit may come first
        ("时速约350公里": about 350 km/h).

        Returns:
            the start of the number or its minus sign, the token of the unit or None, and the tokens of the bound.
        """
        wordings: list[Token] = []
        start, sign = numeral.start, None
        tail = self._text.after(numeral.end)
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

    def _range(self, chunk: Chunk, following: Chunk) -> bool:
        """Return whether two possible quantities form a range. If so, store the range in `chunk`."""
        first, second = chunk.mention, following.mention
        dates = chunk.is_year and following.is_year
        if chunk.is_empty or following.is_empty or ((chunk.day or following.day) and not dates):
            return False
        other = following.unit if " per " in chunk.unit else following.unit.partition(" per ")[0]
        if chunk.unit and other and not self._text.alike(chunk.unit, other):
            return False  # but "25 € à 30 € par personne" are alike
        plus = self._text.before(second.number_start, first.end) if first.high < 0 else None
        stop = plus.start if plus and "plus" in plus.word.roles else second.start  # "minus 10 bis plus 5 Grad"
        between = self._lower[first.end : stop].strip()
        if between == "-" and first.high < second.low:
            self._join(chunk, following)
            return True
        ranges, bare = self._tools.language.ranges, first.number.end if chunk.numeral else first.end
        frames = ranges.get(between.strip("-") or between) or ranges.get(self._lower[bare : second.start].strip())
        if frames is None:  # the second look is for "20'den 100'e kadar"
            return False
        closers = list(self._tools.scanner.closers(self._lower, second.end, len(self._lower)))
        for opening, closing in frames:
            opener = next((token for token in chunk.wordings if token.form in opening), None)
            closed = next((token.close for token in closers if token.form in closing), 0)
            if bool(opening) == (opener is not None) and bool(closing) == bool(closed):
                if opener:  # "zwischen" in "zwischen etwa 5 und 7 kg" (between about 5 and 7 kg)
                    first.cue_start = opener.start
                    chunk.wordings.remove(opener)
                following.wordings = []
                if first.high > max(0, second.high):  # an old and a new value
                    if not first.source and second.source:
                        first.take_unit(second, "shared", 0.8)
                    second.after_end = closed or second.after_end
                    return False
                self._join(chunk, following)
                first.after_end = closed or first.end
                return True
        return False

    def _join(self, chunk: Chunk, following: Chunk) -> None:
        make_range(chunk.mention, following.mention)
        chunk.pair = following

    def _bounds(self, chunk: Chunk, ceiling: int) -> None:
        """Set the bound of a possible quantity from the phrases next to it: "5 kg oder mehr" (or more). A phrase must
        end at or before offset `ceiling`."""
        is_year, mention = chunk.is_year, chunk.mention
        if found := [token.word.bounds for token in chunk.wordings]:
            side = "before %" if chunk.unit.startswith("percentage") else "before year" if is_year else "before"
            chunk.dated = is_year and "before year" in found[-1]
            said = [bounds.get(side) or bounds.get("before", "") for bounds in found]
            if said[-1]:
                chunk.bounds, mention.cue_start = list(filter(None, said)), chunk.wordings[0].start
        framed = f"after {chunk.wordings[-1].form}" if chunk.wordings else ""
        sides = {"after", framed, "after year"} if is_year else {"after", framed}
        while True:
            closers = self._tools.scanner.closers(self._lower, chunk.last, ceiling)
            token = next((one for one in closers if one.word.bounds.keys() & sides), None)
            if token is None:
                break
            mention.after_end, bounds = token.close, token.word.bounds
            chunk.dated |= is_year and "after year" in bounds
            if framed in bounds:
                chunk.bounds, mention.cue_start = [bounds[framed]], chunk.wordings[-1].start
            else:
                chunk.bounds.append(bounds["after year"] if is_year and "after year" in bounds else bounds["after"])
        if self._lower[mention.end : mention.end + 2] in ("+", "+ "):  # "5+ Sterne"
            chunk.bounds.append(">=")
        self._turn(chunk)
        self._finish_unit(chunk, ceiling)
        mention.cue_end = mention.start
        mention.after_start = min(mention.end, mention.after_end)
        if chunk.bounds:
            mention.bound = min(chunk.bounds, key=_FIRST_BOUNDS.index)

    def _finish_unit(self, chunk: Chunk, ceiling: int) -> None:
        """Complete the unit of a possible quantity. A time may become an age ("homme de 45 ans", a man of 45), and the
        unit may follow a bound ("5 oder mehr kg", 5 or more kg). The unit must end at or before offset `ceiling`."""
        mention = chunk.mention
        token = self._text.after(chunk.last) if chunk.bounds or mention.unit in SPANS else None
        if mention.unit in SPANS:
            if token and token.word.name == "old":
                mention.unit, mention.end = mention.unit + OF_AGE, token.close
            elif self._is_of_person(chunk.first):
                mention.unit += OF_AGE
        elif token and token.word.unit and not chunk.unit and chunk.numeral and token.end == token.close <= ceiling:
            name = token.word.unit.name
            mention.set_unit(name, token.start, token.end, self._text.kind(name), 0.9)

    def _is_of_person(self, at: int) -> bool:
        """Return whether a noun for a person precedes the number or bound at `at`: true in "homme de 45 ans" (man)."""
        around = (self._begins.get(at), self._text.before(at, 0))
        of = next((token for token in around if token and "linking" in token.word.roles), None)
        person = self._text.before(of.start, 0) if of else None
        return person is not None and person.word.unit is not None and person.word.unit.name in PERSONS

    def _turn(self, chunk: Chunk) -> None:
        """Reverse the bounds of a possible quantity if they are negated: "nie mehr als 5" (never more than) -> <= 5."""
        if OPPOSITE.keys().isdisjoint(chunk.bounds):
            return
        mention = chunk.mention
        negation = self._text.negation(chunk.first, chunk.last)
        if negation is None:
            return
        if negation[1] <= chunk.first:
            mention.cue_start = negation[0]
        else:
            mention.after_end = negation[1]
        chunk.bounds = [OPPOSITE.get(bound, bound) for bound in chunk.bounds]
