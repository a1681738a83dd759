"""What evidence states: each quantity with its sentence, the words that it goes with, and its years; and what follows
from it: converted, rounded as people round, or calculated with."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, permutations
from typing import Any, Final, NamedTuple

import pandas as pd

from pyterrier_quantity.english import listed, one_of, rows_of
from pyterrier_quantity.english.stems import WORD, sentences
from pyterrier_quantity.extraction import DATE_UNIT, RuleExtractor
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.plan.calculations import calculation
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.tables.facts import Cell, facts
from pyterrier_quantity.tables.questions import content, read_question
from pyterrier_quantity.tables.table import Table
from pyterrier_quantity.units import default_registry
from pyterrier_quantity.units.dimensions import rescaled

YEAR: Final = re.compile(r"(?<![\d.,$€£])(?:19|20)\d\d(?!\d|[.,]\d)")
_NONE: Final = re.compile(rf"\b[Nn]o (?!{one_of('words by which no is no number')}\b)[a-z]")
_APART: Final = re.compile(r"[,;:] |\b(?:and|but|while|whereas|or|versus)\b")
_FARTHEST: Final = 0.05  # share by which a number whose whole digits are rounded away may be off
_DIGITS: Final = re.compile(r"\d[\d,]*(?:\.(\d+))?")
_RATIOS: Final = {"percentage": 100.0, BARE: 1.0, "proportion": 1.0}
_MOST: Final = 16  # numbers that are calculated with
_LONG: Final = 4  # digits from which the answer need not say how
_FORMS: Final = [(re.compile(wording, re.I), forms.split("|")) for wording, forms in rows_of("calculation_forms.tsv")]
_GIVES: Final[dict[str, Callable[..., float]]] = {
    "subtract": operator.sub,
    "divide": operator.truediv,
    "percentage change": lambda one, other: (one - other) / other,
    "multiply": operator.mul,
    "sum": lambda *values: sum(values),
    "average": lambda *values: sum(values) / len(values),
}
_OF_SEVERAL: Final = ("sum", "average")


class Stated(NamedTuple):
    """A quantity and where it stands.

    Args:
        words: the stems of its document, or of its row and column.
        years: that it is of; empty if none are told.
        of_report: whether it is of a table, or of the text around one.
        phrase: what stands behind it in its part of the sentence.
        name: the stems of its row.
        fit: how well it goes with what an answer says, in [0, 1].
    """

    quantity: Quantity
    sentence: str
    docno: str
    words: frozenset[str]
    years: frozenset[str]
    of_report: bool
    phrase: str = ""
    name: frozenset[str] = frozenset()
    cell: Cell | None = None
    fit: float = 0.0

    def name_in(self, words: frozenset[str]) -> bool:
        """Whether these are all words of its row."""
        return bool(self.name) and self.name <= words

    def is_like(self, unit: str) -> bool:
        """Whether a number in a unit may tell of the same thing: they convert, or both are money."""
        own = self.quantity.unit
        return _conversion(own, unit) is not None or (_is_money(own) and _is_money(unit))

    def says(self, number: Quantity, written: str, end: bool) -> bool:
        """Whether it is what the number, as it is written, says; `end`: or an end of its range is."""
        pair = _conversion(self.quantity.unit, number.unit)
        if pair is None:
            return False
        ends = [rescaled(value, *pair) for value in (self.quantity.low, self.quantity.high)]
        least, most = _span(number, written)
        enough = any if end else all
        return any(enough([least <= abs(value * by) <= most for value in ends]) for by in self.scales)

    @property
    def scales(self) -> tuple[float, ...]:
        """By what a table's number may have to be multiplied, where either it or the answer leaves out the scale."""
        told = (self.cell and self.cell.measure.scale) or 1.0
        if told != 1.0:
            return 1.0, 1 / told
        unscaled = self.cell and (self.quantity.unit == BARE or _is_money(self.quantity.unit))
        return (1.0, 1e3, 1e6, 1e9) if unscaled else (1.0,)


