"""Find the next number in a text, in digits or words, and compute its value: "2.5 million" -> 2500000."""

import math
import re
import unicodedata
from decimal import Decimal

from pyterrier_quantity.english import SCALES as POWERS
from pyterrier_quantity.english import any_of, one_of, wordings
from pyterrier_quantity.english.adjectives import COMPARATIVES

from .english_numbers import HINT, ONE_OF, ONES, PARTS, RUN, TENS, TIMES, parse

_VULGAR = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
VULGAR = {char: unicodedata.numeric(char) for char in _VULGAR}
_CLOSING = frozenset(")]")
_DIGITS_BEGIN = frozenset(".0123456789")
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")

_THAN = re.compile(r"(?:%|pct|per ?cent|\d(?: [a-z]+)?) (?:more|less|fewer)(?: [a-z]+)? than \Z")
_UNITS_THING_MEASURED = any_of(
    "kilo kilogram pound ounce tonne litre liter pint quart gallon cup teaspoon tablespoon foot inch mile"
)
_CANDIDATE = re.compile(  # a number that begins with a word or a sign: "twenty", "½"
    rf"(?<![{_VULGAR}])[{_VULGAR}](?![{_VULGAR}])|(?<![\w])(?:(?:{RUN})(?:(?![\w])|(?=fold\b))|an? "
    rf"(?=(?:{'|'.join(ONE_OF)}) and (?:(?:an?|one|two|three)[ -](?:half|quarter|third)s?"
    rf"|(?<=hour and )(?:ten|fifteen|{'|'.join(TENS)}))\b)|(?=an? (?:{'|'.join(ONE_OF)})\b)(?!"
    r"(?<=over )an? (?:day|week|month|year|decade|century|pint)\b|(?<=for )an? (?:century|pound|pint|[a-z]+-)"
    r"|an? stone\b(?! (?:in|since|by|and|or|on|at|for)\b|[.,;)]|\Z))"
    rf"(?:{'|'.join(f'(?<={words} )' for words in wordings('words before one unit'))}|(?:"
    rf"{'|'.join(f'(?<={word} than )' for word in COMPARATIVES)})(?!an? [a-z]+ (?:ago|earlier|before)\b))an?"
    rf" (?=(?:{'|'.join(ONE_OF)})\b(?! (?:of the|and a|old|-)|(?<=second) (?:or third|"
    rf"{one_of('nouns after the ordinal second')})\b))|an? (?={_UNITS_THING_MEASURED} of (?!the\b|an?\b))"
    rf"|an? (?=(?:{'|'.join(ONE_OF)}) or (?:so|two|more|less|longer|thereabouts)\b)"
    r"|an? (?=(?:week|day|hour|minute) and (?:\d+|[a-z]+) (?:day|hour|minute|second)s?\b))"
    rf"|(?<!\w)(?:{'|'.join(TIMES)})(?= (?:(?:daily|weekly"
    rf"|monthly|yearly|annually)|(?:a|an|per|each|every) {one_of('spans after a number of times')})\b)"
)
_WORDED = re.compile(rf"\b(?P<word>{HINT})", re.ASCII)
# The first word of a number in words ("twenty"), or all digits of a number in digits.
_HINT = re.compile(rf"[^a-z_](?:(?<=[0-9{_VULGAR}])\d*(?:(?:[.,]\d+){{1,40}}|)|(?P<word>{HINT}))", re.ASCII)

