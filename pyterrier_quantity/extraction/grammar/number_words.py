"""Number words: "twenty-five thousand", "two and a half million", "half a dozen", "a third"."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import NamedTuple

from pyterrier_quantity.english import SCALES_IN_WORDS as SCALES
from pyterrier_quantity.english import listed, set_of, wordings, words

_NUMBERS = wordings("numbers from zero")
ONES = {word: n for n, same in enumerate(_NUMBERS) for word in same.split("/")}
_TENS = wordings("tens from twenty")
TENS = {word: 10 * value for value, word in enumerate(_TENS, start=2)}
TIMES = {word: float(n) for n, word in enumerate(("once", "twice", "thrice"), start=1)}
"""Words for the number of times something is done, before a time: "twice a day"."""
_PARTS = words("""
    half/halves third/thirds quarter/quarters/fourth/fourths fifth/fifths sixth/sixths seventh/sevenths
    eighth/eighths ninth/ninths tenth/tenths
    """)
PARTS = {word: n for n, same in enumerate(_PARTS, start=2) for word in same.split("/")}
PARTS |= {f"{word}th{s}": 10**power for word, power in SCALES.items() if word.endswith(("d", "ion")) for s in ("", "s")}
PARTS |= {f"{word[:-1]}ieth{s}": value for word, value in TENS.items() for s in ("", "s")}
DOZEN = wordings("words for twelve")
_ALL = sorted({*ONES, *TENS, *SCALES, *PARTS, *DOZEN}, key=len, reverse=True)
_WORD = "(?:" + "|".join(_ALL) + ")"
_BEGINS = [*ONES, *TENS, *wordings("words for a half")]
_START = "(?:" + "|".join(sorted(_BEGINS, key=len, reverse=True)) + ")"
ONE_OF = words("""
    grand second minute hour hr day week month year century decade mile metre meter kilometre kilometer kilo
    kilogram foot inch pound dollar euro point percent ton tonne litre liter cup teaspoon tablespoon gallon
    """)
_SMALL = rf"(?:(?:{'|'.join(TENS)})-(?:{'|'.join(ONES)})|{_START})(?![a-z-])"
_BOUNDED = "|".join(f"(?<={word} )" for word in words("over than least most about around nearly almost under"))
RUN = re.compile(
    rf"(?:{_START}|(?<!several )(?<!few )(?<!many )(?<!some )(?<!the )(?:hundred|thousand|million|billion)"
    rf"(?= (?:and (?:{_SMALL}|an? half)|{_SMALL}|(?:thousand|million|billion)(?![a-z-])"
    rf"|(?:{'|'.join(ONE_OF)})s\b))|(?:{_BOUNDED})(?:hundred|thousand|million|billion)(?= [a-z]+s\b)"
    rf"|(?:a )?couple (?:of )?(?=(?:{'|'.join(SCALES)}|dozen)\b)|an? "
    rf"(?=(?:{'|'.join(SCALES)}|{'|'.join(PARTS)}|dozen)\b)|quarter (?:of )?a (?=million|billion|trillion))"
    "(?:(?: {1,2}|-| - |,? {1,2}and {1,2}|-and-|-and-a-|[ -]point[ -]|(?:(?<=thousand)|(?<=million)"
    r"|(?<=billion)), (?=(?:one|two|three|four|five|six|seven|eight|nine) hundred\b)|,? and an? | of"
    rf" an? | an? )?{_WORD}\b){{0,20}}"
).pattern
"""Pattern of a sequence of number words, in lower case; `parse` returns its first number."""


_BARE_SCALES = ("hundred", "thousand", "million", "billion")
"""Scales that begin a number: "hundred and fifty sheep"."""


def _hint() -> str:
    """Return a pattern to scan for words that begin a number, with one branch for each first letter."""
    counted = "|".join([*SCALES, *PARTS, *DOZEN, "couple", "[a-z]+ and", *ONE_OF])
    rests: dict[str, list[str]] = {}
    for word in [f"an? (?:{counted})", "quarter ", "couple ", *_BEGINS, *_BARE_SCALES, *TIMES]:
        rests.setdefault(word[0], []).append(word[1:])
    return "|".join(f"{letter}(?:{'|'.join(rest)})" for letter, rest in rests.items())


HINT = _hint()
_BEFORE_TOUCHING = "|".join(sorted({*ONES, *TENS}, key=len, reverse=True))
_TOKEN = re.compile(rf"(?:{_BEFORE_TOUCHING})(?=(?:{'|'.join([*SCALES, *ONES])})(?![a-z]))|[a-z]+")
"""A word of a number; two may be adjacent: "fivehundred", "twentyfour"."""
_COUPLE = re.compile("(?:a )?couple (?:of )?")
_ARTICLES, _BETWEEN = listed("indefinite articles"), set_of("a an of")
_AND = listed("words of addition")


class Words(NamedTuple):
    """A number in words: its value, its end, whether it is a share ("a third"), and its last scale's power."""

    value: float
    end: int
    share: bool = False
    power: int = 0


_Tokens = list[tuple[str, int]]
"""Words, each with its end; two empty ones follow the last."""


def parse(lower: str, start: int, stop: int) -> Words | None:
    """Return the number that begins at `start` of the lower-case text, or None."""
    word = lower[start:stop]
    if value := ONES.get(word) or TENS.get(word):
        return Words(float(value), stop)
    tokens = [(m.group(), m.end() + start) for m in _TOKEN.finditer(word)]
    if couple := _COUPLE.match(word):
        end = start + couple.end()
        tokens = [(_NUMBERS[2], end), *(token for token in tokens if token[1] > end)]
    return _run([*tokens, ("", 0), ("", 0)])


