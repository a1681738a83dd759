"""Split a text in any language into tokens: digits, and the words and phrases (forms) in the language's tables."""

import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Final

from pyterrier_quantity.extraction.grammar.numerals import VULGAR, Number, go_on
from pyterrier_quantity.extraction.grammar.tokens import DIGITS, NumberWord, Token, Word, any_of

from .tables import NO_NUMBER, Language

SIGNS: Final = r"[\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963]"
"""Characters that belong to the letter before them, such as Hindi vowel signs, which `re` does not count as letters."""
LETTER: Final = rf"(?:[^\W\d_]|{SIGNS})"
BESIDE: Final = re.compile(r"[ \t(-]*")
"""The text between the parts of a quantity, such as " (" in "5 (kg)"."""
_GOES_ON: Final = re.compile(  # text that continues digits: " 1/2", " x 10" (a power of ten), "(3)" (an uncertainty)
    rf" {{0,2}}(?:\d{{1,3}}/|[{''.join(VULGAR)}]|[×x*·⋅] ?10|[/^⁰¹²³⁴⁵⁶⁷⁸⁹⁻]|\*\*)|\(\d{{1,2}}\)|e[-+\d]"
)
_LESS: Final = r"-(?<![a-z0-9)\]-]-)(?<!\d -)(?= ?\d)"
_STARTS: Final = {  # patterns for the start of a token, for each value of the setting `blanks`
    "yes": rf"\b(?<!{SIGNS})\w(?!\w{{80}})|{_LESS}|\d(?<=\d[xhm]\d)|[^\w\s-](?<!{SIGNS})",
    "before": rf"(?<!{LETTER})[^\W\d_](?!\w{{80}})|{_LESS}|\d|[^\w\s-]",
    "no": rf"[^\sa-z-]|{_LESS}|(?<![a-z])[a-z]",
}
_BLANK: Final = " ,"
_BEFORE_NAME: Final = frozenset(("", " ", "(", ")", ") ", " ("))  # before a unit: ") " in "(5 ± 2) US dollars"
_GAP: Final = re.compile(rf" {LETTER}{{1,14}}(?= )")
_KANA: Final = re.compile(rf"(?<={LETTER})[ぁ-ヿ]")
_LATIN: Final = re.compile("[a-z]{2}")
_MOST_TOUCHING: Final = 60
_SHORT: Final = 3  # minimum length of a unit directly after a number word: "st" in "dreist" (bold) is not a unit


class Forms:
    """A dictionary of words and phrases (forms), which finds the forms that begin at an offset of a text."""

    def __init__(self, words: Mapping[str, Word]) -> None:
        self._words, self._match = words, re.compile(any_of(words)).match
        self._begun: dict[str, list[tuple[str, Word]]] = {}

    def at(self, lower: str, at: int) -> list[tuple[str, Word]]:
        """Return (phrase, meanings) for each phrase of the dictionary at offset `at` of a text, longest first."""
        found = self._match(lower, at)
        return self.within(found.group()) if found else []

    def within(self, longest: str) -> list[tuple[str, Word]]:
        """Return (phrase, meanings) for each phrase of the dictionary that is a prefix of `longest`, longest first."""
        if longest not in self._begun:
            forms = [longest[:size] for size in range(len(longest), 0, -1)]
            self._begun[longest] = [(form, self._words[form]) for form in forms if form in self._words]
        return self._begun[longest]