_POINTED = re.compile(r"(?:\A|[^\w.]|(?:\A|[^\d.])\.)\Z")  # the text before a decimal point: " " in " .5"
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?\Z|\d{1,2}(?:,\d{2})*,\d{3}(?:\.\d+)?\Z")
_POINT_GROUPED = re.compile(r"[1-9]\d{0,2}(?:\.\d{3}){2,}(?:,\d+)?\Z|[1-9]\d{0,2}(?:\.\d{3})+,\d+\Z")
_APOSTROPHES = re.compile(r"\d{1,3}(?:'\d{3}){1,40}(?:[.,]\d{1,2})?(?![\d'])")
_TAIL = re.compile(
    rf"(?P<mixed>[ -]?[{_VULGAR}])|(?:(?P<join> ?- ?| and |  ?))?(?P<top>\d{{1,3}})/(?P<bottom>\d{{1,4}})"
    r"(?![\d/]|[.,]\d)|/(?P<over>\d{1,4})(?![\d/]|[.,]\d| \(\d+(?:\.\d+)?%)"
)
_POWER = re.compile(
    r" 10(?:\^|\*\*?)(?P<f>\d{1,2})(?= ?/)| ?(?:x|×|\*|·|⋅) ?10 ?(?:(?:\^|\*\*?|e|exp) ?\(?(?P<a>[-+⁻⁺]?\d{1,3}"
    r")\)?|(?P<b>[⁻⁺]?(?:[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}|(?<=[⁻⁺])\d{1,2}))|\((?P<c>-?\d{1,2})\)|(?P<d>- ?\d{1,2}"
    r"|(?<= )\d{1,2}|[3-9]|1[0-2])(?![\d]|[.,]\d| ?%))|e(?P<e>[-+]?\d{1,3})(?!\w|\.\d)"
)
_LOST = re.compile(r" ?x ?10\d\d?")
_MANY = re.compile(r" ?(?:/|per\b|[a-z]{1,3}/|[a-z]{3,}s\b)")  # "cells" in "70 x 104 cells/L", which is 70 x 10^4
_TEN_POWER = re.compile(
    r" ?(?:(?:\^|\*\*?) ?\(?(?P<a>[-+⁻⁺]?\d{1,3})\)?|(?P<b>[⁻⁺]?(?:[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}|(?<=[⁻⁺])\d{1,2})))"
    r"| (?P<c>-[1-9])(?!\w|[.,/-]\d)"
)
SCALE = re.compile(rf"(?:[ -]{{0,2}}|\r?\n)(?P<word>{'|'.join(POWERS)})(?![\w])")
_GOES_ON = re.compile(  # text that may continue digits: "1/2", "x 10", "million"
    rf" 10[*^]|[ -]{{0,2}}(?:[\d{_VULGAR}/x×*·⋅^⁰¹²³⁴⁵⁶⁷⁸⁹⁻]|e[-+\d]|and\b|doz|(?:{'|'.join(POWERS)})"
    r"(?!\w))|\r?\n"
)
_MARKS_ON = frozenset((*f"0123456789{_VULGAR}/x×*·⋅^⁰¹²³⁴⁵⁶⁷⁸⁹⁻ead\r\n", *(word[0] for word in POWERS)))
AND_PART = re.compile(r" and (?:a |one[ -]|(?P<many>two|three)[ -])?(?P<part>half|quarter|third)s?(?![\w-])")
HALVES = {2, 3, 4, 5, 6, 8, 10, 12, 16, 32, 64, 100, 128, 1000}
"""Denominators of fractions in digits, as in "3/4". With another denominator, n/m is two numbers: "140/90"."""

