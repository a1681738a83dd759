"""Texts with numbers, units and bounds, or with anything else. None may raise an error or take long."""

import math
import string
import time
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Final

from lib.attacks.outcome import Budget, Outcome
from lib.attacks.pieces import pattern_pieces
from pyterrier_quantity import RuleExtractor, parse_query
from pyterrier_quantity.datasets import DemoCollection
from pyterrier_quantity.index.queries import query_constraints
from pyterrier_quantity.units import default_registry

PIECES: Final = [
    *"0123456789.,-+±/%$€£×^°'’()[]:;~<>=≤≥ \n\t", "00", "000", "1e", "e400", "10^", "½", "²", "١", "一",
    "\u00a0", "\u2212",
    "million", "mln", "bn", "per", "dozen", "half", "a", "and", "to", "between", "above", "no more than", "minus", "kg",
    "km/h", "mg", "hp", "dollars", "percent", "years", "of age", "m2", "ft", "'", '"', "billion", "twenty", "hundred",
    "\ud800", "\x00", "🙂", "e\u0301",
]  # fmt: skip
LONGEST: Final = 0.05
"""The maximum processor time in seconds for a text of fewer than a thousand characters."""


def _numbers(random: Random) -> str:
    joint = random.choice(["", "", " "])
    return joint.join(random.choices(PIECES, k=random.randrange(1, 60)))


def _sought(random: Random) -> str:
    joint = random.choice(["", " "])
    return joint.join(random.choices(pattern_pieces(), k=random.randrange(1, 80)))


def _units(random: Random) -> str:
    known = _spellings()
    parts = (f"{random.choice(PIECES)}{random.choice(['', ' ', '-'])}{random.choice(known)}" for _ in range(20))
    return random.choice([" ", ", ", "/", " per "]).join(list(parts)[: random.randrange(1, 20)])


def _sentences(random: Random) -> str:
    """Return real sentences in which pieces are inserted, removed or repeated."""
    text = " ".join(random.choices(_texts(), k=random.randrange(1, 4)))
    for _ in range(random.randrange(1, 6)):
        begin = random.randrange(len(text) + 1)
        end = min(len(text), begin + random.randrange(8))
        put = random.choice([random.choice(PIECES), random.choice(pattern_pieces()), text[begin:end] * 3, ""])
        text = text[:begin] + put + text[end:]
    return text


def _characters(random: Random) -> str:
    return "".join(chr(random.randrange(1, 0x3000)) for _ in range(random.randrange(1, 200)))


def _printable(random: Random) -> str:
    return "".join(random.choices(string.printable, k=random.randrange(1, 400)))


DRAWS: Final[list[Callable[[Random], str]]] = [
    _numbers, _numbers, _sought, _sought, _units, _sentences, _sentences, _characters, _printable,
]  # fmt: skip


@cache
def _spellings() -> list[str]:
    registry = default_registry()
    return sorted({form for unit in registry.units() for form in (unit, *registry.surfaces(unit)[:3])})


@cache
def _texts() -> list[str]:
    return [document["text"] for document in DemoCollection().get_corpus_iter(verbose=False)]


def drawn(random: Random) -> str:
    """Draw a text of fewer than a thousand characters."""
    return random.choice(DRAWS)(random)[:999]


def attack(random: Random, budget: Budget) -> Outcome:
    """Read texts as documents and as queries.

    No text may raise an error, give a span outside the text or an infinite value, or take long five times in a row.
    """
    extractors = [RuleExtractor(concepts=False), RuleExtractor(), RuleExtractor(concepts=False, dates=True)]
    outcome = Outcome()
    for number in budget.spent(outcome):
        text = drawn(random)
        outcome.tried += 1
        try:
            seconds = _timed(extractors[number % 3], text)
            if seconds > LONGEST:
                seconds = min(_timed(extractors[number % 3], text) for _ in range(5))
            outcome.at_least("slowest, ms", round(1000 * seconds, 1))
            if seconds > LONGEST:
                outcome.failures.append(f"{seconds:.3f} s: {text!r}")
            if number % 4 == 0:
                query_constraints({"qid": "1", "constraints": parse_query(text)[1]})
        except Exception as error:  # any is what the attack looks for
            outcome.failures.append(f"{type(error).__name__} {error}: {text!r}")
    return outcome


def _timed(extractor: RuleExtractor, text: str) -> float:
    begin = time.process_time()
    found = extractor.extract(text)
    seconds = time.process_time() - begin
    for quantity in found:
        if not 0 <= quantity.start <= quantity.end <= len(text):
            raise AssertionError(f"span {quantity.start} to {quantity.end}")
        if not (math.isfinite(quantity.low) and math.isfinite(quantity.high)):
            raise AssertionError(f"value {quantity.low} to {quantity.high}")
    return seconds
