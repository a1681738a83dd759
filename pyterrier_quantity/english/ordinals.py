"""Match English ordinals up to 99 and return their values: "16th", "third", "twenty-first"."""

import re
from typing import Final

from pyterrier_quantity.english import words

_UNITS: Final = words("first second third fourth fifth sixth seventh eighth ninth")
_TEENS: Final = words("""
    tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
    """)
_TENS: Final = words("twent thirt fort fift sixt sevent eight ninet")
_WORDS: Final = dict(zip((*_UNITS, *_TEENS), range(1, 20), strict=True)) | {
    f"{ten}{below}": 10 * tens + value
    for tens, ten in enumerate(_TENS, start=2)
    for value, below in enumerate(("ieth", *(f"y-{unit}" for unit in _UNITS)))
}
ORDINAL: Final = rf"(?:[1-9]\d?(?:st|nd|rd|th)|{'|'.join(sorted(_WORDS, key=len, reverse=True))})"


def ordinal_value(ordinal: str) -> int:
    """Return the value of a lower-case ordinal that `ORDINAL` matches: "16th" -> 16."""
    digits = re.match(r"\d+", ordinal)
    return int(digits[0]) if digits else _WORDS[ordinal]
