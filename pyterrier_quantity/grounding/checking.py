"""`check()`: whether the numbers of an answer are what its evidence states."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from pyterrier_quantity.english import one_of
from pyterrier_quantity.english.stems import sentences
from pyterrier_quantity.explanation_text import marked, pieces
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.grounding.evidence import Stated, words_of
from pyterrier_quantity.grounding.ground import CONTRADICTED, NOT_FOUND, SUPPORTED, Ground, claim, is_date
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.quantity import BARE, Quantity

_SHORT: Final = 2  # words: an answer of no more says little about what its numbers are of
_NAMES: Final = re.compile(rf" {one_of('nouns that a bare number measures')}\b[^;:]* (?:is|was|are|were) ")
"""What follows a number that names what is measured: "the 400 m time of ... is 50.8 s"."""
_COLOURS: Final = {SUPPORTED: "#cfc", CONTRADICTED: "#fbb", NOT_FOUND: "#fea"}


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
            mark = f'<mark style="background:{_COLOURS[one.verdict]}" title="{html.escape(str(one))}">'
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
    ground, findings = Ground(evidence), []
    numbers = RuleExtractor(dates=True).extract(answer)
    for begin, end in sentences(answer):
        sentence, own = answer[begin:end], [one for one in numbers if begin <= one.start < end]
        # Measures say nothing of what is measured; counted things and dates do.
        measures = [(one.start - begin, one.end - begin, one) for one in own if _is_measure(one, answer)]
        plain = "".join(text for text, one in pieces(sentence, measures) if one is None).strip()
        said = claim(f"{question} {plain}".strip() if len(words_of(plain)) <= _SHORT else plain, sentence)
        for one in own:
            written = answer[one.start : one.end]
            verdict, how, stated = ground.find(one, written, said)
            named = one is not own[-1] and _NAMES.match(answer, one.end, end)
            told = verdict != NOT_FOUND or one.low != 1 or any(map(str.isdigit, written))  # "within a week"
            if told and not named and "?" not in answer[one.end : end]:  # what is asked is not said
                findings.append(Finding(verdict, one, written, sentence.strip(), how, stated))
        question = plain
    return Check(answer, tuple(findings), ground.note)


def _is_measure(number: Quantity, text: str) -> bool:
    """Whether a text's number is neither a date nor a count."""
    return not is_date(number, text[number.start : number.end]) and (number.unit == BARE or not is_count(number.unit))
