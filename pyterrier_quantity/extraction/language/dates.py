"""Find dates, clock times, ordinals and web addresses in any language. The numbers in them are not quantities."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

from pyterrier_quantity.english.periods import years_of
from pyterrier_quantity.extraction.grammar.tokens import any_of

from .scanner import LETTER
from .tables import Language, Row

_PARTS: Final = {"day": r"\d{1,2}", "month": r"\d{1,2}", "year": r"[12]\d{3}"}
_PLACES: Final = {  # the parts of the patterns in `dates.tsv`
    "hour": r"(?:2[0-4]|[01]?\d)(?:[.:][0-5]\d)?",
    "minute": r"[0-5]\d",
    "number": r"\d{1,4}",
    "code": r"\d{3,5}",
    "word": f"(?={LETTER})",
}
_ISO: Final = r"(?P<year999>[12]\d{3})-(?P<month999>0[1-9]|1[0-2])-(?P<day999>[0-3]\d)"  # "2019-05-03"
_DIALLED: Final = (
    r"(?=[+0])(?<![\da-z.,])(?:\+\d{1,3}[ -]?|(?=0\d))(?=(?:[ .-]?\d){7})\d{1,5}(?:[ .-]\d{2,8}){1,5}(?![\da-z])"
)
_ADDRESS: Final = "://[!-~]{1,300}"  # rest of a web address after "https" or "http"


class Date(NamedTuple):
    """A date, or other digits that are not a quantity, such as a clock time. `value` is the date as a decimal year
    (2019.34), or None for other digits. `is_year` is true for a year without a month."""

    start: int
    end: int
    value: float | None
    is_year: bool


class Dates:
    """Find dates such as "3. Mai 2019" and clock times in a text, with the patterns in a language's `dates.tsv`."""

    def __init__(self, language: Language) -> None:
        self._months = language.months
        self._names = [name for name in self._months if re.fullmatch(f"{LETTER}+[.॰]?", name)]
        rows = [self._shape(row, language, place) for place, row in enumerate(language.rows("dates"))]
        singles = language.single_digits if language.blanks == "no" else {}
        self._digits, self._years = str.maketrans(singles), re.compile(f"{any_of(singles)}{{4}}")  # "二〇二四"
        begins, ends = r"(?<!\d)", ""
        if language.blanks == "yes":
            begins, ends = r"\b", rf"(?:(?<!{LETTER})|(?:'?{any_of(language.settings['endings'])})?(?!{LETTER}))"
        starts = "".join({row.forms(0)[0][0] for row in language.rows("dates")} | {name[0] for name in self._months})
        found = rf"{begins}(?<!\d[.,])(?:{'|'.join([_ISO, *rows])})(?!\d){ends}|{_DIALLED}|{_ADDRESS}"
        self._found = re.compile(rf"(?=[\d+:{re.escape(starts)}])(?:{found})")

    def find(self, lower: str) -> Iterator[Date]:
        """Yield a `Date` for each date, and a `Date` without a value for each clock time, ordinal or web address."""
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
        """Convert row number `place` of `dates.tsv` to a regular expression. Group names end in `place`: "day3"."""
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
