"""Numbers in any language: words, digits in the language's own marks, and both together ("1,2 Millionen", "3万5千")."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from .forms import SIGNS, any_of

BEGINS: Final = rf"(?<![a-z])(?<![^\W\d_])(?<!{SIGNS})"
"""Where a word may begin; `re` sees plain letters fastest."""
_LONGEST: Final = 320
_DIGITS: Final = "digits"
_EVERYTHING: Final = Decimal("Infinity")


class NumberWord(NamedTuple):
    """What a word says: "" a number, "x" times so many, "/" such parts, "+" so much more than the number behind it; and
    whether it may be an article."""

    kind: str
    value: str
    doubtful: bool = False


class Numeral(NamedTuple):
    """A number in a text: where it stands, its value in plain digits, whether it may be just an article."""

    start: int
    end: int
    text: str
    doubtful: bool = False
    fraction: bool = False


class _Token(NamedTuple):
    """A word of a number, or its digits: where it stands, what it says, and whether "and" stands before it."""

    start: int
    end: int
    word: NumberWord
    joined: bool

    @property
    def multiplies(self) -> bool:
        return self.word.kind in ("x", "/")


class _Part(NamedTuple):
    """A number that is being put together: its value and below what anything that is added must stay."""

    value: Decimal
    place: Decimal


class Numerals:
    """Finds the numbers of a text in one language."""

    def __init__(
        self,
        words: Mapping[str, NumberWord],
        settings: Mapping[str, Sequence[str]],
        ending: str,
        units: frozenset[str],
        others: frozenset[str],
    ) -> None:
        """
        Args:
            words: the number words.
            settings: marks, and the words between the parts of a number.
            ending: what may follow a word, as an expression.
            units: what stands before a number, as the "hundredths" of a percentage.
            others: words that may begin like a number word and are none, where no blanks set them apart.
        """
        self.words, self._units = words, units
        self._blanks = settings["blanks"] == ["yes"]
        self._shortened = settings["last digit"]
        self._decimals = "".join(settings["decimal"])
        self._groups = "".join(settings["groups"]).replace("blank", " ")
        self._and, self._added, self._point, self._over, self._parts = (
            frozenset(settings[name]) for name in ("and", "added", "point", "over", "parts of")
        )
        self._forms()
        word = any_of(words).replace(r"\ ", "[ -]{1,3}")
        alike = frozenset(
            form for form in others if any(len(form) > len(known) and form.startswith(known) for known in words)
        )
        word = f"(?!{any_of(alike - words.keys())})(?:{word})"
        digits = self._digits_pattern()
        self._token = re.compile(rf"(?P<digits>{digits})|(?P<word>{word})")
        between = rf"[ -]{{0,3}}(?:(?:{any_of(self._and)})[ -]{{0,2}}){{0,2}}"
        first = word if settings["blanks"] == ["no"] else f"{BEGINS}(?:{word})"
        most = 14 if self._blanks else 60  # where a run must end with a word, each word more may double the tries
        run = rf"(?:{digits}|{first})(?:{between}(?:{word}|{digits})){{0,{most}}}"
        self._run = re.compile(rf"{BEGINS}(?:{run})(?:(?<=\d)|(?={ending}))" if self._blanks else run)
        self._between = re.compile(between)

    def _forms(self) -> None:
        """The shapes of digits with marks: as the language groups them, and as others do."""
        group, decimal = f"[{re.escape(self._groups)}]", f"[{re.escape(self._decimals)}]"
        whole = rf"\d{{1,3}}(?:{group}\d{{2,3}})*{group}\d{{3}}|\d+"
        self._own = re.compile(rf"(?P<whole>{whole})(?:{decimal}(?P<part>\d+))?")
        others = rf"\d{{1,3}}(?:{decimal}\d{{3}}){{2,}}|\d{{1,3}}(?:{decimal}\d{{3}})+(?={group})|\d+"
        self._others = re.compile(rf"(?P<whole>{others})(?:{group}(?P<part>\d+))?")

    def _digits_pattern(self) -> str:
        marks = re.escape(self._decimals + self._groups + ".,'").replace(r"\ ", "")
        blank = r"(?: \d{3}(?!\d))*" if " " in self._groups else ""
        return rf"\d+{blank}(?:[{marks}]\d+)*(?!\d)(?:e[-+]?\d{{1,3}}(?!\d)|k(?![a-z]))?"

    def find(self, lower: str) -> list[Numeral]:
        """All numbers of a text, in order; the doubtful ones, too."""
        found: list[Numeral] = []
        for run in self._run.finditer(lower):
            if run.group().isdecimal():
                found.append(Numeral(*run.span(), run.group()))
            elif run.end() - run.start() <= _LONGEST:
                rest = self._tokens(lower, *run.span())
                while rest:  # a new one begins where a word cannot be added
                    numeral, used = self._first(rest)
                    found += [numeral] if numeral is not None else []
                    rest = rest[used:]
        return self._joined(lower, found) if len(found) > 1 else found

    def in_digits(self, written: str) -> str | None:
        """Digits with the language's marks in plain ones; None for versions, addresses and the like."""
        if written.isdecimal():
            return written
        if "e" in written:
            mantissa, power = written.split("e")
            plain = self.in_digits(mantissa)
            return plain and f"{plain.replace(',', '')}e{power}"
        if written[-1] == "k":
            plain = self.in_digits(written[:-1])
            return plain and _plain(_value(plain) * 1000)
        shape = self._own.fullmatch(written) or self._others.fullmatch(written)
        if shape is None:
            return None
        whole = re.sub(r"\D", ",", shape["whole"])
        return f"{whole}.{shape['part']}" if shape["part"] else whole

    def _tokens(self, lower: str, at: int, stop: int, joined: bool = False) -> list[_Token]:
        """The digits and words of a run; the longest ones that leave no letter over ("hundert", not "hunderte")."""
        token = self._token.match(lower, at, stop)
        while token is not None:
            end = token.end()
            between = self._between.match(lower, end, stop)
            begin = between.end() if between else end
            rest = self._tokens(lower, begin, stop, lower[end:begin].strip(" -") != "") if end < stop else []
            if rest or end == stop:
                written = token.group()
                digits = NumberWord(_DIGITS, self.in_digits(written) or "") if token["digits"] else None
                return [_Token(at, end, digits or self.words[re.sub("[ -]+", " ", written)], joined), *rest]
            token = self._token.match(lower, at, end - 1)
        return []

    def _first(self, tokens: list[_Token]) -> tuple[Numeral | None, int]:
        """The number that the first tokens make, and how many they are."""
        start, end, word, _ = tokens[0]
        if word.kind == _DIGITS and not (len(tokens) > 1 and tokens[1].multiplies and not tokens[1].word.doubtful):
            return (Numeral(start, end, word.value) if word.value else None), 1
        row = self._digit_row(tokens)
        if len(row) > 1:
            return Numeral(start, tokens[len(row) - 1].end, row), len(row)
        parts, used = self._sum(tokens)
        if not parts:
            return None, max(used, 1)
        last = tokens[used - 1]
        beside = self._shortened and used > 1 and tokens[used - 2].end == last.start and last.word.kind == ""
        if beside and len(parts) > 1 and parts[-1].value < 10 and parts[-2].place >= 100:  # "三千五" is 3,500
            parts[-1] = _Part(parts[-1].value * parts[-2].place / 10, Decimal(1))
        value = _total(parts)
        fraction = 0 < value < 1 or last.word.kind == "/"
        return Numeral(start, last.end, _plain(value), used == 1 and word.doubtful, fraction), used

    def _sum(self, tokens: list[_Token]) -> tuple[list[_Part], int]:
        """The parts of the number that the first tokens make, and how many they are."""
        parts: list[_Part] = []
        apart: list[_Part] = []
        whole: tuple[list[_Part], int] = ([], 0)
        for used, token in enumerate(tokens):
            apart = parts if token.joined else apart
            follows = used > 0 and tokens[used - 1].multiplies
            follows = follows and (tokens[0].word.kind == _DIGITS or not token.joined)
            follows = follows or any(after.multiplies for after in tokens[used + 1 : used + 2])
            goes_on = not parts or follows or token.word.kind != _DIGITS
            grown = _grown(parts, apart, token.word) if goes_on else None
            if grown is None or (token.multiplies and len(grown) > 1 and grown[-1].value >= grown[-2].place):
                return whole if token.multiplies and whole[1] else (parts, used)
            parts = grown
            whole = (parts, used + 1) if token.multiplies else whole
        return parts, len(tokens)

    def _digit_row(self, tokens: list[_Token]) -> str:
        """Digits in words, one after the other: "二〇一八"; in languages without blanks alone."""
        row = ""
        for token in () if self._blanks else tokens:
            if token.word.kind == _DIGITS or (row and token.start > tokens[len(row) - 1].end):
                return row
            if token.word.kind or len(token.word.value) > 1:
                return ""
            row += token.word.value
        return row

    def _joined(self, lower: str, found: list[Numeral]) -> list[Numeral]:
        """Numbers with what goes on behind a word: decimals and fractions first, then what is added to them."""
        for marks in (self._point | self._over | self._parts | {""}, self._and | self._added):
            joined = [found[0]]
            for numeral in found[1:]:
                last = joined[-1]
                between = lower[last.end : numeral.start]
                between = between.strip() if self._blanks else between.replace(" ", "")
                near = numeral.start - last.end < 12 and between in marks
                whole = lower[last.start : numeral.start].strip() in self._units
                text = self._together(last, between, numeral) if near and not whole else None
                if text is None:
                    joined.append(numeral)
                else:
                    fraction = between in self._parts or between in self._over
                    joined[-1] = Numeral(last.start, numeral.end, text, fraction=fraction)
            found = joined
        return found

    def _together(self, left: Numeral, between: str, right: Numeral) -> str | None:
        if between in self._point and right.text.isdecimal() and left.text.replace(",", "").isdecimal():
            return f"{left.text}.{right.text}"
        if not between and "." in left.text and len(right.text) == 1 and not left.fraction:
            return left.text + right.text
        one, other = _value(left.text), _value(right.text)
        if between in self._parts and one:
            return _plain(other / one)
        if between in self._over and other:
            return _plain(one / other)
        return _plain(one + other) if between in (self._and | self._added) and right.fraction and one >= 1 else None


