"""Return the singular or plural of English nouns."""

from functools import lru_cache
from typing import Final

from pyterrier_quantity.english import kinds_of, rows_of, words_of

_SINGULAR: Final = {  # dictionary from irregular plurals to their singular
    word: word.removesuffix(plural) + single for plural, single, words in rows_of("nouns.tsv") for word in words.split()
}
_PLURALS: Final = words_of("plurals.tsv")
# A dictionary from words that only look like plurals to "noun" (a singular noun, "gas") or "word" (any other).
_NO_PLURALS: Final = kinds_of("singulars.tsv")
_USE, _ES_AFTER = ("houses", "auses", "ouses", "cuses", "buses", "fuses"), ("sses", "shes", "ches", "xes", "zzes")
_IRREGULAR = dict(pair.split("/") for pair in ("man/men", "foot/feet", "child/children"))
_PLURAL = _IRREGULAR | dict(pair.split("/") for pair in ("woman/women", "inch/inches", "person/persons", "lux/lux"))


@lru_cache(maxsize=65536)
def singular(noun: str) -> str:
    """Return the singular of an English noun: "cigarettes" -> "cigarette", "children" -> "child".

    Args:
        noun: a word or a phrase. Only the last word of a phrase changes, and capitals are kept.

    Returns:
        the singular. A word that is already singular, or that has no singular, is returned unchanged.
    """
    head, blank, last = noun.rpartition(" ")
    return head + blank + _singular_word(last) if blank else _singular_word(noun)


def _singular_word(word: str) -> str:
    low = word.lower()
    if len(low) < 3:
        return word
    if low in _SINGULAR:
        return _recase(word, _SINGULAR[low])
    if low in _PLURALS or _NO_PLURALS.get(low) == "noun":
        return word
    for single, ending in _IRREGULAR.items():
        if low.endswith(ending):
            return _recase(word, low[: -len(ending)] + single)
    if not low.endswith("s") or low.endswith(("ss", "us", "is", "ics")):
        return word
    if low.endswith("ies") and len(low) > 4:
        return _recase(word, low[:-3] + "y")
    if low.endswith(_ES_AFTER) or (low.endswith("uses") and len(low) > 5 and not low.endswith(_USE)):
        return word[:-2]
    return word[:-1]


def is_plural(word: str) -> bool:
    """Return whether a lower-case word looks like a plural noun: true for "cars", "women", false for "gas", "bus"."""
    if word in _NO_PLURALS:
        return False
    if word in _PLURALS or word in _SINGULAR or word.endswith(("women", "feet", "children")):
        return True
    if word.endswith("men"):
        return len(word) not in (4, 5)  # not "omen", "semen"
    return word.endswith("s") and len(word) > 2 and word[-2] not in "s'" and not word.endswith(("us", "is"))


def plural(noun: str) -> str:
    """Return the plural of a noun or noun phrase: "square foot" -> "square feet", "penny" -> "pennies"."""
    head, blank, word = noun.rpartition(" ")
    low = word.lower()
    if low in _PLURAL:
        word = _PLURAL[low]
    elif low.endswith(("s", "x", "z", "ch", "sh")):
        word += "es"
    elif low.endswith("y") and len(low) > 1 and low[-2] not in "aeiou":
        word = word[:-1] + "ies"
    else:
        word += "s"
    return head + blank + word


def _recase(word: str, target: str) -> str:
    if word.isupper():
        return target.upper()
    return target.capitalize() if word[:1].isupper() else target
