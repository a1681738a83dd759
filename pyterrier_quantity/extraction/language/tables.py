"""A language as its folder of tables says it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from pyterrier_quantity.english import in_order
from pyterrier_quantity.english.nouns import plural
from pyterrier_quantity.extraction.text import clean
from pyterrier_quantity.quantity import BOUNDS

from .forms import LETTER, Forms, Meaning, any_of
from .numerals import BEGINS, NumberWord, Numerals

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
    "cldr_months.tsv": ("English", "words"),
    "dates.tsv": ("pattern",),
    "stop_words.tsv": ("words",),
}
"""The tables of a language and their columns; a folder need not have all of them."""
SETTINGS: Final = frozenset(
    "decimal|groups|blanks|endings|and|added|point|over|parts of|linking|articles|particles|last digit".split("|")
)
_UNIT_TABLES: Final = ("units.tsv", "nouns.tsv", "cldr_units.tsv", "cldr_currencies.tsv")
_UNIT: Final = re.compile(r"(?:(?P<factor>\d+(?:\.\d+)?) (?=\D)(?P<small><10 )?)?(?P<name>\S.*)")
_NUMBER: Final = re.compile(r"(x|/|\+)?(-?\d+(?:\.\d+)?)(\?)?")
MONTHS: Final = {str(number): month.title() for number, month in enumerate(in_order("months")[:12], 1)}

_COMPOSED: Final = {unicodedata.normalize("NFD", chr(code)): chr(code) for code in range(0x0958, 0x0960)}
"""Letters of Hindi that have a dot below, as texts often write them and Unicode's composed form does not."""
_DOTTED: Final = re.compile("|".join(_COMPOSED))


class LanguageError(ValueError):
    """A language that is not there, or a bad row of its tables; the message names file and line, and the remedy."""


class Unit(NamedTuple):
    """What a form means: the canonical name, how many of it, whether so many of it below ten alone ("八折"), and how
    the notation words it.
    """

    name: str
    factor: str = "1"
    small: bool = False
    written: str = ""


class Row(NamedTuple):
    """One line of a table."""

    path: Path
    line: int
    cells: list[str]

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


def read_rows(folder: Path, *names: str) -> Iterator[Row]:
    """The rows of some tables, those of the first one first; a folder need not have them.

    Raises:
        LanguageError: naming file, line and remedy.
    """
    for path in (folder / name for name in names if (folder / name).exists()):
        columns = TABLES[path.name]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            row = Row(path, number, line.split("\t"))
            if not line.strip() or line.startswith("#"):
                continue
            if len(row.cells) != len(columns):
                named = ", ".join(columns)
                raise row.bad(f"{len(row.cells)} columns instead of {len(columns)} ({named}); put one tab between two")
            yield row


Frame = tuple[Forms[None], Forms[None]]
"""What stands before and behind the two ends of a range; either may be nothing."""


