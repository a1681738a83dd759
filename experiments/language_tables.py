"""Write tables of `pyterrier_quantity/languages/` from CLDR and num2words: units, money, months, numbers.

    python experiments/language_tables.py [CODE ...] [--out FOLDER]

The script needs babel and num2words. The other tables of a language are maintained by hand.
"""

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
    "concentr-(item|karat|katal|ofglucose)|-part$|pressure-ofhg|milliinch|-(rod|chain|slug)$|graphics|speed-(light|beaufort)"
    "|scandinavian|light-solar|radius|-mass$|jigger|pinch|dessert|gasoline|imperial"
)
TURKISH_ENDING = re.compile("(?<=[aeıioöuü])s[ıiuü]$|(?<![aeıioöuü])[ıiuü]$")
COUNTS = ("zero", "one", "two", "few", "many", "other")
"""CLDR's plural categories, in a fixed order in which forms are written."""
ROMANCE = {"fr", "es", "pt", "it"}
NO_MONEY = {"mark", "pond", "sole", "libra", "livre", "lira", "gold", "real", "colon", "rand", "grivna"}
"""Ambiguous words. Those that mean money are listed by hand."""
SPELLED = {
    "pressure-pound-force-per-square-inch": "psi",
    "consumption-liter-per-100-kilometer": "l/100 km",
    "KGS": "kyrgyzstani som",
}
VARIETIES = {"pt": ("pt", "pt_PT"), "zh": ("zh", "zh_Hant"), "es": ("es", "es_MX"), "de": ("de", "de_CH")}
PREFIXED = {"length-meter": "metre", "mass-gram": "gram", "volume-liter": "litre"}
"""Units whose parts and multiples CLDR spells only by a pattern ("piko{0}"), with their English names."""
LETTERS = {"power-watt": "W", "electric-volt": "V"}
"""Letters that are a unit after a number in all these languages, and not words."""
NUMERALS = "十百千兆"
"""Characters that are a number before a unit, and not a prefix: "三百米" is 300 metres."""
NOTE = "# written by experiments/language_tables.py from CLDR{}: change the other tables, or the script\n"


def data(locale: str, kind: str) -> dict:
    return Locale.parse(locale)._data[kind]


def canonical(name: str) -> str | None:
    """Return the registry's name for a unit with an English name, or None if the unit is unknown."""
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
    """Yield a language's full and short spellings of a unit, without single letters, which are read as symbols."""
    styles = data(locale, "unit_patterns").get(key, {})
    for style in ("long", "short", "narrow"):
        for pattern in by_count(styles.get(style, {})):
            form = pattern.replace("{0}", "").strip(" .\u00a0\u202f")
            if style == "long" or len(form) > 1 or not form.isascii() or form == LETTERS.get(key):
                yield pattern


def by_count(forms: dict[str, str]) -> list[str]:
    return [forms[count] for count in COUNTS if count in forms]


def prefixed(locale: str) -> Iterator[tuple[str, str]]:
    """Yield the canonical name and a form for each multiple and part of a unit, from CLDR's patterns for prefixes."""
    english, local = data("en", "compound_unit_patterns"), data(locale, "compound_unit_patterns")
    for power in (f"10p{size}" for size in (-12, -9, -6, -3, -2, -1, 1, 2, 3, 6, 9, 12)):
        long = [patterns[power].get("long", {}).get("prefix") for patterns in (english, local)]
        usable = all(long) and (len(long[1]) > 4 or long[1][0] > "\u4e00") and long[1][0] not in NUMERALS
        for key, name in PREFIXED.items() if usable else ():
            unit = canonical(long[0].format(name))
            for pattern in by_count(in_full(locale, key)) if unit else ():
                if pattern.startswith("{0}"):
                    yield unit, long[1].format(form_of(pattern)).lower()


