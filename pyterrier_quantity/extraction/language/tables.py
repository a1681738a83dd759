"""A language as its folder of tables says it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from pyterrier_quantity.extraction.text import clean
from pyterrier_quantity.quantity import BOUNDS

from .numerals import LETTER, NumberWord, Numerals

HOME: Final = Path(__file__).parents[2] / "languages"
TABLES: Final = {
    "settings.tsv": ("setting", "value"),
    "numbers.tsv": ("number", "words"),
    "spelled_numbers.tsv": ("number", "words"),
    "units.tsv": ("unit", "forms"),
    "nouns.tsv": ("noun", "forms"),
    "cldr_units.tsv": ("unit", "forms"),
    "cldr_currencies.tsv": ("unit", "forms"),
    "bounds.tsv": ("bound", "side", "wordings"),
    "ranges.tsv": ("before", "between", "behind"),
    "words.tsv": ("English", "words"),
    "cldr_months.tsv": ("month", "names"),
    "dates.tsv": ("pattern",),
    "stop_words.tsv": ("words",),
}
"""The tables of a language and their columns; a folder need not have all of them."""
SETTINGS: Final = (
    "decimal",
    "groups",
    "blanks",
    "endings",
    "and",
    "point",
    "over",
    "parts of",
    "linking",
    "last digit",
    "added",
    "particles",
    "articles",
)
_UNIT: Final = re.compile(r"(?:(?P<factor>\d+(?:\.\d+)?) (?=\D))?(?P<name>\S.*)")
_NUMBER: Final = re.compile(r"(x|/)?(\d+(?:\.\d+)?)(\?)?")
MONTHS: Final = "January February March April May June July August September October November December".split()
_DATE_PARTS: Final = {"{day}": r"(?P<day>\d{1,2})", "{year}": r"(?P<year>\d{4})"}

_COMPOSED: Final = {unicodedata.normalize("NFD", chr(code)): chr(code) for code in range(0x0958, 0x0960)}
"""Letters of Hindi that have a dot below, as texts often write them and Unicode's composed form does not."""
_DOTTED: Final = re.compile("|".join(_COMPOSED))


class LanguageError(ValueError):
    """A language that is not there, or a bad row of its tables; the message names file and line, and the remedy."""


class Unit(NamedTuple):
    """What a form means: the canonical name, and how many of it."""

    name: str
    factor: str = "1"


class Row:
    """One line of a table."""

    def __init__(self, path: Path, line: int, cells: list[str]) -> None:
        self.path, self.line, self.cells = path, line, cells

    def bad(self, why: str) -> LanguageError:
        return LanguageError(f"{self.path}, line {self.line}: {why}")

    def forms(self, column: int = 1) -> list[str]:
        """The forms of a cell, in plain small letters."""
        found = [form for form in self.cells[column].split("|") if form.strip()]
        return [spelling for form in found for spelling in spellings(form)]


def spellings(form: str) -> list[str]:
    """A form as texts are cleaned: with its signs composed, apart, and, if it is long, left out as in hasty typing."""
    apart = unicodedata.normalize("NFD", form)
    forms = [unicodedata.normalize("NFC", form), apart, _DOTTED.sub(lambda pair: _COMPOSED[pair.group()], apart)]
    forms.append(unicodedata.normalize("NFC", apart.replace("\u093c", "")))
    bare = re.sub("[\u0300-\u036f]", "", apart)
    if len(bare) > 3 and bare.isascii():
        forms.append(bare)
    return list(dict.fromkeys(clean(kind)[1] for kind in forms))


def read_rows(folder: Path, name: str) -> Iterator[Row]:
    """The rows of one table; none if the folder lacks it.

    Raises:
        LanguageError: naming file, line and remedy.
    """
    path, columns = folder / name, TABLES[name]
    if not path.exists():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        row = Row(path, number, line.split("\t"))
        if len(row.cells) != len(columns):
            named = ", ".join(columns)
            raise row.bad(f"{len(row.cells)} columns instead of {len(columns)} ({named}); put one tab between two")
        yield row


