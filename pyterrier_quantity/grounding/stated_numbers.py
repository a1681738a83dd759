"""Extract the quantities in the evidence with their context, and compare them with the numbers of an answer. A number
may equal a quantity after conversion or rounding, or may result from a calculation."""

import operator
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, combinations, islice, pairwise, permutations
from typing import Any, Final, NamedTuple

import pandas as pd

from pyterrier_quantity.english import listed, one_of, rows_of
from pyterrier_quantity.english.stems import WORD, sentences
from pyterrier_quantity.extraction import DATE_UNIT, RuleExtractor
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.plan.calculations import calculation
from pyterrier_quantity.quantity import BARE, SIDES, Quantity
from pyterrier_quantity.tables.facts import Cell, facts
from pyterrier_quantity.tables.generator import content, read_question
from pyterrier_quantity.tables.table import Table
from pyterrier_quantity.units import default_registry
from pyterrier_quantity.units.dimensions import rescaled

YEAR: Final = re.compile(r"(?<![\d.,$€£])(?:19|20)\d\d(?!\d|[.,]\d)")
_NONE: Final = re.compile(rf"\b[Nn]o (?!{one_of('words after no that count nothing')}\b)[a-z]")
_FOOTNOTE: Final = re.compile(r"(?<=[a-z]{3})\d\b")
_APART: Final = re.compile(r"[,;:] |\(|\b(?:and|but|while|whereas|or|versus)\b")
_NEGATED: Final = re.compile(
    r"\b(?:not|never|cannot|[a-z]+n't)(?! (?:only|just|merely)\b)(?: (?!(?:and|but|or|than)\b)[\w'-]+){0,5} ?\Z"
)
# A name at the start of a sentence, which is the subject until another sentence starts with a name.
_SUBJECT: Final = re.compile(r"(?:The|An?)((?: [A-Z][\w-]*)+)|[A-Z][\w-]*(?: [A-Z][\w-]*)+")
PERSONS: Final = listed("words that stand for persons")
_DETERMINERS: Final = listed("determiners")
_BEFORE: Final = 80  # characters before a number that are searched for a negation
_LED: Final = re.compile(r"\b(from|to) \Z")
_GOES_ON: Final = re.compile(r"\.\s+[A-Z]")
_SIDES: Final = {"<": -1, "<=": -1, ">": 1, ">=": 1}
MOVES: Final = {"up": 1, "down": -1}
_FARTHEST: Final = 0.05  # maximum relative error of a rounded whole number
_DIGITS: Final = re.compile(r"\d[\d,]*(?:\.(\d+))?")
_RATIOS: Final = {"percentage": 100.0, BARE: 1.0, "proportion": 1.0}
_MOST: Final = 16  # maximum number of operands that calculations combine
_FEW: Final = 6  # maximum number of table cells that are tried as (a + b) / c
_LONG: Final = 4  # minimum number of significant digits of a result whose calculation the answer need not name
_FORMS: Final = [(re.compile(wording, re.I), forms.split("|")) for wording, forms in rows_of("calculation_forms.tsv")]
_GIVES: Final[dict[str, Callable[..., float]]] = {
    "subtract": operator.sub,
    "divide": lambda *values: sum(values[:-1]) / values[-1],
    "percentage change": lambda one, other: (one - other) / other,
    "multiply": operator.mul,
    "sum": lambda *values: sum(values),
    "average": lambda *values: sum(values) / len(values),
}
CHANGES: Final = ("subtract", "percentage change")
_OF_SEVERAL: Final = ("sum", "average")


