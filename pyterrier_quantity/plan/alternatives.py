"""Conditions of which one is enough: "16 GB or 32 GB", "500 g, 1 kg or 2 kg", "under 1 kg or over 10 kg"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from pyterrier_quantity.extraction.grammar.bound_wordings import OPPOSITE
from pyterrier_quantity.plan.conditions import Condition
from pyterrier_quantity.quantity import Constraint

_ALTERNATIVE: Final = re.compile(r",?(?: or|,| /|/)? ?(?:either )?|,? or ")


def with_alternatives(text: str, conditions: Sequence[Condition]) -> list[Condition]:
    """The conditions of a query, those that "or" joins marked by a number that they share; so are the readings of one
    whose unit is in doubt."""
    marked = [one.constraint for one in conditions]
    gaps = [text[one.end : other.start].lower() for one, other in pairwise(conditions)]
    begin = group = 0
    while begin < len(marked):
        group, end = group + 1, begin + 1
        while end < len(marked) and _joined(gaps[end - 1], marked[begin], marked[end]):
            if conditions[end].is_plain:
                marked[end] = _bound_alike(marked[end - 1], marked[end])
            end += 1
        either = any("or" in gap for gap in gaps[begin : end - 1])
        for place in range(begin, end):
            if either or conditions[place].others:
                marked[place] = replace(marked[place], alternative=group)
                group += not either
        begin = end
    return [replace(one, constraint=constraint) for one, constraint in zip(conditions, marked, strict=True)]


def _joined(gap: str, one: Constraint, other: Constraint) -> bool:
    """Whether two conditions may be alternatives: values in a list, or anything right behind "or"."""
    return bool(_ALTERNATIVE.fullmatch(gap)) and (one.op == other.op == "=" or "or" in gap)


def _bound_alike(one: Constraint, other: Constraint) -> Constraint:
    """A bare value behind a bound: "cheaper than 50 dollars or 60 dollars"."""
    if one.op in OPPOSITE and other.op == "=" and one.unit == other.unit:
        return replace(other, op=one.op, certainty=one.certainty)
    return other
