"""Find nouns that only modify another noun: "monitor" in "monitor arm" and in "arm for monitors".

A search for monitors does not ask for arms. An index marks such words, and scoring gives them a lower weight. They are
found by word lists, because a part-of-speech tagger would be slow.
"""

import re
from functools import lru_cache
from typing import Final

from pyterrier_quantity.english import set_of
from pyterrier_quantity.english.nouns import singular
from pyterrier_quantity.english.verbs import IRREGULAR
from pyterrier_quantity.english.wordnet import is_thing

_PURPOSE: Final = set_of("for near beside opposite fits")
"""Words after which a noun only modifies the noun before them: "for" in "rain cover for backpacks"."""

_INSIDE: Final = set_of("a an the our your their his her its all most any this these that those")
"""Words allowed between a word of `_PURPOSE` and the noun: "your" in "rain cover for your backpacks"."""

_NEXT: Final = re.compile(r" (?!number \d)([^\W\d_]+(?:-[^\W\d_]+)*)(?=(\Z|[,.;:()]| (?:for|of|with)\b)?)")
"""A pattern of the next word, except in "car number 7". Group 2 matches if the noun phrase ends after that word."""


class Modifiers:
    """Find the words of a text that only modify another noun, such as "monitor" in "monitor arm"."""

    def __init__(self) -> None:
        self._after_purpose = False

    def is_modifier(self, text: str, token: re.Match[str], counts: bool) -> bool:
        """Return whether the next token of a text only modifies a noun. `counts` is true if the token is indexed."""
        word = token[0].lower()
        if word in _PURPOSE:
            self._after_purpose = True
            return False
        if counts:
            return self._after_purpose or _modifies_next(text, token.end(), word)
        self._after_purpose &= word in _INSIDE or word[0].isdigit()
        return False


def _modifies_next(text: str, end: int, word: str) -> bool:
    """Return whether the word that ends at offset `end` modifies the next noun: "monitor" in "monitor arm". If the next
    word looks like a plural, it must end a phrase, since it may be a verb: "the bridge costs 3 million"."""
    following = _NEXT.match(text, end)
    if following is None or not _is_singular_noun(word):
        return False
    last = following[1].lower()
    return _is_singular_noun(last) or (following[2] is not None and is_thing(last) and last not in IRREGULAR)


@lru_cache(maxsize=1 << 16)
def _is_singular_noun(word: str) -> bool:
    return word not in IRREGULAR and singular(word) == word and is_thing(word)
