"""Measure which tempting texts `quantity_aware` ranks before right ones, in small searches composed at random.

    python experiments/composed_searches.py [--count 300] [--seed 1] [--wrong 10]

A search asks for a thing by the value of an attribute ("wardrobe height below 120 cm"). Two texts are right. The others
have a kind: "accessory" states the value of a cover, "neighbour" of another thing next to the one asked for, and so on.
The table has the share of each kind's texts that rank after both right texts. The frames were written together with the
scoring, so the figures are upper bounds.
"""

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pyterrier_quantity as ptq


class Domain(NamedTuple):
    """Things with attributes that are measured in one unit, and the usual lowest and highest value."""

    things: tuple[str, ...]
    attributes: tuple[str, ...]
    unit: str
    low: int
    high: int


DOMAINS: Final = (
    Domain(("wardrobe", "bookcase", "fridge", "dishwasher", "desk"), ("width", "height", "depth"), " cm", 40, 220),
    Domain(("ball bearing", "washer", "bushing"), ("bore", "outer diameter", "width"), " mm", 5, 60),
    Domain(("phone", "tablet"), ("front camera", "rear camera"), " MP", 5, 100),
    Domain(("flat", "studio", "house"), ("rent", "deposit", "service charge"), " euros", 200, 3000),
    Domain(("loan", "mortgage", "savings account"), ("interest rate", "arrangement fee", "discount"), "%", 1, 20),
    Domain(("trial", "study"), ("treatment period", "follow-up"), " weeks", 2, 104),
    Domain(("country", "region"), ("unemployment rate", "inflation rate", "poverty rate"), "%", 1, 40),
    Domain(("company", "retailer", "bank"), ("revenue", "profit", "debt"), " million dollars", 5, 900),
    Domain(("mountain", "peak"), ("height", "prominence"), " m", 300, 8000),
    Domain(("alloy", "brass", "bronze"), ("copper content", "zinc content", "tin content"), "%", 1, 90),
    Domain(("speaker", "headset", "drone"), ("charging time", "battery life"), " hours", 1, 40),
    Domain(("river", "canal"), ("length", "width", "depth"), " m", 3, 900),
    Domain(("stadium", "arena"), ("capacity", "attendance"), " people", 500, 90000),
    Domain(("lorry", "trailer", "van"), ("payload", "kerb weight", "towing capacity"), " kg", 200, 9000),
    Domain(("motor", "pump", "heater"), ("power", "peak power", "standby power"), " W", 5, 3000),
)
OTHER_THINGS: Final = ("lamp", "carpet", "guitar", "bicycle", "museum", "sofa", "camera", "boat")
QUERIES: Final = ("{t} {a} {c}", "{t} with a {a} {c}", "{t} {c} {a}", "{a} {c} {t}")
RIGHT: Final = (
    "{t}, {a} {v}", "{t} with a {a} of {v}", "The {t} has a {a} of {v}.", "{t} ({a} {v})", "{t}. {a}: {v}.",
    "{a} {v}: {t} in good condition", "The {a} of the {t} is {v}.", "{t}, {v} {a}",
    "{t}, {a} {v}, {b} {w}", "{t} with a {a} of {v} and a {b} of {w}", "The {t} has a {a} of {v}; the {b} is {w}.",
    "{t} ({a} {v}, {b} {w})", "{t}. {a}: {v}. {b}: {w}.", "The {a} of the {t} is {v}, its {b} {w}.",
    "{t}, {v} {a}, {w} {b}", "While the {b} is {w}, the {t} has a {a} of {v}.", "{t} - {w} ({b}), {v} ({a})",
    "{t}: {b} {w} | {a} {v}",
)  # fmt: skip
"""Texts that meet the condition. {v} is a value that meets it, {w} one that does not; {b} is another attribute."""
WRONG: Final = {
    "unmet": ("{t}, {a} {w}", "The {t} has a {a} of {w}.", "{t}. {a}: {w}."),
    "other thing": ("{o}, {a} {v}", "The {o} has a {a} of {v}.", "{o}. {a}: {v}."),
    "other attribute": (
        "{t}, {a} {w}, {b} {v}", "{t} with a {a} of {w} and a {b} of {v}", "{t}. {a}: {w}. {b}: {v}.",
        "{t}, {w} {a}, {v} {b}", "The {a} of the {t} is {w}, its {b} {v}.", "{t} - {v} ({b}), {w} ({a})",
    ),
    "accessory": ("{t} cover, {a} {v}", "Spare part for {t}s, {a} {v}", "{t} accessory with a {a} of {v}"),
    "neighbour": ("The {o} next to the {t} has a {a} of {v}.", "Unlike the {t}, the {o} has a {a} of {v}."),
    "other owner": (
        "The {t} has a {a} of {w}, the {o} {v}.", "The {o} has a {a} of {v} and the {t} of {w}.",
        "While the {a} of the {o} is {v}, that of the {t} is {w}.",
    ),
    "old value": ("The {a} of the {t} was {v} but is now {w}.", "The {a} of the {t} changed from {v} to {w}."),
    "denied value": ("The {a} of the {t} is not {v} but {w}.", "The {a} of the {t} is {w}, not {v}."),
    "parallel names": (
        "The {a} and {b} of the {t} are {w} and {v}.", "The {a} and {b} of the {t} were {w} and {v}, respectively.",
    ),
}  # fmt: skip


