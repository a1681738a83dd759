"""Load the tables of a language. A row has a meaning ("2") and the words or phrases (forms) for it ("zwei|zwo")."""

import re
import unicodedata
import warnings
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from pyterrier_quantity._extras import need
from pyterrier_quantity.english import wordings
from pyterrier_quantity.extraction.grammar.bound_wordings import SYMBOLS
from pyterrier_quantity.extraction.grammar.numerals import VULGAR
from pyterrier_quantity.extraction.grammar.tokens import NumberWord, Unit, Word
from pyterrier_quantity.extraction.text import clean
from pyterrier_quantity.quantity import BOUNDS

HOME: Final = Path(__file__).parents[2] / "languages"
NO_NUMBER: Final = "no number"
"""The meaning, in `words.tsv`, of words that contain a number word but are not a number: "einmal" (once)."""
_COLUMNS: Final = {  # the columns of each table whose columns are not "meaning, forms"
    "bounds.tsv": "bound, side, wordings",
    "ranges.tsv": "before, between, behind",
    "dates.tsv": "pattern",
    "stop_words.tsv": "words",
    "orders.tsv": "adjective, nouns, forms",
}
_ROLES: Final = ("and", "added", "point", "over", "parts of", "linking", "articles", "particles")
_AROUND: Final = ("negation", "negation behind", "another time", "below zero")  # settings with words near a quantity
_SETTINGS: Final = ("decimal", "groups", "blanks", "endings", "last digit", "shares", *_AROUND, *_ROLES)
_BLANKS: Final = ("yes", "no", "before")
_SIDES: Final = ("before", "before %", "before year", "after", "after year")  # "before %": before a percentage
# A dictionary from symbols, which are the same in all languages, to bounds: "≥" -> ">=".
_SIGNS: Final = {form: bound for form, bound in SYMBOLS.items() if re.fullmatch("[<>=≤≥⩾⩽≧≦~][<>= ]*", form)}
SURE: Final = 0.7
"""The minimum probability of the detected language among the languages with tables. Below it, English is assumed."""
_KNOWN: Final = 0.2  # minimum probability of all languages with tables together; below this, English is assumed
_ONCE: Final = ("0", "day", "month", "year", "name")
_TWICE: Final = re.compile(rf"(\{{(?:{'|'.join(_ONCE)})\}})[^|]*\1")
_LONGEST: Final = 100  # maximum length of a form in characters; the longest form in the package has 44
_UNIT: Final = re.compile(r"(?:(?P<factor>-?\d+(?:\.\d+)?) (?=\D)(?P<small><10 )?)?(?P<name>\S.*)")
# A dictionary from a Hindi letter with a separate dot to the single character for both, which Unicode's NFC splits.
_COMPOSED: Final = {unicodedata.normalize("NFD", chr(code)): chr(code) for code in range(0x0958, 0x0960)}
SPACED: Final = re.compile("(?<=[ぁ-ヿ㐀-鿿]) +(?=[ぁ-ヿ㐀-鿿])")
"""Spaces between ideographs or kana, which are removed from texts and forms of languages without spaces."""
_DOTTED: Final = re.compile("|".join(_COMPOSED))


class LanguageError(ValueError):
    """Raised for an unknown language or a malformed row of a table. The message states what to correct."""


