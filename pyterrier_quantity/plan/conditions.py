"""Turn a query's quantities into conditions: "not above 5 kg" -> "<= 5 kilogram", "under $5" -> "< 5 dollar"."""

import re
from copy import copy
from dataclasses import dataclass, replace
from typing import Final

from pyterrier_quantity.english import LABELS, SCALE, any_of, listed, one_of, set_of, wordings
from pyterrier_quantity.english.nouns import is_plural
from pyterrier_quantity.english.verbs import HARDLY_NOUNS, IRREGULAR, VERBS
from pyterrier_quantity.extraction import DATE_UNIT, Mention
from pyterrier_quantity.extraction.grammar.bound_wordings import OPPOSITE, before, moves_from
from pyterrier_quantity.extraction.grammar.counted_nouns import PARTS, STOPS, THIRD_PERSON, is_superlative
from pyterrier_quantity.extraction.grammar.formats import CONTAINERS, VERSIONED, is_side
from pyterrier_quantity.extraction.steps.ordinals import NUMBERED
from pyterrier_quantity.quantity import BARE, Constraint
from pyterrier_quantity.units import default_registry

_REACH: Final = 80  # number of characters before a quantity that are searched for words such as "not" and "exactly"

_WORDS_ANOTHER_VALUE = any_of("""
    not never other_than different_from anything_but except_for except excluding without unequal_to apart_from
    """)
_NEGATION: Final = re.compile(
    rf"(?:\b{_WORDS_ANOTHER_VALUE}|n['’]t)"
    rf"(?: {one_of('words of exactness', 'words of equality', 'words between a negation and its value')})*\s*$",
    re.IGNORECASE,
)
# A negated verb before a value: "not weighing" in "bags not weighing 5 kg", "that do not have" before "3 bedrooms".
_BARRED: Final = re.compile(
    r"\b(?:not (?:being )?|(?P<relative>that|which|who|whose) (?:[a-z]+ )?(?:not|never|[a-z]+n['’]t) (?:be )?)"
    rf"(?P<verb>[a-z]+)(?: {one_of('words between a negation and its value')})*\s*$",
    re.IGNORECASE,
)
_PARTICIPLES: Final = frozenset(form for verb in VERBS.values() for form in (*verb.past, *verb.going))
_FORMS: Final = _PARTICIPLES | VERBS.keys()
_NO: Final = re.compile(r"\bno\s*$", re.IGNORECASE)  # "no 24 month contract"; before a bare number: "number"
_BETWEEN: Final = re.compile(
    rf",? ?(?:{one_of('conjunctions between bounds')} )?"
    rf"(?:\b{one_of('bounds that exclude the value', 'bounds that include the value')}|[<>]=?|[≤≥]) ?",
    re.IGNORECASE,
)
_NAMED_RANGE: Final = re.compile(r"[ -](?:[a-z]+[ -])?(?:range|bracket|band)s?\b", re.IGNORECASE)  # "500 to 800 range"
_WORDS_BEFORE_EXCLUDED_RANGE = any_of("""
    outside_of_the_range_of outside_the_range_of outside_of_the_range outside_the_range outside_of outside
    """)
_OUTSIDE: Final = re.compile(rf"\b{_WORDS_BEFORE_EXCLUDED_RANGE}\s*$", re.IGNORECASE)
_UNEQUAL: Final = re.compile(r"(?:≠|!=|<>|=/=)\s*$")
_WORDS_BEFORE_THOSE_STATE = any_of("""
    is are was were be being of at with for by to as has having cost costs priced measuring weighing in aged
    """)
