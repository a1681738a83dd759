"""Sides, packs and sizes of things in sentences of shops and workshops, and what looks like them in other texts."""

from __future__ import annotations

import pytest

from pyterrier_quantity import extract

# Written before any program read them; at first sight 27 of 30 were right. The other three were wrong here: states and
# winners are counted, and no size or cup.
SENTENCES = {
    "The frame takes prints of 8x10 or 11x14 with a mat.": ["8 -", "10 -", "11 -", "14 -"],
    "Cut two lengths of 2x4 for the legs.": ["2 length", "2 -", "4 -"],
    "The panel is 1200x600x18 mm.": ["1200 millimetre", "600 millimetre", "18 millimetre"],
    "It rolls on 205/55R16 tyres.": ["205 -", "55 -", "16 -"],
    "Sold as a 12 pack for $18.": ["12 pack", "18 dollar"],
    "He paid $9 per 6-pack.": ["9 dollar per 6 pack"],
    "Freight is $900 per 20-foot box.": ["900 dollar per box", "20 foot"],
    "The jacket runs small, so my 5t boy wears a 6t.": ["5 toddler size", "6 toddler size"],
    "The vest comes in 2XL and 3XL.": ["2 xl size", "3 xl size"],
    "These boots are a US 9.5, a UK 9 and an EU 43.": ["9.5 us size", "9 uk size", "43 eu size"],
    "Shot wide open at f/1.8 in the dark.": ["1.8 f-number"],
    "The swatch has 22 sts and 30 rows.": ["22 stitch", "30 row"],
    "He led 8 pack animals over the pass.": ["8 pack animal"],
    "She has a history of 30 pack years.": ["30 pack-year"],
    "The truck took 5t of freight.": ["5 metric ton"],
    "Patients got 2x4 weeks of treatment.": ["2 -", "4 week"],
    "The 3T scanner gave clearer images.": ["3 tesla"],
    "Platelets were 70 x 109/L.": ["70000000000 per litre"],
    "We cultured 5 x 104 cells per well.": ["50000 cell per well"],
    "The UK 10 year yield rose.": ["10 year"],
    "All EU 27 states agreed.": ["27 state"],
    "The US 50 states map.": ["50 state"],
    "He drove a 4x4 across the dunes.": [],
    "Music of the 90s came back.": [],
    "Exposures of 60s were taken.": ["60 second"],
    "Heat for 90s at 95 °C.": ["90 second", "95 celsius"],
    "Debts of $5t worry investors.": ["5000000000000 dollar"],
    "The cup final drew 3 cup winners.": ["3 cup winner"],
    "Add 2 cups of stock.": ["2 cup"],
    "They keep 300 head of cattle.": ["300 head"],
}


@pytest.mark.parametrize(("text", "expected"), SENTENCES.items())
def test_sentences(text: str, expected: list[str]) -> None:
    assert [f"{quantity.low:.15g} {quantity.unit}" for quantity in extract(text)] == expected