class Row(NamedTuple):
    path: Path
    line: int
    cells: list[str]

    def bad(self, why: str) -> LanguageError:
        return LanguageError(f"{self.path}, line {self.line}: {why}")

    def checked(self, columns: str) -> "Row":
        """Return this row. Raise a LanguageError if one of the `columns` ("meaning, forms") is missing or malformed."""
        wanted, last = columns.count(",") + 1, self.cells[-1]
        if len(self.cells) != wanted:
            raise self.bad(f"{len(self.cells)} columns instead of {wanted} ({columns}); put one tab between two")
        if not last.strip("| ") and columns != _COLUMNS["ranges.tsv"]:
            raise self.bad(f"the column {columns.rpartition(', ')[2]} is empty; fill it, or delete the row")
        if part := _TWICE.search(last):
            raise self.bad(f"{part[1]} occurs twice in {part[0]!r}; write it once")
        if longer := next((form for cell in self.cells for form in cell.split("|") if len(form) > _LONGEST), ""):
            raise self.bad(f"{longer[:20]!r}... has {len(longer)} characters; write at most {_LONGEST}")
        return self

    def forms(self, column: int = 1) -> list[str]:
        """Return the words and phrases in cell `column`, in lower case and in all spellings: "après", "apres"."""
        return [spelling for form in self.cells[column].split("|") if form.strip() for spelling in _spellings(form)]


