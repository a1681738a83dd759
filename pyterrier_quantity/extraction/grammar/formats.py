"""Recognise numbers that are not quantities: dates ("10 May"), clock times ("17:30"), phone numbers, labels ("#5")."""

import re

from pyterrier_quantity.english import LABELS, MONTHS, any_of, filled, listed, one_of, rows_of, set_of, wordings
from pyterrier_quantity.english.verbs import forms_of

from .bound_wordings import SCALES_OF_PLACES
from .counted_nouns import PARTS, STOPS
from .numerals import Number

_PART = re.compile(
    rf"(?:(?:-\d+)?\+? (?:{'|'.join(PARTS)})|(?:-| to | or )\d+ (?:step|{'|'.join(PARTS)}"
    rf"|{one_of('parts that things are named by')}))s?\b"
)
CONTAINERS = set_of("box carton tray rack bin pack")
_CONTAINED = re.compile(rf" {one_of('things sold by number')}s\b")
ERAS = set_of("a.d ad anno")
BEFORE_YEAR = set_of("""
    in since by until till from during early late mid fiscal calendar year years before after for of to the end
    and through between circa ca spring summer autumn fall winter
    """)
SCALE_BEFORE = re.compile(rf"\b(?:{'|'.join(SCALES_OF_PLACES)})s? between (?:\d{{4}} and )?\Z")
"""A pattern for words before a value on a scale that looks like a year: "a rating between 1500 and 1800"."""
_BEGUN = re.compile(r"\b1[0-4]\d\d (?:and|to) \Z")  # "1400 and" in "between 1400 and 1600", which are not years
_CIRCA = re.compile(
    rf"\b(?:(?:from|in|since|until|till|built) (?:around|about|circa)"
    rf"|{one_of('seasons and other words before a year', 'months')} of) \Z"
)
_LATER = tuple(f"{wording} " for _, _, words in rows_of("dates.tsv") for wording in words.split("|") if " " in wording)
VERSIONED = set_of("""
    windows dos msdos ms-dos os/2 system grade class version release patch update firmware android angular
    bluetooth ctcae cuda css directx displayport django docker dsm excel firefox fedora hdmi html http icd ie
    ios ipados java joomla jquery kubernetes laravel linux macos magento matlab mysql node office opengl oracle
    outlook pcie perl php postgresql postgres python pytorch rails react recist ruby sata scala spark spring ssl
    swift tensorflow thunderbolt tls typescript ubuntu unity unreal usb vue wifi wordpress
    """)
_BOUND_YEAR = set_of("about than least around nearly approximately over only some almost most roughly under")

SKIP = re.compile(filled("|".join(form for _, form in rows_of("no_quantities.tsv"))), re.ASCII)
"""A pattern that matches digits that are not a quantity, in lower-case text: "17:30", "10 may"."""
_BEHIND_SKIPPED = (
    r"(?:zip|area|postal|dial|past \d|[ap](?:\.| ?m\b)|o'? ?clock|gmt|bst|e[sd]t|utc|noon|hrs?\b|cal\b|b\.?c|in 1"
    rf"|(?:nd|rd|s?t?|th|[a-e])(?!\w)|x\d|ish|a\.?d|(?:and|or|&) \d|(?:of )?{one_of('months')})"
)
_PLAIN = re.compile(  # digits that are certainly a quantity: "of 25 cities"; not "on 25 March"
    r"(?<![+.':])(?<!the )(?<!flat )(?!(?<=[a-z] )[24](?:[ ,!?]|\.(?!\d)|\Z)|401)"
    r"(?:[1-9]\d{0,3}(?:(?:,\d{3}){1,9}|)|0(?=\.))(?:\.\d{1,4}|)"
    rf"(?: ?[]%}}±*+µμ×=€]|\Z| ?(?!{_BEHIND_SKIPPED})[a-z]| ?\((?!e[sd]t|utc|\d{{3}}\))|[!?,;:](?: (?!\d)|\Z)"
    r"|\.(?: |(?<=\d\d\.)\Z)|(?<!\(\d\d\d)\)|-(?!in-)[a-z]| ?[°◦] ?[cf])"
)


