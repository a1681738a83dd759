"""Join two numbers that form one quantity ("3 lb 5 oz", "5 to 10 mg", "1 in 10,000") or one name ("747-400"). In all
functions, `gap` is the text between the two numbers."""

import re
from copy import copy

from pyterrier_quantity.english import listed, set_of, wordings, words
from pyterrier_quantity.english.verbs import forms_of
from pyterrier_quantity.extraction.grammar import bound_wordings
from pyterrier_quantity.extraction.grammar.formats import BEFORE_YEAR, is_last_side, is_side
from pyterrier_quantity.extraction.mention import Mention
from pyterrier_quantity.extraction.text import Text
from pyterrier_quantity.quantity import BARE, OF_AGE, SIDES

_GAPS = frozenset((" and ", ", and ", ", ", " ", ""))
_WIDEST = 6
_LISTED = frozenset(("week", "day", "year"))  # a comma after such a unit separates a list: "at 4 weeks, 3 days"
_MEASURES = ("time", "length", "mass", "currency:")
_SENTENCE_END = re.compile(r" ?(?:[.!?](?: |\Z)|[,;] (?!\d)|\Z)")
# Units after which the smaller unit may be missing: "1 m 81", "six foot four". The values are the number of smaller
# units in the larger unit, and the number of digits that must follow (0: any).
_LESSER = {"foot": (12, 0), "stone": (14, 0), "metre": (100, 2), "kilogram": (1000, 3), "hour": (60, 0)}


