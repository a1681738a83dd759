"""Second pass: ranges, ratios, lists and units that several numbers share."""

from __future__ import annotations

import re

from pyterrier_quantity.quantity import BARE

from . import bounds
from .reading import Reading

_DASH = frozenset(("-", " - ", "- ", " -", "--", "to-", "-to-", " to ", " to-", "/-", " through ", " thru ", " till ", " until ", " -- "))
_LIST = re.compile(r"-? ?(?:,|,? ?and|,? ?or|/|&|,? ?vs\.?|,? ?versus|,? ?against|by|x|×|,? ?compared (?:with|to)|,? ?up from|,? ?down from|,? ?from)? ?(?:(?:an? )?(?:loss|profit|gain) (?:of )?|about |around |some |nearly |the )?\Z")
_RATIO = frozenset((" in ", " out of ", " in every ", " out of every "))
_OF = re.compile(r" of (?:the |its |their |all |a total (?:of )?|these |those )?\Z")
_BETWEEN = re.compile(r"(?:between|betwen|from|range of|ranging from|ranges from|range from)(?: about| around| some| roughly)? \Z")
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
    elif gap not in _DASH:
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


_ECHO = re.compile(r"(?:\bwhile\b|\bwhilst\b|\bbut\b|\band|,)[^.;]* \Z|[^.;]* (?:to|at) \Z")
_PREPOSITION = re.compile(r" (?:by|in|at|for|from|on|with|last|a year|the)\b|[.,;)]? ?\Z|[,;.)]")


def _echo(low: str, readings: list[Reading]) -> None:
    """A bare number repeats the unit stated before it in the sentence: "84.75 cents, while the lowest is 74.07"."""
    for index in range(1, len(readings)):
        here, earlier = readings[index], readings[index - 1]
        if here.source or not earlier.source or earlier.source == "age" or here.start - earlier.end > 60:
            continue
        if earlier.unit == "percentage" and index > 1 and readings[index - 2].unit == "point":
            earlier = readings[index - 2]
        if earlier.unit == "percentage" or not _PREPOSITION.match(low, here.end):
            continue
        gap = low[earlier.end : here.start]
        if earlier.source == "noun" and (not gap.endswith((" and ", " is ", " was ", ", ")) or here.number.shape != "digits"):
            continue
        if _ECHO.match(gap):
            here.unit, here.source, here.confidence = earlier.unit, "echo", 0.5
