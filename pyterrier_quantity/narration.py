"""How sure it is that a number of a query sets a condition, by the form of the text that it stands in.

"Flats under 900 euros" and "which league has 21 teams?" ask; "after 20 years in this job I read about tin" tells. Who
says of himself or of a case what is, was or happened wants nothing by it. Few and general signs weigh in a logistic
regression: whether a bound is worded, whether the sentence asks for something, how long it is, whether it speaks of
persons or of the past, whether the number is an age, a time that passed, or the length of a text.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from itertools import pairwise
from operator import mul
from typing import Final, NamedTuple

from pyterrier_quantity.english import in_order, listed
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

_COMMON: Final = {BARE: 1.0, DATE_UNIT: 1.5}
_EVERYDAY: Final = ("time", "age", "person")
"""Families of units."""


class Form(NamedTuple):
    """The signs of a number and of its sentence; 0 or 1, but for the lengths.

    bounded: a bound, a range or "exactly" is worded.
    joined: a word like "of" or "with" joins the number to what stands before it; 0 with `persons` or `past`.
    asking: the sentence begins as a question or a request does, or wants something before the number; who wants the
        number itself ("we pay less than 400 euros a year") may only tell.
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
    topical: behind the number stands what a text or talk is about ("20 minutes about tin", "at most 20 minutes: tin",
        "300 dollars for the vet, who had a leaflet on tin"); where the sentence asks nothing, in a later one, or
        that stands before, and the number is said of the text ("the leaflet on tin must not cost more than 20 cents").
    definite: "the", or whose it is, stands before a number without a bound: what is known ("the 30 years war").
    formal: the text is a program's, not a person's: it has several kinds of marks of code.
    sought: before the number, in its clause, stands what begins a request or leads to a topic: the number is part of
        what is asked about ("tell me about flats under 900 euros"); 0 with `topical`, `manner` or `formal`.
    apart: the request begins in a clause behind the number's ("I pay less than 900 euros, what about football?"); it
        may still ask ("it must weigh less than 2 kg, show me tents for two").
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
    formal: float
    sought: float
    apart: float


_WEIGHTS: Final = Form(2.89, 1.5, -1.0, -0.7, -1.37, -0.85, -0.57, -0.92, -0.9, -0.8, -3.73, -2.92, -1.56,
                       -3.8, -1.5, -2.5, 2.1, -2.2)  # fmt: skip
_BIAS: Final = 2.48
"""By logistic regression over topics of collections, queries of many domains, and wordings of many kinds of text whose
numbers set none; `experiments/certainty.py` repeats it and compares these weights with what is learned now. By hand:
`persons`, `past` and `definite`, of which the material has few, and `joined`, since short queries state values so;
`sought` and `apart` were learned beside the others as they were, `apart` with requests that follow their conditions."""

_REACH: Final = 20
_ABOUT: Final = r"\b(?:about|regarding|concerning) (?=[^\W\d])"
_TEXT_ON: Final = rf"\b(?:{'|'.join(in_order('nouns of texts and talks'))}) (?:on|about|regarding) (?=[^\W\d])"
_TOPIC: Final = re.compile(rf"[^,;|]{{0,80}}?(?:{_ABOUT}|(?<=[\w)]): (?=\W?[^\W\d]))", re.IGNORECASE)
"""What leads to the topic of a text; "about 50" is a number, and a label's colon stands behind a mark."""
_TEXT: Final = re.compile(rf"[^.!?;\n]{{0,120}}?{_TEXT_ON}", re.IGNORECASE)
_LATER_TOPIC: Final = re.compile(f"{_ABOUT}|{_TEXT_ON}", re.IGNORECASE)
_CODE: Final = re.compile(r"\w_\w|\w\(|[=!]=|&&|\|\||--|[-=]>|;\s*$|[{}]|\*|`|\w=\S|//")
_DEFINITE: Final = frozenset(("the", "these", "those", "this", "my", "our", "your", "his", "her", "its", "their"))
_WORD: Final = re.compile(r"[^\W\d_]+")
_SENTENCE_END: Final = re.compile(r"[.!?;](?=\s+[A-Z])|\n")
_CLAUSE_END: Final = re.compile(rf"[,;:!?–—] |{_SENTENCE_END.pattern}")
_LINKING: Final = frozenset(("and", "but", "or", "so", "then"))
_ASKING_BACK: Final = frozenset(("how", "when", "where", "why"))
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
_EXISTING: Final = frozenset(("there", "any", "anybody", "anyone", "anything", "somebody", "someone"))
_WANTING: Final = listed("words of wanting")
_BEFORE_TIMES: Final = listed("words before a time that passed")
_BEFORE_ADVERBIALS: Final = _BEFORE_TIMES | {"to"}
_RELATIVE: Final = frozenset(("that", "which", "who", "whose", "whom", "where"))
_AUXILIARY: Final = listed("auxiliary verbs")
_EMPTY: Final = frozenset().union(_AUXILIARY, _PERSONS, _REQUESTING, _WANTING, _DETERMINERS, _EXISTING, _ASKING_BACK)
"""Words of a request that name nothing: "which are there", "where can I find them"."""
_BEGINNING: Final = 60
"""Characters that tell how a clause begins."""
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
    stop = closing.start() if closing else len(text)
    before, behind = _words(text[begin:start]), _words(text[end:stop])
    sentence = [*before, *_words(text[start:end]), *behind]
    asking = _begins_a_request(sentence) or not _WANTING.isdisjoint(before[:-1])
    length = math.log1p(len(set(_words(text))))
    family = default_registry().family(unit) or ""
    placed = not _BEFORE_TIMES.isdisjoint(before[-1:]) or not _BEHIND_TIMES.isdisjoint(behind[:1])
    told = not (asking or family.startswith("currency") or _PERSONS.isdisjoint(sentence))
    past = _speaks_of_the_past(sentence)
    topical = (
        _leads_to_a_topic(text[:stop], number, end)
        or any(_turns_to_a_topic(later, asking) for later in _SENTENCE_END.split(text[stop:])[1:])
        or _says_something_of_a_text(text[begin:start])
    )
    manner, formal = _asks_for_a_manner(sentence), _is_formal(text)
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
        manner=float(manner),
        textual=float(" per " not in unit and not _TEXTUAL.isdisjoint(unit.split())),
        subject=float(_opens(before) and _says_something(_main_clause(behind))),
        adverbial=float(bounded and not _BEFORE_ADVERBIALS.isdisjoint(before[-1:])),
        topical=float(topical),
        definite=float(not (bounded or _DEFINITE.isdisjoint(_words(text[max(begin, number - _REACH) : number])[-1:]))),
        formal=float(formal),
        sought=float(not (topical or manner or formal) and _is_sought(text[begin:start])),
        apart=float(_last_request(text) >= end),
    )