_EQUALITY: Final = re.compile(
    rf"(?:\b(?:{_WORDS_BEFORE_THOSE_STATE}\s+)?"
    rf"{one_of('words before a stated value', 'words before a least value')}|[=:])\s*$",
    re.IGNORECASE,
)
_STARTING: Final = re.compile(rf"\b{one_of('words before a least value')}\s*$", re.IGNORECASE)
_EXACT: Final = re.compile(rf"\b{one_of('words of exactness')}\s*$", re.IGNORECASE)
_EQUAL: Final = re.compile(  # "equal to", "="; ignored at the end of a bound ("less than or equal to", "<=")
    rf"(?:\b(?:{one_of('words of exactness')} )?{one_of('words of equality')}|==?)\s*$", re.IGNORECASE
)
_FOR: Final = re.compile(r"(?:for|with)\s", re.IGNORECASE)
# Words before a year of two digits: "summer of 84".
_OF_YEAR: Final = re.compile(rf"\b{one_of('seasons and other words before a year')} of ['’]?\Z", re.IGNORECASE)
# A label before a year that is asked for: "model year" in "car model year 2012".
_YEAR: Final = re.compile(r"\byear (?:of )?\Z", re.IGNORECASE)
_TOLERANCE: Final = re.compile(rf"±|\+/?-|{one_of('words of a tolerance')}", re.IGNORECASE)
_NO_NAME: Final = "".join(rf"(?<!\b{word} )" for word in wordings("words before the max of a name"))
_EXTREME: Final = re.compile(  # words that make the next value a bound: "maximum weight 2 kg" means at most 2 kg
    rf"(?<!\d)(?<!\d )\b(?:(?:minimum|min)"
    rf"|(?P<most>{_NO_NAME}(?:maximum|max)))\b\.? (?:[a-z-]+ )?"
    rf"(?!{one_of('prepositions of place, time and purpose', 'conjunctions of a list')} )"
    r"[a-z-]+ ?(?:of |is |[:=] ?)?\Z",
    re.IGNORECASE,
)
# An ability, which a larger value has too: "trailer that can carry 750 kg".
_ABLE: Final = re.compile(r"\b(?:can|able to|capable of) (?!be |cost |fit )[a-z]+ \Z", re.IGNORECASE)

LISTED: Final = re.compile(rf"\s*(?:[,/–×-]|{one_of('words between the numbers of a list')}\b|x(?![a-z]))\s*")
"""The text between two numbers of a list, a range or a size: ", " in "5, 10 kg", " x " in "3 x 4"."""
_SCALED: Final = re.compile(rf"[%€$£¥]|\d[.,/]\d|(?!(?<!\d)\dk\b)\d ?[a-z]+\b|\b(?:{SCALE}|dozen)s?\b", re.IGNORECASE)
_SIZE: Final = re.compile(  # words that make the next number, or several numbers, a size: "size 42 or 43"
    rf"\b{one_of('words before a bare number that is asked for')}:?"
    rf" (?:[\d.]{{1,5}}(?:{LISTED.pattern}){{1,2}}){{0,3}}\Z",
    re.IGNORECASE,
)
_LASTING: Final = re.compile(rf"\b{one_of('words before a verb')} last \Z", re.IGNORECASE)
_RANKING: Final = set_of("top best worst first last next past previous latest")  # "top 10", "last 6 months"
_SERIES: Final = listed("names of series") | listed("makers of numbered things")
_NAMING: Final = LABELS | _SERIES  # the next number is part of a name: "Windows 11 drivers", "phase 3 trials"
_VERSION: Final = re.compile(r"\d+\.\d*0\Z")  # ends in zero: "bluetooth 5.0", "usb 2.0"

