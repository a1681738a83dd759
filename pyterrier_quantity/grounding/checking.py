"""`check()`: whether the numbers of an answer are what its evidence states."""

from __future__ import annotations

import html
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from pyterrier_quantity.english.stems import sentences
from pyterrier_quantity.extraction import DATE_UNIT, RuleExtractor
from pyterrier_quantity.grounding.evidence import Stated, documents, is_foreign, read_stated, years_of
from pyterrier_quantity.grounding.figures import CALCULATING, MOST, derivation, forms_of, same_kind, states
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.tables.questions import content, read_question

SUPPORTED: Final = "supported"
CONTRADICTED: Final = "contradicted"
NOT_FOUND: Final = "not found"

_NAME: Final = re.compile(r"(?<![.?!] )\b[A-Z][\w-]*(?: (?:[A-Z][\w-]*|\d+)\b)*")
_SUBJECT: Final = re.compile(
    r"\bof (?:the |an? )?([\w -]+?) (?:is|was|are|were|has|had)\b"
)  # "the dose of rudafenac is"
_SHORT: Final = 2  # words: an answer of no more says little about what its numbers are of
_NEAR: Final = 0.75  # share of the best fit to an answer's words that is enough to support it
_OPERAND: Final = 0.7  # the same, to be calculated with
_SAME_THING: Final = 0.5  # fit from which another value contradicts
_FARTHER: Final = 0.7  # what a word counts that stands in another sentence


