"""Write numbers, units and conditions in English for queries: 17.5, "dollar per barrel" -> "$17.5 a barrel"."""

import random
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from pyterrier_quantity.english.nouns import plural
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.quantity import BARE
from pyterrier_quantity.units import UnitRegistry

_CONDITIONS: Final = Path(__file__).parent / "data" / "conditions.tsv"
_SCALES: Final = (
    (1e12, (" trillion", "tn")), (1e9, (" billion", "B", "b", "bn")), (1e6, (" million", "M")),
    (1e3, (" thousand", "K", "k")),
)  # fmt: skip
_AROUND: Final = re.compile(
    r"(\D{0,6}?)(\d[\d,]*(?:\.\d+)?(?: (?:hundred|thousand|million|mln|billion|bln|trillion))?)((?![\d.])\D*)"
)
_FIRST: Final = re.compile(r"[^\W\d_]+")
_SIGNS: Final = frozenset("$€£¥%°")
_AFTER: Final = frozenset("%°")  # symbols that are written after the number
_MOST, _OFTEN = 6, 3  # maximum number of wordings per unit from the corpus, and minimum frequency of each
Wording = tuple[str, str]
"""A wording of a unit: the texts before and after a number, such as ("$", " a barrel")."""
_FORMS: Final = 60  # maximum number of wordings per unit to try
_PLURALS: Final = {"percentage": "percent", "pound sterling": "pounds sterling"}
_TRIAL: Final = 7.0  # number with which a wording is tested


@cache
def patterns() -> dict[str, list[str]]:
    """Return a dictionary from each operator (">") to its query patterns, such as "{concept} above {value}"."""
    lines = _CONDITIONS.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {condition: [pattern for other, pattern in rows if other == condition] for condition, _ in rows}


def digits(value: float) -> int:
    """Return the number of significant digits of a value: 17.5 -> 3, 1200000 -> 2."""
    mantissa = f"{abs(value):.10e}".partition("e")[0]
    return len(mantissa.replace(".", "").rstrip("0")) or 1


def plain(value: float) -> str:
    """Return a value in decimal notation without an exponent: 1.2e6 -> "1200000"."""
    text = f"{value:.12g}"
    return text if "e" not in text else f"{value:.12f}".rstrip("0").rstrip(".")


def numeral(value: float, chance: random.Random) -> str:
    """Return a value in a randomly chosen common format: 1.2e6 -> "1200000", "1,200,000", "1.2 million" or "1.2M".

    Digits ("1200000") and a shorter number with a scale word ("1.2 million") are equally likely. A scale word is used
    only if the value stays exact. Source: Almasian et al., *Numbers Matter!*, appendix B.2.
    """
    power, words = next(((p, w) for p, w in _SCALES if abs(value) >= p), (1.0, ()))
    whole, point, rest = plain(value).partition(".")
    if not words:
        return whole + point + rest
    short = plain(value / power)
    if float(short) * power == value and len(short) < len(whole) and chance.random() < 0.5:
        return short + chance.choice(words)
    return (f"{int(whole):,}" if chance.random() < 0.8 else whole) + point + rest


def with_unit(number: str, wording: Wording) -> str:
    """Return a number with its unit: "17.5", ("$", " a barrel") -> "$17.5 a barrel"."""
    return f"{wording[0]}{number}{wording[1]}"


def unit_wordings(unit: str, stated: Iterable[str], registry: UnitRegistry) -> list[Wording]:
    """Return wordings of a unit that the extractor recognises: its name, its symbols, and the most frequent wordings in
    `stated`, a list of texts such as "$17.50 a barrel". The unit "-" has an empty wording."""
    if unit == BARE:
        return [("", "")]
    seen = Counter(found[0] for found in map(around_number, stated) if found)
    own = max((("", f" {name}") for name in dict.fromkeys((_plural_of(unit), unit))), key=lambda w: seen[w])
    signs = [sign for sign in registry.surfaces(unit) if sign in _SIGNS]
    usual = [wording for wording, times in seen.most_common() if times >= _OFTEN and not _has_better(wording, seen)]
    below = unit.partition(" per ")[2]
    before = [(sign, f" per {below}" if below else "") for sign in signs if sign not in _AFTER]
    after = [("", sign) for sign in signs if sign in _AFTER]
    tried = [own, *before, *after, *usual[:_MOST]]
    reader = RuleExtractor(concepts=False, registry=registry)
    return [wording for wording in dict.fromkeys(tried) if _is_read(reader, wording, unit)] or [own]


def registry_wordings(unit: str, registry: UnitRegistry) -> list[Wording]:
    """Return all wordings of a unit that the registry lists and the extractor recognises. For a compound unit, the
    wordings of the numerator and the denominator are joined by "per", "/" or "a": "km/h"."""
    if unit == BARE:
        return [("", "")]
    upper, per, below = unit.partition(" per ")
    plain_forms = _forms(upper, registry)
    forms = [("", f" {_plural_of(upper)}")]
    forms += [(form, "") for form in plain_forms if not form[-1].isalpha() and form not in _AFTER]
    forms += [("", f"{'' if form in _AFTER else ' '}{form}") for form in plain_forms]
    if per:
        every = _forms(below, registry)
        singular = (form for form in every if not (form.endswith("s") and form[:-1] in every))
        divided = [joint + form for form in singular for joint in (" per ", "/", " a ")]
        forms = [(before, after + rest) for before, after in forms for rest in divided]
    reader = RuleExtractor(concepts=False, registry=registry)
    return [wording for wording in list(dict.fromkeys(forms))[:_FORMS] if _is_read(reader, wording, unit)]


def _forms(unit: str, registry: UnitRegistry) -> list[str]:
    forms = {" ".join(form.split()) for form in registry.surfaces(unit) if not re.search(r" \W|\W ", form)}
    return sorted({form.lower(): form for form in sorted(forms)}.values())


def _has_better(wording: Wording, seen: Counter[Wording]) -> bool:
    """Return whether the plural ("dlrs a barrel") or the lower-case form of a wording is frequent. `seen` contains
    the number of occurrences of each wording."""
    before, after = wording
    plural_ = _FIRST.sub(r"\g<0>s", after, count=1)
    return any(other != wording and seen[other] >= _OFTEN for other in ((before, plural_), (before, after.lower())))


def around_number(stated: str) -> tuple[Wording, str] | None:
    """Split a text into wording and number: "$17.50 a barrel" -> (("$", " a barrel"), "17.50"). Return None if the text
    does not contain exactly one number in digits."""
    found = _AROUND.fullmatch(" ".join(stated.split()))
    if not found or (found[1] and found[1][-1].isalnum()) or found[3].startswith("-"):
        return None
    return (found[1], found[3]), found[2]


def _plural_of(unit: str) -> str:
    upper, per, below = unit.partition(" per ")
    if upper in _PLURALS:
        return _PLURALS[upper] + per + below
    head, of, rest = upper.partition(" of ")
    return (plural(head) + of + rest + per + below).replace("pound-mass", "pound").replace("pounds-mass", "pounds")


def _is_read(reader: RuleExtractor, wording: Wording, unit: str) -> bool:
    found = reader.extract(with_unit(f"{_TRIAL:g}", wording))
    return [(q.low, q.high, q.unit) for q in found] == [(_TRIAL, _TRIAL, unit)]
