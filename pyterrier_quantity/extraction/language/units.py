"""Find the unit of each number in any language, with the denominator: "5 Euro pro Kilo" (5 euros per kilo)."""

import re
from bisect import bisect_left
from decimal import Decimal
from typing import Final

from pyterrier_quantity.english import listed
from pyterrier_quantity.extraction.grammar import formats
from pyterrier_quantity.extraction.grammar.number_words import Numeral
from pyterrier_quantity.extraction.grammar.numerals import Number, shifted
from pyterrier_quantity.extraction.grammar.tokens import Token, Unit
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.steps.measured import glued_part
from pyterrier_quantity.units import UnitMatch

from .dates import Date
from .scanner import LETTER
from .text import LanguageText

_DIVIDING: Final = ("mass", "volume", "length", "area")  # families that can have a number: "6,5 l/100 km"
_DIVIDING_BEFORE: Final = (*_DIVIDING, "time", "energy")  # "pro Kilometer 30 Cent" (30 cents per kilometre)
PERSONS: Final = listed("persons that have an age")
"""Nouns for persons. Before such a noun, a word that means one is an article: "ein Mann" (a man)."""
_MOST_DECIMALS: Final = 2
_MOST_NAMES: Final = 10
_FEW: Final = 5  # maximum hours in a duration such as "3h30"; a larger number is a time of day: "8h30"
# A currency code ("SEK"), or a symbol with more characters after its letters ("m2"), for a look-up in the registry.
_RAISED: Final = re.compile(r"(?P<code>[A-Z]{3})(?![A-Za-z])|[A-Za-zµμΩ]+(?:[/·^²³]{1,2}[A-Za-z0-9]|\d(?!\d))")
# Letters that form a name with the digits before them ("4K"). The key says whether spaces separate words.
_GLUED: Final = {True: re.compile(rf"(?!x ?\d){LETTER}[\w-]*"), False: re.compile(r"(?!x ?\d)[a-z][a-z0-9-]*")}
_LATIN_NAME: Final = re.compile(r"[a-z]{2} \Z|(?<![a-z])[a-z]\Z")  # "iPhone 15", in a language with other letters
_NEXT_WORD: Final = re.compile(rf"[ ']?(?:{LETTER}|\d)")
_IDEOGRAPHS: Final = "㐀"
_MARKS: Final = frozenset(":/.°;'(x-")  # characters after digits in a clock time ("8:30"), a date or a code
_LONG: Final = 9
_WORD: Final = re.compile(r"[a-z](?!\d)")
_YEAR: Final = re.compile(r"1[5-9]\d\d|20\d\d")


class Chunk:
    """A possible quantity: a number with its unit, a range, a date, or digits that are not a quantity (an empty chunk).

    numeral: the number, or None for a date.
    day: the date, or None for a number.
    pair: the other end of a range, or None for a single value.
    is_empty: whether the chunk consists of digits that are not a quantity or date, such as a clock time.
    wordings: the tokens before the chunk that may state a bound.
    bounds: the bounds that phrases before and after the chunk state.
    dated: whether a word that states a bound only for years, such as "since", is next to the chunk.
    """

    __slots__ = ("bounds", "dated", "day", "is_empty", "mention", "numeral", "pair", "wordings")

    def __init__(self, start: int, end: int, numeral: Numeral | None = None, day: Date | None = None) -> None:
        self.mention = Mention(Number(0, start, end, "digits", numeral is not None and numeral.plain), start)
        self.numeral, self.day, self.is_empty = numeral, day, not (numeral or day)
        self.bounds: list[str] = []
        self.wordings: list[Token] = []
        self.dated = False
        self.pair: Chunk | None = None

    @property
    def unit(self) -> str:
        return self.mention.unit if self.mention.source else ""

    @property
    def first(self) -> int:
        """The start offset of the number, or of a phrase before it that states a bound: 0 for "über 5 kg" (over)."""
        return min(self.mention.start, self.mention.cue_start)

    @property
    def last(self) -> int:
        """The end offset of the unit, or of a phrase after it that states a bound: "oder mehr" (or more)."""
        return max(self.mention.end, self.mention.after_end)

    @property
    def is_year(self) -> bool:
        """Whether the chunk may be a year, a date, or a range of years or dates."""
        written = self.numeral.text if self.numeral and self.numeral.plain and not self.unit else ""
        years = self.day is not None or _YEAR.fullmatch(written) is not None
        return years and (self.pair is None or self.pair.is_year)


