"""Numbers, ranges and bounds as many kinds of text write them: one line a case."""

import re
from pathlib import Path

import pytest

from pyterrier_quantity import RuleExtractor, extract
from pyterrier_quantity.extraction.grammar import formats

CASES = {
    # numbers
    "a price of 7 990,00 Kč": ["7,990 czech crown"],
    "it cost 1 234 567.89 dollars": ["1,234,567.89 dollar"],
    "1'234'567 people came": ["1,234,567 people"],
    "heated @8°C": ["8 celsius"],
    "a trip of 2h30": ["2.5 hour"],
    "a crystal of 0.4 × 0.4 × 0.1 mm3": ["0.4 cubic millimetre"] * 2 + ["0.1 cubic millimetre"],
    "taken from3 to 5days": ["3 to 5 day"],
    "one-eighth": ["0.125 proportion"],
    "twenty-three fifths": ["4.6"],
    "a hundredth of a second": ["0.01 second"],
    "it is nought point nought four": ["0.04"],
    "two hundred point seventy-one": ["200.71"],
    "the answer is minus one": ["-1"],
    "3 dozens": ["36"],
    "the COP26 pledges": [],
    "12.500 people": ["12,500 people"],
    "an A$5mil (RM14mil) deal": ["5,000,000 australian dollar", "14,000,000 malaysian ringgit"],
    "twelve quarters in a row": ["12 quarter"],
    "the two hundredth visitor": [],
    "the first two quarters": ["2 quarter"],
    "five billion and three quarters": ["5,750,000,000"],
    "two thousand, one hundred and sixty-four euros": ["2,164 euro"],
    "costs of 4,900, 5,300 or 7,000 kUSD": ["4,900,000 dollar", "5,300,000 dollar", "7,000,000 dollar"],
    "between KSEK 60 and 169": ["60,000 to 169,000 swedish crown"],
    "four, ten, thirty-five dollars": ["4 dollar", "10 dollar", "35 dollar"],
    "a budget of 24B€": ["2.4e+10 euro"],
    "he is 7 stone 7 pounds": ["7.5 stone"],
    "she lost two stone": ["down 2 stone"],
    "two stone walls": ["2 stone wall"],
    "a charge of 5 C": ["5 coulomb"],
    "Charge [C]: 7.1": ["7.1 coulomb"],
    "the battery charge stops at 45 C": ["45"],
    "a drive time of 1 hr 30 min": ["1.5 hour"],
    "calories above 2000": ["> 2,000"],
    "halfmillion people": ["500,000 people"],
    "the one hundred and fifth time": [],
    "in an hour": [],
    "a flat of 850 ft2 in Rome": ["850 square foot"],
    "rated 4.5 out of 5 stars": ["4.5 star"],
    "give 2x30mg/kg": ["2", "30 milligram per kilogram"],
    "a 4x4 car": [],
    "it took just over an hour": ["> 1 hour"],
    "a pressure of 10−6 mbar": ["1e-06 millibar"],
    "a vote of 10-6": [],
    "a profit of 862M in 2010": ["862,000,000"],
    "the site 862B": [],
    "types 2A, 3B, and 4B": [],
    "a 2700K lamp": ["2,700 kelvin"],
    "up from 497,000 a year ago": ["497,000"],
    "a rise of 5% against a year-ago loss": ["up 5 percentage"],
    "fees of £1,200 pa.": ["1,200 pound sterling per year"],
    "rated 250 V/10 A": ["250 volt", "10 ampere"],
    "18.2 MΩ cm": ["18.2 megaohm centimetre"],
    "it ranges from 4 mm in the north to 18 mm": ["4 to 18 millimetre"],
    "paid 19.99 a month": ["19.99 per month"],
    "18 W/(m K)": ["18 watt per metre per kelvin"],
    "Of 143 attempts 38 % failed": ["143 attempt", "38 percentage"],
    "grains finer than 5 µm": ["< 5 micrometre"],
    # names
    "the iPhone 15 256GB": ["256 gigabyte"],
    "a Tesla Model 3 500 hp": ["500 horsepower"],
    # lines
    "Volume: 5 L\nWeight: 7 kg": ["5 litre", "7 kilogram"],
    "It lasted 5 s\nThen it stopped.": ["5 second"],
    # references
    "as shown before [14,15]": [],
    "see Fig. 3(c) and 3(d)": [],
    "in Section 4.1 and Table 2, 5 patients": ["5 patient"],
    "as found by Rao et al.32": [],
    "it cost $3. 5 men came": ["3 dollar", "5 man"],
    # ranges
    "at 25 +- 1 °C": ["25 celsius"],
    "from 12 weeks 0 days to 13 weeks 3.5 days": ["12 to 13.5 week"],
    "of 100−1700 °C": ["100 to 1,700 celsius"],
    "a kitten aged between 8 and 12 weeks": ["8 to 12 week of age"],
    # bounds
    "a 1 TB SSD or more": [">= 1 terabyte"],
    "a 5% increase in sales": ["up 5 percentage"],
    "20 h before centrifugation": ["20 hour"],
    "a hotel under 100 pounds per night": ["< 100 pound sterling per night"],
    # shops and workshops, and what looks like them elsewhere
    "The frame takes prints of 8x10 or 11x14 with a mat.": ["8", "10", "11", "14"],
    "Cut two lengths of 2x4 for the legs.": ["2 length", "2", "4"],
    "It rolls on 205/55R16 tyres.": ["205", "55", "16"],
    "Sold as a 12 pack for $18.": ["12 pack", "18 dollar"],
    "He paid $9 per 6-pack.": ["9 dollar per 6 pack"],
    "Freight is $900 per 20-foot box.": ["900 dollar per box", "20 foot"],
    "The jacket runs small, so my 5t boy wears a 6t.": ["5 toddler size", "6 toddler size"],
    "The vest comes in 2XL and 3XL.": ["2 xl size", "3 xl size"],
    "These boots are a US 9.5, a UK 9 and an EU 43.": ["9.5 us size", "9 uk size", "43 eu size"],
    "Shot wide open at f/1.8 in the dark.": ["1.8 f-number"],
    "The swatch has 22 sts and 30 rows.": ["22 stitch", "30 row"],
    "He led 8 pack animals over the pass.": ["8 pack animal"],
    "The 3T scanner gave clearer images.": ["3 tesla"],
    "Platelets were 70 x 109/L.": ["7e+10 per litre"],
    "We cultured 5 x 104 cells per well.": ["50,000 cell per well"],
    "The UK 10 year yield rose.": ["10 year"],
    "The US 50 states map.": ["50 state"],
    "He drove a 4x4 across the dunes.": [],
    "Exposures of 60s were taken.": ["60 second"],
    "Debts of $5t worry investors.": ["5e+12 dollar"],
    "The cup final drew 3 cup winners.": ["3 cup winner"],
    # forms next to others
    "a gap of 1.5 × 10⁻³ m": ["0.0015 metre"],
    "two million and a half people": ["2,500,000 people"],
    "3 (15-ounce) cans of beans": ["3 can", "15 ounce"],
    "EBIT $(12.4)m": ["-12,400,000 dollar"],
    "He is 1 m 81 tall.": ["1.81 metre"],
    "-20–-10 °C": ["-20 to -10 celsius"],
    "a rug of 8' x 10'": ["8 foot", "10 foot"],
    "<li>Power: <strong>500 hp</strong></li>": ["500 horsepower"],
    "Weight: <b>5 kg</b>": ["5 kilogram"],
    "Box L40 x W30 x H20 cm": ["40 centimetre", "30 centimetre", "20 centimetre"],
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


def test_no_form_without_a_quantity_is_missed():
    rows = Path(__file__).parents[1].joinpath("data", "rules.tsv").read_text(encoding="utf-8").lower().splitlines()
    places = [(row, digits.start()) for row in rows for digits in re.finditer(r"\d+", row)]
    assert [place for place in places if bool(formats.SKIP.match(*place)) != bool(formats.skipped(*place))] == []
