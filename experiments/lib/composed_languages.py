"""Compose quantities at random from the tables of a language, with all combinations of bounds, numbers and units."""

import random
import re
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Final

from lib.composed import Composed, Reading
from pyterrier_quantity.extraction.language import tools_of
from pyterrier_quantity.units import default_registry

_UNIT: Final = re.compile(r"(?:(-?\d+(?:\.\d+)?) (?=\D))?(\D\S*(?: \S+)*)")
_SYMBOLS: Final = [("km/h", "kilometre per hour"), ("mg/dL", "milligram per decilitre"), ("€/kg", "euro per kilogram")]
_SHARED: Final = frozenset(("kilometre", "litre", "kilogram", "metre", "hour", "minute", "gram"))


class Forms:
    """The forms in a language's tables: bounds, units, scale words, number words, ranges and list words."""

    def __init__(self, code: str) -> None:
        self.tables = tools_of(code).language
        self.apart = " " if self.tables.blanks == "yes" else ""
        self.gap = "" if self.tables.blanks == "no" else " "
        self.decimal = self.tables.settings["decimal"][0]
        self.groups = self.tables.settings["groups"][0].replace("blank", " ")
        bounds = [row.cells for row in self.tables.rows("bounds")]
        self.bounds = {
            side: [(bound, form) for bound, at, forms in bounds for form in forms.split("|") if at == side
                   and "*" not in form and bound not in ("up", "down")] for side in ("before", "after")
        }  # fmt: skip
        also_bounds = {form for _, form in self.bounds["after"]}
        self.ranges = [
            (opening, between, closing)
            for row in self.tables.rows("ranges")
            for opening, between, closing in product(*(cell.split("|") for cell in row.cells))
            if between != "、" and closing not in also_bounds
        ]
        self.joins = [form for name, form in self._forms("words") if name in ("and", "or")]
        units = {form for _, form in self._forms("units")}
        self.scales = [
            (float(value[1:]), form)
            for value, form in self._forms("numbers")
            if value[:1] == "x" and len(value) > 4 and "?" not in value and form not in units
        ]
        self.units = list(self._units())

    def _forms(self, *names: str) -> Iterator[tuple[str, str]]:
        """Yield (meaning, form) for each form in tables with two columns."""
        for row in self.tables.rows(*names):
            for form in row.cells[1].split("|"):
                yield row.cells[0], form

    def _units(self) -> Iterator[tuple[str, str]]:
        """Yield (form, unit) for the forms with one meaning, without a factor."""
        shapes = ((form, _UNIT.fullmatch(meaning)) for meaning, form in self._forms("units", "cldr_units"))
        found = [(form, shape[2]) for form, shape in shapes if shape and not shape[1]]
        meanings = Counter(form.lower() for form, _ in set(found))
        counts = self._forms("units", "nouns", "numbers")
        known = self.tables.stop_words | {form for meaning, form in counts if meaning[:1] in "0123456789x/"}
        for form, unit in found:
            clear = meanings[form.lower()] == 1 and form not in known and "{0}" not in form
            if clear and default_registry().family(unit):
                yield form, unit


def _number(rng: random.Random, forms: Forms) -> tuple[str, str, float]:
    """Return the kind, the wording and the value of a number."""
    whole, tenth, rest, power = rng.randint(11, 98), rng.randint(1, 9), rng.randint(101, 899), rng.choice([3, 5, -4])
    decimal, value = f"{whole}{forms.decimal}{tenth}", whole + tenth / 10
    kinds = {
        "plain": (str(whole), whole),
        "decimal": (decimal, value),
        "groups": (f"{whole}{forms.groups}{rest}", whole * 1000 + rest),
        "power": (f"{decimal} × 10^{power}", value * 10.0**power),
        "uncertain": (f"{decimal} ± 0{forms.decimal}2", value),
        "bracket": (f"({decimal} ± 0{forms.decimal}2)", value),
        "bracket power": (f"({decimal} ± 0{forms.decimal}2) × 10^{power}", value * 10.0**power),
    }
    if forms.scales:
        scale, form = rng.choice(forms.scales)
        kinds["scale"] = (f"{whole}{forms.apart}{form}", whole * scale)
    kind = rng.choice(list(kinds))
    return kind, *kinds[kind]


def _single(rng: random.Random, forms: Forms) -> Composed:
    kind, number, value = _number(rng, forms)
    form, unit = rng.choice([*forms.units, *_SYMBOLS * 20])
    side = rng.choice(["none", "before", "after"])
    bound, wording = rng.choice(forms.bounds[side]) if forms.bounds.get(side) else ("=", "")
    measure = f"{number}{forms.gap}{form}"
    text = f"{measure}{forms.apart}{wording}" if side == "after" else f"{wording}{forms.gap}{measure}"
    kinds = {"number": kind, "bound": side, "unit": "symbol" if "/" in form else "word"}
    return Composed(text.strip(), [(value, value, unit, bound)], kinds)


def _joined(rng: random.Random, forms: Forms) -> Composed:
    form, unit = rng.choice([one for one in forms.units if one[1] in _SHARED])
    whole, tenth = rng.randint(11, 98), rng.choice(["", f"{forms.decimal}{rng.randint(1, 9)}"])
    numbers = [f"{whole + more}{tenth}" for more in (0, 7, 9)]
    values = [float(number.replace(",", ".")) for number in numbers]
    if rng.random() < 0.4:
        mark, word = ";" if forms.decimal == "," else ",", rng.choice(forms.joins)
        text = f"{numbers[0]}{mark} {numbers[1]}{forms.gap}{word}{forms.gap}{numbers[2]}{forms.gap}{form}"
        readings: list[Reading] = [(value, value, unit, "=") for value in values]
        return Composed(text, readings, {"join": "list"})
    opening, between, closing = rng.choice(forms.ranges)
    about = rng.choice([wording for bound, wording in forms.bounds["before"] if bound == "~"] or [""])
    about = about if rng.random() < 0.3 and forms.apart else ""
    middle = f"{forms.apart}{between}{forms.apart}".removeprefix(" " * between.startswith(("'", "-", "~")))
    closing = closing if closing[:1] == "'" else forms.apart + closing
    parts = (f"{word} " if forms.apart else word for word in (opening, about) if word)
    text = f"{''.join(parts)}{numbers[0]}{middle}{numbers[1]}{forms.gap}{form}{closing}"
    return Composed(
        text.strip(), [(*values[:2], unit, "~" if about else "=")], {"join": "range", "about": str(bool(about))}
    )


def composed_in(code: str, count: int, seed: int = 0) -> list[Composed]:
    """Return texts of quantities composed from the tables of a language. The same seed gives the same texts."""
    rng, forms = random.Random(seed), Forms(code)
    return [rng.choice((_single, _single, _joined))(rng, forms) for _ in range(count)]
