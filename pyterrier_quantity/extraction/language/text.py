"""Split a text in any language into tokens, and find the token or unit before or after an offset of the text."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from pyterrier_quantity.extraction.grammar.number_words import Numeral, Numerals
from pyterrier_quantity.extraction.grammar.tokens import Token, any_of
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.quantity import SIDES
from pyterrier_quantity.units import UnitMatch, UnitRegistry

from .dates import Dates
from .scanner import BESIDE, LETTER, Scanner
from .tables import NO_NUMBER, SPACED, Language, folder_of

_FAR, _NEAR, _CONTEXT = 5, 30, 200
_BLANKS: Final = " \t(-"
_GAPS: Final = frozenset(("x", "×"))  # they mean "times" in all languages: "30 x 20 cm"
_MARKS: Final = " ,;、"
_PLUS: Final = re.compile(r"(?<![^\s(])\+(?=\d)")
_SYMBOL: Final = re.compile(  # symbol of a unit after a number, with denominators: "kWh", "g/dL", "°C"
    r"\s{0,2}(?:(?P<word>[A-Za-zµμΩ]{1,4})(?![a-zA-ZÀ-ɏ])|[^\w\s.,;:!?()])[!-~µμΩ°²³‰\u20a0-\u20bf£¥¢]{0,60}"
    r"(?:(?<=\d) [A-Za-z]{1,3}(?![^\W\d_]))?"
)


_OPENED: Final = re.compile(r" ?\((?=[^\s()]{1,12}\))")


class Tools:
    """The regular expressions and parsers for a language, compiled from the language's tables."""

    def __init__(self, language: Language) -> None:
        self.language, self.scanner = language, Scanner(language)
        around, self.dates = language.settings, Dates(language)
        self.numerals = Numerals(language.blanks, bool(around["last digit"]), around["shares"], language.closers)
        blank = " " if language.blanks == "yes" else " ?"
        word = rf"(?P<between>{LETTER}+ )?" if language.blanks == "yes" else "(?P<between>)"
        negation = any_of(around["negation"])
        begun = rf"(?<!{LETTER}){negation}{blank}{word}" if language.blanks != "no" else f"{negation}{word}"
        self.negated = re.compile(rf"{begun}\Z")
        self.turned = re.compile(rf" ?{any_of(around['negation behind'])}")
        self.another_time = re.compile(rf" {any_of(around['another time'])}(?!{LETTER})")
        below = any_of(around["below zero"])
        self.below_zero = re.compile(rf" {below}(?!{LETTER})") if around["below zero"] else None
        linking, apart = any_of(language.settings["linking"]), language.blanks == "yes"
        self.noun = re.compile(rf" (?:{linking} ?)?({LETTER}{{3,20}}) " if apart else "(?!)()")


@lru_cache(maxsize=32)
def tools_of(code: str) -> Tools:
    """Return the compiled tables of a language, given the language's code or the path to a folder of tables.
    Raise a LanguageError if the language is unknown, or if a row of a table is malformed."""
    return Tools(Language(folder_of(code)))