class Scanner:
    """Split texts in one language into tokens: "über 5 Kilo" -> "über", "5", "Kilo"."""

    def __init__(self, language: Language) -> None:
        settings = language.settings
        self._depth = 0
        self._lexicon, self._blanks = language.lexicon, language.blanks
        self._forms, self._closers = Forms(language.lexicon), Forms(language.closers)
        begun = {form[:size] for form in language.closers for size in range(1, len(form))}
        self._begun = {form for form, word in language.lexicon.items() if form in begun and (word.unit or word.number)}
        named = {form for form, word in language.lexicon.items() if word.name == NO_NUMBER}
        self._watched = self._begun | named if self._blanks == "yes" else language.lexicon.keys()
        begin = re.escape("".join({form[0] for form in language.lexicon}))
        begins = rf"(?=[\d{begin}-])(?={_STARTS[self._blanks]})"
        self._starts = re.compile(rf"{begins}(?:[\d-]|(?=({any_of(language.lexicon)})).)")
        repeated = "{0,4}" if self._blanks == "before" else "?"
        self._ending = re.compile(rf"(?:'?{any_of(settings['endings'])}){repeated}(?!{LETTER})")
        letters = {form: word.number for form, word in language.lexicon.items() if word.number and len(form) == 1}
        self._single = language.single_digits if self._blanks == "no" else {}
        self._points, self._decimals = tuple(settings["point"]), {".", *settings["decimal"]}
        times = any_of(form for form, number in letters.items() if number.kind == "x")
        one, digit = any_of(self._single), {form: int(value) for form, value in self._single.items()}
        pairs = any_of(low + high for low in digit for high in digit if 0 < digit[low] == digit[high] - 1)  # "三四"
        row = f"(?<!{any_of(letters)})(?!{pairs}(?!{one}))(?P<row>{one}{{2,300}})(?!{times})"
        self._digits = re.compile(f"(?P<minus>- ?)?(?:{_digits(settings)}|{row})")

    def scan(self, lower: str) -> list[Token]:
        tokens: list[Token] = []
        touching: dict[int, Token | None] = {}
        at = 0
        for found in self._starts.finditer(lower):
            start = found.start()
            if start < at or (token := self._token(lower, start, touching, found[1] or "")) is None:
                continue
            alone = token.word.unit and " " in token.form and not token.word.signs
            if alone and (not tokens or lower[tokens[-1].close : start] not in _BEFORE_NAME):
                continue  # "pour mille" is not a unit in "pour mille euros"
            while token:
                tokens.append(token)
                at = token.close
                token = self._after(lower, at, touching) if token.word.number or self._blanks == "before" else None
        return tokens

    def closers(self, lower: str, at: int, ceiling: int) -> Iterator[Token]:
        """Yield the tokens at offset `at`, up to offset `ceiling`, that can only follow a quantity ("or more")."""
        gap = BESIDE.match(lower, at)
        begin = gap.end() if gap else at
        for form, word in self._closers.at(lower, begin):
            end = begin + len(form)
            close = self.ends(lower, end)
            if close and end <= ceiling:
                yield Token(begin, end, close, form, word)

    def ends(self, lower: str, at: int) -> int:
        """Return the end offset of the inflectional ending after a word that ends at `at`: 5 for German "kilos", if
        "kilo" ends at 4. Return `at` if the word has no ending, and 0 if other letters follow."""
        if lower[at : at + 1] in _BLANK:
            return at
        if self._blanks != "yes" and _LATIN.match(lower, at - 1):
            return 0
        if self._blanks == "no" or not lower[at - 1 : at].isalnum():
            return at
        found = self._ending.match(lower, at)
        if self._blanks == "yes":
            return found.end() if found else 0
        return at if found or self._closers.at(lower, at) else 0

    def _after(self, lower: str, at: int, touching: dict[int, Token | None]) -> Token | None:
        """Return the token that begins at offset `at`, where another token ends, or None. `touching` caches results."""
        if lower[at : at + 1] in _BLANK:
            return None
        if at not in touching:
            self._depth += 1
            try:
                found = self._token(lower, at, touching) if self._depth <= _MOST_TOUCHING else None
            finally:
                self._depth -= 1
            if self._depth < _MOST_TOUCHING:
                touching[at] = found
            return found
        return touching[at]

    def _token(
        self, lower: str, at: int, touching: dict[int, Token | None], longest: str | None = None
    ) -> Token | None:
        """Return the longest token at offset `at`, or None. `longest` is the longest phrase of the tables at this
        offset, or None directly after another token. `touching` caches the results of `_after`, by offset."""
        first, touches = lower[at : at + 1], longest is None
        digits = first.isdecimal() or (first == "-" and not touches) or (first in self._single)
        if digits and (number := self._number(lower, at)):
            return number
        for form, word in self._forms.within(longest) if longest else self._forms.at(lower, at):
            end = at + len(form)
            if (touches or form in self._watched) and not self._stands(lower, at, form, word, touches):
                continue
            close = self.ends(lower, end)
            if close > end and len(form) < _SHORT and not word.number and lower[end] != "'":
                close = 0  # "ms" is not "m" with an ending
            if not close and (word.number or (self._blanks == "before" and not _LATIN.match(lower, end - 1))):
                close = end if self._after(lower, end, touching) else 0
            if word.gaps and (gapped := self._gapped(lower, at, end, word)):
                return gapped
            if close:
                return Token(at, end, close, form, word)
        return None

    def _number(self, lower: str, at: int) -> Token | None:
        """Return the token of a number in digits ("-5") or numeral characters ("二〇一九") at offset `at`, or None."""
        found = self._digits.match(lower, at)
        if not found:
            return None
        digits, end, sign = self._in_digits(found), found.end(), "-" if found["minus"] else ""
        if digits and _GOES_ON.match(lower, end):
            number = Number(float(digits), at, end, plain=digits.isdecimal())
            if go_on(lower, number) and number.end > end and math.isfinite(number.value):
                digits, end = f"{Decimal(repr(number.value)):f}", number.end
        if at and lower[at - 1] in self._decimals and digits.isdecimal() and not lower[at - 2 : at - 1].strip():
            digits, at = f"0.{digits}", at - 1
        return Token(at, end, end, lower[at:end], _in_words(digits and sign + digits))

    def _gapped(self, lower: str, at: int, end: int, word: Word) -> Token | None:
        """Return the token at `at` of a phrase with a gap, or None: "plus grand que" for "plus * que" (more * than)."""
        gap = _GAP.match(lower, end)
        for rest, bound in word.gaps.items():
            if gap and lower.startswith(rest, gap.end()) and (close := self.ends(lower, gap.end() + len(rest))):
                return Token(at, close, close, lower[at:close], Word(bounds={"before": bound}))
        return None

    def _stands(self, lower: str, at: int, form: str, word: Word, touches: bool) -> bool:
        """Return whether `form` at offset `at` is a token and not part of a longer word: false for "초" (a second) in
        "초과" (more than). `touches` states whether another token ends at `at`."""
        end = at + len(form)
        if word.name == NO_NUMBER:
            inner = [begin + len(it) for begin in range(at + 1, end) for it, _ in self._forms.at(lower, begin)]
            counts = any(after.number for _, after in self._forms.at(lower, end))
            return not touches and (self._blanks != "no" or not (counts or max(inner, default=0) > end))  # "十分"
        if form in self._begun and any(at + len(closer) > end for closer, _ in self._closers.at(lower, at)):
            return False  # "초" within "초과"
        if self._blanks == "yes":
            return not (touches and len(form) < _SHORT and not word.number and lower[at - 1].isalpha())  # "dreist"
        if word.number is not None:
            return touches or len(form) >= _SHORT or not _KANA.match(lower, at)  # "お母さん"
        return not (touches and word.signs and not word.unit)  # "万分之" within "一万万分之七"

    def _in_digits(self, found: re.Match[str]) -> str:
        """Return a matched number in digits, with a decimal point and without other separators: "1.299,50" ->
        "1299.50". Return "" for versions and codes: "1.2.3"."""
        if found["row"]:
            digits = "".join(self._single[letter] for letter in found["row"])
            return digits if found.string.endswith(self._points, 0, found.start()) else str(int(digits))
        whole, part, power = found["whole"] or found["others"], found["part"] or found["of_others"], found["power"]
        if not whole:
            return ""
        plain = whole if whole.isdecimal() else re.sub(r"\D", "", whole)
        return plain + (f".{part}" if part else "") + (power or "").replace("k", "e3")


