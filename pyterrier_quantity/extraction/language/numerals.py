"""Numbers in any language: words, digits, and both together ("zweihundertfünf", "1,2 Millionen", "3万5千")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from .scanner import DIGITS, Token
from .tables import Language, NumberWord

_MULTIPLIES: Final = ("x", "/")
_EVERYTHING: Final = Decimal("Infinity")
_TOUCHES: Final = re.compile(r" {0,3}|-(?!\d)")
_JOINS: Final = ("point", "over", "parts of", "added", "and")
_MOST: Final = 60
"""How many words one number may have."""


class Numeral(NamedTuple):
    """A number in a text: where it stands, its value in plain digits, how doubtful it is (`NumberWord`), whether it is
    a fraction; the bound that a word within it sets ("十几万"); and what its last word multiplies by ("5 Tausend").
    """

    start: int
    end: int
    text: str
    doubtful: int = 0
    fraction: bool = False
    bound: str = ""
    scale: Decimal = Decimal(1)


_Part = tuple[Decimal, Decimal]
"""A part of a number: its value, and below what anything that is added must stay."""


class _Joined(NamedTuple):
    """A number word, the place of its token, what the connectives before it do, and the last of them."""

    token: Token
    word: NumberWord
    at: int
    joins: str = ""
    connective: str = ""


class Numerals:
    """Reads the numbers of a language from the tokens of a text."""

    def __init__(self, language: Language) -> None:
        self._closers = language.closers
        self._rows, self._shortened = language.blanks == "no", bool(language.settings["last digit"])

    def read(self, lower: str, tokens: Sequence[Token], at: int) -> tuple[Numeral | None, int]:
        """The number that begins with a token, or None if there is none; and the place of the next token."""
        run = _run(lower, tokens, at)
        if not run:
            return None, at + 1
        numeral, used = self._number(run)
        said = (self._closers[one.connective].behind for one in run[1:used] if one.connective in self._closers)
        bound = next(filter(None, said), "")
        return numeral._replace(bound=bound) if numeral else None, run[max(used, 1) - 1].at + 1

    def _number(self, run: Sequence[_Joined]) -> tuple[Numeral | None, int]:
        """The number that the first words make, with what goes on behind a connective, and how many they are."""
        left, used = self._simple(run)
        while left and used < len(run):
            joins = run[used].joins
            right, more = (self._number if joins in ("added", "and") else self._simple)(run[used:])
            text = _together(left, joins, right) if right else None
            if right is None or text is None:
                break
            fraction = joins in ("over", "parts of") or text == right.text
            left, used = Numeral(left.start, right.end, text, fraction=fraction), used + more
        return left, used

    def _simple(self, run: Sequence[_Joined]) -> tuple[Numeral | None, int]:
        """The number that the first words make up to a connective, and how many they are."""
        (start, end, *_), first = run[0].token, run[0].word
        multiplied = len(run) > 1 and run[1].word.kind in _MULTIPLIES and run[1].word.doubtful != 1
        if not first.value:
            return None, 1
        if (first.kind == DIGITS and not multiplied) or (first.kind == "" and len(run) == 1):
            fraction = first.kind == "" and first.value.startswith("0.")
            return Numeral(start, end, first.value, first.doubtful, fraction), 1
        parts, used = _sum(run)
        if not parts:
            return None, 1
        last = run[used - 1]
        beside = used > 1 and run[used - 2].token.end == last.token.start and last.word.kind == ""
        if self._shortened and beside and len(parts) > 1 and parts[-1][0] < 10 and parts[-2][1] >= 100:
            parts[-1] = (parts[-1][0] * parts[-2][1] / 10, Decimal(1))  # "三千五" is 3,500
        value = _total(parts) + (used == 1 and last.word.kind == "+")
        powers = self._rows and all(one.word.kind == "x" for one in run[:used])  # of "東京"
        syllables = all(one.word.doubtful > 1 for one in run[:used])  # "조사"
        doubtful = max(int(powers), 2 * syllables, first.doubtful if used == 1 else 0)
        fraction = 0 < value < 1 or last.word.kind == "/"
        scale = _value(last.word.value) if last.word.kind == "x" else Decimal(1)
        return Numeral(start, last.token.end, _plain(value), doubtful, fraction, scale=scale), used


def _run(lower: str, tokens: Sequence[Token], at: int) -> list[_Joined]:
    """The number words that follow one another, with the connectives between."""
    run: list[_Joined] = []
    joins, connective = "", ""
    while at < len(tokens) and len(run) < _MOST:
        token = tokens[at]
        joining = next((name for name in _JOINS if name in token.word.roles), "") if run and token.word.roles else ""
        if not (joining or token.word.number) or (
            run and not _TOUCHES.fullmatch(lower, tokens[at - 1].end, token.start)
        ):
            break
        follows = at + 1 < len(tokens) and (tokens[at + 1].word.number or not joins)
        if joining and follows and not (token.word.number and joins):
            joins, connective = joins or joining, token.form
        elif token.word.number:
            run.append(_Joined(token, token.word.number, at, joins, connective))
            joins, connective = "", ""
        else:
            break
        at += 1
    return run


def _sum(run: Sequence[_Joined]) -> tuple[list[_Part], int]:
    """The parts of the number that the first words make, and how many they are."""
    parts: list[_Part] = []
    whole: tuple[list[_Part], int] = ([], 0)
    before: tuple[list[_Part], int] = ([], 0)  # the last "and"
    for used, (_, word, _, joins, _) in enumerate(run):
        if used and joins not in ("", "and"):
            return parts, used
        ahead = [one.word for one in run[used + 1 : used + 3]]
        if used and word.value == "1" and ahead and ahead[0].value == "0.5":
            if ahead[-1].kind != "x":
                return parts, used  # "und eine halbe"
            continue
        if parts and word.value == "0.5" and ahead and ahead[0].kind == "x":  # "två och en halv miljon"
            article = not joins and _total(parts) == 1  # "un demi-million"
            parts = [*([] if article else parts), (_value(word.value), Decimal(0))]
            continue
        before = (parts, used) if joins else before
        multiplies = word.kind in _MULTIPLIES
        if word.kind == "/" and before[1] and 0 < _total(parts) - _total(before[0]) < _value(word.value):
            return before
        beside = [run[at].word.kind in _MULTIPLIES for at in (used - 1, used + 1) if 0 <= at < len(run)]
        goes_on = not parts or word.kind != DIGITS or (any(beside) and (not joins or run[0].word.kind == DIGITS))
        grown = _grown(parts, word) if goes_on else None
        if grown is None or (multiplies and len(grown) > 1 and grown[-1][0] >= grown[-2][1]):
            return whole if multiplies and whole[1] else (parts, used)
        parts = grown
        whole = (parts, used + 1) if multiplies else whole
    return parts, len(run)


def _grown(parts: list[_Part], word: NumberWord) -> list[_Part] | None:
    """A number with one word more; None if that cannot be."""
    if not word.value:
        return None
    value = _value(word.value)
    if word.kind == "+":
        return [*parts, (value, _EVERYTHING)]
    if word.kind == "x":
        return _multiplied(parts, value)
    if word.kind == "/":
        return [(_total(parts) / value, Decimal(0))] if parts else None
    if parts and value < 1:
        return None
    place = Decimal(1) if word.kind == DIGITS else _place(value)
    return [*parts, (value, place)] if not parts or value < parts[-1][1] else None


def _multiplied(parts: list[_Part], value: Decimal) -> list[_Part]:
    """A number times another: what is less than that is multiplied, else all of it ("zwei Millionen Milliarden")."""
    below = _total([part for part in parts if part[0] < value])
    kept = [part for part in parts if part[0] >= value]
    if kept and below == 0 and kept[-1][1] <= value:
        return [(_total(kept) * value, value)]
    alone = bool(parts) and parts[-1][1] == _EVERYTHING
    return [*kept, (((below + 1 if alone else below) or 1) * value, value)]


def _together(left: Numeral, joins: str, right: Numeral) -> str | None:
    """Two numbers and what joins them as one; None if they are two."""
    one, other = _value(left.text), _value(right.text)
    if joins == "point":
        both = right.text.isdecimal() and left.text.replace(",", "").isdecimal()
        return f"{left.text}.{right.text}" if both else None
    if not joins and "." in left.text and len(right.text) == 1 and not left.fraction:
        return left.text + right.text
    if joins in ("over", "parts of"):
        below, above = (one, other) if joins == "parts of" else (other, one)
        return _plain(above / below) if below else None
    if not right.fraction or one < 1 or other >= 1:
        return None
    if not joins and one == 1:  # "eine halbe"
        return right.text
    quarters = other * 4 % 1 == 0 and one < 10**15
    scale = next((power for power in (10**12, 10**9, 10**6) if quarters and one % power == 0), 1)
    return _plain(one + other * scale)  # "2 millones y medio"


def _total(parts: Sequence[_Part]) -> Decimal:
    return sum((value for value, _ in parts), Decimal(0))


def _place(value: Decimal) -> Decimal:
    """Below what is added to a number must stay: 20 takes a digit, 200 what is below a hundred, 25 nothing."""
    digits = str(value)
    return Decimal(10) ** (len(digits) - len(digits.rstrip("0"))) if value and "." not in digits else Decimal(0)


def _value(plain: str) -> Decimal:
    return Decimal(plain.replace(",", ""))


def _plain(value: Decimal) -> str:
    return f"{int(value):,}" if value == value.to_integral_value() else f"{value:.20f}".rstrip("0")
