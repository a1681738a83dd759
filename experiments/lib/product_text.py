"""Prepare texts of product pages for rankers: plain letters, sizes in words, and attributes as a list instead of JSON.

Source: hybrid product question answering, section 3, "Data Preparation".
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from pyterrier_quantity.extraction import RuleExtractor

_SIGNS: Final = str.maketrans({"″": '"', "”": '"', "“": '"', "′": "'", "’": "'", "‘": "'", "×": "x", "–": "-"})
_SIDES: Final = {"l": "length", "w": "width", "h": "height", "d": "depth"}
_SIDE: Final = re.compile(r" ?([lwhd])(?![\w'])", re.IGNORECASE)
_MARKS: Final = (("(?:''|\")", "inch", "inches"), ("'", "foot", "feet"))


def prepared(text: str) -> str:
    r"""Return the text of a product page for rankers: `{"height": "23\""}` -> "height: 23 inches", `3" l x 4" w` ->
    "length 3 inches x width 4 inches", "café" -> "cafe".

    Marks that do not state a size, such as quotes after a number, are kept.
    """
    text = "".join(map(_plain, flattened(text).translate(_SIGNS)))
    parts, done = [], 0
    for quantity in _reader().extract(text):
        span = text[quantity.start : quantity.end]
        if span[-1] not in "'\"" or quantity.unit not in ("inch", "foot"):
            continue
        side = _SIDE.match(text, quantity.end)
        name = f"{_SIDES[side[1].lower()]} " if side else ""
        parts += [text[done : quantity.start], name, _worded(span)]
        done = side.end() if side else quantity.end
    return "".join((*parts, text[done:]))


def flattened(text: str) -> str:
    """Return JSON as a list with commas: `{"size": {"height": "2 m", "width": "3 m"}}` -> "size height: 2 m, width: 3
    m". Any other text is returned unchanged."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return ", ".join(_items(json.loads(text)))
    except (ValueError, RecursionError):
        return text


def _items(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _items(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            words, nested = str(name).replace("_", " "), list(_items(item))
            named = f"{words} " if isinstance(item, dict) else f"{words}: "
            yield from (f"{named}{part}" if not number else part for number, part in enumerate(nested))
    else:
        yield str(value)


def _plain(letter: str) -> str:
    """Return a letter without its diacritics."""
    if letter.isascii() or not letter.isalpha():
        return letter
    return "".join(part for part in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(part))


def _worded(span: str) -> str:
    """Replace marks by words: 5'11" -> "5 feet 11 inches"."""
    for mark, one, several in _MARKS:
        span = re.sub(rf"(?<![\d./])1 ?{mark}", f"1 {one} ", span)
        span = re.sub(f" ?{mark}", f" {several} ", span)
    return span.strip()


@cache
def _reader() -> RuleExtractor:
    return RuleExtractor(concepts=False)
