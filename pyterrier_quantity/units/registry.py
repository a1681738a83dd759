"""The unit registry, an object that looks up units by spelling, finds units in texts, and converts values."""

import difflib
import functools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from pyterrier_quantity.english import SCALES, wordings
from pyterrier_quantity.english.nouns import plural, singular
from pyterrier_quantity.units.dimensions import COMPOUNDING, SILENT_BELOW, Families, bare_unit, meaning, rescaled, split
from pyterrier_quantity.units.matcher import Matcher
from pyterrier_quantity.units.model import Remembered, UnitDef, UnitMatch, UnknownUnitError
from pyterrier_quantity.units.spellings import Vocabulary, names_elsewhere
from pyterrier_quantity.units.unit_files import Row, read_table

Value = TypeVar("Value")
BARE = "-"
LONGEST_NAME, MOST_PARTS = 1000, 60
"""The maximum number of characters, and the maximum number of words, in a unit's name."""


class UnitRegistry:
    """A collection of units that finds units in texts and converts values between units.

    Args:
        builtin: whether the registry initially contains the units of this package.
    """

    def __init__(self, builtin: bool = True) -> None:
        self._vocabulary = Vocabulary()
        if builtin:
            self._vocabulary.load_builtin()
        self._families = Families()
        self.own: tuple[Row, ...] = ()
        """The rows of unit files that the user added, in order."""
        self._refresh()

    def _refresh(self) -> None:
        self._matcher = Matcher(self._vocabulary)
        self._meanings = Remembered(partial(meaning, units=self._vocabulary.units, families=self._families))
        self._resolved = Remembered(self._resolve_fully)
        self._family_names = Remembered(self._family_name)
        self._monetary = Remembered(self._is_money)
        self._name_words = frozenset(re.findall(r"\w+", " ".join((*self._vocabulary.units, *COMPOUNDING))))

    def match_after(self, text: str, pos: int) -> UnitMatch | None:
        """Return the longest unit phrase that follows a number.

        Args:
            text: any text.
            pos: the end offset of the number. Spaces or a hyphen may come before the unit.

        Returns:
            the unit with its denominators ("dlrs an ounce", "mL/min/1.73 m2", "barrels daily"), or None.
        """
        return self._matcher.after(text, pos)

    def misspelt(self, words: str) -> str | None:
        """Return the unit that the first misspelt word of a text means ("90 dolars per night" -> "dollar"), or None."""
        meant = (self._matcher.meant[word] for word in words.split() if word.islower())
        return next((surface.unit for surface in meant if surface), None)

    def match_before(self, text: str, end: int) -> UnitMatch | None:
        """Return the currency whose sign or code ("$", "US$", "EUR") is before the number at offset `end`, or None."""
        return self._matcher.before(text, end)

    def match_inside(self, text: str, pos: int) -> tuple[float, UnitMatch] | None:
        """Return the decimals and the unit if a symbol replaces the decimal point ("4k7" -> 0.7, kiloohm), or None."""
        return self._matcher.inside(text, pos)

    def begins_sign(self, word: str) -> bool:
        """Return whether a word in lower case is a currency code, or begins with one: true for "eur" and "eurm"."""
        return word in self._matcher.signs or word[:3] in self._matcher.signs

    def match_per(self, text: str, pos: int, numerator: str) -> UnitMatch | None:
        """Return the unit `numerator` with the denominator at offset `pos`: "cigarette" before " a day" -> "cigarette
        per day". Return None if no denominator follows. Use this method for counted nouns, and after prices ("$5")."""
        return self._matcher.per(text, pos, numerator)

    def resolve(self, name: str) -> str:
        """Return the canonical name of a unit given by a user.

        Args:
            name: any spelling or symbol ("percent", "mg/m2", "usd/bbl", "cigarettes per day"). "-" or "" means no unit.

        Returns:
            the canonical name. For a noun that is not a unit, the singular: "cigarettes" -> "cigarette".

        Raises:
            UnknownUnitError: if the name cannot be a unit. The message lists similar names.
        """
        return self._resolved[name]

    def _resolve_fully(self, name: str) -> str:
        passed: list[str] = []
        while name not in passed:
            passed.append(name)
            name = self._resolve(name)
        return self._matcher.ordered[name]

    def _resolve(self, name: str) -> str:
        if not isinstance(name, str):
            raise UnknownUnitError(f"a unit must be a string, got {type(name).__name__}")
        if len(name) > LONGEST_NAME or name.count("/") + name.count(" ") > MOST_PARTS:
            fault = f"{name[:30]!r}... is not a unit: it has {len(name)} characters"
            raise UnknownUnitError(f"{fault}; a unit has at most {LONGEST_NAME} characters and {MOST_PARTS} words")
        text = " ".join(name.split())
        if text in ("", BARE):
            return BARE
        listed = self._listed(text)
        if listed is not None:
            return listed
        match = self.match_after(" " + text, 0)
        if match is not None and match.end == len(text) + 1 and self.misspelt(text) is None:
            return _scaled(match.unit, match.scale)
        scale = _SCALE.match(text)
        if scale is not None:
            return _scaled(self.resolve(text[scale.end() :]), _SCALES[scale.group(1).lower()])
        return self._by_parts(text)

    def _listed(self, text: str) -> str | None:
        """Return the unit listed in the unit files for a spelling ("mW" -> "milliwatt"), or None."""
        vocabulary, lowered = self._vocabulary, text.lower()
        if text in vocabulary.units:
            return text
        found = vocabulary.exact.get(text)
        if found is None and lowered in vocabulary.units:
            return lowered
        for form in (text, lowered):
            found = found or vocabulary.exact.get(form) or vocabulary.folded.get(form)
        if found is not None:
            return _scaled(found.unit, found.scale)
        sign = vocabulary.before.get(text)
        if sign is not None:
            return sign.unit
        whole = self._matcher.whole(text)
        return None if whole is None else whole.unit

    def _denominator(self, phrase: str) -> str | None:
        match = self.match_per(phrase, 0, "x")
        return match.unit[2:] if match is not None and match.end == len(phrase) else None

    def _by_parts(self, text: str) -> str:
        if (unit := names_elsewhere().get(text.lower())) is not None:
            return unit
        if text[:4].lower() == "per " and " per " not in text:
            return f"per {self.resolve(text[4:])}"
        for mark in (*sorted((" per ", "/"), key=text.rfind, reverse=True), *wordings("indefinite articles", " ")):
            above, found, below = text.rpartition(mark)
            if below in _SCALES and above.endswith(" part"):  # "part per million" is a unit
                above, found, parts = above.rpartition(mark)
                below = f"{parts}{mark}{below}"
            if above.endswith(" per"):  # "proportion per per mille"
                above, below = above.removesuffix(" per"), f"per {below}"
            if found and below.strip():
                upper, lower = self.resolve(above), self._denominator(found + below.strip())
                if lower is None:
                    # Resolving may change a name: "/AAA DAILY" becomes "per aaa daily", and then "per aaa per day".
                    named = f"per {self.resolve(below)}"
                    lower = self._denominator(f" {named}") or named
                return f"{upper} {lower}"
        amount, blank, rest = text.partition(" ")
        if blank and _AMOUNT.fullmatch(amount) and float(amount) > 0:
            return f"{amount} {self.resolve(rest)}"
        if not text[:1].isalpha() or not _NOUN.fullmatch(text) or text.lower() in _SCALES:
            near = difflib.get_close_matches(text, list(self._vocabulary.units), 3, 0.3) or ["percentage", "dollar"]
            fault = f"{text!r} is not a unit; similar: {', '.join(near)}"
            raise UnknownUnitError(f"{fault}; write '-' for no unit, or add it with add()")
        noun = text.lower().rstrip(".")
        one = singular(noun)
        return one if one == noun or self._known(one) == one else noun

    def counted(self, noun: str) -> str | None:
        """Return the unit for counting the things that a noun names. `resolve` returns this unit unchanged.

        Args:
            noun: a lower-case singular: "employee".

        Returns:
            the noun, or its plural if the noun means another unit: "toe" (tonne of oil equivalent) -> "toes".
            If the plural also names a unit, that unit: "pound" -> "pound-mass". None if the noun cannot be a unit.
        """
        meant = self._known(noun)
        if meant == noun or (meant is not None and len(noun) < 3 and self._matcher.is_listed(noun)):
            return meant
        return self._known(plural(noun))

    def _known(self, noun: str) -> str | None:
        try:
            return self.resolve(noun)
        except UnknownUnitError:
            return None

    def _family_name(self, unit: str) -> str:
        return self._families.name(self._meanings[unit].dimensions)

    def family(self, unit: str) -> str | None:
        """Return the dimension of a unit, given its canonical name ("kilometre" -> "length"), or None for "-"."""
        return None if unit in ("", BARE) else self._family_names[unit]

    def is_money(self, unit: str) -> bool:
        """Return whether a unit is a currency ("dollar"), possibly with a denominator ("dollar per barrel")."""
        return self._monetary[unit]

    def _is_money(self, unit: str) -> bool:
        return self.is_currency(unit.partition(" per ")[0])

    def is_currency(self, unit: str) -> bool:
        """Return whether a unit is a currency without a denominator: "dollar" -> True, "dollar per barrel" -> False."""
        return (self.family(unit) or "").startswith("currency")

    def conversion(self, source: str, target: str) -> tuple[float, float] | None:
        """Return (factor, offset) to convert values from `source` to `target` by value * factor + offset: hour, minute
        -> (60.0, 0.0). Return None if the units cannot be converted."""
        if source == target:
            return 1.0, 0.0
        if BARE in (source, target):
            return None
        one, other = self._meanings[source], self._meanings[target]
        if one.dimensions != other.dimensions:
            return None
        return _clean(one.factor / other.factor), _clean((one.offset - other.offset) / other.factor)

    def to_reference(self, unit: str) -> tuple[float, float]:
        """Return (factor, offset) to convert values to the reference unit of their dimension by value * factor +
        offset: "hour" -> (3600.0, 0.0), in seconds. Values without a unit ("-") stay unchanged."""
        _, factor, offset = self._meanings[unit]
        return factor, offset

    def convert(self, value: Value, source: str, target: str) -> Value:
        """Convert a number or an array from the unit `source` to the unit `target`: (2, "km", "miles") -> 1.24.

        Raises:
            ValueError: if the units cannot be converted into each other.
        """
        source, target = self.resolve(source), self.resolve(target)
        pair = self.conversion(source, target)
        if pair is None:
            families = self.family(source), self.family(target)
            raise ValueError(f"{source!r} ({families[0]}) does not convert to {target!r} ({families[1]})")
        return rescaled(value, *pair)

    def parts(self, unit: str) -> tuple[str, ...]:
        """Return the components of a unit, without numbers: "case per 100000 people" -> ("case", "people")."""
        pieces = split(unit, self._vocabulary.units)
        return tuple(bare_unit(piece) for piece in pieces if piece not in ("", SILENT_BELOW))

    def surfaces(self, *units: str) -> list[str]:
        """Return all spellings and symbols of the given units, and of the components of compounds ("mile per hour")."""
        wanted = {*units, *(part for unit in units for part in self.parts(unit))}
        wanted |= {part.removeprefix("square ").removeprefix("cubic ") for part in wanted}
        tables = (self._vocabulary.folded, self._vocabulary.exact, self._vocabulary.before)
        return sorted({form for table in tables for form, surface in table.items() if surface.unit in wanted})

    def units(self) -> list[str]:
        """Return the canonical names of all units, without compounds: "metre", but not "metre per second"."""
        return list(self._vocabulary.units)

    def name_words(self) -> frozenset[str]:
        """Return the set of words that occur in unit names: "kilometre", "per", "hour"."""
        return self._name_words

    def add(
        self,
        name: str,
        surfaces: str | Iterable[str] = (),
        symbols: str | Iterable[str] = (),
        before: str | Iterable[str] = (),
        family: str = "",
        factor: float = 1.0,
        offset: float = 0.0,
        pint: str = "",
    ) -> None:
        """Add a unit, or replace the unit that has this name.

        Args:
            name: the canonical name.
            surfaces: spellings; plurals are added, unless the spelling starts with "=".
            symbols: case-sensitive symbols.
            before: signs that are written before the number.
            family: the dimension that the unit measures. By default, the unit has a family of its own.
            factor, offset: the conversion to the family's reference unit: value * factor + offset.
            pint: a pint expression for computing the factor. This needs the package pint.
        """
        if not name.strip():
            raise ValueError("add(): the name is empty; give the unit's canonical name")
        if not (math.isfinite(factor) and math.isfinite(offset)) or factor == 0:
            raise ValueError(f"add(): factor {factor!r} and offset {offset!r} must be finite, the factor not 0")
        cells = {"name": name.strip(), "family": family, "pint": pint, "offset": repr(float(offset))}
        cells["factor"] = "" if pint else repr(float(factor))
        for column, spellings in (("surfaces", surfaces), ("symbols", symbols), ("before", before)):
            cells[column] = spellings if isinstance(spellings, str) else "|".join(spellings)
        self.extend([Row("add()", 0, cells)])

    def load_tsv(self, path: str | Path) -> int:
        """Add the units of a TSV file, and return the number of its rows. The file replaces earlier meanings of its
        spellings. The docstring of `units.unit_files` describes the columns.

        Raises:
            UnitFileError: if the file is malformed. The registry then stays unchanged.
        """
        rows = read_table(path)
        self.extend(rows)
        return len(rows)

    def extend(self, rows: Sequence[Row]) -> None:
        """Add the units in the rows of a unit file. The rows replace earlier meanings of their spellings."""
        extended = self._vocabulary.copy()
        extended.add_rows(list(rows), replace=True)
        self._vocabulary = extended
        self.own += tuple(rows)
        self._refresh()

    def _currency(self, name: str) -> UnitDef:
        unit = self._vocabulary.units.get(self.resolve(name))
        if unit is None or not unit.family.startswith("currency:"):
            known = [one.name for one in self._vocabulary.units.values() if one.family.startswith("currency:")]
            near = ", ".join(difflib.get_close_matches(str(name), known, 5, 0.5) or known[:12])
            raise ValueError(f"{name!r} is not a currency, so it cannot have a rate; there are {near}, ...")
        return unit

    def with_rates(self, rates: Mapping[str, float], base: str = "dollar") -> "UnitRegistry":
        """Return a copy of the registry that converts between currencies.

        Args:
            rates: the value of each currency in the currency `base`: {"euro": 1.1, "£": 1.27}.

        Raises:
            ValueError: if a key is not a currency, or a rate is not a positive finite number.
        """
        twin = UnitRegistry(builtin=False)
        twin._vocabulary = self._vocabulary.copy()
        units = twin._vocabulary.units
        root = self._currency(base)
        for name, rate in rates.items():
            chosen = self._currency(name)
            if not (math.isfinite(rate) and rate > 0):
                raise ValueError(f"the rate of {name!r} is {rate!r}; a rate must be a positive, finite number")
            for other in list(units.values()):
                if other.family == chosen.family:
                    factor = other.factor / chosen.factor * rate * root.factor
                    units[other.name] = UnitDef(other.name, root.family, factor)
        twin._refresh()
        return twin


_SCALES = {word: 10.0**power for word, power in SCALES.items()}
_SCALE = re.compile(rf"({'|'.join(_SCALES)})\s+(?:of\s+)?(?=\S)", re.IGNORECASE)


_WORD = r"(?!(?:a|an|per)(?!\S))[^\W\d_][\w.'’&+-]{0,81}(?![\w.'’&+-])"
# A pattern of a noun phrase, which may contain numbers: "F 16 jet".
_NOUN = re.compile(rf"{_WORD}(?:(?: (?:{_WORD}|\d[\w.'’&+-]*))* {_WORD})?", re.IGNORECASE)
_AMOUNT = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def _scaled(unit: str, scale: float) -> str:
    return unit if scale == 1.0 else f"{scale:.10g} {unit}".replace("e+", "e")


def _clean(number: float) -> float:
    return float(f"{number:.14g}")


@functools.cache
def default_registry() -> UnitRegistry:
    """Return the shared registry with the units of this package. The registry is loaded on the first call."""
    return UnitRegistry()
