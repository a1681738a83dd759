"""Split English texts into words, stems and sentences."""

import re
import sys
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final
from zlib import crc32

from pyterrier_quantity.english import STOP_WORDS, words

WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")

_NO_END: Final = "".join(rf"(?<!\b{word})" for word in words("Co Dr Mr Ms No St vs Art Fig Inc Ltd Mrs Sec Corp"))
# The end of a sentence. Search results are excerpts, in which "...", bars and bullets also separate sentences.
_END: Final = re.compile(
    rf"""(?<=[^\W\d_]{{2}}){_NO_END}
    [.!?…]+["”’)]*(?=\s+["“‘(]?[A-Z0-9])
    | (?<=[\d%)])[.!?](?=\s+[A-Z])
    | \.\.\.\s | \s[|•·]\s | \n""",
    re.VERBOSE,
)


def _english() -> Any:
    """Load only the English stemmer of snowballstemmer, because importing its stemmers for all languages is slow."""
    alone = ModuleType(f"{__name__}._snowball")
    found = find_spec("snowballstemmer")
    assert found is not None
    alone.__path__ = list(found.submodule_search_locations or ())
    sys.modules.setdefault(alone.__name__, alone)
    return import_module(f"{alone.__name__}.english_stemmer").EnglishStemmer()


STEMMER: Final = _english()


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """Return the lower-case stem of a word, after removing any possessive ending: "Runner's" -> "runner"."""
    return str(STEMMER.stemWord(re.sub(r"['’]s?$", "", word.lower())))


MODIFIER: Final = 1
"""The code that an index stores once (`WEAK`) or twice (`STRONG`) before a word that only modifies another noun."""
WEAK: Final = 1
"""The number of `MODIFIER` codes before a word that modifies an abstract noun or a person: "oil" in "oil market"."""
STRONG: Final = 2
"""The number of `MODIFIER` codes before a word that modifies a manufactured thing: "monitor" in "monitor arm"."""


@lru_cache(maxsize=1 << 18)
def term_hash(word: str) -> int:
    """Return a hash of a word's stem, from 2 to 65535, or 0 for stop words, numbers and punctuation."""
    word = word.lower()
    if word in STOP_WORDS or word.isnumeric() or not (word[:1].isalnum() or word[:1] == "_"):
        return 0
    return max(crc32(STEMMER.stemWord(word).encode()) & 0xFFFF, MODIFIER + 1)


def stems(text: str) -> list[str]:
    """Return the stems of a text's words in order: "two running dogs" -> ["two", "run", "dog"]."""
    return [stem(word) for word in WORD.findall(text)]


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the character spans of a text's sentences. Together, the spans cover the text."""
    ends = [match.end() for match in _END.finditer(text)]
    return list(zip([0, *ends], [*ends, len(text)], strict=True))