_DECIMAL: Final = re.compile(r"\d\.[1-46-9]")
_THING_BEHIND: Final = re.compile(r" ([a-z]{3,})\b(?! \d)")
_MODEL: Final = re.compile(r"\d+[cdhlst]\Z", re.IGNORECASE)  # looks like a unit: "canon 80d", "iphone 5s"
_TITLED = any_of("ways things reasons tips tricks rules habits secrets ideas facts signs mistakes")
_TITLE: Final = re.compile(rf" (?:[a-z]+ )?{_TITLED} (?:to|for|of|i|you|your|about|that|why|with)\b", re.IGNORECASE)
_EXTENT: Final = re.compile(rf" {one_of('adjectives of extents')}\b")  # a number before it is a measurement: "72 long"
_LEAST_SOLD: Final = 20
_SOLD_BY: Final = (10, 12, 16)  # pieces in a package: "kit 50 preps" (50 is a multiple of 10)
_LEAST_SIZE: Final = 5
_YEARS: Final = 60  # numbers from this one to 99 before a noun are years and not sizes: 66 means 1966 in "66 mustang"
_NO_SIZED: Final = _SERIES | listed("words before the max of a name")
_SOLD: Final = listed("things sold by number")
_PERSONS: Final = set_of("adult guest passenger student pupil visitor child participant user employee")
_ALONE: Final = {"man"}
# Nouns such as "layers". A number before such a noun is a count, even if it follows another noun ("mask 2 layers").
# Before any other noun, the number is part of a name: "beats solo 3 headphones".
_BEHIND_NOUNS: Final = (listed("parts that things are named by") | _SOLD | _PERSONS | set(PARTS)) - _ALONE

_PERIODS: Final = {"annual": "year", "daily": "day"} | {
    f"{period}ly": period for period in ("hour", "night", "week", "month", "year")
}
_SPENT: Final = ("currency:", "mass", "energy", "volume")
_AMOUNTS = any_of("""
    salary rent rate pay wage fee fees budget dose dosage intake cost costs income price allowance payment premium
    calories consumption spend
    """)
_PERIODIC: Final = re.compile(  # words that make the next amount a rate: "annual salary over"
    rf"\b({'|'.join(_PERIODS)}) (?:[a-z]+ )?{_AMOUNTS}(?: (?:of|is))?"
    rf"(?: {one_of('bounds that exclude the value', 'bounds that include the value')})?[:=]? ?\Z"
)

_UNSURE: Final = 0.85  # if the confidence of "50 pounds" as a mass is at most this value, the pounds may also be money


@dataclass(frozen=True)
class Condition:
    """A constraint and its position in the query. Positions are character offsets.

    Args:
        constraint: the constraint that the condition sets.
        start, end: the span of all words of the condition, including bounds and words like "exactly".
        number: the start of the number, or of a unit before the number ("$5").
        words: the text of the number and unit ("5 kg") or, for a range, the text of the unit ("kg").
        bounded: whether the condition has a bound, a range or "exactly".
        name: the span of an attribute inside the condition ("magnitude" in "above magnitude 7"), or (0, 0).
        others: other units that the text may mean, each as a pair (unit, factor that converts the value to this unit).
        unit_words: the text of the unit: "wine glasses" in "half a dozen wine glasses".
    """

    constraint: Constraint
    start: int
    end: int
    number: int
    words: str
    bounded: bool
    name: tuple[int, int] = (0, 0)
    others: tuple[tuple[str, float], ...] = ()
    unit_words: str = ""

    @property
    def readings(self) -> list[Constraint]:
        """A constraint for each unit that the text may mean: "12 kn" -> one in knots, one in kilonewtons."""
        one = self.constraint
        others = [replace(one, low=one.low * by, high=one.high * by, unit=unit) for unit, by in self.others]
        return [one, *others]

    @property
    def is_plain(self) -> bool:
        """Whether the condition consists only of a value, such as "5 kg", without a bound."""
        return self.end - self.start == len(self.words)


def opened(text: str, mention: Mention) -> list[Mention]:
    """Split a quantity with two bounds: "over 3 and under 6" -> [> 3, < 6]. Other quantities are not split."""
    places = _BETWEEN.finditer(text, mention.number_start, mention.number_end) if mention.low != mention.high else ()
    inner = max(places, key=re.Match.start, default=None)  # the last one: not the "min" of "over 5 min and under 9 min"
    first = before(text.lower(), mention.start) if inner else None
    second = before(text.lower(), inner.end()) if inner else None
    if inner is None or first is None or second is None or {first.bound, second.bound}.isdisjoint("<>"):
        return [mention]
    one, other = copy(mention), copy(mention)
    rising = first.bound in (">", ">=")
    one.low = one.high = mention.low if rising else mention.high
    other.low = other.high = mention.high if rising else mention.low
    one.bound, other.bound = first.bound, second.bound
    one.end = one.number_end = one.after_start = one.after_end = len(text[: inner.start()].rstrip())
    other.start = other.number_start = other.cue_end = inner.end()
    other.cue_start = second.start
    if mention.unit_start < one.end:
        one.end = max(one.end, mention.unit_end)
    return [one, other]


