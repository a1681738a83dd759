"""Training queries: for every pair and condition a value, worded at random, and read back.

Source: Almasian et al., Numbers Matter!, section 3.3.2 and appendices B.2 to B.5; where the paper is silent, the rules
are those of the code that its authors released.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pyterrier_quantity.concept_units.templates import read_back
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.training.pairs import Pair
from pyterrier_quantity.training.units_of_corpus import UnitForms

PAPER_CONDITIONS: Final = ("=", ">", "<")
CONDITIONS: Final = (*PAPER_CONDITIONS, ">=", "<=", "range", "!=")
"""What queries may ask; those beyond the paper's three are ours."""

VALUES: Final = ("typical", "random", "both")
_MANY, _SOME = 8, 7
"""Distinct values that a pair needs for a value at random, and for other bounds of the expanded concept."""


@dataclass(frozen=True)
class TrainingQuery:
    """A generated query.

    Args:
        qid: the pair's number and its own.
        text: as the model reads it.
        concept: of the pair, in the spelling of the corpus; what the text names if it is not `expanded`.
        constraint: what it asks.
        expanded: names a synonym or a superset of the concept instead.
    """

    qid: str
    text: str
    concept: str
    constraint: Constraint
    expanded: bool = False


def pair_queries(
    pair: Pair,
    forms: UnitForms,
    conditions: Sequence[str] = PAPER_CONDITIONS,
    values: str = "typical",
    expansion: str | None = None,
    seed: int = 0,
) -> list[TrainingQuery]:
    """A pair's queries: one a condition, one more at random, and as many for its expansion.

    Args:
        conditions: some of `CONDITIONS`.
        values: "typical", "random" or "both".
        expansion: the synonym or superset that further queries name.
        seed: with the pair's number, of all choices.

    Returns:
        Those that `parse_query` reads as what they are to ask; fewer than asked for where no wording is.
    """
    found = []
    for expanded, name in ((False, pair.concept), (True, expansion)):
        if name is None:
            continue
        for condition in conditions:
            # A generator of its own, so that one condition's choices leave the others as they are.
            chance = random.Random(f"{seed}/{pair.number}/{condition}/{expanded}")
            for kind, constraint in _asked(pair, condition, values, expanded, chance):
                text = read_back(name, constraint, forms.some(pair.unit, chance), chance)
                if text is not None:
                    qid = f"{pair.number}-{condition}-{kind}{'-e' if expanded else ''}"
                    found.append(TrainingQuery(qid, text, pair.concept, constraint, expanded))
    return found


def _asked(
    pair: Pair, condition: str, values: str, expanded: bool, chance: random.Random
) -> list[tuple[str, Constraint]]:
    """The constraints of a condition, and "t" or "r" for a typical value or one at random."""
    typical = _typical(pair, condition, expanded)
    asked = [] if typical is None or values == "random" else [("t", typical)]
    inner = [v for v in pair.frequent[2:-2] if typical is None or v not in (typical.low, typical.high)]
    if values != "typical" and len(pair.distinct) > _MANY and inner:
        low = chance.choice(inner)
        high = chance.choice([v for v in pair.distinct if v >= low]) if condition == "range" else low
        asked.append(("r", Constraint(condition, low, high, pair.unit)))
    return asked


def _typical(pair: Pair, condition: str, expanded: bool) -> Constraint | None:
    """The most frequent value for "=", one beside the median for the bounds; other ones for the expanded concept."""
    distinct, middle = pair.distinct, len(pair.distinct) // 2
    step = 2 if expanded and len(distinct) >= _SOME else 1
    above, below = distinct[max(0, middle - step)], distinct[min(len(distinct) - 1, middle + step)]
    if condition in ("=", "!="):
        low = high = pair.frequent[1] if expanded and len(pair.frequent) > 1 else pair.frequent[0]
    elif condition == "range":
        low, high = below, above
    else:
        low = high = above if condition[0] == "<" else below
    return Constraint(condition, low, high, pair.unit) if low < high or condition != "range" else None
