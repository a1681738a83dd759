"""Units in running text: the phrase after a number, the sign before it, the denominator behind either."""

from __future__ import annotations

import re

from pyterrier_quantity.units.context import decide
from pyterrier_quantity.units.lexer import AGO, BLANK, CONSTANT, FIRST, INVERSE, NEXT, POWER, PRODUCT, TAIL, WORD
from pyterrier_quantity.units.model import Surface, UnitMatch
from pyterrier_quantity.units.nouns import singular
from pyterrier_quantity.units.vocabulary import Vocabulary

_POWER_WORDS = {
    "square": "square", "sq": "square", "cubic": "cubic", "cu": "cubic", "sqr": "square",
}
_POWER_OF = {"2": "square", "²": "square", "squared": "square", "3": "cubic", "³": "cubic", "cubed": "cubic"}
_ADVERBS = {
    "hourly": "hour", "daily": "day", "nightly": "night", "weekly": "week", "monthly": "month",
    "quarterly": "quarter", "yearly": "year", "annually": "year",
}
_DENOMINATOR = {
    "pound": "pound-mass", "pounds": "pound-mass", "h": "hour", "d": "day", "s": "second", "m": "metre",
    "y": "year", "t": "metric ton", "a": "year", "g": "gram", "sh": "share", "cell": "cell", "w": "week",
    "quarter": "quarter", "mo": "month", "ha": "hectare", "unit": "unit", "point": "point", "case": "case",
    "head": "head", "second": "second", "lot": "lot", "hl": "hectolitre", "dose": "dose", "k": "kelvin",
}
_ADJECTIVES = frozenset(
    "common ordinary preferred diluted fully primary class a b new outstanding each single metric live full "
    "every american depositary u.s. us whole additional registered bearer".split())
_NO_NOUN = frozenset(
    "the our their its his her my your this that these those se cent cents capita an to of in on and or for "
    "with each every such any all one two three four five six seven eight nine ten".split())
_NOT_AFTER_ARTICLE = frozenset(
    "point lot bit goal hit drop board count time turn record cut unit stone mark log case second copy dram "
    "grain nit french gauge mach cup equivalent cycle assist rebound".split())
_TIMES = frozenset("second minute hour day night week fortnight month quarter year decade century season".split())
_WORD = re.compile(rf"{WORD}(?:-{WORD})?")
_GAP = re.compile(rf"{BLANK}{{1,2}}|-")
_TIMES_SIGNS = ("x", "X", "×", "*")
_UPPER_LIMIT = re.compile(rf"{BLANK}{{0,2}}(?:(?:the|institutional|local|laboratory|lab){BLANK}){{0,3}}((?:UP|LO|up|Up|U|L)[A-Za-z]+)")
_BLANKS = " \t\r\n\u00a0\u2007\u2009\u200a\u202f"


