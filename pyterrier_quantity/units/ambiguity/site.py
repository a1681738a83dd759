"""Describe the text around an ambiguous unit word or sign, such as "C" in "25 C", for rules that choose the unit.

The rules see at most `REACH` characters on each side, so the time does not depend on the length of the text.
"""

import re
from typing import NamedTuple

from pyterrier_quantity.english import STOP_WORDS, rows_of, set_of
from pyterrier_quantity.units.tokens import BLANK, LETTER, ranges_on, similar

REACH = 80
Verdict = tuple[str, float] | None

_NUMBER = re.compile(
    r"[\d.,\u00bc-\u00be\u2150-\u215e-](?:[\d.,/\u00bc-\u00be\u2150-\u215e-]*|(?<=\d)[\d.,]*[eE][-+]?\d{1,3})$"
)
_SIDE = re.compile(r"\d ?[x×]$")  # text before the second dimension of a thing: "2x" in "2x3m"
# A number and its symbol at the end of a text, such as the first end of a range.
_FIRST_END = re.compile(rf"\d{BLANK}?({LETTER}{{1,3}})$")
# The text before the name of an atomic orbital: "C" in "the C 1s peak".
_ELEMENT = re.compile(r"(?:^|[\s(/])(?!(?:A[nst]|B[ey]|Do|Go|He|I[fnst]?|My|No|O[fnr]|So|To|Up|We)\s)[A-Z][a-z]?\s$")
# The text before the load and speed code of a tyre: "205/55 R16 " in "205/55 R16 91V".
_TYRE = re.compile(r"\d/\d\d ?Z?R ?\d\dC?\s+$")
_NEXT_WORD = re.compile(r"[\s\u00a0-]{0,2}([^\W\d_]*)")
# Words before a number that is part of a name, so that the letter after the number is not a unit: "type 2F".
_LABELS = set_of("""
    type types grade group class stage figure fig table section chapter exhibit version model phase channel
    chromosome chromosomes no room suite hepatitis vitamin series apartment form schedule appendix rule title
    note item page vol division gate route block nos category cat arm cohort protein gene variant article boeing
    tc flight runway site
    """)


class Site(NamedTuple):
    """An ambiguous unit word after a number, with the text around it: "C" in "25 C".

    number_end: the end offset of the number; start, end: the character span of the word.
    unit, confidence: the usual unit of the word, and the confidence in this unit if no rule decides.
    """

    text: str
    number_end: int
    start: int
    end: int
    unit: str
    confidence: float

    @property
    def word(self) -> str:
        return self.text[self.start : self.end]

    @property
    def glued(self) -> bool:
        """Return whether the word is attached to the number, without space or hyphen: true for "12v"."""
        return self.start == self.number_end

    @property
    def before(self) -> str:
        """Return at most `REACH` characters of the text before the unit word, including the number."""
        return self.text[max(0, self.number_end - REACH) : self.number_end]

    @property
    def around(self) -> str:
        return self.text[max(0, self.number_end - REACH) : self.end + REACH]

    def next_word(self) -> str:
        match = _NEXT_WORD.match(self.text, self.end)
        return match.group(1) if match else ""

    def number(self) -> str:
        """Return the digits of the number, or "" if the number is written in words."""
        match = _NUMBER.search(self.before.rstrip())
        return match.group() if match else ""

    def label_before(self) -> bool:
        """Return whether the number belongs to a name: true for "type 2F", "Tc-99m", "Boeing 737", "R16 91V"."""
        head = self.before.rstrip()
        number = _NUMBER.search(head)
        head = head[: number.start()] if number else head
        first = _FIRST_END.search(head) if number and number[0][0] == "-" else None  # "500g-2kg" is a range
        if number and (_SIDE.search(head) or (first and similar(first[1], self.word))):
            return False
        if (number and (head[-1:].isalpha() or _TYRE.search(head))) or (self.word in "spdf" and _ELEMENT.search(head)):
            return True
        last = head.rstrip(" \t\r\n\u00a0.:#(")[-16:]
        return last[-1:].isalpha() and _LETTERS.findall(last)[-1].lower() in _LABELS

    def clings(self) -> bool:
        """Return whether the unit word is only the beginning of a name: true for "5 C-section", "3 M's", "22q11"."""
        after = self.text[self.end : self.end + 2]
        if not after:
            return False
        if after[0].isalnum() or (after[0] in "-'’&." and after[1:].isalpha()):
            return not (after[0] == "." and after[1].islower())
        return after[0] == "-" and after[1:].isdigit() and not ranges_on(self.text, self.start)

    def in_name(self) -> bool:
        """Return whether the word has at most two letters and is part of a name: true for "type 2F", "5 C-section"."""
        return len(self.word) <= 2 and (self.clings() or self.label_before())

    def is_alone(self) -> bool:
        """Return whether the whole text is the number, its unit and possibly a bound, like the query "under 12v"."""
        number = len(self.before) - len(self.before.rstrip()) + len(self.number())
        return number > 0 and says_nothing_else(self.text, self.number_end - number, self.end)

    def large(self) -> bool:
        """Return whether the number looks like an amount of money: true for "5 million", "4.50" or "1200"."""
        number = self.number()
        return _SCALED.search(self.before.lower()) is not None or "." in number or len(number) > 3


CONTEXTS = dict(rows_of("contexts.tsv"))


def about(contexts: str) -> re.Pattern[str]:
    """Return a pattern that finds lower-case words about the given topics: about("climbing") finds "summit"."""
    return re.compile("|".join(CONTEXTS[context] for context in contexts.split(", ")))


_SCALED = about("scales of money")


def says_nothing_else(text: str, start: int, end: int) -> bool:
    """Return whether a short text has only the quantity from `start` to `end` and stop words: true for "under 12v"."""
    if len(text) > _LONGEST_ALONE or _GOES_ON.search(text, end):
        return False
    return STOP_WORDS.issuperset(_LETTERS.findall(text[:start].lower()))


_LONGEST_ALONE = 40
_LETTERS = re.compile(r"[^\W\d_]+")
_GOES_ON = re.compile(r"[\w$'\"\n]")
