"""How far annotators agree: Cohen's kappa, and the pairs on which they differ.

Source: Cohen, A coefficient of agreement for nominal scales, 1960; Almasian et al., section 4.1, report it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from pyterrier_quantity.collecting.marks import Pair


def cohens_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Cohen's kappa of two annotators' marks on the same items: (observed - expected) / (1 - expected).

    Returns:
        1 for full agreement, 0 for that of chance; NaN where chance alone agrees on everything (both gave one and
        the same mark to all items), or there are no items.

    Raises:
        ValueError: if the two differ in length.
    """
    if len(first) != len(second):
        raise ValueError(f"the annotators marked {len(first)} and {len(second)} items; give the marks of the same ones")
    if not first:
        return math.nan
    observed = sum(one == other for one, other in zip(first, second, strict=True)) / len(first)
    one, other = Counter(first), Counter(second)
    expected = sum(one[mark] * other[mark] for mark in one) / len(first) ** 2
    return (observed - expected) / (1 - expected) if expected < 1 else math.nan


@dataclass(frozen=True)
class Agreement:
    """Two annotators' agreement on the pairs that both have marked.

    shared: how many these are. observed: the share on which they agree. kappa: over the three marks.
    kappa_sure: over the pairs that neither has called doubtful; sure: how many these are.
    differing: the others' marks by pair, in the order of the sheet.
    """

    first: str
    second: str
    shared: int
    observed: float
    kappa: float
    sure: int
    kappa_sure: float
    differing: Mapping[Pair, tuple[str, str]]


def agreements(marks: Mapping[str, Mapping[Pair, str]]) -> list[Agreement]:
    """The agreement of every two annotators.

    Args:
        marks: by annotator, then by pair.

    Raises:
        ValueError: if there are fewer than two annotators.
    """
    if len(marks) < 2:
        raise ValueError(f"agreement needs two annotators, got {', '.join(marks) or 'none'}")
    return [_agreement(one, other, marks[one], marks[other]) for one, other in combinations(marks, 2)]


def _agreement(first: str, second: str, one: Mapping[Pair, str], other: Mapping[Pair, str]) -> Agreement:
    shared = [pair for pair in one if pair in other]
    sure = [pair for pair in shared if "doubtful" not in (one[pair], other[pair])]
    differing = {pair: (one[pair], other[pair]) for pair in shared if one[pair] != other[pair]}
    observed = 1 - len(differing) / len(shared) if shared else math.nan
    kappas = (cohens_kappa([one[p] for p in pairs], [other[p] for p in pairs]) for pairs in (shared, sure))
    return Agreement(first, second, len(shared), observed, next(kappas), len(sure), next(kappas), differing)
