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

from .forms import BEGINS, BESIDE, LETTER, TIMES, alone, any_of
from .numerals import NumberWord, Numerals

HOME: Final = Path(__file__).parents[2] / "languages"
NOTHING: Final = "`"
"""What stands for words of no table, and for those that must not be taken for numbers: the steps know nothing of it."""
_COLUMNS: Final = {
    "bounds.tsv": "bound, side, wordings",
    "ranges.tsv": "before, between, behind",
    "dates.tsv": "pattern",
    "stop_words.tsv": "words",
}
"""The columns of the tables that have others than a meaning and its forms."""
_SETTINGS: Final = (
    "decimal|groups|blanks|endings|and|added|point|over|parts of|linking|articles|particles|last digit|joined"
)
_UNIT: Final = re.compile(r"(?:(?P<factor>-?\d+(?:\.\d+)?) (?=\D)(?P<small><10 )?)?(?P<name>\S.*)")
_NUMBER: Final = re.compile(r"(x|/|\+)?(-?\d+(?:\.\d+)?)(\?{0,2})")
_MONTHS: Final = {str(number): month.title() for number, month in enumerate(in_order("months")[:12], 1)}
_DATES: Final = {"day": r"\d{1,2}", "month": r"\d{1,2}", "year": r"\d{4}"}
"""The parts of a date."""
_PLACES: Final = {
    "hour": r"(?:2[0-4]|[01]?\d)(?:[.:][0-5]\d)?",
    "minute": r"[0-5]\d",
    "number": r"\d{1,4}",
    "code": r"\d{3,5}",
    "word": f"(?={LETTER})",
}
"""What else holds a number that is no quantity: clock times, places in an order, rooms; and a word that must follow."""
_DIALLED: Final = r"(?<![\da-z.,])(?:\+\d{1,3}[ -]?|(?=0\d))(?=(?:[ .-]?\d){7})\d{1,5}(?:[ .-]\d{2,8}){1,5}(?![\da-z])"
"""A telephone number."""
_NEAR: Final = f"{BESIDE}?"
"""Blanks before what may begin with a minus of its own."""
_MINUS: Final = r"(?<![^\W぀-ヿ㐀-鿿])(?<![)\]])- ?"
"""A minus; behind a word it is a hyphen, but for the words of Chinese and Japanese: "温度-5度"."""
_CODE: Final = "(?:(?:[a-z]{1,3} ?)?[$\u20a0-\u20bf£¥¢]|[a-z]{3}(?![a-z])) ?"
"""A sign or a code of money, which the registry knows."""
_WORD: Final = f"{LETTER}{{1,14}}"
_INNER: Final = re.compile(r"(?<= )\S+(?= )")
_COMPOSED: Final = {unicodedata.normalize("NFD", chr(code)): chr(code) for code in range(0x0958, 0x0960)}
"""Letters of Hindi that have a dot below, as texts often write them and Unicode's composed form does not."""
_DOTTED: Final = re.compile("|".join(_COMPOSED))


class LanguageError(ValueError):
    """A language that is not there, or a bad row of its tables; the message names file and line, and the remedy."""


class Unit(NamedTuple):
    """What a form means: the canonical name, how many of it, whether so many below ten alone ("八折"), its plural."""

    name: str
    factor: str
    small: bool
    plural: str


class Row(NamedTuple):
    """One line of a table."""

    path: Path
    line: int
    cells: list[str]

    def bad(self, why: str) -> LanguageError:
        return LanguageError(f"{self.path}, line {self.line}: {why}")

    def forms(self, column: int = 1) -> list[str]:
        """The forms of a cell, in plain small letters."""
        return [spelling for form in self.cells[column].split("|") if form.strip() for spelling in _spellings(form)]


def _spellings(form: str) -> list[str]:
    """A form as texts are cleaned: with its signs composed, apart, and, if it is long, left out as in hasty typing."""
    apart = unicodedata.normalize("NFD", form)
    forms = [unicodedata.normalize("NFC", form), apart, _DOTTED.sub(lambda pair: _COMPOSED[pair.group()], apart)]
    forms.append(unicodedata.normalize("NFC", apart.replace("\u093c", "")))
    bare = re.sub("[\u0300-\u036f]", "", apart)
    if len(bare) > 3 and bare.isascii():
        forms.append(bare)
    return list(dict.fromkeys(clean(kind)[1] for kind in forms))


