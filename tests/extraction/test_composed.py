"""Forms of numbers, units, bounds and ranges combine with each other: quantities composed at random are read."""

import re
from collections import Counter
from itertools import combinations

import pytest
from composed import is_right
from lib.composed import composed
from lib.composed_languages import composed_in

from pyterrier_quantity.extraction.language import codes

SEEDS = (11, 12)


@pytest.fixture(scope="module")
def read() -> list[tuple[dict[str, str], bool]]:
    return [(one.kinds, is_right(one)) for seed in SEEDS for one in composed(1500, seed)]


def test_composed_quantities_are_read(read):
    assert sum(right for _, right in read) / len(read) > 0.99


def test_no_pair_of_forms_falls_through(read):
    right: Counter[tuple[str, ...]] = Counter()
    total: Counter[tuple[str, ...]] = Counter()
    for kinds, is_read in read:
        for pair in combinations(sorted(f"{dimension} {kind}" for dimension, kind in kinds.items()), 2):
            total[pair] += 1
            right[pair] += is_read
    gaps = {pair: right[pair] / many for pair, many in total.items() if many >= 20 and right[pair] / many < 0.9}
    assert not gaps


@pytest.mark.parametrize("code", [code for code in codes() if code != "en"])
def test_the_forms_of_each_language_combine(code):
    texts = composed_in(code, 500)
    assert sum(is_right(one, code) for one in texts) / len(texts) > 0.98


SYMBOLS = "kg|mg|km|mm|kPa|mL|kWh|GHz"
MARKUP = {
    "siunitx": lambda text: re.sub(rf"(\d[\d.,]*) ({SYMBOLS})\b", r"\\SI{\1}{\2}", text),
    "LaTeX": lambda text: re.sub(r"(\d[\d.]*) × 10\^(-?\d+)", r"$\1 \\times 10^{\2}$", text),
    "soft hyphen": lambda text: text.replace("approximately", "approxi\u00admately"),
    "zero-width space": lambda text: re.sub(r"(?<=\d) (?=[A-Za-z])", " \u200b", text),
    "wrapped line": lambda text: "They wrote in their long letter to all of us " + text.replace(" of ", " of\n"),
}


@pytest.mark.parametrize("name", MARKUP)
def test_markup_changes_no_reading(name):
    written = [one for one in composed(1500, 5) if MARKUP[name](one.text) != one.text]
    right = [is_right(one._replace(text=MARKUP[name](one.text))) for one in written]
    assert len(right) > 20
    assert sum(right) / len(right) > 0.97