class Matcher:
    """Reads units off a text with the surfaces of one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._exact = vocabulary.exact
        self._folded = vocabulary.folded
        self._longest = vocabulary.longest
        self._before = vocabulary.before
        self._units = vocabulary.units
        self._powered = {name for name, unit in vocabulary.units.items() if unit.family == "length"} | {"second"}
        lengths: dict[str, set[int]] = {}
        for sign in self._before:
            lengths.setdefault(sign[-1], set()).add(len(sign))
        self._sign_lengths = {last: tuple(sorted(sizes, reverse=True)) for last, sizes in lengths.items()}

    def after(self, text: str, position: int) -> UnitMatch | None:
        """The longest unit phrase that starts at `position`, after optional blanks or a hyphen."""
        first = FIRST.match(text, position)
        if first is None:
            return None
        token = first.group(1)
        longest = self._longest.get(token) or self._longest.get(token.lower())
        if longest is None:
            return self._unlisted(text, position, first)
        found = self._phrase(text, first, longest)
        if found is None:
            if token.lower() in _POWER_WORDS:
                return self._tail(text, self._powered_word(text, first))
            return None
        surface, end = found
        start = first.start(1)
        unit, confidence = surface.unit, surface.confidence
        if surface.rule:
            verdict = decide(surface.rule, text, position, start, end, unit, confidence)
            if verdict is None:
                return None
            unit, confidence = verdict
        follower = text[end : end + 1]
        if not follower:
            return UnitMatch(unit, start, end, confidence, surface.scale)
        if unit in self._powered:
            unit, end = self._raise(text, unit, end)
            follower = text[end : end + 1]
        if surface.symbol and follower.isdigit():
            return None
        return self._tail(text, UnitMatch(unit, start, end, confidence, surface.scale))

    def _unlisted(self, text: str, position: int, first: re.Match[str]) -> UnitMatch | None:
        """What starts with no unit word: "/mm3", "square feet", "x ULN"."""
        token = first.group(1)
        if token == "/":
            return self._bare_denominator(text, position)
        if token.lower() in _POWER_WORDS:
            return self._tail(text, self._powered_word(text, first))
        if token in _TIMES_SIGNS:
            found = _UPPER_LIMIT.match(text, first.end())
            if found is not None:
                inner = self.after(text, found.start(1))
                return None if inner is None else inner._replace(start=first.start(1))
        return None

    def _phrase(self, text: str, first: re.Match[str], longest: int) -> tuple[Surface, int] | None:
        """The longest surface that starts with the token `first`."""
        token = first.group(1)
        best = self._exact.get(token) or self._folded.get(token.lower())
        end = first.end()
        found = (best, end) if best is not None else None
        raw = folded = ""
        raw, folded = token, token.lower()
        for _ in range(longest - 1):
            following = NEXT.match(text, end)
            if following is None:
                break
            token = following.group(1)
            raw += " " + token
            folded += " " + token.lower()
            end = following.end()
            best = self._exact.get(raw) or self._folded.get(folded)
            if best is not None:
                found = (best, end)
        return found

    def _powered_word(self, text: str, first: re.Match[str]) -> UnitMatch | None:
        """"square feet", "cu. ft.": the power's word comes first."""
        following = NEXT.match(text, first.end())
        if following is None:
            return None
        token = following.group(1)
        surface = self._exact.get(token) or self._folded.get(token.lower())
        if surface is None or surface.unit not in self._powered:
            return None
        unit = f"{_POWER_WORDS[first.group(1).lower()]} {surface.unit}"
        return UnitMatch(unit, first.start(1), following.end())

    def _raise(self, text: str, unit: str, end: int) -> tuple[str, int]:
        power = POWER.match(text, end)
        if power is None:
            return unit, end
        sign = power.group(1) or power.group(2) or power.group(3).lower()
        return f"{_POWER_OF[sign]} {unit}", power.end()

    def _tail(self, text: str, match: UnitMatch | None) -> UnitMatch | None:
        """Append products and denominators."""
        if match is None:
            return None
        unit, end = match.unit, match.end
        for _ in range(4):
            grown = self._denominator(text, end, unit)
            if grown is None:
                break
            unit, end = grown
        return match if end == match.end else match._replace(unit=unit, end=end)

    def _bare_denominator(self, text: str, position: int) -> UnitMatch | None:
        """"100,000/mm3": nothing above the stroke."""
        tail = TAIL.match(text, position)
        if tail is None or tail.group("slash") is None:
            return None
        below = self._below(text, tail.end(), False, False)
        if below is None or below[0] not in self._units and not below[0].startswith(("square ", "cubic ")):
            return None
        match = UnitMatch(f"per {below[0]}", tail.start("slash"), below[1], 0.9)
        return self._tail(text, match)

    def _denominator(self, text: str, end: int, unit: str) -> tuple[str, int] | None:
        """One more denominator behind `end`: the grown name and where it ends."""
        tail = TAIL.match(text, end)
        if tail is None:
            return self._inverse(text, end, unit)
        kind = tail.lastgroup
        if kind == "adverb":
            return f"{unit} per {_ADVERBS[tail.group('adverb').lower()]}", tail.end()
        if kind == "article":
            return self._article(text, tail, unit)
        below = self._below(text, tail.end(), kind == "per", True)
        return None if below is None else (f"{unit} per {below[0]}", below[1])

    def _article(self, text: str, tail: re.Match[str], unit: str) -> tuple[str, int] | None:
        below = self._below(text, tail.end(), False, False)
        if below is None:
            return None
        name, end = below
        each = tail.group("article").lower() in ("each", "every")
        if name in _NOT_AFTER_ARTICLE or (each and name not in _TIMES):
            return None
        if name in _TIMES and AGO.match(text, end):
            return None
        return f"{unit} per {name}", end

    def _inverse(self, text: str, end: int, unit: str) -> tuple[str, int] | None:
        match = INVERSE.match(text, end)
        if match is None:
            return None
        surface = self._exact.get(match.group(1))
        if surface is None or not surface.symbol:
            return None
        name = _DENOMINATOR.get(match.group(1), surface.unit)
        power = {"2": "square ", "²": "square ", "3": "cubic ", "³": "cubic "}.get(match.group(3), "")
        return f"{unit} per {power}{name}", match.end()

    def _below(self, text: str, position: int, nouns: bool, constants: bool) -> tuple[str, int] | None:
        """The name below the stroke and its end; with `nouns`, any noun will do."""
        constant = CONSTANT.match(text, position) if constants else None
        prefix = ""
        if constant is not None:
            amount = float(constant.group(1).replace(",", ""))
            amount *= {"thousand": 1e3, "million": 1e6}.get(constant.group(2) or "", 1.0)
            prefix = f"{amount:.10g} "
            position = constant.end()
        word = _WORD.match(text, position)
        if nouns and word is not None and word.group().lower() in _ADJECTIVES:
            skipped = self._skip_adjectives(text, word)
            if skipped is not None:
                position = skipped
        known = self._known_below(text, position)
        if known is not None:
            return prefix + known[0], known[1]
        if nouns or prefix:
            noun = self._noun(text, position)
            if noun is not None:
                return prefix + noun[0], noun[1]
        return None

    def _known_below(self, text: str, position: int) -> tuple[str, int] | None:
        first = NEXT.match(text, position)
        if first is None or first.start(1) != position:
            return None
        token = first.group(1)
        if token.lower() in _POWER_WORDS:
            powered = self._powered_word(text, first)
            return None if powered is None else (powered.unit, powered.end)
        longest = self._longest.get(token) or self._longest.get(token.lower())
        if longest is None:
            return None
        found = self._phrase(text, first, longest)
        if found is None:
            return None
        surface, end = found
        unit = _DENOMINATOR.get(text[first.start(1) : end].lower() if surface.rule else "", surface.unit)
        if unit in self._powered:
            unit, end = self._raise(text, unit, end)
        if text[end : end + 1].isdigit() or surface.scale != 1.0:
            return None
        return unit, end

    def _skip_adjectives(self, text: str, word: re.Match[str]) -> int | None:
        """"per common share", "per fully diluted share": the position of the noun behind, if it is a known unit."""
        position = word.start()
        for _ in range(3):
            if word.group().lower() not in _ADJECTIVES:
                return position if self._known_below(text, position) else None
            gap = _GAP.match(text, word.end())
            following = _WORD.match(text, gap.end()) if gap else None
            if following is None:
                return None
            word, position = following, following.start()
        return position

    def _noun(self, text: str, position: int) -> tuple[str, int] | None:
        word = _WORD.match(text, position)
        if word is None or len(word.group()) < 3 or word.group().lower() in _NO_NOUN:
            return None
        return singular(word.group().lower()), word.end()

    def per(self, text: str, position: int, numerator: str) -> UnitMatch | None:
        """The denominator at `position`, put below `numerator`."""
        grown = self._denominator(text, position, numerator)
        if grown is None:
            return None
        start = position
        while start < grown[1] and text[start] in _BLANKS:
            start += 1
        match = UnitMatch(grown[0], start, grown[1])
        return self._tail(text, match)

    def before(self, text: str, end: int) -> UnitMatch | None:
        """The currency sign or code that ends at `end`, blanks between left out."""
        stop = end
        while stop > 0 and end - stop < 2 and text[stop - 1] in _BLANKS:
            stop -= 1
        if stop <= 0:
            return None
        sizes = self._sign_lengths.get(text[stop - 1])
        if sizes is None:
            return None
        for size in sizes:
            start = stop - size
            if start < 0:
                continue
            surface = self._before.get(text[start:stop])
            if surface is not None and not (start and text[start].isalpha() and text[start - 1].isalnum()):
                if surface.rule and stop != end:
                    continue
                return UnitMatch(surface.unit, start, stop, surface.confidence, surface.scale)
        return None
