"""Parse English number words: "twenty-five thousand", "two and a half million", "half a dozen", "a third"."""

import re
from functools import lru_cache

from pyterrier_quantity.english import NUMBERS, rows_of, words
from pyterrier_quantity.english import SCALES_IN_WORDS as SCALES

from .number_words import Numeral, Numerals, run_of
from .tokens import NumberWord, Token, Word, any_of

_MEANINGS = {form: meaning for meaning, forms in rows_of("numbers.tsv") for form in forms.split("|")}
_MEANINGS |= {word: f"x{10**power}" for word, power in SCALES.items()}
_WORDS = {form: Word(NumberWord.of(meaning)) for form, meaning in _MEANINGS.items()}
for _word, _role in (("and", "and"), ("point", "point"), ("a", "linking"), ("an", "linking"), ("of", "linking")):
    _WORDS.setdefault(_word, Word()).roles.add(_role)
ONES = {word: value for word, value in NUMBERS.items() if value < 20}
TENS = NUMBERS.keys() - ONES.keys()
TIMES = {word: float(n) for n, word in enumerate(("once", "twice", "thrice"), start=1)}
"""A dictionary from adverbs before a unit of time ("twice a day") to numbers: "twice" -> 2.0."""
PARTS = {"half": 2, "halves": 2}
PARTS |= {form: int(meaning.strip("/?")) for form, meaning in _MEANINGS.items() if meaning[0] == "/"}
DOZEN = [form for form, meaning in _MEANINGS.items() if meaning == "x12"]
_ALL = sorted({*ONES, *TENS, *SCALES, *PARTS, *DOZEN}, key=len, reverse=True)
_WORD = "(?:" + "|".join(_ALL) + ")"
_BEGINS = [*ONES, *TENS, "half"]
_START = "(?:" + "|".join(sorted(_BEGINS, key=len, reverse=True)) + ")"
ONE_OF = words("""
    grand second minute hour hr day week fortnight month year century decade mile metre meter kilometre kilometer kilo
    kilogram foot inch pound ounce stone dollar euro point percent ton tonne litre liter pint quart cup teaspoon
    tablespoon gallon
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
"""A pattern that matches number words in lower case: "two million". A match may contain two numbers: "two three"."""


_COUNTED = any_of([*SCALES, *PARTS, *DOZEN, "couple", *ONE_OF])
_SOLE = ("hundred", "thousand", "million", "billion", "quarter ", "couple ", *TIMES)
HINT = f"{any_of([*_BEGINS, *_SOLE])}|an? {_COUNTED}"
"""A regular expression for the words that may begin a number, such as "two", "hundred" and "a dozen"."""
_TOKEN = re.compile(rf"(?:a )?couple(?: of)?|{_WORD}(?=(?:{_WORD})*(?![a-z]))|and|point|of|an?")  # in "fivehundred"
_NUMERALS = Numerals(least=100)


@lru_cache(maxsize=4096)
def parse(run: str) -> Numeral | None:
    """Return the number at the start of a string of number words ("two million" -> 2000000), or None."""
    apart = run.replace(",", " ").replace("-", " ")
    tokens = [Token(*found.span(), found.end(), found[0], _WORDS[found[0]]) for found in _TOKEN.finditer(apart)]
    return _NUMERALS.number(run_of(apart, tokens, 0))[0]