def worded_condition(text: str, mention: Mention, chosen: bool = False) -> Condition | None:
    """Return the condition that a quantity in a query sets, or None if it sets none (11 in "Windows 11 drivers"). If
    `chosen` is true, the number is one of several ("8 or 16") and sets a condition even without a bound."""
    changes = mention.bound in ("up", "down")
    has_bound = mention.cue_start < mention.cue_end and not changes
    start = mention.cue_start if has_bound else mention.start
    exact = _exactly(text, mention, has_bound)
    if exact:
        start = min(start, exact.start())
    equality = _ends_with(_EQUALITY, text, start)
    op, start = _negated(text, mention, "=" if exact or changes else mention.bound, start, equality)
    op = _operator(text, mention, op, equality)
    if equality and mention.unit == BARE and mention.low < 100 and _OF_YEAR.search(equality.string, 0, equality.end()):
        return None
    if equality and mention.unit == BARE and _FOR.match(equality.group()):
        equality = None  # the "for" in "dinner for two" does not state a value
    if op == "=" and not (chosen or exact or equality or _states_a_value(text, mention)):
        return None
    if op == "range" and mention.low == 0 and mention.unit == BARE:
        return None  # the name of an acceleration: "0-100 in under 6 s"
    named_range = op == "range" and (start < mention.start or _NAMED_RANGE.match(text, mention.end) is not None)
    return Condition(
        Constraint(op, mention.low, mention.high, mention.unit),
        start,
        max(mention.end, mention.after_end),
        mention.start,
        text[mention.unit_start : mention.unit_end] if op == "range" else text[mention.start : mention.end],
        bounded=bool(exact) or op not in ("=", "~", "range") or named_range,
        name=_name(mention, has_bound),
        others=mention.others or _other_readings(text.lower(), mention),
        unit_words=text[mention.unit_start : min(mention.unit_end, mention.end)],  # "" for the 5 in "5 or 10 kg"
    )


def _other_readings(text: str, mention: Mention) -> tuple[tuple[str, float], ...]:
    """Return the other units that a quantity may have, as pairs (unit, factor that converts the value to this unit).
    "50 pounds" may be money: ("pound sterling", 1). "Weekly rent €900" gives ("euro per week", 1). "Every 7 days" gives
    ("count per day", 1/49), because 7 * 1/49 is 1/7 per day."""
    if mention.unit == "pound-mass" and mention.confidence <= _UNSURE and text.startswith("pound", mention.unit_start):
        return (("pound sterling", 1.0),)
    family = default_registry().family(mention.unit) or ""
    each = _ends_with(_PERIODIC, text, mention.start) if family.startswith(_SPENT) else None
    if each and " per " not in mention.unit:
        return ((f"{mention.unit} per {_PERIODS[each[1]]}", 1.0),)
    often = text.endswith("every ", 0, mention.start) and family == "time"
    return ((f"count per {mention.unit}", mention.low**-2),) if often and mention.low == mention.high > 0 else ()


def _name(mention: Mention, has_bound: bool) -> tuple[int, int]:
    """Return the span of an attribute between a bound and its number, as in "above magnitude 7", or (0, 0)."""
    if has_bound and mention.has_name:
        return mention.cue_end, mention.start
    bound_follows = mention.end + 1 < mention.after_start < mention.after_end
    return (mention.end, mention.after_start) if bound_follows else (0, 0)


