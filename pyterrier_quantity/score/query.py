"""What queries ask of documents, in the terms of an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pyterrier_quantity.flat_arrays import Floats
from pyterrier_quantity.plan.order import Order
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
class Condition:
    """One constraint of a query, and those of the query's terms that belong to it.

    Args:
        constraint: the constraint.
        attribute: the terms that its number belongs to, with their weights.
        naming: the terms that may name what it counts.
        labels: the terms that, right before a bare number, say that it states what is counted.
        counted: the terms of the noun that it counts.
        support: how far it counts, 0 to 1, as the first results settled it; None: it is not settled, and counts fully.
    """

    constraint: Constraint
    attribute: Mapping[int, float] = field(default_factory=dict)
    naming: Sequence[int] = ()
    labels: frozenset[int] = frozenset()
    counted: Sequence[int] = ()
    support: float | None = None

    @property
    def effect(self) -> float:
        """How far it counts, 0 to 1."""
        return 1.0 if self.support is None else self.support


@dataclass(frozen=True)
class IndexQuery:
    """What one query asks: its conditions, and its terms as stem hashes.

    Args:
        conditions: the conditions.
        terms: what the query is about.
        related: terms that the query does not say, with their weights.
        names: other names of what it says: by a dictionary, or, where it is weighed, those that scoring counts.
        order: in which documents are asked for; None: in none.
        weights: of each of its words by its code, see `fit.term_weights`; None: the documents have not weighed them,
            nor chosen the names, see `names.borne_out`.
    """

    conditions: Sequence[Condition]
    terms: Sequence[int] = ()
    related: Mapping[int, float] = field(default_factory=dict)
    names: Sequence[Name] = ()
    order: Order | None = None
    weights: Mapping[int, float] | None = None

    @property
    def constraints(self) -> list[Constraint]:
        """The constraints."""
        return [condition.constraint for condition in self.conditions]

    @property
    def attribute(self) -> frozenset[int]:
        """The terms that numbers belong to."""
        return frozenset(code for condition in self.conditions for code in condition.attribute)

    @property
    def others(self) -> Sequence[Name]:
        """Other names that scoring counts."""
        return () if self.weights is None else self.names

    @property
    def words(self) -> dict[int, float]:
        """The terms, 1 each, the related ones by their weights, and those of other names, which add nothing by
        themselves; none where the query has no terms."""
        if not self.terms:
            return {}
        own = {**dict.fromkeys(self.terms, 1.0), **self.related}
        return own | {code: 0.0 for name in self.others for code in name.other if code not in own}

    @property
    def support(self) -> tuple[float, ...]:
        """For each constraint how far it counts, as the first results settled it; empty where nothing is settled."""
        return tuple(condition.support for condition in self.conditions if condition.support is not None)

    @property
    def in_doubt(self) -> bool:
        """Whether results have to settle how far a constraint counts."""
        return any(one.support is None and one.constraint.certainty < 1.0 for one in self.conditions)


class Queries:
    """Several queries, and all their conditions, one query's behind the other's."""

    def __init__(self, queries: Sequence[IndexQuery]) -> None:
        self.queries = queries
        self.conditions = [condition for query in queries for condition in query.conditions]
        self.constraints = [condition.constraint for condition in self.conditions]
        self.count = np.array([len(query.conditions) for query in queries], dtype=np.int64)
        self.owner = np.repeat(np.arange(len(queries)), self.count)

    @property
    def effects(self) -> Floats:
        """How far each constraint counts, 0 to 1."""
        return np.array([condition.effect for condition in self.conditions], dtype=np.float64)
