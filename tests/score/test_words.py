"""To which number of a text its words belong."""

import pandas as pd
import pytest

from pyterrier_quantity import QuantityScorer


def scores(query: str, *texts: str) -> list[float]:
    frame = pd.DataFrame({"qid": "q", "query": query, "docno": [str(at) for at in range(len(texts))], "text": texts})
    return list(QuantityScorer().transform(frame)["score"])


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        ("pipe with inner diameter 40 mm", "Inner diameter 40 mm, wall 3 mm", "Wall 40 mm, inner diameter 90 mm"),
        ("juice with 60 percent mango", "Mango 60 percent, apple 9 percent", "Apple 60 percent, mango 9 percent"),
        (
            "nickel price of 900 dollars per tonne",
            "Nickel was sold at a price of 900 dollars per tonne, tin at 655.",
            "Tin was sold at a price of 900 dollars per tonne, nickel at 655.",
        ),
    ],
)  # fmt: skip
def test_a_word_before_a_number_is_not_about_an_earlier_number(query, right, wrong):
    first, second = scores(query, right, wrong)
    assert first > 1.2 * second


def test_a_word_before_several_numbers_is_about_all_of_them():
    query = "ferry passengers above 400 people"
    first, second = scores(query, "Ferry passengers: 410 people", "Ferry passengers: 300 people in May and 410 people")
    assert first == pytest.approx(second, rel=0.15)


def test_a_word_before_a_number_still_names_the_thing_of_other_conditions():
    first, second = scores("flat of 50 m2 with rent under 400 euros", "Flat of 50 m2, rent 390 euros", "Flat of 50 m2")
    assert first > 0.9
    assert second < first


def test_a_bare_number_counts_after_the_nearest_word_of_the_attribute():
    (found,) = scores("hotel rating above 4 stars", "Hotel, rating 4.6, terrace")
    assert found > 0.7
