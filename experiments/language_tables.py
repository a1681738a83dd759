"""Writes the tables of `pyterrier_quantity/languages/` that CLDR and num2words know: units, money, months, numbers.

    python experiments/language_tables.py [CODE ...] [--out FOLDER]

Needs babel and num2words. What they lack stands in the other tables of a folder, which are kept by hand.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from babel import Locale
from num2words import num2words

import pyterrier_quantity as ptq
from pyterrier_quantity.extraction.text import clean
from pyterrier_quantity.units import UnknownUnitError, default_registry

CODES = ("de", "fr", "es", "pt", "it", "nl", "sv", "zh", "ja", "ko", "tr", "hi")
HOME = Path(ptq.__file__).parent / "languages"
NOT_UNITS = re.compile(
    "concentr-(item|karat)|graphics|speed-(light|beaufort)|scandinavian|light-|radius|-mass$|jigger|pinch|dessert|gasoline|imperial"
)
SPELLED = {"pressure-pound-force-per-square-inch": "psi", "consumption-liter-per-100-kilometer": "l/100 km"}
VARIETIES = {"pt": ("pt", "pt_PT"), "zh": ("zh", "zh_Hant"), "es": ("es", "es_MX"), "de": ("de", "de_CH")}
NOTE = "# written by experiments/language_tables.py from CLDR{}: change the other tables, or the script\n"


def data(locale: str, kind: str) -> dict:
    return Locale.parse(locale)._data[kind]


def canonical(name: str) -> str | None:
    """What the registry calls an English name, if it knows it."""
    try:
        unit = default_registry().resolve(name)
    except UnknownUnitError:
        return None
    known = default_registry().family(unit) is not None
    return unit if known else None


def english_units() -> Iterator[tuple[str, str]]:
    for key, styles in data("en", "unit_patterns").items():
        pattern = SPELLED.get(key) or styles.get("long", {}).get("other")
        if pattern is None or NOT_UNITS.search(key):
            continue
        unit = canonical(pattern.replace("{0}", "").strip())
        if unit is None and (amount := pattern.removeprefix("{0} metric ")) != pattern:
            unit = canonical(amount)
        if unit is not None:
            yield key, unit


def patterns(locale: str, key: str) -> Iterator[str]:
    """How a language writes a unit, in full and shortened; single letters stay what the symbols mean."""
    styles = data(locale, "unit_patterns").get(key, {})
    for style in ("long", "short", "narrow"):
        for count, pattern in styles.get(style, {}).items():
            form = pattern.replace("{0}", "").strip(" .\u00a0\u202f")
            if count not in ("per", "case", "gender") and (style == "long" or len(form) > 1 or not form.isascii()):
                yield pattern


def form_of(pattern: str) -> str:
    """A pattern without what stands for the number, where the number comes first."""
    pattern = clean(pattern)[1]
    behind = pattern.startswith("{0}")
    return pattern.replace("{0}", "").strip() if behind else pattern


def units(locales: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    taken: set[str] = set()
    for key, unit in english_units():
        for locale in locales:
            for form in map(form_of, patterns(locale, key)):
                if form not in taken and not (form.isascii() and len(form) < 3):
                    found[unit].append(form)
                    taken.add(form)
    return found


def currencies(locales: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    taken: set[str] = set()
    for code in data("en", "currency_names"):
        unit = canonical(code)
        if unit is None or unit == code.lower() or len(unit) < 3:
            continue
        for locale in locales:
            names = [data(locale, "currency_names").get(code, "")]
            names += data(locale, "currency_names_plural").get(code, {}).values()
            for name in names:
                form = re.sub(r" ?\(.*?\)|\d+-\d+", "", clean(name)[1]).strip()
                if form and form not in taken:
                    found[unit].append(form)
                    taken.add(form)
    return found


def months(locales: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for locale in locales:
        for width in ("wide", "abbreviated"):
            for number, name in Locale.parse(locale).months["format"][width].items():
                if not name[:1].isdigit():
                    found[str(number)].append(clean(name)[1].rstrip("."))
    return found


def numbers(code: str) -> dict[str, list[str]]:
    """The numbers below a hundred and what they are the denominators of, as num2words has them."""
    found: dict[str, list[str]] = defaultdict(list)
    if code not in ("de", "fr", "es", "pt", "it", "nl", "sv", "tr"):
        return found
    for value in range(100):
        found[str(value)].append(num2words(value, lang=code).replace("-", " "))
    for value in (*range(3, 21), *range(30, 101, 10), 1000, 10**6) if code != "tr" else ():
        ordinal = num2words(value, lang=code, to="ordinal").replace("-", " ")
        found[f"/{value}"] += [ordinal, *({"de": [ordinal[:-1] + "l"]}.get(code) or [ordinal + "s"])]
    return found


def write(folder: Path, name: str, source: str, rows: dict[str, list[str]]) -> None:
    lines = [f"{key}\t{'|'.join(dict.fromkeys(forms))}\n" for key, forms in rows.items() if forms]
    if lines:
        (folder / f"{name}.tsv").write_text(NOTE.format(source) + "".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("codes", nargs="*", default=CODES)
    parser.add_argument("--out", type=Path, default=HOME)
    options = parser.parse_args()
    for code in options.codes:
        folder = options.out / code
        folder.mkdir(parents=True, exist_ok=True)
        locales = VARIETIES.get(code, (code,))
        write(folder, "cldr_units", "", units(locales))
        write(folder, "cldr_currencies", "", currencies(locales))
        write(folder, "cldr_months", "", months(locales))
        write(folder, "spelled_numbers", " and num2words", numbers(code))


if __name__ == "__main__":
    main()
