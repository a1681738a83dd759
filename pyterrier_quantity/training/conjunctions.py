"""Queries with two conditions: a sentence that meets both is right, the same that violates one of them is wrong (ours).

The sentence states two quantities of different concepts in different units, "oil above 17 dollars a barrel and output
below 2 mln barrels". A model that minds only one of the conditions cannot tell it from the wrong ones.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from pyterrier_quantity.concept_units.concept_words import stems
from pyterrier_quantity.concept_units.templates import worded
from pyterrier_quantity.concept_units.wording import written_number
from pyterrier_quantity.quantity import BARE, Constraint
from pyterrier_quantity.training.pairs import Pair, at_most
from pyterrier_quantity.training.query_generation import TrainingQuery, UnitForms, read_as
from pyterrier_quantity.training.rewriting import Mention, Rewriter, meets
from pyterrier_quantity.training.sampling import Sample, pair_values

SEVERAL: Final = "several"
"""Among the methods: queries with two conditions."""
_JOINED: Final = (" and ", ", ", " with ")
_NEAR: Final = 8
"""Quantities behind one that it is asked for with: in a text of thousands, all pairs would be millions."""


@dataclass(frozen=True)
class Stated:
    """A quantity in its sentence, and the pair that it belongs to."""

    pair: Pair
    mention: Mention


def several_samples(
    pairs: Sequence[Pair], rewriter: Rewriter, forms: UnitForms, conditions: Sequence[str], most: int | None = None,
    seed: int = 0,
) -> tuple[list[TrainingQuery], list[Sample]]:  # fmt: skip
    """Queries with two conditions, and their samples.

    Args:
        pairs: of concept and unit; their documents are taken.
        rewriter: rewrites their sentences.
        forms: the wordings of the units.
        conditions: some of `query_generation.CONDITIONS`.
        most: so many queries at most, at random; None: one of every two quantities in a sentence.
        seed: of all choices.

    Returns:
        The queries, each of which `parse_query` reads as its two conditions; `constraint` is the first, `concept` names
        both. And their samples, positive and negative in turn: the sentence, and the sentence with one of the two
        values rewritten so that it violates its condition.
    """
    found = at_most(list(_together(pairs, rewriter)), most, f"{seed}/{SEVERAL}")
    queries, samples = [], []
    for number, two in enumerate(found):
        qid = f"{SEVERAL}{number}"
        chance = random.Random(f"{seed}/{qid}")
        asked = [_met(stated, conditions, chance) for stated in two]
        constraints = [constraint for constraint in asked if constraint is not None]
        text = _read_back(two, constraints, forms, chance)
        if text is not None:
            made = list(_samples(qid, two, constraints, rewriter, chance))
            samples += made
            if made:
                queries.append(TrainingQuery(qid, text, " and ".join(one.pair.concept for one in two), constraints[0]))
    return queries, samples


def _together(pairs: Sequence[Pair], rewriter: Rewriter) -> Iterator[tuple[Stated, Stated]]:
    """Every two quantities near each other in a text, in different units, whose concepts share no word."""
    by_document: dict[int, list[tuple[Pair, int]]] = {}
    for pair in pairs:
        for document, row in zip(pair.documents.tolist(), pair.rows.tolist(), strict=True):
            if pair.unit != BARE:
                by_document.setdefault(document, []).append((pair, row))
    for document in sorted(by_document):
        stated = sorted(by_document[document], key=itemgetter(1))  # as they stand in the text
        for place, (one, row) in enumerate(stated):
            for other, there in stated[place + 1 : place + 1 + _NEAR]:
                if one.unit != other.unit and not stems(one.concept) & stems(other.concept):
                    mentions = rewriter.mention(row), rewriter.mention(there)
                    if mentions[0] is not None and mentions[1] is not None:
                        yield Stated(one, mentions[0]), Stated(other, mentions[1])


def _met(stated: Stated, conditions: Sequence[str], chance: random.Random) -> Constraint | None:
    """A condition that the sentence meets, with a value of the pair; None: none of these can be made."""
    value, unit, distinct = [stated.mention.value], stated.pair.unit, stated.pair.distinct
    above, below = [v for v in distinct if v > value[0]][-1:], [v for v in distinct if v < value[0]][:1]
    bounds = {"=": value, ">=": value, "<=": value, ">": below, "<": above, "!=": below or above}
    possible = [Constraint(op, bound, bound, unit) for op in conditions for bound in bounds.get(op, ())]
    if "range" in conditions and above and below:
        possible.append(Constraint("range", below[0], above[0], unit))
    return chance.choice(possible) if possible else None


def _read_back(
    two: tuple[Stated, Stated], constraints: list[Constraint], forms: UnitForms, chance: random.Random
) -> str | None:
    """Both conditions worded at random, so that `parse_query` reads both; None: none was found."""
    wordings = [forms.of(stated.pair.unit) for stated in two]
    if len(constraints) < len(two) or not all(wordings):
        return None

    def word() -> str:
        parts = (worded(stated.pair.concept, constraint, ways, chance, written_number)
                 for stated, constraint, ways in zip(two, constraints, wordings, strict=True))  # fmt: skip
        return chance.choice(_JOINED).join(parts)

    return read_as(constraints, word)


def _samples(
    qid: str, two: tuple[Stated, Stated], constraints: Sequence[Constraint], rewriter: Rewriter, chance: random.Random
) -> Iterator[Sample]:
    """The sentence, and what violates one condition and meets the other, for each of the two."""
    right = two[0].mention.text
    if not all(meets(constraint, rewriter.read(right)) for constraint in constraints):
        return
    for stated, violated in zip(two, constraints, strict=True):
        values = pair_values(stated.pair, violated, meeting=False)
        wrong = rewriter.with_value(stated.mention, chance.choice(values), chance) if values else None
        if wrong is not None:
            read = rewriter.read(wrong)
            if [constraint for constraint in constraints if not meets(constraint, read)] == [violated]:
                yield from (Sample(qid, right, 1, SEVERAL), Sample(qid, wrong, 0, SEVERAL))
