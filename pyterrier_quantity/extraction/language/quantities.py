"""The quantities of one text in any language, from its tokens: numbers with their units, ranges, and bounds."""

from __future__ import annotations

import re
from bisect import bisect_left
from decimal import Decimal
from itertools import pairwise
from typing import Final

from pyterrier_quantity.english import listed
from pyterrier_quantity.extraction.grammar.bound_wordings import OPPOSITE
from pyterrier_quantity.extraction.text import clean
from pyterrier_quantity.units import UnitMatch, UnitRegistry

from .chunk import Chunk, Piece
from .dates import Dates
from .numerals import Numeral, Numerals
from .scanner import BESIDE, LETTER, Scanner, Token
from .tables import NOTHING, Language, Unit, any_of

_UNKNOWN: Final = re.compile(rf"'?{LETTER}(?:[^\n]*{LETTER})?(?:-?\d+)?")
_DIVIDING: Final = ("mass", "volume", "length", "area")
"""Of what kind a unit is whose amounts others are divided by."""
_PERSONS: Final = listed("persons that have an age")
"""Whom an article does not count: "ein Mann"."""
_FAR, _NEAR = 5, 30
_MOST_DECIMALS: Final = 2
_BLANKS: Final = " \t(-"
_OF_NAME: Final = re.compile("[a-zß-ɏ]-")
"""Text before a number that is part of a name: "COVID-19"."""
_KEPT: Final = frozenset(("", "x", "×"))
"""Text between two numbers as in English: "30 x 20 cm"."""
_MARKS: Final = ",;、"
_DASHES: Final = tuple("-~〜～")
"""Text between the ends of a range without words."""
_PARTS: Final = re.compile(r"(?<=\d)(?P<unit>[hm])(?P<part>\d\d)(?!\w)")
_PARTED: Final = {"h": ("hour", 60), "m": ("metre", 100)}
"""Units by their letters, and how many of the parts that may stand after make one."""
_FEW: Final = 5
"""More hours than these, with minutes, are a time of day."""
_PLUS: Final = re.compile(r"(?<![^\s(])\+(?=\d)")
_THOUSANDS: Final = re.compile(r" {1,2}k(?![\w°/-])")
"""Thousands of a number in digits: "45 k€"."""
_SYMBOL: Final = re.compile(
    r"\s{0,2}(?:(?P<word>[A-Za-zµμΩ]{1,4})(?![a-zA-ZÀ-ɏ])|[^\w\s.,;:!?()])[!-~µμΩ°²³‰\u20a0-\u20bf£¥¢]*"
    r"(?:(?<=\d) [A-Za-z]{1,3}(?![^\W\d_]))?"
)
"""A symbol after a number, with what may go on from it: "kWh", "g/dL", "°C"."""
_RAISED: Final = re.compile(r"(?P<code>[A-Z]{3})(?![A-Za-z])|[A-Za-zµμΩ]+(?:[/·^²³][A-Za-z0-9]|\d(?!\d))")
"""A code of money ("SEK"), and a symbol of a unit's letters that goes on ("m2"): the registry reads them."""
_GLUED: Final = {True: re.compile(rf"(?!x ?\d){LETTER}[\w-]*"), False: re.compile(r"(?!x ?\d)[a-z][a-z0-9-]*")}
"""Letters right after digits that are no unit, where words are set apart and where not: both together are a name."""
_LATIN_NAME: Final = re.compile(r"[a-z]{2} \Z|(?<![a-z])[a-z]\Z")
"""Text before the number of a name where the language has other letters."""
_NEXT_WORD: Final = re.compile(rf"[ ']?(?:{LETTER}|\d)")
_IDEOGRAPHS: Final = "㐀"


