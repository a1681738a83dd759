"""Estimate the probability that a number in a query sets a condition, from features of the number and the sentence.

"Flats under 900 euros" and "which league has 21 teams?" set conditions. "After 20 years in this job I read about tin"
does not, because the number only describes the writer. One feature is whether the number has a bound. Others are
whether the sentence asks for something, or has a topic, such as "tin" in "about tin".
"""

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from operator import mul
from typing import Final, NamedTuple

from pyterrier_quantity.constants import (
    EVERYDAY_COUNT,
    EVERYDAY_FAMILIES,
    EVERYDAY_UNITS,
    NEARLY_SURE,
    SIGN_BIAS,
    SIGN_WEIGHTS,
    SURE,
)
from pyterrier_quantity.english import listed, one_of, set_of
from pyterrier_quantity.english.verbs import HARDLY_NOUNS, IRREGULAR
from pyterrier_quantity.plan.conditions import Condition
from pyterrier_quantity.plan.query_words import TOPIC, TOPIC_OF_NUMBER, QueryWords, first_of
from pyterrier_quantity.quantity import BARE, OF_AGE
from pyterrier_quantity.units import default_registry


class Signs(NamedTuple):
    """Features of a number in a query and of the sentence around the number. All except `..._words` are 0 or 1.

    Args:
        bounded: the number has a bound, is a range, or follows "exactly".
        joined: a word like "of" or "with" precedes the number, and `persons` and `past` (see below) are 0.
        asking: the sentence is a question or a request, or states a wish ("I want") before the number.
        asking_words: ln(1 + n) if the sentence asks for something, otherwise 0. n is the number of different words in
            the query, not counting the words of other conditions.
        telling_words: ln(1 + n) if the sentence does not ask for anything, otherwise 0.
        persons: the sentence mentions a person and does not ask for anything, and the number is not an amount of money.
        past: the sentence is in the past tense.
        aged: the number is the age of a person whom the text mentions.
        passed: the number is a time with a word such as "after", "for" or "ago" ("after 20 years").
        manner: the sentence asks how something is done, or whether it can be done.
        textual: the number measures a text or a talk ("2 pages"), except in keyword queries ("notebook 200 pages").
        subject: the sentence begins with the number, or with a phrase that contains it, as the subject of a verb ("At
            least 12 people came", "A panel of 15 experts met").
        adverbial: a preposition precedes the bound ("in at most 3 sentences").
        topical: the number describes a text or talk whose topic the query states ("20 minutes about tin").
        definite: "the" or a possessive precedes a number without a bound ("the 30 years war").
        formal: the text looks like program code.
        sought: a request ("show me flats under 900 euros") or a topic precedes the number in its clause, and `topical`,
            `manner` and `formal` are 0.
        apart: a request begins in a later clause ("I pay less than 900 euros, what about football?").
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


_NEAR: Final = 20  # number of characters before or after a number that are searched for related words
_TEXT_REACH: Final = 120  # characters after a number in which a text may be named ("20 minutes for a talk about")
_BEGINNING: Final = 60  # number of characters at the beginning of a clause that are searched for a request or a topic
_PHRASE: Final = 3  # maximum number of words before the number in a noun phrase: 3 for "a panel of 15 experts"
_KEYWORDS: Final = 6  # maximum number of different words in a keyword query
_VERB_REACH: Final = 6  # number of words after a subject that are searched for its verb

_CODE: Final = re.compile(r"\w_\w|\w\(|[=!]=|&&|\|\||--|[-=]>|;\s*$|[{}]|\*|`|\w=\S|//")
_JOINING: Final = re.compile(r"\b(?:of|with|at(?! least)(?! most)(?! the least)(?! the most))\b|[=:]", re.IGNORECASE)
_OF_SOMEBODY: Final = re.compile(
    rf"(?:\b(?:as an|as a|my|our|his|her)|(?:^|[.!?]\s){one_of('determiners')}) $", re.IGNORECASE
)
_MEANT_FOR: Final = re.compile(rf"\bfor {one_of('determiners')} \Z", re.IGNORECASE)  # "gifts for my 7 year old"

_ASKING_BACK: Final = set_of("how when where why")
_WHAT: Final = {"what"}
_WAY: Final = set_of("way ways")
_EXISTING: Final = set_of("there any anybody anyone anything somebody someone")
_RELATIVE: Final = set_of("that which who whose whom where")
_PAST: Final = set_of("was were had did") | IRREGULAR
_PERSONS: Final = listed("words that stand for persons")
_DETERMINERS: Final = listed("determiners")
_OBJECTS: Final = _DETERMINERS | _PERSONS
_MODAL: Final = set_of("can could should would may")
_REQUESTING: Final = set_of("""
    who which what whose list name identify find show give tell state select get display return retrieve search
    recommend suggest please
    """)
_WANTING: Final = listed("words of wanting")
_AUXILIARY: Final = listed("auxiliary verbs")
_BEFORE_TIMES: Final = set_of("after for in during within before since over until till by at on from throughout every")
_BEFORE_ADVERBIALS: Final = _BEFORE_TIMES | listed("words of a goal")
_BEHIND_TIMES: Final = set_of("ago later earlier before after each old since already now to long time")
# Words that do not name the thing a request asks for, such as all words of "where can I find them".
_EMPTY: Final = frozenset().union(_AUXILIARY, _PERSONS, _REQUESTING, _WANTING, _DETERMINERS, _EXISTING, _ASKING_BACK)
_IN_CLAUSES: Final = _DETERMINERS | _PERSONS | _REQUESTING | _WANTING | _AUXILIARY | HARDLY_NOUNS


_MEASURES_TEXTS = set_of("""
    word character reference footnote example page slide bullet sentence paragraph line chapter lesson question
    verse essay
    """)
_WORDS_LINK_CLAUSES = set_of("and but or so then")
_WORDS_AFTER_HOW_ASK = set_of("""
    much many far long old big fast high tall deep heavy large small few little often wide hot cold strong close
    near
    """)


class SignReader:
    """Compute the `Signs` that show whether each number in a query sets a condition. In all methods, `begin` and `stop`
    are offsets of a sentence, `start`, `number` and `end` are offsets of a condition, and `among` are word indexes."""

    def __init__(self, text: str, conditions: Sequence[Condition]) -> None:
        self._text, self._words = text, QueryWords(text)
        self._within = {place for one in conditions for place in self._words.between(one.start, one.end)}
        self._outside = {word for place, word in enumerate(self._words.words) if place not in self._within}
        self._labelled = [(one.start, one.number) for one in conditions]
        # Several symbols such as "==" and "{" mean program code.
        self._formal = len({re.sub(r"\w", "w", found[0]) for found in _CODE.finditer(text)}) > 1
        few = self._words.number_of_different <= _KEYWORDS and not self._words.topics.spans
        self._keywords = few and _IN_CLAUSES.isdisjoint(self._words.words)
        pairs = enumerate(pairwise(self._words.words))
        self._regular_past = [at for at, (one, other) in pairs if one.endswith("ed") and other in _OBJECTS]
        clauses = reversed(self._words.clause_ends.spans)
        self._last_request = next((start for start, end in clauses if self._asks_by_name(end)), -1)
        self._last_topic = self._last_sentence_with_topic(must_ask=False)
        self._last_asked_topic = self._last_sentence_with_topic(must_ask=True)

    def read(self, condition: Condition) -> Signs:
        text, words, unit = self._text, self._words, condition.constraint.unit
        start, number, end = condition.start, condition.number, condition.end
        begin, stop = words.sentence(start, end)
        sentence, before, after = words.between(begin, stop), words.between(begin, start), words.between(end, stop)
        family = default_registry().family(unit) or ""
        asking = self._begins_a_request(sentence) or words.has(_WANTING, before[:-1])
        of_age, near = unit.endswith(OF_AGE), (max(0, start - _NEAR), start)
        meant = of_age and bool(_MEANT_FOR.search(text, *near))
        of_persons = not (asking or meant or family.startswith("currency")) and words.has(_PERSONS, sentence)
        past, manner = self._speaks_of_the_past(sentence), self._asks_for_a_manner(sentence)
        lead = [] if before.stop - 1 in self._within else words.last(before)  # not "over" in "over 4 under 300 pages"
        placed = not (_BEFORE_TIMES.isdisjoint(lead) and _BEHIND_TIMES.isdisjoint(words.first(after)))
        topical = (
            self._leads_to_a_topic(number, end, stop)
            or stop <= (self._last_asked_topic if asking else self._last_topic)
            or self._says_something_of_a_text(begin, start)
        )
        is_property = (
            self._keywords and len(before) > 0 and not condition.bounded and _BEFORE_ADVERBIALS.isdisjoint(lead)
        )
        last_word = words.last(words.between(max(begin, number - _NEAR), number))
        own = {words.words[place] for place in words.between(start, end)}
        length = math.log1p(len(self._outside) + len(own - self._outside))
        return Signs(
            bounded=float(condition.bounded),
            joined=float(not (of_persons or past) and bool(_JOINING.search(text, start, number))),
            asking=float(asking),
            asking_words=length * asking,
            telling_words=length * (not asking),
            persons=float(of_persons),
            past=float(past),
            aged=float(of_age and not meant and bool(_OF_SOMEBODY.search(text, *near))),
            passed=float(family == "time" and placed),
            manner=float(manner),
            textual=float(not (" per " in unit or is_property or _MEASURES_TEXTS.isdisjoint(unit.split()))),
            subject=float(self._opens(before) and self._says_something(after)),
            adverbial=float(condition.bounded and not _BEFORE_ADVERBIALS.isdisjoint(lead)),
            topical=float(topical),
            definite=float(not (condition.bounded or listed("determiners of a whole").isdisjoint(last_word) or meant)),
            formal=float(self._formal),
            sought=float(not (topical or manner or self._formal) and self._is_sought(begin, start)),
            apart=float(self._last_request >= end),
        )

    def _begins_a_request(self, among: range) -> bool:
        """Return whether the words in a range begin a request: true for "which", "show", "are there"."""
        first, second = self._words.first(among), self._words.first(among[1:])
        existence = not (_AUXILIARY.isdisjoint(first) or _EXISTING.isdisjoint(second))
        return existence or not _REQUESTING.isdisjoint(first)

    def _asks_for_a_manner(self, among: range) -> bool:
        """Return whether the words in a range ask how to do something: true for "what is a good way to"."""
        first, second = self._words.first(among), self._words.first(among[1:])
        if not listed("words that ask how").isdisjoint(first):
            return _WORDS_AFTER_HOW_ASK.isdisjoint(second)
        return not _MODAL.isdisjoint(first) or (not _WHAT.isdisjoint(first) and self._words.has(_WAY, among[1:]))

    def _leads_to_a_topic(self, number: int, end: int, stop: int) -> bool:
        """Return whether a topic follows the number, after "about" or a colon: true for "20 minutes about tin"."""
        about = self._words.texts_about.first_from(number)
        is_near = about is not None and about[0] <= number + _TEXT_REACH and about[1] < stop
        if is_near:
            return True
        found = TOPIC_OF_NUMBER.match(self._text, end, stop)
        if found is None or any(start <= found.end() <= number for start, number in self._labelled):
            return False  # in "height: under 2 m width: 5 m", the second colon begins a condition
        following = self._words.between(found.end(), min(found.end() + _NEAR, stop))
        return _REQUESTING.isdisjoint(self._words.first(following))

    def _last_sentence_with_topic(self, must_ask: bool) -> int:
        """Return the offset of the full stop before the last sentence with a topic ("about tin"), or -1. The first
        sentence does not count. If `must_ask` is true, the sentence must also be a request."""
        for mark, begin, stop in reversed(self._words.later_sentences):
            asks = not must_ask or self._begins_a_request(self._words.between(begin, stop))
            if asks and TOPIC.search(self._text[begin:stop]):
                return mark
        return -1

    def _says_something_of_a_text(self, begin: int, start: int) -> bool:
        """Return whether the number describes a text that is named before it: true for "the book on tin costs €20"."""
        about = self._words.texts_about.last_before(start)
        if about is None or about[0] < begin:
            return False
        after = self._words.between(about[1], start)
        return self._words.has(_AUXILIARY, after) and not self._words.has(_RELATIVE, after)

    def _is_sought(self, begin: int, start: int) -> bool:
        """Return whether a request ("show me") or a topic ("about tin") precedes the number in its clause."""
        words = self._words
        ended = words.clause_ends.last_before(start)
        is_later = ended is not None and ended[0] >= begin
        clause = ended[1] if ended and is_later else begin
        lead = words.topics.first_from(clause)
        if lead and lead[1] < start and _PERSONS.isdisjoint(words.first(words.between(lead[1], start))):
            return True
        named = words.between(clause, start)
        if len(named) < 2 or not self._begins_a_request(named):
            return False
        return not (is_later and not _RELATIVE.isdisjoint(words.first(named)))

    def _asks_by_name(self, at: int) -> bool:
        """Return whether the clause at offset `at` names the thing to find: true for "show me tents". A conjunction at
        the start of the clause does not matter ("and show me tents")."""
        clause = self._words.between(at, at + _BEGINNING)
        first = self._words.first(clause)
        among = clause[1:] if not _WORDS_LINK_CLAUSES.isdisjoint(first) else clause
        if TOPIC.match(self._text, at, at + _BEGINNING):
            return True
        beginning = self._words.first(among)
        if self._text[at : at + 1].islower() and not _RELATIVE.isdisjoint(beginning):
            return among != clause
        asks = self._begins_a_request(among) or self._asks_for_a_manner(among)
        asks = asks or not _ASKING_BACK.isdisjoint(beginning)
        return asks and sum(word not in _EMPTY for word in self._words.first(among, len(among))) > 1

    def _opens(self, before: range) -> bool:
        """Return whether the sentence begins with the number, or with a noun phrase that contains it: true for "a panel
        of 15 experts". The range `before` contains all words of the sentence before the number."""
        if len(before) > _PHRASE:
            return False
        phrase = self._words.first(before, _PHRASE)
        return not phrase or (phrase[0] in _DETERMINERS and _RELATIVE.isdisjoint(phrase))

    def _says_something(self, after: range) -> bool:
        """Return whether the words after the number contain a verb with a subject: true for "reporters asked the
        minister". Text after "that" or "which" is ignored, and the last word of the query is treated as a noun."""
        relative = self._words.next_of(_RELATIVE, after)
        clause = after if relative is None else range(after.start, relative)
        last = len(self._words.words) - 1 - (self._words.words[-2:-1] == ["must"])  # "must haves"
        verbs = range(clause.start, min(clause.stop, last))[:_VERB_REACH]
        return self._words.has(_AUXILIARY, verbs) or self._speaks_of_the_past(clause)

    def _speaks_of_the_past(self, among: range) -> bool:
        """Return whether the words in a range contain a verb in the past tense. A form that is not always a verb counts
        only with an object: "saw" in "I saw it", but not in "miter saw"."""
        words = self._words
        irregular = words.has(_PAST, among) and (words.has(_OBJECTS, among) or words.has(_PAST - IRREGULAR, among))
        return irregular or first_of(self._regular_past, among[:-1]) is not None


