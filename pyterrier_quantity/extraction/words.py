"""Number words: "twenty-five thousand", "two and a half million", "half a dozen", "a third"."""

from __future__ import annotations

import re
from decimal import Decimal

from .data import in_order

ONES = {word: value for value, word in enumerate(in_order("ones"))}
TENS = {word: 10 * value for value, word in enumerate(in_order("tens"), start=2)}
TENS["fourty"] = 40
SCALES = {
    "hundred": 2,
    "thousand": 3,
    "lakh": 5,
    "million": 6,
    "mln": 6,
    "crore": 7,
    "billion": 9,
    "bln": 9,
    "trillion": 12,
    "quadrillion": 15,
}
"""Scale words and their power of ten."""

PARTS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4,
    "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6, "seventh": 7, "sevenths": 7, "eighth": 8, "eighths": 8,
    "ninth": 9, "ninths": 9, "tenth": 10, "tenths": 10,
}  # fmt: skip
_ALL = sorted({*ONES, *TENS, *SCALES, *PARTS, "dozen"}, key=len, reverse=True)
_WORD = "(?:" + "|".join(_ALL) + ")"
_START = "(?:" + "|".join(sorted([*ONES, *TENS, "half"], key=len, reverse=True)) + ")"
RUN = (
    rf"(?:{_START}|an? (?=(?:{'|'.join([*SCALES, *PARTS, 'dozen'])})\b)|quarter (?:of )?a (?=million|billion|trillion))"
    rf"(?:(?:[ -]| - |,? and |-and-|-and-a-|[ -]point[ -]|,? and an? | of an? | an? )?{_WORD}\b){{0,20}}"
)
"""Pattern of a run of number words, to be matched in lower case; `parse` says how much of it is one number."""

_TOKEN = re.compile(r"[a-z]+")


class Words:
    """One number in words: its value, where it ends, and whether it is a share ("a third", "half")."""

    __slots__ = ("end", "scaled", "share", "value")

    def __init__(self, value: float, end: int, share: bool = False, scaled: bool = False) -> None:
        self.value, self.end, self.share, self.scaled = value, end, share, scaled


def parse(low: str, start: int, stop: int) -> Words | None:
    """Read the number that begins at `start` of the lower-case text; None if the words state none."""
    tokens = [(m.group(), m.end() + start) for m in _TOKEN.finditer(low[start:stop])]
    whole, at = _whole(tokens, 0)
    if whole is None:
        return _share_or_scaled_share(tokens)
    end = tokens[at - 1][1]
    scaled = tokens[at - 1][0] in SCALES
    if at < len(tokens) and tokens[at][0] in PARTS and 0 < whole < 100 and not scaled:
        return _fraction(tokens, at, whole)
    extra, after = _and_a_part(tokens, at)
    if extra:
        whole, at, end = whole + extra, after, tokens[after - 1][1]
        if at < len(tokens) and tokens[at][0] in SCALES:
            return Words(whole * 10.0 ** SCALES[tokens[at][0]], tokens[at][1], scaled=True)
    return Words(float(whole), end, scaled=scaled)


def _whole(tokens: list[tuple[str, int]], at: int) -> tuple[float | None, int]:
    """The whole number (or "two point five") at the head of the tokens, and how many tokens it takes."""
    total, group, last, limit = 0.0, 0.0, "", 99
    if tokens[at][0] in ("a", "an"):
        at += 1
        if at == len(tokens) or tokens[at][0] in PARTS:
            return None, 0
        group, last = 1.0, "one"
    first = at
    while at < len(tokens):
        word = tokens[at][0]
        if word in ONES:
            value = ONES[word]
            if last == "one" or (last == "ten" and not 0 < value < 10):
                break
            group, last = group + value, "one"
        elif word in TENS:
            if last in ("one", "ten"):
                break
            group, last = group + TENS[word], "ten"
        elif word == "dozen" and last in ("one", "ten"):
            return total + group * 12, at + 1
        elif word in SCALES and last:
            power = SCALES[word]
            if power == 2 and group < 100 and last != "scale":
                group, last = group * 100, "hundred"
            elif power < limit:
                total, group, last, limit = total + group * 10.0**power, 0.0, "scale", power
            else:
                total, group, last = (total + group) * 10.0**power, 0.0, "scale"
        elif word == "and" and last in ("hundred", "scale"):
            after = tokens[at + 1][0] if at + 1 < len(tokens) else ""
            if after not in ONES and after not in TENS:
                break
        elif word == "point" and last and at + 1 < len(tokens) and tokens[at + 1][0] in ONES:
            return _point(tokens, at + 1, total + group)
        else:
            break
        at += 1
    if at > first and tokens[at - 1][0] == "and":
        at -= 1
    return (total + group, at) if last and at > 0 else (None, 0)


def shifted(value: float, power: int) -> float:
    """value * 10**power, rounded once, as if it had been written out; infinite beyond a float's range."""
    written = repr(value)
    return float(Decimal(written).scaleb(power)) if "e" in written else float(f"{written}e{power}")


def _point(tokens: list[tuple[str, int]], at: int, whole: float) -> tuple[float, int]:
    digits = ""
    while at < len(tokens) and tokens[at][0] in ONES and ONES[tokens[at][0]] < 10:
        digits += str(ONES[tokens[at][0]])
        at += 1
    value = float(f"{whole:.0f}.{digits or 0}")
    if at < len(tokens) and tokens[at][0] in SCALES:
        value, at = shifted(value, SCALES[tokens[at][0]]), at + 1
    return value, at


def _and_a_part(tokens: list[tuple[str, int]], at: int) -> tuple[float, int]:
    """ "and a half", "and three quarters": the part to add, and the token after it."""
    if at + 1 >= len(tokens) or tokens[at][0] != "and":
        return 0.0, at
    at += 1
    top = 1
    if tokens[at][0] in ("a", "an", "one"):
        at += 1
    elif tokens[at][0] in ONES:
        top, at = ONES[tokens[at][0]], at + 1
    if at < len(tokens) and tokens[at][0] in PARTS:
        return top / PARTS[tokens[at][0]], at + 1
    return 0.0, at


def _fraction(tokens: list[tuple[str, int]], at: int, top: float) -> Words | None:
    return Words(top / PARTS[tokens[at][0]], tokens[at][1], share=True)


def _share_or_scaled_share(tokens: list[tuple[str, int]]) -> Words | None:
    """ "half", "a third", "half a million", "a quarter of a million", "quarter million"."""
    at = 1 if tokens[0][0] in ("a", "an") else 0
    if at == len(tokens) or tokens[at][0] not in PARTS:
        return None
    value, end = 1 / PARTS[tokens[at][0]], tokens[at][1]
    rest = at + 1
    while rest < len(tokens) and tokens[rest][0] in ("a", "an", "of"):
        rest += 1
    if rest < len(tokens) and tokens[rest][0] in SCALES and tokens[at][0] in ("half", "quarter"):
        return Words(value * 10.0 ** SCALES[tokens[rest][0]], tokens[rest][1], scaled=True)
    if rest < len(tokens) and tokens[rest][0] == "dozen":
        return Words(value * 12, tokens[rest][1])
    return Words(value, end, share=True)
