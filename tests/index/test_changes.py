"""Old values count less in an index, and the change from an old to a new value is found."""

import pytest

from pyterrier_quantity import RuleExtractor
from pyterrier_quantity.index.changes import with_changes


@pytest.mark.parametrize(
    ("text", "old", "changes"),
    [
        ("up from 11 to 17 percent", [11], [(6, "percentage point", "up")]),
        ("The jobless rate rose to 6.4 percent from 6.1 percent.", [6.1], [(0.3, "percentage point", "up")]),
        ("Jacket, was €200, now €90", [200], [(110, "euro", "down"), (55, "percentage", "down")]),
        (
            "Flour, 1.10 per kg, was 1.35",
            [1.35],
            [(0.25, "per kilogram", "down"), (18.5185185185, "percentage", "down")],
        ),
        ("It was 20 percent; it now stands at 17 percent.", [20], [(3, "percentage point", "down")]),
        (
            "€90, was €200, now €80",
            [200],
            [(110, "euro", "down"), (55, "percentage", "down"), (120, "euro", "down"), (60, "percentage", "down")],
        ),
        ("profit of 18 dollars on revenue of 240 dollars", [], []),
        ("from 20 to 30 g", [], []),  # a range
        ("The fee is not 7% but 2%", [7], []),
        ("It was 3 km in 2 hours", [], []),
        ("Hotel rooms, once $95 a night, have climbed to $210.", [95], []),
        ("In 1910 the city had a population of 270,000; today it is 118,000.", [270_000], []),
        ("Once a port of 25,000 people, the town now has a population of 8,100.", [25_000], []),
        ("The site used to have 300 pitches; after the flood only 120 remain.", [300], []),
        ("Forest covered 70% of the land in 1900, today just 14%", [70], [(56, "percentage point", "down")]),
        (
            "Now listed at $400,000; it last sold for $200,000 in 2012.",
            [200_000],
            [(200_000, "dollar", "up"), (100, "percentage", "up")],
        ),
        ("It was 12 km long in 1960 but 30 km by 1970.", [], []),
        ("The walk is 3 km and the road is now 5 km.", [], []),
        ("He paid $30 once a week and now has $50.", [], []),
        ("Once 300 mm of rain fell in 24 hours; the river is 9 km long.", [], []),
        ("The fee was $20 for members and $30 for guests.", [], []),
    ],
)
def test_old_values_and_changes(text: str, old: list[float], changes: list[tuple[float, str, str]]) -> None:
    read = RuleExtractor(concepts=False).extract(text)
    found = with_changes(read, text)
    assert [q.low for q in found if q.bound == "was" or q.confidence < 0.35] == old
    assert [
        (q.low, q.unit, q.bound) for q in found if q not in read and q.bound != "was" and q.confidence >= 0.7
    ] == changes
