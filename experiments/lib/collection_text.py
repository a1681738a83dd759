"""Values and units, as the generator of the bundled collection writes them."""

import random
import re
from dataclasses import dataclass

MONEY = ("dollar", "euro", "pound sterling")
SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


@dataclass(frozen=True)
class Unit:
    """A unit, its family (or "-"), its size in the family, and its wordings, in which `#` stands for the number."""

    name: str
    family: str
    factor: float
    surfaces: list[str]


def singular_value(cell: str, unit: str) -> tuple[float, float, str]:
    """Return the low value, high value and unit in the cell of a fact, such as "530", "5-10" or "1 terabyte"."""
    value, _, other = cell.strip().partition(" ")
    low, _, high = value.partition("-") if not value.startswith("-") else (value, "", "")
    return float(low), float(high or low), other or unit


def render(
    low: float, high: float, unit: Unit, target: Unit, options: list[str], chance: random.Random
) -> tuple[str, float, float]:
    """Return the value as text in the target unit, and the value that the text states (rounded if converted)."""
    if target is not unit:
        low, high = (rounded(end * unit.factor / target.factor) for end in (low, high))
    wanted = "adj:" if "adj" in options else ""
    surfaces = [s.removeprefix("adj:") for s in target.surfaces if s.startswith("adj:") == bool(wanted)]
    surface = surfaces[0] if "first" in options else chance.choice(surfaces)
    if "word" in options:
        surface = next(s for s in surfaces if s.startswith("# ") and s[2:].isascii() and len(s) > 6)
        return surface.replace("#", words(int(low))), low, high
    if low != high:
        middle = chance.choice(("-", " to ", "–"))
        return (
            surface.replace("#", written(low, unit, options, chance) + middle + written(high, unit, options, chance)),
            low,
            high,
        )
    if "bare" in options:
        surface = "#"
    text = surface.replace("#", written(low, target, options, chance, spaced=not surface.endswith("#")))
    if low == 1 and surface.startswith("# ") and surface.endswith("s") and len(surface) > 5 and target.name != "hertz":
        text = text.removesuffix("s")
    return text, low, high


def rounded(value: float) -> float:
    """Round a converted value as people do: below a thousand to three significant digits, and above to an integer."""
    return float(round(value)) if value >= 100 else float(f"{value:.3g}")


def written(value: float, unit: Unit, options: list[str], chance: random.Random, spaced: bool = False) -> str:
    """Return only the number, with the separators, scale words and decimals that people use."""
    if value >= 1e6 and "digits" not in options:
        scale, word, short = (1e9, "billion", "bn") if value >= 1e9 else (1e6, "million", "m")
        amount = f"{value / scale:.6g}"
        if spaced or unit.name not in MONEY or "long" in options or chance.random() < 0.5:
            return f"{amount} {word}"
        return amount + short
    if value == int(value):
        plain = value < 1000 or (value < 10000 and chance.random() < 0.2)
        return str(int(value)) if plain else f"{int(value):,}"
    return f"{value:,.2f}" if unit.name in MONEY else f"{value:,.10g}"


def words(value: int) -> str:
    """Return a whole number below a million in words."""
    if value < 20:
        return SMALL[value]
    if value < 100:
        return TENS[value // 10 - 2] + (f"-{SMALL[value % 10]}" if value % 10 else "")
    size, name = (100, "hundred") if value < 1000 else (1000, "thousand")
    rest = value % size
    return (
        words(value // size)
        + f" {name}"
        + (f" and {words(rest)}" if 0 < rest < 100 else f" {words(rest)}" if rest else "")
    )


def is_bare(surface: str) -> bool:
    """Return whether a number is stated without its unit ("aged 26", "and the other 14")."""
    names = {*SMALL, *TENS, "hundred", "thousand", "million", "billion", "and", "to", "between"}
    return all(word in names for word in re.sub(r"[\d.,–]+", " ", surface.lower()).replace("-", " ").split())
