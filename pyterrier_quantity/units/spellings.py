"""Load unit files into dictionaries from spellings, symbols and names to units."""

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

from pyterrier_quantity.english import set_of
from pyterrier_quantity.english.nouns import plural
from pyterrier_quantity.units.ambiguity.doubtful import CODE_WORDS
from pyterrier_quantity.units.model import Surface, UnitDef, UnitFileError
from pyterrier_quantity.units.tokens import key_of
from pyterrier_quantity.units.unit_files import DATA, Row, pint_factor, read_table

UNIT_FILES = ("counts", "subunits", "physical", "information", "clinical", "sizes", "currencies")
PREFIXES = {
    symbol: (row.get("name"), row.number("factor", 1.0))
    for row in read_table(DATA / "prefixes.tsv")
    for symbol in row.many("symbols")
}
"""A dictionary from the symbol of an SI prefix to its word and factor: "k" -> ("kilo", 1000.0)."""
# SI prefixes of all units that take SI prefixes. A unit has other prefixes only if its unit file lists them.
_COMMON = ("k", "m", "µ", "n", "p")
_MICRO = ("µ", "μ", "u")
# SI prefixes of all units that take SI prefixes, if the symbol then has letters in both cases ("PHz", "fF").
_IN_CASE = ("f", "G", "T", "P", "E")
_SCALED_CODES = {"M": 1e6, "m": 1e6, "k": 1e3, "bn": 1e9}
_SCALED_SIGNS = _SCALED_CODES | {"K": 1e3, "T": 1e3}
_HYPHENATED = frozenset(("watt", "byte", "bit", "hertz", "pixel", "ton"))
# Currency codes that also mean money in lower case. Codes such as "CAD" are not here: "cad" also names a disease.
_SMALL_CODES = frozenset(("USD", "EUR", "GBP", "JPY"))