def _operator(text: str, mention: Mention, op: str, equality: re.Match[str] | None) -> str:
    """Return the operator of a condition: "~" for "about 5", ">=" for "minimum order 5", "range" for "5 to 7". `op` is
    the quantity's bound. `equality` is the match of a word that introduces the value ("of", "from"), or None."""
    if mention.low != mention.high and op in ("=", "~"):
        return "range"
    if op != "=":
        return op
    if _TOLERANCE.search(text, mention.start, mention.end):
        return "~"
    if extreme := _ends_with(_EXTREME, text, mention.start):
        return "<=" if extreme["most"] else ">="
    if _ends_with(_ABLE, text, mention.start):
        return ">="
    starting = equality and _STARTING.search(equality.group())
    return ">=" if starting and not moves_from(text.lower(), mention.start) else "="


def _exactly(text: str, mention: Mention, has_bound: bool) -> re.Match[str] | None:
    """Return the match of "exactly" (or "equal to", if the number has no bound) before the number, or None."""
    exact = _ends_with(_EXACT, text, mention.start)
    if exact or (has_bound and mention.bound in OPPOSITE):
        return exact
    return _ends_with(_EQUAL, text, mention.start)


def _negated(text: str, mention: Mention, op: str, start: int, equality: re.Match[str] | None) -> tuple[str, int]:
    """Return the operator and the start of a condition after applying any negation: ("<=", 0) for "not above 5 kg".
    `op` is the operator without the negation, and `start` is where the condition begins. `equality` is the match of a
    word that introduces a value ("of", "from"), or None."""
    if unequal := _ends_with(_UNEQUAL, text, mention.start):
        return "!=", unequal.start()
    is_range = mention.low != mention.high
    negation = _negation(text, start, is_range) or (equality and _negation(text, equality.start(), is_range))
    if not negation and default_registry().family(mention.unit) not in (mention.unit, None):
        negation = _ends_with(_NO, text, start)
    if not negation and (op == "=" or mention.unit == DATE_UNIT):  # other bounds were already turned round
        barred = _ends_with(_BARRED, text, start) or (equality and _ends_with(_BARRED, text, equality.start()))
        verbs = _FORMS if barred and barred["relative"] else _PARTICIPLES
        negation = barred if barred and barred["verb"].lower() in verbs else None
    if negation:
        return OPPOSITE.get(op, "!="), negation.start()
    return op, equality.start() if equality else start


def _negation(text: str, end: int, is_range: bool) -> re.Match[str] | None:
    return _ends_with(_NEGATION, text, end) or (_ends_with(_OUTSIDE, text, end) if is_range else None)


def _ends_with(wording: re.Pattern[str], text: str, end: int) -> re.Match[str] | None:
    return wording.search(text, max(0, end - _REACH), end)


