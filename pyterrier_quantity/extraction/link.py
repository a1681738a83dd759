"""Second pass: ranges, ratios, lists and units that several numbers share."""

from __future__ import annotations

import re

from pyterrier_quantity.quantity import BARE

from . import bounds, counts
from .reading import Reading

_DASH = frozenset(("-", " - ", "- ", " -", "--", "to-", "-to-", " to ", " to-", "/-", " through ", " thru ", " till ", " until ", " -- "))
_LIST = re.compile(r"(?! \Z)-? ?(?:,|,? ?and|,? ?or|/|&|,? ?vs\.?|,? ?versus|,? ?against|by|x|×|,? ?compared (?:with|to)|,? ?up from|,? ?down from|,? ?from)? ?(?:above |below |over |under |(?:more|less|greater|fewer|higher|lower) than |[<>≥≤]=? ?)?(?:(?:an? )?(?:loss|profit|gain) (?:of )?|about |around |some |nearly |the )?\Z")
_RATIO = frozenset((" in ", " out of ", " in every ", " out of every "))
_OF = re.compile(r" of (?:the |its |their |all |a total (?:of )?|these |those )?\Z")
_BETWEEN = re.compile(r"(?:between|betwen|from|range of|ranging from|ranges from|range from)(?: about| around| some| roughly)? \Z")
_IN_YEAR_TO = re.compile(r" in \d{4} to \Z")
_WORTH = 24


def link(low: str, readings: list[Reading]) -> list[Reading]:
    """Join numbers that are one quantity and pass units on to those stated without."""
    if len(readings) < 2:
        return readings
    joined: list[Reading] = [readings[0]]
    for reading in readings[1:]:
        last = joined[-1]
        gap = low[last.end : reading.start] if reading.start - last.end <= _WORTH else "?" * 25
        if _joins(low, last, gap, reading):
            _join(last, reading)
        elif gap in _RATIO and _ratio(last, reading):
            continue
        elif _adds(last, reading, gap, low):
            _add(last, reading)
        else:
            joined.append(reading)
    _share(low, joined)
    _echo(low, joined)
    return joined


def _joins(low: str, last: Reading, gap: str, reading: Reading) -> bool:
    if last.low != last.high or reading.low != reading.high:
        return False
    if gap == " and ":
        if low[max(0, last.start - 14) : last.start].rstrip().rsplit(" ", 1)[-1] != "between" and not _is_between(low, last):
            return False
    elif gap not in _DASH and not (_IN_YEAR_TO.match(gap) and low.endswith("from ", 0, last.start)):
        return False
    if last.source == "noun" and last.unit != reading.unit:
        return False
    if "to" in gap and last.source and (last.unit == "percentage" != reading.unit or bounds.is_changing(low, last.start)):
        return False
    if "to" in gap and last.source and not 0.02 < last.low / (reading.low or 1e-9) < 50:
        return False
    if last.source in ("unit", "currency") and reading.unit not in (last.unit, BARE) and not reading.unit.startswith(last.unit):
        return False
    return not (last.low == reading.low or (gap == " to " and not (last.source or reading.source) and reading.low < last.low))


def _is_between(low: str, last: Reading) -> bool:
    found = _BETWEEN.search(low, max(0, last.start - 30), last.start)
    return found is not None and found.group().startswith("betw")


def _join(first: Reading, second: Reading) -> None:
    """Make one range of two numbers: the scale and the unit may be stated once."""
    low, high = first.low, second.high
    a, b = first.number, second.number
    if a.power == 0 and b.power and b.mantissa and abs(low) < 1000 and abs(low) <= abs(b.mantissa) and not first.source:
        low = low * (high / b.mantissa)
    elif second.source == "" and first.source and b.power == 0 and a.power and abs(high) < 1000:
        high = high * (low / a.mantissa)
    if high < 0 < low and first.number.end == second.number_start:
        high = -high
    first.low, first.high = min(low, high), max(low, high)
    if second.source and (first.source in ("", "noun") or len(second.unit) > len(first.unit)):
        first.unit, first.source, first.confidence = second.unit, second.source, second.confidence
        if not first.unit_start < first.unit_end:
            first.unit_start, first.unit_end = second.unit_start, second.unit_end
    first.number_end = second.number_end
    first.end = max(second.end, first.end)
    first.after_start = first.after_end = first.end


_SMALL = {"dollar": "cent", "canadian dollar": "cent", "euro": "cent", "pound sterling": "penny", "australian dollar": "cent"}
_SENTENCE_END = re.compile(r" ?(?:[.!?](?: |\Z)|\Z)")


def _adds(first: Reading, second: Reading, gap: str, low: str) -> bool:
    """ "thirteen dollars and forty-five cents", "15 dollars and 15."."""
    small = _SMALL.get(first.unit)
    if small is None or gap not in (" and ", " ", ", ") or first.low != first.high or first.low != int(first.low):
        return False
    if not 0 < second.low < 100 or second.low != second.high:
        return False
    if second.source:
        return second.unit == small and second.source == "unit"
    return second.low >= 10 and gap != ", " and _SENTENCE_END.match(low, second.end) is not None


