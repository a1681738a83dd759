"""What the experiment on product questions brings: texts of product pages, baselines, BLEU-4."""

import pytest
from lib.product_text import prepared
from lib.readers import bleu4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"item_dimensions": {"height": "15.75\\"", "width": "1\\""}, "colours": ["red", "blue"]}',
         "item dimensions height: 15.75 inches, width: 1 inch, colours: red, blue"),
        ("3'' l x 4'' w", "length 3 inches x width 4 inches"),
        ("3\u2033 L × 4\u2033 W × 2\u2033 H", "length 3 inches x width 4 inches x height 2 inches"),
        ("It is 5'11\" tall", "It is 5 feet 11 inches tall"),
        ("a 6\u2032 cable for the café", "a 6 feet cable for the cafe"),
        ('she said "I need 5"', 'she said "I need 5"'),
        ("{broken", "{broken"),
        ("it's 5 dollars", "it's 5 dollars"),
    ],
)  # fmt: skip
def test_product_texts_are_prepared(text: str, expected: str) -> None:
    assert prepared(text) == expected


def test_bleu_of_equal_other_and_empty_answers() -> None:
    text = "seven red cars stop beside green houses"
    assert bleu4(text, text) == pytest.approx(1.0)
    assert bleu4("Seven red car stopped beside the green house.", text) == pytest.approx(1.0)
    assert 0.0 < bleu4("seven red cars drive home", text) < 0.5
    assert bleu4("", text) == bleu4("seven", "") == 0.0
