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
from pyterrier_quantity.tables.questions import content, read_question
from pyterrier_quantity.tables.table import Table

YEAR: Final = re.compile(r"(?<![\d.,$€£])(?:19|20)\d\d(?!\d|[.,]\d)")
_NONE: Final = re.compile(rf"\b[Nn]o (?!{one_of('words by which no is no number')}\b)[a-z]")
_APART: Final = re.compile(r"[,;:] |\b(?:and|but|while|whereas|or|versus)\b")


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
            yield from (_of_cell(text, cells, quantity, docno) for quantity in quantities)
        else:
            yield from _of_text(text, quantities, docno, "report" in document)


def is_foreign(text: str) -> bool:
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
