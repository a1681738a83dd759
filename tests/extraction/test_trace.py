"""Each step of a reading is the one that decides its cases; `trace` names it."""

import importlib
import pickle

import pytest

from pyterrier_quantity.extraction import STEPS, RuleExtractor, extract
from pyterrier_quantity.extraction.concepts.assignment import find_concepts
from pyterrier_quantity.extraction.rule_extractor import ELSEWHERE
from pyterrier_quantity.extraction.trace import PRODUCTIONS

CASES = [
    ("2.5 mln came", "find_numbers", "(new)", "'2.5 mln' 2,500,000"),
    ("it cost US$ 5", "read_money", "'5' 5", "'US$ 5' 5 dollar"),
    ("with 13.9M people", "scale_letters", "'13.9' 13.9", "'13.9M' 13,900,000"),
    ("a dose of 5 mg/dL", "read_units", "'5' 5", "'5 mg/dL' 5 milligram per decilitre"),
    ("3 ft 2 in", "read_units", "'2' 2", "(dropped)"),
    ("planes of Pt(111) grow", "drop_fragments", "'111' 111", "(dropped)"),
    ("stirred in 0.1 M KOH", "read_units", "'0.1' 0.1", "'0.1 M' 0.1 mole per litre"),
    ("dilute the 10X buffer", "read_units", "'10' 10", "'10X' 10 count"),
    ("in the second half", "drop_fragments", "'half' 0.5", "(dropped)"),
    ("3,500 production workers", "count_nouns", "'3,500' 3,500", "'3,500 production workers' 3,500 production worker"),
    ("one of them came", "count_nouns", "'one' 1", "(dropped)"),
    ("it was at -5", "read_signs", "'5' 5", "'-5' -5"),
    ("Maddon, 66, has left", "read_ages", "'66' 66", "'66' 66 year of age"),
    ("see Section 4 (b)", "drop_references", "'4' 4", "(dropped)"),
    ("its gene (OMIM: 611524) is", "drop_references", "'611524' 611,524", "(dropped)"),
    ("scores of {1, 2} or", "drop_references", "'1' 1", "(dropped)"),
    ("Nano Lett. 2020, 3, 9880-9888.", "drop_references", "'9880' 9,880", "(dropped)"),
    ("it falls as r -1.8 here", "drop_labels", "'-1.8' -1.8", "(dropped)"),
    ("on Day 4", "drop_labels", "'4' 4", "(dropped)"),
    ("3 lb 5 oz", "join_compounds", "'5 oz' 5 ounce", "(dropped)"),
    ("1 m 85 cm tall", "join_compounds", "'85 cm' 85 centimetre", "(dropped)"),
    ("18 <= BMI < 25", "join_ranges", "'25' 25", "(dropped)"),
    ("747-400", "join_ranges", "'747' 747", "(dropped)"),
    ("over 5 kg but under 10 kg", "join_bounds", "'5 kg' > 5 kilogram", "'5 kg but under 10 kg' 5 to 10 kilogram"),
    ("ran it in 2:10 hours", "read_units", "'2' 2", "'2:10 hours' 2.166666667 hour"),
    ("Tc is 48K at 3 GPa", "read_units", "'48' 48", "'48K' 48 kelvin"),
    ("7 g fibre per 100 g", "read_units", "'7' 7", "'7 g' 7 gram per 100 gram"),
    ("Revenue (USD): 5,000", "read_bracketed_units", "'5,000' 5,000", "'5,000' 5,000 dollar"),
    ("a bill of 1.299 €", "group_thousands", "'1.299 €' 1.299 euro", "'1.299 €' 1,299 euro"),
    ("5, 10 and 20 mg", "share_units", "'10' 10", "'10' 10 milligram"),
    ("scores under 51 and fewer than 90 votes", "take_back_units", "'51' < 51 vote", "'51' < 51"),
    ("a rise in sales of 5 %", "read_bounds", "'5 %' 5 percentage", "'5 %' up 5 percentage"),
    ("within the 12 mm band", "read_bounds", "", ""),
    ("more than 5 mg", "read_bounds", "'5 mg' 5 milligram", "'5 mg' > 5 milligram"),
    ("the car has 503 hp", "rate_readings", "'503 hp' 503 horsepower", "'503 hp' 503 horsepower"),
    ("it has 503 hp", "find_concepts", "", ""),
    ("the car has 503 hp", "find_concepts", "'503 hp' 503 horsepower", "'503 hp' 503 horsepower (car)"),
]


@pytest.mark.parametrize(("text", "step", "before", "after"), CASES)
def test_the_step_that_decides(text: str, step: str, before: str, after: str) -> None:
    changes = [
        ((change.before or "(new)").partition(" [")[0], (change.after or "(dropped)").partition(" [")[0])
        for change in RuleExtractor().trace(text).changes
        if change.step == step
    ]
    assert (before, after) in changes if before else not changes


def test_every_step_decides_a_case() -> None:
    assert {step for _, step, *_ in CASES} == {step.__name__ for step in (*STEPS, find_concepts)}


def test_a_trace_names_files_and_ends_with_the_reading() -> None:
    text = "Section 4: more than 5 or 6 mg of sugar a day"
    trace = RuleExtractor().trace(text)
    assert all(importlib.import_module(change.module) for change in trace.changes)
    assert trace.text == text
    last = {change.before: change.after for change in trace.changes}
    for quantity in extract(text):
        assert any(str(quantity) in after for after in last.values())
    assert str(trace).startswith(text)
    assert "drop_references" in str(trace)
    assert "no numbers" in str(RuleExtractor().trace("nothing"))


def test_a_trace_shows_tokens_and_productions() -> None:
    trace = RuleExtractor().trace("at least $5 a litre, or 3 kg or more")
    shown = [(token.kind, token.text) for token in trace.tokens]
    assert shown == [
        ("bound", "at least "),
        ("unit", "$"),
        ("number", "5"),
        ("number", "3"),
        ("unit", "kg"),
        ("bound", "or more"),
    ]
    made = {change.step: change.production for change in trace.changes}
    assert made["find_numbers"] == "number"
    assert made["read_bounds"] == "bound"
    named = {name for steps in PRODUCTIONS.values() for name in steps.split()}
    assert {step.__name__ for step in (*STEPS, *ELSEWHERE)} == named


def test_a_trace_shows_the_tokens_of_another_language() -> None:
    trace = RuleExtractor(language="de").trace("mehr als fünf Kilo")
    assert [(token.kind, token.text) for token in trace.tokens] == [
        ("bound", "mehr als"),
        ("number", "fünf"),
        ("unit", "Kilo"),
    ]
    assert trace.changes[0].production == "amount"


def test_an_extractor_survives_pickling() -> None:
    extractor = pickle.loads(pickle.dumps(RuleExtractor(concepts=False)))
    assert extractor == RuleExtractor(concepts=False)
    assert [q.unit for q in extractor.extract("5 mg")] == ["milligram"]