class Language:
    """The words of a language by what they do beside a number.

    units: what stands behind a number; before: what stands before it; around: its second part, with the first.
    bounds_before, bounds_behind: what each wording says; ranges: what stands around, by the word between.
    words: any other word that a reading knows, in English; known: an expression that finds them.
    parts: what adds decimals behind a unit, by the decimals.
    no_units: what stands behind a number and is no unit, though a unit may be its first letters.
    stop_words: what is never a unit's symbol; blanks: whether words are set apart; joined: whether nothing is.
    """

    def __init__(self, folder: Path) -> None:
        settings = _settings(folder)
        self.blanks, self.joined = settings["blanks"] == ["yes"], settings["blanks"] == ["no"]
        endings = rf"(?:'?{any_of(settings['endings'])})?" if settings["endings"] else ""
        self._ending = re.compile(rf"{endings}(?!{LETTER})")
        self.stop_words = frozenset(form for row in read_rows(folder, "stop_words.tsv") for form in row.forms(0))
        self._load_units(folder, settings["linking"])
        self._load_words(folder)
        before, after = _bounds(folder)
        self.bounds_before, self.bounds_behind = self._forms(before, settings["articles"]), self._forms(after)
        self.linking, self.particles = self._listed(settings["linking"]), self._listed(settings["particles"])
        self.ranges = self._read_ranges(folder)
        others = {*after, *self.ranges, *self.words, *settings["particles"], *settings["parts of"]}
        others.update(form for frames in self.ranges.values() for _, behind in frames for form in behind.meanings)
        self.no_units = self._listed(others)
        numbers = _numbers(folder)
        self.parts = self._forms(_parts(numbers, settings))
        beside = frozenset() if self.blanks else frozenset({*self.units.meanings, *others})
        self.numerals = Numerals(numbers, settings, self._ending.pattern, frozenset(self.before.meanings), beside)

    def _forms(self, meanings: Mapping[str, Meaning], skipped: Sequence[str] = ()) -> Forms[Meaning]:
        return Forms(meanings, self._ending.pattern if self.blanks else None, skipped)

    def _listed(self, forms: Iterable[str]) -> Forms[None]:
        return self._forms(dict.fromkeys(forms))

    def _load_units(self, folder: Path, linking: Sequence[str]) -> None:
        units: dict[str, Unit] = {}
        before: dict[str, Unit] = {}
        around: dict[str, dict[str, Unit]] = {}
        for row in read_rows(folder, *_UNIT_TABLES):
            shape = _UNIT.fullmatch(row.cells[0])
            if shape is None:
                raise row.bad(f"{row.cells[0]!r} is no unit; write its name, or how many of it: 10 percentage")
            name = shape["name"]
            written = plural(name) if row.path.name == "nouns.tsv" else name
            unit = Unit(name, shape["factor"] or "1", bool(shape["small"]), written)
            for form in row.forms():
                first, number, last = (part.strip() for part in form.partition("{0}"))
                if number:
                    (around.setdefault(last, {}) if last else before).setdefault(first, unit)
                elif form not in self.stop_words:
                    units.setdefault(form, unit)
                    if self.blanks and row.path.name == "cldr_currencies.tsv":
                        before.setdefault(form, unit)
        self.units, self.before = self._forms(units, linking), self._forms(before)
        self.around = self._forms({last: self._forms(firsts) for last, firsts in around.items()})

    def _load_words(self, folder: Path) -> None:
        tables = read_rows(folder, "cldr_months.tsv", "words.tsv")
        self.words = {form: row.cells[0] for row in tables for form in row.forms()}
        self.minus, self.per = (
            self._listed(form for form, word in self.words.items() if word == name) for name in ("minus", "per")
        )
        self._months = {form: word for form, word in self.words.items() if word in MONTHS.values()}
        dates = [_date(row, self._months, place) for place, row in enumerate(read_rows(folder, "dates.tsv"))]
        self.dates = re.compile(rf"(?<!\d)(?:{'|'.join(dates)})(?!\d)" if dates else "(?!)")
        for form in self.stop_words & self.per.meanings.keys():
            del self.words[form]
        known = any_of(form for form in self.words if form[:1].isalpha())  # "3/5" stays
        self.known = re.compile(rf"{BEGINS}{known}(?!{LETTER})" if self.blanks else known)

    def _read_ranges(self, folder: Path) -> dict[str, list[Frame]]:
        found: dict[str, list[Frame]] = {}
        for row in read_rows(folder, "ranges.tsv"):
            if not row.forms(1):
                raise row.bad("nothing stands between the two numbers; give the word or the mark")
            for between in row.forms(1):
                found.setdefault(between, []).append((self._listed(row.forms(0)), self._listed(row.forms(2))))
        for frames in found.values():
            frames.sort(key=lambda frame: -sum(bool(forms.meanings) for forms in frame))
        return found

    def word_end(self, lower: str, at: int) -> int:
        """Where a word ends, with its ending."""
        found = self._ending.match(lower, at) if self.blanks else None
        return found.end() if found else at

    def date(self, found: re.Match[str]) -> str:
        """A date as the notation writes it, from what `dates` found."""
        parts = {name.rstrip("0123456789"): value for name, value in found.groupdict().items() if value}
        name = parts.get("name") or MONTHS.get(parts.get("month", "").lstrip("0"), "")
        name = self._months.get(name, name)
        return " ".join(part for part in (parts.get("day"), name, parts.get("year")) if part)


