"""What a query asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyterrier_quantity.quantity import Constraint


@dataclass(frozen=True)
class Need:
    """What one query asks: its constraints, its terms as stem hashes, and related terms with their weights."""

    constraints: Sequence[Constraint]
    terms: Sequence[int] = ()
    related: Mapping[int, float] = field(default_factory=dict)

    @property
    def words(self) -> dict[int, float]:
        """The terms, 1 each, and the related ones by their weights; none where the query has no terms."""
        return {**dict.fromkeys(self.terms, 1.0), **self.related} if self.terms else {}