def _documents(evidence: Any) -> Iterator[Mapping[str, Any]]:
    """The documents of a text, a frame, a table, a dictionary, or several of these; TypeError names what is none."""
    if isinstance(evidence, pd.DataFrame):
        evidence = evidence.to_dict("records")
    if isinstance(evidence, str):
        yield {"text": evidence}
    elif isinstance(evidence, Mapping) and isinstance(evidence.get("text", evidence.get("sentence")), str):
        yield {"text": evidence.get("sentence"), **evidence}
    elif isinstance(evidence, Table) or (isinstance(evidence, Mapping) and {"table", "rows", "data"} & {*evidence}):
        yield from (fact for kind in ("cell", "text") for fact in facts(evidence, kind))
    elif isinstance(evidence, Iterable) and not isinstance(evidence, Mapping | bytes):
        yield from (document for one in evidence for document in _documents(one))
    else:
        raise TypeError(f"check: evidence is a text, documents with 'text', a frame or a table, got {evidence!r:.60}")


def read_evidence(evidence: Any) -> tuple[list[Stated], str, str]:
    """What evidence states, its text, and a note that tells where its words do not count."""
    read = list(_documents(evidence))
    note = "" if read else "there is no evidence"
    if read and _is_foreign(" ".join(one["text"] for one in read if not one.get("cells"))):
        note = "the evidence is in another language than English: values were compared, words were not"
    return list(_stated(read)), " ".join(one["text"] for one in read), note


def _stated(read: Iterable[Mapping[str, Any]]) -> Iterator[Stated]:
    """All quantities of documents; those that bring `quantities` are not read again."""
    extractor = RuleExtractor(dates=True)
    for number, document in enumerate(read):
        text, ready, docno = document["text"], document.get("quantities"), str(document.get("docno", number))
        quantities = extractor.extract(text) if ready is None else list(ready)
        if cells := document.get("cells"):
            yield from (_of_cell(text, cells, quantity, docno) for quantity in quantities)
        else:
            yield from _of_text(text, quantities, docno, "report" in document)


def _is_foreign(text: str) -> bool:
    """Whether a text is in another language than English, by its letters and its small words."""
    words = [word for word in WORD.findall(text.lower()) if word.isalpha()]
    small, other = (sum(word in listed(f"small words of {kind}") for word in words) for kind in ("English", "others"))
    return 2 * sum(map(str.isascii, words)) < len(words) or other > 2 + 2 * small


def words_of(text: str) -> frozenset[str]:
    """The stems of a text's words, without its numbers."""
    return frozenset(word for word in content(text) if not word[0].isdigit())


def years_of(text: str) -> frozenset[str]:
    """The years that a text names, and those between."""
    return frozenset((*YEAR.findall(text), *filter(str.isdecimal, read_question(text).periods)))


def _of_cell(text: str, cells: list[Cell], quantity: Quantity, docno: str) -> Stated:
    cell = next((one for one in cells if one.value == text[quantity.start : quantity.end]), cells[0])
    row = f"{cell.section} {cell.row}"
    years = years_of(cell.column) or years_of(row)
    return Stated(quantity, text, docno, words_of(f"{row} {cell.column}"), years, True, name=words_of(row), cell=cell)


def _of_text(text: str, quantities: list[Quantity], docno: str, of_report: bool) -> Iterator[Stated]:
    words = words_of(text)
    for begin, end in sentences(text):
        sentence = text[begin:end].strip()
        numbers = [one for one in quantities if begin <= one.start < end and one.unit != DATE_UNIT]
        if _NONE.search(sentence):
            numbers.append(Quantity(0.0, 0.0, BARE, start=end, end=end))
        for one in numbers:
            phrase = _APART.split(text[one.end : end], maxsplit=1)[0]
            # 2 grams per 100 grams are also 2 grams.
            for unit in dict.fromkeys([one.unit, one.unit.partition(" per ")[0]]):
                years = frozenset(YEAR.findall(sentence))
                yield Stated(replace(one, unit=unit), sentence, docno, words, years, of_report, phrase)