def in_full(locale: str, key: str) -> dict[str, str]:
    """Return a unit's names, keyed by plural category. For Chinese, CLDR has only short names, which are complete."""
    styles = data(locale, "unit_patterns").get(key, {})
    return styles.get("long") or (styles.get("short", {}) if locale.startswith("zh") else {})


def form_of(pattern: str) -> str:
    """Return a pattern without its placeholder for the number, if the number comes first."""
    pattern = clean(pattern)[1]
    behind = pattern.startswith("{0}")
    return pattern.replace("{0}", "").strip() if behind else pattern


def units(locales: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    taken: set[str] = set()
    for key, unit in english_units():
        for locale in locales:
            for form in map(form_of, patterns(locale, key)):
                if form not in taken and not (form.isascii() and len(form) < 3 and form.upper() != LETTERS.get(key)):
                    found[unit].append(form)
                    taken.add(form)
    for locale in locales:
        for unit, form in prefixed(locale):
            if form not in taken:
                found[unit].append(form)
                taken.add(form)
    return found


def currencies(locales: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    taken: set[str] = set()
    for code, english in data("en", "currency_names").items():
        unit = next(filter(is_money, map(canonical, (code, SPELLED.get(code, english).lower()))), None)
        if unit is None:
            continue
        for locale in locales:
            names = [data(locale, "currency_names").get(code, "")]
            names += by_count(data(locale, "currency_names_plural").get(code, {}))
            names += re.findall("^[\u20a0-\u20bf]$", data(locale, "currency_symbols").get(code, ""))
            for name in names:
                form = re.sub(r" ?\(.*?\)|\d+-\d+", "", clean(name)[1]).strip()
                if form and form not in taken:
                    found[unit].append(form)
                    taken.add(form)
    for unit, form in bare_currencies(found, locales):
        if form not in taken:
            found[unit].append(form)
            taken.add(form)
    return found


def is_money(unit: str | None) -> bool:
    return unit is not None and (default_registry().family(unit) or "").startswith("currency:")


def bare_currencies(found: dict[str, list[str]], locales: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the unit and name of currencies without the country that is next to the name ("pesetas")."""
    place = 0 if set(locales) & ROMANCE else -1
    heads: dict[str, set[str]] = defaultdict(set)
    for unit, forms in found.items():
        for words in (form.split() for form in forms if " " in unit):
            if len(words) == 2:
                heads[TURKISH_ENDING.sub("", words[1]) if "tr" in locales else words[place]].add(unit)
    for form, units in heads.items():
        names = {unit.rpartition(" ")[2] for unit in units}
        unit = canonical(names.pop()) if len(names) == 1 else None
        if (
            is_money(unit)
            and len(form) > (3 if form.isascii() else 2 if "ja" in locales else 1)
            and "-" not in form
            and form not in NO_MONEY
        ):
            yield unit, form


def months(locales: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    english = Locale.parse("en").months["format"]["wide"]
    for locale in locales:
        for width in ("wide", "abbreviated"):
            for number, name in Locale.parse(locale).months["format"][width].items():
                if not name[:1].isdigit():
                    found[english[number]].append(clean(name)[1].rstrip("."))
    return found


def numbers(code: str) -> dict[str, list[str]]:
    """Return the words for numbers below a hundred and for their denominators, from num2words."""
    found: dict[str, list[str]] = defaultdict(list)
    for value in (digit * 10**place for place in range(5) for digit in range(1, 10)) if code == "ja" else ():
        reading = num2words(value, lang=code, reading=True)
        if len(reading) > 2 or value in (3, 4, 6, 7, 8):  # "に", "ご" and "せん" are other words, too
            found[f"{value}?"].append(reading)
    if code not in ("de", "fr", "es", "pt", "it", "nl", "sv", "tr"):
        return found
    for value in range(100):
        found[str(value)].append(num2words(value, lang=code).replace("-", " "))
    for value in (*range(3, 101), 1000, 10**6) if code != "tr" else ():
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
