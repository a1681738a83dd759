"""Numbers in any language: words, digits in the language's own marks, and both together ("1,2 Millionen", "3万5千")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import zip_longest
from typing import Final, NamedTuple

from .forms import BEGINS, TIMES, any_of

_MOST: Final = 60
"""How many words one number may have."""
_DIGITS: Final = "digits"
_MULTIPLIES: Final = ("x", "/")
_EVERYTHING: Final = Decimal("Infinity")
_POWER: Final = re.compile(r"(?:e[-+]?\d+|k)?\Z")


class NumberWord(NamedTuple):
    """What a word says: "" a number, "x" times so many, "/" such parts, "+" so much more than the number behind it; and
    how doubtful it is: 1 where it may be an article, 2 where it is a syllable of many words."""

    kind: str
    value: str
    doubtful: int = 0


class Numeral(NamedTuple):
    """A number in a text: where it stands, its value in plain digits, whether it may be just an article."""

    start: int
    end: int
    text: str
    doubtful: int = 0
    fraction: bool = False


class _Token(NamedTuple):
    """A word of a number, or its digits: where it stands, what it says, and the connective before it."""

    start: int
    end: int
    word: NumberWord
    joined: str


class _Part(NamedTuple):
    """A number that is being put together: its value and below what anything that is added must stay."""

    value: Decimal
    place: Decimal


class Numerals:
    """Reads the numbers of a text in one language.

    first: what finds the first word of a number, or digits.
    """

    def __init__(
        self,
        words: Mapping[str, NumberWord],
        settings: Mapping[str, Sequence[str]],
        ending: str,
        others: Iterable[str],
        names: str,
    ) -> None:
        """
        Args:
            words: the number words.
            settings: marks, and the words between the parts of a number.
            ending: what may follow a word, as an expression.
            others: words that may begin like a number word and are none, where no blanks set them apart.
            names: finds those that are none at the start of a number alone: "万一" in "一万一千".
        """
        self.words, self._shortened = words, settings["last digit"]
        self._point, self._over, self._parts = settings["point"], settings["over"], settings["parts of"]
        self._ratios, self._adding = (*self._over, *self._parts), (*settings["and"], *settings["added"])
        self._between = (*self._point, *self._ratios, *settings["added"])
        decimals, groups = "".join(settings["decimal"]), "".join(settings["groups"]).replace("blank", " ")
        self._shapes = _shapes(f"[{re.escape(groups)}]", f"[{re.escape(decimals)}]")
        apart = settings["blanks"] == ["yes"]
        single = {form: word.value for form, word in words.items() if not word.kind and len(form + word.value) == 2}
        self._single = {} if apart else str.maketrans(single)
        none = f"(?!{any_of(form for form in {*others} - words.keys() if form.startswith(tuple(words)))})"
        word = f"{none}(?:{any_of(words)})".replace(r"\ ", "[ -]{1,3}")
        digits = _digits(re.escape(decimals + groups + ".,'").replace(r"\ ", ""), " " in groups)
        row = "(?!)" if settings["blanks"] != ["no"] else f"(?:{none}{any_of(single)}){{2,}}(?!{word})"
        beside = any_of(settings["joined"])
        follows = f"(?={ending}|{word}|[0-9]|{beside})" if apart else ""
        digits_begin = f"(?:{BEGINS}|{TIMES})"
        begins = {"yes": (digits_begin, BEGINS), "before": ("", BEGINS), "no": ("", "")}[settings["blanks"][0]]
        begins = (begins[0], f"{begins[1]}(?!{names})")
        self.first, token = (
            f"(?:(?P<digits>{at_digits}{digits}|{at_word}{row})|{at_word}(?P<word>{word}{follows}))"
            for at_digits, at_word in (begins, ("", ""))
        )
        between, blanks = any_of((*settings["and"], *self._between)), r"(?: {0,3}|-(?!\d))"
        self._next = re.compile(f"{blanks}(?P<joined>(?:{between}{blanks}){{0,2}}){token}")
        self._ends = re.compile(rf"(?<=\d)|{ending}|{beside}" if settings["blanks"] != ["no"] else "")

    def read(self, lower: str, first: re.Match[str]) -> tuple[list[Numeral], int]:
        """The numbers of a text from a first word on, in order, the doubtful ones too; and where they end."""
        tokens = self._tokens(lower, first)
        if not tokens:
            return [], first.end()
        found: list[Numeral] = []
        end = tokens[-1].end
        while tokens:  # a new one begins where a word cannot be added
            numeral, used = self._number(tokens)
            found += [numeral] if numeral else []
            tokens = tokens[used:]
        return found, end

    def _tokens(self, lower: str, found: re.Match[str] | None) -> list[_Token]:
        """The digits and words from the first ones on, up to where a word ends."""
        tokens: list[_Token] = []
        while found and len(tokens) < _MOST:
            written, kind = found["digits"], _DIGITS
            if written is not None:
                pair = len(written) == 2 and ord(written[0]) in self._single  # it may be part of a word
                word = NumberWord(_DIGITS, self._in_digits(written) or "", pair)
            else:
                kind = "word"
                word = self.words[re.sub("[ -]+", " ", found[kind])]
            joined = found["joined"].strip(" -") if tokens else ""
            tokens.append(_Token(found.start(kind), found.end(), word, joined))
            found = self._next.match(lower, found.end())
        while tokens and not self._ends.match(lower, tokens[-1].end):
            tokens.pop()
        return tokens

    def _in_digits(self, written: str) -> str | None:
        """Digits with the language's marks in plain ones; None for versions, addresses and the like."""
        if written.isdecimal():
            return written
        if (row := written.translate(self._single)) != written:
            return str(int(row))
        power = "".join(_POWER.findall(written))
        mantissa = written.removesuffix(power)
        shape = next(filter(None, (shape.fullmatch(mantissa) for shape in self._shapes)), None)
        if shape is None:
            return None
        plain = re.sub(r"\D", "" if power else ",", shape["whole"]) + (f".{shape['part']}" if shape["part"] else "")
        return plain + power.replace("k", "e3")

    def _number(self, tokens: list[_Token]) -> tuple[Numeral | None, int]:
        """The number that the first tokens make, with what goes on behind a connective, and how many they are."""
        left, used = self._simple(tokens)
        while left and used < len(tokens):
            between = tokens[used].joined
            right, more = self._number(tokens[used:]) if between in self._adding else self._simple(tokens[used:])
            text = self._together(left, between, right) if right else None
            if right is None or text is None:
                break
            left, used = Numeral(left.start, right.end, text, fraction=between in self._ratios), used + more
        return left, used

    def _simple(self, tokens: list[_Token]) -> tuple[Numeral | None, int]:
        """The number that the first tokens make up to a connective, and how many they are."""
        start, end, word, _ = tokens[0]
        multiplied = len(tokens) > 1 and tokens[1].word.kind in _MULTIPLIES and tokens[1].word.doubtful != 1
        if (word.kind == _DIGITS and not multiplied) or (word.kind == "" and len(tokens) == 1):
            fraction = word.value.startswith("0.") and word.kind == ""
            return (Numeral(start, end, word.value, word.doubtful, fraction) if word.value else None), 1
        parts, used = self._sum(tokens)
        if not parts:
            return None, max(used, 1)
        last = tokens[used - 1]
        beside = self._shortened and used > 1 and tokens[used - 2].end == last.start and last.word.kind == ""
        if beside and len(parts) > 1 and parts[-1].value < 10 and parts[-2].place >= 100:  # "三千五" is 3,500
            parts[-1] = _Part(parts[-1].value * parts[-2].place / 10, Decimal(1))
        value = _total(parts) + (used == 1 and last.word.kind == "+")
        fraction = 0 < value < 1 or last.word.kind == "/"
        powers = bool(self._single) and all(token.word.kind == "x" for token in tokens[:used])  # of "東京"
        syllables = all(token.word.doubtful > 1 for token in tokens[:used])  # "조사"
        doubtful = max(int(powers), 2 * syllables, word.doubtful if used == 1 else 0)
        return Numeral(start, last.end, _plain(value), doubtful, fraction), used

    def _sum(self, tokens: list[_Token]) -> tuple[list[_Part], int]:
        """The parts of the number that the first tokens make, and how many they are."""
        parts: list[_Part] = []
        apart: list[_Part] = []
        whole: tuple[list[_Part], int] = ([], 0)
        for used, (token, after) in enumerate(zip_longest(tokens, tokens[1:])):
            if used and token.joined in self._between:
                return parts, used
            word, multiplies = token.word, token.word.kind in _MULTIPLIES
            apart = parts if token.joined else apart
            follows = used > 0 and tokens[used - 1].word.kind in _MULTIPLIES
            follows = follows and (tokens[0].word.kind == _DIGITS or not token.joined)
            goes_on = not parts or follows or word.kind != _DIGITS or (after and after.word.kind in _MULTIPLIES)
            grown = _grown(parts, apart, word) if goes_on else None
            if grown is None or (multiplies and len(grown) > 1 and grown[-1].value >= grown[-2].place):
                return whole if multiplies and whole[1] else (parts, used)
            parts = grown
            whole = (parts, used + 1) if multiplies else whole
        return parts, len(tokens)

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
        return _plain(one + other) if between in self._adding and right.fraction and one >= 1 else None