def _states_a_value(text: str, mention: Mention) -> bool:
    """Return whether a number without a bound sets a condition: True for "16 GB laptop", False for "iphone 11"."""
    words = text[mention.start : mention.end]
    if mention.unit == DATE_UNIT:
        cue = text[mention.cue_start : mention.cue_end].lower()
        return cue not in ("", "of ") or _ends_with(_YEAR, text, mention.start) is not None
    if mention.unit == BARE and _ends_with(_SIZE, text, mention.start):
        return True
    before = text[max(0, mention.start - _REACH) : mention.start].split()
    named = before[-1] if before else ""
    if mention.unit == BARE:
        versioned = _VERSION.match(words) or named.lower() in VERSIONED or _DECIMAL.fullmatch(words)
        version = named.isalpha() and not is_plural(named.lower()) and versioned
        side = is_side(text.lower(), mention.start, mention.end) or _EXTENT.match(text, mention.end)
        sized = _is_last_size(text, mention, named) or _is_first_size(text, mention)
        return (bool(_SCALED.search(words)) and not version) or bool(side) or sized
    if words.isdecimal() and mention.source != "age":
        # The unit follows a later number of the list ("5 or 10 percent"), or the number is a name ("Porsche 911").
        return bool(LISTED.match(text, mention.end))
    if mention.unit_start < mention.number.start:
        return True  # the unit precedes the number: "$5"
    noun = words.split()
    if _MODEL.match(words) and not _SERIES.isdisjoint(map(str.lower, before)):
        return False
    if _ends_with(_LASTING, text, mention.start):
        return True
    ranked = noun[1:] and (noun[1].lower() in _RANKING or is_superlative(noun[1].lower()))
    if ranked or (mention.source == "noun" and _TITLE.match(text, mention.number_end)):
        return False  # a number of results, or a title: "10 best phones", "50 ways to leave your lover"
    if mention.unit.startswith(NUMBERED) or mention.unit in listed("nouns that a number before them names"):
        return False  # part of a name: "catan 5th edition", "bmw 5 series"
    definite = len(before) == 1 and named.lower() in listed("the definite article")
    behind_noun = mention.source == "noun" and (definite or _ends_with_noun(before))
    sold = mention.low >= _LEAST_SOLD and any(mention.low % many == 0 for many in _SOLD_BY)
    behind_noun = behind_noun and not (sold and _SERIES.isdisjoint(map(str.lower, before)))
    return not _is_part_of_a_name(named, noun[-1], mention.unit, behind_noun)


def _is_last_size(text: str, mention: Mention, before: str) -> bool:
    """Return whether a number at the end of a query is a size or an amount: true for "boots 10", "masks disposable 50".
    The word before the number (`before`) must be a plural, but not the name of a series, such as "windows"."""
    ends = not text[mention.end :].strip() and mention.low >= _LEAST_SIZE
    if before.endswith(("able", "ed")):  # "masks disposable 50"
        before = "".join(text[: mention.start].split()[-2:-1])
    return ends and before.islower() and is_plural(before) and before not in _NAMING | STOPS


_WORDS_BETWEEN_THING_WHAT = set_of("with without for")


def _is_first_size(text: str, mention: Mention) -> bool:
    """Return whether a number at the start of a query is the size of a thing: true for "14 chromebook sleeve"."""
    thing = _THING_BEHIND.match(text, mention.end) if not mention.start and mention.number.plain else None
    if thing is None or not _LEAST_SIZE <= mention.low < _YEARS or thing[1] in _NO_SIZED:
        return False
    return STOPS.isdisjoint(set(text.lower().split()) - _WORDS_BETWEEN_THING_WHAT)


def _is_part_of_a_name(before: str, noun: str, unit: str, behind_noun: bool) -> bool:
    """Return whether a number is part of a name: true for "beats solo 3 headphones". `before` and `noun` are the words
    before and after the number. `behind_noun` states whether a noun ("beats solo") or "the" directly precedes the
    number."""
    family = default_registry().family(unit)
    counted = family in (unit, None)
    if before.lower() in _RANKING:
        return counted or family == "time"
    letter = len(before) == 1 and before.isalpha() and before.lower() not in listed("indefinite articles")
    if counted and letter and unit not in _SOLD:
        return True  # as in "ford f 150 bed cover", but not in "vitamin c 250 tablets"
    if not counted or unit in PARTS or before.endswith((",", ";", ":")):
        return False
    if unit in _SOLD and before.lower() in CONTAINERS:
        return False
    if before.lower() in _NAMING or any(c.isupper() for c in before) or noun[0].isupper():
        return True
    return behind_noun and unit.rpartition(" ")[2] not in _BEHIND_NOUNS


def _ends_with_noun(words: list[str]) -> bool:
    """Return whether the last word is probably a noun, and no word is a function word: True for ["beats", "solo"]."""
    last = words[-1].lower() if words else ""
    verb = last in IRREGULAR or last in THIRD_PERSON or last in HARDLY_NOUNS or last.endswith(("ing", "ed"))
    return last[:1].isalpha() and not verb and STOPS.isdisjoint(map(str.lower, words))
