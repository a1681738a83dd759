"""What evidence states: each quantity with its sentence, the words that it goes with, and its years."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

import pandas as pd

from pyterrier_quantity.english import listed, one_of
from pyterrier_quantity.english.stems import WORD, sentences
from pyterrier_quantity.extraction import DATE_UNIT, RuleExtractor
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.tables.facts import Cell, facts
from pyterrier_quantity.tables.questions import content, periods
from pyterrier_quantity.tables.table import Table
from pyterrier_quantity.units import default_registry

YEAR: Final = re.compile(r"(?<![\d.,$€£])(?:19|20)\d\d(?!\d|[.,]\d)")
_YEAR_BEFORE: Final = re.compile(
    r"\b(?:prior|previous|preceding|last)(?: fiscal)? year|\byear (?:ago|earlier|before)\b", re.I
)
_NEW_YEAR: Final = re.compile(r"\bJan(?:uary|[.])? [1-7]\b")  # a year of weeks that ends so is the former one
_NONE: Final = re.compile(rf"\b[Nn]o (?!{one_of('words by which no is no number')}\b)[a-z]")
_PER: Final = re.compile(r"(.+?) per (?:(\d+) )?(.+)")


class Stated(NamedTuple):
    """A quantity and where it stands; the stems of its sentence, or of its row and column (`words`), and of
    its document (`wide`); its years; its cell, if it has one; whether it is of a table or of the text around one."""

    quantity: Quantity
    sentence: str
    docno: str
    words: frozenset[str]
    wide: frozenset[str]
    years: tuple[str, ...]
    of_report: bool
    name: frozenset[str] = frozenset()
    cell: Cell | None = None

    @property
    def is_total(self) -> bool:
        """Whether it stands in a row of totals, which often has no name."""
        return self.cell is not None and self.name <= {"total"}


def documents(evidence: Any) -> Iterator[Mapping[str, Any]]:
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
        yield from (document for one in evidence for document in documents(one))
    else:
        raise TypeError(f"check: evidence is a text, documents with 'text', a frame or a table, got {evidence!r:.60}")


def read_stated(read: Iterable[Mapping[str, Any]]) -> Iterator[Stated]:
    """All quantities of documents; those that bring `quantities` are not read again."""
    extractor = RuleExtractor(dates=True)
    for number, document in enumerate(read):
        text, ready, docno = document["text"], document.get("quantities"), str(document.get("docno", number))
        quantities = extractor.extract(text) if ready is None else list(ready)
        if cells := document.get("cells"):
            quantities = quantities or [
                Quantity(0.0, 0.0, cells[0].measure.unit or BARE) for _ in cells[:1] if cells[0].number == 0
            ]
            yield from (_of_cell(text, cells, quantity, docno) for quantity in quantities)
        else:
            yield from _of_text(text, quantities, docno, "report" in document)


def is_year(number: Quantity, written: str) -> bool:
    """Whether a number of an answer is a date, or a year, whatever unit stands before it."""
    return number.unit == DATE_UNIT or (
        bool(YEAR.search(written)) and (number.unit in (BARE, "year") or written.isdecimal())
    )


def is_foreign(text: str) -> bool:
    """Whether a text is in another language than English, by its letters and its small words."""
    words = [word for word in WORD.findall(text.lower()) if word.isalpha()]
    small, other = (sum(word in listed(f"small words of {kind}") for word in words) for kind in ("English", "others"))
    return 2 * sum(map(str.isascii, words)) < len(words) or other > 2 + 2 * small


def words_of(text: str) -> frozenset[str]:
    """The stems of a text's words, without its numbers."""
    return frozenset(word for word in content(text) if not word[0].isdigit())


def _of_cell(text: str, cells: list[Cell], quantity: Quantity, docno: str) -> Stated:
    cell = next((one for one in cells if one.value == text[quantity.start : quantity.end]), cells[0])
    row = f"{cell.section} {cell.row}"
    head = cell.column if periods(cell.column) else row
    years, name = tuple(filter(str.isdecimal, periods(head))), words_of(row)
    if _NEW_YEAR.search(head):
        years += tuple(str(int(year) - 1) for year in years)
    words = name | words_of(cell.column)
    return Stated(quantity, text, docno, words, words, years, True, name, cell)


def _of_text(text: str, quantities: list[Quantity], docno: str, of_report: bool) -> Iterator[Stated]:
    wide = words_of(text)
    for begin, end in sentences(text):
        numbers = [one for one in quantities if begin <= one.start < end and one.unit != DATE_UNIT]
        sentence, words = text[begin:end].strip(), words_of(text[begin:end])
        years = tuple(dict.fromkeys(YEAR.findall(sentence)))
        years += tuple(str(int(year) - 1) for year in years if _YEAR_BEFORE.search(sentence))
        if _NONE.search(sentence):
            yield Stated(Quantity(0.0, 0.0, BARE), sentence, docno, words, wide, years, of_report)
        for place, one in enumerate(numbers):
            own = years[place : place + 1] if len(numbers) == len(years) else years
            for each in (one, *_parts(one)):
                yield Stated(each, sentence, docno, words, wide, own, of_report)


def _parts(one: Quantity) -> Iterator[Quantity]:
    """What is also said by an amount per something: 2 grams, and 100 grams, by 2 grams per 100 grams."""
    if found := _PER.fullmatch(one.unit):
        if found[2] or is_money(one.unit):
            yield replace(one, unit=found[1])
        if found[2]:
            yield replace(one, low=float(found[2]), high=float(found[2]), unit=found[3])


def is_money(unit: str) -> bool:
    """Whether a unit is a currency, or a currency per something."""
    return (default_registry().family(unit) or "").startswith("currency")
