"""A language as its folder of tables says it."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from pyterrier_quantity._extras import need
from pyterrier_quantity.english import wordings
from pyterrier_quantity.extraction.grammar.bound_wordings import SYMBOLS
from pyterrier_quantity.extraction.grammar.numerals import VULGAR
from pyterrier_quantity.extraction.text import clean
from pyterrier_quantity.quantity import BOUNDS

HOME: Final = Path(__file__).parents[2] / "languages"
NO_NUMBER: Final = "no number"
"""The name in `words.tsv` of forms that contain a number word and are not a number: "einmal"."""
_COLUMNS: Final = {
    "bounds.tsv": "bound, side, wordings",
    "ranges.tsv": "before, between, behind",
    "dates.tsv": "pattern",
    "stop_words.tsv": "words",
    "orders.tsv": "adjective, nouns, forms",
}
"""The columns of the tables that have others than a meaning and its forms."""
_ROLES: Final = ("and", "added", "point", "over", "parts of", "linking", "articles", "particles")
_AROUND: Final = ("negation", "negation behind", "another time", "below zero")
"""Words around a quantity: they turn its bound round, make a past time of a rate, or its value negative."""
_SETTINGS: Final = ("decimal", "groups", "blanks", "endings", "last digit", "shares", *_AROUND, *_ROLES)
_BLANKS: Final = ("yes", "no", "before")
_SIDES: Final = ("before", "before %", "before year", "after", "after year")
"""On which side of a number a wording says something, for shares or years alone if they are named."""
_SIGNS: Final = {form: bound for form, bound in SYMBOLS.items() if re.fullmatch("[<>=≤≥⩾⩽≧≦~][<>= ]*", form)}
"""Signs of a bound, which are the same in all languages."""
SURE: Final = 0.7
"""The least share of one language in the likelihood of all languages with tables."""
_KNOWN: Final = 0.2
"""The least likelihood that the text is in one of them at all."""
_ONCE: Final = ("0", "day", "month", "year", "name")
_TWICE: Final = re.compile(rf"(\{{(?:{'|'.join(_ONCE)})\}})[^|]*\1")
_LONGEST: Final = 100  # characters of a form; the longest of the package's has 44
_UNIT: Final = re.compile(r"(?:(?P<factor>-?\d+(?:\.\d+)?) (?=\D)(?P<small><10 )?)?(?P<name>\S.*)")
_NUMBER: Final = re.compile(r"(x|/|\+)?(-?\d+(?:\.\d+)?)(\?{0,2})")
_COMPOSED: Final = {unicodedata.normalize("NFD", chr(code)): chr(code) for code in range(0x0958, 0x0960)}
"""Letters of Hindi that have a dot below, as texts often write them and Unicode's composed form does not."""
_DOTTED: Final = re.compile("|".join(_COMPOSED))


class LanguageError(ValueError):
    """A language that is not there, or a bad row of its tables; the message names file and line, and the remedy."""


class NumberWord(NamedTuple):
    """The meaning of a number word, and how doubtful it is.

    kind: "" is a number, "x" a factor, "/" a divisor, "+" an amount added to the number after it, or "digits".
    doubtful: 1 for a word that may be an article, 2 for a syllable of many words.
    """

    kind: str
    value: str
    doubtful: int = 0


class Unit(NamedTuple):
    """The meaning of a form: the canonical name, how many of it, and whether only below ten, as in "八折"."""

    name: str
    factor: str
    small: bool


@dataclass(slots=True)
class Word:
    """The meanings of a form.

    number, unit: its meaning as a number and as a unit.
    signs: units that it begins before a number, by the form that closes them after it.
    bounds: what it says about a number, by the side of `bounds.tsv`, see `_SIDES`.
    gaps: the bound that it sets before a number with any one word and some others after it ("plus * que"), by those.
    name: what it is called in `words.tsv`. roles: the lists of `settings.tsv` that have it, and what it does for a
    range or a frame: "opens", "closes", "frames".
    """

    number: NumberWord | None = None
    unit: Unit | None = None
    signs: dict[str, Unit] = field(default_factory=dict)
    bounds: dict[str, str] = field(default_factory=dict)
    gaps: dict[str, str] = field(default_factory=dict)
    name: str = ""
    roles: set[str] = field(default_factory=set)