def _add(first: Reading, second: Reading) -> None:
    first.low = first.high = first.low + second.low / 100
    first.number_end = second.number_end
    first.end = first.after_start = first.after_end = second.end


def _ratio(first: Reading, second: Reading) -> bool:
    """ "1 in 10,000", "one out of three"."""
    if first.source or not 0 < first.low < second.low or first.low != int(first.low) or second.source not in ("", "noun"):
        return False
    first.low = first.high = first.low / second.low
    first.number_end, first.end = second.number_end, second.number_end
    first.unit_start = first.unit_end = first.after_start = first.after_end = first.end
    first.confidence = 0.7
    return True


def _share(low: str, readings: list[Reading]) -> None:
    for index in range(len(readings) - 2, -1, -1):
        here, follower = readings[index], readings[index + 1]
        if here.source or not follower.source or follower.start - here.end > _WORTH:
            continue
        gap = low[here.end : follower.start]
        if _OF.match(gap) or (_LIST.match(gap) and follower.source != "currency" and "from" not in gap):
            _take(here, follower)
    for here, follower in zip(readings, readings[1:], strict=False):
        if not here.source and follower.source in ("unit", "currency") and low[here.end : follower.start] == " ":
            noun = counts.after(low, follower.end, False)
            if noun is not None:  # "two 50 mg tablets", "2.9 million 9 litre cases"
                here.unit, here.source, here.confidence = noun.name, "noun", 0.7
    for index in range(1, len(readings)):
        here, earlier = readings[index], readings[index - 1]
        if here.source or not earlier.source or here.start - earlier.end > 60 or earlier.source == "noun":
            continue
        gap = low[earlier.end : here.start]
        if len(gap) <= _WORTH and _LIST.match(gap):
            _take(here, earlier)


def _take(here: Reading, giver: Reading) -> None:
    number, other = here.number, giver.number
    if number.power == 0 and other.power and other.mantissa and abs(here.low) < 1000 and here.start < giver.start:
        factor = other.value / other.mantissa
        here.low, here.high = here.low * factor, here.high * factor
    here.unit, here.source, here.confidence = giver.unit, "shared", 0.8


_COMPARED = frozenset("from versus vs vs. against than to with and or while, but is was were in, at".split())
_FOLLOWED = re.compile(
    r"[,;:)]?(?: (?:by|in|at|for|from|on|with|last|a|an|the|at|this|previously|previous|earlier|ago|week|month|year|and|as|but|during|"
    r"or|vs\.?|versus|compared|against|prior|to|before|of|estimated|reported|held|recorded|respectively)\b|\.?\)?[\"']?\Z|[,;]|\. )"
)
_FURTHEST = 120


def _echo(low: str, readings: list[Reading]) -> None:
    """A bare number repeats a unit stated before it: "fell to 4.8 trillion cubic feet at year-end from 5.2 trillion"."""
    for index in range(1, len(readings)):
        here = readings[index]
        if here.source or here.number.shape == "share":
            continue
        words = low[max(0, here.start - 40) : here.start].split()
        if not here.number.power and not (_FOLLOWED.match(low, here.end) and _compares(words)):
            continue
        giver = _giver(low, readings, index, words)
        if giver is not None:
            here.unit, here.source, here.confidence = giver.unit, "echo", 0.5


def _compares(words: list[str]) -> bool:
    """Do the words before the number set it against an earlier one?"""
    for word in reversed(words[-5:]):
        if word in _COMPARED or word[-1] in ",;":
            return True
        if word not in _PASSED:
            return False
    return False


_PASSED = frozenset(
    "about around some nearly an a the estimated expected restated revised previous prior earlier forecast government last "
    "year's record only just more over least lowest highest average compared 1986 1985 1987".split()
)


def _giver(low: str, readings: list[Reading], index: int, words: list[str]) -> Reading | None:
    """The nearest earlier quantity in the sentence that this bare number may be measured in the unit of."""
    here = readings[index]
    size = abs(here.low)
    for earlier in reversed(readings[max(0, index - 4) : index]):
        if here.start - earlier.end > _FURTHEST or ". " in low[earlier.end : here.start]:
            return None
        if earlier.source not in ("unit", "currency", "noun", "shared", "echo") or earlier.unit in _NOT_ECHOED:
            continue
        if earlier.unit == "percentage" and words[-1] in ("to", "at"):
            continue
        if here.number.power == 0 and earlier.number.power and not here.number.plain and size < 1000 > abs(earlier.number.mantissa):
            return None
        other = abs(earlier.high)
        if other and size and 0.05 < size / other < 20:
            return earlier
    return None


_NOT_ECHOED = frozenset("second minute hour day week month year decade count year of age".split()) | {"year of age"}