class UnitReader:
    """Find the unit before or after each number of a text: "fünf Kilo", "€ 5". The result is a `Chunk`, a possible
    quantity. In all methods, `numeral` is the number, and `floor` is the end offset of the previous quantity."""

    def __init__(self, text: LanguageText) -> None:
        self._text, self._plain, self._lower, self._registry = text, text.plain, text.masked, text.registry
        self._tools, self._language = text.tools, text.tools.language
        self._tokens, self._begins = text.tokens, text.begins

    def _with_unit_beside(self, numeral: Numeral, sign: Token | None, floor: int) -> Chunk | None:
        """Return the possible quantity formed by a number and any unit next to it, or None for an article (German
        "ein", meaning "a"). `sign` is a token before the number that may mean a unit ("€"), or None."""
        glued = glued_part(self._registry, self._plain, numeral.end) if numeral.plain else None
        if glued is not None:  # "1m80"
            part, unit = glued
            return self._measured(numeral.plus(Decimal(str(part))), unit, "", unit.end)
        chunk = self._no_quantity(numeral) or self._with_sign(numeral, floor) or self._of_one(numeral, floor)
        chunk = chunk or self._with_unit(numeral, sign) or self._with_symbol(numeral)
        return chunk or (self._bare(numeral) if not numeral.doubtful or self._alone(numeral) else None)

    def _of_one(self, numeral: Numeral, floor: int) -> Chunk | None:
        """Return the possible quantity stated by a unit and a fraction without another number, or None: "kilo y medio"
        -> 1.5 kilogram. The unit must begin at or after offset `floor`."""
        joint = self._text.before(numeral.start, floor) if numeral.fraction else None
        head = self._text.before(joint.start, floor) if joint and "and" in joint.word.roles else None
        if head is None or head.word.unit is None or head.word.number:
            return None
        return self._after_unit(numeral.plus(Decimal(1)), self._of_table(head.word.unit, numeral, head))

    def _no_quantity(self, numeral: Numeral) -> Chunk | None:
        """Return an empty chunk for digits that are not a quantity (a clock time, date or code: "2:00"), or None."""
        marked = self._lower[numeral.end : numeral.end + 1] in _MARKS
        if not marked and numeral.text[0] != "0" and len(numeral.text) < _LONG:
            return None
        start = numeral.start + self._lower.startswith("-", numeral.start)
        skipped = formats.SKIP.match(self._lower, start) if self._lower[start].isdecimal() else None
        if skipped is None or (":" not in skipped[0] and _WORD.search(skipped[0])):
            return None
        tail = self._text.after(skipped.end())
        return None if tail and tail.word.unit else Chunk(numeral.start, skipped.end())

    def _quantity(self, numeral: Numeral, end: int) -> Chunk:
        """Return a possible quantity without a unit: the number, with the end offset `end`."""
        chunk = Chunk(numeral.start, end, numeral)
        mention, number = chunk.mention, chunk.mention.number
        mention.low, mention.high = float(numeral.text), float(numeral.high or numeral.text)
        number.value, number.power, number.end = abs(mention.high), numeral.power, numeral.end
        number.mantissa = shifted(number.value, -numeral.power) if numeral.power else number.value
        while self._lower[number.start] in "- ":
            number.start += 1
        return chunk

    def _measured(self, numeral: Numeral, unit: UnitMatch, below: str, end: int) -> Chunk:
        """Return a possible quantity that ends at offset `end`: a number, its unit, and the unit's denominator `below`
        (" per hour", or "" without a denominator)."""
        chunk = self._quantity(numeral, numeral.end)
        mention, kind = chunk.mention, self._text.kind(unit.unit)
        sure, kind = (unit.confidence if kind == "unit" else 0.9), "currency" if unit.start < numeral.start else kind
        mention.set_unit(f"{unit.unit}{below}", unit.start, end, kind, sure)
        mention.multiply(unit.scale)
        return chunk

    def _before_unit(self, numeral: Numeral, unit: UnitMatch) -> Chunk:
        """Return a possible quantity: a number, its unit, and any scale word after the unit ("5 USD millones")."""
        times = self._text.after(unit.end) if self._text.is_money(unit.unit) else None
        if times and times.word.number and times.word.number.kind == "x" and not numeral.power:
            numeral = numeral.plus(numeral.value * (Decimal(times.word.number.value) - 1))
            unit = unit._replace(end=times.close)
        below, last = self._below(unit.end, unit.unit)
        if not below:
            numeral, last = self._with_decimals(numeral, unit.unit, last)
            if unit.unit == "hour" and numeral.value > _FEW and numeral.end == unit.start < unit.end < last:
                return Chunk(numeral.start, last)  # "8h30"
            below, last = self._below(last, unit.unit)
        return self._measured(numeral, unit, below, last)  # "un litre et demi d'eau par jour"

    def _after_unit(self, numeral: Numeral, unit: UnitMatch) -> Chunk:
        end = self._tools.scanner.ends(self._lower, numeral.end) or numeral.end
        below, last = self._below(end, unit.unit)
        chunk = self._measured(numeral, unit, below, last if below else unit.end)
        chunk.mention.end = last
        return chunk

    def _of_table(self, unit: Unit, numeral: Numeral, token: Token) -> UnitMatch:
        """Return the unit that a token next to a number means, as a `UnitMatch`. "Pound" may mean mass or money."""
        scale = 1.0 if unit.small and numeral.value >= 10 else float(unit.factor)
        if unit.name != "pound":
            return UnitMatch(unit.name, token.start, token.close, 1.0, scale)
        at = bisect_left(self._text.starts, numeral.start)
        names = [token.word.name for token in self._tokens[max(0, at - _MOST_NAMES) : at] if token.word.name]
        spelled = f"{' '.join(names)} {numeral.value:,f}"
        found = self._registry.match_after(f"{spelled} pounds", len(spelled)) or UnitMatch("pound-mass", 0, 0, 0.6)
        return found._replace(start=token.start, end=token.close)

    def _with_unit(self, numeral: Numeral, sign: Token | None) -> Chunk | None:
        """Return a number with the unit after it, or else with the unit that the token `sign` means, or None."""
        tail = self._text.after(numeral.end)
        tail = self._text.after(tail.close) if tail and "linking" in tail.word.roles and not tail.word.unit else tail
        around = sign.word.signs.get(tail.form) if sign and tail else None
        unit = around or (tail.word.unit if tail else None)
        if tail and unit and self._counts(numeral, tail, unit):
            chunk = self._before_unit(numeral, self._of_table(unit, numeral, tail))
            chunk.mention.start = sign.start if around and sign else chunk.mention.start
            return chunk
        before = sign.word.signs.get("") if sign else None
        return self._after_unit(numeral, self._of_table(before, numeral, sign)) if before and sign else None

    def _counts(self, numeral: Numeral, tail: Token, unit: Unit) -> bool:
        """Return whether a number counts the unit or noun after it: true for "zwei Männer" (two men)."""
        article = self._language.blanks == "yes" and numeral.doubtful and numeral.text == "1"
        syllables = numeral.doubtful > 1 and tail.start == numeral.end and len(tail.form) == 1  # "사원"
        raised = _RAISED.match(self._plain, tail.start)
        longer = raised is not None and (raised["code"] or raised.end() > tail.end) and self._text.symbol(tail.start)
        return not (longer or syllables or (article and unit.name in PERSONS))

    def _with_decimals(self, numeral: Numeral, unit: str, at: int) -> tuple[Numeral, int]:
        """Add the fraction after a unit that ends at offset `at` to the number before the unit. Return the sum and the
        fraction's end offset: "un litre et demi" (one and a half litres) -> (1.5, 16)."""
        token, blanks = self._text.after(at), self._language.blanks
        joined = token is not None and blanks == "yes" and "and" in token.word.roles
        if token is None or not numeral.text.lstrip("-").isdecimal() or not (joined or token.word.number):
            return numeral, at
        part = self._text.number(self._text.after(token.close) if joined else token)
        following = self._begins.get(part.end) or (blanks == "yes" and self._text.after(part.end)) if part else None
        counted = following and (following.word.unit or following.word.number)
        if part is None or counted or self._text.symbol(part.end):
            return numeral, at
        if part.fraction:
            return numeral.plus(part.value), self._tools.scanner.ends(self._lower, part.end) or part.end
        return self._decimals(numeral, unit, part) or (numeral, at)

    def _decimals(self, numeral: Numeral, unit: str, part: Numeral) -> tuple[Numeral, int] | None:
        """Return the sum of a number and `part` ("ein Meter achtzig" -> 1.80), and its end offset. `part` contains the
        decimals or minutes after the unit. Return None if `part` does not continue the number."""
        family, size = self._registry.family(unit) or "", len(part.text)
        if not part.text.isdecimal() or size > _MOST_DECIMALS or self._language.blanks == "before":
            return None
        pointed = numeral.plus(Decimal(f"0.{part.text}{part.high}"))
        if self._language.blanks == "no":
            words = not self._lower[part.start].isdecimal()
            return None if words and family in ("", "time") else (pointed, part.end)
        if size == 1 or not (unit in ("metre", "hour") or family.startswith("currency")):
            return None
        return numeral.plus(part.value / 60) if unit == "hour" else pointed, part.end

    def _with_sign(self, numeral: Numeral, floor: int) -> Chunk | None:
        sign = self._registry.match_before(self._plain, numeral.start) if numeral.start > floor else None
        return self._after_unit(numeral, sign) if sign and sign.start >= floor else None

    def _with_symbol(self, numeral: Numeral) -> Chunk | None:
        link = self._text.after(numeral.end)
        symbol = self._text.symbol(link.close if link and "linking" in link.word.roles else numeral.end)
        closers = self._tools.scanner.closers(self._lower, numeral.end, len(self._lower)) if symbol else ()
        if symbol and any(one.end >= symbol.end and "between" in one.word.roles for one in closers):
            return None  # "12 t.o.m. 19 kg" (up to and including)
        doubtful = symbol is None or (numeral.doubtful and not self._alone(numeral))
        return None if symbol is None or doubtful else self._before_unit(numeral, symbol)

    def _bare(self, numeral: Numeral) -> Chunk:
        """Return a possible quantity without a unit for a number, or an empty `Chunk` for a name like "4K"."""
        start, end = numeral.start, self._tools.scanner.ends(self._lower, numeral.end) or numeral.end
        glued = _GLUED[self._language.blanks == "yes"].match(self._lower, end)
        if glued and self._lower[end - 1].isdecimal():  # "4K", "2LDK", "20e"
            return Chunk(start, glued.end())
        named = self._language.blanks != "yes" and _LATIN_NAME.search(self._lower, max(0, start - 3), start)
        if named and "-" not in self._lower[end : end + 2]:  # "iPhone 15", "A4纸"
            return Chunk(start, end)
        return self._quantity(numeral, end)

    def _below(self, end: int, unit: str) -> tuple[str, int]:
        """Return the denominator after a unit (" per day" in "2 litres d'eau par jour") or "", and its end offset."""
        per, noun = self._text.after(end), None
        if per and per.word.name.startswith("per "):
            return f" {per.word.name}", per.close  # "750 euros mensuels"
        if per is None or "per" not in per.word.roles:
            noun = self._tools.noun.match(self._lower, end)
            per = self._text.after(noun.end()) if noun else None
        if per is None or "per" not in per.word.roles or (noun and per.form not in self._language.each):
            return "", end
        self._text.nouns += [noun.span(1)] if noun else []
        tail = self._text.after(per.close)
        if tail and tail.word.number and (per.form == "/" or per.form in self._language.each):
            return self._per_several(tail, unit) or ("", end)
        below = tail.word.unit if tail else None
        if below is None and per.form == "/" and (symbols := self._registry.match_per(self._plain, end, unit)):
            return symbols.unit.removeprefix(unit), symbols.end  # "12 euros/kg"
        if not tail or not below or self._text.alike(unit, below.name):
            return "", end
        if self._tools.another_time.match(self._lower, tail.close):
            return "", end  # "300 euros l'année dernière"
        return f" per {'' if below.factor == '1' else f'{below.factor} '}{below.name}", tail.close

    def _below_before(self, token: Token, floor: int, above: str) -> str:
        """Return the denominator that ends with `token`: "pro Kilometer", "毎秒" (per second). Return "" if the
        denominator begins before the offset `floor`, or if its unit is of the same kind as the numerator `above`."""
        if token.word.signs and token.word.name.startswith("per "):
            return f" {token.word.name}"  # "每秒23公里"
        other = self._text.before(token.start, floor)
        after = "apiece" in token.word.roles
        unit, per = (other, token) if after else (token, other)
        below = unit.word.unit if unit else None
        if below is None or per is None or self._text.alike(above, below.name) or not self._divides(below.name):
            return ""
        return f" per {below.name}" if after or per.form in self._language.each else ""

    def _divides(self, unit: str) -> bool:
        return self._registry.family(unit) in _DIVIDING_BEFORE

    def _per_several(self, token: Token, above: str) -> tuple[str, int] | None:
        """Return the denominator that begins with a number at `token`, and its end offset: " per 100 kilometre" in "6,5
        l/100 km". `above` is the unit before the slash ("litre"). Return None for two quantities: "12 V / 5 A"."""
        several = self._text.number(token)
        tail = self._text.after(several.end) if several else None
        unit = UnitMatch(tail.word.unit.name, tail.start, tail.close) if tail and tail.word.unit else None
        unit = unit or (self._text.symbol(several.end) if several else None)
        if several is None or unit is None:
            return None
        family = self._registry.family(unit.unit)
        sides = family == self._registry.family(above) == "length"  # "3 m por 4 m"
        divides = above == "count" or (family in _DIVIDING and not sides)  # "una vez cada 10 años"
        return (f" per {several.text} {unit.unit}", unit.end) if divides else None

    def _alone(self, numeral: Numeral) -> bool:
        """Return whether a word that may be an article (French "un") is a number, judging by the words next to it."""
        before, blanks = self._lower[max(0, numeral.start - 1) : numeral.start], self._language.blanks == "yes"
        apart = not re.match(LETTER, before)
        begins = apart or before < _IDEOGRAPHS
        closers = self._tools.scanner.closers(self._lower, numeral.end, len(self._lower))
        for closer in () if blanks or numeral.doubtful > 1 else closers:
            following = self._text.after(closer.end)
            ranges = "between" in closer.word.roles and following and following.word.number
            if ranges or (begins and (closer.word.bounds or closer.word.roles - {"between"})):
                return True
        last = self._tools.scanner.ends(self._lower, numeral.end) or numeral.end
        half = numeral.fraction and blanks  # "clase media"
        return apart and not half and not _NEXT_WORD.match(self._lower, last)