def _settings(folder: Path) -> dict[str, Sequence[str]]:
    defaults = {"decimal": ["."], "groups": [","], "blanks": ["yes"]}
    found: dict[str, Sequence[str]] = {**dict.fromkeys(SETTINGS, ()), **defaults}
    for row in read_rows(folder, "settings.tsv"):
        if row.cells[0] not in SETTINGS:
            raise row.bad(f"unknown setting {row.cells[0]!r}; there are: {', '.join(sorted(SETTINGS))}")
        found[row.cells[0]] = row.forms()
    return found


def _numbers(folder: Path) -> dict[str, NumberWord]:
    """The number words; what is a unit, too, is no denominator ("centesimi"), and multiplies no digits ("50 cents",
    "3 quartos").
    """
    units, nouns = (
        {form for row in read_rows(folder, name) for form in row.forms()} for name in ("units.tsv", "nouns.tsv")
    )
    found: dict[str, NumberWord] = {}
    for row in read_rows(folder, "numbers.tsv", "spelled_numbers.tsv"):
        shape = _NUMBER.fullmatch(row.cells[0])
        if shape is None:
            raise row.bad(
                f"{row.cells[0]!r} is no number; write 25, 0.5, x1000 (times), /4 (quarters) or 1? (or an article)"
            )
        kind, value, article = shape.groups(default="")
        for form in row.forms():
            if kind != "/" or form not in units:
                doubtful = bool(article) or (kind == "x" and form in units) or (kind != "" and form in nouns)
                found.setdefault(form, NumberWord(kind, value, doubtful))
    return found


def _parts(numbers: Mapping[str, NumberWord], settings: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """What adds to the number before a unit, by the decimals: "et demi", "och en halv", "半", "八米五"."""
    halves = [form for form, word in numbers.items() if word.value == "0.5" and not word.kind]
    halves += [f"{one} {half}" for one, word in numbers.items() if word.value == "1" for half in halves]
    if settings["blanks"] == ["yes"]:
        return {f"{word} {half}": "5" for word in settings["and"] for half in halves}
    digits = {form: word.value for form, word in numbers.items() if not word.kind and len(word.value) == 1}
    return dict.fromkeys(halves, "5") | (digits if settings["last digit"] else {})


def _bounds(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """What each wording before and after a number says; "*" stands for one word in one that comes before."""
    found: dict[str, dict[str, str]] = {"before": {}, "after": {}}
    for row in read_rows(folder, "bounds.tsv"):
        bound, side = row.cells[:2]
        if bound not in BOUNDS or side not in found:
            raise row.bad(f"{bound!r} {side!r}: the bound is one of {' '.join(BOUNDS)}, the side before or after")
        found[side] |= dict.fromkeys(row.forms(2), bound)
    return found["before"], found["after"]


def _date(row: Row, months: Iterable[str], place: int) -> str:
    """What finds the dates of a row; its parts are called by their names and the row's place."""
    shapes = {"day": r"\d{1,2}", "month": r"\d{1,2}", "year": r"\d{4}", "name": any_of(months)}
    pattern = re.escape(row.forms(0)[0]).replace(r"\ ", " ?")
    for part, shape in shapes.items():
        pattern = pattern.replace(rf"\{{{part}\}}", f"(?P<{part}{place}>{shape})")
    if r"\{" in pattern:
        raise row.bad(f"{row.cells[0]!r}: a date has the parts {{day}}, {{month}}, {{name}} and {{year}}")
    return pattern


@lru_cache(maxsize=1)
def codes() -> list[str]:
    """The languages that are there, English first."""
    return ["en", *sorted(path.name for path in HOME.iterdir() if (path / "settings.tsv").exists())]


def code_of(name: str) -> str:
    """A language's code without its region: "de" of "de-AT" and "de_CH"; a path stays."""
    return name if set(name) & set("/\\") else re.split("[-_]", name.lower())[0]


@lru_cache(maxsize=32)
def language(code: str) -> Language:
    """The language of a code, or of a folder of one's own tables.

    Raises:
        LanguageError: if there is none, naming those that are there; or naming file and line of a bad row.
    """
    folder = Path(code) if set(code) & set("/\\") else HOME / code
    if not (folder / "settings.tsv").exists():
        raise LanguageError(
            f"unknown language {code!r}; there are: {', '.join(codes())}, and any folder of tables, by its path"
        )
    return Language(folder)
