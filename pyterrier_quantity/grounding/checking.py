"""`check()`: whether the numbers of an answer are what its evidence states."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import fsum, log1p
from typing import Any, Final, NamedTuple

from pyterrier_quantity.english import listed, one_of
from pyterrier_quantity.english.stems import sentences
from pyterrier_quantity.explanation_text import marked, pieces
from pyterrier_quantity.extraction import DATE_UNIT, RuleExtractor
from pyterrier_quantity.grounding.evidence import YEAR, Stated, derivation, forms_of, read_evidence, words_of, years_of
from pyterrier_quantity.index.context_words import counted_noun, is_count
from pyterrier_quantity.quantity import BARE, Quantity

SUPPORTED: Final = "supported"
CONTRADICTED: Final = "contradicted"
NOT_FOUND: Final = "not found"

_SHORT: Final = 2  # words: an answer of no more says little about what its numbers are of
_NAMES: Final = re.compile(rf" {one_of('nouns that a bare number measures')}\b[^;:]* (?:is|was|are|were) ")
"""What follows a number that names what is measured: "the 400 m time of ... is 50.8 s"."""
COLOURS: Final = {SUPPORTED: "#cfc", CONTRADICTED: "#fbb", NOT_FOUND: "#fea"}
_NAME: Final = re.compile(r"(?<![.?!] )\b[A-Z][\w-]*(?: (?:[A-Z][\w-]*|\d+)\b)*")
_SUBJECT: Final = re.compile(r"\bof (?:the |an? )?([\w -]+?) (?:is|was|are|were|has|had)\b")  # "the dose of X is"
_NEAR: Final = 0.4  # share of the best fit to an answer's words that is enough to support it, or to calculate with
_SAME_THING: Final = 0.5  # fit from which another value contradicts
_DAY: Final = 1 / 366
_EACH: Final = 6  # of a table, and of texts, that are calculated with together
_LEFT_OUT: Final = words_of(" ".join(listed("words that a name goes without")))


@dataclass(frozen=True)
class Finding:
    """What evidence says about one number of an answer.

    Args:
        verdict: "supported", "contradicted" (the same thing has another value) or "not found".
        quantity, written, sentence: as the answer has it; the quantity's span is that in the answer.
        how: "stated", "counted", "computed: subtract", ...; "" where nothing supports it.
        stated: the evidence's quantities (`quantity`, `sentence`, `docno`) that say so, or otherwise.
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
    """The findings on an answer's numbers, in order; `note` tells of evidence in another language, or of none."""

    answer: str
    findings: tuple[Finding, ...]
    note: str = ""

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def count(self, verdict: str = SUPPORTED) -> int:
        """How many numbers have a verdict."""
        return sum(one.verdict == verdict for one in self.findings)

    @property
    def supported(self) -> bool:
        """Whether every number is; an answer without numbers is."""
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
    """Whether each number of an answer is what its evidence states, after conversion and rounding, or follows from it.

    Args:
        answer: the text to check; years and dates count as numbers.
        evidence: a text; a document with `text` (and `docno`, `quantities` where they are ready); a frame of such; a
            table, as `ptq.tables.facts` takes it; or several of these.
        question: what was asked: its words count for a short answer ("530 MW").

    Raises:
        TypeError: if the answer is no text, or the evidence none of these.
    """
    if not isinstance(answer, str):
        raise TypeError(f"check: the answer must be a string, got {type(answer).__name__}")
    ground, findings = _Ground(evidence), []
    numbers = RuleExtractor(dates=True).extract(answer)
    for begin, end in sentences(answer):
        sentence, own = answer[begin:end], [one for one in numbers if begin <= one.start < end]
        # Measures say nothing of what is measured; counted things and dates do.
        measures = [one for one in own if not _is_date(one, answer[one.start : one.end]) and not counted_noun(one.unit)]
        spans = [(one.start - begin, one.end - begin, one) for one in measures]
        plain = "".join(text for text, one in pieces(sentence, spans) if one is None).strip()
        said = _claim(f"{question} {plain}".strip() if len(words_of(plain)) <= _SHORT else plain, sentence)
        for one in own:
            written = answer[one.start : one.end]
            verdict, how, stated = ground.find(one, written, said)
            named = one is not own[-1] and _NAMES.match(answer, one.end, end)
            told = verdict != NOT_FOUND or one.low != 1 or any(map(str.isdigit, written))  # "within a week"
            if told and not named and "?" not in answer[one.end : end]:  # what is asked is not said
                findings.append(Finding(verdict, one, written, sentence.strip(), how, stated))
        question = plain
    return Check(answer, tuple(findings), ground.note)


class _Claim(NamedTuple):
    """What a sentence of an answer says its numbers are of, and how they may come about."""

    words: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    years: frozenset[str] = frozenset()
    forms: frozenset[str] = frozenset()


def _claim(text: str, sentence: str) -> _Claim:
    """What a sentence says; `text` is without its measures."""
    words, subject, years = words_of(text), _SUBJECT.search(text), years_of(text)
    forms = forms_of(f"{text} {sentence}")
    names = words & words_of(" ".join([*_NAME.findall(text, text.find(" ")), subject[1] if subject else ""]))
    if len(years) == 1 and forms & {"average", "percentage change"}:
        years |= {str(int(year) - 1) for year in years}
    return _Claim(words, names, years, forms)