def _shapes(group: str, decimal: str) -> tuple[re.Pattern[str], ...]:
    """Digits with marks as the language groups them, and as others do."""
    own = rf"\d{{1,3}}(?:{group}\d{{2,3}})*{group}\d{{3}}|\d+"
    others = rf"\d{{1,3}}(?:{decimal}\d{{3}}){{2,}}|\d{{1,3}}(?:{decimal}\d{{3}})+(?={group})|\d+"
    shapes = (own, decimal), (others, group)
    return tuple(re.compile(rf"(?P<whole>{whole})(?:{mark}(?P<part>\d+))?") for whole, mark in shapes)


def _digits(marks: str, blank: bool) -> str:
    between = r"(?: \d{3}(?!\d))*" if blank else ""
    return rf"\d+{between}(?:[{marks}]\d+)*(?!\d)(?:e[-+]?\d{{1,3}}(?!\d)|k(?![a-z]))?"


def _grown(parts: list[_Part], apart: list[_Part], word: NumberWord) -> list[_Part] | None:
    """A number with one word more, or None if the word cannot be added.

    Args:
        apart: what stands before "and": behind it may stand a fraction, as in "hundert und zwei Drittel".
    """
    if not word.value:
        return None
    value = _value(word.value)
    if word.kind == "+":
        return [*parts, _Part(value, _EVERYTHING)]
    if word.kind == "x":
        return _multiplied(parts, value)
    if word.kind == "/":
        added = _total(parts) - _total(apart)
        if apart and 0 < added < value:
            return [*apart, _Part(added / value * _unit_of(apart), Decimal(0))]
        return [_Part(_total(parts) / value, Decimal(0))] if parts else None
    if parts and 0 < value < 1:
        parts = parts[:-1] if parts[-1].value == 1 and parts is not apart else parts  # "eine halbe"
        value *= _unit_of(parts) if parts and parts[-1].place else 1
    place = Decimal(1) if word.kind == _DIGITS else _place(value)
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