class Stated(NamedTuple):
    """A quantity in the evidence, with its context.

    Args:
        words: the stems of all words in the document or, for a table cell, in the names of its row and column.
        years: the years that the quantity belongs to, or empty if unknown.
        of_report: whether the quantity is in a report: a table or the text around a table.
        phrase: the text from the quantity to the end of the clause.
        label: the stems of the words between the previous number or comma and the quantity.
        name: the stems of the table row's name or, in a text, of the subject of the sentence or an earlier sentence.
        near: the stems of the sentence and `name`, and of the previous sentence if the sentence begins with a pronoun.
        before: the stems of the previous sentence if this sentence begins with "the" or another determiner.
        negated: whether the sentence negates the quantity.
        led: "from" or "to" if this word is directly before the quantity, otherwise "".
        fit: how well the quantity fits a sentence of the answer, from 0 to 1 (best).
    """

    quantity: Quantity
    sentence: str
    docno: str
    words: frozenset[str]
    years: frozenset[str]
    of_report: bool
    phrase: str = ""
    label: frozenset[str] = frozenset()
    name: frozenset[str] = frozenset()
    near: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    negated: bool = False
    led: str = ""
    cell: Cell | None = None
    fit: float = 0.0

    def name_in(self, words: frozenset[str]) -> bool:
        """Return whether the given words contain the whole name of the quantity's table row."""
        return self.cell is not None and bool(self.name) and self.name <= words

    def is_like(self, unit: str) -> bool:
        """Return whether the quantity's unit can be converted to the given unit, or both units are currencies."""
        own = self.quantity.unit
        return _conversion(own, unit) is not None or all(map(default_registry().is_currency, (own, unit)))

    def values(self, unit: str) -> tuple[float, ...]:
        """Return the low and the high value of the quantity in a unit: "5 to 7 km" in metres -> (5000, 7000). Return ()
        if the unit cannot be converted. For a table cell that may be "in millions", return all possible low values,
        then all possible high values."""
        pair = _conversion(self.quantity.unit, unit)
        ends = (rescaled(value, *pair) for value in (self.quantity.low, self.quantity.high)) if pair else ()
        return tuple(value * by for value in ends for by in self.scales)

    def says(self, number: Quantity, span: tuple[float, float], end: bool) -> bool:
        """Return whether this quantity agrees with a number in the answer. `span` is the lowest and the highest value
        that round to the number. Both ends of a range must agree, or only one end if `end` is true."""
        values = self.values(number.unit)
        if not values or not self._goes_with(number):
            return False
        enough = any if end and number.low == number.high else all
        side, own = _SIDES.get(number.bound, 0), _SIDES.get(self.quantity.bound, 0)
        exact = not side or own or number.bound.endswith("=")
        wide = self.quantity.low < self.quantity.high and number.low < number.high
        room = min(abs(number.low), abs(number.high)) - span[0]
        for ends in zip(values[: len(values) // 2], values[len(values) // 2 :], strict=True):
            if wide and (abs(ends[0] - number.low) > room or abs(ends[1] - number.high) > room):
                continue
            within = [bool(exact and span[0] <= abs(value) <= span[1]) for value in ends]
            if enough([one or side * (value - number.low) > 0 for one, value in zip(within, ends, strict=True)]):
                return all(within) or enough is any or own in (0, side)
        return False

    def _goes_with(self, number: Quantity) -> bool:
        """Return whether the quantity and a number in the answer have compatible bounds, directions ("up", "down") and
        signs. Signs of table cells are ignored: a text may call the cell -5 "a loss of 5"."""
        one, other = self.quantity, number
        if _SIDES.get(one.bound, 0) * _SIDES.get(other.bound, 0) < 0 or (self.led and other.bound in MOVES):
            return False
        if self.cell is not None or 0 in (one.low, other.low):
            return True
        told = bool({one.bound, other.bound} & {*MOVES})
        return _sign(one) * _sign(other) >= 0 and (told or (one.high < 0) == (other.high < 0))

    @property
    def row(self) -> frozenset[str]:
        """The stems of the words in the table row's name. The set is empty for a quantity in a text."""
        return words_of(self.cell.row) if self.cell else frozenset()

    @property
    def scales(self) -> tuple[float, ...]:
        """The factors that may apply to a cell's number because of a heading such as "in millions"."""
        told = (self.cell and self.cell.measure.scale) or 1.0
        if told != 1.0:
            return 1.0, 1 / told
        unscaled = self.cell and (self.quantity.unit == BARE or default_registry().is_currency(self.quantity.unit))
        return (1.0, 1e3, 1e6, 1e9) if unscaled else (1.0,)


def _documents(evidence: Any) -> Iterator[Mapping[str, Any]]:
    """Convert evidence of any type that `check` accepts to dictionaries with `text`, and yield them."""
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
    """Return the quantities and the text of the evidence, and a warning if it is empty or not English, otherwise ""."""
    read = list(_documents(evidence))
    note = "" if read else "there is no evidence"
    if read and _is_foreign(" ".join(one["text"] for one in read if not one.get("cells"))):
        note = "the evidence is not in English: only values were compared, not words"
    return list(_stated(read)), " ".join(one["text"] for one in read), note


def _stated(read: Iterable[Mapping[str, Any]]) -> Iterator[Stated]:
    extractor = RuleExtractor(dates=True)
    for number, document in enumerate(read):
        text, ready, docno = document["text"], document.get("quantities"), str(document.get("docno", number))
        quantities = extractor.extract(text) if ready is None else list(ready)
        if cells := document.get("cells"):
            yield from (_of_cell(text, cells, quantity, docno) for quantity in quantities)
        else:
            yield from _of_text(text, quantities, docno, "report" in document)


def _is_foreign(text: str) -> bool:
    words = [word for word in WORD.findall(text.lower()) if word.isalpha()]
    small, other = (sum(word in listed(f"small words of {kind}") for word in words) for kind in ("English", "others"))
    return 2 * sum(map(str.isascii, words)) < len(words) or other > 2 + 2 * small


@lru_cache(maxsize=10_000)
def words_of(text: str) -> frozenset[str]:
    """Return the stems of a text's words, without numbers and footnote digits: "revenue2 in 2019" -> {"revenu"}."""
    plain = _FOOTNOTE.sub("", unicodedata.normalize("NFKC", text))
    return frozenset(word for word in content(plain) if not word[0].isdigit())


def years_of(text: str) -> frozenset[str]:
    """Return the years in a text: "from 2017 to 2019" -> {"2017", "2018", "2019"}."""
    return frozenset((*YEAR.findall(text), *filter(str.isdecimal, read_question(text).periods)))


def _of_cell(text: str, cells: list[Cell], quantity: Quantity, docno: str) -> Stated:
    cell = next((one for one in cells if one.value == text[quantity.start : quantity.end]), cells[0])
    row = f"{cell.section} {cell.row or 'total'}"  # many rows with sums have no name
    years = years_of(cell.column) or years_of(row)
    words, name = words_of(f"{row} {cell.column}"), words_of(row)
    return Stated(quantity, text, docno, words, years, True, name=name, near=words, cell=cell)


def _of_text(text: str, quantities: list[Quantity], docno: str, of_report: bool) -> Iterator[Stated]:
    words, name, near, previous = words_of(text), frozenset[str](), frozenset[str](), frozenset[str]()
    for begin, end in sentences_of(text, quantities):
        sentence = text[begin:end].strip()
        own = [one for one in quantities if begin <= one.start < end and one.unit != DATE_UNIT]
        if _NONE.search(sentence):
            own.append(Quantity(0.0, 0.0, BARE, start=end, end=end))
        years, subject = YEAR.findall(sentence), _SUBJECT.match(sentence)
        name = words_of(subject[1] or subject[0]) if subject else name
        first = sentence.partition(" ")[0].lower()
        near = words_of(sentence) | (near if first in PERSONS else name)
        before, previous = previous if first in _DETERMINERS else frozenset(), words_of(sentence)
        start, last, label = words_of(text[begin : own[0].start]) if own else frozenset(), begin, frozenset[str]()
        for one in own:
            phrase, led_by = _APART.split(text[one.end : end], maxsplit=1)[0], _APART.split(text[last : one.start])
            start, last = start if last > begin or len(led_by) == 1 else frozenset(), one.end
            label = words_of(led_by[-1]) - start or label
            dated = _years_beside(one, own, text, end, years)
            known = (words, dated, of_report, phrase, label, name, near, before, *said_before(one, text, begin))
            # "2 grams per 100 grams" is yielded as a rate and as 2 grams.
            for unit in dict.fromkeys([one.unit, one.unit.partition(" per ")[0]]):
                yield Stated(replace(one, unit=unit), sentence, docno, *known)


def said_before(number: Quantity, text: str, begin: int) -> tuple[bool, str]:
    """Return whether the words between offset `begin` and a number negate the number. Also return "from" or "to" if
    this word is directly before the number, otherwise "". "Not more than 5" is a bound, not a negation."""
    before = text[max(begin, number.start - _BEFORE) : number.start]
    led = _LED.search(before) if number.bound not in SIDES else None
    return number.bound not in SIDES and _NEGATED.search(before) is not None, led[1] if led else ""


def sentences_of(text: str, numbers: Iterable[Quantity]) -> list[tuple[int, int]]:
    """Return the spans of a text's sentences. `numbers` are the quantities of the text, after which a sentence may end:
    "It is 5 m. It is old." has two sentences, because "m" is the unit of a quantity, not an abbreviation."""
    ends = {one.end + 1 for one in numbers if _GOES_ON.match(text, one.end)} | {end for _, end in sentences(text)}
    return list(pairwise(sorted({0, *ends})))


def _years_beside(number: Quantity, own: list[Quantity], text: str, end: int, years: list[str]) -> frozenset[str]:
    # Numbers are paired with years if a sentence has as many of both: "10 in 2018 and 12 in 2019".
    alike = [one for one in own if one.unit == number.unit]
    if not len(alike) == len(years) == len({*years}) > 1:
        return frozenset(years)
    place = alike.index(number)
    following = alike[place + 1].start if place + 1 < len(alike) else end
    told = YEAR.findall(text, number.end, following) == [years[place]] or "respectively" in text[number.end : end]
    return frozenset(years[place : place + 1] if told else years)


class Operand(NamedTuple):
    """A number that a calculation uses, converted to the unit of the answer's number if possible."""

    value: float
    unit: str
    stated: Stated


def forms_of(text: str) -> frozenset[str]:
    """Return the calculations that a text's words suggest: "on average" -> {"average"}."""
    told = f"{calculation(text)}: {text}"
    return frozenset(form for wording, forms in _FORMS if wording.search(told) for form in forms)


def derivation(
    number: Quantity, written: str, pool: Sequence[Stated], suggested: Collection[str]
) -> tuple[str, tuple[Stated, ...]] | None:
    """Return the name and the operands of a calculation whose result is the number, or None: 3 -> ("subtract", (8, 5)).

    Args:
        number, written: a number in the answer, and its text.
        pool: the quantities that the calculation may use. The first fits the answer's sentence best.
        suggested: the calculations that the answer's words suggest, from `forms_of`.
    """
    exact = len(re.sub(r"\D", "", written).strip("0")) >= _LONG
    stated = (_operand(one, number.unit) for one in pool if one.quantity.low == one.quantity.high)
    operands = list(islice((one for one in stated if one.value), _MOST))
    least, most = span_of(number, written)
    for form in [form for form in _GIVES if exact or form in suggested]:
        kept = [one for one in operands if one.value != 1] if form in ("multiply", "divide") else operands
        several = (
            _summands(kept) if form in _OF_SEVERAL else _shares(kept) if form == "divide" else permutations(kept, 2)
        )
        for each in several:
            if not _goes_together(form, [one.stated for one in each]):
                continue
            value = _GIVES[form](*(one.value for one in each))
            if _sign(number) * value < 0 and (form in CHANGES or value > 0) and all(one.value > 0 for one in each):
                continue
            if any(least <= abs(value * by) <= most for by in _factors(form, number.unit, each)):
                return form, tuple(one.stated for one in each)
    return None


def _factors(form: str, wanted: str, of: Sequence[Operand]) -> tuple[float, ...]:
    """Return the factors that convert the result of a calculation (`form`) to the unit `wanted`: (100,) for "divide"
    and percent. `of` contains the operands. Return () if the units cannot be converted."""
    unit = of[0].unit
    if form == "multiply":
        return of[0].stated.scales
    if not all(one.unit == unit or BARE in (one.unit, unit) for one in of):
        return ()
    if form == "subtract" and unit == "percentage" and wanted in _RATIOS | {"percentage point": 1.0}:
        # The difference of two percentages is in percentage points. Only tables call the difference "percent".
        return (1.0,) if wanted == "percentage point" or of[0].stated.cell else ()
    if form in ("percentage change", "divide"):
        return (_RATIOS[wanted],) if wanted in _RATIOS else ()
    return of[0].stated.scales if _conversion(unit, wanted) else ()


def _sign(number: Quantity) -> int:
    return -1 if number.high < 0 else MOVES.get(number.bound, 0)


def _goes_together(form: str, of: Sequence[Stated]) -> bool:
    """Return whether the calculation `form`, such as "sum", may combine the given quantities. A sum must not mix table
    cells with numbers in texts, or cells in columns for years with cells in a column such as "Change"."""
    cells, years = [one.cell for one in of if one.cell], [min(one.years) for one in of if len(one.years) == 1]
    if form in CHANGES and ((len(years) == 2 and years[0] < years[1]) or [one.led for one in of] == ["from", "to"]):
        return False
    if not cells or form not in ("subtract", *_OF_SEVERAL):
        return True
    in_row = len({cell.place[0] for cell in cells}) == 1
    mixed = len(cells) < len(of) and form in _OF_SEVERAL
    return not mixed and not (in_row and 0 < sum(bool(one.years) for one in of) < len(of))


def _shares(operands: Sequence[Operand]) -> Iterator[tuple[Operand, ...]]:
    """Yield the numbers to divide: (a, b) for a / b, and three cells of a column (a, b, c) for (a + b) / c."""
    columns = [(one.stated.cell.place[1], one) for one in operands if one.stated.cell][:_FEW]
    threes = ((a, b, c) for (x, a), (y, b), (z, c) in permutations(columns, 3) if x == y == z and a.value < b.value)
    return chain(permutations(operands, 2), threes)


def _summands(operands: Sequence[Operand]) -> Iterator[tuple[Operand, ...]]:
    """Yield the sets of numbers to add: all pairs, and the first n numbers of each table row, column and sentence."""
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


@lru_cache(maxsize=10_000)
def _conversion(unit: str, other: str) -> Any:
    if BARE in (unit, other) or (noun_of(unit) and noun_of(other)):
        return 1.0, 0.0
    return default_registry().conversion(unit, other)


@lru_cache(maxsize=10_000)
def noun_of(unit: str) -> str:
    """Return the noun that a unit counts ("people per year" -> "people"), or "" for any other unit."""
    noun = unit.partition(" per ")[0]
    return noun if unit != BARE and (is_count(unit) or default_registry().family(noun) == "person") else ""


def span_of(number: Quantity, written: str) -> tuple[float, float]:
    """Return the lowest and the highest absolute value that round to a written number: "12.5" -> (12.45, 12.55)."""
    low, high = sorted((abs(number.low), abs(number.high)))
    found, room = _DIGITS.search(written), _FARTHEST * high
    plain = found[0].replace(",", "") if found else ""
    if found and float(plain):
        half = 0.5 * high / float(plain)
        rough = number.bound == "~"
        zeros = min(len(plain) - len(plain.rstrip("0")), max(0, len(plain) - 2 + rough))
        room = half * 10.0 ** -len(found[1]) if found[1] else min(room * (1 + rough), half * 10.0**zeros)
    return low - room, high + room
