"""Units stated once for several numbers: in lists, in comparisons, and repeated in thought."""

from __future__ import annotations

import re
from itertools import pairwise

from . import bounds, counts
from .attach import SPANS
from .data import in_order, listed
from .reading import Reading

_LIST = re.compile(
    r"(?! \Z)-? ?"
    r"(?:(?:,|,? ?and|,? ?or|,? ?but|/|&|,? ?vs\.?|,? ?versus|,? ?against|by|x|×|,? ?compared (?:with|to)) ?"
    r"(?:(?:above|below|over|under|up to|at least|at most) |(?:more|less|greater|fewer|higher|lower) than |[<>≥≤]=? ?)?"
    r")?(?:(?:an? )?(?:loss|profit|gain) (?:of )?|about |around |some |nearly |the )?\Z"
)
_COMPARES = re.compile(
    r",? ?(?:vs\.?|versus|against|compared (?:with|to)|(?:up |down )?from) "
    r"(?:(?:an? )?(?:loss|profit|gain) (?:of )?|about |around )?\Z"
)
_WIDE = re.compile(r"-(?:tall|long|wide|high|deep|thick|strong|heavy)(?= )")
_OF = re.compile(r" of (?:the |its |their |all |a total (?:of )?|these |those )?\Z")
_COMPARED = listed("words that compare two numbers")
_PASSED = listed("words between a comparison and its number")
_FOLLOWED = re.compile(
    rf"[,;:)]?(?: (?:{'|'.join(map(re.escape, in_order('words after a number without its unit')))})(?!\w)"
    r"|\.?\)?[\"']?\Z|[,;]|\. )"
)
_NOT_REPEATED = SPANS | frozenset(("decade", "count", "year of age"))
_GIVERS = frozenset(("unit", "currency", "noun", "shared", "echo"))
_LENGTHS = frozenset(("metre", "centimetre", "millimetre", "kilometre", "foot", "inch", "yard", "mile"))
_OPENS = frozenset(("(", " ("))
_NEAR, _FAR = 24, 120


def share_units(low: str, readings: list[Reading]) -> None:
    """Give bare numbers the unit that the text states beside another number.

    Args:
        low: the text in lower case.
        readings: in order; changed in place.
    """
    for here, follower in zip(reversed(readings[:-1]), reversed(readings), strict=False):
        if not here.source and follower.source and follower.start - here.end <= _NEAR:
            _from_next(low, here, follower)
    for earlier, here in pairwise(readings):
        if not here.source and earlier.source not in ("", "noun", "age") and here.start - earlier.end <= _NEAR:
            gap = low[earlier.end : here.start]
            if (gap != ", " and _LIST.match(gap)) or _COMPARES.match(gap):
                _take(low, here, earlier)
    _repeat(low, readings)


def _from_next(low: str, here: Reading, follower: Reading) -> None:
    gap = low[here.end : follower.start]
    if gap == " ":
        wide = _WIDE.match(low, follower.end)
        if follower.source in ("unit", "currency"):  # "two 50 mg tablets", "2.9 million 9 litre cases"
            _count(low, here, wide.end() if wide else follower.end)
    elif gap in _OPENS and low[follower.number_end : follower.unit_start].startswith(")"):
        _take(low, here, follower)  # "163.9 (12.5) mmHg"
    elif gap in _OPENS and low[follower.end : follower.end + 1] == ")" and follower.unit == "percentage":
        _count(low, here, follower.end + 1)  # "12 (25%) patients"
    elif gap == ", " and follower.source != "shared":
        return  # "pH 7.4, 37 °C"; but "5, 10 and 20 mg"
    elif _OF.match(gap) or (follower.source != "currency" and (_LIST.match(gap) or _COMPARES.match(gap))):
        _take(low, here, follower)


def _count(low: str, here: Reading, at: int) -> None:
    """Take the noun that stands behind what follows the number, if there is one."""
    noun = counts.after(low, at, False)
    if noun is not None:
        here.unit, here.source, here.confidence = noun.name, "noun", 0.7


def _take(low: str, here: Reading, giver: Reading) -> None:
    if here.number.shape == "share":
        return  # "half of the 3 mln tonnes"
    if giver.unit == "percentage" and (here.number.power or abs(here.low) > 1000):
        return
    if low[here.end : giver.start].strip() in ("x", "×") and giver.unit not in _LENGTHS:
        return  # "5 x 10 mg"; but "5 x 10 m"
    number, other = here.number, giver.number
    if number.power == 0 and other.power and other.mantissa and abs(here.low) < 1000 and here.start < giver.start:
        here.multiply(other.value / other.mantissa)
    here.unit, here.source, here.confidence = giver.unit, "shared", 0.8


def _repeat(low: str, readings: list[Reading]) -> None:
    """Repeat an earlier unit: "fell to 4.8 trillion cubic feet at year-end from 5.2 trillion"."""
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


def _giver(low: str, readings: list[Reading], index: int, words: list[str]) -> Reading | None:
    """The nearest earlier quantity in the sentence that this bare number may be measured in the unit of."""
    here = readings[index]
    size = abs(here.low)
    for earlier in reversed(readings[max(0, index - 4) : index]):
        if here.start - earlier.end > _FAR or ". " in low[earlier.end : here.start]:
            return None
        if earlier.source not in _GIVERS or earlier.unit in _NOT_REPEATED:
            continue
        if earlier.unit == "percentage" and (here.number.power or size > 1000 or (words and words[-1] in ("to", "at"))):
            continue
        other = abs(earlier.high)
        if words and words[-1] == "to" and bounds.is_changing(low, earlier.start):
            return earlier  # "rose 64 points to 4,577"
        if other and size and 0.05 < size / other < 20:
            return earlier
    return None