class Row(NamedTuple):
    """One line of a table."""

    path: Path
    line: int
    cells: list[str]

    def bad(self, why: str) -> LanguageError:
        return LanguageError(f"{self.path}, line {self.line}: {why}")

    def checked(self, columns: str) -> Row:
        """The row; LanguageError says what is wrong with its cells."""
        wanted, last = columns.count(",") + 1, self.cells[-1]
        if len(self.cells) != wanted:
            raise self.bad(f"{len(self.cells)} columns instead of {wanted} ({columns}); put one tab between two")
        if not last.strip("| ") and columns != _COLUMNS["ranges.tsv"]:
            raise self.bad(f"nothing stands in the column {columns.rpartition(', ')[2]}; fill it, or delete the row")
        if part := _TWICE.search(last):
            raise self.bad(f"{part[1]} stands twice in {part[0]!r}; write it once")
        if longer := next((form for cell in self.cells for form in cell.split("|") if len(form) > _LONGEST), ""):
            raise self.bad(f"{longer[:20]!r}... has {len(longer)} characters; {_LONGEST} are allowed")
        return self

    def forms(self, column: int = 1) -> list[str]:
        """The forms of a cell, in plain small letters."""
        return [spelling for form in self.cells[column].split("|") if form.strip() for spelling in _spellings(form)]


def _spellings(form: str) -> list[str]:
    """A form as texts are cleaned: with its signs composed, apart, and, if it is long, left out as in hasty typing."""
    if form.isascii():
        return [form.lower()]
    apart = unicodedata.normalize("NFD", form)
    forms = [unicodedata.normalize("NFC", form), apart, _DOTTED.sub(lambda pair: _COMPOSED[pair.group()], apart)]
    forms.append(unicodedata.normalize("NFC", apart.replace("\u093c", "")))
    bare = re.sub("[\u0300-\u036f]", "", apart)
    if len(bare) > 3 and bare.isascii():
        forms.append(bare)
    return list(dict.fromkeys(clean(kind)[1] for kind in forms))


