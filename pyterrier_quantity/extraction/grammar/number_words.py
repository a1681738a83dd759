"""Parse numbers in any language from tokens: "two and a half million", "zweihundertfünf" (205), "3万" (30,000)."""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import gcd
from operator import attrgetter
from types import MappingProxyType
from typing import Final, NamedTuple

from .tokens import DIGITS, NumberWord, Token, Word, any_of

_MULTIPLIES: Final = ("x", "/")
_PLAIN_KINDS: Final = ("", DIGITS)
_PLAIN: Final = re.compile(r"\d+(?:\.\d+)?")
_RATED: Final = ("star", "point")
_EVERYTHING: Final = Decimal("Infinity")
_TOUCHING: Final = ("", " ", "-", "  ", "   ")  # texts between the words of a number: "-" in "twenty-five"
_JOINS: Final = ("point", "over", "parts of", "added", "and")
_COUNTED: Final = re.compile(r" ?[^\w\s.,;:!?()]")  # the symbol of a unit: "%", "€"
_NOUN: Final = r"[^\W\d_]{3,20}"
_LONGEST: Final = 300
_MOST: Final = 60
_ORDINALS: Final = 11  # an ordinal of at least this value is a fraction only after "one": "one hundredth"
_SCALES: Final = (10**12, 10**9, 10**6)
_DOZEN: Final = (12,)


class Numeral(NamedTuple):
    """A number in a text.

    text: the value in digits, with a decimal point if needed.
    doubtful: 1 if the number may be an article ("un"), 2 if it may be an ordinal or part of another word, otherwise 0.
    fraction: whether the number is a fraction or ends with a fraction.
    bound: the bound stated by a word inside the number ("十几万", over 100,000), or "".
    power: the power of ten of a scale word at the end (3 for "5 Tausend", 5 thousand), or 0 without a scale word.
    plain: whether the number is written only in digits.
    high: the upper end of an estimated range ("三四十", thirty to forty), or "".
    """

    start: int
    end: int
    text: str
    doubtful: int = 0
    fraction: bool = False
    bound: str = ""
    power: int = 0
    plain: bool = False
    high: str = ""

    @property
    def value(self) -> Decimal:
        return Decimal(self.text)

    def plus(self, part: Decimal) -> "Numeral":
        return self._replace(text=f"{self.value + part:f}", plain=False)

    def scaled(self, power: int) -> "Numeral":
        return self._replace(text=f"{self.value.scaleb(power):f}", plain=False, power=power)


_Part = tuple[Decimal, Decimal]  # a value, and the limit below which the next part must be: (20, 10) for "twenty"


class Joined(NamedTuple):
    """A number word in a text: its token, its meaning, and its index among the tokens. `connective` is the word between
    the previous number word and this one ("und"), and `joins` is the English meaning of the connective ("and")."""

    token: Token
    word: NumberWord
    at: int
    joins: str = ""
    connective: str = ""


