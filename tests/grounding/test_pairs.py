"""Generated pairs of evidence and answer whose truth is known by construction, by kind: what is said about a number
counts as much as its value."""

import random
from collections.abc import Callable, Iterator
from datetime import date, timedelta

import pytest

from pyterrier_quantity.grounding import CONTRADICTED, NOT_FOUND, SUPPORTED, check

PAIRS = 40
Pair = tuple[object, str, bool]
"""Evidence, answer, whether the one supports the other."""

THINGS = ["the Ardent", "the Brennick mill", "the Solvane", "the Corrib ferry", "the Talmor press", "the Ulvik dam"]
MEASURES = [("weighs", "weigh", "tonnes"), ("costs", "cost", "euros"), ("holds", "hold", "litres")]
BETWEEN = ["It is painted green.", "A family runs it.", "Visitors praise the view.", "Nobody knows why."]
MORE, LESS = ("more than", "over", "at least", "no less than"), ("less than", "under", "at most", "no more than")
ROSE, FELL = ("rose", "increased", "grew"), ("fell", "dropped", "declined")


def sentence(draw: random.Random, thing: str, verb: str, said: str) -> str:
    """A sentence, perhaps with another one before or after it."""
    own = f"{thing[0].upper()}{thing[1:]} {verb} {said}."
    return draw.choice([own, f"{draw.choice(BETWEEN)} {own}", f"{own} {draw.choice(BETWEEN)}"])


def stated(thing: str, verb: str, said: str) -> str:
    return f"{thing[0].upper()}{thing[1:]} {verb} {said}."


def bounds(draw: random.Random) -> Iterator[Pair]:
    thing, (verb, _, unit), value = draw.choice(THINGS), draw.choice(MEASURES), 100 * draw.randint(2, 90)
    ours, others = draw.sample([MORE, LESS], 2)
    evidence = sentence(draw, thing, verb, f"{draw.choice(ours)} {value} {unit}")
    yield evidence, stated(thing, verb, f"{draw.choice(others)} {value} {unit}"), False
    yield evidence, stated(thing, verb, f"exactly {value} {unit}"), False
    closed = draw.choice([MORE[2:], LESS[2:]])
    yield (
        sentence(draw, thing, verb, f"{closed[0]} {value} {unit}"),
        stated(thing, verb, f"{closed[1]} {value} {unit}"),
        True,
    )


def values_and_bounds(draw: random.Random) -> Iterator[Pair]:
    thing, (verb, _, unit), value = draw.choice(THINGS), draw.choice(MEASURES), draw.randint(120, 9000)
    evidence = sentence(draw, thing, verb, f"{value} {unit}")
    up = draw.random() < 0.5
    for factor, truth in ((0.9, up), (0.6, up), (1.1, not up), (1.6, not up)):
        said = f"{draw.choice(MORE if up else LESS)} {int(value * factor)} {unit}"
        yield evidence, stated(thing, verb, said), truth
    yield evidence, stated(thing, verb, f"{draw.choice(['more than', 'less than'])} {value} {unit}"), False
    days = draw.randint(2, 5)
    given = f"Delivery takes {days} to {days + 3} days and is free above {value} euros."
    yield given, f"Delivery takes up to {days + 3} days.", True
    yield given, f"Delivery takes up to {days - 1} days.", False


def directions(draw: random.Random) -> Iterator[Pair]:
    thing, by = draw.choice(["output", "profit", "the rent", "demand"]), f"by {draw.randint(3, 60)} percent"
    ours, others = draw.sample([ROSE, FELL], 2)
    evidence = sentence(draw, thing, draw.choice(ours), by)
    yield evidence, stated(thing, draw.choice(ours), by), True
    yield evidence, stated(thing, draw.choice(others), by), False
    low, more = draw.randint(20, 90), draw.randint(5, 19)
    evidence = f"The level rose from {low} mg to {low + more} mg."
    yield evidence, f"The level rose by {more} mg.", True
    yield evidence, f"The level fell by {more} mg.", False


def signs(draw: random.Random) -> Iterator[Pair]:
    degrees, thing = draw.randint(2, 40), draw.choice(["the lake", "the hut", "the summit"])
    for own in ("", "-"):
        for other in ("", "-"):
            evidence = sentence(draw, f"the temperature at {thing}", "was", f"{own}{degrees} °C")
            yield evidence, f"The temperature at {thing} was {other}{degrees} °C.", own == other


def negations(draw: random.Random) -> Iterator[Pair]:
    thing, (verb, plain, unit), value = draw.choice(THINGS), draw.choice(MEASURES), draw.randint(120, 9000)
    says, denies = f"{value} {unit}", f"does not {plain}"
    yield sentence(draw, thing, verb, says), stated(thing, denies, says), False
    yield sentence(draw, thing, denies, says), stated(thing, verb, says), False
    yield sentence(draw, thing, denies, says), stated(thing, denies, says), True
    yield sentence(draw, thing, verb, says), stated(thing, "not only pleases but", f"{plain}s {says}"), True


