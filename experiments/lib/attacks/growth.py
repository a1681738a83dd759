"""Texts that repeat a piece. Their processing time must not grow faster than their length."""

import math
import time
from collections.abc import Callable
from random import Random
from typing import Any, Final

from lib.attacks.outcome import Budget, Outcome
from lib.attacks.pieces import pattern_pieces
from lib.attacks.texts import PIECES
from pyterrier_quantity import RuleExtractor, parse_query
from pyterrier_quantity.backends.opensearch.content import to_source
from pyterrier_quantity.tables import facts

SHORT: Final = 20_000
STEEPEST: Final = 1.2
"""The largest exponent of the time from `SHORT` to four times as many characters."""
KNOWN: Final = [
    " 555", "123 456 ", ", 555", " , 555", "5.5", "12.12.", "1.1.11.", "5,555", "000'",
    "above 5 kg ", "the car has 5 hp and ", ",1", "x,1\n", "It rose. ", "<td>1", "|1", "$1,", "so <3 ",
]  # fmt: skip
"""Units whose repetition once took quadratic time."""
_EXTRACTOR: Final = RuleExtractor()


def _tables(text: str) -> None:
    """Read a text as the columns and rows of a table, and as a paragraph next to a table."""
    list(facts(f"a,b\n{text}\nx,1\n"))
    list(facts({"table": [["a", "b"], ["x", "1"]], "paragraphs": [text]}, "text"))


READERS: Final[dict[str, Callable[[str], Any]]] = {
    "texts": _EXTRACTOR.extract,
    "queries": parse_query,
    "tables": _tables,
    "engine documents": lambda text: to_source("d", text, _EXTRACTOR.extract(text), "text"),
}
"""Functions that take texts of any length."""


def attack(read: Callable[[str], Any], random: Random, budget: Budget) -> Outcome:
    """Repeat units of up to three pieces of the package's own patterns, or of the pieces for fuzzed texts."""
    outcome = Outcome()
    for number in budget.spent(outcome):
        pieces = random.choice([PIECES, pattern_pieces(), pattern_pieces()])
        drawn = "".join(random.choices(pieces, k=random.randrange(1, 4)))
        unit = KNOWN[number] if number < len(KNOWN) else drawn
        outcome.tried += 1
        exponent = growth_exponent(read, unit)
        for _ in range(4):  # what else the machine does is not the text's fault
            exponent = min(exponent, growth_exponent(read, unit)) if exponent > STEEPEST else exponent
        outcome.at_least("steepest", round(exponent, 2))
        if exponent > STEEPEST:
            outcome.failures.append(f"exponent {exponent:.2f}: {unit!r}")
    return outcome


def growth_exponent(read: Callable[[str], Any], unit: str) -> float:
    """Return the exponent with which the processing time of a text that repeats a unit grows with its length."""
    seconds = []
    for length in (SHORT, 4 * SHORT):
        text = unit * (length // len(unit) + 1)  # whole units: another end may be read in another way
        begin = time.process_time()
        read(text)
        seconds.append(max(time.process_time() - begin, 2e-3))
    return math.log(seconds[1] / seconds[0]) / math.log(4)
