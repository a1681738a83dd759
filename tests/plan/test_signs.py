"""Numbers about the asker or about a case set no condition. Numbers about the thing that is wanted do."""

from pathlib import Path

import pytest

from pyterrier_quantity import parse_query
from pyterrier_quantity.constants import SURE
from pyterrier_quantity.plan import worded_signs

DATA = Path(__file__).parents[1] / "data"


def rows(name: str) -> list[list[str]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def asked(query: str) -> list[tuple[str, float, str]]:
    return [(one.op, one.low, one.unit) for one in parse_query(query)[1]]


@pytest.mark.parametrize(
    "query",
    [
        "I am 34 years old and curious about copper prices",
        "As a 52-year-old teacher I like books about tin",
        "My daughter is 7 and has homework about whales",
        "my 8-year-old asked about volcanoes",
        "We have been members for 12 years; opening hours",
        "wheat exports (I read about them in 2016)",
        "since I last looked in 2014: cocoa stocks",
        "He walks 5 km a day, what shoes",
        "A 61-year-old woman asks about flu",
        "why does https://example.org/search?q=tin&rows=50&price<30 fail",
        "A man of 58 years came by. He worked 30 years in a mill. We spoke of him at home and then about zinc.",
        "GET /search?q=zinc&limit=50",
        "example.org/find?size=25&text=zinc",
        "https://example.org/list?page=3&rows=100 zinc",
    ],
)
def test_what_is_told_sets_no_condition(query: str) -> None:
    assert asked(query) == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("I need a laptop with 16 GB RAM", [("=", 16.0, "gigabyte")]),
        ("I am 34 years old and looking for flats under 900 euros", [("<", 900.0, "euro")]),
        ("I have 500 euros for a phone", [("=", 500.0, "euro")]),
        ("We are looking for a car with 300 hp", [("=", 300.0, "horsepower")]),
        ("I have a car of 300 hp; I want one of 400 hp", [("=", 400.0, "horsepower")]),
        ("gift for a 5-year-old", [("=", 5.0, "year of age")]),
        ("Who is exactly 69 years old", [("=", 69.0, "year of age")]),
        ("A laptop for school. 16 GB of RAM. Weighs 1.2 kg.", [("=", 16.0, "gigabyte"), ("=", 1.2, "kilogram")]),
        ("I need a laptop for my studies. It should have 16 GB RAM. It must cost less than 1000 euros and last a day.",
         [("=", 16.0, "gigabyte"), ("<", 1000.0, "euro")]),
    ],
)  # fmt: skip
def test_what_is_wanted_is_a_condition(query: str, expected: list[tuple[str, float, str]]) -> None:
    assert asked(query) == expected


@pytest.mark.parametrize(("name", "count", "least"), [("incidental", 186, 126), ("incidental_elsewhere", 280, 220)])
def test_most_texts_whose_numbers_are_incidental_set_no_condition(name: str, count: int, least: int) -> None:
    wordings = [wording for _, wording in rows(f"{name}.tsv")]
    free = [one for one in wordings if not asked(one.format("wheat exports"))]
    assert len(wordings) == count
    assert len(free) >= least, sorted(set(wordings) - set(free))


@pytest.mark.parametrize(
    ("query", "condition"),
    [("oil price above 60 dollars", (">", 60.0, "dollar")), ("cars lighter than 900 kg", ("<", 900.0, "kilogram"))],
)
def test_a_bound_among_incidental_numbers_is_a_condition(query: str, condition: tuple[str, float, str]) -> None:
    lost = [wording for _, wording in rows("incidental.tsv") if condition not in asked(wording.format(query))]
    assert lost == []


def test_requests_in_the_same_kinds_of_text_set_conditions() -> None:
    requests = [query for _, query, _ in rows("requests.tsv")]
    silent = [query for query in requests if not asked(query)]
    assert len(requests) == 167
    assert len(silent) <= 6, silent


