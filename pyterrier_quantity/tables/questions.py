"""Analysis of questions about a table: words, years, and the kind of calculation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pyterrier_quantity.english.stems import STEMMER
from pyterrier_quantity.plan.calculations import calculation

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’&][^\W\d_]+)*\d*|\d+(?:\.\d+)?")
_STOP: Final = frozenset(
    """a an the of in on at to for from by with and or is are was were be been has have had do does did what which how
    much many when where who its their this that these those as it between across over during than per respectively
    company company's group's if i me you please tell calculate compute find would can could year years fiscal fy ended
    end december january june march september""".split()
)
_YEAR: Final = re.compile(r"(?<![\d.,])((?:19|20)\d\d)(?:\s*[/–-]\s*(\d\d(?:\d\d)?))?(?![\d,]|\.\d)")
_SHORT_YEAR: Final = re.compile(r"\b(?:FY|CY|fiscal|fiscal year)\s*['’]?(\d\d)\b(?!\d)|['’](\d\d)\b", re.I)
_SPAN: Final = re.compile(
    r"\b(?:from|between|through|over|across|for)\b[^?.]{0,100}?"
    r"((?:19|20)\d\d)\s*(?:to|and|through|until|[-–])\s*(?:FY\s*)?((?:19|20)\d\d)",
    re.I,
)


@dataclass(frozen=True)
class Question:
    """An analysed question.

    Args:
        text: the question as typed.
        stems: stems of its content words, in order, without years.
        periods: the years that it names, in order, followed by the years between the two ends of a span.
        kind: kind of calculation, one of `plan.calculations.CLASSES`.
    """

    text: str
    stems: tuple[str, ...]
    periods: tuple[str, ...]
    kind: str


@lru_cache(maxsize=50_000)
def read_question(text: str) -> Question:
    span = _SPAN.search(text)
    low, high = sorted(map(int, span.groups())) if span else (0, 0)
    between = (str(year) for year in range(low + 1, min(high, low + 30)))
    return Question(text, content(text), tuple(dict.fromkeys((*periods(text), *between))), calculation(text))


@lru_cache(maxsize=100_000)
def content(text: str) -> tuple[str, ...]:
    """Return the stems of a text's content words, without function words and years."""
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    kept = [word for word in words if word not in _STOP and not re.fullmatch(r"(?:19|20)\d\d|\d", word)]
    return tuple(STEMMER.stemWords(kept))


@lru_cache(maxsize=100_000)
def periods(text: str) -> tuple[str, ...]:
    """Return the distinct years that a text names, in order; the second year for a fiscal year: "2018/19" -> "2019"."""
    found = [(match.start(), (match[1][:2] + (match[2] or match[1]))[-4:]) for match in _YEAR.finditer(text)]
    found += [(match.start(), f"20{match[1] or match[2]}") for match in _SHORT_YEAR.finditer(text)]
    return tuple(dict.fromkeys(year for _, year in sorted(found)))