@dataclass(frozen=True)
class Finding:
    """What evidence says about one number of an answer.

    Args:
        verdict: "supported", "contradicted" (the same thing has another value) or "not found".
        quantity, written, sentence: as the answer has it; the quantity's span is that in the answer.
        how: "stated", "counted", "computed: difference", ...; "" where nothing supports it.
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
        pieces, at = [], 0
        for one in self.findings:
            start, end = one.quantity.start, one.quantity.end
            colour = {SUPPORTED: "#cfc", CONTRADICTED: "#fbb"}.get(one.verdict, "#fea")
            mark = f'<mark style="background:{colour}" title="{html.escape(str(one))}">'
            pieces += [html.escape(self.answer[at:start]), mark, html.escape(self.answer[start:end]), "</mark>"]
            at = end
        return "".join([*pieces, html.escape(self.answer[at:]), html.escape(f" ({self.note})" * bool(self.note))])


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
    read = list(documents(evidence))
    note = "" if read else "there is no evidence"
    if read and is_foreign(" ".join(one["text"] for one in read if not one.get("cells"))):
        note = "the evidence is in another language than English: values were compared, words were not"
    ground = _Ground(list(read_stated(read)), " ".join(one["text"] for one in read), bool(note))
    numbers, findings = RuleExtractor(dates=True).extract(answer), []
    for begin, end in sentences(answer):
        own = [one for one in numbers if begin <= one.start < end]
        plain = _without_measures(answer, (begin, end), own)
        claim = ground.claim(f"{question} {plain}".strip() if len(content(plain)) <= _SHORT else plain)
        for one in own:
            if "?" not in answer[one.end : end]:  # what is asked is not said
                written = answer[one.start : one.end]
                verdict, how, stated = ground.find(one, written, claim)
                findings.append(Finding(verdict, one, written, answer[begin:end].strip(), how, stated))
        question = plain
    return Check(answer, tuple(findings), note)


def _without_measures(answer: str, span: tuple[int, int], numbers: Sequence[Quantity]) -> str:
    """A sentence without its measures, which say nothing of what is measured; counted things and dates stay."""
    begin, end = span
    for one in reversed(numbers):
        if one.unit != DATE_UNIT and (one.unit == BARE or not is_count(one.unit)):
            answer, end = f"{answer[: one.start]}{answer[one.end :]}", end - (one.end - one.start)
    return answer[begin:end].strip()


class _Claim(NamedTuple):
    """What a sentence of an answer says its numbers are of, and how they may come about."""

    words: frozenset[str]
    names: frozenset[str]
    whole: tuple[str, ...]
    years: frozenset[str]
    forms: set[str]


class _Ground:
    """What evidence states, with how much each of its words tells."""

    def __init__(self, stated: Sequence[Stated], text: str, foreign: bool) -> None:
        self.stated, self.text, self.foreign = stated, text, foreign
        held = Counter(word for one in stated for word in one.words | one.wide)
        self._weight = {word: math.log1p(len(stated) / count) for word, count in held.items()}

    def claim(self, text: str) -> _Claim:
        """What a sentence says; its first word is a name if the evidence writes it so within a sentence."""
        words, subject = frozenset(content(text)), _SUBJECT.search(text)
        first, _, rest = text.partition(" ")
        whole = [one[0] for one in _NAME.finditer(text, len(first))]
        whole += [first] if rest and re.search(rf"[a-z,;] {re.escape(first)}\b", self.text) else []
        years = years_of(text) | {int(period) for period in read_question(text).periods if period.isdecimal()}
        forms = forms_of(text, words)
        if len(years) == 1 and forms & {"average", "difference", "percentage change"}:
            years |= {year - 1 for year in years}
        names = words & {*content(" ".join([*whole, subject[1] if subject else ""]))}
        return _Claim(words, names, tuple(whole), frozenset(map(str, years)), forms)

    def find(self, number: Quantity, written: str, claim: _Claim) -> tuple[str, str, tuple[Stated, ...]]:
        """Verdict, how, and the quantities of the evidence."""
        if number.unit == DATE_UNIT or (number.unit in (BARE, "year") and years_of(written)) or written in claim.years:
            known = written in self.text or f"{int(number.low)}" in self.text
            return (SUPPORTED, "stated", ()) if known else (NOT_FOUND, "", ())
        able = [one for one in self.stated if self.foreign or self._is_of(one, claim)]
        fits = {id(one): self._fit(claim, one) for one in able}
        able.sort(key=lambda one: -fits[id(one)])
        rivals: list[Stated] = []
        pools: list[list[Stated]] = []
        for part in ([one for one in able if one.cell], [one for one in able if not one.cell]):
            alike = [one for one in part if same_kind(one.quantity.unit, number.unit)]
            measured = [one for one in alike if number.unit == BARE or one.quantity.unit != BARE] or alike
            enough = 0.0 if self.foreign or not alike else _NEAR * fits[id(measured[0])]
            for one in alike:
                if fits[id(one)] >= enough and states(number, written, one):
                    return SUPPORTED, "stated", (one,)
            least = _OPERAND * fits[id(part[0])] if part else 0.0
            pools.append([one for one in part if fits[id(one)] >= least or (one.name and one.name <= claim.words)])
            rivals += measured[:1]
        if self.foreign:
            return NOT_FOUND, "", ()
        for pool in (*pools, [one for part in pools for one in part[: MOST // 2]]):
            if computed := derivation(number, written, pool, claim.forms):
                return SUPPORTED, f"computed: {computed[0]}", computed[1]
        if number.unit != BARE and number.low in self._counts(claim, able[:1]):
            return SUPPORTED, "counted", tuple(able[:1])
        rival = max(rivals, key=lambda one: fits[id(one)], default=None)
        if rival is None or fits[id(rival)] < _SAME_THING:
            return NOT_FOUND, "", ()
        return CONTRADICTED, "", (rival,)

    def _is_of(self, one: Stated, claim: _Claim) -> bool:
        """Whether it is of the years and of what the answer names; a table's report need not name whose it is."""
        if claim.years and one.years and not claim.years & {*one.years}:
            return False
        longer = any(re.search(rf"\b{re.escape(name)} [A-Z]", one.sentence) for name in claim.whole)
        return one.of_report or not (claim.names - one.wide or longer)

    def _counts(self, claim: _Claim, best: Sequence[Stated]) -> set[int]:
        """How many years the answer names, and how many numbers stand in the row that fits best."""
        row = [one.docno.rpartition("c")[0] for one in best if one.cell]
        return {len(claim.years), *(sum(one.docno.rpartition("c")[0] == name for one in self.stated) for name in row)}

    def _fit(self, claim: _Claim, one: Stated) -> float:
        """How well a stated quantity goes with an answer's words, in [0, 1]; names count twice."""
        words = claim.words - CALCULATING if claim.forms else claim.words
        weights = {word: self._weight.get(word, 0.0) * (1 + (word in claim.names)) for word in words}
        shared = words & (one.words | one.wide)
        fit = sum(weights[word] * (1.0 if word in one.words | claim.names else _FARTHER) for word in shared)
        fit = fit / sum(weights.values()) if any(weights.values()) else 1.0
        if one.name:
            extra = sum(self._weight[word] for word in one.name - claim.words)
            fit *= 1.0 - 0.5 * extra / sum(self._weight[word] for word in one.name)
        return fit
