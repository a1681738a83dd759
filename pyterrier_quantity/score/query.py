"""Define queries for scoring: conditions, and search terms as 16-bit hashes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pyterrier_quantity.flat_arrays import Floats
from pyterrier_quantity.plan.order import Order
from pyterrier_quantity.quantity import Constraint


class Name(NamedTuple):
    """A synonym of query terms: "employee" for "staff", or the words of a dictionary definition. Terms are stem hashes.

    Args:
        said: the terms of the query that have the synonym.
        other: the terms that replace `said`. A document must contain all of these terms.
        weight: the weight of the synonym relative to the query's own terms, from 0 to 1.
        defines: whether `other` is from a definition, and therefore used only if no document contains `said`.
    """

    said: tuple[int, ...]
    other: tuple[int, ...]
    weight: float
    defines: bool = False


@dataclass(frozen=True)
class QueryCondition:
    """A constraint of a query, with the query terms that belong to it, as hashes of word stems.

    Args:
        constraint: the constraint.
        attribute: the terms of the attribute, the nearest to the number first.
        naming: the terms that a document may use as the counted noun: "truck" in "truck production above 400".
        labels: terms that may label a number without a unit in a document: "seats" in "seats: 255".
        counted: the terms of the noun that the condition counts: "seat" for "60 seats".
        support: the weight of the condition (0 to 1), computed from the ranker's results. None means 1.
    """

    constraint: Constraint
    attribute: Sequence[int] = ()
    naming: Sequence[int] = ()
    labels: frozenset[int] = frozenset()
    counted: Sequence[int] = ()
    support: float | None = None

    @property
    def effect(self) -> float:
        """The weight of the condition, from 0 to 1."""
        return 1.0 if self.support is None else self.support


@dataclass(frozen=True)
class IndexQuery:
    """A query for scoring: its conditions, and its search terms as hashes of word stems.

    Args:
        conditions: the conditions.
        terms: the search terms.
        related: attribute terms that the query does not contain, such as "price" from `default="price"`, with weights.
        names: synonyms of the search terms. `names.supported_names` selects the synonyms that fit the documents.
        order: the order that the query asks for, or None.
        modifiers: the terms that only modify another word of the query, such as "dog" in "dog food".
        weights: the weight of each term and synonym, from `fit.term_weights`. It is None until
            `supported_names` is called.
    """

    conditions: Sequence[QueryCondition]
    terms: Sequence[int] = ()
    related: Mapping[int, float] = field(default_factory=dict)
    names: Sequence[Name] = ()
    order: Order | None = None
    modifiers: frozenset[int] = frozenset()
    weights: Mapping[int, float] | None = None

    @property
    def constraints(self) -> list[Constraint]:
        return [condition.constraint for condition in self.conditions]

    @property
    def attribute(self) -> frozenset[int]:
        """The terms of the attributes of all conditions."""
        return frozenset(code for condition in self.conditions for code in condition.attribute)

    @property
    def others(self) -> Sequence[Name]:
        """The synonyms to use for scoring: `names`, or () before `supported_names` has selected the synonyms."""
        return () if self.weights is None else self.names

    @property
    def words(self) -> dict[int, float]:
        """The weight of each word, keyed by hash: 1 for a search term, 0 for a word that only occurs in synonyms."""
        if not self.terms:
            return {}
        own = {**dict.fromkeys(self.terms, 1.0), **self.related}
        return own | {code: 0.0 for name in self.others for code in name.other if code not in own}

    @property
    def support(self) -> tuple[float, ...]:
        """The weight of each condition, from 0 to 1 (see `settling`), or () before the weights are computed."""
        return tuple(condition.support for condition in self.conditions if condition.support is not None)

    @property
    def in_doubt(self) -> bool:
        """Whether the query has a constraint of certainty below 1 whose weight (`support`) is not yet computed."""
        return any(one.support is None and one.constraint.certainty < 1.0 for one in self.conditions)


class Queries:
    """Several queries, with their conditions in one list."""

    def __init__(self, queries: Sequence[IndexQuery]) -> None:
        self.queries = queries
        self.conditions = [condition for query in queries for condition in query.conditions]
        self.constraints = [condition.constraint for condition in self.conditions]
        self.count = np.array([len(query.conditions) for query in queries], dtype=np.int64)
        self.owner = np.repeat(np.arange(len(queries)), self.count)

    @property
    def effects(self) -> Floats:
        """The weight of each constraint, from 0 to 1: 0 for a number that does not set a condition ("in 500 words")."""
        return np.array([condition.effect for condition in self.conditions], dtype=np.float64)
