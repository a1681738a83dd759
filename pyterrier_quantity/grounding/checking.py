"""Check the numbers in an answer against the numbers in the evidence. In all functions, `said` is a sentence of the
answer as a `Claim`, and `written` is the text of a number in the answer."""

import html
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, dropwhile, pairwise
from math import fsum, log1p
from typing import Any, Final, NamedTuple

from pyterrier_quantity.counts.question import VERB_FORMS
from pyterrier_quantity.english import NUMBERS, one_of
from pyterrier_quantity.english.nouns import is_plural
from pyterrier_quantity.english.periods import day_of
from pyterrier_quantity.english.verbs import VERBS
from pyterrier_quantity.english.wordnet import is_thing, other_names
from pyterrier_quantity.explanation.highlighting import marked, pieces
from pyterrier_quantity.extraction import DATE_UNIT, RuleExtractor
from pyterrier_quantity.extraction.grammar.bound_wordings import before
from pyterrier_quantity.extraction.grammar.counted_nouns import STOPS
from pyterrier_quantity.grounding import stated_numbers
from pyterrier_quantity.grounding.attribution import LACKING, MOST, Claim, is_another, is_of, is_said, moves_of, of_rows
from pyterrier_quantity.grounding.stated_numbers import Stated, words_of, years_of
from pyterrier_quantity.index.context_words import counted_noun, is_count
from pyterrier_quantity.quantity import BARE, SIDES, Quantity
from pyterrier_quantity.units import default_registry

SUPPORTED: Final = "supported"
CONTRADICTED: Final = "contradicted"
NOT_FOUND: Final = "not found"

_SHORT: Final = 2  # a sentence with at most two words is read together with the question
# Text after a number that is part of a name: "m time of ... is " in "the 400 m time of ... is 50.8 s".
_NAMES: Final = re.compile(rf" {one_of('nouns that a bare number measures')}\b[^;:]* (?:is|was|are|were) ")
COLOURS: Final = {SUPPORTED: "#cfc", CONTRADICTED: "#fbb", NOT_FOUND: "#fea"}
_NAME: Final = re.compile(r"(?<![.?!] )\b[A-Z][\w-]*(?: (?:[A-Z][\w-]*|\d+)\b)*")
_SUBJECT: Final = re.compile(r"\bof (?:the |an? )?([\w -]+?) (?:is|was|are|were|has|had)\b")  # "the dose of X is"
_NEAR: Final = 0.4  # a quantity may support a number if its fit is at least 0.4 times the best fit
_SAME_THING: Final = 0.5  # a quantity with another value contradicts a number only if its fit is at least 0.5
_EXACT: Final = re.compile(rf"\b{one_of('words of exactness')} \Z")
_BASES: Final = frozenset(verb.present[0] for verb in VERBS.values() if verb.present[0] not in verb.past)
_EACH: Final = 6  # calculations combine at most 6 cells of tables with at most 6 quantities in texts