@lru_cache(maxsize=4096)
def _in_words(digits: str) -> Word:
    return Word(NumberWord(DIGITS, digits))


def _digits(settings: Mapping[str, list[str]]) -> str:
    """Return a regular expression for numbers ("1.299,50") and codes ("1.2.3"), given the settings of a language."""
    decimal, groups = (re.escape("".join(settings[name]).replace("blank", " ")) for name in ("decimal", "groups"))
    whole = rf"\d{{1,3}}(?:[{groups}]\d{{2,3}})*[{groups}]\d{{3}}|\d{{1,3}}(?: \d{{3}}){{2,}}|\d+"
    others = rf"\d{{1,3}}(?:[{decimal}]\d{{3}}){{2,}}|\d{{1,3}}(?:[{decimal}]\d{{3}})+(?=[{groups}])|\d+"
    marks = re.escape(".,'") + (decimal + groups).replace(r"\ ", "")
    shapes = (
        rf"(?P<whole>{whole})(?:[{decimal}](?P<part>\d+))?",
        rf"(?P<others>{others})(?:[{groups}](?P<of_others>\d+))?",
        rf"\d+(?:[{marks}]\d+)*",
    )
    ends = rf"(?!\d|[{marks}]\d)"
    tail = r"(?P<power>e[-+]?\d{1,3}(?!\d)|k(?![a-z]))?(?:[.,]--?(?![\w-]))?"  # "1.299,- €"
    return rf"(?:{'|'.join(shape + ends for shape in shapes)}){tail}"