def _rows(folder: Path, *names: str) -> Iterator[Row]:
    """The rows of some tables, those of the first one first; a folder need not have them."""
    for path in (folder / f"{name}.tsv" for name in names if (folder / f"{name}.tsv").exists()):
        columns = _COLUMNS.get(path.name, "meaning, forms")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            row, wanted = Row(path, number, line.split("\t")), columns.count(",") + 1
            if line.strip() and not line.startswith("#"):
                if len(row.cells) != wanted:
                    raise row.bad(f"{len(row.cells)} columns instead of {wanted} ({columns}); put one tab between two")
                yield row


class Language:
    """The words of a language by what they do beside a number, and the expressions that find them.

    units: by what stands before a number and what behind it; either may be nothing.
    bounds_before, bounds_behind: what each wording says; bounds_around: the same behind a number, by the word before;
    within: those that may stand within a number ("十几万"); ranges: what may stand around, by the word between.
    words: any other word that a reading knows, in English; known: finds them. parts: decimals behind a unit.
    others: what stands behind a number and is no unit, though a unit may be its first letters.
    labels: what makes a name of the number that it touches ("第"); stop_words: what is never a unit's symbol;
    blanks: whether words are set apart; joined: whether nothing is.
    number: finds the first word of a number; head: with what stands before it; tail: the unit behind a number.
    """

    def __init__(self, folder: Path) -> None:
        settings = _settings(folder)
        self.blanks, self.joined = settings["blanks"] == ["yes"], settings["blanks"] == ["no"]
        endings = rf"(?:'?{any_of(settings['endings'])})?" if settings["endings"] else ""
        ending = rf"{endings}(?!{LETTER})"
        after_word = f"(?:(?<!{LETTER})|(?:(?<={LETTER * 3})|(?='))(?:{ending})|(?!{LETTER}))"
        self._ends = after_word if self.blanks else "(?:(?<![a-z])|(?![a-z]))"
        self._ending = re.compile(ending if self.blanks else "")
        self.word_ends = re.compile("")
        self.stop_words = frozenset(form for row in _rows(folder, "stop_words") for form in row.forms(0))
        self.units = self._units(folder)
        per, minus = self._load_words(folder)
        bounds = _bounds(folder)
        self.bounds_before, self.bounds_behind = bounds.pop("before"), bounds.pop("after")
        self.bounds_around = {side[6:]: forms for side, forms in bounds.items()}
        self.within = [form for form in settings["and"] if form in self.bounds_behind]
        self.ranges = _ranges(folder)
        frames = [frame for frames in self.ranges.values() for frame in frames]
        opening, closing = ({form for frame in frames for form in frame[side]} for side in (0, 1))
        self.others = {*self.bounds_behind, *self.ranges, *self.words, *closing}
        self.others.update(settings["particles"], settings["parts of"])
        numbers = _numbers(folder)
        self.parts = _parts(numbers, settings)
        names = {form for form, word in self.words.items() if word == NOTHING}
        behind = ({last for _, last in self.units} | self.others) - {"", *names}
        if settings["blanks"] == ["before"]:
            closed = any_of({*settings["endings"], *self.bounds_behind, *closing})
            self.word_ends = re.compile(f"(?:{closed}){{0,4}}(?!{LETTER})")
            ending = f"(?:{any_of(behind)})?{self.word_ends.pattern}"
        longer = behind.union(point + form for point in settings["point"] for form in numbers) if self.joined else ()
        no_number = "|".join(alone(name, longer, self.bounds_behind) for name in names) or "(?!)"
        self.numerals = Numerals(numbers, settings, ending, self.bounds_behind if self.blanks else behind, no_number)
        number = self.numerals.first
        self.number = re.compile(number)
        before = any_of(sorted({*self.bounds_before, *self.bounds_around}, key=lambda form: "*" in form)).replace(
            r"\*", _WORD
        )
        self.head = self._head(before, opening, settings["articles"], minus, number)
        part = any_of(self.parts)
        if not self.blanks:  # "1米75", "9秒8"
            part += rf"|(?<=\S)\d{{1,2}}(?=[^\w.]|\Z|{any_of(settings['particles'])})"
            part = f"(?:{part})(?!{any_of(form for form in numbers if numbers[form].kind)})"
        linking = f"(?:{any_of(settings['linking'])}{self._ends}{BESIDE})?"
        self.tail = re.compile(
            f"{BESIDE}{linking}(?P<whole>(?P<unit>{any_of(behind)}){self._ends})(?:{BESIDE}(?P<part>{part}){self._ends})?"
        )
        self.between = re.compile(f"{any_of(self.ranges)}{number}" if self.joined else "(?!)")
        self.each = {form for form in per if len(form) > 1} - {*settings["articles"]}
        self.bound_before = re.compile(before)
        around = [form for forms in self.bounds_around.values() for form in forms]
        self.bound_behind, self.bound_around, self.closing, self.particle, self.link, self.per = (
            re.compile(f"{BESIDE}(?P<form>{any_of(forms)}){self._ends}")
            for forms in (self.bounds_behind, around, closing, settings["particles"], settings["linking"], per)
        )

    def _head(
        self, bound: str, opening: Iterable[str], articles: Iterable[str], minus: Iterable[str], number: str
    ) -> re.Pattern[str]:
        begins = r"(?=\S)" if self.joined else rf"(?:{BEGINS}(?=\w)|(?=[^\w\s])|{TIMES})"
        article, sign = f"{any_of(articles)}{self._ends}", any_of({first for first, _ in self.units} - {""})
        less = f"(?:{any_of(minus)}{BESIDE}|{_MINUS})"
        return re.compile(
            f"{begins}(?P<bounds>(?:{bound}{_NEAR}(?:{article}{_NEAR})??)*)"
            f"(?:(?P<opens>{any_of(opening)}){self._ends}{_NEAR})?"
            f"(?:(?P<minus>{less})?(?:(?P<sign>{sign}){_NEAR}(?P<inner>{less})?)?|(?P<code>(?!{article}){_CODE})){number}"
        )

    def _units(self, folder: Path) -> dict[tuple[str, str], Unit]:
        found: dict[tuple[str, str], Unit] = {}
        for row in _rows(folder, "units", "nouns", "cldr_units", "cldr_currencies"):
            shape = _UNIT.fullmatch(row.cells[0])
            if shape is None:
                raise row.bad(f"{row.cells[0]!r} is no unit; write its name, or how many of it: 10 percentage")
            unit = Unit(shape["name"], shape["factor"] or "1", bool(shape["small"]), plural(shape["name"]))
            for form in row.forms():
                first, number, last = (part.strip() for part in form.partition("{0}"))
                if number:
                    found.setdefault((first, last), unit)
                elif form not in self.stop_words:
                    found.setdefault(("", form), unit)
                    if self.blanks and row.path.name == "cldr_currencies.tsv":
                        found.setdefault((form, ""), unit)
        return found

    def _load_words(self, folder: Path) -> tuple[list[str], list[str]]:
        """Sets what is neither number, unit nor bound; gives the words for "per" and "minus"."""
        self.words = {form: row.cells[0] for row in _rows(folder, "cldr_months", "words") for form in row.forms()}
        per, minus = ([form for form, word in self.words.items() if word == name] for name in ("per", "minus"))
        self.labels = tuple(form for form, word in self.words.items() if word in ("number", "page"))
        self._months = {form: word for form, word in self.words.items() if word in _MONTHS.values()}
        self.words = {form: word for form, word in self.words.items() if word != "per" or form not in self.stop_words}
        begins, ends = (BEGINS, self._ends) if self.blanks else (r"(?<!\d)", "")
        units = [last for _, last in self.units]
        dates = [_date(row, self._months, units, place) for place, row in enumerate(_rows(folder, "dates"))]
        self.dates = re.compile(rf"(?:{begins}(?<!\d[.,])(?:{'|'.join(dates) or '(?!)'})(?!\d){ends}|{_DIALLED})")
        known = any_of(form for form in self.words if form[:1].isalpha())  # "3/5" stays
        self.known = re.compile(rf"{BEGINS}{known}(?!{LETTER})" if self.blanks else known)
        return per, minus

    def bound(self, wording: str) -> str:
        """What a wording before a number says, or nothing; "*" in the table stands for any word in it."""
        gapped = (wording[: word.start()] + "*" + wording[word.end() :] for word in _INNER.finditer(wording))
        return next((self.bounds_before[form] for form in (wording, *gapped) if form in self.bounds_before), "")

    def word_end(self, lower: str, at: int) -> int:
        """Where a word ends, with its ending."""
        found = self._ending.match(lower, at)
        return found.end() if found else at

    def date(self, found: re.Match[str]) -> str:
        """A date as the notation writes it, from what `dates` found."""
        parts = {name.rstrip("0123456789"): value for name, value in found.groupdict().items() if value}
        name = parts.get("name") or _MONTHS.get(parts.get("month", "").lstrip("0"), "")
        return " ".join(filter(None, (parts.get("day"), self._months.get(name, name), parts.get("year")))) or NOTHING