class Vocabulary:
    """Dictionaries from the spellings and symbols of units to units. In keys, a space separates the parts of a
    spelling.

    units: the units, keyed by canonical name.
    exact, folded: the units keyed by case-sensitive symbol, and the units keyed by lower-case spelling.
    beginnings: the first words of longer spellings: "square" for "square foot".
    before, inside: the units keyed by the sign before a number ("$"), and by the symbol in a number ("k" in "4k7").
    bases: the canonical names of units that take SI prefixes, keyed by symbol.
    composed: the units of prefixed symbols that are symbols only in this letter case: "PHz" for petahertz.
    """

    def __init__(self) -> None:
        self.units: dict[str, UnitDef] = {}
        self.exact: dict[str, Surface] = {}
        self.folded: dict[str, Surface] = {}
        self.beginnings: set[str] = set()
        self.before: dict[str, Surface] = {}
        self.inside: dict[str, Surface] = {}
        self.bases: dict[str, str] = {}
        self.composed: dict[str, Surface] = {}

    def in_any_case(self) -> tuple[dict[str, Surface], dict[str, Surface]]:
        """Return two dictionaries from symbols to units. The first contains all symbols in lower case. The second
        contains the symbols that mean other units in another letter case ("mW"). These units are in
        `Surface.others`."""
        groups: dict[str, list[tuple[str, Surface]]] = {}
        for key, surface in self.exact.items():
            rare = surface.rare or surface.unit not in self.units
            groups.setdefault(key.lower(), []).append((key, surface._replace(rare=rare, listed=False)))
        loose: dict[str, Surface] = {}
        several: dict[str, Surface] = {}
        for letters, group in groups.items():
            group.sort(key=lambda entry: (entry[1].rare, entry[1].rule))
            meanings: dict[tuple[object, ...], Surface] = {}
            for _, surface in group:
                meanings.setdefault(surface[:2], surface)
            meant = list(meanings.values())
            loose[letters] = meant[0]._replace(others=tuple(meant[1:]))
            for key, surface in group:
                others = [other for other in meant if other[:2] != surface[:2]]
                if others and (key.islower() or key.isupper()):
                    several[key] = surface._replace(others=tuple(others), listed=True)
        return loose, several

    def copy(self) -> "Vocabulary":
        twin = Vocabulary()
        for name, table in vars(self).items():
            setattr(twin, name, table.copy())
        return twin

    def load_builtin(self) -> None:
        for name in (*UNIT_FILES, "aliases"):
            self.add_rows(read_table(DATA / f"{name}.tsv"))

    def add_rows(self, rows: Iterable[Row], replace: bool = False) -> None:
        """Add the rows of a unit file. If `replace` is true, the rows replace earlier meanings of their spellings."""
        for row in rows:
            self._add_row(row, replace)

    def _add_row(self, row: Row, replace: bool) -> None:
        name = row.get("name")
        scale = row.number("scale", 1.0)
        surfaces = row.many("surfaces")
        if not row.get("scale"):
            if name not in self.units or any(map(row.get, ("family", "factor", "pint"))):
                self._define(row, name)
            if not {name + "?", f"={name}?"} & set(surfaces):
                surfaces = [name, *surfaces]
        for spelling in surfaces:
            self._spell(spelling, name, scale, replace)
        for symbol in row.many("symbols"):
            if not symbol.startswith("~"):
                self._symbol(symbol, name, scale, replace)
        for sign in row.many("before"):
            self.sign(sign, name, replace)
        self.inside.update((symbol, Surface(name, scale)) for symbol in row.many("inside"))
        if row.get("code") or row.get("words") or row.get("after"):
            self._currency(row, name)
        if row.get("si"):
            self._prefixed(row, name)

    def _define(self, row: Row, name: str) -> None:
        family = row.get("family") or ("currency:" + name if "code" in row.cells else name)
        factor = row.number("factor", 1.0)
        if row.get("pint") and not row.get("factor"):
            try:
                family, factor = pint_factor(row.get("pint"), row.get("family"))
            except ValueError as error:
                where = f"{row.path}, line {row.line}"
                raise UnitFileError(f"{where}: {error}; correct the pint column or give the factor") from None
        self.units[name] = UnitDef(name, family, factor, row.number("offset", 0.0))

    def _currency(self, row: Row, name: str) -> None:
        for word in row.many("words"):
            self._spell(word, name, 1.0, False)
        for word in ("dlr",) if name.endswith(" dollar") else ():
            self._spell(name.replace("dollar", word), name, 1.0, False)
        signs = [sign.rstrip("?") for sign in row.many("before")]
        letters = [sign if len(sign) > 2 else f"{sign}?" for sign in signs if sign.isalpha() and len(sign) > 1]
        for symbol in [*row.many("after"), *letters]:
            self._symbol(symbol, name, 1.0, False)
            for prefix, scale in _SCALED_CODES.items() if not symbol[0].isalnum() else ():
                self._symbol(prefix + symbol, name, scale, False)
        if code := row.get("code"):
            self._code(code, name)

    def _code(self, code: str, name: str) -> None:
        """Add the code of the currency `name` ("EUR"), and the code with scale letters ("MEUR" for a million euros)."""
        doubt = "?" if code in CODE_WORDS else ""
        self._symbol(code + doubt, name, 1.0, False)
        self.sign(code + doubt, name)
        if code in _SMALL_CODES:
            self.sign(code.lower(), name)
        if name.endswith(("dollar", "peso")):
            self.sign(code + "$", name)
        for prefix, scale in _SCALED_CODES.items():
            self._symbol(prefix + code, name, scale, False)
        for prefix, scale in _SCALED_SIGNS.items():
            if not doubt or prefix in "Mk":
                self.sign(prefix + code, name, scale=scale)

    def _prefixed(self, row: Row, name: str) -> None:
        """Add a unit with all SI prefixes in words ("megametre"), and with the row's prefixes as symbols ("km")."""
        prefixes = row.get("si").split()
        used = [letter.rstrip("?") for letter in prefixes]
        for letter in used:
            if letter not in PREFIXES and letter != "+":
                fault = f"{row.path}, line {row.line}: {letter!r} is not an SI prefix"
                raise UnitFileError(f"{fault}; use some of {' '.join(PREFIXES)}, blanks between")
        symbols = [symbol.strip("~?") for symbol in row.many("symbols")]
        for symbol in symbols:
            self.bases.setdefault(symbol, name)
        for letter, (word, factor) in PREFIXES.items():
            full = word + name
            if full not in self.units:
                self.units[full] = UnitDef(full, row.get("family"), row.number("factor", 1.0) * factor)
            for spelling in [name, *row.many("surfaces")]:
                self._prefixed_word(spelling, word, name, full)
            usual = letter in used or ("+" not in used and (letter in _COMMON or letter in _MICRO))
            for symbol in [letter + symbol for symbol in symbols if letter + symbol not in {"pH", "pm", "pt", "us"}]:
                mixed = letter in _IN_CASE and not (symbol.istitle() or symbol.isupper() or symbol.islower())
                if usual and "+" not in used:
                    common = letter in prefixes or (letter in _MICRO and "µ" in prefixes)
                    self._symbol(symbol, full, 1.0, False, not common)
                elif usual or mixed:
                    self.composed.setdefault(symbol, Surface(full, symbol=True))

    def _prefixed_word(self, spelling: str, word: str, name: str, full: str) -> None:
        plain = spelling.strip("=?")
        if plain != name and " " not in name and (spelling.endswith("?") or " " in plain or "-" in plain):
            return
        if plain in _HYPHENATED:
            self._spell(f"{word}-{plain}", full, 1.0, False)
        self._spell(("=" if spelling.startswith("=") else "") + word + plain, full, 1.0, False)

    def _spell(self, spelling: str, name: str, scale: float, replace: bool) -> None:
        doubtful, single = spelling.endswith("?"), spelling.startswith("=")
        spelling = spelling.strip("=?").lower()
        surface = Surface(name, scale, 0.6 if doubtful else 1.0, "?" if doubtful else "")
        for form in (spelling,) if single else (spelling, plural(spelling)):
            self._put(self.folded, form, surface, replace)

    def _symbol(self, symbol: str, name: str, scale: float, replace: bool, rare: bool = False) -> None:
        doubtful = symbol.endswith("?") and symbol != "?"
        symbol = symbol.rstrip("?")
        surface = Surface(name, scale, 0.6 if doubtful else 1.0, "?" if doubtful else "", True, rare=rare)
        self._put(self.exact, symbol, surface, replace)

    def _put(self, table: dict[str, Surface], form: str, surface: Surface, replace: bool) -> None:
        tokens = key_of(form)
        if not tokens:
            return
        key = " ".join(tokens)
        if key in table and not replace:
            return
        table[key] = surface._replace(rule=key if surface.rule else "")
        for size in range(1, len(tokens)):
            begun = " ".join(tokens[:size])
            self.beginnings.update((begun, begun.lower()))

    def sign(self, sign: str, name: str, replace: bool = False, scale: float = 1.0) -> None:
        """Add a currency sign or code ("$", "SEK") for the unit `name`, with the factor `scale`: 1000 for "KSEK". If
        `replace` is true, an earlier meaning of the sign is replaced."""
        doubtful = sign.endswith("?")
        sign = sign.rstrip("?")
        surface = Surface(name, scale, 0.6 if doubtful else 1.0, sign if doubtful else "", True)
        forms = [sign]
        if sign.endswith("$") and len(sign) > 1:
            forms += [f"{sign[:-1]} $", sign.lower(), f"{sign[:-1].lower()} $"]
        for form in forms:
            word = form == "A $" or form[:-1].rstrip() in ("a", "s", "j", "m", "n")  # "A $300 phone"
            if not word and (replace or form not in self.before):
                self.before[form] = surface