class LanguageText(Text):
    """A text with its tokens. A form is a word or phrase of the language's tables; a token is a form in the text.

    masked: the text in lower case, with each character of a date replaced by "\\\\0".
    tokens, starts: the tokens in order, and their start offsets.
    begins, closes: the tokens keyed by start offset, and the tokens keyed by end offset.
    days: dates, clock times and other digits that are not read as numbers, each as a `Date`.
    dates: the years and dates in the text, as mentions.
    nouns: the spans of nouns within a quantity: "Zucker" (sugar) in "5 g Zucker pro 100 g".
    kept: for each character, its offset in the original text. Empty if no spaces between ideographs were removed.
    """

    __slots__ = ("begins", "closes", "dates", "days", "kept", "masked", "nouns", "starts", "tokens", "tools")

    def __init__(self, text: str, registry: UnitRegistry, tools: Tools) -> None:
        self.kept: list[int] = []
        if tools.language.blanks == "no" and (gaps := {at for f in SPACED.finditer(text) for at in range(*f.span())}):
            self.kept = [at for at in range(len(text)) if at not in gaps]  # "百 分 之 五"
            text = "".join([text[at] for at in self.kept])
        super().__init__(text, registry)
        self.tools = tools
        self.dates: list[Mention] = []
        self.nouns: list[tuple[int, int]] = []
        self.days, masked, at = list(tools.dates.find(self.lower)), "", 0
        for day in self.days:
            masked += self.lower[at : day.start] + "\0" * (day.end - day.start)
            at = day.end
        masked += self.lower[at:]
        self.masked = _PLUS.sub(" ", masked) if "+" in masked else masked
        self.tokens = tools.scanner.scan(self.masked)
        self.starts = [token.start for token in self.tokens]
        self.begins = {token.start: token for token in self.tokens}
        self.closes = {token.close: token for token in self.tokens}

    def between(self, first: Mention, second: Mention) -> str:
        """Return the text between two mentions, translated to English: " et " -> " and ". If the tables lack a word of
        the text, return " ` ", which matches no rule."""
        start, end = max(first.end, first.after_end), min(second.start, second.cue_start)
        written = self.masked[start:end]
        words = written.strip(_MARKS)
        if not words and first.bound in SIDES and second.bound in SIDES:
            return " and "  # "1000以上、1500以下"
        if written == "; " and "," in self.tools.language.settings["decimal"]:
            return ", "  # "22,9; 29,9 und 31,9 kg"
        if words in _GAPS or not any(map(str.isalpha, words)):
            return written or " "
        names, at = "", start
        for token in self.tokens[bisect_left(self.starts, start) : bisect_left(self.starts, end)]:
            name = token.word.name
            if any(map(str.isalpha, self.masked[at : token.start])) or name in ("", NO_NUMBER) or token.close > end:
                return " ` "
            names += f"{self.masked[at : token.start].strip()} {name}"
            at = token.close
        return " ` " if any(map(str.isalpha, self.masked[at:end])) else f"{names}{self.masked[at:end].strip()} "

    def put_back(self, mentions: list[Mention]) -> None:
        """Convert the spans of mentions to offsets in the original text, which may have spaces between ideographs."""
        if not self.kept:
            return
        starts, ends = [*self.kept, self.kept[-1] + 1], [at + 1 for at in self.kept]
        for mention in mentions:
            mention.move(starts, ends)

    def negation(self, start: int, end: int, touching: bool = False) -> tuple[int, int] | None:
        """Return the span of a negation ("nicht") before the offset `start` or after the offset `end`, or None. One
        other word may come between a negation and `start`, unless `touching` is true."""
        before = self.tools.negated.search(self.masked, max(0, start - _NEAR), start)
        if before and before.group().strip() and not (touching and before["between"]):
            return before.start(), start
        after = None if before else self.tools.turned.match(self.masked, end)
        return (end, after.end()) if after and after.group().strip() else None

    def kinds(self) -> Iterator[tuple[int, int, str]]:
        """Yield (start, end, kind) for each number, unit and bound: (0, 1, "number") and (2, 4, "unit") for "5 kg"."""
        for start, end, _, _, word in self.tokens:
            if word.number or word.unit or word.signs or word.bounds:
                yield start, end, "number" if word.number else "bound" if word.bounds else "unit"

    def after(self, at: int) -> Token | None:
        """Return the token after offset `at`, or None. Spaces and an opening bracket may come before the token."""
        token = self.begins.get(at)
        if token is None and self.masked[at : at + 1] in _BLANKS:
            gap = BESIDE.match(self.masked, at + 1) if self.masked[at + 1 : at + 2] in _BLANKS else None
            token = self.begins.get(gap.end() if gap else at + 1)
        return token

    def before(self, at: int, floor: int) -> Token | None:
        """Return the token directly before offset `at`, or None if the token starts before the offset `floor`."""
        token = self.closes.get(at)
        if token is None and self.masked[at - 1 : at] in _BLANKS:
            token = self.closes.get(at - 1)
            if token is None and self.masked[at - 2 : at - 1] in _BLANKS:
                blanks = self.masked[max(0, at - _FAR) : at]
                token = self.closes.get(at - len(blanks) + len(blanks.rstrip(_BLANKS)))
        return token if token and token.start >= floor else None

    def number(self, token: Token | None) -> Numeral | None:
        """Return the number that begins with a token, or None: 2,000,000 for the token "two" in "two million"."""
        if token is None:
            return None
        return self.tools.numerals.read(self.masked, self.tokens, bisect_left(self.starts, token.start))[0]

    def unit_after(self, at: int) -> UnitMatch | None:
        """Return the unit after offset `at`, written as a word ("Kilo") or a symbol ("kg"), or None."""
        token, symbol = self.after(at), self.symbol(at)
        unit = token.word.unit if token else None
        if token is None or unit is None or (symbol and symbol.end > token.close):  # "km/h" is more than "km"
            return symbol
        return UnitMatch(unit.name, token.start, token.close, 1.0, float(unit.factor))

    def symbol(self, at: int) -> UnitMatch | None:
        """Return the unit whose symbol ("kg", "°C", "(kg)") follows offset `at`, or None."""
        at = opened.end() if (opened := _OPENED.match(self.plain, at)) else at
        shape = _SYMBOL.match(self.plain, at)
        if shape is None or shape["word"] in self.tools.language.no_symbols:
            return None
        floor = max(0, at - _CONTEXT)
        unit = self.registry.match_after(self.plain[floor : shape.end()], at - floor)
        return unit and unit._replace(start=unit.start + floor, end=unit.end + floor)

    def kind(self, unit: str) -> str:
        """Return "unit" for a unit of measurement ("kilogram"), or "noun" for a counted noun ("worker")."""
        return "unit" if self.registry.family(unit) else "noun"

    def alike(self, unit: str, other: str) -> bool:
        return unit == other or self.registry.family(unit) == self.registry.family(other)
