"""What folders of neural indexes hold, and how an index knows the model that it was built by."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from pyterrier_quantity._index_folder import Kind
from pyterrier_quantity.index.stored_index import StoredIndex
from pyterrier_quantity.neural.models import LazyModel
from pyterrier_quantity.neural.numeric_terms import FORM

TOKENS: Final = "token_index"
"""The folder of the token vectors within a hybrid index."""
PROBE: Final = "A probe of the encoder: 42 kilometres per hour."
"""Encoded by the model of an index and by the model that searches it, to tell whether they are the same."""
_ALIKE: Final = 0.99
"""The cosine above which two probes are of one model."""


HYBRID: Final = Kind(
    "hybrid_index",
    "dense_sparse",
    5,
    called="hybrid index",
    build="build one with .indexer(model).index(documents)",
    package="pyterrier-quantity[dense,pisa]",
)
COLBERT: Final = Kind(
    "colbert_index",
    "token_vectors",
    5,
    called="ColBERT index",
    build="build one with .indexer(model).index(documents)",
    package="pyterrier-quantity[neural]",
)


class ModelMismatchError(ValueError):
    """The index was built by another model than the one that is to search it."""


class NeuralIndex(StoredIndex):
    """An index that a model built, and that is searched by the same model."""

    MODEL: ClassVar[Any]
    """The class of the model."""

    @staticmethod
    @abstractmethod
    def probed(model: Any) -> npt.NDArray[np.float32]:
        """What a model makes of `PROBE`."""

    @property
    @abstractmethod
    def has_terms(self) -> bool:
        """Whether the index holds quantities as terms."""

    def model(self, given: Any = None) -> Any:
        """The model to encode queries with: the one given, or the one that built the index.

        Args:
            given: a model, or its name, which takes quantities as the index's own does; None: the index's own.

        Raises:
            ModelMismatchError: if it is another than the one that built the index, naming both; or if it takes
                quantities as terms, and the index has none.
        """
        model: LazyModel = given
        if not isinstance(given, self.MODEL):
            model = self.MODEL(given or self.meta["model"], quantities=self.meta.get("quantities"))
        if model.numeric and not (self.has_terms and self.meta.get("terms") == FORM):
            lacks = "by a version with other terms" if self.has_terms else "without quantities as terms"
            raise ModelMismatchError(
                f"{self.path} was built {lacks}, which the model given asks for; build it again with this model"
            )
        expected, found = np.array(self.meta["probe"], dtype=np.float32), self.probed(model)
        same = len(expected) == len(found)
        if not same or not expected @ found / (np.linalg.norm(expected) * np.linalg.norm(found)) > _ALIKE:
            raise ModelMismatchError(
                f"{self.path} was built by {self.meta['model']} ({len(expected)} dimensions), the model given is "
                f"{model.name} ({len(found)} dimensions); search it with its own model, or build it again"
            )
        return model


def probe_of(found: npt.NDArray[np.float32]) -> list[float]:
    """What metadata keep of a model's probe."""
    return [round(float(number), 5) for number in found]