def _is_date(number: Quantity, written: str) -> bool:
    """Whether a number of an answer is a date, or a year, whatever unit stands before it."""
    is_year = YEAR.search(written) and (number.unit in (BARE, "year") or written.isdecimal())
    return number.unit == DATE_UNIT or bool(is_year)


class _Ground:
    """What evidence states, with how much each of its words tells; `note` says of what the words do not count."""

    def __init__(self, evidence: Any) -> None:
        self.stated, self.text, self.note = read_evidence(evidence)
        held = Counter(word for one in self.stated for word in one.words)
        self._weight = {word: log1p(len(self.stated) / count) for word, count in held.items()}

    def find(self, number: Quantity, written: str, said: _Claim) -> tuple[str, str, tuple[Stated, ...]]:
        """Verdict, how, and the quantities of the evidence."""
        if _is_date(number, written):
            return (SUPPORTED, "stated", ()) if self._has_date(number, written) else (NOT_FOUND, "", ())
        said = _Claim() if self.note else said
        able = [one._replace(fit=self._fit(said, one)) for one in self.stated if _is_of(one, said)]
        able.sort(key=lambda one: -one.fit)
        alike = [one for one in able if one.is_like(number.unit)]
        for one in _near(alike, said):
            if one.says(number, written, "end" in said.forms) and not _of_another(one, alike, said):
                return SUPPORTED, "stated", (one,)
        for pool in _pools(able, said):
            if found := derivation(number, written, pool, said.forms):
                return SUPPORTED, f"computed: {found[0]}", found[1]
        if number.low in self._counts(number.unit, said.years, able[:1]):
            return SUPPORTED, "counted", tuple(able[:1])
        if alike and alike[0].fit >= _SAME_THING and not self.note:
            return CONTRADICTED, "", (alike[0],)
        return NOT_FOUND, "", ()

    def _has_date(self, number: Quantity, written: str) -> bool:
        """Whether the evidence has a year, or of a date with a day that day."""
        if number.low == number.high and len(re.findall(r"\d+", written)) == 2 and written not in self.text:
            return any(abs(one.low - number.low) < _DAY for one in RuleExtractor(dates=True).extract(self.text))
        return f"{int(number.low)}" in self.text

    def _counts(self, unit: str, years: frozenset[str], best: list[Stated]) -> set[int]:
        """How many years the answer names and how far they are apart; how many numbers the best one's row has."""
        if unit != "year" and not is_count(unit):
            return set()
        apart = {abs(int(one) - int(other)) for one, other in combinations(years, 2) if unit == "year"}
        rows = [one.docno.rpartition("c")[0] for one in best if one.cell]
        return {len(years), *apart, sum(one.docno.rpartition("c")[0] in rows for one in self.stated)} - {0}

    def _fit(self, said: _Claim, one: Stated) -> float:
        """How well a stated quantity goes with an answer's words, in [0, 1]; names count twice, and what the answer
        does not say of its row takes up to a half."""
        weights = {word: self._weight.get(word, 0.0) * (1 + (word in said.names)) for word in said.words}
        total = fsum(weights.values())  # the same in any order
        fit = fsum(weights[word] for word in said.words & one.words) / total if total else 1.0
        extra, name = (fsum(map(self._weight.__getitem__, words)) for words in (one.name - said.words, one.name))
        return fit * (1.0 - 0.5 * extra / (name or 1.0))


def _near(found: list[Stated], said: _Claim) -> list[Stated]:
    """The rows that the answer names, and what its words fit about as well as the best cell, or the best in texts."""
    best = {one.cell is None: one.fit for one in reversed(found)}
    return [one for one in found if one.name_in(said.words) or one.fit >= _NEAR * best[one.cell is None]]


def _pools(able: list[Stated], said: _Claim) -> Iterator[list[Stated]]:
    """What is calculated with: the cells that are near, the best of cells and texts, and the best cell's row, or its
    column where no row is named."""
    near = _near(able, said)
    cells, texts = [one for one in near if one.cell], [one for one in near if not one.cell]
    yield cells
    yield cells[:_EACH] + texts[:_EACH]
    for best in cells[:1]:
        axis = 0 if best.name_in(said.words) else 1
        yield [one for one in able if one.cell and best.cell and one.cell.place[axis] == best.cell.place[axis]]


def _is_of(one: Stated, said: _Claim) -> bool:
    """Whether it is of the years and of what the answer names; a table's report need not name whose it is."""
    agree = not (said.years and one.years) or said.years & one.years
    return bool(agree) and (one.of_report or not said.names - one.words - _LEFT_OUT)


def _of_another(one: Stated, alike: list[Stated], said: _Claim) -> bool:
    """Whether an answer's words go with another number of the same sentence: "9 g of fat and 14 g of protein"."""
    place, first = (one.sentence, one.quantity.unit), one.phrase.split()[:1]
    same = [other.phrase for other in alike if (other.sentence, other.quantity.unit) == place]
    rivals = [words_of(phrase) for phrase in same if first and phrase.split()[:1] == first]
    return not said.words & words_of(one.phrase) and any(said.words & words for words in rivals)