class Language:
    """The words of a language by their role next to a number.

    lexicon: every form with what it may be; closers: the same for those that only count right after a quantity.
    settings: the lists of `settings.tsv`.
    blanks: "yes" where words are set apart, "no" where they are not, "before" where they only begin after a blank.
    single_digits: letters that are digits.
    months: their places in the year. each: words for "per" that are not articles.
    no_symbols: forms that are never a unit's symbol.
    ranges: what may stand before the first number and after the second, by the word between; the most first.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.lexicon: dict[str, Word] = defaultdict(Word)
        self.closers: dict[str, Word] = defaultdict(Word)
        self.settings = self._settings()
        [self.blanks] = self.settings["blanks"]
        self.stop_words = frozenset(form for row in self.rows("stop_words") for form in row.forms(0))
        self._load_units()
        self._load_numbers()
        months = wordings("months")[:12]
        words = [(row.cells[0], form) for row in self.rows("cldr_months", "words") for form in row.forms()]
        self.months = {form: months.index(meaning.lower()) + 1 for meaning, form in words if meaning.lower() in months}
        for meaning, form in [*words, ("per", "/")]:
            self.lexicon[form].roles.add(meaning)
            self.lexicon[form].name = "" if meaning == "per" and form in self.stop_words else meaning
        numbers = {form: word.number for form, word in self.lexicon.items() if word.number and len(form) == 1}
        self.single_digits = {form: one.value for form, one in numbers.items() if not one.kind and len(one.value) == 1}
        self._load_bounds()
        self.ranges = self._ranges()
        per = {form for form, word in self.lexicon.items() if word.roles & {"per", "articles"} == {"per"}}
        self.each = {form for form in per if len(form) > 1}
        named = {form for form, word in self.lexicon.items() if word.name}
        self.no_symbols = {*self.closers, *self.stop_words, *named}

    def without_stop_words(self, terms: str) -> str:
        """Search terms without the little words of the language at both ends; unchanged if nothing else is there."""
        blank = " " if self.blanks == "yes" else ""
        parts = terms.split() if blank else list(terms)
        kept = [place for place, part in enumerate(parts) if part.lower() not in self.stop_words]
        return blank.join(parts[kept[0] : kept[-1] + 1]) if kept else terms

    def rows(self, *names: str) -> Iterator[Row]:
        """The rows of some tables, those of the first one first; a folder need not have them."""
        for path in (self._folder / f"{name}.tsv" for name in names):
            columns = _COLUMNS.get(path.name, "meaning, forms")
            content = path.read_bytes() if path.exists() else b""
            try:
                lines = content.decode("utf-8-sig").splitlines()
            except UnicodeDecodeError as error:
                line = content.count(b"\n", 0, error.start) + 1
                raise Row(path, line, []).bad("it is not UTF-8; save the file in that encoding") from error
            for number, text in enumerate(lines, 1):
                if text.strip() and not text.startswith("#"):
                    yield Row(path, number, text.split("\t")).checked(columns)

    def _settings(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {name: [] for name in _SETTINGS}
        found |= {"decimal": ["."], "groups": [","], "blanks": ["yes"]}
        for row in self.rows("settings"):
            name = row.cells[0]
            if name not in found:
                raise row.bad(f"unknown setting {name!r}; there are: {', '.join(sorted(found))}")
            found[name] = row.forms()
            if name == "blanks" and (len(found[name]) != 1 or found[name][0] not in _BLANKS):
                raise row.bad(f"{row.cells[1]!r}: blanks are one of {', '.join(_BLANKS)}")
        for name in _ROLES:
            for form in found[name]:
                (self.closers if name == "particles" else self.lexicon)[form].roles.add(name)
        return found

    def _load_units(self) -> None:
        for row in self.rows("units", "nouns", "cldr_units", "cldr_currencies"):
            shape = _UNIT.fullmatch(row.cells[0])
            if shape is None:
                raise row.bad(f"{row.cells[0]!r} is no unit; write its name, or how many of it: 10 percentage")
            unit = Unit(shape["name"], shape["factor"] or "1", bool(shape["small"]))
            for form in row.forms():
                first, number, last = (part.strip() for part in form.partition("{0}"))
                if number and not first:
                    raise row.bad(f"{form!r}: nothing stands before {{0}}; write what follows a number without it")
                if number:
                    self.lexicon[first].signs.setdefault(last, unit)
                    self.lexicon[last or first].roles.add("unit")
                elif form not in self.stop_words:
                    self.lexicon[form].unit = self.lexicon[form].unit or unit
                    if self.blanks == "yes" and row.path.name == "cldr_currencies.tsv":
                        self.lexicon[form].signs.setdefault("", unit)

    def _load_numbers(self) -> None:
        """Add the number words. A word that is also a unit does not multiply digits ("50 cents"). One that is also a
        noun does not divide them ("3 quartos")."""
        units, nouns = ({form for row in self.rows(name) for form in row.forms()} for name in ("units", "nouns"))
        for sign, share in VULGAR.items():
            self.lexicon[sign].number = NumberWord("", f"{share:g}")
        for row in self.rows("numbers", "spelled_numbers"):
            shape = _NUMBER.fullmatch(row.cells[0])
            if shape is None or (shape[1] == "/" and not float(shape[2])):
                told = "write 25, 0.5, x1000 (times), /4 (quarters) or 1? (or an article)"
                raise row.bad(f"{row.cells[0]!r} is no number; {told}")
            kind, value, doubts = shape.groups(default="")
            for form in [*row.forms(), *(form.replace(" ", "-") for form in row.forms())]:
                word = self.lexicon[form]
                if word.number is None:
                    doubtful = (kind == "x" and form in units) or (kind != "" and form in nouns)
                    word.number = NumberWord(kind, value, len(doubts) or int(doubtful))

    def _load_bounds(self) -> None:
        for row in self.rows("bounds"):
            bound, side = row.cells[:2]
            opening = side.removeprefix("after ")
            if bound not in BOUNDS or (side not in _SIDES and opening == side):
                told = f"the side one of {', '.join(_SIDES)}, or 'after WORD' where WORD is before it"
                raise row.bad(f"{bound!r} {side!r}: the bound is one of {' '.join(BOUNDS)}, {told}")
            for form in row.forms(2):
                first, gap, rest = form.partition(" *")
                if gap:
                    self.lexicon[first].gaps[rest] = bound
                else:
                    (self.lexicon if side.startswith("before") else self.closers)[form].bounds[side] = bound
            if side not in _SIDES:
                self.lexicon[opening].roles.add("frames")
        for form, bound in _SIGNS.items():
            self.lexicon[form].bounds.setdefault("before", bound)

    def _ranges(self) -> dict[str, list[tuple[list[str], list[str]]]]:
        found: dict[str, list[tuple[list[str], list[str]]]] = defaultdict(list)
        for row in self.rows("ranges"):
            before, between, behind = (row.forms(column) for column in range(3))
            if not between:
                raise row.bad("nothing stands between the two numbers; give the word or the mark")
            for form in between:
                found[form].append((before, behind))
            for table, forms, role in (
                (self.lexicon, before, "opens"),
                (self.closers, between, "between"),
                (self.closers, behind, "closes"),
            ):
                for form in forms:
                    table[form].roles.add(role)
        return {between: sorted(frames, key=lambda frame: -sum(map(bool, frame))) for between, frames in found.items()}


def any_of(forms: Iterable[str]) -> str:
    """An expression that finds one of some forms, the longest that fits; what they begin with is tried once."""
    behind: dict[str, list[str]] = defaultdict(list)
    for form in forms:
        behind[form[:1]].append(form[1:])
    optional = "?" * (behind.pop("", None) is not None)
    ways = "|".join([re.escape(first) + any_of(rest) for first, rest in behind.items()])
    return f"(?:{ways}){optional}" if ways else "" if optional else "(?!)"


@lru_cache(maxsize=1)
def codes() -> list[str]:
    """The languages that are there, English first."""
    return ["en", *sorted(path.parent.name for path in HOME.glob("*/settings.tsv"))]


@lru_cache(maxsize=256)
def code_of(name: str) -> str:
    """A language's code without its region: "de" of "de-AT" and "de_CH"; a path stays."""
    return name if set(name) & set("/\\") else re.split("[-_]", name.lower())[0]


