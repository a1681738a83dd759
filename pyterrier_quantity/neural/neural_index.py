"""What the indexes that a model builds have in common: how they are written, and how they know their model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
import pyterrier as pt

from pyterrier_quantity._documents import checked_documents
from pyterrier_quantity._index_folder import new_folder
from pyterrier_quantity.index.stored_index import StoredIndex
from pyterrier_quantity.neural.models import LazyModel
from pyterrier_quantity.neural.numeric_terms import FORM

PROBE: Final = "A probe of the encoder: 42 kilometres per hour."
"""Encoded by the model of an index and by the model that searches it, to tell whether they are the same."""
_ALIKE: Final = 0.99
"""The cosine above which two probes are of one model."""
CHUNK: Final = 4096
"""Documents that are encoded at a time."""
Chunk = tuple[list[str], list[str]]
"""Documents' docnos and texts."""


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


class NeuralIndexer(pt.Indexer):
    """Encodes documents into an index.

    Args:
        index: where to.
        model: what encodes.
        overwrite: replace an index at this path.
        text_field: the field that holds the text.
    """

    def __init__(self, index: NeuralIndex, model: Any, overwrite: bool = False, text_field: str = "text") -> None:
        self._index, self.model, self.overwrite, self.text_field = index, model, overwrite, text_field

    def index_inputs(self) -> list[list[str]]:
        return [["docno", self.text_field]]

    def index(self, iter: Iterable[Mapping[str, Any]], **kwargs: Any) -> NeuralIndex:
        """Build the index aside and move it into place; returns the index.

        Raises:
            FileExistsError: if there is an index and `overwrite` is off, or something else at the path.
            TypeError, ValueError: on a document without a string docno or a text, and on a docno that comes twice.
            Whatever the iterator raises. In every case nothing half-written stays, and an older index as it was.
        """
        with new_folder(self._index.folder, self.overwrite, self._index.KIND) as folder:
            self._write(folder, self._chunks(iter))
        self._index.forget()
        return self._index

    def _chunks(self, documents: Iterable[Mapping[str, Any]]) -> Iterator[Chunk]:
        stream = checked_documents(documents, self.text_field)
        while chunk := list(islice(stream, CHUNK)):
            yield [document.docno for document in chunk], [document.text or "" for document in chunk]

    @abstractmethod
    def _write(self, folder: Path, chunks: Iterable[Chunk]) -> None:
        """Fill a folder: encode the documents, whose docnos and texts come some at a time."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._index!r}, {self.model!r})"


def probe_of(found: npt.NDArray[np.float32]) -> list[float]:
    """What metadata keep of a model's probe."""
    return [round(float(number), 5) for number in found]