def certainty(form: Form, unit: str) -> float:
    """How likely the number of this form sets a condition, in (0, 1]; what is nearly sure is sure."""
    found = likelihood(form)
    if found < SURE:
        return found
    return _NEARLY if is_everyday(unit) else 1.0


def is_everyday(unit: str) -> bool:
    """Whether texts of all kinds have such numbers; measures, rates and money are rarer."""
    return everyday(unit) > 0


def everyday(unit: str) -> float:
    """How little a number in a unit says: 0 for measures, rates and money; 0.5 for how many there are
    of a thing; 1 for bare numbers, times, ages and persons; 1.5 for dates."""
    if unit in _COMMON:
        return _COMMON[unit]
    family = default_registry().family(unit)
    if " per " in unit:
        return 0.0
    return 1.0 if family in _EVERYDAY else 0.5 if family in (unit, None) else 0.0


def likelihood(form: Form) -> float:
    """The same as it has it."""
    return 1.0 / (1.0 + math.exp(-_BIAS - sum(map(mul, _WEIGHTS, form))))


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _begins_a_request(sentence: list[str]) -> bool:
    """ "Which", "show", "are there", "does anybody know"."""
    existence = not (_AUXILIARY.isdisjoint(sentence[:1]) or _EXISTING.isdisjoint(sentence[1:2]))
    return existence or not _REQUESTING.isdisjoint(sentence[:1])


def _asks_for_a_manner(words: list[str]) -> bool:
    """ "How do I", "can I", "what is a good way to"; not "how many"."""
    first, *others = words or [""]
    if first == "how":
        return _MEASURING.isdisjoint(others[:1])
    return first in _MODAL or (first == "what" and not _WAY.isdisjoint(others))


def _leads_to_a_topic(text: str, number: int, end: int) -> bool:
    """Whether a topic follows, or a colon that leads to something else than a request ("...: show me the first")."""
    if _TEXT.match(text, number):
        return True
    found = _TOPIC.match(text, end)
    return found is not None and _REQUESTING.isdisjoint(_words(text[found.end() : found.end() + _REACH])[:1])


def _turns_to_a_topic(later: str, asking: bool) -> bool:
    """Whether a later sentence has the topic; where one before it asks for something, this must ask, too."""
    return _LATER_TOPIC.search(later) is not None and (not asking or _begins_a_request(_words(later)))


def _says_something_of_a_text(before: str) -> bool:
    """Whether a text and what it is about are what the number is said of: "the book on tin must not have more than"."""
    _, *topics = re.split(_TEXT_ON, before, flags=re.IGNORECASE)
    behind = _words(topics[-1]) if topics else []
    return not _AUXILIARY.isdisjoint(behind) and _RELATIVE.isdisjoint(behind)


def _is_formal(text: str) -> bool:
    """Whether a text has several kinds of marks that programs, their commands and their messages have."""
    return len({re.sub(r"\w", "w", found[0]) for found in _CODE.finditer(text)}) > 1


def _is_sought(before: str) -> bool:
    """Whether the clause that is begun asks for something, or leads to a topic ("about them" is none)."""
    *others, clause = _CLAUSE_END.split(before)
    lead = _LATER_TOPIC.search(clause)
    if lead and _PERSONS.isdisjoint(_words(clause[lead.end() :])[:1]):
        return True
    first, *named = _words(clause) or [""]
    return bool(named) and _begins_a_request([first, *named]) and not (others and first in _RELATIVE)


@lru_cache(maxsize=100)
def _last_request(text: str) -> int:
    """Where the clause before the last one that asks for something by name ends; -1 where none does."""
    ends = list(_CLAUSE_END.finditer(text))
    asks = (end.start() for end in reversed(ends) if _asks_by_name(text[end.end() : end.end() + _BEGINNING]))
    return next(asks, -1)


def _asks_by_name(clause: str) -> bool:
    """Whether a clause begins a request, or leads to a topic, at once or behind a conjunction."""
    first, *others = _words(clause) or [""]
    words = others if first in _LINKING else [first, *others]
    if _LATER_TOPIC.match(clause):
        return True
    if words and clause[:1].islower() and words[0] in _RELATIVE:
        return first in _LINKING
    asks = _begins_a_request(words) or _asks_for_a_manner(words) or not _ASKING_BACK.isdisjoint(words[:1])
    return asks and sum(word not in _EMPTY for word in words) > 1


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