def code_in_data(name: object) -> str | None:
    """The code of the language that a document or a query names, None if it names none: then it is read as the others.

    Data name codes only ("de", "de-AT"), no folders. A warning names what is no code of a language that is there.
    """
    if not isinstance(name, str) or not name:
        return None
    if (code := code_of(name)) in codes():
        return code
    told = f"{name[:40]!r} is no language that can be read; there are: {', '.join(codes())}"
    warnings.warn(f"{told}. The text is read in the default language", stacklevel=3)
    return None


def folder_of(code: str) -> Path:
    """Where the tables of a language are, by its code or the path to a folder of one's own.

    Raises:
        LanguageError: if there are none, naming those that are there.
    """
    folder = Path(code) if set(code) & set("/\\") else HOME / code
    if not (folder / "settings.tsv").exists():
        raise LanguageError(
            f"unknown language {code!r}; there are: {', '.join(codes())}, and any folder of tables, by its path"
        )
    return folder


@lru_cache(maxsize=1)
def detector() -> Any:
    """The identifier of languages.

    Raises:
        ImportError: if py3langid is missing.
    """
    found = need("py3langid.langid", "languages")
    return found.LanguageIdentifier.from_model_file(found.MODEL_FILE, norm_probs=True)


def spoken(text: str) -> str:
    """The code of the language that a text is in.

    Args:
        text: any; short texts, and those with only names and numbers, are English.
    """
    known = {code: likely for code, likely in detector().rank(text) if code in codes()}
    code, total = max(known, key=lambda code: known[code]), sum(known.values())
    return code if total >= _KNOWN and known[code] >= SURE * total else "en"
