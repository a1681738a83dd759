"""Which quantity counts, and how much: the words around it, its unit, several constraints, weights and confidence."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pyterrier_quantity import Constraint, Quantity, QuantityScorer, parse_query
from pyterrier_quantity.constants import UnitWeights
from pyterrier_quantity.english.stems import term_hash
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.index.context_words import query_terms
from pyterrier_quantity.index.queries import index_queries
from pyterrier_quantity.score import Scoring


def scores(query: str, *texts: str, **options: object) -> list[float]:
    """Quantity scores of texts under a query as typed, no doubt that it sets conditions: see `test_settling`."""
    constraints = [replace(constraint, certainty=1.0) for constraint in parse_query(query)[1]]
    rows = [
        {"qid": "1", "query": query, "constraints": constraints, "docno": str(n), "score": 0.0, "text": text}
        for n, text in enumerate(texts)
    ]
    return QuantityScorer(**options)(pd.DataFrame(rows))["score"].tolist()


def test_the_papers_example_of_a_mismatch() -> None:
    mixed = "The price of an iPhone XR reached €236.50, whereas Samsung A14 is €132.00."
    right = "An iPhone XR in good condition now sells for €132.00 in most shops."
    with_concepts = scores("iPhone XR below €200", mixed, right)
    without = scores("iPhone XR below €200", mixed, right, fit=False)
    assert without[0] == pytest.approx(without[1])
    assert with_concepts[0] < 0.9 * with_concepts[1]


def test_a_list_credits_the_label_that_is_asked() -> None:
    label = "Per serving: protein {} g, fat {} g, sugar {} g."
    texts = [label.format(12, 3, 30), label.format(3, 12, 30), label.format(30, 12, 3)]
    fat = scores("fat below 5 g", *texts)
    assert fat[0] > max(fat[1:])
    assert np.argmax(scores("sugar below 5 g", *texts)) == 2
    assert np.argmax(scores("protein below 5 g", *texts)) == 1


def test_a_word_after_a_number_is_not_its_own_where_a_stop_word_turns_to_something_else() -> None:
    turned = "A profit of 18 dollars at a revenue of 240 dollars."
    of_it = "A profit of 240 dollars at a revenue of 18 dollars."
    other, own = scores("revenue below 20 dollars", turned, of_it)
    assert other < 0.9 * own


def test_an_old_value_next_to_a_new_one_is_about_the_same_and_counts_less() -> None:
    text = "Unemployment rose to 11 percent from 10.5 percent."
    over, under = scores("unemployment above 10.8 percent", text) + scores("unemployment below 10.8 percent", text)
    assert 0.5 * over < under < over  # an old value counts less


def test_a_value_may_count_whatever_words_stand_around_it_but_not_a_bare_number() -> None:
    other, own = "A tram of 150 hp for a small town.", "The lorry has 150 hp."
    vouched = Scoring(least=1.0)
    assert scores("lorry below 200 hp", other)[0] < scores("lorry below 200 hp", other, phi=vouched)[0]
    assert scores("lorry below 200 hp", other, phi=vouched) == scores("lorry below 200 hp", other, fit=False)
    assert scores("lorry below 200 hp", own, phi=vouched) == scores("lorry below 200 hp", own)
    numbers = ("Rating: 2. Seats: 9.", "Rating: 9. Seats: 2.")
    assert scores("rating below 3", *numbers, phi=vouched) == scores("rating below 3", *numbers)


def test_more_of_the_querys_terms_count_more() -> None:
    both, one, none = scores(
        "copper price below 65 cents a pound",
        "The copper price is 60 cents a pound.",
        "The ingot price is 60 cents a pound.",
        "It fell to 60 cents a pound.",
    )
    assert both > one > none > 0


@pytest.mark.parametrize(
    ("query", "text", "option"),
    [
        ("faster than 100 mph", "It reaches 180 km/h.", "convertible"),
        ("warmer than 20 °C", "It was 86 °F in the shade.", "convertible"),
        ("hemoglobin below 9 g/dL", "A haemoglobin of 80 g/L.", "convertible"),
        ("oil above 15 dollars a barrel", "Oil trades at $17.50.", "part"),
        ("dose above 20 mg", "A dose of 25 mg per kg.", "more"),
        ("dose above 20 mg", "A dose of 25 mg per day.", "period"),
        ("wheel production above 100k machines", "Wheel production reached 128,099 wheels.", "noun"),
        ("firms with fewer than 50 staff", "The firm has 30 employees.", "meant"),
        ("truck production above 100k vehicles", "Truck production declined to 128,099.", "bare"),
        ("at least 50 years", "Patients 60 years of age.", "part"),
        ("firms with fewer than 50 employees", "The firm employs 30 people.", "people"),
        ("gold above $2000 an ounce", "Gold trades at $2,300 per troy ounce.", "convertible"),
    ],
)
def test_soft_units(query: str, text: str, option: str) -> None:
    soft = scores(query, text)[0]
    without = scores(query, text, phi=Scoring(units=UnitWeights(**{option: 0.0})))[0]
    assert soft > 0
    assert without == 0
    assert scores(query, text, units="strict") == [0.0]


@pytest.mark.parametrize("text", ["Bus; seats: 45", "A bus with a number of seats of 45", "bus, seats 45, doors 2"])
def test_a_label_says_what_a_bare_number_counts(text: str) -> None:
    query = "buses with more than 40 seats"
    named, other = scores(query, text, "Bus; price: 45, seats: some")
    assert named > 1.5 * other > 0
    assert scores(query, text, phi=Scoring(units=UnitWeights(labelled=0.2))) < [named]
    assert scores(query, text, phi=Scoring(units=UnitWeights(bare=0.0))) == [0.0]


def test_the_word_that_a_count_belongs_to_is_a_label_too() -> None:
    query = "restaurants with a rating above 4 stars"
    rated, other = scores(query, "The restaurant. Rating: 4.5; tables: 20", "The restaurant. Tables: 4.5; rating: good")
    assert rated > 1.5 * other


def test_every_constraint_has_its_own_labels() -> None:
    seats, bare = Constraint(">", 40, 40, "seat"), Constraint(">", 3, 3)
    named = Constraint(">", 40, 40, "seat", attribute=("capacity",))
    (query,), _ = index_queries(pd.DataFrame([{"qid": "1", "query": "capacity", "constraints": [bare, seats, named]}]))
    containers = set(query_terms("set pack packet box case carton crate tray bag bundle"))
    assert [condition.labels for condition in query.conditions] == [
        set(),
        {term_hash("seats"), *containers},
        {term_hash("seats"), term_hash("capacity"), *containers},
    ]


def test_a_name_of_two_words_is_near_when_both_are() -> None:
    other = "The school's International Faculty at 31 and International Students at 98; a Faculty Student score of 60."
    own = "The school's International Faculty at 31 and International Students at 60; a Faculty Student score of 98."
    found = scores("schools with a Faculty Student score above 90", other, own)
    assert found[1] > 1.2 * found[0]


def test_a_word_of_no_document_weighs_nothing() -> None:
    texts = "Tall basketball players earn $900.", "Tall tennis players earn $900.", "It costs $900."
    plain = scores("basketball players above $800", *texts)
    assert scores("basketball zyzzyva players above $800", *texts) == plain
    assert plain[0] > plain[1] > plain[2] > 0


def test_a_part_that_the_query_names_counts_fully() -> None:
    named, other = scores(
        "earnings per share above $2", "Earnings were $3 per share.", "Earnings were $3 per employee."
    )
    assert named > other


def test_every_constraint_counts() -> None:
    both, memory, price = scores(
        "laptop with at least 16 GB under $1000",
        "This laptop has 16 GB and costs $900.",
        "This laptop has 32 GB and costs $2,900.",
        "This laptop has 4 GB and costs $900.",
    )
    assert both > 2 * max(memory, price)
    assert min(memory, price) > 0


def test_uncertain_readings_count_less(tmp_path) -> None:
    sure, unsure = Quantity(5, 5, "metre"), Quantity(5, 5, "metre", confidence=0.4)
    index = QuantityIndex(tmp_path / "i").index(
        [{"docno": "sure", "quantities": [sure]}, {"docno": "unsure", "quantities": [unsure]}]
    )
    frame = pd.DataFrame([{"qid": "1", "query": "", "docno": docno, "score": 0.0} for docno in ("sure", "unsure")])
    frame["constraints"] = [[Constraint(">", 1, 1, "metre")]] * 2
    weighed = index.scorer()(frame)["score"].tolist()
    assert weighed[0] > weighed[1]
    even = index.scorer(Scoring(confidence=False))(frame)["score"].tolist()
    assert even[0] == even[1]


def test_a_bare_bound_asks_the_number_beside_its_name_whatever_the_units() -> None:
    low = "At a moisture of 25.4% and 15.8 °C, the yield reached 9.9 t/ha."
    high = "At a moisture of 25.4% and 15.8 °C, the yield reached 13.9 t/ha."
    found = scores("fields with a yield above 13.2", low, high)
    assert found[1] > 1.3 * found[0]


def test_a_negation_leaves_out_what_states_the_value() -> None:
    texts = ["A plan with a contract of 12 months", "A plan that ends any day", "A plan with a contract of 24 months"]
    other, unstated, excluded = scores("plan without 24 month contract", *texts)
    assert other > 0
    assert unstated > 0
    assert excluded == 0


def test_a_negation_looks_at_the_quantity_that_fits_best() -> None:
    texts = ["A contract of 24 months; delivery in 2 months", "A contract of 12 months; delivery in 24 months"]
    excluded, other = scores("contract without 24 months", *texts)
    assert excluded == 0 < other


def test_a_negation_counts_what_states_nothing_by_the_words_that_it_holds() -> None:
    mobile, broadband = scores(
        "mobile plan without 24 month contract", "Mobile plan, 20 GB", "Broadband plan, 100 Mbps"
    )
    assert mobile > 1.1 * broadband > 0


def test_a_stated_limit_includes_the_values_within_it() -> None:
    texts = [f"Event room for {number} guests" for number in ("up to 150", "up to 90", "150")]
    within, beyond, other = scores("event room for 120 guests", *texts)
    assert within > 2 * max(beyond, other)


def test_a_unit_holds_the_counted_noun_that_it_stands_for() -> None:
    other, same = scores("company with over 200 staff", "The company has 300 employees.", "The company has 300 staff.")
    assert other > 0.75 * same


def test_a_container_before_a_bare_number_says_that_it_counts_what_is_asked() -> None:
    six, four, beer = scores("six wine glasses", *(f"{name}, set of {n}" for name, n in
                             (("Wine glasses", 6), ("Wine glasses", 4), ("Beer mugs", 6))))  # fmt: skip
    assert six > 0.75 > 2 * max(four, beer)
