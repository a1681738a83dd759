"""Numbers within HTML, and the test for what cannot be a number."""

import re
from pathlib import Path

import pytest

from pyterrier_quantity import RuleExtractor, extract
from pyterrier_quantity.extraction.grammar import formats

HTML = {
    "a <b>5&nbsp;mg</b> dose": ("5 milligram", "5&nbsp;mg"),
    "for 5&euro;, net": ("5 euro", "5&euro;"),
    "<td>5 m<sup>2</sup></td><td>x</td>": ("5 square metre", "5 m<sup>2"),
    "x &gt;= 10&deg;C<script>99 dogs</script>": (">= 10 celsius", "10&deg;C"),
    "x &gt;= 10&deg;C<script>99 dogs": (">= 10 celsius", "10&deg;C"),
}


@pytest.mark.parametrize(("source", "expected"), HTML.items())
def test_html_keeps_the_source_s_offsets(source: str, expected: tuple[str, str]) -> None:
    (quantity,) = RuleExtractor(html=True).extract(source)
    assert (str(quantity), source[quantity.start : quantity.end]) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>1.5&nbsp;kg</p>", "1.5&nbsp;kg"),
        ("<li>Power: <strong>500 hp</strong></li>", "500 hp"),
        ("Width:<br>5 cm", "5 cm"),
        ("<table><tr><td>Weight</td><td>5&#8239;kg</td></tr></table>", "5&#8239;kg"),
    ],
)
def test_a_plain_text_of_paragraphs_is_html(source: str, expected: str) -> None:
    (quantity,) = extract(source)
    assert (quantity.bound, source[quantity.start : quantity.end]) == ("=", expected)


def test_no_form_without_a_quantity_is_missed():
    rows = Path(__file__).parents[1].joinpath("data", "rules.tsv").read_text(encoding="utf-8").lower().splitlines()
    places = [(row, digits.start()) for row in rows for digits in re.finditer(r"\d+", row)]
    assert [place for place in places if bool(formats.SKIP.match(*place)) != bool(formats.skipped(*place))] == []
