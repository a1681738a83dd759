"""Forms of numbers, units, bounds and ranges combine with each other: quantities composed at random are read."""

from collections import Counter
from itertools import combinations

import pytest
from composed import is_right
from lib.composed import composed

from pyterrier_quantity.extraction import extract

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


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("a gap of 1.5 × 10⁻³ m", ["0.0015 metre"]),
        ("two million and a half people", ["2,500,000 people"]),
        ("3 (15-ounce) cans of beans", ["3 can", "15 ounce"]),
        ("EBIT $(12.4)m", ["-12,400,000 dollar"]),
        ("He is 1 m 81 tall.", ["1.81 metre"]),
        ("-20–-10 °C", ["-20 to -10 celsius"]),
        ("a rug of 8' x 10'", ["8 foot", "10 foot"]),
        ("Box L40 x W30 x H20 cm", ["40 centimetre", "30 centimetre", "20 centimetre"]),
    ],
)
def test_a_form_keeps_its_value_next_to_others(text, stated):
    assert [str(quantity) for quantity in extract(text)] == stated