class Tools:
    """What reads the texts of one language."""

    def __init__(self, language: Language) -> None:
        self.language, self.scanner = language, Scanner(language)
        self.numerals, self.dates = Numerals(language), Dates(language)
        around, blank = language.settings, " " if language.blanks == "yes" else " ?"
        word = rf"(?:{LETTER}+ )?" if language.blanks == "yes" else ""
        self.negated = re.compile(rf"(?<!{LETTER}){any_of(around['negation'])}{blank}{word}\Z")
        if language.blanks == "no":
            self.negated = re.compile(rf"{any_of(around['negation'])}\Z")
        self.turned = re.compile(rf" ?{any_of(around['negation behind'])}")
        self.another_time = re.compile(rf" {any_of(around['another time'])}(?!{LETTER})")
        self.below_zero = re.compile(rf" {any_of(around['below zero'])}(?!{LETTER})")
        linking, apart = any_of(language.settings["linking"]), language.blanks == "yes"
        self.noun = re.compile(rf" (?:{linking} ?)?({LETTER}{{3,20}}) " if apart else "(?!)()")


class Reader:
    """Finds the quantities of one text and the wordings beside them."""

    def __init__(self, text: str, tools: Tools, registry: UnitRegistry) -> None:
        self._plain, self._lower = clean(text)
        self._tools, self._language, self._registry = tools, tools.language, registry
        self._dates = [Chunk([day]) for day in tools.dates.find(self._lower)]
        self.nouns: list[tuple[int, int]] = []  # what stands between a unit and what divides it: "5 g Zucker pro 100 g"
        for day in self._dates:
            self._lower = self._lower[: day.start] + "\0" * (day.end - day.start) + self._lower[day.end :]
        self._lower = _PLUS.sub(" ", self._lower) if "+" in self._lower else self._lower
        self._tokens = tools.scanner.scan(self._lower)
        self._starts = [token.start for token in self._tokens]
        self._begins = {token.start: token for token in self._tokens}
        self._closes = {token.close: token for token in self._tokens}

    def chunks(self) -> list[Chunk]:
        """The quantities in order, with bounds and ranges settled."""
        found: list[Chunk] = []
        at = floor = 0
        while at < len(self._tokens):
            if self._tokens[at].word.number is None or self._tokens[at].start < floor:
                at += 1
                continue
            numeral, at = self._tools.numerals.read(self._lower, self._tokens, at)
            closes = found and found[-1].unit and numeral and self._closes_quantity(numeral, floor)
            chunk = self._chunk(numeral, floor) if numeral and not closes else None
            if chunk:
                found.append(chunk)
                floor = chunk.end
        for day in self._dates:
            token = self._before(day.start, 0)
            token = self._before(token.start, 0) if token and "articles" in token.word.roles else token
            day.wordings = [token] if token and token.word.bounds else []
        found = sorted([*found, *self._dates], key=lambda chunk: chunk.start) if self._dates else found
        for chunk, following in pairwise(found):
            self._range(chunk, following)
        ceiling = len(self._lower)
        for chunk in reversed(found):  # a wording between two values belongs to the one after it
            self._bounds(chunk, ceiling)
            ceiling = chunk.first
        for chunk, following in pairwise(found):
            if self._lower[chunk.end : following.first].strip() in _DASHES and not (chunk.bounds or following.wordings):
                chunk.bounds, following.bounds = following.bounds, []  # "20〜30％減"
        return found

    def _closes_quantity(self, numeral: Numeral, floor: int) -> bool:
        """Whether a number word closes the quantity that ends before it, as "altı" (six, or below) in Turkish."""
        closers = self._tools.scanner.closers(self._lower, floor, len(self._lower))
        following = self._behind(numeral.end)
        return any(one.end == numeral.end for one in closers) and not (following and following.word.unit)

    def between(self, start: int, end: int, last: Chunk | None = None, chunk: Chunk | None = None) -> list[Piece]:
        """Text between two quantities: known words in the notation, the others as one mark; "and" between two
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
        """The token right after a place; only blanks and the like stand between."""
        if at in self._begins:
            return self._begins[at]
        beside = BESIDE.match(self._lower, at)
        return self._begins.get(beside.end()) if beside else None

    def _before(self, at: int, floor: int) -> Token | None:
        """The token right before a place, not before a floor."""
        token = self._closes.get(at)
        if token is None:
            blanks = self._lower[max(0, at - _FAR) : at]
            token = self._closes.get(at - len(blanks) + len(blanks.rstrip(_BLANKS)))
        return token if token and token.start >= floor else None

    def _chunk(self, numeral: Numeral, floor: int) -> Chunk | None:
        """A number with its sign, its unit and the wordings before it; None for an article or a name."""
        if floor < numeral.start - 1 and _OF_NAME.match(self._lower, numeral.start - 2):
            return None
        token = self._before(numeral.start, floor)
        if token and token.close == numeral.start and token.word.roles & {"number", "page"}:  # "第3"
            return Chunk([(f" {NOTHING} ", numeral.start, numeral.end)])
        if thousands := self._lower[numeral.end - 1].isdecimal() and _THOUSANDS.match(self._plain, numeral.end):
            numeral = numeral._replace(text=f"{numeral.value * 1000:f}", end=thousands.end())
        start, sign, wordings = self._wordings(numeral, floor)
        if start < numeral.start:
            numeral = numeral._replace(text=f"-{numeral.text}", doubtful=0)
        chunk = self._with_parts(numeral) or self._with_unit(numeral, sign)
        if not chunk and (not numeral.doubtful or self._alone(numeral)):
            chunk = self._with_symbols(numeral, floor)
        if chunk is None:
            return None
        if not wordings and chunk.start < start:  # "environ £ 15"
            wordings = self._wordings(numeral._replace(start=chunk.start), floor)[2]
        text, begin, end = chunk.pieces[0]
        chunk.pieces[0] = (text, min(start, begin), end)
        chunk.start = chunk.first = min(start, begin)
        below = self._tools.below_zero.match(self._lower, chunk.end)
        if below and not numeral.text.startswith("-"):
            text, begin, end = chunk.pieces[chunk.number]
            chunk.pieces[chunk.number] = (f"-{text}", begin, end)
            chunk.end = chunk.last = below.end()
        chunk.bounds = [numeral.bound] if numeral.bound else []
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
            elif token.word.bounds or roles & {"opens", "frames"}:
                wordings.insert(0, token)
            elif "articles" not in roles:
                break
            token = self._before(token.start, floor)
        return start, sign, wordings

    def _with_parts(self, numeral: Numeral) -> Chunk | None:
        """Hours with minutes, or metres with centimetres, in one word: "1h30", "1m80"; "8h30" is a time of day."""
        parts = _PARTS.match(self._plain, numeral.end) if numeral.text.isdecimal() else None
        if parts is None:
            return None
        if numeral.value > _FEW:
            return Chunk([(f" {NOTHING} ", numeral.start, parts.end())])
        unit, of = _PARTED[parts["unit"]]
        value = numeral.value + Decimal(parts["part"]) / of
        pieces = [(f"{value:f}", numeral.start, numeral.end), (f" {unit}s", numeral.end, parts.end())]
        return Chunk(pieces, UnitMatch(unit, 0, 0), numeral)

    def _with_unit(self, numeral: Numeral, sign: Token | None) -> Chunk | None:
        """A number with the unit that a table has for what stands before it or after it."""
        end = numeral.end
        tail = self._behind(end)
        tail = self._behind(tail.close) if tail and "linking" in tail.word.roles and not tail.word.unit else tail
        around = sign.word.signs.get(tail.form) if sign and tail else None
        unit = around or (tail.word.unit if tail else None)
        if tail and unit and self._counts(numeral, tail, unit):
            below, last = self._below(tail.close, unit.name)
            text = numeral.text
            if not below:
                text, last = self._with_decimals(numeral, unit.name, last)
                below, last = self._below(last, unit.name)  # "un litre et demi d'eau par jour"
            named = unit.name if numeral.text in ("1", "-1") else unit.plural
            begin = sign.start if around and sign else numeral.start
            pieces = [(_times(text, unit), begin, end), (f" {named}", tail.start, last), (below, tail.start, last)]
            return Chunk(pieces, UnitMatch(unit.name, 0, 0), numeral)
        before = sign.word.signs.get("") if sign else None
        if before is None or sign is None:
            return None
        below, last = self._below(end, before.name)
        last = last if below else self._tools.scanner.ends(self._lower, end) or end
        texts = _times(numeral.text, before), f" {before.name}", below
        return Chunk([(text, sign.start, last) for text in texts], UnitMatch(before.name, 0, 0), numeral)

    def _counts(self, numeral: Numeral, tail: Token, unit: Unit) -> bool:
        """Whether a number counts what the form after it names."""
        article = self._language.blanks == "yes" and numeral.doubtful and numeral.text == "1"
        syllables = numeral.doubtful > 1 and tail.start == numeral.end and len(tail.form) == 1  # "사원"
        raised = _RAISED.match(self._plain, tail.start)
        longer = raised is not None and (raised["code"] or raised.end() > tail.end)
        return not (longer or syllables or (article and unit.name in _PERSONS))

    def _with_decimals(self, numeral: Numeral, unit: str, at: int) -> tuple[str, int]:
        """A number with the decimals that stand after its unit, as "et demi" and the 5 of "八米五"; and their end."""
        token, blanks = self._behind(at), self._language.blanks
        joined = token is not None and blanks == "yes" and "and" in token.word.roles
        apart = token is not None and blanks == "no" and token.start > at
        whole = numeral.text.strip("-").replace(",", "").isdecimal()
        if token is None or apart or not whole or not (joined or token.word.number):
            return numeral.text, at
        first = self._behind(token.close) if joined else token
        place = bisect_left(self._starts, first.start) if first else 0
        part, _ = self._tools.numerals.read(self._lower, self._tokens, place) if first else (None, 0)
        following = self._begins.get(part.end) or (blanks == "yes" and self._behind(part.end)) if part else None
        if part is None or (following and (following.word.unit or following.word.number)) or self._symbol(part.end):
            return numeral.text, at
        if part.fraction and part.value < 1 and (joined or blanks != "yes"):
            return f"{numeral.value + part.value:f}", self._tools.scanner.ends(self._lower, part.end) or part.end
        return self._decimals(numeral, unit, part) or (numeral.text, at)

    def _decimals(self, numeral: Numeral, unit: str, part: Numeral) -> tuple[str, int] | None:
        """A number with the digits or minutes after its unit: "ein Meter achtzig", "3 h 45", "八米五"."""
        family, size = self._registry.family(unit) or "", len(part.text)
        if not part.text.isdecimal() or size > _MOST_DECIMALS or self._language.blanks == "before":
            return None
        if self._language.blanks == "no":
            words = not self._lower[part.start].isdecimal()
            return None if words and family in ("", "time") else (f"{numeral.text}.{part.text}", part.end)
        if size == 1 or not (unit in ("metre", "hour") or family.startswith("currency")):
            return None
        minutes = unit == "hour"
        return f"{numeral.value + part.value / 60:f}" if minutes else f"{numeral.text}.{part.text}", part.end

    def _with_symbols(self, numeral: Numeral, floor: int) -> Chunk:
        """A number with the symbols next to it, which are the same in all languages, and the unit after it."""
        start, end = numeral.start, self._tools.scanner.ends(self._lower, numeral.end) or numeral.end
        sign = self._registry.match_before(self._plain, start)
        if sign is not None and sign.start >= floor:
            kept = (self._plain[sign.start : start], sign.start, start)
            below, last = self._below(end, sign.unit)
            pieces = [kept, (numeral.text, start, end), (below, end, last if below else end)]
            return Chunk(pieces, sign, numeral, number=1)
        link = self._behind(numeral.end)
        linked = link.close if link and "linking" in link.word.roles else numeral.end
        symbol = self._symbol(linked)
        if symbol is not None:
            text, last = self._with_decimals(numeral, symbol.unit, symbol.end)
            below, last = self._below(last, symbol.unit)
            written = (self._plain[linked : symbol.end], linked, symbol.end)
            pieces = [(text, start, numeral.end), written, (below, symbol.end, last)]
            return Chunk(pieces, symbol, numeral)
        glued = _GLUED[self._language.blanks == "yes"].match(self._lower, end)
        if glued and self._lower[end - 1].isdecimal():  # "4K", "2LDK", "20e"
            return Chunk([(f" {NOTHING} ", start, glued.end())])
        named = self._language.blanks != "yes" and _LATIN_NAME.search(self._lower, start - 3, start)
        if named and "-" not in self._lower[end : end + 2]:  # "iPhone 15", "A4纸"
            return Chunk([(f" {NOTHING} ", start, end)])
        return Chunk([(numeral.text, start, end)], None, numeral)

    def _symbol(self, at: int) -> UnitMatch | None:
        """The unit whose symbol stands at a place."""
        shape = _SYMBOL.match(self._plain, at)
        if shape is None or shape["word"] in self._language.no_symbols:
            return None
        return self._registry.match_after(self._plain[: shape.end()], at)

    def _alone(self, numeral: Numeral) -> bool:
        """Whether nothing stands beside a word that may be an article, so that it is the number."""
        before, blanks = self._lower[max(0, numeral.start - 1) : numeral.start], self._language.blanks == "yes"
        apart = not re.match(LETTER, before)
        begins = apart or before < _IDEOGRAPHS
        closers = self._tools.scanner.closers(self._lower, numeral.end, len(self._lower))
        for closer in () if blanks or numeral.doubtful > 1 else closers:
            following = self._behind(closer.end)
            ranges = "between" in closer.word.roles and following and following.word.number
            if ranges or (begins and (closer.word.bounds or closer.word.roles - {"between"})):
                return True
        last = self._tools.scanner.ends(self._lower, numeral.end) or numeral.end
        half = numeral.fraction and blanks  # "clase media"
        return apart and not half and not _NEXT_WORD.match(self._lower, last)

    def _below(self, end: int, unit: str) -> tuple[str, int]:
        """What a unit that ends here is divided by, in the notation, and where that ends; a noun may stand before it
        ("litres d'eau par jour").
        """
        per, noun = self._behind(end), None
        if per is None or "per" not in per.word.roles:
            noun = self._tools.noun.match(self._lower, end)
            per = self._behind(noun.end()) if noun else None
        if per is None or "per" not in per.word.roles or (noun and per.form not in self._language.each):
            return "", end
        self.nouns += [noun.span(1)] if noun else []
        tail = self._behind(per.close)
        if tail and tail.word.number and (per.form == "/" or per.form in self._language.each):
            return self._per_several(bisect_left(self._starts, tail.start)) or ("", end)
        below = tail.word.unit if tail else None
        if not tail or not below or self._alike(unit, below.name):
            return "", end
        if self._tools.another_time.match(self._lower, tail.close):
            return "", end  # "300 euros l'année dernière"
        return f" per {'' if below.factor == '1' else f'{below.factor} '}{below.name}", tail.close

    def _per_several(self, place: int) -> tuple[str, int] | None:
        """So many of a unit that another is divided by: "6,5 l/100 km"; no "12 V / 5 A", no "20 min por 5 días"."""
        several, _ = self._tools.numerals.read(self._lower, self._tokens, place)
        if several is None:
            return None
        tail = self._behind(several.end)
        if tail and tail.word.unit:
            unit, end = tail.word.unit.name, tail.close
        elif symbol := self._symbol(several.end):
            unit, end = symbol.unit, symbol.end
        else:
            return None
        return (
            (f" per {several.text.replace(',', '')} {unit}", end) if self._registry.family(unit) in _DIVIDING else None
        )

    def _range(self, chunk: Chunk, following: Chunk) -> None:
        """Settle whether two quantities are the ends of a range."""
        between = self._lower[chunk.end : following.start].strip()
        bare = chunk.numeral.end if chunk.numeral else 0
        ending = self._lower[bare : following.start].strip()  # "20'den 100'e kadar"
        frames = self._language.ranges.get(between.strip("-") or between) or self._language.ranges.get(ending)
        both = bool(chunk.unit and following.unit)
        if between == "-":
            chunk.begin_range(following)
        if chunk.joint or not frames or (both and not self._alike(chunk.unit, following.unit)):
            return
        closers = list(self._tools.scanner.closers(self._lower, following.end, len(self._lower)))
        for opening, closing in frames:
            opened = bool(opening) and chunk.wordings != [] and chunk.wordings[-1].form in opening
            closed = next((token.close for token in closers if token.form in closing), 0)
            if bool(opening) == opened and bool(closing) == bool(closed):
                chunk.first = chunk.wordings.pop().start if opened else chunk.first
                fell = chunk.numeral and following.numeral and chunk.numeral.value > following.numeral.value
                chunk.joint = " and " if fell else " to "  # an old and a new value
                chunk.begin_range(following)
                chunk.last = following.first = following.start
                following.wordings, following.last = [], closed or following.end
                return

    def _alike(self, unit: str, other: str) -> bool:
        return unit == other or self._registry.family(unit) == self._registry.family(other)

    def _bounds(self, chunk: Chunk, ceiling: int) -> None:
        """Note what the wordings on both sides of a value say."""
        is_year = chunk.is_year
        side = "before %" if chunk.unit.startswith("percentage") else "before year" if is_year else "before"
        found = [token.word.bounds for token in chunk.wordings]
        chunk.dated = bool(is_year and found and "before year" in found[-1])
        said = [bounds.get(side) or bounds.get("before", "") for bounds in found]
        if said and said[-1]:
            chunk.bounds, chunk.first = list(filter(None, said)), chunk.wordings[0].start
        opened = chunk.wordings[-1].form if chunk.wordings else ""
        while not chunk.joint:
            closers = self._tools.scanner.closers(self._lower, chunk.last, ceiling)
            framed = f"after {opened}"
            sides = {"after", framed, "after year"} if is_year else {"after", framed}
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
        token = self._behind(chunk.last) if chunk.bounds and chunk.numeral and len(chunk.pieces) == 1 else None
        if token and token.word.unit and token.close <= ceiling and token.close == token.end:  # "3 or more rooms"
            chunk.pieces.append((f" {token.word.unit.plural}", token.start, token.end))
            chunk.found, chunk.last = UnitMatch(token.word.unit.name, 0, 0), token.end

    def _turn(self, chunk: Chunk) -> None:
        """Turn bounds round that are negated before or after them: "nie mehr als 5 kg", "5 kilodan fazla değil"."""
        if not any(bound in OPPOSITE for bound in chunk.bounds):
            return
        before = self._tools.negated.search(self._lower, chunk.first - _NEAR, chunk.first)
        behind = None if before else self._tools.turned.match(self._lower, chunk.last)
        if before is not None and before.group().strip():
            chunk.first = before.start()
        elif behind is not None and behind.group().strip():
            chunk.last = behind.end()
        else:
            return
        chunk.bounds = [OPPOSITE.get(bound, bound) for bound in chunk.bounds]


def _times(text: str, unit: Unit) -> str:
    """How many of a unit; digits grouped, so that they are no year."""
    if " to " in text:
        return " to ".join(_times(end, unit) for end in text.split(" to "))
    text = f"{int(text):,}" if text.isdecimal() else text
    if unit.factor == "1":
        return text
    value = Decimal(text.replace(",", ""))
    return text if unit.small and value >= 10 else f"{value * Decimal(unit.factor):f}"
