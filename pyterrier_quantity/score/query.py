"""What queries ask of documents, in the terms of an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pyterrier_quantity._ragged import Floats
from pyterrier_quantity.quantity import Constraint


class Name(NamedTuple):
    """Another name of something that a query says.

    Args:
        said: terms of the query.
        other: terms that stand for them where a document has all of these.
        weight: what they count there beside the query's own, 0 to 1.
        defines: it only defines what is said, and stands for that where no document says it.
    """

    said: tuple[int, ...]
    other: tuple[int, ...]
    weight: float
    defines: bool = False


@dataclass(frozen=True)
class IndexQuery:
    """What one query asks: its constraints, and its terms as stem hashes.

    Args:
        constraints: the conditions.
        terms: what the query is about.
        attributes: for each constraint, those terms that its number belongs to, with their weights.
        naming: for each constraint, those terms that may name what it counts.
        labels: for each constraint, the terms that, right before a bare number, say that it states what is counted.
        related: terms that the query does not say, with their weights.
        names: other names of what it says, by a dictionary.
        others: those of them that the documents bear out, which scoring counts; see `names.borne_out`.
        support: for each constraint, how far it counts, 0 to 1, as the first results settled it; empty where nothing
            is settled: then each counts in full.
        counted: for each constraint, the terms of the noun that it counts; empty once `own_words` has looked at them.
    """

    constraints: Sequence[Constraint]
    terms: Sequence[int] = ()
    attributes: Sequence[Mapping[int, float]] = ()
    naming: Sequence[Sequence[int]] = ()
    labels: Sequence[frozenset[int]] = ()
    related: Mapping[int, float] = field(default_factory=dict)
    names: Sequence[Name] = ()
    others: Sequence[Name] = ()
    support: Sequence[float] = ()
    counted: Sequence[Sequence[int]] = ()

    @cached_property
    def words(self) -> dict[int, float]:
        """The terms, 1 each, the related ones by their weights, and those of other names, which add nothing by
        themselves; none where the query has no terms."""
        if not self.terms:
            return {}
        own = {**dict.fromkeys(self.terms, 1.0), **self.related}
        return own | {code: 0.0 for name in self.others for code in name.other if code not in own}

    @property
    def effects(self) -> Sequence[float]:
        """For each constraint, how far it counts, 0 to 1."""
        return self.support or (1.0,) * len(self.constraints)

    @property
    def in_doubt(self) -> bool:
        """Whether results have to settle how far a constraint counts."""
        return not self.support and any(constraint.certainty < 1.0 for constraint in self.constraints)


class Queries:
    """Several queries, and all their constraints, one query's behind the other's."""

    def __init__(self, queries: Sequence[IndexQuery]) -> None:
        self.queries = queries
        self.constraints = [constraint for query in queries for constraint in query.constraints]
        self.count = np.array([len(query.constraints) for query in queries], dtype=np.int64)
        self.owner = np.repeat(np.arange(len(queries)), self.count)

    @cached_property
    def words(self) -> list[dict[int, float]]:
        """The words of each query."""
        return [query.words for query in self.queries]

    @property
    def effects(self) -> Floats:
        """How far each constraint counts, 0 to 1."""
        return np.array([effect for query in self.queries for effect in query.effects], dtype=np.float64)
