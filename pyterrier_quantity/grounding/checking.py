"""`check()`: a check of the numbers in an answer against its evidence."""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from calendar import isleap
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import fsum, log1p
from typing import Any, Final, NamedTuple

from pyterrier_quantity.english import SCALES_IN_WORDS, listed, one_of
from pyterrier_quantity.english.wordnet import things_meant
from pyterrier_quantity.explanation.highlighting import marked, pieces
from pyterrier_quantity.extraction import DATE_UNIT, RuleExtractor
from pyterrier_quantity.grounding.stated_numbers import (
    BEFORE,
    NEGATED,
    YEAR,
    Stated,
    derivation,
    forms_of,
    is_money,
    noun_of,
    read_evidence,
    sentences_of,
    span_of,
    words_of,
    years_of,
)
from pyterrier_quantity.index.context_words import counted_noun, is_count
from pyterrier_quantity.quantity import BARE, Quantity

SUPPORTED: Final = "supported"
CONTRADICTED: Final = "contradicted"
NOT_FOUND: Final = "not found"

_SHORT: Final = 2  # words: a sentence with at most two says little about the subject of its numbers
_NAMES: Final = re.compile(rf" {one_of('nouns that a bare number measures')}\b[^;:]* (?:is|was|are|were) ")
"""Text after a number that is part of a name: "the 400 m time of ... is 50.8 s"."""
COLOURS: Final = {SUPPORTED: "#cfc", CONTRADICTED: "#fbb", NOT_FOUND: "#fea"}
_NAME: Final = re.compile(r"(?<![.?!] )\b[A-Z][\w-]*(?: (?:[A-Z][\w-]*|\d+)\b)*")
_SUBJECT: Final = re.compile(r"\bof (?:the |an? )?([\w -]+?) (?:is|was|are|were|has|had)\b")  # "the dose of X is"
_NEAR: Final = 0.4  # lowest share of the best fit with which a quantity supports an answer, or is calculated with
_FEW: Final = 2  # highest number of words in which two sentences of the same form differ
_MOST: Final = 100  # highest number of quantities to compare with a number, or with each other
_OPEN: Final = ("<", "<=", ">", ">=")
_SAME_THING: Final = 0.5  # lowest fit at which another value contradicts
_BRACKETED: Final = re.compile(rf"\) ({'|'.join(SCALES_IN_WORDS)})\b")
_EXACT: Final = re.compile(rf"\b{one_of('words of exactness')} \Z")
_EACH: Final = 6  # quantities of a table, and of texts, to calculate with together
_LEFT_OUT: Final = words_of(" ".join(listed("words that names may lack")))


@dataclass(frozen=True)
class Finding:
    """The result of the check of one number of an answer.

    Args:
        verdict: "supported", "contradicted" (the same thing has another value) or "not found".
        quantity, written, sentence: the number in the answer; the quantity's span is its span in the answer.
        how: "stated", "counted", "computed: subtract", ...; "" without support.
        stated: the evidence's quantities (`quantity`, `sentence`, `docno`) that support or contradict it.
    """

    verdict: str
    quantity: Quantity
    written: str
    sentence: str
    how: str = ""
    stated: tuple[Stated, ...] = ()

    def __str__(self) -> str:
        told = "; ".join(f"{one.quantity} in {one.docno}: {one.sentence}" for one in self.stated)
        said = f"{self.written!r} ({self.quantity}) is {self.verdict}"
        return said + f", {self.how}" * bool(self.how) + f" <- {told}" * bool(told)


@dataclass(frozen=True)
class Check:
    """The findings on an answer's numbers, in order; `note` warns of foreign or missing evidence."""

    answer: str
    findings: tuple[Finding, ...]
    note: str = ""

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def count(self, verdict: str = SUPPORTED) -> int:
        """Return the number of findings with a verdict."""
        return sum(one.verdict == verdict for one in self.findings)

    @property
    def supported(self) -> bool:
        """Whether every number is supported; True for an answer without numbers."""
        return self.count() == len(self)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.findings), *filter(None, [self.note])]) or "no numbers"

    def _repr_html_(self) -> str:
        spans = []
        for one in self.findings:
            mark = f'<mark style="background:{COLOURS[one.verdict]}" title="{html.escape(str(one))}">'
            spans.append((one.quantity.start, one.quantity.end, (mark, "</mark>")))
        return marked(self.answer, spans) + html.escape(f" ({self.note})" * bool(self.note))