class Numerals:
    """Parse the numbers of one language from the tokens of a text. In all methods, `run` is a sequence of number words,
    and `used` is the number of words at the start of `run` that were parsed.

    Args:
        blanks: where spaces are: "yes" (between words), "no" (nowhere), or "before" (before words, not before endings).
        shortened: whether a final digit counts in the place below the word before it: "三千五" (3000, 5) is 3,500.
        shares: the words between the two numbers of a fraction: "sur" for "trois sur dix" (3/10). In "* sur", "*" is
            any noun: "un Français sur trois" (one French person in three).
        closers: words and phrases that are recognised only directly after a quantity ("or more").
        least: the smallest number before "and" and a whole number: 100 in English ("one hundred and five"), else 0.
    """

    def __init__(
        self,
        blanks: str = "yes",
        shortened: bool = False,
        shares: Sequence[str] = (),
        closers: Mapping[str, Word] = MappingProxyType({}),
        least: int = 0,
    ) -> None:
        self._closers, self._least = closers, least
        behind_noun = any_of(words.removeprefix("* ") for words in shares if words.startswith("* "))
        self._shares = re.compile(rf" (?:(?P<noun>{_NOUN} ){behind_noun}|{any_of(shares)}) ")
        self._rows, self._apart, self._shortened = blanks == "no", blanks == "yes", shortened

    def read(self, lower: str, tokens: Sequence[Token], at: int) -> tuple[Numeral | None, int]:
        """Return the number that begins at token index `at`, or None, and the index of the token after the number."""
        run = run_of(lower, tokens, at)
        if not run:
            return None, at + 1
        numeral, used = self.number(run)
        if numeral and len(numeral.text) > _LONGEST:
            numeral = None
        if numeral and not (at and "minus" in tokens[at - 1].word.roles):
            numeral, used = self._estimate(numeral, run, used)
            if (share := self._share(numeral, lower, tokens)) is not None:
                return share
        for one in run[1:used]:
            if numeral and one.connective in self._closers:
                numeral = numeral._replace(bound=self._closers[one.connective].bounds.get("after", ""))
        return numeral, run[max(used, 1) - 1].at + 1

    def _share(self, above: Numeral, lower: str, tokens: Sequence[Token]) -> tuple[Numeral, int] | None:
        """Return the fraction with the numerator `above` ("trois sur dix") and the index of the next token, or None."""
        between = self._shares.match(lower, above.end)
        if between is None or not _PLAIN.fullmatch(above.text):
            return None
        at = bisect_left(tokens, between.end(), key=attrgetter("start"))
        if at == len(tokens) or tokens[at].start != between.end():
            return None
        below, following = self.read(lower, tokens, at)
        if below is None or above.value > below.value or _COUNTED.match(lower, below.end):
            return None
        end = below.end
        if following < len(tokens) and (unit := tokens[following].word.unit) and tokens[following].start == end + 1:
            if unit.name in _RATED and not between["noun"]:  # "4,5 von 5 Sternen"
                return above._replace(end=end), following
            if between["noun"]:  # "3 livres sur 4 tables"
                return None
            end, following = tokens[following].close, following + 1  # "drei von zehn Haushalten"
        text = _plain(above.value / below.value)
        return above._replace(end=end, text=text, doubtful=0, fraction=True), following

    def _estimate(self, one: Numeral, run: Sequence[Joined], used: int) -> tuple[Numeral, int]:
        """Merge a number (`one`) with the next number if the two state an estimated range: "三四十" -> 30 to 40. The
        first `used` words of `run` state `one`. Return the number and its length in words."""
        alone = used == 1 and run[0].word.kind
        article = one.doubtful and self._apart  # "en tvåårig"
        if alone or article or used == len(run) or run[used].joins or run[used].word.kind:
            return one, used
        if used > 1:  # "二十七八"
            last = int(one.text[-1]) if self._rows and one.text.isdecimal() and used + 1 == len(run) else 0
            if not 0 < last < 9 or Decimal(run[used].word.value) != last + 1:
                return one, used
            return one._replace(end=run[used].token.end, high=f"{one.value + 1:f}"), used + 1
        other, more = self.number(run[1:])
        times = other.value / (one.value + 1) if other and 0 < one.value < 10 else Decimal(0)
        if other is None or times < 1 or str(times).strip("0") != "1":
            return one, used
        low, doubtful = f"{one.value * times:f}", max(one.doubtful, other.doubtful)
        return other._replace(start=one.start, text=low, high=other.text, doubtful=doubtful), 1 + more

    def number(self, run: Sequence[Joined]) -> tuple[Numeral | None, int]:
        """Parse the number at the start of a sequence of number words (`run`). Return the number and how many words
        were parsed: "two hundred" -> (200, 2). For an ordinal ("twenty-fifth"), return None instead of the number."""
        left, used = self._simple(run)
        while left and used < len(run):
            joins, ahead = run[used].joins, run[used:]
            if joins == "point":
                return self._pointed(left, run, used)
            right, more = (self.number if joins in ("added", "and") else self._simple)(ahead)
            apart = self._least and not joins  # "six half-litre bottles"
            scales = _DOZEN if run[used - 1].word[:2] == ("x", "12") else _SCALES
            found = _together(left, joins, right, scales) if right and not apart else None
            if found is None:
                break
            left, used = found, used + more
        ordinal = used < len(run) and run[used].word.kind == "/" and run[used].word.doubtful > 1
        return None if ordinal else left, used  # "twenty-fifth"

    def _pointed(self, left: Numeral, run: Sequence[Joined], used: int) -> tuple[Numeral, int]:
        """Extend a number (`left`) to include decimals and a scale word: "two point seven five million" -> 2750000. The
        first `used` words of `run` state `left`. Return the new number and its length in words."""
        digits, at = "", used
        stop = next((place for place in range(used, len(run)) if run[place].word.kind == "x"), len(run))
        while at < stop and not (digits and run[at].joins):
            right, more = self._simple(run[at:stop])
            if right is None or not right.text.isdecimal() or (digits and len(right.text) > 1):
                break
            digits, at = digits + right.text, at + more
        if not digits or not left.text.isdecimal():
            return left, used
        value = Decimal(f"{left.text}.{digits}")
        while at < len(run) and run[at].word.kind == "x" and not run[at].joins:
            value, at = value * Decimal(run[at].word.value), at + 1
        last = run[at - 1]
        return Numeral(left.start, last.token.end, _plain(value), power=_power(last.word)), at

    def _simple(self, run: Sequence[Joined]) -> tuple[Numeral | None, int]:
        """Return the number before the first connective in `run`, and its length in words: (2, 1) for "two and a half".
        If the words do not state a number, return None instead of the number."""
        token, first = run[0].token, run[0].word
        parts, used = ([], 1) if first.kind in _PLAIN_KINDS and len(run) == 1 else _sum(run, self._least)
        if first.kind in _PLAIN_KINDS and used == 1:
            return _alone(token, first), 1
        if not parts:
            return None, 1
        last = run[used - 1]
        touches = used > 1 and run[used - 2].token.end == last.token.start and last.word.kind == ""
        if self._shortened and touches and len(parts) > 1 and parts[-1][0] < 10 and parts[-2][1] >= 100:
            parts[-1] = (parts[-1][0] * parts[-2][1] / 10, Decimal(1))  # "三千五" is 3,500
        value = _total(parts)
        powers = self._rows and all(one.word.kind == "x" for one in run[:used])  # of "東京"
        syllables = all(one.word.doubtful > 1 for one in run[:used])  # "조사"
        doubtful = max(int(powers), 2 * syllables, first.doubtful if used == 1 else 0)
        fraction = 0 < value < 1 or last.word.kind == "/"
        return Numeral(token.start, last.token.end, _plain(value), doubtful, fraction, power=_power(last.word)), used


