"""Which numbers of a query tell something of a person or a case, and are no conditions on what is sought.

"I am 34 years old and look for flats under 900 euros" sets one condition: who says of himself what he is, has or did
wants nothing by it, unless the sentence says that he wants it ("I need a flat of 60 square metres") or speaks of money.
"""

from __future__ import annotations

import re
from typing import Final

from pyterrier_quantity.english import listed
from pyterrier_quantity.units import default_registry

_CASE: Final = 20
"""Words that a text of several sentences has at least to be a case, if none of them wants anything."""
_REQUEST: Final = 30
"""Words that a request may have if it takes more than one sentence."""
_REACH: Final = 160
"""How many characters before a number may say of whom it tells."""
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s+[A-Z]|\s*$)")
_CLAUSE_BEGIN: Final = re.compile(r"[.;:!?()\n](?:\s|$)|[(]")
_TELLER: Final = re.compile(
    r"\b(?:I|[Ww]e|[Hh]e|[Ss]he)(?:['’](?:m|ve|re|s))?\s|\bi (?:am|was|have|had)\s"
    r"|\b(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er)\s(?:\w+\s){1,4}(?:is|are|was|were|has|have|had)\s"
)
_OWN_AGE: Final = re.compile(r"\b(?:[Aa]s an?|[Mm]y|[Oo]ur)\s+$")
_ONE_PERSON: Final = re.compile(r"(?:^|[.!?]\s+)(?:An?|The|This|an?|the|this)\s+$")
_WORD: Final = re.compile(r"[^\W\d_]+")
_WANTING: Final = listed("words of wanting")
_PERSONS: Final = listed("words for one person")
_DESCRIBING: Final = 4
"""Words behind an age among which stands whose it is: "61-year-old African-American man"."""


def tells_a_case(text: str) -> bool:
    """Whether a text tells a case rather than asks for something: all its numbers describe."""
    words = text.split()
    ends = len(_SENTENCE_END.findall(text))
    if len(words) < _CASE or not ends:
        return False
    if ends >= 2 and len(words) > _REQUEST:
        return True
    return ends + (text.rstrip()[-1] not in ".!?") >= 2 and not _wants(text)


def is_told(text: str, start: int, end: int, unit: str) -> bool:
    """Whether the number at this place, without any wording of a bound, describes who asks, or somebody else.

    Args:
        text: a query.
        start, end: of the number with its unit.
        unit: canonical.
    """
    family = default_registry().family(unit)
    if (family or "").startswith("currency"):
        return False
    before = text[max(0, start - _REACH) : start]
    if unit.endswith("of age") and _is_of_one_person(before, text[end:]):
        return True
    clause = _CLAUSE_BEGIN.split(before)[-1]
    teller = _TELLER.search(clause)
    if teller is None:
        return False
    return not _wants(clause[teller.end() :])


def _wants(words: str) -> bool:
    return any(word.lower() in _WANTING for word in _WORD.findall(words))


def _is_of_one_person(before: str, behind: str) -> bool:
    if _OWN_AGE.search(before):
        return True
    words = [word.lower() for word in _WORD.findall(behind)[:_DESCRIBING]]
    return bool(_ONE_PERSON.search(before)) and not _PERSONS.isdisjoint(words)
