"""Dates, clock times, ordinals and web addresses, whose numbers are not quantities."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

from pyterrier_quantity.english.periods import years_of

from .scanner import LETTER
from .tables import Language, Row, any_of

_PARTS: Final = {"day": r"\d{1,2}", "month": r"\d{1,2}", "year": r"[12]\d{3}"}
"""The parts of a date."""
_PLACES: Final = {
    "hour": r"(?:2[0-4]|[01]?\d)(?:[.:][0-5]\d)?",
    "minute": r"[0-5]\d",
    "number": r"\d{1,4}",
    "code": r"\d{3,5}",
    "word": f"(?={LETTER})",
}
"""Other parts whose numbers are not quantities: clock times, ordinals, rooms; and a word that must follow."""
_DIALLED: Final = (
    r"(?=[+0])(?<![\da-z.,])(?:\+\d{1,3}[ -]?|(?=0\d))(?=(?:[ .-]?\d){7})\d{1,5}(?:[ .-]\d{2,8}){1,5}(?![\da-z])"
)
"""A telephone number."""
_ADDRESS: Final = "://[!-~]{1,300}"
"""Text after the scheme of an address on the web."""


class Date(NamedTuple):
    """A date in a text as a number of years, None for a clock time and the like; is_year: whether it is only a year."""

    start: int
    end: int
    value: float | None
    is_year: bool


class Dates:
    """Finds the dates of a text by the rows of `dates.tsv`."""

    def __init__(self, language: Language) -> None:
        self._months = language.months
        self._names = [name for name in self._months if re.fullmatch(f"{LETTER}+", name)]
        rows = [self._shape(row, language, place) for place, row in enumerate(language.rows("dates"))]
        singles = language.single_digits if language.blanks == "no" else {}
        self._digits, self._years = str.maketrans(singles), re.compile(f"{any_of(singles)}{{4}}")  # "二〇二四"
        begins, ends = r"(?<!\d)", ""
        if language.blanks == "yes":
            begins, ends = r"\b", rf"(?:(?<!{LETTER})|(?:'?{any_of(language.settings['endings'])})?(?!{LETTER}))"
        starts = "".join({row.forms(0)[0][0] for row in language.rows("dates")} | {name[0] for name in self._months})
        begins = rf"(?=[\d{re.escape(starts)}]){begins}(?<!\d[.,])"
        self._found = re.compile(rf"{begins}(?:{'|'.join(rows) or '(?!)'})(?!\d){ends}|{_DIALLED}|{_ADDRESS}")

    def find(self, lower: str) -> Iterator[Date]:
        """Each date of a text, and each clock time, place in an order and the like."""
        if self._digits:
            lower = self._years.sub(lambda found: found.group().translate(self._digits), lower)
        for found in self._found.finditer(lower):
            parts = {name.rstrip("0123456789"): value for name, value in found.groupdict().items() if value}
            month = int(parts.get("month", 0)) or self._months.get(parts.get("name", ""), 0)
            try:
                value = years_of(date(int(parts.get("year", 0)), month or 1, int(parts.get("day", 1))))
            except ValueError:  # no year, or no such day
                value = None
            yield Date(*found.span(), value, not month)

    def _shape(self, row: Row, language: Language, place: int) -> str:
        """What finds what a row describes; the parts of a date are called by their names and the row's place."""
        form = row.forms(0)[0]
        shape = re.escape(form).replace(r"\ ", " ?")
        for part, found in (_PARTS | {"name": any_of(self._names)}).items():
            shape = shape.replace(rf"\{{{part}\}}", f"(?P<{part}{place}>{found})")
        for part, found in _PLACES.items():
            shape = shape.replace(rf"\{{{part}\}}", found)
        if r"\{" in shape:
            parts = ", ".join(f"{{{part}}}" for part in (*_PARTS, "name", *_PLACES))
            raise row.bad(f"{row.cells[0]!r}: a date has the parts {parts}")
        last = form.rpartition("}")[2]
        units = (form for form, word in language.lexicon.items() if word.unit)
        longer = [unit[len(last) :] for unit in units if last and unit.startswith(last) and unit != last]
        return f"{shape}(?!{any_of(longer)})"