_RATED = re.compile(r" ?stars?\b")  # "4/5 stars" is 4
_MODELS = frozenset((18, 24, 43, 48, 72, 76, 87, 144))  # denominators of model scales: "1/18"
_AGAIN = re.compile(rf" ?\((?:(\d[\d,]*(?:\.\d+)?)|({RUN}))\)(?! ?%)")
AGAIN = frozenset(
    (" (", *(f"({digit}" for digit in range(10)), " p", "/-", "-p", "-o", "-s", "-i", "is", "od", ",-", ".-")
)
"""The first two characters of any text that `again` adds to a number, such as " (" in "thirty (30)"."""
_POWERS_BEHIND = (" 10^", " 10*")  # powers without a multiplication sign: "300 10^3/µL"
_RAISED = re.compile(r"\^\(?(?P<a>[-+]?\d{1,2})\)?(?!\w|\.\d)")
_DOZENS = re.compile(r" (?:dozens?|doz\.?)(?!\w)")
_UNCERTAIN = re.compile(r"\(\d{1,2}\)(?![\w(])")  # an uncertainty of the last digit: "0.495274(1) Å"
_SIGNS = frozenset("+-")
_SPREAD = re.compile(  # two uncertainties after a number: " +1.2 -0.9" in "13.0 +1.2 -0.9 km"
    r" ?(?:\+\d+(?:\.\d+)? ?/ ?-|-\d+(?:\.\d+)? ?/ ?\+)\d+(?:\.\d+)?(?![\d.,]*\d)"
    r"| (?:\+\d+\.\d+,? -|-\d+\.\d+,? \+)\d+\.\d+(?![\d.,]*\d)"
)
_DECIMAL_GROUPS = re.compile(  # groups of digits after the decimal point: "1.602 176 634 × 10^-19", "938.272 0813(58)"
    r"(?: \d{3,4})+(?: \d{1,3})?(?= ?[×x·*] ?10|\(\d{1,3}\))|(?: \d{3}){2,}(?![ .,]?\d)"
    r"| \d{2,3}(?=\(\d{1,2}\)|(?<== \d\.\d{3} \d\d) [^\W\d_])"
)
_ROUGHLY = re.compile(
    "-(?P<more>plus)(?=[ -])|(?<=[05]) (?P<more_of>plus)(?= (?!fees|taxes|costs|extras|expenses|bills"
    r"|utilities|charges|tips|extras)(?:people|[a-z]{3,}s)\b)|-?(?:odd|some)(?= [a-z])|-?ish\b|"
    r"(?P<even>[.,/]--?(?![\w-]))"
)

# The first two characters of any text that continues digits with a group, such as " 2" in "1 234 567".
_GROUPED_AT = frozenset((*(f" {digit}" for digit in range(10)), *(f",{digit}" for digit in range(10)), ", "))
_LONGEST = 320


class Number:
    """A number in a text: "5 million" has the value 5e6, the mantissa 5 and the power 6.

    value: the value of the number with its scale word.
    mantissa: the value without the scale word.
    power: the power of ten of the scale word ("million"), or 0 without a scale word.
    before: the word before the number, in lower case and without opening brackets or quotes.
    apart: whether a word (only letters) and a space precede the number.
    start, end: the character span of the number, without a minus sign.
    shape: "digits", "words" or "share" (a fraction in words: "a third").
    plain: whether the number has only digits, without separators.
    """

    __slots__ = ("apart", "before", "end", "mantissa", "plain", "power", "shape", "start", "value")

    def __init__(self, value: float, start: int, end: int, shape: str = "digits", plain: bool = False) -> None:
        self.value = self.mantissa = value
        self.start, self.end, self.shape, self.plain = start, end, shape, plain
        self.power = 0
        self.before, self.apart = "", False

    def scale(self, power: int, end: int) -> None:
        """Multiply the number by 10**power, and set its end offset to `end`: "5" before " million" -> 5000000."""
        self.value = shifted(self.value, power)
        self.power += power
        self.end = end

    def become(self, value: float, end: int) -> None:
        self.value = self.mantissa = value
        self.end, self.plain = end, False


def shifted(value: float, power: int) -> float:
    """Return value * 10**power, rounded only once: (1.1, 6) -> 1100000.0. Return infinity for a large result."""
    if not math.isfinite(value):
        return value
    written = repr(value)
    return float(Decimal(written).scaleb(power)) if "e" in written else float(f"{written}e{power}")


def find(lower: str, position: int) -> tuple[int, int] | None:
    """Return the span of the first possible number at or after offset `position`, or None. `read` checks the result."""
    while hint := _WORDED.match(lower, position) or _HINT.search(lower, position):
        start, stop = hint.span(hint.lastgroup or 0)
        if lower[start].isdecimal():
            before = start - 1
            point = start > position and lower[before] == "." and _POINTED.search(lower, start - 3, before)
            return (before if point else start), stop
        if found := _CANDIDATE.match(lower, start):
            return found.span()
        position = start + 1
    return None


