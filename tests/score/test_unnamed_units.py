"""A condition without a unit asks for a unit whose values are of its magnitude, or for a precise number in any unit."""

import pandas as pd
import pytest

from pyterrier_quantity import QuantityScorer


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        ("laptop under 1500", 'Laptop 14", $1,399', 'Laptop 18", $1,999'),
        ("house under 300k", "House with 3 bedrooms, £285,000", "House with 3 bedrooms, £520,000"),
        ("flat reduced to 195,000", "Flat in the old town, £195,000", "Flat in the old town, £196,000"),
    ],
)
def test_the_likely_unit_decides(query: str, right: str, wrong: str) -> None:
    frame = pd.DataFrame({"qid": "1", "query": query, "docno": ["right", "wrong"], "text": [right, wrong]})
    better, worse = QuantityScorer()(frame)["score"]
    assert better > 1.5 * worse