def _grown(parts: list[_Part], apart: list[_Part], word: NumberWord) -> list[_Part] | None:
    """A number with one word more, or None if the word cannot be added.

    Args:
        apart: what stands before "and": behind it may stand a fraction, as in "hundert und zwei Drittel".
    """
    if not word.value:
        return None
    kind, value = word.kind, _value(word.value)
    if kind == "+":
        return [*parts, _Part(value, _EVERYTHING)] if not parts or parts[-1].place > 1 else None
    if kind == "x":
        return _multiplied(parts, value)
    if kind == "/":
        added = _total(parts) - _total(apart)
        if apart and 0 < added < value:
            return [*apart, _Part(added / value * _unit_of(apart), Decimal(0))]
        return [_Part(_total(parts) / value, Decimal(0))] if parts else None
    if parts and 0 < value < 1:
        parts = parts[:-1] if parts[-1].value == 1 and parts is not apart else parts  # "eine halbe"
        value *= _unit_of(parts) if parts and parts[-1].place else 1
    place = Decimal(1) if kind == _DIGITS else _place(value)
    return [*parts, _Part(value, place)] if not parts or value < parts[-1].place else None


def _multiplied(parts: list[_Part], value: Decimal) -> list[_Part]:
    """A number times another: what is less than that is multiplied, else all of it ("zwei Millionen Milliarden")."""
    below = _total([part for part in parts if part.value < value])
    kept = [part for part in parts if part.value >= value]
    if kept and below == 0 and kept[-1].place <= value:
        return [_Part(_total(kept) * value, value)]
    alone = bool(parts) and parts[-1].place == _EVERYTHING
    return [*kept, _Part(((below + 1 if alone else below) or 1) * value, value)]


def _total(parts: list[_Part]) -> Decimal:
    return sum((part.value for part in parts), Decimal(0))


def _unit_of(parts: list[_Part]) -> Decimal:
    """What a fraction is a part of: of a million behind millions ("2 Millionen und ein Viertel"), else of one."""
    return parts[-1].place if 10**6 <= parts[-1].place < _EVERYTHING else Decimal(1)


def _place(value: Decimal) -> Decimal:
    """Below what is added to a number must stay: 20 takes a digit, 200 what is below a hundred, 25 nothing."""
    digits = str(value)
    return Decimal(10) ** (len(digits) - len(digits.rstrip("0"))) if value and "." not in digits else Decimal(0)


def _value(plain: str) -> Decimal:
    return Decimal(plain.replace(",", ""))


def _plain(value: Decimal) -> str:
    return f"{int(value):,}" if value == value.to_integral_value() else f"{value:.20f}".rstrip("0")