def read(lower: str, start: int, stop: int) -> Number | None:
    """Return the number that begins in the span from `start` to `stop`, a result of `find`. Return None if the text in
    the span is not a number. The number may extend beyond `stop`. `lower` is a lower-case text from `text.clean`."""
    if lower[start] not in _DIGITS_BEGIN:
        return _words(lower, start, stop) if lower[start].isalpha() else Number(VULGAR[lower[start]], start, stop)
    number = _digits(lower, start, stop) if stop - start <= _LONGEST else None
    if number is None:
        return None
    if go_on(lower, number):
        _scale_tail(lower, number)
    if lower[number.end : number.end + 2].lstrip()[:1] in _SIGNS and (spread := _SPREAD.match(lower, number.end)):
        number.end, number.plain = spread.end(), False
        _scale_tail(lower, number)
    return number if math.isfinite(number.value) else None


def go_on(lower: str, number: Number) -> bool:
    """Modify a number in digits to include the fraction, power of ten or uncertainty after it: 5 before " 1/2" becomes
    5.5. `lower` is the lower-case text. Return whether to look for a scale word ("million") next."""
    if lower[number.end : number.end + 1] in _CLOSING:
        return _scale_after_bracket(lower, number)
    if not _goes_on(lower, number):
        return False
    _fraction_tail(lower, number)
    _power_tail(lower, number)
    if uncertain := _UNCERTAIN.match(lower, number.end):  # "9.109e-31(3)"
        number.end = uncertain.end()
    return True


def _scale_after_bracket(lower: str, number: Number) -> bool:
    """Multiply a number in brackets by the power of ten or scale word after the closing bracket: "(6.02 ± 0.01) ×
    10^23", "(1.5) thousand". Return whether the text contains such a factor."""
    at = number.end + 1
    if (power := _POWER.match(lower, at)) and power.lastgroup:
        number.scale(_exponent(power), power.end())
    elif scale := SCALE.match(lower, at):
        number.scale(POWERS[scale["word"]], scale.end("word"))
    return number.power != 0


def _goes_on(lower: str, number: Number) -> bool:
    """Return whether a number continues after its digits: true for 5 before " 1/2" and 10 before " -3" (10^-3)."""
    following = lower[number.end : number.end + 6]
    if following.lstrip(" -")[:1] not in _MARKS_ON:
        return False
    another = following.lstrip(" -")[:1].isdecimal() and number.value != 10 and "/" not in following
    another = another and following[:4] not in _POWERS_BEHIND
    return not another and _GOES_ON.match(lower, number.end) is not None


def _words(lower: str, start: int, stop: int) -> Number | None:
    if lower[stop - 1] == " ":  # "an hour and a half"
        if _THAN.search(lower, start - 40, start):
            return None  # "3 dollars more than a month ago"
        part = AND_PART.search(lower, stop, stop + 30)  # "less than an hour" has none
        return Number(1.0 + (part_value(part) if part else 0), start, stop - 1, "words")
    if times := TIMES.get(lower[start:stop]):
        return Number(times, start, stop, "words")
    numeral = parse(lower[start:stop])
    if numeral is None:
        return None
    share = numeral.fraction and numeral.value < 1
    number = Number(float(numeral.text), start, start + numeral.end, "share" if share else "words")
    if not share:
        if numeral.power:
            number.power, number.mantissa = numeral.power, shifted(number.value, -numeral.power)
        else:
            _fraction_tail(lower, number)
        _scale_tail(lower, number)
    return number if math.isfinite(number.value) else None