class Operand(NamedTuple):
    """A stated value, in the answer's unit where it converts."""

    value: float
    unit: str
    stated: Stated


def forms_of(text: str) -> frozenset[str]:
    """The calculations that a sentence may tell of, by its wording."""
    told = f"{calculation(text)}: {text}"
    return frozenset(form for wording, forms in _FORMS if wording.search(told) for form in forms)


def derivation(
    number: Quantity, written: str, pool: Sequence[Stated], told: Collection[str]
) -> tuple[str, tuple[Stated, ...]] | None:
    """The calculation that gives a number, and of what.

    Args:
        pool: what the answer's words fit best, the best first.
        told: the calculations that the answer tells of.
    """
    exact = len(re.sub(r"\D", "", written).strip("0")) >= _LONG
    operands = [_operand(one, number.unit) for one in pool if one.quantity.low == one.quantity.high]
    operands = [one for one in operands if one.value][:_MOST]
    least, most = _span(number, written)
    for form in [form for form in _GIVES if exact or form in told]:
        for each in _summands(operands) if form in _OF_SEVERAL else permutations(operands, 2):
            value = _GIVES[form](*(one.value for one in each))
            if any(least <= abs(value * by) <= most for by in _factors(form, number.unit, each)):
                return form, tuple(one.stated for one in each)
    return None


def _factors(form: str, wanted: str, of: Sequence[Operand]) -> tuple[float, ...]:
    """By what a result may have to be multiplied; nothing where it is of another kind than the number, or of values in
    several units."""
    unit = of[0].unit
    if form == "multiply":
        return of[0].stated.scales
    if not all(one.unit == unit or BARE in (one.unit, unit) for one in of):
        return ()
    if form in ("percentage change", "divide"):
        return (_RATIOS[wanted],) if wanted in _RATIOS else ()
    return of[0].stated.scales if _conversion(unit, wanted) else ()


def _summands(operands: Sequence[Operand]) -> Iterator[tuple[Operand, ...]]:
    """Pairs, and the best of a row, of a column without its total, or of a sentence."""
    lines: dict[object, list[Operand]] = {}
    for one in operands:
        stated = one.stated
        places: list[object] = [*enumerate(stated.cell.place)] if stated.cell else [stated.sentence]
        for place in places[: 1 if stated.name == {"total"} else None]:
            lines.setdefault(place, []).append(one)
    longer = (tuple(line[:size]) for line in lines.values() for size in range(3, len(line) + 1))
    return chain(combinations(operands, 2), longer)


def _operand(one: Stated, wanted: str) -> Operand:
    value, unit = one.quantity.low, one.quantity.unit
    pair = None if unit == BARE else _conversion(unit, wanted)
    return Operand(rescaled(value, *pair), wanted, one) if pair else Operand(value, unit, one)


def _conversion(unit: str, other: str) -> Any:
    """Factor and offset from a unit to another, None if there are none. A bare number goes with any unit, a count with
    any other."""
    if BARE in (unit, other) or (is_count(unit) and is_count(other)):
        return 1.0, 0.0
    return default_registry().conversion(unit, other)


def _is_money(unit: str) -> bool:
    return (default_registry().family(unit) or "").startswith("currency")


def _span(number: Quantity, written: str) -> tuple[float, float]:
    """The absolute values that a number, as it is written, stands for: within half of its last digit that counts; of
    "more than 500" those a little above, too."""
    low, high = sorted((abs(number.low), abs(number.high)))
    found, room = _DIGITS.search(written), _FARTHEST * high
    plain = found[0].replace(",", "") if found else ""
    if found and plain.strip("0."):
        half = 0.5 * high / float(plain)
        rough = number.bound == "~"
        zeros = min(len(plain) - len(plain.rstrip("0")), max(0, len(plain) - 2 + rough))
        room = half * 10.0 ** -len(found[1]) if found[1] else min(room * (1 + rough), half * 10.0**zeros)
    more, less = (5 * _FARTHEST * high * (number.bound in bounds) for bounds in ((">", ">="), ("<", "<=")))
    return low - less - room, high + more + room