def join_compounds(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Join two mentions that state one quantity: "6 ft 2 in" -> 6.17 foot. The first mention becomes the sum of the two
    and covers both spans. The second mention is dropped."""
    joined, part = mentions[:1], ""
    for mention in mentions[1:]:
        last, unit = joined[-1], mention.unit
        near = last.source != "" and mention.start - last.end <= _WIDEST and unit != part
        if near and (per := _parts_per_unit(text, last, text.between(last, mention), mention)):
            last.low = last.high = last.low + mention.low / per
            rate = mention.unit.startswith("per ")
            # " of age" and " per day" belong to the whole
            last.unit += f" {mention.unit}" if rate else mention.unit.removeprefix(_smaller(mention.unit))
            last.end_with(mention)
            if not mention.source:
                last.unit, last.end = text.per_after(last.end, last.unit)
            part = unit
        else:
            joined.append(mention)
            part = ""
    return joined


def _parts_per_unit(text: Text, first: Mention, gap: str, second: Mention) -> float:
    """Return how many units of the second mention equal one of the first: 12 for "6 ft 2 in", 0 for "6 ft 2 kg"."""
    lower = text.lower
    if gap == "-" and lower[first.number_end] == "-" and first.unit_start > first.number_end:
        gap = " "  # "6-foot-9"
    if gap not in _GAPS or (gap[:1] == "," and first.unit in _LISTED):
        return 0
    said = second.number.shape == "words" and gap == " "
    rate = said and second.unit.startswith("per ")
    measured = second.source == "unit" and first.source in ("unit", "currency") and not rate
    per = _parts(text, first.unit, _smaller(second.unit)) if measured else 0
    before = lower[max(0, first.start - 2) : first.start]
    ranged = before[:1].isdecimal() and before[1:] == "-"  # "10-15km 600m"
    if (measured and not per) or ranged or ("and" in gap and lower.endswith("between ", 0, first.start)):
        return 0
    whole = first.number.power == 0 < first.number.value and first.number.value % 1 == 0  # not "$22m, 18 cents"
    least, digits = _LESSER.get(first.unit, (0, 0))
    left_out = gap == " "
    if first.unit == "hour":  # "an hour and twenty."
        left_out = gap in (" ", " and ") and _SENTENCE_END.match(lower, second.end) is not None
    if least and left_out and not second.source and second.low < least:
        short = first.low < 10 and second.number.plain and second.number.end - second.number.start == digits
        return least if short or not digits else 0
    if not whole or second.number_start != second.start:
        return 0
    if measured:
        metric = per in (10, 100, 1000) and not text.is_money(first.unit)
        if metric and (second.low % 1 or second.unit == "millimetre" or gap.strip()):
            return 0  # "rope 60 m 9.5 mm"
        return per if second.low < per else 0
    cents = (not second.source or rate) and text.is_money(first.unit) and 10 <= second.low < 100
    if cents and (rate or (said and text.per_after(second.end, first.unit)[1] > second.end)):
        return 100  # "one euro fifty per litre"
    return 100 if cents and _SENTENCE_END.match(lower, second.end) else 0  # "15 dollars and 15."


def _parts(text: Text, larger: str, smaller: str) -> float:
    """Return how many smaller units equal a larger one (foot, inch -> 12), or 0 if this is not an integer above 1."""
    family = text.registry.family(larger) or ""
    if not family.startswith(_MEASURES):
        return 0
    if smaller in ("cent", "centime") and text.is_money(larger):
        return 100
    converted = text.registry.conversion(larger, smaller)
    if converted is None or converted[0] < 2 or abs(converted[0] - round(converted[0])) > 1e-9:
        return 0
    return round(converted[0])


def _smaller(unit: str) -> str:
    return unit.split(" per ")[0].removesuffix(OF_AGE)


_TO = frozenset(
    (
        *"-|~| ~ | - |- | -|—| — |--| -- |/-|-to-|..|...|…| .. | ... | … ".split("|"),
        *words("to- -to- -to_ -_to_ _to_ _to- _through_ _thru_ _till_ _until_"),
    )
)
_UP_TO = set_of("""
    _up_to_ _up_to_and_including_ _to_max_ _to_max._ _to_maximum_ _to_maximum_of_ _to_a_maximum_of_ _to_at_most_
    _up_to_max_ _up_to_max._ _up_to_maximum_ _up_to_maximum_of_ _up_to_a_maximum_of_ _up_to_at_most_
    """)
_LEADS_TO = frozenset(wordings("words of a goal", " "))
_LISTING = frozenset((" ", ", ", "\n"))  # separators of a list: "5, 10" is not one quantity
_OUT_OF = frozenset(wordings("words before a total"))
_RATIO = _OUT_OF | {" in ", " in every ", " out of every "}
_COUNTED, _RATINGS = set_of("people person patient household birth share"), set_of("star point")
_GIVE_OR_TAKE = frozenset(
    (*" ± |±| ±| +- |+-| +/- |+/-| (±| (± | (+/-| (+/- ".split("|"), *wordings("words of a tolerance", " "))
)
_UNIT_AFTER = _GIVE_OR_TAKE | _OUT_OF
_RANGING = re.compile(r"\b(?:rang|var)(?:e|es|y|ies|ed|ied|ing|ying) from \Z")
_AT_ONE_END = re.compile(r" (?:in|on|at|for|near|along) [a-z -]{2,20} to \Z")  # " in the north to "
_BETWEEN = re.compile(r"betw?een(?: about| around| some| roughly| ages| the ages of| [a-z]+ of)? \Z")
_BOUNDED = re.compile(r" ?[<≤⩽]=? ?[^\W\d_][\w ]{0,12}? ?[<≤⩽]=? ?")  # "0.4 ≤ x ≤ 0.6", "18 <= age < 65"
_OPENING = frozenset((" (", " ["))
_NEAR = 30
_RAISED = tuple(f"{form} " for form in forms_of(["raise"]))
_PARTS = 3  # minimum factor between the units of a range ("500 g to 2 kg"); below it, one number restates the other
_CONVERTED = {"unit", "currency"}
_ADDED = ("mass", "volume", "currency:")  # families of which quantities are added: "add 5 ml to 1 l" is not a range
_BOTH = frozenset((" and ", " but ", ", but ", ", and ", " and is ", " & "))


def _head(gap: str) -> str:
    first = "".join(gap.split(None, 1)[:1])
    return first if first[:1].isalpha() else first[:1]


_JOINING = {_head(gap) for gap in (*_TO, *_UP_TO, *_LEADS_TO, *_RATIO, *_UNIT_AFTER, *wordings("words of addition"))}
_LINKS = frozenset(_JOINING.union("in on at for near along < ≤ ⩽".split()))  # possible first words between two numbers


def join_bounds(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Join a lower and an upper bound into a range: "more than 5 and less than 10 km" -> 5 to 10 kilometre. The first
    mention becomes the range, with the bound "=". The second mention is dropped."""
    joined = mentions[:1]
    for mention in mentions[1:]:
        last = joined[-1]
        if mention.bound in SIDES and _encloses(text, last, end := _in_unit_of(text, last, mention)):
            last.low, last.high = sorted((last.low, end.low))
            last.bound = "="
            _take_unit(last, end)
        else:
            joined.append(mention)
    return joined


def _encloses(text: Text, first: Mention, second: Mention) -> bool:
    """Return whether two bounds with the same unit form a range: true for "more than 5 kg and less than 10 kg"."""
    below, above = (first, second) if first.bound in (">", ">=") else (second, first)
    opposed = below.bound in (">", ">=") and above.bound in ("<", "<=") and below.high < above.low
    return opposed and first.unit == second.unit and text.between(first, second) in _BOTH


def _in_unit_of(text: Text, first: Mention, second: Mention) -> Mention:
    """Return the second mention, converted to the unit of the first if that unit is smaller: "500 g to 2 kg" -> 2000 g.
    Ages are converted like other times: "6 months to 3 years of age" -> 36 month of age."""
    unit, other, factor = first.unit.removesuffix(OF_AGE), second.unit.removesuffix(OF_AGE), 1.0
    if unit != other:
        if not {first.source, second.source} <= _CONVERTED:
            return second
        factor, _ = text.registry.conversion(other, unit) or (0, 0)
        if factor < _PARTS or second.low * factor <= first.low:
            return second
    elif first.unit == unit:
        return second
    end = copy(second)
    end.multiply(factor)
    end.unit = first.unit if unit != first.unit else unit + second.unit.removeprefix(other)
    return end


def join_ranges(text: Text, mentions: list[Mention]) -> list[Mention]:
    """Join the ends of a range ("5 to 10 mg"), the numbers of a ratio ("1 in 10"), or a value and its tolerance ("5 ±
    2"). The first mention becomes the joined quantity; the second mention is dropped."""
    joined: list[Mention] = []
    for mention in mentions:
        gap = text.between(joined[-1], mention) if joined else "\n"
        if gap in _LISTING or len(gap) > _NEAR or _head(gap) not in _LINKS or not _join(text, joined, gap, mention):
            joined.append(mention)
    return joined


def _join(text: Text, joined: list[Mention], gap: str, mention: Mention) -> bool:
    """Merge a mention into the last mention in `joined` ("3 to 5 kg"), or drop both if they form a name ("747-400").
    `gap` is the text between the two. Return False if the mention was neither merged nor dropped."""
    lower, last = text.lower, joined[-1]
    about = None if gap in _TO else bound_wordings.before(lower, mention.start)
    gap = lower[last.end : about.start] if about is not None and about.bound == "~" else gap
    end = _in_unit_of(text, last, mention)
    if gap in _OPENING and _restates(last, mention) and lower[mention.end : mention.end + 1] in (")", "]"):
        last.end = mention.end + 1  # "two dollars ($2)"
        last.unit, last.end = text.per_after(last.end, last.unit)
    elif gap == "-" and last.low == 10 > mention.low > 0 and not last.source and mention.source == "unit":
        # "10−6 mbar": an exponent that lost its superscript in a PDF; but not a vote of 10-6
        last.low = last.high = 10.0**-mention.low
        _take_unit(last, mention)
    elif gap in _LEADS_TO and bound_wordings.moves_from(lower, last.start):
        last.unit = mention.unit if mention.unit.startswith(f"{last.unit} per ") else last.unit
        if last.unit == mention.unit and mention.number.power and 0.1 < last.high / mention.number.mantissa < 10:
            last.multiply(mention.number.value / mention.number.mantissa)  # "from 2.1 to 3.4 million"
        return False
    elif _is_range(lower, last, gap, end, _is_wide(text, last, mention, end)):
        make_range(last, end)
    elif gap in _UNIT_AFTER and _shares_unit_after(last, gap, mention):
        last.bound = mention.bound if last.bound == "=" else last.bound
        _take_unit(last, mention)
    elif gap in _RATIO and _is_ratio(last, gap, mention):
        _divide(last, mention)
    elif _is_name(lower, last, gap, mention):
        joined.pop()
    else:
        return False
    return True


def _restates(first: Mention, second: Mention) -> bool:
    """Return whether the second mention repeats the end of the first: true for $2 in "one or two dollars ($2)"."""
    return second.source != "" and first.unit == second.unit and first.high == second.low == second.high


def _is_wide(text: Text, first: Mention, second: Mention, end: Mention) -> bool:
    """Return whether the units of a range differ, so that its ends may be far apart: true for "20 Hz to 20 kHz". `end`
    is the second mention, converted to the unit of the first."""
    return end is not second and not (text.registry.family(first.unit) or "").startswith(_ADDED)


def _is_range(lower: str, first: Mention, gap: str, second: Mention, wide: bool) -> bool:
    if first.low != first.high or first.low == second.low or _is_name(lower, first, gap, second):
        return False
    if gap in wordings("words of addition", " "):
        joined = _BETWEEN.search(lower, first.start - 24, first.start) is not None
    else:
        placed = _AT_ONE_END.match(gap) and _RANGING.search(lower, first.start - 20, first.start)
        bounded = gap.lstrip().startswith(("<", "≤", "⩽")) and _BOUNDED.fullmatch(gap)
        sides = is_last_side(lower, first.start) or is_side(lower, second.start, second.end)
        up_to = gap in _UP_TO and not sides  # "90x200 up to 300 euros"
        joined = (gap in _TO and (gap != " ~ " or first.number.shape == "digits")) or bool(up_to or placed or bounded)
    voted = first.unit == second.unit == "percentage" and second.low < first.low == 100 - second.low  # "52% to 48%"
    steps = any(word in gap for word in listed("words of a goal"))
    return joined and _same_unit(first, second) and (not steps or (not voted and _is_span(lower, first, second, wide)))


def _is_name(lower: str, first: Mention, gap: str, second: Mention) -> bool:
    """Return whether two numbers with `gap` between them form a name, a score or a season: true for "747-400"."""
    dated = second.unit == "season" or (not second.source and first.number.before in BEFORE_YEAR)
    season = dated and 60 <= first.low < 99 and second.low == first.low + 1
    named = first.low >= second.low and second.source in ("", "noun")
    return gap == "-" and not first.source and (season or named)


def _same_unit(first: Mention, second: Mention) -> bool:
    if first.source == "noun":
        return first.unit == second.unit
    rate = first.source == "currency" and second.unit.startswith("per ")
    return rate or not first.source or second.unit in (first.unit, BARE) or second.unit.startswith(first.unit)


def _is_span(lower: str, first: Mention, second: Mention, wide: bool) -> bool:
    """Return whether numbers joined by "to" are a range: false for "rose 64 points to 4577". `wide` states whether the
    ends may be far apart."""
    part = first.number.shape == "share"  # "rose by a quarter to £3 million"
    if not (first.source or part) and (second.source or first.low > second.low):
        return bool(second.source) or first.low < 0  # "minus 5 to minus 8"
    raised = first.source == "currency" and lower.endswith(_RAISED, 0, first.start)  # "startups raised $5m to $10m"
    changing = not raised and bound_wordings.is_changing(lower, first.start)
    if changing or (first.unit == "percentage" and second.unit != first.unit):
        return False
    if first.low <= 0 or wide or lower.endswith(("from ", "between "), 0, first.start):
        return True
    once = first.source in ("", "currency") and first.low < 1000  # "15 to 18 mln"
    other = second.number.mantissa if once else second.low
    return 0.02 < first.low / (other or 1e-9) < 50


def make_range(first: Mention, second: Mention) -> None:
    """Make the first mention a range that ends at the second: "$20 - 30 per night" -> 20 to 30 dollar per night."""
    lower, high = first.low, second.high
    number = second.number
    if not second.source and first.source == "currency" and first.number.value and first.high > first.number.value:
        high *= first.high / first.number.value  # "KSEK 60-169"
    if number.power and abs(lower) <= abs(number.mantissa):
        lower = lower * (high / number.mantissa)
    elif not first.source and number.value and abs(high) > abs(number.value):
        lower *= high / number.value  # "120-688 MEUR"
    first.low, first.high = min(lower, high), max(lower, high)
    if second.source and (first.source in ("", "noun") or len(second.unit) > len(first.unit)):
        first.take_unit(second)
    first.end_with(second)


def _shares_unit_after(first: Mention, gap: str, second: Mention) -> bool:
    rated = gap in _OUT_OF and second.unit in _RATINGS
    return rated or (gap in _GIVE_OR_TAKE and (first.unit in (BARE, second.unit) or not second.source))


def _take_unit(first: Mention, second: Mention) -> None:
    own_unit = first.number_end <= first.unit_start < first.unit_end  # "over 150 m² and under 3 million"
    scaled = second.number.power and not (first.number.power or own_unit)
    if scaled and abs(second.number.mantissa) <= abs(first.low):
        first.multiply(second.number.value / second.number.mantissa)  # "(6.02 ± 0.01) × 10^23"
    elif not first.source and second.number.value and second.high > second.number.value:
        first.multiply(second.high / second.number.value)  # "16.5 ± 0.2 평" (a unit of 3.3 square metres)
    if second.source and first.unit_start >= first.unit_end:
        first.take_unit(second)
    first.end_with(second)


def _is_ratio(first: Mention, gap: str, second: Mention) -> bool:
    whole = (gap in _OUT_OF or first.low % 1 == 0) and second.low % 1 == 0
    counted = second.source in ("", "noun") or second.unit in _COUNTED
    things = first.source == "noun" or first.unit in _COUNTED
    one = things and first.low == 1 and not second.source  # "one child in four"
    return whole and counted and (one or not first.source) and 0 < first.low < second.low


def _divide(first: Mention, second: Mention) -> None:
    first.source, first.unit = "", BARE
    first.number.shape = "share" if first.low % 1 == 0 else "digits"  # "4.6 out of 5" rates, as "4.6/5" does
    first.low = first.high = first.low / second.low
    first.number_end = first.end = second.number_end
    first.unit_start = first.unit_end = first.after_start = first.after_end = first.end
    first.confidence = 0.7