class Search(NamedTuple):
    """A query with two right texts and wrong texts, each with its kind."""

    query: str
    right: list[str]
    wrong: dict[str, str]


def composed_searches(count: int, seed: int) -> Iterator[Search]:
    """Yield `count` searches, always the same for a seed."""
    chosen = random.Random(seed)
    for _ in range(count):
        yield _composed(chosen)


def _composed(chosen: random.Random) -> Search:
    domain, over = chosen.choice(DOMAINS), chosen.random() < 0.5
    thing, (attribute, another) = chosen.choice(domain.things), chosen.sample(domain.attributes, 2)
    limit = chosen.randint(domain.low * 2, max(domain.low * 2 + 1, domain.high // 2))
    sides = (limit // 2 or 1, limit - 1), (limit + 1, limit * 2)
    met, unmet = sides[over], sides[not over]
    bound = chosen.choice(("over", "more than", "above") if over else ("under", "less than", "below"))

    def text(frames: tuple[str, ...]) -> str:
        one = chosen.choice(frames).format(
            t=thing, o=chosen.choice(OTHER_THINGS), a=attribute, b=another,
            v=f"{chosen.randint(*met):,}{domain.unit}", w=f"{chosen.randint(*unmet):,}{domain.unit}",
        )  # fmt: skip
        return one[0].upper() + one[1:]

    condition = f"{bound} {limit:,}{domain.unit}"
    query = chosen.choice(QUERIES).format(t=thing, a=attribute, c=condition)
    return Search(query, [text(RIGHT), text(RIGHT)], {kind: text(frames) for kind, frames in WRONG.items()})


def scores(search: Search) -> list[float]:
    """Return the score of each text by `quantity_aware` over BM25, the right texts first; 0 for a text not found."""
    texts = [*search.right, *search.wrong.values()]
    with tempfile.TemporaryDirectory() as folder:
        corpus = [{"docno": str(number), "text": text} for number, text in enumerate(texts)]
        index = ptq.QuantityIndex(str(Path(folder) / "quantities")).index(corpus)
        bm25 = ptq.backends.bm25(str(Path(folder) / "words"), corpus)
        found = ptq.quantity_aware(bm25, index).search(search.query)
    scored = dict(zip(found["docno"], found["score"], strict=True))
    return [scored.get(str(number), 0.0) for number in range(len(texts))]


def ranked_too_high(search: Search) -> list[str]:
    """Return the kinds of wrong texts that do not rank after both right texts."""
    found = scores(search)
    return [kind for kind, score in zip(search.wrong, found[2:], strict=True) if score >= min(found[:2])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300, help="how many searches")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the generator")
    parser.add_argument("--wrong", type=int, default=0, help="how many of the texts ranked too high to print")
    options = parser.parse_args()
    after: Counter[str] = Counter()
    mistakes = []
    for search in composed_searches(options.count, options.seed):
        high = ranked_too_high(search)
        after.update(search.wrong.keys() - high)
        after["all"] += not high
        mistakes += [f"{search.query!r}: {kind} {search.wrong[kind]!r} before {search.right}" for kind in high]
    for line in random.Random(0).sample(mistakes, min(options.wrong, len(mistakes))):
        print(line)
    print("share of wrong texts that rank after both right texts (development figures are upper bounds)")
    for kind in sorted((*WRONG, "all"), key=lambda kind: after[kind]):
        print(f"  {after[kind] / options.count:.3f}  {kind}")


if __name__ == "__main__":
    main()