def test_a_bound_in_a_short_query_is_certain() -> None:
    assert [one.certainty for one in parse_query("oil price above 60 dollars")[1]] == [1.0]
    assert [one.certainty for one in parse_query("copper exactly 60 dollars")[1]] == [1.0]


@pytest.mark.parametrize(("query", "measured"), [("towns with more than 20 halls", "towns above 20 km"),
                                                 ("talks below 20 minutes", "talks below 20 euros"),
                                                 ("ships built before 1990", "ships below 1990 tonnes")])  # fmt: skip
def test_an_everyday_number_is_never_quite_certain(query: str, measured: str) -> None:
    assert SURE <= parse_query(query)[1][0].certainty < 1 == parse_query(measured)[1][0].certainty


def test_the_more_is_told_the_less_a_value_is_a_condition() -> None:
    told = ["{} of 20 minutes", "the speaker asks for {} of 20 minutes"]
    sure = [parse_query(one.format("talks"))[1][0].certainty for one in told]
    assert 1 > sure[0] > sure[1] > 0
    assert asked("Yesterday the speaker took a slow train from the coast and gave a talk of 20 minutes on wool") == []


@pytest.mark.parametrize(
    ("query", "certain"),
    [
        ("how to write 2 pages about zinc", False),
        ("books of at most 200 pages", False),
        ("halls of at most 200 seats", True),
        ("zinc in at most 20 sentences", False),
        ("More than 20 towns bought zinc, which is rare", False),
        ("towns with more than 20 halls", True),
        ("how can I drive less than 20 km", False),
        ("what drives less than 20 km", True),
    ],
)
def test_what_mostly_tells_is_doubted_though_a_bound_is_worded(query: str, certain: bool) -> None:
    found = parse_query(query)[1]
    assert [one.certainty >= SURE for one in found] in ([certain], [] if not certain else [certain])


@pytest.mark.parametrize("word", "the a they he which display wanted afford are was carry absorb".split())
def test_a_word_of_clauses_makes_no_keywords(word: str) -> None:
    """Keywords ask for the property ("recipes 3 pages"); in a clause a number of pages measures what is written."""
    found = [worded_signs(query)[0][1].textual for query in ("recipes 3 pages", f"{word} recipes 3 pages")]
    assert found == [0, 1]


def test_how_something_is_done_asks_for_a_manner_and_how_much_for_a_measure() -> None:
    asked_for = {query: dict(worded_signs(query)[0][1]._asdict())["manner"] for query in (
        "how do I lift 100 kg", "how heavy is a car of 100 kg", "what is a good way to lift 100 kg",
        "what weighs 100 kg", "can I lift 100 kg")}  # fmt: skip
    assert list(asked_for.values()) == [1, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("query", "topical"),
    [
        ("a video of at most 90 seconds about copper", 1),
        ("worksheet, under 30 minutes: copper", 1),
        ("my deadline is in less than 3 days, so a short text regarding copper", 0),
        ("boxes below 10 kg about 5 km away", 0),
        ("laptops under 900 euros, colour: red", 0),
        ("facts about lakes deeper than 90 metres", 0),
        ("a vet bill of 340 euros, and in the waiting room a leaflet on copper", 1),
        ("show no more than 15 hits per page on copper", 1),
        ("books below 20 euros on gardening", 0),
        ("lectures below 45 minutes on Monday", 0),
        ("an article on ships above 20 knots", 0),
        ("the leaflet on copper must not cost more than 900 euros", 1),
        ("a report on towns that must have more than 900 inhabitants", 0),
        ("Winds of over 120 km/h kept us in. We read about copper.", 1),
        ("We need winds of over 120 km/h. My report about copper is done.", 0),
    ],
)
def test_what_stands_before_a_topic_measures_what_is_written_about_it(query: str, topical: int) -> None:
    [(_, signs), *_] = worded_signs(query)
    assert signs.topical == topical


def test_the_known_is_not_asked_for() -> None:
    assert asked("causes of the 30 years war") == []
    assert asked("wars of 30 years")
    assert asked("the wars of more than 30 years")
