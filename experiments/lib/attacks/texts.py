"""Texts that look like numbers, units and bounds, or like anything at all: none may raise, or take long."""

from __future__ import annotations

import string
import time
from random import Random
from typing import Final

from lib.attacks.outcome import Clock, Outcome
from pyterrier_quantity import RuleExtractor, parse_query

PIECES: Final = [
    *"0123456789.,-+±/%$€£×^°'’()[]:;~<>=≤≥ \n\t", "00", "000", "1e", "e400", "10^", "½", "²", "١", "一",
    "\u00a0", "\u2212",
    "million", "mln", "bn", "per", "dozen", "half", "a", "and", "to", "between", "above", "no more than", "minus", "kg",
    "km/h", "mg", "hp", "dollars", "percent", "years", "of age", "m2", "ft", "'", '"', "billion", "twenty", "hundred",
    "\ud800", "\x00", "🙂", "e\u0301",
]  # fmt: skip
LONGEST: Final = 0.05
"""Seconds that a text of less than a thousand characters may take."""


def drawn(random: Random) -> str:
    """A text."""
    kind = random.random()
    if kind < 0.6:
        joint = random.choice(["", "", " "])
        return joint.join(random.choice(PIECES) for _ in range(random.randrange(1, 60)))[:999]
    if kind < 0.8:
        return "".join(chr(random.randrange(1, 0x3000)) for _ in range(random.randrange(1, 200)))
    return "".join(random.choice(string.printable) for _ in range(random.randrange(1, 400)))


def attack(random: Random, clock: Clock) -> Outcome:
    """No text raises, gives a span outside it or a value that is not finite, or takes long, twice in a row."""
    outcome, extractor, slowest = Outcome(), RuleExtractor(concepts=False), 0.0
    while clock.running():
        text = drawn(random)
        outcome.tried += 1
        try:
            seconds = min(_timed(extractor, text), _timed(extractor, text) if outcome.tried % 50 == 0 else 1.0)
            if seconds > LONGEST:
                seconds = min(_timed(extractor, text) for _ in range(5))
            slowest = max(slowest, seconds)
            if seconds > LONGEST:
                outcome.failures.append(f"{seconds:.3f} s: {text!r}")
            if outcome.tried % 20 == 0:
                parse_query(text)
        except Exception as error:
            outcome.failures.append(f"{type(error).__name__} {error}: {text!r}")
    outcome.notes["slowest, ms"] = round(1000 * slowest, 1)
    return outcome


def _timed(extractor: RuleExtractor, text: str) -> float:
    begin = time.process_time()
    found = extractor.extract(text)
    seconds = time.process_time() - begin
    for quantity in found:
        if not 0 <= quantity.start <= quantity.end <= len(text):
            raise AssertionError(f"span {quantity.start} to {quantity.end}")
    return seconds