_LARGE: Final = 10_000  # smallest number without a unit that is too large for a year, a date or a position in a list
_WEIGHTS: Final = Signs(**SIGN_WEIGHTS)


def certainty(signs: Signs, unit: str) -> float:
    """Return the probability that a number with the features `signs` is meant as a condition. From `SURE` upwards, the
    probability is rounded to 1, or to `NEARLY_SURE` for units that are often not conditions, such as dates."""
    found = likelihood(signs)
    if found < SURE:
        return found
    return NEARLY_SURE if everyday(unit) else 1.0


def likelihood(signs: Signs) -> float:
    """Return the probability, by logistic regression, that a number with the features `signs` is a condition."""
    return 1.0 / (1.0 + math.exp(-SIGN_BIAS - sum(map(mul, _WEIGHTS, signs))))


def everyday(unit: str, value: float = 0.0) -> float:
    """Return a score that is higher for units whose numbers are seldom meant as conditions, such as 1.5 for dates. It
    is 0 for measurements, rates, money and large values without a unit ("developer job 50k")."""
    if unit == BARE and abs(value) >= _LARGE:
        return 0.0
    if unit in EVERYDAY_UNITS:
        return EVERYDAY_UNITS[unit]
    family = default_registry().family(unit)
    if " per " in unit:
        return 0.0
    if family in EVERYDAY_FAMILIES:
        return EVERYDAY_FAMILIES[family]
    return EVERYDAY_COUNT if family in (unit, None) else 0.0