def check(answer: str, evidence: Any, question: str = "") -> Check:
    """Check whether each number of an answer is stated in its evidence (converted or rounded), or follows from it.

    Args:
        answer: the text to check; years and dates count as numbers.
        evidence: a text; a document with `text` (and `docno`, `quantities` if extracted); a frame of documents; a
            table, as for `ptq.tables.facts`; or several of these.
        question: the question; its words are used with a short answer ("530 MW").

    Raises:
        TypeError: if the answer is not a text, or the evidence has another type.
    """
    if not isinstance(answer, str):
        raise TypeError(f"check: the answer must be a string, got {type(answer).__name__}")
    ground, findings = _Ground(evidence), []
    numbers = RuleExtractor(dates=True).extract(answer)
    for begin, end in sentences_of(answer, numbers):
        sentence, own = answer[begin:end], [one for one in numbers if begin <= one.start < end]
        # Measures do not describe the subject; counted things and dates do.
        measures = [one for one in own if not _is_date(one, answer[one.start : one.end]) and not counted_noun(one.unit)]
        spans = [(one.start - begin, one.end - begin, one) for one in measures]
        plain = "".join(text for text, one in pieces(sentence, spans) if one is None).strip()
        short = len(words_of(plain)) <= _SHORT
        said = _claim(f"{question} {plain}".strip() if short else plain, sentence)
        for read in own:
            one, written = _scaled(read, answer), answer[read.start : read.end]
            before = answer[max(begin, one.start - BEFORE) : one.start]
            denied, exact = NEGATED.search(before) is not None, _EXACT.search(before) is not None
            said = said._replace(head=frozenset() if short and question else _first(plain), denied=denied, exact=exact)
            verdict, how, stated = ground.find(one, written, said)
            named = one is not own[-1] and _NAMES.match(answer, one.end, end)
            told = verdict != NOT_FOUND or one.low != 1 or any(map(str.isdigit, written))  # "within a week"
            if told and not named and "?" not in answer[one.end : end]:  # a question is not a claim
                findings.append(Finding(verdict, one, written, sentence.strip(), how, stated))
        question = plain
    return Check(answer, tuple(findings), ground.note)


class _Claim(NamedTuple):
    """The claim of an answer's sentence: the subject of its numbers, and the calculations that may give them."""

    words: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    years: frozenset[str] = frozenset()
    forms: frozenset[str] = frozenset()
    head: frozenset[str] = frozenset()
    denied: bool = False
    exact: bool = False


def _claim(text: str, sentence: str) -> _Claim:
    """Return the claim of a sentence; `text` is the sentence without its measures."""
    words, subject, years = words_of(text), _SUBJECT.search(text), years_of(text)
    forms = forms_of(f"{text} {sentence}")
    names = words & words_of(" ".join([*_NAME.findall(text, text.find(" ")), subject[1] if subject else ""]))
    if len(years) == 1 and forms & {"average", "percentage change"}:
        years |= {str(int(year) - 1) for year in years}
    return _Claim(words, names, years, forms)


def _first(text: str) -> frozenset[str]:
    """Return the stems of a text's first word with stems, which is the topic of a sentence."""
    return next((stems for stems in map(words_of, text.split()) if stems), frozenset())


def _scaled(number: Quantity, answer: str) -> Quantity:
    """Multiply a bracketed number, which accounts use for negative ones, by the scale after it: "(168) million"."""
    scale = _BRACKETED.match(answer, number.end)
    if scale is None or answer[number.start - 1 : number.start] != "(":
        return number
    by = 10.0 ** SCALES_IN_WORDS[scale[1]]
    return replace(number, low=number.low * by, high=number.high * by)


def _is_date(number: Quantity, written: str) -> bool:
    """Return whether a number of an answer is a date or a year."""
    is_year = YEAR.search(written) and (number.unit in (BARE, "year") or written.isdecimal())
    return number.unit == DATE_UNIT or bool(is_year)


class _View(NamedTuple):
    """The evidence's quantities for one sentence of an answer and one unit.

    Args:
        able: quantities of the things and years that the sentence names, the best fit first.
        alike: quantities in `able` whose units convert; near: quantities in `alike` that fit almost as well as the
            best.
        values: absolute values of `near` in ascending order, each with its place in `near`.
        pools: lists of quantities to calculate with.
    """

    able: list[Stated]
    alike: list[Stated]
    near: list[Stated]
    values: list[tuple[float, int]]
    pools: list[list[Stated]]

    def valued(self, number: Quantity, span: tuple[float, float]) -> list[Stated]:
        """Return the first `_MOST` quantities with a value in a number's span, or any if the number is a bound."""
        if number.bound in _OPEN:
            return self.near[:_MOST]
        first, last = bisect_left(self.values, (span[0], 0)), bisect_right(self.values, (span[1], len(self.near)))
        return [self.near[place] for place in sorted({place for _, place in self.values[first:last]})[:_MOST]]