def _settings(folder: Path) -> dict[str, Sequence[str]]:
    found: dict[str, Sequence[str]] = dict.fromkeys(_SETTINGS.split("|"), ())
    found |= {"decimal": ["."], "groups": [","], "blanks": ["yes"]}
    for row in _rows(folder, "settings"):
        if row.cells[0] not in found:
            raise row.bad(f"unknown setting {row.cells[0]!r}; there are: {', '.join(sorted(found))}")
        found[row.cells[0]] = row.forms()
    return found


def _numbers(folder: Path) -> dict[str, NumberWord]:
    """The number words; what is a unit, too, is no denominator ("centesimi"), and multiplies no digits ("50 cents",
    "3 quartos").
    """
    units, nouns = ({form for row in _rows(folder, name) for form in row.forms()} for name in ("units", "nouns"))
    found: dict[str, NumberWord] = {}
    for row in _rows(folder, "numbers", "spelled_numbers"):
        shape = _NUMBER.fullmatch(row.cells[0])
        if shape is None:
            raise row.bad(
                f"{row.cells[0]!r} is no number; write 25, 0.5, x1000 (times), /4 (quarters) or 1? (or an article)"
            )
        kind, value, doubts = shape.groups(default="")
        for form in row.forms():
            if kind != "/" or form not in units:
                doubtful = (kind == "x" and form in units) or (kind != "" and form in nouns)
                found.setdefault(form, NumberWord(kind, value, len(doubts) or int(doubtful)))
    return found


