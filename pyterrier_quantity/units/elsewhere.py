"""What units are called in other languages, for units that are given by hand: "semana", "Grado Celsius", "円"."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

from pyterrier_quantity.english import listed

_TABLES: Final = ("units.tsv", "cldr_units.tsv", "cldr_currencies.tsv")
_LANGUAGES: Final = Path(__file__).parents[1] / "languages"


@lru_cache(maxsize=1)
def names_elsewhere() -> dict[str, str]:
    """Canonical names by what other languages' tables call them; without English words, and what is called alike."""
    found: dict[str, set[str]] = {}
    for folder in sorted(_LANGUAGES.iterdir()):
        called: dict[str, str] = {}
        for line in "\n".join((folder / name).read_text(encoding="utf-8") for name in _TABLES).splitlines():
            unit, _, forms = line.partition("\t")
            for form in forms.split("|") if unit[:1].isalpha() else ():
                called.setdefault(form, unit)
        for form, unit in called.items():
            found.setdefault(form, set()).add(unit)
    english = listed("nouns that are units in other languages")
    return {
        form: next(iter(units))
        for form, units in found.items()
        if len(units) == 1 and form not in english and (len(form) > 2 or not form.isascii())
    }