class Language:
    """The words of a language by what they do beside a number.

    units: what stands behind a number; before: what stands before it, as "yüzde" does; around: both sides.
    bounds: wordings on each side, by "before" and "after"; ranges: (before, behind) by the word between.
    words: any other word that a reading knows, in English; stop_words: what is never a unit's symbol.
    blanks: whether words are set apart; endings: what may follow a word; linking: what may precede a unit.
    """

    def __init__(self, folder: Path) -> None:
        self.code = folder.name
        settings = _settings(folder)
        self.blanks = settings.get("blanks", ["yes"]) == ["yes"]
        self.linking, self.particles, self.articles = (
            frozenset(settings.get(name, ())) for name in ("linking", "particles", "articles")
        )
        ending = "|".join(sorted(map(re.escape, settings.get("endings", [])), key=len, reverse=True))
        self.ending = re.compile(rf"(?:'?(?:{ending}))?(?!{LETTER})" if ending else rf"(?!{LETTER})")
        self.stop_words = frozenset(
            spelling
            for row in read_rows(folder, "stop_words.tsv")
            for word in row.cells[0].split()
            for spelling in spellings(word)
        )
        self.units: dict[str, Unit] = {}
        self.before: dict[str, Unit] = {}
        self.around: dict[str, dict[str, Unit]] = {}
        for name in ("units.tsv", "nouns.tsv", "cldr_units.tsv", "cldr_currencies.tsv"):
            for row in read_rows(folder, name):
                self._add_unit(row)
        self.bounds = _bounds(folder)
        self.patterns = {side: _patterns(wordings, side) for side, wordings in self.bounds.items()}
        self.ranges = _ranges(folder)
        self.words = {form: row.cells[0] for row in read_rows(folder, "words.tsv") for form in row.forms()}
        months = _months(folder)
        self.dates = [_date(row, months) for row in read_rows(folder, "dates.tsv")]
        self.months = months
        self.words = {form: MONTHS[month - 1] for form, month in months.items()} | self.words
        self.minus, self.per = (
            frozenset(form for form, word in self.words.items() if word == name) for name in ("minus", "per")
        )
        self.words = {form: word for form, word in self.words.items() if word != "per" or form not in self.stop_words}
        known = "|".join(sorted(map(re.escape, self.words), key=len, reverse=True)) or "(?!)"
        single = rf"(?<!{LETTER})(?:{known})(?!{LETTER})|{LETTER}+"
        self.word = re.compile(single if self.blanks else rf"{known}|(?:(?!{known}){LETTER})+")
        between = {form for middle, frames in self.ranges.items() for frame in frames for form in (middle, *frame)}
        self.no_units = {*self.bounds["after"], *between, *self.words, *self.particles, *settings.get("parts of", ())}
        """What stands behind a number and is no unit, though a unit may be its first letters."""
        numbers = _numbers(folder)
        units = {form for row in read_rows(folder, "units.tsv") for form in row.forms()}
        numbers = {form: word for form, word in numbers.items() if word.kind != "/" or form not in units}
        goes_on = {*self.units, *self.no_units} if not self.blanks else set()
        self.numerals = Numerals(numbers, settings, self.ending.pattern, frozenset(self.before), frozenset(goes_on))

    def _add_unit(self, row: Row) -> None:
        shape = _UNIT.fullmatch(row.cells[0])
        if shape is None:
            raise row.bad(f"{row.cells[0]!r} is no unit; write its name, or how many of it and its name: 10 percentage")
        unit = Unit(shape["name"], shape["factor"] or "1")
        for form in row.forms():
            before, number, behind = (part.strip() for part in form.partition("{0}"))
            if not number and form not in self.stop_words:
                self.units.setdefault(form, unit)
            elif number and behind:
                self.around.setdefault(behind, {}).setdefault(before, unit)
            elif number:
                self.before.setdefault(before, unit)


def _settings(folder: Path) -> dict[str, list[str]]:
    found = {}
    for row in read_rows(folder, "settings.tsv"):
        if row.cells[0] not in SETTINGS:
            raise row.bad(f"unknown setting {row.cells[0]!r}; there are: {', '.join(SETTINGS)}")
        found[row.cells[0]] = row.forms()
    if not found:
        raise LanguageError(f"{folder / 'settings.tsv'}: missing or empty; say at least what the decimal mark is")
    return found


