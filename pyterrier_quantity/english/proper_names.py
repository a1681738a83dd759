"""Find proper names in a text: sequences of capitalised words and model numbers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pyterrier_quantity.english import STOP_WORDS

_PART: Final = r"(?:[^\W\d_a-z][^\W_]*(?:['’&-][^\W_]+)*|\d+[a-z]?(?![\d.,%]))"
_NAME: Final = re.compile(rf"(?<!\w){_PART}(?: {_PART})*(?!\w)")
_LINKED: Final = re.compile(rf"(?<!\w){_PART}(?: (?:(?:of|the|de) ){{0,2}}{_PART})*(?!\w)")
_STARTS: Final = re.compile(r"(?:\A|[.!?…:\n])[\s\"“‘'(]*\Z")
_BEFORE: Final = 4  # number of characters before a word that are searched for the end of the previous sentence


@dataclass(frozen=True, slots=True)
class ProperName:
    """A proper name in a text.

    Args:
        start, end: the character span of the name.
        words: the words of the name in lower case, without stop words.
    """

    start: int
    end: int
    words: tuple[str, ...]


def proper_names(text: str, linked: bool = False) -> Iterator[ProperName]:
    """Yield the proper names in a text, in order.

    A name does not begin with a stop word: "The Mont Blanc" -> "Mont Blanc". A number, or a single capitalised word at
    the start of a sentence, is not a name.

    Args:
        text: the text with its original capitals.
        linked: whether a name may contain "of", "the" and "de" ("Bank of England").
    """
    for place in (_LINKED if linked else _NAME).finditer(text):
        words = list(re.finditer(r"\S+", place[0]))
        while words and words[0][0].lower() in STOP_WORDS:
            words.pop(0)
        if not words:
            continue
        name = tuple(word[0].lower() for word in words if word[0].lower() not in STOP_WORDS)
        start = place.start() + words[0].start()
        first = len(words) == 1 and _STARTS.search(text, start - _BEFORE, start)
        if first or all(map(str.isdigit, name)):
            continue
        yield ProperName(start, place.end(), name)
