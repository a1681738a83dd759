"""The token vectors of a hybrid model, as a late-interaction model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pyterrier_quantity.neural.colbert import ColBERT, TokenVectors

if TYPE_CHECKING:
    from pyterrier_quantity.neural.hybrid import Hybrid


class HybridTokens(ColBERT):
    """A hybrid model where a `ColBERT` is asked for; no weights of its own.

    Args:
        hybrid: the model.
    """

    def __init__(self, hybrid: Hybrid) -> None:
        self.hybrid = hybrid

    @property
    def name(self) -> str:
        return self.hybrid.name

    @property
    def verbose(self) -> bool:  # type: ignore[override]  # an attribute of other encoders
        return self.hybrid.verbose

    @property
    def loaded(self) -> Any:
        return self.hybrid.loaded

    @property
    def quantities(self) -> str:  # type: ignore[override]  # likewise
        return self.hybrid.form

    @property
    def trained(self) -> dict[str, Any]:
        return {}  # what the folder says of a gate is of the sparse vectors

    @property
    def dimension(self) -> int:
        return self.hybrid.dimension

    def encode(self, texts: Sequence[str], task: str = "document") -> list[TokenVectors]:
        return self.hybrid.encode(texts, task, outputs=("tokens",)).tokens

    def _arguments(self) -> dict[str, Any]:
        return {"hybrid": self.hybrid}

    def __hash__(self) -> int:
        return hash((type(self), self.hybrid))
