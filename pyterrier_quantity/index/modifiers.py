"""Find nouns that only modify another noun: "monitor" in "monitor arm" and in "arm for monitors".

A search for monitors does not ask for arms. An index marks such words, and scoring gives them a lower weight. The words
are found with word lists, because a part-of-speech tagger would be slow.
"""

import re
from functools import lru_cache
from typing import Final

from pyterrier_quantity.english import STOP_WORDS, listed, set_of, words
from pyterrier_quantity.english.nouns import singular
from pyterrier_quantity.english.stems import STRONG, WEAK
from pyterrier_quantity.english.verbs import IRREGULAR
from pyterrier_quantity.english.wordnet import is_thing, things_meant
from pyterrier_quantity.extraction.grammar.formats import MEASURED

# Words before a noun that is not what the text is about: "for" in "cover for backpacks", "next to" a museum.
_RELATIONS: Final = words("for fits near beside opposite behind unlike next_to close_to")
_PURPOSES: Final = set_of("for fits")
_FIRST_WORDS: Final = {relation.split()[0]: relation for relation in _RELATIONS}

# Words allowed between one of `_RELATIONS` and the noun: "your" in "rain cover for your backpacks".
_INSIDE: Final = set_of("a an the our your their his her its all most any this these that those")

# A pattern of the next word, except in "car number 7". Group 2 matches if the noun phrase ends after that word.
_NEXT: Final = re.compile(r" (?!number \d)([^\W\d_]+(?:-[^\W\d_]+)*)(?=(\Z|[,.;:()]| (?:for|of|with)\b)?)")

# Stop words that are also nouns ("over"), and nouns of attributes: a "flat deposit" belongs to a flat.
_NEVER_MODIFIED: Final = STOP_WORDS | MEASURED | listed("words before a bare number that is asked for")


class Modifiers:
    """Find the words of a text that only modify another noun, such as "monitor" in "monitor arm"."""

    def __init__(self) -> None:
        self._marks = 0  # the marks of the nouns after the last of `_RELATIONS`
        self._end = 0  # the end offset of that relation
        self._last = ""  # the last indexed word

    def marks(self, text: str, token: re.Match[str], counts: bool) -> int:
        """Return how strongly the word `token` modifies a noun, as in "monitor arm": 0, `WEAK` or `STRONG`. Call the
        method for each word of a text in order. If `counts` is false, the word is not indexed, and the result is 0."""
        word = token[0].lower()
        relation = _FIRST_WORDS.get(word)
        if relation and text[token.start() : token.start() + len(relation)].lower() == relation:
            about = relation in _PURPOSES and not _is_artifact(self._last)  # "treatment for diabetes"
            self._marks, self._end = WEAK if about else STRONG, token.start() + len(relation)
        if token.start() < self._end:
            return 0
        if counts:
            self._last = word
            return self._marks or _marks_before(text, token.end(), word)
        if not (word in _INSIDE or word[0].isdigit()):
            self._marks = 0
        return 0


def _marks_before(text: str, end: int, word: str) -> int:
    """Return how strongly the word that ends at offset `end` modifies the next word: "monitor" in "monitor arm" ->
    `STRONG`. If the next word may be a verb and does not end the phrase, return 0: "the bridge costs 3 million"."""
    following = _NEXT.match(text, end)
    if following is None or not _is_singular_noun(word):
        return 0
    last = following[1].lower()
    ends = following[2] is not None and is_thing(last) and last not in IRREGULAR
    if last in _NEVER_MODIFIED or not (ends or _is_singular_noun(last)):
        return 0
    return STRONG if _is_artifact(last) else WEAK


@lru_cache(maxsize=1 << 16)
def _is_singular_noun(word: str) -> bool:
    return word not in IRREGULAR and singular(word) == word and is_thing(word)


@lru_cache(maxsize=1 << 16)
def _is_artifact(word: str) -> bool:
    return singular(word) in _artifacts()


@lru_cache(maxsize=1)
def _artifacts() -> frozenset[str]:
    made = things_meant("artifact") - things_meant("person") - things_meant("organization")
    return made | listed("accessories and parts")
