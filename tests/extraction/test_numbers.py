"""Numbers, ranges and bounds as many kinds of text write them: one line a case."""

from __future__ import annotations

import pytest

from pyterrier_quantity import RuleExtractor, extract

CASES = {
    # numbers
    "a price of 7 990,00 Kč": ["7,990 czech crown"],
    "it weighs 1 234.5 kg": ["1,234.5 kilogram"],
    "it cost 1 234 567.89 dollars": ["1,234,567.89 dollar"],
    "1'234'567 people came": ["1,234,567 people"],
    "heated @8°C": ["8 celsius"],
    "a trip of 2h30": ["2.5 hour"],
    "a box of 20 x 30 x 5 cm": ["20 centimetre", "30 centimetre", "5 centimetre"],
    "a crystal of 0.4 × 0.4 × 0.1 mm3": ["0.4 cubic millimetre"] * 2 + ["0.1 cubic millimetre"],
    "taken from3 to 5days": ["3 to 5 day"],
    "an error of 3.4304×10−6, and": ["3.4304e-06"],
    "a budget of -1.2M": ["-1,200,000"],
    "one-eighth": ["0.125 proportion"],
    "twenty-three fifths": ["4.6"],
    "a hundredth of a second": ["0.01 second"],
    "it is nought point nought four": ["0.04"],
    "two hundred point seventy-one": ["200.71"],
    "the answer is minus one": ["-1"],
    "2.5^-1": ["0.4"],
    "3 dozens": ["36"],
    "the COP26 pledges": [],
    "a kilo of rice": ["1 kilogram"],
    "12.500 people": ["12,500 people"],
    "an A$5mil (RM14mil) deal": ["5,000,000 australian dollar", "14,000,000 malaysian ringgit"],
    "twelve quarters in a row": ["12 quarter"],
    "the two hundredth visitor": [],
    "the one hundred and fifth time": [],
    "it took less than an hour": ["< 1 hour"],
    "in an hour": [],
    "a flat of 850 ft2 in Rome": ["850 square foot"],
    "rated 4.5 out of 5 stars": ["4.5 star"],
    "a box of 20x30x5 cm": ["20 centimetre", "30 centimetre", "5 centimetre"],
    "give 2x30mg/kg": ["2", "30 milligram per kilogram"],
    "a 4x4 car": [],
    "a walk of 1h15min": ["1.25 hour"],
    "it took just over an hour": ["> 1 hour"],
    "a pressure of 10−6 mbar": ["1e-06 millibar"],
    "a vote of 10-6": [],
    "a profit of 862M in 2010": ["862,000,000"],
    "the site 862B": [],
    "types 2A, 3B, and 4B": [],
    "a 2700K lamp": ["2,700 kelvin"],
    "paid 60k a year": ["60,000 per year"],
    "up from 497,000 a year ago": ["497,000"],
    "8 grams of fat a day": ["8 gram per day"],
    "a rise of 5% against a year-ago loss": ["up 5 percentage"],
    "Weight in kg: 75": ["75 kilogram"],
    "fees of £1,200 pa.": ["1,200 pound sterling per year"],
    "rated 250 V/10 A": ["250 volt", "10 ampere"],
    "18.2 MΩ cm": ["18.2 megaohm centimetre"],
    "rated 4.7/5 by 1,204 people": ["0.94", "1,204 people"],
    "it ranges from 4 mm in the north to 18 mm": ["4 to 18 millimetre"],
    "an apartment 2 bedrooms": ["2 bedroom"],
    "paid 19.99 a month": ["19.99 per month"],
    "18 W/(m K)": ["18 watt per metre per kelvin"],
    "Of 143 attempts 38 % failed": ["143 attempt", "38 percentage"],
    "Rated 5.0 stars": ["5 star"],
    "slopes steeper than 30 %": ["> 30 percentage"],
    "grains finer than 5 µm": ["< 5 micrometre"],
    # names
    "the iPhone 15 256GB": ["256 gigabyte"],
    "a Tesla Model 3 500 hp": ["500 horsepower"],
    "the Boeing 737 189 seats": ["189 seat"],
    # lines
    "Volume: 5 L\nWeight: 7 kg": ["5 litre", "7 kilogram"],
    "It lasted 5 s\nThen it stopped.": ["5 second"],
    # references
    "as shown before [14,15]": [],
    "see Fig. 3(c) and 3(d)": [],
    "in Section 4.1 and Table 2, 5 patients": ["5 patient"],
    "as found by Rao et al.32": [],
    "5. Conclusions": [],
    "it cost $3. 5 men came": ["3 dollar", "5 man"],
    # ranges
    "at 0.66∼0.80 V": ["0.66 to 0.8 volt"],
    "at 25 +- 1 °C": ["25 celsius"],
    "from 12 weeks 0 days to 13 weeks 3.5 days": ["12 to 13.5 week"],
    "of 100−1700 °C": ["100 to 1,700 celsius"],
    "a kitten aged between 8 and 12 weeks": ["8 to 12 week of age"],
    # bounds
    "a 1 TB SSD or more": [">= 1 terabyte"],
    "a 5% increase in sales": ["up 5 percentage"],
    "a $2 million decrease in cash": ["down 2,000,000 dollar"],
    "20 h before centrifugation": ["20 hour"],
    "a hotel under 100 pounds per night": ["< 100 pound sterling per night"],
}


@pytest.mark.parametrize(("text", "expected"), CASES.items())
def test_reads(text: str, expected: list[str]) -> None:
    assert [str(quantity) for quantity in extract(text)] == expected


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


def test_options_tell_extractors_apart() -> None:
    assert RuleExtractor(dates=True) != RuleExtractor()
    assert repr(RuleExtractor(html=True)) == "RuleExtractor(concepts=True, html=True)"