def counted(draw: random.Random) -> Iterator[Pair]:
    thing, (one, other) = draw.choice(THINGS), draw.sample(["floors", "engines", "windows", "cranes", "pumps"], 2)
    few, many = draw.sample(range(2, 60), 2)
    both = sentence(draw, thing, "has", f"{few} {one} and {many} {other}")
    yield both, stated(thing, "has", f"{few} {one}"), True
    yield both, stated(thing, "has", f"{many} {one}"), False
    yield sentence(draw, thing, "has", f"{many} {other}"), stated(thing, "has", f"{many} {one}"), False
    yield f"In {thing} live {many} people.", f"In {thing} live {many} inhabitants.", True


def whole_days(draw: random.Random) -> Iterator[Pair]:
    day = date(draw.randint(1950, 2024), draw.choice([2, 3, 12]), draw.randint(1, 28))
    evidence = f"It opened on {day.day} {day:%B} {day.year}. It is old."
    for apart in (-1, 0, 1):
        told = day + timedelta(days=apart)
        yield evidence, f"It opened on {told:%B} {told.day}, {told.year}.", not apart


def things(draw: random.Random) -> Iterator[Pair]:
    (one, other), (verb, _, unit) = draw.sample(THINGS, 2), draw.choice(MEASURES)
    ours, theirs = draw.sample(range(120, 9000, 7), 2)
    parts = [stated(one, verb, f"{ours} {unit}"), draw.choice(BETWEEN), stated(other, verb, f"{theirs} {unit}")]
    for evidence in (" ".join(parts), parts):
        yield evidence, stated(one, verb, f"{ours} {unit}"), True
        yield evidence, stated(one, verb, f"{theirs} {unit}"), False


def common_things(draw: random.Random) -> Iterator[Pair]:
    one, other = draw.sample(["tram", "warehouse", "orchard", "printer", "tent", "windmill"], 2)
    (verb, _, unit), value = draw.choice(MEASURES), draw.randint(120, 9000)
    own, said = stated(f"the {one}", verb, f"{value} {unit}"), stated(f"the {other}", verb, f"{value} {unit}")
    yield f"{draw.choice(BETWEEN)} {own}", own, True
    yield f"{own} {draw.choice(BETWEEN)}", said, False
    yield f"{own} The {other} stands beside it.", said, False
    yield f"{own[:-1]} at the {draw.choice(['harbour', 'border'])}.", own, True
    left, right = draw.sample(["rear", "steel", "wooden", "winter"], 2)
    yield own.replace(one, f"{left} {one}"), own.replace(one, f"{right} {one}"), False
    yield own.replace(one, f"{left} {one}"), own.replace(one, f"{left} {one}"), True


def levels(draw: random.Random) -> Iterator[Pair]:
    thing, by, (ours, others) = draw.choice(["the rent", "demand", "output"]), draw.randint(3, 900), (ROSE, FELL)
    evidence = f"{thing.capitalize()} {draw.choice(ours)} by {by} tonnes."
    yield evidence, f"{thing.capitalize()} was {by} tonnes.", False
    yield evidence, f"The increase was {by} tonnes.", True
    yield f"The yard hired {by} {draw.choice(['new', 'additional', 'extra'])} welders.", f"It has {by} welders.", False
    evidence = f"{thing.capitalize()} {draw.choice(others)} from {by + 40} to {by} tonnes."
    yield evidence, f"{thing.capitalize()} {draw.choice(ours)} to {by} tonnes.", False
    yield evidence, f"{thing.capitalize()} {draw.choice(others)} to {by} tonnes.", True


def points(draw: random.Random) -> Iterator[Pair]:
    low, more = draw.randint(30, 60), draw.randint(3, 20)
    evidence = f"The share of women rose from {low} percent to {low + more} percent."
    yield evidence, f"The share of women rose by {more} percentage points.", True
    yield evidence, f"The share of women rose by {100 * more / low:.1f} percent.", True
    yield evidence, f"The share of women rose by {more} percent.", False
    yield f"The share rose by {more} percent.", f"The share rose by {more} percentage points.", False


