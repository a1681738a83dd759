"""How sure it is that a number of a query sets a condition, by the form of the text that it stands in.

"Flats under 900 euros" and "which league has 21 teams?" ask; "after 20 years in this job I read about tin" tells. Who
says of himself or of a case what is, was or happened wants nothing by it. Few and general signs weigh in a logistic
regression: whether a bound is worded, whether the sentence asks for something, how long it is, whether it speaks of
persons or of the past, whether the number is an age, a time that passed, or the length of a text.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise
from operator import mul
from typing import Final, NamedTuple

from pyterrier_quantity.english import listed
from pyterrier_quantity.english.verbs import IRREGULAR
from pyterrier_quantity.extraction import DATE_UNIT
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.units import default_registry

LEAST: Final = 0.25
"""Below this certainty a number sets no condition."""

SURE: Final = 0.93
"""From this certainty on nothing is in doubt, or, of everyday numbers, hardly anything."""

_NEARLY: Final = 0.996
"""So sure that some evidence in the results bears it out. Of .993 to .999 on five collections, numbers that ask for
nothing do more harm from .998 on, and at .993 conditions in long queries count less."""

_EVERYDAY: Final = ("time", "age", "person")
"""Families of units."""


class Form(NamedTuple):
    """The signs of a number and of its sentence; 0 or 1, but for the lengths.

    bounded: a bound, a range or "exactly" is worded.
    joined: a word like "of" or "with" joins the number to what stands before it; 0 with `persons` or `past`.
    asking: the sentence begins as a question or a request does, or wants something before the number.
    asking_words, telling_words: ln(1 + different words of the text), the first where it asks, the second where not.
    persons: the sentence speaks of somebody, asks for nothing, and the number is no money.
    past: the sentence speaks of the past.
    aged: the number is the age of somebody of whom the sentence tells.
    passed: the number is a time that something took, or that passed.
    manner: the sentence asks how something is done, or whether it can be.
    textual: the number measures a text or a talk ("2 pages").
    subject: the sentence begins with the number, or what has it, and says what that does ("At least 12 reporters asked
        the minister", "A panel of 15 experts will meet").
    adverbial: a preposition stands before what words a bound ("in at most 3 sentences").
    topical: behind the number stands what a text or talk is about ("20 minutes about tin", "at most 20 minutes: tin").
    definite: "the", or whose it is, stands before a number without a bound: what is known ("the 30 years war").
    """

    bounded: float
    joined: float
    asking: float
    asking_words: float
    telling_words: float
    persons: float
    past: float
    aged: float
    passed: float
    manner: float
    textual: float
    subject: float
    adverbial: float
    topical: float
    definite: float


_WEIGHTS: Final = Form(2.89, 1.5, -0.26, -1.07, -1.37, -0.85, -0.57, -0.92, -0.9, -0.55, -3.73, -2.92, -1.56,
                       -3.5, -1.5)  # fmt: skip
_BIAS: Final = 2.48
"""By logistic regression over topics of collections, queries of many domains, and wordings of many kinds of text whose
numbers set none; `experiments/certainty.py` repeats it and compares these weights with what is learned now. By hand:
`persons`, `past` and `definite`, of which the material has few, and `joined`, since short queries state values so."""

_REACH: Final = 20
_TOPIC: Final = re.compile(r"[^,;|]{0,80}?(?:\b(?:about|regarding|concerning) (?=[^\W\d])|(?<=[\w)]): (?=\W?[^\W\d]))")
"""What leads to the topic of a text; "about 50" is a number, and a label's colon stands behind a mark."""
_DEFINITE: Final = frozenset(("the", "these", "those", "this", "my", "our", "your", "his", "her", "its", "their"))
_WORD: Final = re.compile(r"[^\W\d_]+")
_SENTENCE_END: Final = re.compile(r"[.!?;](?=\s+[A-Z])|\n")
_JOINING: Final = re.compile(r"\b(?:of|with|at(?! (?:the )?(?:least|most)))\b|[=:]", re.IGNORECASE)
_PERSONS: Final = listed("words that stand for persons")
_DETERMINERS: Final = listed("determiners")
_OF_SOMEBODY: Final = re.compile(r"(?:\b(?:as an?|my|our|his|her)|(?:^|[.!?]\s)(?:an?|the|this)) $", re.IGNORECASE)
_PAST: Final = frozenset(("was", "were", "had", "did")) | IRREGULAR
_MEASURING: Final = listed("words after how that ask for a measure")
_MODAL: Final = listed("words that begin a question of manner")
_WAY: Final = frozenset(("way", "ways"))
_TEXTUAL: Final = listed("measures of texts")
_REQUESTING: Final = listed("words that begin a request")
_WANTING: Final = listed("words of wanting")
_BEFORE_TIMES: Final = listed("words before a time that passed")
_BEFORE_ADVERBIALS: Final = _BEFORE_TIMES | {"to"}
_RELATIVE: Final = frozenset(("that", "which", "who", "whose", "whom", "where"))
_AUXILIARY: Final = listed("auxiliary verbs")
_PHRASE: Final = 3
"""Words of a noun phrase before its number: "a panel of"."""
_VERB_REACH: Final = 6
"""How many words behind a subject its verb is looked for."""
_BEHIND_TIMES: Final = listed("words behind a time that passed")


def form_of(text: str, start: int, end: int, number: int, bounded: bool, unit: str) -> Form:
    """The signs of a number.

    Args:
        text: a query.
        start, end: the characters that word the condition, if it is one.
        number: where among them the number begins.
        bounded: whether they word a bound, a range or "exactly".
        unit: canonical.
    """
    begin = max((found.end() for found in _SENTENCE_END.finditer(text, 0, start)), default=0)
    closing = _SENTENCE_END.search(text, end)
    before, behind = _words(text[begin:start]), _words(text[end : closing.start() if closing else len(text)])
    sentence = [*before, *_words(text[start:end]), *behind]
    asking = not _REQUESTING.isdisjoint(sentence[:1]) or not _WANTING.isdisjoint(before)
    length = math.log1p(len(set(_words(text))))
    family = default_registry().family(unit) or ""
    placed = not _BEFORE_TIMES.isdisjoint(before[-1:]) or not _BEHIND_TIMES.isdisjoint(behind[:1])
    told = not (asking or family.startswith("currency") or _PERSONS.isdisjoint(sentence))
    past = _speaks_of_the_past(sentence)
    return Form(
        bounded=float(bounded),
        joined=float(not (told or past) and bool(_JOINING.search(text, start, number))),
        asking=float(asking),
        asking_words=length * asking,
        telling_words=length * (not asking),
        persons=float(told),
        past=float(past),
        aged=float(unit.endswith("of age") and bool(_OF_SOMEBODY.search(text, max(0, start - _REACH), start))),
        passed=float(family == "time" and placed),
        manner=float(_asks_for_a_manner(sentence)),
        textual=float(" per " not in unit and not _TEXTUAL.isdisjoint(unit.split())),
        subject=float(_opens(before) and _says_something(_main_clause(behind))),
        adverbial=float(bounded and not _BEFORE_ADVERBIALS.isdisjoint(before[-1:])),
        topical=float(_leads_to_a_topic(text, end)),
        definite=float(not (bounded or _DEFINITE.isdisjoint(_words(text[max(begin, number - _REACH) : number])[-1:]))),
    )


def certainty(form: Form, unit: str) -> float:
    """How likely the number of this form sets a condition, in (0, 1]; what is nearly sure is sure."""
    found = likelihood(form)
    if found < SURE:
        return found
    return _NEARLY if is_everyday(unit) else 1.0


def is_everyday(unit: str) -> bool:
    """Whether texts of all kinds have such numbers: bare ones, dates, times, ages, and how many there are of a thing;
    measures, rates and money are rarer."""
    if unit in (BARE, DATE_UNIT):
        return True
    family = default_registry().family(unit)
    return " per " not in unit and family in (unit, None, *_EVERYDAY)


def likelihood(form: Form) -> float:
    """The same as it has it."""
    return 1.0 / (1.0 + math.exp(-_BIAS - sum(map(mul, _WEIGHTS, form))))


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _asks_for_a_manner(words: list[str]) -> bool:
    """ "How do I", "can I", "what is a good way to"; not "how many"."""
    first, *others = words or [""]
    if first == "how":
        return _MEASURING.isdisjoint(others[:1])
    return first in _MODAL or (first == "what" and not _WAY.isdisjoint(others))


def _leads_to_a_topic(text: str, end: int) -> bool:
    """Whether a topic follows, or a colon that leads to something else than a request ("...: show me the first")."""
    found = _TOPIC.match(text, end)
    return found is not None and _REQUESTING.isdisjoint(_words(text[found.end() : found.end() + _REACH])[:1])


def _opens(before: list[str]) -> bool:
    """Whether a sentence begins with a number, or with a noun phrase that has it."""
    return not before or (len(before) <= _PHRASE and before[0] in _DETERMINERS and _RELATIVE.isdisjoint(before))


def _main_clause(behind: list[str]) -> list[str]:
    """The words up to a relative clause, which describes what is sought: "a car above 400 hp that does not have"."""
    end = next((place for place, word in enumerate(behind) if word in _RELATIVE), None)
    return behind[:end]


def _says_something(behind: list[str]) -> bool:
    """Whether a finite verb follows."""
    return not _AUXILIARY.isdisjoint(behind[:_VERB_REACH]) or _speaks_of_the_past(behind)


def _speaks_of_the_past(words: list[str]) -> bool:
    """Whether a past form is there that is no participle: an irregular one, or one in -ed with an object."""
    objects = _DETERMINERS | _PERSONS
    regular = any(one.endswith("ed") and other in objects for one, other in pairwise(words))
    return regular or not _PAST.isdisjoint(words)