@dataclass(frozen=True)
class Finding:
    """The verdict on one number of an answer.

    Args:
        verdict: "supported", "contradicted" (the evidence has another value for the same thing) or "not found".
        quantity: the number, with its span in the answer.
        written: the number's text in the answer.
        sentence: the answer's sentence that contains the number.
        how: how the evidence supports the number ("stated", "computed: subtract"), or "" if nothing supports it.
        stated: the quantities that support or contradict the number, each with `quantity`, `sentence` and `docno`.
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
    """The text of an answer, and a `Finding` for each of its numbers. `note` is a warning if the evidence is missing or
    not in English, otherwise ""."""

    answer: str
    findings: tuple[Finding, ...]
    note: str = ""

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def count(self, verdict: str = SUPPORTED) -> int:
        """Return the number of findings with the given verdict."""
        return sum(one.verdict == verdict for one in self.findings)

    @property
    def supported(self) -> bool:
        """Whether every number is supported, which is true for an answer without numbers."""
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
    """Return a verdict for each number of an answer: whether the evidence states the number, perhaps in another unit,
    or values from which it can be calculated. For example, "1.5 km" in the evidence supports "1,500 m" in the answer.

    Args:
        answer: the text to check. Years and dates are also checked.
        evidence: a text; a dictionary with `text` (and optionally `docno` and `quantities`); a DataFrame of documents;
            a table that `ptq.tables.facts` can read; or a list of such texts, dictionaries, frames and tables.
        question: the question that the answer replies to. It is the context of a short answer such as "530 MW".

    Raises:
        TypeError: if the answer is not a string, or the evidence has an unsupported type.
    """
    if not isinstance(answer, str):
        raise TypeError(f"check: the answer must be a string, got {type(answer).__name__}")
    ground, findings = _Ground(evidence), []
    numbers = RuleExtractor(dates=True).extract(answer)
    claimed = _without_bounds(answer, numbers)
    for begin, end in stated_numbers.sentences_of(answer, numbers):
        sentence, own = claimed[begin:end], [one for one in numbers if begin <= one.start < end]
        # The words of a measurement ("5 kg") are removed from the claim; counted things and dates are kept.
        measures = [one for one in own if not _is_date(one, answer[one.start : one.end]) and not counted_noun(one.unit)]
        spans = [(one.start - begin, one.end - begin, one) for one in measures]
        plain = "".join(text for text, one in pieces(sentence, spans) if one is None).strip()
        short = len(words_of(plain)) <= _SHORT
        said = _claim(f"{question} {plain}".strip() if short else plain, sentence)
        for one in own:
            written = answer[one.start : one.end]
            denied, led = stated_numbers.said_before(one, answer, begin)
            exact = _EXACT.search(answer[begin : one.start]) is not None
            said = said._replace(denied=denied, exact=exact, led=led)
            verdict, how, stated = ground.find(one, written, said)
            named = one is not own[-1] and _NAMES.match(answer, one.end, end)
            known = one.low == 1 or answer[: one.start].lower().endswith("the ")  # as in "a week", "the two stores"
            told = verdict != NOT_FOUND or not known or any(map(str.isdigit, written))
            if told and not named and "?" not in answer[one.end : end]:  # numbers of questions are not checked
                findings.append(Finding(verdict, one, written, answer[begin:end].strip(), how, stated))
        question = plain
    return Check(answer, tuple(findings), ground.note)


def _without_bounds(answer: str, numbers: Iterable[Quantity]) -> str:
    """Return an answer without bounds before numbers, so that the "more" in "more than 5" does not suggest a sum."""
    lower, kept = answer.lower(), list(answer)
    for one in numbers:
        cue = before(lower, one.start)
        if cue and cue.bound == one.bound not in stated_numbers.MOVES:
            kept[cue.start : one.start] = " " * (one.start - cue.start)
    return "".join(kept)


def _claim(text: str, sentence: str) -> Claim:
    """Return the `Claim` for a sentence of an answer. `text` is the sentence without quantities: "It has a mass of"."""
    words, subject, years = words_of(text), _SUBJECT.search(text), years_of(text)
    forms = stated_numbers.forms_of(f"{text} {sentence}")
    begin = 0 if _is_name(*f"{text} . .".split()[:2]) else text.find(" ")
    of = subject[1] if subject else ""
    names = words & words_of(" ".join([*_NAME.findall(text, begin), of]))
    thing = "" if forms else of if of.islower() else "" if names else _thing(sentence)
    if len(years) == 1 and forms & {"average", "percentage change"}:
        years |= {str(int(year) - 1) for year in years}
    return Claim(words, names, thing, moves_of(sentence), years, forms)


def _thing(text: str) -> str:
    """Return the noun phrase at the start of a sentence ("The rear tyres need 2 bar" -> "rear tyres"), or ""."""
    words = [*dropwhile(lambda word: word in STOPS or word.split("-")[0] in NUMBERS, text.lower().split())]
    size = next((place for place, pair in enumerate(pairwise(words), 1) if _ends_noun(*pair)), 0)
    return " ".join(words[:size]) if size and is_thing(words[size - 1]) else ""


def _ends_noun(before: str, word: str) -> bool:
    """Return whether a noun phrase ends between two words: True for "tyres need", False for "speed limit"."""
    return word in STOPS or (word in VERB_FORMS and (word not in _BASES or is_plural(before)))


def _is_name(first: str, second: str) -> bool:
    """Return whether a sentence that begins with these two words begins with a proper name: True for "Sweden has"."""
    same, kinds, defining = other_names(first.lower())
    named = not (same or kinds) and bool(defining or second in VERB_FORMS)
    return first[:1].isupper() and (named or first.endswith("'s"))


def _is_date(number: Quantity, written: str) -> bool:
    is_year = stated_numbers.YEAR.search(written) and (number.unit in (BARE, "year") or written.isdecimal())
    return number.unit == DATE_UNIT or bool(is_year)


class _View(NamedTuple):
    """The quantities in the evidence that may support a number in a sentence of the answer.

    Args:
        able: the quantities whose context contains the sentence's names and years. The first fits the sentence best.
        alike: the quantities of `able` whose unit can be converted to the number's unit.
        near: the quantities of `alike` that the sentence most likely refers to; see the function `_near`.
        values: sorted pairs of a quantity's absolute value and the quantity's index in `near`.
        pools: lists of quantities that a calculation may combine, such as the cells of a table row.
    """

    able: list[Stated]
    alike: list[Stated]
    near: list[Stated]
    values: list[tuple[float, int]]
    pools: list[list[Stated]]

    def valued(self, number: Quantity, span: tuple[float, float]) -> list[Stated]:
        """Return at most 100 quantities of `near` that may agree with a number in the answer. If the number has no
        bound ("5", not "over 5"), they have values in `span`, the range that rounds to the number."""
        if number.bound in SIDES:
            return self.near[:MOST]
        first, last = bisect_left(self.values, (span[0], 0)), bisect_right(self.values, (span[1], len(self.near)))
        return [self.near[place] for place in sorted({place for _, place in self.values[first:last]})[:MOST]]


class _Ground:
    """The evidence for an answer: its quantities, and weights of its words (high for rare words). If the evidence is
    not in English, only values are compared."""

    def __init__(self, evidence: Any) -> None:
        self.stated, self.text, self.note = stated_numbers.read_evidence(evidence)
        held = Counter(word for one in self.stated for word in one.words)
        self._weight = {word: log1p(len(self.stated) / count) for word, count in held.items()}
        units = {one.quantity.unit.partition(" per ")[0] for one in self.stated}
        self._currencies = set(filter(default_registry().is_currency, units))
        self._key: tuple[Any, ...] = ()
        self._views: dict[str, _View] = {}

    def find(self, number: Quantity, written: str, said: Claim) -> tuple[str, str, tuple[Stated, ...]]:
        """Return the fields `verdict`, `how` and `stated` of the `Finding` for a number in the sentence `said`."""
        if _is_date(number, written):
            return (SUPPORTED, "stated", ()) if self._has_date(number, written) else (NOT_FOUND, "", ())
        said = said._replace(words=frozenset(), names=frozenset(), years=frozenset(), thing="") if self.note else said
        view, span = self._view(said, number.unit), stated_numbers.span_of(number, written)
        found = [one for one in view.valued(number, span) if is_said(one, view.alike, number, span, said)]
        same = [one for one in found if one.negated == said.denied]
        if told := next((one for one in same if of_rows([one], view.alike, said)), None):
            return SUPPORTED, "stated", (told,)
        if said.denied or len(same) < len(found):
            return (CONTRADICTED if found else NOT_FOUND), "", tuple(found[:1])
        if not said.led and (how := self._follows(number, written, said, view)):
            return SUPPORTED, *how
        for one in found or view.alike[: MOST if not self.note else 0]:
            other = one.fit >= _SAME_THING and said.names <= one.near and not is_another(one, view.alike, number, said)
            if found or other:
                return CONTRADICTED, "", (one,)
        return NOT_FOUND, "", ()

    def _follows(
        self, number: Quantity, written: str, said: Claim, view: _View
    ) -> tuple[str, tuple[Stated, ...]] | None:
        """Return how a number in the sentence `said` follows from the quantities in `view`, and the quantities used:
        ("computed: sum", (...)) or ("counted", (...)). Return None if the number does not follow from them."""
        for pool in view.pools:
            derived = stated_numbers.derivation(number, written, pool, said.forms)
            told = frozenset().union(*(one.words for one in derived[1])) if derived and not view.able else said.names
            if derived and not said.names - told - LACKING and of_rows(derived[1], view.alike, said):
                return f"computed: {derived[0]}", derived[1]
        counted = number.low in self._counts(number.unit, said.years, view.able[:1])
        return ("counted", tuple(view.able[:1])) if counted else None

    def _view(self, said: Claim, unit: str) -> _View:
        """Return the quantities that may support the numbers in the sentence `said` whose unit is `unit`."""
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

    def _able(self, said: Claim, unit: str, apart: bool = False) -> list[Stated]:
        """Return the quantities that the sentence `said` may refer to, the best fit first. If the evidence has sums of
        money, but only in currencies other than `unit`, numbers without a unit are left out. For `apart`, see
        `is_of`."""
        foreign = self._currencies and default_registry().is_currency(unit) and unit not in self._currencies
        able = [one for one in self.stated if is_of(one, said, apart) and not (foreign and one.quantity.unit == BARE)]
        weights = {word: self._weight.get(word, 0.0) * (1 + (word in said.names)) for word in said.words}
        total = fsum(weights.values())  # unlike sum(), exact for any order of the words
        return sorted((one._replace(fit=self._fit(weights, total, one)) for one in able), key=lambda one: -one.fit)

    def _has_date(self, number: Quantity, written: str) -> bool:
        """Return whether the evidence contains a date of the answer. If the date is `written` without a day, the year
        is enough."""
        if number.low == number.high and len(re.findall(r"\d+", written)) == 2 and written not in self.text:
            return day_of(number.low) in self._days
        return f"{int(number.low)}" in self.text

    @cached_property
    def _days(self) -> frozenset[tuple[int, int]]:
        return frozenset(day_of(q.low) for q in RuleExtractor(dates=True).extract(self.text) if q.unit == DATE_UNIT)

    def _counts(self, unit: str, years: frozenset[str], best: list[Stated]) -> set[int]:
        """Return the numbers that a sentence of the answer may state because it counts something, such as "4 regions".

        These are the number of `years` in the sentence, the difference of two years (if `unit` is "year"), and the
        number of cells in the table row of the best quantity. `best` contains this quantity, or is empty.
        """
        if unit != "year" and not is_count(unit):
            return set()
        apart = {abs(int(one) - int(other)) for one, other in combinations(years, 2) if unit == "year"}
        rows = [one.docno.rpartition("c")[0] for one in best if one.cell]
        rows_stated = sum(one.docno.rpartition("c")[0] in rows for one in self.stated) if rows else 0
        return {len(years), *apart, rows_stated} - {0}

    def _fit(self, weights: Mapping[str, float], total: float, one: Stated) -> float:
        """Return how well the quantity `one` fits the answer's sentence, from 0 to 1: the share of the sentence's words
        that occur in the quantity's document, weighted by `weights`, whose sum is `total`. The result is lower if the
        quantity is from a table row whose name contains words that are not in the sentence."""
        fit = fsum(weights[word] for word in weights.keys() & one.words) / total if total else 1.0
        if not one.cell or not one.name:
            return fit
        extra, name = (fsum(map(self._weight.__getitem__, words)) for words in (one.name - weights.keys(), one.name))
        return fit * (1.0 - 0.5 * extra / (name or 1.0))


def _near(found: list[Stated], said: Claim) -> list[Stated]:
    """Return the quantities in `found` that the sentence `said` most likely refers to: quantities in table rows that
    the sentence names, and quantities with at least 40 % of the best `fit`. Cells and texts are compared separately."""
    best = {one.cell is None: one.fit for one in reversed(found)}
    return [one for one in found if one.name_in(said.words) or one.fit >= _NEAR * best[one.cell is None]]


def _pools(able: list[Stated], said: Claim) -> Iterator[list[Stated]]:
    """Yield lists of the quantities in `able` that a calculation may combine, most likely first: the table cells that
    fit the sentence `said` best; the best cells together with the best quantities in running text; and all cells in the
    row of the best cell (or in its column, if the sentence does not name a row)."""
    near = _near(able, said)
    cells, texts = [one for one in near if one.cell], [one for one in near if not one.cell]
    if any(one.name_in(said.words - {"total"}) for one in cells):
        cells = [one for one in cells if one.name_in(said.words) or {"total"} <= one.name & said.words]
    yield cells
    yield cells[:_EACH] + texts[:_EACH]
    for best in cells[:1]:
        axis = 0 if best.name_in(said.words) else 1
        yield [one for one in able if one.cell and best.cell and one.cell.place[axis] == best.cell.place[axis]]
