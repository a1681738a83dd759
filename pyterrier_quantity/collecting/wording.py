"""How a query words a number, a unit and a condition."""

from __future__ import annotations

import random
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.units import UnitRegistry
from pyterrier_quantity.units.nouns import plural

_CONDITIONS: Final = Path(__file__).parent / "data" / "conditions.tsv"
_SCALES: Final = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
_READABLE: Final = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*|[^\w\s.]{1,2}")
"""Words, or a sign: not the abbreviations with marks between their letters."""

_TRIAL: Final = 7.0
"""A unit's wording must be read back with this number."""


@cache
def patterns() -> dict[str, list[str]]:
    """The patterns of queries by condition."""
    found: dict[str, list[str]] = {}
    for line in _CONDITIONS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            condition, pattern = line.split("\t")
            found.setdefault(condition, []).append(pattern)
    return found


def digits(value: float) -> int:
    """How many digits a value has without the zeros at its ends: the fewer, the rounder. 17.5 has 3, 1200000 has 2."""
    mantissa = f"{abs(value):.10e}".partition("e")[0]
    return len(mantissa.replace(".", "").rstrip("0")) or 1


def plain(value: float) -> str:
    """A value as a plain decimal number, without an exponent: "0.05", "1200000"."""
    text = f"{value:.12g}"
    return text if "e" not in text else f"{value:.12f}".rstrip("0").rstrip(".")


def worded_number(value: float, chance: random.Random) -> str:
    """A value as a person may write it: "17.5", "1,200,000" or "1.2 million"."""
    for scale, word in _SCALES:
        if abs(value) >= scale and digits(value) <= 4 and chance.random() < 0.5:
            return f"{plain(value / scale)} {word}"
    whole, point, rest = plain(value).partition(".")
    return (f"{int(whole):,}" if abs(value) >= 10_000 else whole) + point + rest


def worded_quantity(number: str, wording: tuple[str, str]) -> str:
    """Number and unit: ("$", " a barrel") and "17.5" give "$17.5 a barrel"."""
    return f"{wording[0]}{number}{wording[1]}"


@lru_cache(maxsize=1 << 12)
def unit_wordings(unit: str, registry: UnitRegistry) -> tuple[tuple[str, str], ...]:
    """How to write a unit around a number: pairs of what stands before and behind it.

    Each was read back by the extractor as that unit. The first is the unit's own name in the plural.

    Args:
        unit: canonical name; "-" gives the empty wording.
    """
    if unit == BARE:
        return (("", ""),)
    own = ("", f" {_plural_of(unit)}")
    upper, below = _parted(unit, registry)
    ends = [""] if not below else [f"{link}{form}" for form in _forms(below, registry, single=True)
                                   for link in (" a ", " per ", "/") if link != "/" or len(form) <= 4]  # fmt: skip
    tried = [own]
    for form in _forms(upper, registry, single=False):
        sign = not form[0].isalpha()
        tried += [pair for end in ends for pair in (("", f"{'' if sign else ' '}{form}{end}"), (form, end))
                  if pair[0] == "" or sign]  # fmt: skip
    reader = RuleExtractor(concepts=False, registry=registry)
    kept = [pair for pair in dict.fromkeys(tried) if _is_read(reader, pair, unit)]
    return tuple(kept) or (own,)


def _parted(unit: str, registry: UnitRegistry) -> tuple[str, str]:
    """Numerator and denominator of a unit that has one of each; other units stay whole."""
    upper, per, below = unit.partition(" per ")
    return (upper, below) if per and " per " not in below and len(registry.parts(unit)) == 2 else (unit, "")


def _plural_of(unit: str) -> str:
    upper, per, below = unit.partition(" per ")
    for whole in ("percentage", "pound sterling"):
        if upper == whole:
            return {"percentage": "percent", "pound sterling": "pounds sterling"}[whole] + per + below
    head, of, rest = upper.partition(" of ")
    return plural(head) + of + rest + per + below


def _forms(unit: str, registry: UnitRegistry, single: bool) -> list[str]:
    """A simple unit's spellings and symbols, in the singular or the plural, each in one case only."""
    found: dict[str, str] = {}
    for form in sorted(registry.surfaces(unit), key=lambda form: (form.lower(), form.isupper(), form)):
        if _READABLE.fullmatch(form):
            found.setdefault(form.lower(), form)
    drop = {form for form in found if (plural(form) in found and len(form) > 3)}
    plurals = {plural(form) for form in drop}
    return [form for low, form in found.items() if low not in (plurals if single else drop)] or [unit]


def _is_read(reader: RuleExtractor, wording: tuple[str, str], unit: str) -> bool:
    found = reader.extract(worded_quantity(f"{_TRIAL:g}", wording))
    return [(q.low, q.high, q.unit) for q in found] == [(_TRIAL, _TRIAL, unit)]