def _numbers(folder: Path) -> dict[str, NumberWord]:
    found: dict[str, NumberWord] = {}
    for name in ("numbers.tsv", "spelled_numbers.tsv"):
        for row in read_rows(folder, name):
            kind = _NUMBER.fullmatch(row.cells[0])
            if kind is None:
                raise row.bad(
                    f"{row.cells[0]!r} is no number; write 25, 0.5, x1000 (times), /4 (quarters) or 1? (or an article)"
                )
            for form in row.forms():
                found.setdefault(form, NumberWord(kind[1] or "", kind[2], kind[3] is not None))
    return found


def _bounds(folder: Path) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {"before": {}, "after": {}}
    for row in read_rows(folder, "bounds.tsv"):
        bound, side = row.cells[:2]
        if bound not in BOUNDS or side not in found:
            raise row.bad(f"{bound!r} {side!r}: the bound is one of {' '.join(BOUNDS)}, the side before or after")
        found[side] |= dict.fromkeys(row.forms(2), bound)
    return found


def _patterns(wordings: dict[str, str], side: str) -> tuple[re.Pattern[str], list[str]] | None:
    """The wordings that have a gap for a word ("plus * que"), as one expression, and what each of its groups says."""
    gapped = [wording for wording in wordings if "*" in wording]
    if not gapped:
        return None
    any_word = rf"{LETTER}{{1,14}}"
    shapes = [re.escape(wording).replace(r"\*", any_word) for wording in gapped]
    alternatives = "|".join(f"({shape})" for shape in shapes)
    expression = rf"(?<!{LETTER})(?:{alternatives})\Z" if side == "before" else rf"(?:{alternatives})"
    return re.compile(expression), [wordings.pop(wording) for wording in gapped]


def _ranges(folder: Path) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for row in read_rows(folder, "ranges.tsv"):
        if not row.cells[1].strip():
            raise row.bad("nothing stands between the two numbers; give the word or the mark")
        for between in row.forms(1):
            frames = [(before, behind) for before in row.forms(0) or [""] for behind in row.forms(2) or [""]]
            found.setdefault(between, []).extend(frames)
    return {between: sorted(frames, key=lambda frame: -len("".join(frame))) for between, frames in found.items()}


def _months(folder: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in read_rows(folder, "cldr_months.tsv"):
        if row.cells[0] not in map(str, range(1, 13)):
            raise row.bad(f"{row.cells[0]!r} is no month; write 1 to 12")
        found |= dict.fromkeys(row.forms(), int(row.cells[0]))
    return found


def _date(row: Row, months: dict[str, int]) -> re.Pattern[str]:
    named = "|".join(sorted(map(re.escape, months), key=len, reverse=True))
    parts = _DATE_PARTS | {"{month}": r"(?P<month>\d{1,2})", "{name}": rf"(?P<name>{named})"}
    pattern = re.escape(row.forms(0)[0]).replace(r"\ ", " ?")
    for part, expression in parts.items():
        pattern = pattern.replace(re.escape(part), expression)
    if "{" in pattern.replace("{1,2}", "").replace("{4}", ""):
        raise row.bad(f"{row.cells[0]!r}: a date has the parts {{day}}, {{month}}, {{name}} and {{year}}")
    return re.compile(rf"(?<!\d){pattern}(?!\d)")


def codes(home: Path = HOME) -> list[str]:
    """The languages that are there, English first."""
    return ["en", *sorted(path.name for path in home.iterdir() if (path / "settings.tsv").exists())]


@lru_cache(maxsize=32)
def language(code: str) -> Language:
    """The language of a code, or of a folder of one's own tables.

    Raises:
        LanguageError: if there is none, naming those that are there; or naming file and line of a bad row.
    """
    folder = Path(code) if "/" in code or "\\" in code else HOME / code
    if not (folder / "settings.tsv").exists():
        raise LanguageError(
            f"unknown language {code!r}; there are: {', '.join(codes())}, and any folder of tables, by its path"
        )
    return Language(folder)
