"""Numbers in any language: words, digits in the language's own marks, and both together ("1,2 Millionen", "3万5千")."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from .forms import any_of

BEGINS: Final = r"(?<![^\W\d_])(?<![\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963])"
"""Where a word may begin; `re` does not see the signs of Hindi as letters."""
_LONGEST: Final = 320


class NumberWord(NamedTuple):
    """What a word says: "" a number, "x" times so many, "/" such parts, "+" so much more than the number behind it; and
    whether it may be an article."""

    kind: str
    value: str
    doubtful: bool


class Numeral(NamedTuple):
    """A number in a text: where it stands, its value in plain digits, whether it may be just an article."""

    start: int
    end: int
    text: str
    doubtful: bool = False
    fraction: bool = False


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
        whole = rf"\d{{1,3}}(?:{group}\d{{3}})+|\d{{1,2}}(?:{group}\d\d)+{group}\d{{3}}|\d+"
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
                found += self._read(lower, run.start(), run.end())
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
            return plain and _plain(Decimal(plain.replace(",", "")) * 1000)
        shape = self._own.fullmatch(written) or self._others.fullmatch(written)
        if shape is None:
            return None
        whole = re.sub(r"\D", ",", shape["whole"])
        return f"{whole}.{shape['part']}" if shape["part"] else whole

    def _read(self, lower: str, at: int, stop: int) -> list[Numeral]:
        """The numbers of a run of digits and number words: a new one begins where a word cannot be added."""
        found: list[Numeral] = []
        rest = self._tokens(lower, at, stop)
        while rest:
            numeral, used = self._first(lower, rest)
            found += [numeral] if numeral is not None else []
            rest = rest[used:]
        return found

    def _tokens(self, lower: str, at: int, stop: int) -> list[re.Match[str]]:
        """The digits and words of a run; the longest ones that leave no letter over ("hundert", not "hunderte")."""
        token = self._token.match(lower, at, stop)
        while token is not None:
            if token.end() == stop:
                return [token]
            between = self._between.match(lower, token.end(), stop)
            if rest := self._tokens(lower, between.end() if between else token.end(), stop):
                return [token, *rest]
            token = self._token.match(lower, at, token.end() - 1)
        return []

    def _first(self, lower: str, tokens: list[re.Match[str]]) -> tuple[Numeral | None, int]:
        """The number that the first tokens make, and how many they are."""
        start, end = tokens[0].span()
        if tokens[0]["digits"] and (len(tokens) == 1 or not self._scales(tokens[1], behind_digits=True)):
            plain = self.in_digits(tokens[0].group())
            return (Numeral(start, end, plain) if plain else None), 1
        row = self._digit_row(tokens)
        if len(row) > 1:
            return Numeral(start, tokens[len(row) - 1].end(), row), len(row)
        parts, used = self._sum(tokens)
        if not parts:
            return None, max(used, 1)
        end, word = tokens[used - 1].end(), self.words.get(_form(tokens[used - 1].group()))
        doubtful = used == 1 and bool((word := self.words.get(_form(tokens[0].group()))) and word.doubtful)
        if self._shortened and self._is_shortened(lower, parts, tokens[:used]):
            parts[-1] = _Part(parts[-1].value * parts[-2].place / 10, Decimal(1))
        value = sum((part.value for part in parts), Decimal(0))
        fraction = 0 < value < 1 or (word is not None and word.kind == "/")
        return Numeral(start, end, _plain(value), doubtful, fraction), used

    def _sum(self, tokens: list[re.Match[str]]) -> tuple[list[_Part], int]:
        """The parts of the number that the first tokens make, and how many they are."""
        parts: list[_Part] = []
        whole: tuple[list[_Part], int] = ([], 0)
        apart: list[_Part] = []
        for used, token in enumerate(tokens):
            joined = used > 0 and token.string[tokens[used - 1].end() : token.start()].strip(" -") != ""
            if joined:
                apart = parts
            grown = self._grown(parts, tokens[: used + 2], used, joined)
            times = self._scales(token)
            if grown is not None and grown[-1].place == 0 and apart and times:
                grown = self._with_fraction(apart, parts, grown)
            if grown is None or (times and len(grown) > 1 and grown[-1].value >= grown[-2].place):
                return whole if times and whole[1] else (parts, used)
            parts = grown
            whole = (parts, used + 1) if times else whole
        return parts, len(tokens)

    def _is_shortened(self, lower: str, parts: list[_Part], tokens: list[re.Match[str]]) -> bool:
        """Whether a last digit counts what the word before it leaves: "三千五" is 3,500."""
        if len(parts) < 2 or parts[-1].value >= 10 or parts[-2].place < 100 or len(tokens) < 2:
            return False
        beside = tokens[-2].end() == tokens[-1].start() and not tokens[-1]["digits"]
        return beside and self.words[tokens[-1].group()].kind == ""

    def _scales(self, token: re.Match[str], behind_digits: bool = False) -> bool:
        word = self.words.get(_form(token.group()))
        return word is not None and word.kind in ("x", "/") and not (behind_digits and word.doubtful)

    def _digit_row(self, tokens: list[re.Match[str]]) -> str:
        """Digits in words, one after the other: "二〇一八"; in languages without blanks alone."""
        row = ""
        for token in tokens:
            word = None if self._blanks else self.words.get(token.group())
            if word is None or word.kind or len(word.value) > 1:
                return "" if word is not None else row
            row += word.value
        return row

    def _with_fraction(self, apart: list[_Part], parts: list[_Part], whole: list[_Part]) -> list[_Part]:
        """ "hundert und zwei Drittel": what stands behind "and" is the fraction, if it is less than one."""
        added = sum((part.value for part in parts), Decimal(0)) - sum(part.value for part in apart)
        below = sum(part.value for part in parts) / whole[0].value
        return [*apart, _Part(added / below * _unit_of(apart), Decimal(0))] if 0 < added < below else whole

    def _grown(self, parts: list[_Part], tokens: list[re.Match[str]], at: int, joined: bool) -> list[_Part] | None:
        """A number with one word more, or None if the word cannot be added."""
        token = tokens[at]
        if token["digits"]:
            plain = self.in_digits(token.group())
            beside = not self._blanks and token.start() and token.string[token.start() - 1] != " "
            goes_on = not parts or beside or any(map(self._scales, tokens[at + 1 :]))
            goes_on = goes_on or bool(tokens[0]["digits"] and self._scales(tokens[at - 1]))
            if plain is None or not goes_on:
                return None
            value = Decimal(plain.replace(",", ""))
            return [*parts, _Part(value, Decimal(1))] if not parts or value < parts[-1].place else None
        kind, written, _ = self.words[_form(token.group())]
        value = Decimal(written)
        if kind == "+":
            return [*parts, _Part(value, Decimal("Infinity"))] if not parts or parts[-1].place > 1 else None
        if kind == "x":
            below = sum((part.value for part in parts if part.value < value), Decimal(0))
            kept = [part for part in parts if part.value >= value]
            if kept and below == 0 and kept[-1].place <= value:
                return [_Part(sum(part.value for part in kept) * value, value)]
            alone = parts[-1:] and parts[-1].place.is_infinite()
            return [*kept, _Part(((below + 1 if alone else below) or Decimal(1)) * value, value)]
        if kind == "/":
            return [_Part(sum(part.value for part in parts) / value, Decimal(0))] if parts else None
        if parts and 0 < value < 1 and parts[-1].value == 1 and not joined:  # "eine halbe"
            parts = parts[:-1]
        if parts and 0 < value < 1 and parts[-1].place:
            return [*parts, _Part(value * _unit_of(parts), Decimal(0))]
        return [*parts, _Part(value, _place(value))] if not parts or value < parts[-1].place else None

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
        one, other = Decimal(left.text.replace(",", "")), Decimal(right.text.replace(",", ""))
        if between in self._parts and one:
            return _plain(other / one)
        if between in self._over and other:
            return _plain(one / other)
        if between in (self._and | self._added) and right.fraction and one >= 1 and one == int(one):
            return _plain(one + other)
        return None


def _unit_of(parts: list[_Part]) -> Decimal:
    """What a fraction is a part of: of a million behind millions ("2 Millionen und ein Viertel"), else of one."""
    return parts[-1].place if 10**6 <= parts[-1].place < Decimal("Infinity") else Decimal(1)


def _form(written: str) -> str:
    return re.sub(r"[ -]+", " ", written)


def _place(value: Decimal) -> Decimal:
    """Below what is added to a number must stay: 20 takes a digit, 200 what is below a hundred, 25 nothing."""
    digits = str(value)
    return Decimal(10) ** (len(digits) - len(digits.rstrip("0"))) if value and "." not in digits else Decimal(0)


def _plain(value: Decimal) -> str:
    if value == value.to_integral_value():
        return f"{int(value):,}"
    return f"{value:.15f}".rstrip("0") if abs(value) > Decimal("1e-6") else f"{value:.20f}".rstrip("0")