def _power(word: NumberWord) -> int:
    return len(word.value) - 1 if word.kind == "x" and word.value.strip("0") == "1" else 0


def _alone(token: Token, word: NumberWord) -> Numeral | None:
    if not word.value:
        return None
    fraction, plain = word.kind == "" and word.value.startswith("0."), token.end - token.start == len(word.value)
    return Numeral(token.start, token.end, word.value, word.doubtful, fraction, plain=plain and word.kind == DIGITS)


def run_of(lower: str, tokens: Sequence[Token], at: int) -> list[Joined]:
    """Return the number words from token index `at` on, with connectives ("and"). `lower` is the text in lower case."""
    run: list[Joined] = []
    joins, connective = "", ""
    for place in range(at, min(at + _MOST, len(tokens))):
        token = tokens[place]
        number, roles = token.word.number, token.word.roles
        if run and lower[tokens[place - 1].end : token.start] not in _TOUCHING:
            break
        if run and "linking" in roles and (run[-1].word.kind == "/" or run[-1].word.value == "0.5"):
            following = next((one for one in tokens[place + 1 : place + 3] if "linking" not in one.word.roles), None)
            if following and following.word.number and following.word.number.kind == "x":
                continue  # "trois quarts de million", "half a million"
        joining = next(filter(roles.__contains__, _JOINS), "") if run and roles else ""
        if joining and (not number or (not joins and place + 1 < len(tokens))):
            joins, connective = joins or joining, token.form
            continue
        if not number:
            break
        one = Joined(token, number, place, joins, connective)
        if number[:2] == ("", "0.5") and not joins and run and run[-1].word[:2] == ("", "1"):  # "eine halbe"
            article = run.pop()
            one = article._replace(
                token=token._replace(start=article.token.start), word=number._replace(doubtful=0), at=place
            )
        run.append(one)
        joins, connective = "", ""
    return run


def _sum(run: Sequence[Joined], least: int) -> tuple[list[_Part], int]:
    """Return the parts of the number at the start of the number words `run`, and its length in words: "twenty five" ->
    20 and 5, two words. "and" adds a whole number only to a number of at least `least`: 100 in English ("one hundred
    and five"), 0 in other languages."""
    parts: list[_Part] = []
    multiplied = joined = 0  # the number of words up to the last factor, and before the last "and"
    before = Decimal(0)  # "and"
    for used, (_, word, _, joins, _) in enumerate(run):
        whole = word.kind == "" and Decimal(word.value or 0) >= 1
        if used and joins and (joins != "and" or (whole and _total(parts) < least)):
            return parts, used
        if joins:
            joined, before = used, _total(parts)
        if word.kind == "/" and joined and 0 < _total(parts) - before < Decimal(word.value):
            return _sum(run[:joined], least)  # "100 und drei Viertel"
        if least and word.kind == "x" and joined and 1000 <= before < Decimal(word.value):
            return _sum(run[:joined], least)  # "between half a million and one million"
        following = run[used + 1].word if used + 1 < len(run) else None
        apart = least and parts and not joins and word[:2] == ("", "0.5")  # "two half-dozen packs"
        grown = _grown(parts, word, following) if _goes_on(run, used) and not apart else None
        multiplies = word.kind in _MULTIPLIES
        if grown is None or (multiplies and len(grown) > 1 and grown[-1][0] >= grown[-2][1]):
            return _sum(run[:multiplied], least) if multiplies and multiplied else (parts, used)
        parts = grown
        multiplied = used + 1 if multiplies else multiplied
    return parts, len(run)


