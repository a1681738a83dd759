"""A reading's confidence is the logistic function of the weights that its own evidence names."""

import math

import pytest

from pyterrier_quantity.extraction import STEPS, RuleExtractor, confidence, extract
from pyterrier_quantity.extraction.text import clean

SHOWN = [
    ("it weighs 5 kilograms", ["always", "unit, sure", "unit after one digit"]),
    ("it weighs more than 2.5 kg in all", ["always", "unit, sure", "unit after decimals", "unit with a bound"]),
    ("from 15 to 18 dollars", ["always", "unit, sure", "unit after digits", "range"]),
    ("they sold 3,500 cars", ["always", "noun, likely", "noun after groups"]),
    ("a score of 5.", ["always", "bare, doubtful", "bare after one digit", "bare before a stop"]),
    ("scored twelve in it", ["always", "bare, doubtful", "bare after words", "bare before a word"]),
    ("a pH = 7.4", ["always", "bare, doubtful", "bare after decimals", "bare before the end", "bare with a cue"]),
]


@pytest.mark.parametrize(("text", "names"), SHOWN)
def test_what_a_reading_shows(text: str, names: list[str]) -> None:
    extractor = RuleExtractor(concepts=False)
    extractor.steps = tuple(step for step in STEPS if step is not confidence.rate_readings)
    (mention,) = extractor.read(text)
    assert confidence.weight_names(confidence.features_of(clean(text)[1], mention)) == names
    odds = sum(confidence._WEIGHTS[name] for name in names)
    assert extract(text)[0].confidence == pytest.approx(1 / (1 + math.exp(-odds)), abs=0.005)


def test_better_evidence_is_surer() -> None:
    texts = ("it cost $12 million", "12 million cars", "two samples", "it is 5 m", "5 % of it", "scored 12 in it")
    readings = {text: extract(text)[0].confidence for text in texts}
    assert readings["it cost $12 million"] > readings["12 million cars"] > readings["two samples"]
    assert readings["5 % of it"] > readings["scored 12 in it"]
    assert readings["it is 5 m"] > readings["scored 12 in it"]
    assert all(0 < rating < 1 for rating in readings.values())