class _Ground:
    """The quantities of evidence, with weights for its words; with a `note`, words are not compared."""

    def __init__(self, evidence: Any) -> None:
        self.stated, self.text, self.note = read_evidence(evidence)
        held = Counter(word for one in self.stated for word in one.words)
        self._weight = {word: log1p(len(self.stated) / count) for word, count in held.items()}
        units = {one.quantity.unit.partition(" per ")[0] for one in self.stated}
        self._currencies = set(filter(is_money, units))
        self._key: tuple[Any, ...] = ()
        self._views: dict[str, _View] = {}

    def find(self, number: Quantity, written: str, said: _Claim) -> tuple[str, str, tuple[Stated, ...]]:
        """Return a number's verdict, how it is supported, and the evidence's quantities."""
        if _is_date(number, written):
            return (SUPPORTED, "stated", ()) if self._has_date(number, written) else (NOT_FOUND, "", ())
        said = said._replace(words=frozenset(), names=frozenset(), years=frozenset()) if self.note else said
        view, span = self._view(said, number.unit), span_of(number, written)
        found = [one for one in view.valued(number, span) if _is_said(one, view.alike, number, span, said)]
        for one in found:
            if one.negated == said.denied:
                return SUPPORTED, "stated", (one,)
        if found or said.denied:
            return (CONTRADICTED if found else NOT_FOUND), "", tuple(found[:1])
        for pool in view.pools:
            derived = derivation(number, written, pool, said.forms)
            told = frozenset().union(*(one.words for one in derived[1])) if derived and not view.able else said.names
            if derived and not said.names - told - _LEFT_OUT:
                return SUPPORTED, f"computed: {derived[0]}", derived[1]
        if number.low in self._counts(number.unit, said.years, view.able[:1]):
            return SUPPORTED, "counted", tuple(view.able[:1])
        for one in view.alike[: _MOST if not self.note else 0]:
            if one.fit >= _SAME_THING and said.head <= one.near and not _counts_another(one, view.alike, number):
                return CONTRADICTED, "", (one,)
        return NOT_FOUND, "", ()

    def _view(self, said: _Claim, unit: str) -> _View:
        """Return the evidence's quantities for a sentence of an answer and a unit, cached for one sentence."""
        key = (said.words, said.names, said.years, said.forms)
        if self._key != key:
            self._key, self._views = key, {}
        if unit not in self._views:
            able = self._able(said, unit)
            alike = [one for one in able if one.is_like(unit)]
            near = _near(alike, said)
            values = sorted((abs(value), place) for place, one in enumerate(near) for value in one.values(unit))
            pools = list(_pools(able or self._able(said, unit, apart=True), said))
            self._views[unit] = _View(able, alike, near, values, pools)
        return self._views[unit]

    def _able(self, said: _Claim, unit: str, apart: bool = False) -> list[Stated]:
        """Return the quantities of all things and years that an answer names, the best fit first. With `apart`, one
        of the things is enough. If the evidence has only other currencies, its bare numbers are not money in this
        unit."""
        foreign = self._currencies and is_money(unit) and unit.partition(" per ")[0] not in self._currencies
        able = [one for one in self.stated if _is_of(one, said, apart) and not (foreign and one.quantity.unit == BARE)]
        weights = {word: self._weight.get(word, 0.0) * (1 + (word in said.names)) for word in said.words}
        total = fsum(weights.values())  # the same in any order
        return sorted((one._replace(fit=self._fit(weights, total, one)) for one in able), key=lambda one: -one.fit)

    def _has_date(self, number: Quantity, written: str) -> bool:
        """Return whether the evidence has a year or, for a date with a day, that day."""
        if number.low == number.high and len(re.findall(r"\d+", written)) == 2 and written not in self.text:
            return _day(number.low) in self._days
        return f"{int(number.low)}" in self.text

    @cached_property
    def _days(self) -> frozenset[tuple[int, int]]:
        return frozenset(_day(one.low) for one in RuleExtractor(dates=True).extract(self.text) if one.unit == DATE_UNIT)

    def _counts(self, unit: str, years: frozenset[str], best: list[Stated]) -> set[int]:
        """Return possible counts: the number and differences of the answer's years, the size of the best cell's row."""
        if unit != "year" and not is_count(unit):
            return set()
        apart = {abs(int(one) - int(other)) for one, other in combinations(years, 2) if unit == "year"}
        rows = [one.docno.rpartition("c")[0] for one in best if one.cell]
        beside = sum(one.docno.rpartition("c")[0] in rows for one in self.stated) if rows else 0
        return {len(years), *apart, beside} - {0}

    def _fit(self, weights: Mapping[str, float], total: float, one: Stated) -> float:
        """Return how well a stated quantity fits an answer's words, in [0, 1]. Names count twice. Words of a cell's
        row that the answer lacks reduce the fit by up to a half."""
        fit = fsum(weights[word] for word in weights.keys() & one.words) / total if total else 1.0
        if not one.cell or not one.name:
            return fit
        extra, name = (fsum(map(self._weight.__getitem__, words)) for words in (one.name - weights.keys(), one.name))
        return fit * (1.0 - 0.5 * extra / (name or 1.0))