KINDS: list[Callable[[random.Random], Iterator[Pair]]] = [
    bounds, values_and_bounds, directions, signs, negations, counted, whole_days, things, common_things,
    levels, points,
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_what_is_said_about_a_number_counts(kind):
    draw = random.Random(kind.__name__)
    wrong, number = [], 0
    while number < PAIRS:
        for evidence, answer, truth in kind(draw):
            number += 1
            found = check(answer, evidence)
            if found.supported != truth or not len(found):
                wrong.append((evidence, answer, truth, str(found)))
    assert len(wrong) <= number * 0.02, wrong[:3]


SUMS = {"table": [["", "2018", "2019"], ["Pay costs", "8", "15"], ["", "16", "56"]]}
SALES = {"table": [["", "2018", "2019"], ["Net sales", "$4", "$10"], ["Net income", "$6", "$7"]]}
INCOME = {"table": [["", "2019"], ["Income of the year1", "$5"], ["Income", "$9"]]}
COSTS = {"table": [["", "2019"], ["Tax", "12"], ["Rent", "36"], ["Pay", "32"], ["Total costs", "80"]]}


@pytest.mark.parametrize(
    ("answer", "evidence", "verdict"),
    [
        ("The kettle costs 40 euros.", "The toaster costs 30 euros.", NOT_FOUND),
        ("The Brio Kettle costs 40 euros.", "The Brio Kettle holds 2 litres. The Vento Pan costs 30 euros.", NOT_FOUND),
        ("The kettle costs 40 euros.", "The kettle is red. It costs 30 euros.", CONTRADICTED),
        ("The plant does not feed 530 MW.", "The plant feeds 530 MW.", CONTRADICTED),
        ("The bag weighs no more than 10 kg.", "The bag: not exceeding 10 kg.", SUPPORTED),
        ("The vase weighs more than 60 kg.", "The vase weighs 40 kg. The bust weighs 77 kg.", CONTRADICTED),
        (
            "The price of the vase is no less than 20 euros.",
            "The vase costs 10 euros. The bust costs 77 euros.",
            CONTRADICTED,
        ),
        ("The hut is at least 9 m long.", "The hut is 4 m long. The canal is 77 m long.", CONTRADICTED),
        ("There are exactly 12 clerks at the bank.", "The bank has 12 clerks.", SUPPORTED),
        ("There are forty-five clerks at the bank.", "The bank employs 45 clerks.", SUPPORTED),
        ("The bank employs up to twelve clerks.", "The bank employs from 6 to 12 clerks.", SUPPORTED),
        ("The bank has about 250 clerks.", "The bank employs 251 people. The mill has 77 clerks.", SUPPORTED),
        ("The males weigh 4 to 6 kg.", "The males weigh 6 to 9 kg, while females weigh 4 to 6 kg.", CONTRADICTED),
        ("The rent ranges from $900 to $1,800.", "The rent ranges from $900 to $1,400.", CONTRADICTED),
        ("The pool is 50 m wide.", "The pool is 50 m long and 25 m wide.", CONTRADICTED),
        ("The desk is 75 cm deep.", "The desk: height 75 cm.", NOT_FOUND),
        ("The price rose to 20 euros.", "The price rose from 20 to 25 euros.", CONTRADICTED),
        ("The two shops measure 45 square metres.", "The two shops measure 45 square metres.", SUPPORTED),
        ("Total assets are $5.", {"table": [["", "2019"], ["Cash", "$5"], ["Total assets", "$9"]]}, CONTRADICTED),
        ("The plant does not feed 530 MW.", "The plant feeds 410 MW.", NOT_FOUND),
        ("Sweden has 5 million people.", "Norway has 5 million people.", NOT_FOUND),
        ("Dell's revenue was $88 billion.", "HP's revenue was $88 billion.", NOT_FOUND),
        ("Lake Orta is 26 m deep.", "Lake Varese is 26 m deep. Lake Orta is 143 m deep.", CONTRADICTED),
        ("The north tower is 157 m tall.", "The south tower is 157 m tall.", NOT_FOUND),
        ("The debt was $54 million.", "We had $54 million of debt (with $1 million of debt costs).", SUPPORTED),
        ("The average of the two bids is 15 euros.", ["A bid was 12 euros.", "A bid was 18 euros."], SUPPORTED),
        ("The rise in total costs was 40.", SUMS, SUPPORTED),
        ("The share of tax and rent in total costs was 60%.", COSTS, SUPPORTED),
        ("The income of the year was $5.", INCOME, SUPPORTED),
        ("The rise in net sales was $6.", SALES, SUPPORTED),
        ("The ferry carries 40 cars.", "The ferry is old. The ship carries 40 cars.", SUPPORTED),
        ("The loan costs 30 euros.", "The account costs 30 euros. The loan has no fee.", NOT_FOUND),
        ("Okonjo threw 61 m.", "Brandvold threw 61 m.", NOT_FOUND),
        ("It costs €17.", [{"text": "It costs 17."}, {"text": "It sold for $90."}], NOT_FOUND),
    ],
)
def test_only_another_value_of_the_same_thing_contradicts(answer, evidence, verdict):
    assert {one.verdict for one in check(answer, evidence)} == {verdict}