def _spellings(form: str) -> list[str]:
    """Return the lower-case spellings of a word or phrase in the Unicode forms NFC and NFD. If it is ASCII without its
    accents, also return this spelling: "apres" for "après"."""
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
    """The tables of a language: words and phrases (forms), with the meanings that they have next to a number.

    lexicon: the meanings of forms, keyed by form.
    closers: the meanings of forms that are recognised only after a quantity ("or more"), keyed by form.
    settings: the words or signs that `settings.tsv` lists under each name: "decimal" -> [","].
    blanks: where spaces are: "yes" (between words), "no" (nowhere), or "before" (before words, not before endings).
    single_digits: the digit for each character that stands for one digit: "三" -> "3".
    months: the numbers of months, keyed by name.
    each: forms that mean only "per" (German "pro"), unlike articles, which sometimes mean it ("a day").
    no_symbols: words that are never read as the symbol of a unit.
    ranges: a dictionary from a form between the ends of a range ("to") to a list of pairs: the forms before the first
        end ("from"), and the forms after the second end.
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
        self.each = {form for form in per if not form.isascii() or len(form) > 1}
        named = {form for form, word in self.lexicon.items() if word.name}
        self.no_symbols = {*self.closers, *self.stop_words, *named}

    def without_stop_words(self, terms: str) -> str:
        """Remove stop words from the start and end of search terms: "der Preis von" (the price of) -> "Preis"."""
        blank = " " if self.blanks == "yes" else ""
        parts = terms.split() if blank else list(terms)
        kept = [place for place, part in enumerate(parts) if part.lower() not in self.stop_words]
        return blank.join(parts[kept[0] : kept[-1] + 1]) if kept else terms

    def rows(self, *names: str) -> Iterator[Row]:
        """Yield the rows of tables with the given names, such as "units". Tables that do not exist are skipped."""
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
                raise row.bad(f"{row.cells[0]!r} is not a unit; write a unit, or an amount of one: 10 percentage")
            unit = Unit(shape["name"], shape["factor"] or "1", bool(shape["small"]))
            for form in row.forms():
                form = SPACED.sub("", form) if self.blanks == "no" else form
                first, number, last = (part.strip() for part in form.partition("{0}"))
                _, divided, below = unit.name.partition(" per ")
                if number and not first:
                    raise row.bad(f"{form!r}: {{0}} is not needed; write only the form after the number")
                if number:
                    self.lexicon[first].signs.setdefault(last, unit)
                    if divided:
                        self.lexicon[first].name = f"per {below}"  # "每秒" (per second)
                    self.lexicon[last or first].roles.add("unit")
                elif form not in self.stop_words:
                    self.lexicon[form].unit = self.lexicon[form].unit or unit
                    if self.blanks == "yes" and row.path.name == "cldr_currencies.tsv":
                        self.lexicon[form].signs.setdefault("", unit)

    def _load_numbers(self) -> None:
        """Add the number words to `lexicon`. A word with another meaning is doubtful: a factor that is also a unit
        (French "cents", hundreds), or a divisor that is a noun (Portuguese "quartos", rooms)."""
        units, nouns = ({form for row in self.rows(name) for form in row.forms()} for name in ("units", "nouns"))
        for sign, share in VULGAR.items():
            self.lexicon[sign].number = NumberWord("", f"{share:g}")
        for row in self.rows("numbers", "spelled_numbers"):
            if (number := NumberWord.of(row.cells[0])) is None:
                remedy = "write 25, 0.5, x1000 (times), /4 (quarters) or 1? (or an article)"
                raise row.bad(f"{row.cells[0]!r} is not a number; {remedy}")
            for form in [*row.forms(), *(form.replace(" ", "-") for form in row.forms())]:
                word, kind = self.lexicon[form], number.kind
                doubtful = (kind == "x" and form in units) or (kind != "" and form in nouns)
                word.number = word.number or number._replace(doubtful=number.doubtful or int(doubtful))

    def _load_bounds(self) -> None:
        for row in self.rows("bounds"):
            bound, side = row.cells[:2]
            opening = side.removeprefix("after ")
            if bound not in BOUNDS or (side not in _SIDES and opening == side):
                remedy = f"and the side is one of {', '.join(_SIDES)}, or 'after WORD' if WORD precedes the number"
                raise row.bad(f"{bound!r} {side!r}: the bound is one of {' '.join(BOUNDS)}, {remedy}")
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
            before, between, after = (row.forms(column) for column in range(3))
            if not between:
                raise row.bad("the column between is empty; write the words or signs between the two numbers")
            for form in between:
                found[form].append((before, after))
            for table, forms, role in (
                (self.lexicon, before, "opens"),
                (self.closers, between, "between"),
                (self.closers, after, "closes"),
            ):
                for form in forms:
                    table[form].roles.add(role)
        return {between: sorted(frames, key=lambda frame: -sum(map(bool, frame))) for between, frames in found.items()}


@lru_cache(maxsize=1)
def codes() -> list[str]:
    """Return the codes of the available languages, English first: ["en", "de", ...]."""
    return ["en", *sorted(path.parent.name for path in HOME.glob("*/settings.tsv"))]


@lru_cache(maxsize=256)
def code_of(name: str) -> str:
    """Return the code of a language without its region: "de-AT" -> "de". The path of a folder is returned unchanged."""
    return name if set(name) & set("/\\") else re.split("[-_]", name.lower())[0]


def code_in_data(name: object) -> str | None:
    """Return the code of the language that a document or query names: "de-AT" -> "de". Return None for a missing name,
    or (with a warning) for an unknown language."""
    if not isinstance(name, str) or not name:
        return None
    if (code := code_of(name)) in codes():
        return code
    remedy = f"{name[:40]!r} is not a language with tables; there are: {', '.join(codes())}"
    warnings.warn(f"{remedy}. The text is treated as in the default language", stacklevel=3)
    return None


def folder_of(code: str) -> Path:
    """Return the folder of a language's tables, given the language's code or the path to a user's own folder.
    If it does not exist, raise a LanguageError that lists the available languages."""
    folder = Path(code) if set(code) & set("/\\") else HOME / code
    if not (folder / "settings.tsv").exists():
        fault = f"unknown language {code!r}; there are: {', '.join(codes())}"
        raise LanguageError(f"{fault}; or give the path to a folder of tables")
    return folder


@lru_cache(maxsize=1)
def detector() -> Any:
    """Return py3langid's language detector. Raise an ImportError if py3langid is missing."""
    found = need("py3langid.langid", "languages")
    return found.LanguageIdentifier.from_model_file(found.MODEL_FILE, norm_probs=True)


def spoken(text: str) -> str:
    """Detect the language of a text and return its code. Return "en" if the language is uncertain (short texts)."""
    known = {code: likely for code, likely in detector().rank(text) if code in codes()}
    code, total = max(known, key=lambda code: known[code]), sum(known.values())
    return code if total >= _KNOWN and known[code] >= SURE * total else "en"