def _near(found: list[Stated], said: _Claim) -> list[Stated]:
    """Return cells in rows that the answer names, and quantities that fit almost as well as the best cell or text."""
    best = {one.cell is None: one.fit for one in reversed(found)}
    return [one for one in found if one.name_in(said.words) or one.fit >= _NEAR * best[one.cell is None]]


def _pools(able: list[Stated], said: _Claim) -> Iterator[list[Stated]]:
    """Yield lists of quantities to calculate with. They are the near cells, the best cells and texts, and the best
    cell's row, or its column if no row is named."""
    near = _near(able, said)
    cells, texts = [one for one in near if one.cell], [one for one in near if not one.cell]
    if any(one.name_in(said.words - {"total"}) for one in cells):
        cells = [one for one in cells if one.name_in(said.words) or {"total"} <= one.name & said.words]
    yield cells
    yield cells[:_EACH] + texts[:_EACH]
    for best in cells[:1]:
        axis = 0 if best.name_in(said.words) else 1
        yield [one for one in able if one.cell and best.cell and one.cell.place[axis] == best.cell.place[axis]]


def _is_of(one: Stated, said: _Claim, apart: bool) -> bool:
    """Return whether a quantity is of the answer's years and names; a table's report need not have the names."""
    agree = not (said.years and one.years) or said.years & one.years
    if apart:
        return bool(agree and said.names & one.words)
    return bool(agree) and (one.of_report or not said.names - one.words - _LEFT_OUT)


def _of_another(one: Stated, alike: list[Stated], said: _Claim) -> bool:
    """Return whether an answer's words fit another number of the same sentence: "9 g of fat and 14 g of protein"."""
    place, first = (one.sentence, one.quantity.unit), one.phrase.split()[:1]
    same = [other.phrase for other in alike[:_MOST] if (other.sentence, other.quantity.unit) == place]
    rivals = [words_of(phrase) for phrase in same if first and phrase.split()[:1] == first]
    return not said.words & words_of(one.phrase) and any(said.words & words for words in rivals)


def _is_said(one: Stated, alike: list[Stated], number: Quantity, span: tuple[float, float], said: _Claim) -> bool:
    """Return whether a number is the stated one, of the same thing."""
    if not one.says(number, span, "end" in said.forms) or (said.exact and one.quantity.bound in _OPEN):
        return False
    another = _of_another(one, alike, said) or _counts_another(one, alike, number)
    return not (another or any(_is_rather(other, one, said) for other in alike[:_MOST]))


def _is_rather(other: Stated, one: Stated, said: _Claim) -> bool:
    """Return whether an answer refers to the statement `other` rather than to `one`. This holds if only `other` has
    the answer's names, and `one` is about another thing. It also holds if both differ in one or two words, and the
    answer has those of `other`."""
    if (one.cell is None) != (other.cell is None) or one.sentence == other.sentence:
        return False
    theirs, own = other.near - one.near, one.near - other.near
    elsewhere = not one.cell and one.name and not one.name & said.words
    if elsewhere and said.names - one.near and said.names <= other.near:
        return True
    alike = bool(own or not one.cell) and max(len(own), len(theirs)) <= _FEW <= len(one.near & other.near)
    return alike and bool(theirs & said.words) and not own & said.words


def _counts_another(one: Stated, alike: list[Stated], number: Quantity) -> bool:
    """Return whether a quantity counts other things than a number of an answer.

    Examples: floors for engines; or managers for workers, if the evidence also counts workers.
    """
    noun, own = noun_of(number.unit), noun_of(one.quantity.unit)
    if not noun or not own or words_of(noun) & words_of(own):
        return False
    first, second = noun.split()[-1], own.split()[-1]
    kin = first in things_meant(second) or second in things_meant(first) or words_of(noun) <= one.near
    return not kin or any(words_of(noun) & words_of(noun_of(other.quantity.unit)) for other in alike[:_MOST])


def _day(date: float) -> tuple[int, int]:
    """Return year and day of a date that is given as a number of years."""
    year = int(date)
    return year, round((date - year) * (366 if isleap(year) else 365))