def _digits(lower: str, start: int, stop: int) -> Number | None:
    chunk = lower[start:stop]
    if chunk.isdigit():
        if lower[stop : stop + 1] == "'" and (apostrophes := _APOSTROPHES.match(lower, start)):
            return Number(float(apostrophes.group().replace("'", "").replace(",", ".")), start, apostrophes.end())
        grouped = stop - start <= _LONGEST_GROUP and lower[stop : stop + 2] in _GROUPED_AT
        longer = _spaced(lower, start, stop) if grouped else None
        return longer or Number(float(chunk), start, stop, "digits", True)
    value = separated(chunk)
    if value is None:
        return None
    if "." not in chunk:
        return Number(value, start, stop)
    if (groups := _DECIMAL_GROUPS.match(lower, stop)) and chunk[-4:-3] == ".":
        value, stop = float(re.sub("[ ,]", "", chunk + groups.group())), groups.end()
    uncertain = _UNCERTAIN.match(lower, stop)
    return Number(value, start, uncertain.end() if uncertain else stop)


def separated(chunk: str) -> float | None:
    """Return the value of digits with points and commas: "1,234.5" -> 1234.5, "1.234,5" -> 1234.5, "1.2.3" -> None."""
    if _POINT_GROUPED.match(chunk):
        return float(chunk.replace(".", "").replace(",", "."))
    one_mark = chunk.count(",") + chunk.count(".") == 1
    if _GROUPED.match(chunk) and not (one_mark and chunk.startswith("0,")):
        return float(chunk.replace(",", ""))
    return float(chunk.replace(",", ".")) if one_mark else None


def again(lower: str, number: Number) -> str:
    """Extend a number to include its repetition in brackets ("thirty (30) days"), ",-" after a price, or a suffix.
    Return the bound that the suffix states ("50-plus" -> ">=", "50-ish" -> "~"), or "" without such a suffix."""
    twice = _AGAIN.match(lower, number.end)
    if twice and _restated(twice) == number.value:
        number.end, number.plain = twice.end(), False
    tail = _ROUGHLY.match(lower, number.end)
    if tail:
        number.end, number.plain = tail.end(), number.plain and tail["even"] is not None
        return ">=" if tail["more"] or tail["more_of"] else "" if tail["even"] else "~"
    return ""


def _restated(twice: re.Match[str]) -> float:
    """Return the value of a number that is repeated in brackets: 28 for a match of "(28)" or "(twenty-eight)"."""
    if twice[1]:
        return float(twice[1].replace(",", ""))
    numeral = parse(twice[2])
    return float(numeral.text) if numeral and numeral.end == len(twice[2]) else math.nan


def _fraction_tail(lower: str, number: Number) -> None:
    tail = _TAIL.match(lower, number.end)
    if not tail:
        return
    if tail["mixed"]:
        number.become(number.value + VULGAR[tail.group()[-1]], tail.end())
    elif tail["over"]:
        bottom = int(tail["over"])
        if lower[number.start - 1 : number.start] in ("/", *("$€£¥" * (bottom > 9))):
            return  # "0.5/1/2 m", "$3/100 g"
        one = number.value == 1 and (bottom in _MODELS or (bottom >= 20 and bottom % 5 == 0))  # 1/500 s
        if not (one or bottom in HALVES) or number.value >= bottom > 16:
            return
        if number.value % 1 and bottom not in (5, 10):
            return  # "52.5/100", "3.7501/03"
        rated = bottom in (5, 10) and _RATED.match(lower, tail.end())
        number.become(number.value if rated else number.value / bottom, tail.end())
    else:
        top, bottom = int(tail["top"]), int(tail["bottom"])
        if tail["join"] is None or not 0 < top < bottom or bottom not in HALVES:
            return
        if number.shape == "words" and not tail["join"].strip():
            return  # "four 1/2 inch screws"
        number.become(number.value + top / bottom, tail.end())


def _exponent(power: re.Match[str]) -> int:
    return int(power[power.lastgroup or 0].translate(_SUPERSCRIPT).replace(" ", ""))