def _parts(numbers: Mapping[str, NumberWord], settings: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """What adds to the number before a unit, by the decimals: "et demi", "och en halv", "半", "八米五"."""
    halves = [form for form, word in numbers.items() if word.value == "0.5" and not word.kind]
    halves += [f"{one} {half}" for one, word in numbers.items() if word.value == "1" for half in halves]
    if settings["blanks"] == ["yes"]:
        return {f"{word} {half}": "5" for word in settings["and"] for half in halves}
    digits = {form: word.value for form, word in numbers.items() if not word.kind and len(word.value) == 1}
    pairs = {one + other: digits[one] + digits[other] for one in digits for other in digits}
    return dict.fromkeys(halves, "5") | (digits | pairs if settings["last digit"] else {})


def _bounds(folder: Path) -> dict[str, dict[str, str]]:
    """What each wording says, by where it stands; "*" stands for one word in one that comes before."""
    found: dict[str, dict[str, str]] = {"before": {}, "after": {}}
    for row in _rows(folder, "bounds"):
        bound, side = row.cells[:2]
        if bound not in BOUNDS or not (side in found or side.startswith("after ")):
            told = "the side before or after, or 'after WORD' for what has that word before the number"
            raise row.bad(f"{bound!r} {side!r}: the bound is one of {' '.join(BOUNDS)}, {told}")
        found[side] = found.get(side, {}) | dict.fromkeys(row.forms(2), bound)
    return found


def _ranges(folder: Path) -> dict[str, list[tuple[list[str], list[str]]]]:
    """What may stand before and behind the two ends of a range, by the word between; the most that must stand first."""
    found: dict[str, list[tuple[list[str], list[str]]]] = {}
    for row in _rows(folder, "ranges"):
        if not row.forms(1):
            raise row.bad("nothing stands between the two numbers; give the word or the mark")
        for between in row.forms(1):
            found.setdefault(between, []).append((row.forms(0), row.forms(2)))
    return {between: sorted(frames, key=lambda frame: -sum(map(bool, frame))) for between, frames in found.items()}


def _date(row: Row, months: Iterable[str], units: Iterable[str], place: int) -> str:
    """What finds what a row describes; the parts of a date are called by their names and the row's place."""
    pattern = re.escape(row.forms(0)[0]).replace(r"\ ", " ?")
    for part, shape in (_DATES | {"name": any_of(months)}).items():
        pattern = pattern.replace(rf"\{{{part}\}}", f"(?P<{part}{place}>{shape})")
    for part, shape in _PLACES.items():
        pattern = pattern.replace(rf"\{{{part}\}}", shape)
    if r"\{" in pattern:
        parts = ", ".join(f"{{{part}}}" for part in (*_DATES, "name", *_PLACES))
        raise row.bad(f"{row.cells[0]!r}: a date has the parts {parts}")
    last = row.forms(0)[0].rpartition("}")[2]
    longer = any_of(unit[len(last) :] for unit in units if last and unit.startswith(last) and unit != last)
    return f"{pattern}(?!{longer})"


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