_TABLES: Final = ("units.tsv", "cldr_units.tsv", "cldr_currencies.tsv")
_LANGUAGES: Final = Path(__file__).parents[1] / "languages"


_ENGLISH_WORDS = set_of("""
    an arig ay can chili dag dev dia fat fit frank franken fur go graders gran kilos kopp mark metro metros mil
    octet octets once pens pie pies promille quart quarto quintal rad radiant real rev sek sent sett star tag
    taste tim time to tour tours try tum uns vat verge verges barrel pound ton quintale quintales
    """)


@lru_cache(maxsize=1)
def names_elsewhere() -> dict[str, str]:
    """Return a dictionary from foreign unit names to canonical names: "stunde" -> "hour". Foreign names that are
    English words, or that mean different units in two languages, are left out."""
    found: dict[str, set[str]] = {}
    for folder in sorted(path.parent for path in _LANGUAGES.glob("*/settings.tsv")):
        called: dict[str, str] = {}
        for line in "\n".join((folder / name).read_text(encoding="utf-8") for name in _TABLES).splitlines():
            unit, _, forms = line.partition("\t")
            for form in forms.split("|") if unit[:1].isalpha() else ():
                called.setdefault(form, unit)
        for form, unit in called.items():
            found.setdefault(form, set()).add(unit)
    return {
        form: next(iter(units))
        for form, units in found.items()
        if len(units) == 1 and form not in _ENGLISH_WORDS and (len(form) > 2 or not form.isascii())
    }
