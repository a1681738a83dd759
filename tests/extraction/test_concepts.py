"""Concepts of quantities: phrases that belong to a quantity and phrases that do not, with and without a parser."""

import pytest
from lib import spacy_concepts
from lib.spacy_concepts import SpacyExtractor

from pyterrier_quantity.extraction import RuleExtractor

BOTH = [
    # the phrase before and the subject
    ("The new greenhouse has a glass roof of 40 m2.", "40 m2", "new greenhouse glass roof"),
    # a noun or "of" after the quantity: nothing else, unless a word before it has the quantity
    ("The mason ordered a 3 m beam.", "3 m", "beam"),
    ("The bakery uses 40 kg flour a day.", "40 kg", "flour"),
    ("The town has a supply of 40 kg flour.", "40 kg", "town supply flour"),
    ("They used 20 g (0.3 mol) of sugar.", "20 g", "sugar"),
    # equations
    ("The lake was filled to the mark at h = 3 m.", "3 m", "h"),
    ("The gardener sprayed the hedge with 2 litres of vinegar.", "2 litres", "vinegar"),
    # a quantity said again
    ("The orchard lost 40 % of its trees, or more than 300 kg of fruit.", "40 %", "trees"),
    ("The village sold 30 % of its forest, or 5 million euros.", "5 million euros", "village forest"),
    ("The tank holds 50 litres (13 gallons).", "13 gallons", "tank"),
    # what another preposition, or another quantity, has
    ("They own a 60 kg dog and 5 cats.", "5 cats", ""),
    ("Of the seedlings, 40 kg survived.", "40 kg", "seedlings"),
    # adjectives that count
    ("Serum total bilirubin was 1.2 mg/dL.", "1.2 mg/dL", "Serum total bilirubin"),
    # subjects
    ("The surveyor found 70 % of bridges needed repair.", "70 %", "bridges"),
    ("Growth across Asia slowed to 3 %.", "3 %", "Growth Asia"),
    # brackets: what they are of, and those within a name
    ("The grain size (GS) of the film is 20 nm.", "20 nm", "grain size film"),
    # what the quantity is of, past what measures it in turn
    ("A decrease of 5 million euros in sales followed.", "5 million euros", "decrease sales"),
    # rows
    ("Patients take two 400 mg tablets.", "400 mg", "tablets"),
    ("The lamp lasts 20 years and costs 40 euros.", "20 years", "lamp"),
    # each value of a list is its own name's
    ("The mass and the outer radius are 3 kg and 2 m.", "3 kg", "mass"),
    ("The mass and the outer radius are 3 kg and 2 m.", "2 m", "outer radius"),
    ("The mass and the radius fell by 2 %.", "2 %", "mass radius"),
    # appositions and datives
    ("The club paid the goalkeeper a 5000 euro bonus.", "5000 euro", "bonus"),
]  # fmt: skip

FAST = [
    ("Add 20 ml of freshly prepared 70% ethanol.", "20 ml", "ethanol"),
    ("The December wheat contract was up 3 dollars.", "3 dollars", "December wheat contract"),
    ("freq. of tides was 2 Hz.", "2 Hz", "freq tides"),
    ("The weight, w, is 2 kg.", "2 kg", "weight"),
    ("Two out of three voters stayed at home.", "Two out of three", "voters"),
    ("In it, 2H2O (5 g) was dissolved.", "5 g", "2H2O"),
    # the topic of a title or clause, but nothing before a pronoun
    ("Toaster with four slots, was 59 euros", "59 euros", "Toaster"),
    ("Tripod: folded 44 cm", "44 cm", "Tripod"),
    ("The roof leaked, and they paid 900 euros.", "900 euros", ""),
]

PARSED = [
    ("Each of the mills costs 4 million euros.", "4 million euros", "mills"),
    ("The council announced plans to plant 300 trees.", "300 trees", "council"),
    ("The 11 farmers, backed by a bank, bought 13 percent of the valley.", "13 percent", "valley"),
    ("Lovely has more than 900 cows.", "900 cows", "Lovely"),
]


@pytest.fixture(scope="module", params=[RuleExtractor, SpacyExtractor])
def extractor(request: pytest.FixtureRequest) -> RuleExtractor:
    if request.param is SpacyExtractor:
        pytest.importorskip("spacy")
    return request.param()


@pytest.mark.parametrize(("text", "span", "concept"), BOTH)
def test_concept(extractor: RuleExtractor, text: str, span: str, concept: str) -> None:
    found = {text[q.start : q.end]: " ".join(q.concept) for q in extractor.extract(text)}
    assert {w.lower() for w in found[span].split()} == {w.lower() for w in concept.split()}


@pytest.mark.parametrize(("text", "span", "concept"), FAST)
def test_concept_without_a_parser(text: str, span: str, concept: str) -> None:
    test_concept(RuleExtractor(), text, span, concept)


@pytest.mark.parametrize(("text", "span", "concept"), PARSED)
def test_concept_by_the_parse(text: str, span: str, concept: str) -> None:
    pytest.importorskip("spacy")
    test_concept(SpacyExtractor(), text, span, concept)


@pytest.mark.parametrize("before", ["İİİ", "\ud800", "a" * 2**20])
def test_the_parse_of_odd_texts(before: str) -> None:
    pytest.importorskip("spacy")
    found = SpacyExtractor().extract(f"{before} The maximum speed is 5 km")
    assert [q.concept for q in found] == [("maximum", "speed")]


def test_a_text_of_several_pieces_is_parsed_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("spacy")
    monkeypatch.setattr(spacy_concepts, "_AT_ONCE", 1000)
    text = "Each of the mills costs 4 million euros. "
    found = SpacyExtractor().extract(text * 100)
    assert {(q.start % len(text), q.concept) for q in found} == {(24, ("mills",))}
    assert len(found) == 100


def test_a_long_sentence_is_read_past_its_first_quantities() -> None:
    text = "The ferry carries " + "5 cars and " * 12 + "20 kg of mail for the islands in the western lake."
    assert RuleExtractor().extract(text)[-1].concept[-3:] == ("islands", "western", "lake")


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("Screen: 480 x 320 pixels", [("Screen",), ("Screen",)]),
        ("two copies of the X chromosome", [("X", "chromosome")]),
    ],
)
def test_a_sign_of_multiplication_is_no_noun(text: str, concepts: list[tuple[str, ...]]) -> None:
    assert [quantity.concept for quantity in RuleExtractor().extract(text)] == concepts
