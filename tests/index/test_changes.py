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
    ],
)
def test_old_values_and_changes(text: str, old: list[float], changes: list[tuple[float, str, str]]) -> None:
    read = RuleExtractor(concepts=False).extract(text)
    found = with_changes(read, text)
    assert [q.low for q in found if q.confidence < 0.7] == old
    assert [(q.low, q.unit, q.bound) for q in found if q not in read and q.confidence >= 0.7] == changes
