"""Texts that repeat a piece: their time may not grow faster than their length."""

from __future__ import annotations

import math
import time
from random import Random
from typing import Final

from lib.attacks.outcome import Clock, Outcome
from lib.attacks.texts import PIECES
from pyterrier_quantity import RuleExtractor

SHORT: Final = 20_000
STEEPEST: Final = 1.2
"""The exponent by which time may grow from `SHORT` to four times as many characters."""


def attack(random: Random, clock: Clock) -> Outcome:
    """Units of up to three pieces, and those that were quadratic once."""
    known = [" 555", "123 456 ", ", 555", " , 555", "5.5", "12.12.", "1.1.11.", "5,555"]
    outcome, extractor, steepest = Outcome(), RuleExtractor(concepts=False), 0.0
    while clock.running():
        unit = known.pop() if known else "".join(random.choice(PIECES) for _ in range(random.randrange(1, 4)))
        outcome.tried += 1
        exponent = _exponent(extractor, unit)
        for _ in range(3):  # what else the machine does is not the text's fault
            exponent = min(exponent, _exponent(extractor, unit)) if exponent > STEEPEST else exponent
        steepest = max(steepest, exponent)
        if exponent > STEEPEST:
            outcome.failures.append(f"exponent {exponent:.2f}: {unit!r}")
    outcome.notes["steepest"] = round(steepest, 2)
    return outcome


def _exponent(extractor: RuleExtractor, unit: str) -> float:
    seconds = []
    for length in (SHORT, 4 * SHORT):
        text = (unit * (length // len(unit) + 1))[:length]
        begin = time.process_time()
        extractor.extract(text)
        seconds.append(max(time.process_time() - begin, 1e-3))
    return math.log(seconds[1] / seconds[0]) / math.log(4)