def skipped(lower: str, start: int) -> re.Match[str] | None:
    """Return the match of a date, clock time ("17:30") or phone number that begins at offset `start`, or None."""
    return None if _PLAIN.match(lower, start) else SKIP.match(lower, start)


def is_date_part(number: Number, before: str) -> bool:
    """Return whether a number is a day or year, given the lower-case word before it (`before`): true after "dec."."""
    word = before.rstrip(".,")
    if word in MONTHS:
        day = number.value <= 31 and "," not in before  # "in April, 8% of them"
        return (day or 1000 < number.value < 2200) and number.power == 0
    return word in ERAS and number.plain


_WORDS_BEFORE_HOUR_HALF = any_of("""
    at_half by_half till_half until_half from_half about_half after_half before_half there_half back_half
    home_half
    """)
_WHAT_HAPPENS_HOUR = any_of("""
    see c_u cu meeting meetup home open opens close closes finish finishes wake collect pick tea class lesson
    lessons practice leave leaves leaving depart departs departing arrive arrives arriving begin begins
    beginning start starts starting meet meets meeting held breakfast lunch dinner supper doors train trains bus
    buses ferry ferries sat booked reserved appt appointment kick call ring pop round back check checked
    checking game left landed arrived departed sailed docked woke boarded clocked_off kicked_off reopened
    checked_in checked_out
    """)
_HAPPENS = re.compile(
    rf"\b(?:{_WHAT_HAPPENS_HOUR}\b[^.;]{{0,40}} {one_of('words before an hour')}|(?:booked|booking|reserved"
    rf"|reservation|appt|appointment|table)\b[^.;]{{0,40}}(?<!table) for|{_WORDS_BEFORE_HOUR_HALF}) \Z"
)
_WORDS_MAKE_HOUR_NUMBER = any_of("""
    in_the_morning in_the_afternoon in_the_evening in_the_early_morning this_morning this_afternoon this_evening
    tonight every_morning every_night
    """)
_HOURS_WORDS = any_of("one two three four five six seven eight nine ten eleven twelve")
_HOUR = re.compile(
    rf"(?:(?:[01]?\d|2[0-3])\.[0-5]\d|(?:1[0-2]|[1-9])|{_HOURS_WORDS}(?!\w))"
    rf"(?:(?P<sure> {_WORDS_MAKE_HOUR_NUMBER}\b)"
    rf"|(?! [a-z]+ \d)(?:[.,;!?)](?![\d-])|\Z| {one_of('words after an hour')}\b))"
)


def is_hour(lower: str, number: Number) -> bool:
    """Return whether a number after "at" is a clock time: true for "he leaves at 8.15", false for "it fell at 8.15"."""
    hour = _HOUR.match(lower, number.start)
    if hour is None or hour["sure"] or number.before in {"till", "until"}:
        return hour is not None
    return _HAPPENS.search(lower, number.start - 60, number.start) is not None


# The low end of a range before a number that looks like a year: "$500 to" in "$500 to 2000".
_HIGH_END = re.compile(r"(?:\b(?:between|from) \d{1,3} (?:and|to) |[$€£¥] ?\d[\d,.]*(?: to | ?- ?))\Z")
# The end of a range of numbers that are not years: "-3000" in "2000-3000 words".
_NO_YEAR = re.compile(r" ?- ?(?:2[2-9]|[3-9]\d)\d\d(?!\d)")


_WORDS_BEFORE_YEAR_LONG = set_of("in since until circa c ca year ad")


def is_year(lower: str, number: Number) -> bool:
    """Return whether a number is a year: true for "in 1990", false for "about 1990 people"."""
    if not (number.plain and number.end - number.start == 4 and 1000 <= number.value <= 2200):
        return False
    following = lower[number.end : number.end + 20].split(None, 1)
    word = following[0].strip(".,;)") if following else ""
    before = number.before.rstrip(",")
    if number.value < 1500:
        circa = _CIRCA.search(lower, number.start - 24, number.start) is not None
        return (circa or before in _WORDS_BEFORE_YEAR_LONG) and (not word or word in STOPS)
    near = max(0, number.start - 40), number.start
    if any(one.search(lower, *near) for one in (_HIGH_END, SCALE_BEFORE, _BEGUN)) or _NO_YEAR.match(lower, number.end):
        return False
    if before in BEFORE_YEAR or lower.endswith(_LATER, 0, number.start):
        return True
    if before in {"above", "below", "exceeding", "exceeds", "exceed", "beyond"}:
        return bool(word) and word not in STOPS  # "below 1990 levels"; but "calories above 2000"
    return before not in _BOUND_YEAR and 1850 <= number.value <= 2050 and word not in COUNTED_PEOPLE