def _power_tail(lower: str, number: Number) -> None:
    ten = _TEN_POWER.match(lower, number.end) if number.value == 10 and number.plain else None
    raised = None if ten else _RAISED.match(lower, number.end)  # "1.1^23"
    power = ten or raised or _POWER.match(lower, number.end)
    if power is None or power.lastgroup is None:
        return
    side = not (ten or raised) and number.value >= 10 and _LOST.fullmatch(power.group())
    if side and not _MANY.match(lower, power.end()):
        return
    try:
        exponent = _exponent(power)
        value = number.value**exponent if raised else float(f"{1 if ten else number.value!r}e{exponent}")
    except (ValueError, ArithmeticError):
        return
    number.become(value, power.end())


def part_value(found: re.Match[str]) -> float:
    """Return the value of a match of `AND_PART`: " and three quarters" -> 0.75."""
    return ONES[found["many"] or "one"] / PARTS[found["part"]]


def _scale_tail(lower: str, number: Number) -> None:
    if part := AND_PART.match(lower, number.end):
        number.value += part_value(part)
        number.mantissa, number.end = number.value, part.end()
    for _ in range(2):
        scale = SCALE.match(lower, number.end)
        if not scale:
            break
        power = POWERS[scale["word"]]
        number.scale(power, scale.end("word"))
        if power > 2 and (part := AND_PART.match(lower, number.end)):  # "2 million and a half"
            number.value, number.end = number.value + 10**power * part_value(part), part.end()
    if dozens := _DOZENS.match(lower, number.end):
        number.become(number.value * 12, dozens.end())
        if part := AND_PART.match(lower, number.end):  # "2 dozen and a half"
            number.become(number.value + 12 * part_value(part), part.end())


_SPACED_GROUPS = re.compile(
    r"(?:, ?\d{3}){1,4}(?![\d,]{0,9}\d)(?:\.\d{1,9})?"
    r"|(?: \d{3}){1,4}(?:[.,]\d{1,2}(?!\d)|\.\d{1,9})?(?!\d|/(?![a-z])|[.,]\d|-(?!\d{1,3} \d{3}(?![\d-]))\d)"
)
_CONVENTION = re.compile(r"\d, 000(?!\d)")  # "10, 000"; in a text without such a number, "75, 600" is a list

_OF_SO_MANY = re.compile(  # text before a number that does not continue after a space: "pack of" in "pack of 6 330ml"
    r"\b(?:pack|packs|packet|packets|set|sets|box|case|carton|lot|lots) of \Z|\bsizes? \Z|\d[x×] ?\Z"
)

_LONGEST_GROUP = 3  # maximum number of digits before the first space in a number such as "123 456"


def _spaced(lower: str, start: int, stop: int) -> Number | None:
    """Return the number in groups of digits ("1 234 567") whose first group is lower[start:stop], or None."""
    more = _SPACED_GROUPS.match(lower, stop) if lower[start] != "0" else None
    if more is None or " " not in more.group()[:2] or not _sole(lower, start, more):
        return None
    written = lower[start : more.end()]
    whole, comma, decimals = written.rpartition(",")
    if comma and len(decimals) < 3 and "," not in whole:
        written = f"{whole}.{decimals}"
    return Number(float(re.sub("[ ,]", "", written)), start, more.end())


def _sole(lower: str, start: int, groups: re.Match[str]) -> bool:
    """Return whether digits at `start` and the groups of digits after them are one number: true for "1 234 567 km"."""
    before, following = lower[max(0, start - 4) : start], lower[groups.end() : groups.end() + 4]
    row = before.rstrip(" ")[-1:].isdigit() or following.lstrip(" ")[:1].isdigit()
    if lower[groups.start()] == ",":
        return _CONVENTION.search(lower, start - 200, groups.end() + 200) is not None
    if _OF_SO_MANY.search(lower, start - 12, start):
        return False  # "pack of 6 330ml", "9x12 250 count"
    longest = 11 if groups.start() - start == 3 else 12
    return groups.end() - groups.start() <= longest and not row