def _run(tokens: _Tokens) -> Words | None:
    whole, at = _whole(tokens)
    (word, stop), following = tokens[at], tokens[at + 1][0]
    part = PARTS.get(word, 0)
    if whole is None:  # "half", "half a million"
        return (_of_scale(tokens, 1, 1 / part) or Words(1 / part, stop, share=True)) if part else None
    last, end = tokens[at - 1]
    if part and whole > 0:
        plural = word.endswith("s")
        if (plural and part > 4) or (whole < part and (part < 11 or whole == 1)):  # "132 fifths", but "12 quarters"
            return _of_scale(tokens, at + 1, whole / part) or Words(whole / part, stop, share=whole < part)
        if not plural and part > 4:
            return None  # "the twenty-fifth"
    if word in _AND and PARTS.get(following, 0) > 4:
        return None  # "the one hundred and fifth"
    extra, after = _and_a_part(tokens, at)
    power = SCALES.get(last, 0)
    if extra:  # "two million and a half" people are 2.5 million
        whole, end = whole + extra * (10**power if power > 2 else 1), tokens[after - 1][1]
    return Words(float(whole), end, power=power)


class _Sum:
    """The whole number that words add up to, one word after another."""

    __slots__ = ("group", "last", "limit", "total")

    def __init__(self) -> None:
        self.total, self.group, self.last, self.limit = 0.0, 0.0, "", 99

    @property
    def value(self) -> float:
        return self.total + self.group

    def add(self, word: str) -> bool:
        """Take one more word, unless it cannot continue the number."""
        if word in SCALES:
            if not self.last:
                self.group, self.last = 1.0, "ones"
            self._scale(SCALES[word])
            return True
        value = ONES.get(word, TENS.get(word))
        behind_tens = self.last == "tens" and value is not None and 0 < value < 10
        if value is None or (self.last in ("ones", "tens") and not behind_tens):
            return False
        self.group, self.last = self.group + value, "ones" if word in ONES else "tens"
        return True

    def _scale(self, power: int) -> None:
        if power == 2 and self.group < 100 and self.last != "scale":
            self.group, self.last = self.group * 100, "hundreds"
            return
        if power < self.limit:
            self.total, self.limit = self.total + self.group * 10.0**power, power
        else:
            self.total = self.value * 10.0**power
        self.group, self.last = 0.0, "scale"


def _whole(tokens: _Tokens) -> tuple[float | None, int]:
    """Return the whole number (or "two point five") at the start of the tokens, and its number of tokens."""
    number = _Sum()
    at = int(tokens[0][0] in _ARTICLES and number.add(_NUMBERS[1]))
    while True:
        word, following = tokens[at][0], tokens[at + 1][0]
        goes_on = following in ONES or following in TENS
        if number.last == "scale" and word in _AND:  # "between two million and three million"
            goes_on &= next((SCALES[more] for more, _ in tokens[at + 1 : at + 5] if more in SCALES), 0) < number.limit
        if word in DOZEN and number.last in ("ones", "tens"):
            return number.total + number.group * 12, at + 1
        if word == "point" and number.last and goes_on:
            return _point(tokens, at + 1, number.value)
        if not (word in _AND and number.last in ("hundreds", "scale") and goes_on) and not number.add(word):
            return (number.value, at) if number.last else (None, 0)
        at += 1


def shifted(value: float, power: int) -> float:
    """Return value * 10**power, rounded once, as if written out; infinite beyond a float's range."""
    if not math.isfinite(value):
        return value
    written = repr(value)
    return float(Decimal(written).scaleb(power)) if "e" in written else float(f"{written}e{power}")


def _point(tokens: _Tokens, at: int, whole: float) -> tuple[float, int]:
    digits = ""
    tens = TENS.get(tokens[at][0])
    if tens is not None:  # "point seventy-one"
        more = ONES.get(tokens[at + 1][0], 0)
        digits, at = str(tens + more), at + (2 if more else 1)
    while tokens[at][0] in ONES and (ONES[tokens[at][0]] < 10 or not digits):
        digits += str(ONES[tokens[at][0]])
        at += 1
    return float(f"{whole:.0f}.{digits or 0}"), at


def _and_a_part(tokens: _Tokens, at: int) -> tuple[float, int]:
    """Return the part to add in "and a half", "and three quarters", and the token after it."""
    if tokens[at][0] not in _AND:
        return 0.0, at
    top = tokens[at + 1][0]
    at += 1 + (top in _ARTICLES or top in ONES)
    if tokens[at][0] in PARTS and tokens[at + 1][0] not in SCALES:
        return ONES.get(top, 1) / PARTS[tokens[at][0]], at + 1
    return 0.0, at


def _of_scale(tokens: _Tokens, at: int, value: float) -> Words | None:
    """Return a share times the scale after it: "two thirds | of a million", "half | a dozen". Return None if no scale
    follows."""
    while tokens[at][0] in _BETWEEN:
        at += 1
    word, end = tokens[at]
    if word in SCALES:
        return Words(value * 10.0 ** SCALES[word], end, power=SCALES[word])
    return Words(value * 12, end) if word in DOZEN else None