_SIDE_BEFORE = re.compile(r"\d[\"'lwhd]? ?[x×*] ?\Z|\d\d/\d\d ?z?r\Z")
_SIGNS_OF_SIDES = frozenset("x×*r")
_SIGNS_BEHIND = frozenset("x×*r/z")
_SIDE_BEHIND = re.compile(r"[\"']? ?[x×*] ?(?!10\^)\.?\d|/\d\d ?z?r\d|(?<=\d\d) ?z?r\d\d(?!\w)")


def is_side(lower: str, start: int, end: int) -> bool:
    """Return whether the number lower[start:end] is a dimension, not a count: true in "9x12 cards", "205/55R16"."""
    if lower[end : end + 3].lstrip(" \"'")[:1] in _SIGNS_BEHIND and _SIDE_BEHIND.match(lower, end):
        return True
    return is_last_side(lower, start)


def is_last_side(lower: str, start: int) -> bool:
    at = start - 1 if lower[start - 1 : start] != " " else start - 2
    return lower[at : at + 1] in _SIGNS_OF_SIDES and _SIDE_BEFORE.search(lower, start - 8, start) is not None


COUNTED_PEOPLE = set_of("""
    words steps pages rows emails files bricks views likes subs streams people workers employees persons
    patients men women children jobs students participants subjects adults units copies members shares tonnes
    troops soldiers homes houses cars vehicles calories users customers subscribers viewers visitors residents
    inhabitants voters passengers downloads followers comments likes dislikes points votes miles tickets
    messages reviews fans followers posts players pixels
    """)
"""Nouns before which a number that looks like a year is a count: "employs 2000 people"."""


_CALLED = re.compile(  # the words before a telephone or road number: "call 112", "access to 580"
    rf"(?:\b(?:{'|'.join(forms_of(wordings('verbs of calling')))}|(?:text|txt|send|reply|rply|sms)\b[^.]{{0,40}} to)"
    rf"|\baccess to) \Z"
)
_CALLING = forms_of(wordings("verbs of calling")) | {"to"}
_LEAST_CALLED = 100
_NAMING = LABELS | VERSIONED


def has_label(lower: str, number: Number) -> bool:
    """Return whether the word before a number shows that it belongs to a name: true for "Section 4", "HDMI 2.1"."""
    glue = lower[number.start - 1 : number.start]
    if number.apart and number.value < _LEAST_CALLED and number.before not in _NAMING:
        return False
    if glue == " " and number.before in VERSIONED and "." in lower[number.start : number.end]:
        return True
    if not glue or glue not in " #-." or not (number.plain or number.shape == "words"):
        return False
    word = number.before.rstrip(".#-").replace("/", "-").rpartition("-")[2]  # "fan/gas 4"
    called = word in _CALLING and number.plain and number.value >= _LEAST_CALLED
    if called and _CALLED.search(lower, number.start - 60, number.start):
        following = lower[number.end : number.end + 20].split(None, 1)
        return not following or following[0].strip(".,;!?(/") in STOPS | {""}
    named = glue == "#" or word in LABELS
    holds = word in CONTAINERS and _CONTAINED.match(lower, number.end)  # "box 36 packs"
    return named and not (holds or _PART.match(lower, number.end))


_OPENED = re.compile(r"\([^)]*[^)\s][^)]*\Z")


def is_mark(lower: str, number: Number) -> bool:
    """Return whether a number before a bracket is the label of a list entry: true for "1) first"."""
    marked = (number.value < 100 or number.start == 0) and lower.startswith((")", " )"), number.end)
    return marked and not _OPENED.search(lower, max(0, number.start - 20), number.start)


MEASURED = listed("nouns that a bare number measures")
