"""An index also stores the rates and totals that follow from two neighbouring quantities."""

import pytest

from pyterrier_quantity import RuleExtractor
from pyterrier_quantity.index.totals import with_derived


@pytest.mark.parametrize(
    ("text", "further"),
    [
        ("Cabin by the lake, 3 nights for £240", [(80, "pound sterling per night")]),
        ("€18 for 12 candles", [(1.5, "euro per candle")]),
        ("Candles, box of 24 candles, £6", [(0.25, "pound sterling per candle")]),
        ("Lemonade, 12 x 250 ml", [(12, "pack"), (3000, "millilitre")]),
        ("Lemonade 250 ml × 12", [(12, "pack"), (3000, "millilitre")]),
        ("four bottles of tonic, 20 cl each", [(80, "centilitre")]),
        ("a course of two days of 7 hours", [(14, "hour")]),
        ("open 6 hours a day, 5 days a week", [(30, "hour per week")]),
        ("£70 a night for 3 nights", [(210, "pound sterling")]),
        ("£10 a day for 2 weeks", [(140, "pound sterling")]),
        ("flat with 3 bedrooms, £900", []),  # not a price per bedroom
        ("2 x 480 mg of the drug", []),  # a dose
        ("sessions 3 x 30 minutes", []),
        ("tiles 4 x 30 cm", []),  # a size
        ("5 kg in 3 days", []),
        ("1 night for £90", []),
        ("at least 3 nights for £240", []),
    ],
)
def test_rates_and_totals(text: str, further: list[tuple[float, str]]) -> None:
    read = RuleExtractor(concepts=False).extract(text)
    found = with_derived(read, text)
    assert [(q.low, q.unit) for q in found if q not in read] == further
    assert all(q.confidence <= 0.8 for q in found if q not in read)