def _goes_on(run: Sequence[Joined], used: int) -> bool:
    """Return whether the word run[used] may continue the number before this word: true for "million" after "5". Only
    a factor ("million") or a divisor ("thirds") may follow digits."""
    word, last = run[used].word, run[used - 1].word if used else None
    if last is None:
        return True
    if last.kind == DIGITS:
        return word.kind in _MULTIPLIES and (used > 1 or word.doubtful != 1)
    if word.kind == "/" and (word.doubtful > 1 or (word.doubtful and not last.kind)):
        above, below = int(Decimal(last.value)), int(word.value)  # "dois quartos" are rooms: nobody says two quarters
        parts = not last.kind and above < below and gcd(above, below) == 1
        return parts and (word.doubtful < 2 or below < _ORDINALS or above == 1)
    whole = not run[used].joins or run[0].word.kind == DIGITS
    return word.kind != DIGITS or (last.kind in _MULTIPLIES and whole)


def _grown(parts: list[_Part], word: NumberWord, following: NumberWord | None) -> list[_Part] | None:
    """Add a number word to the parts of a number, and return the new parts (20 and "five" -> 20, 5). Return None if
    `word` begins another number. `following` is the next number word, or None."""
    if not word.value:
        return None
    value = Decimal(word.value)
    if word.kind == "+":
        alone = following is None or following.kind not in _PLAIN_KINDS  # "सवा लाख"
        return [*parts, (value + alone, _EVERYTHING)]
    if word.kind == "x":
        return _multiplied(parts, value)
    if word.kind == "/":
        times = following is not None and following.kind == "x"  # "quarter of a million"
        return [((_total(parts) if parts else 1) / value, Decimal(0))] if parts or times else None
    if parts and value < 1 and not (following and following.kind == "x"):  # "två och en halv miljon"
        return None
    return [*parts, (value, _place(value))] if not parts or 0 < value < parts[-1][1] else None


def _multiplied(parts: list[_Part], value: Decimal) -> list[_Part]:
    """Multiply the parts of a number by the next number word, a factor such as "thousand", and return the new parts.
    Only parts smaller than `value` (1000) are multiplied. If every part is larger, `value` becomes a new part ("un
    million mille", 1,001,000). A value that is too large for a new part multiplies the whole number ("zwei Millionen
    Milliarden", 2e15)."""
    below = _total([part for part in parts if part[0] < value])
    kept = [part for part in parts if part[0] >= value]
    if kept and below == 0 and kept[-1][1] <= value:
        return [(_total(kept) * value, value)]
    return [*kept, ((below or 1) * value, value)]


def _together(left: Numeral, joins: str, right: Numeral, scales: Sequence[int]) -> Numeral | None:
    """Return the number formed by two numbers and the connective `joins` ("five", "and", "a half" -> 5.5), or None. A
    fraction is multiplied by the largest of `scales` that divides the first number ("two million and a half")."""
    one, other = left.value, right.value
    if joins in ("over", "parts of"):
        below, above = (one, other) if joins == "parts of" else (other, one)
        return Numeral(left.start, right.end, _plain(above / below), fraction=True) if below else None
    if not right.fraction or one < 1 or other >= 1:
        return None
    quarters = other * 4 % 1 == 0 and one < 10**15
    scale = next((power for power in scales if quarters and one % power == 0), 1)
    power = left.power if scale > 1 else 0
    return Numeral(left.start, right.end, _plain(one + other * scale), power=power)  # "2 millones y medio"


def _total(parts: Sequence[_Part]) -> Decimal:
    return sum((value for value, _ in parts), Decimal(0))


def _place(value: Decimal) -> Decimal:
    """Return the limit for the next part of a number, which must be smaller: 10 after 20, 100 after 200, 1 after 25."""
    digits = str(value)
    return Decimal(10) ** (len(digits) - len(digits.rstrip("0"))) if value and "." not in digits else Decimal(0)


def _plain(value: Decimal) -> str:
    return f"{int(value)}" if value == value.to_integral_value() else f"{value:.20f}".rstrip("0")
