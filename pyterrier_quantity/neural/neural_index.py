"""Base class of indexes of neural encodings, which also checks that queries are encoded by the same model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
import pyterrier as pt

from pyterrier_quantity.flat_arrays import Array
from pyterrier_quantity.frames.checked_documents import checked_documents
from pyterrier_quantity.index.stored_index import StoredIndex
from pyterrier_quantity.neural.models import LazyModel
from pyterrier_quantity.neural.numeric_terms import FORM
from pyterrier_quantity.neural.rankers import Encoded, NeuralRetriever, NeuralScorer
from pyterrier_quantity.storage.array_file import GrowingColumn
from pyterrier_quantity.storage.index_folder import new_folder

PROBE: Final = "A probe of the encoder: 42 kilometres per hour."
"""Text that is encoded to check that the query encoder is the model that built the index."""
_ALIKE: Final = 0.99
"""Minimum cosine of two encodings of the probe for which they are taken to be from the same model."""
HOW_TO_BUILD: Final = "build one with .indexer(model).index(documents)"
CHUNK: Final = 4096
"""Number of documents encoded at a time."""


class ModelMismatchError(ValueError):
    """Raised if an index was built by another model than the given one."""


class NeuralIndex(StoredIndex):
    """An index that is built and searched with the same model."""

    USE = "artifact.retriever().search('car with more than 500 hp')  # loads the model that built it"

    MODEL: ClassVar[Any]
    """Class of the model."""
    GROWN: ClassVar[Mapping[str, str]]
    """Names and types of the columns that are collected while documents are encoded."""
    SCORES: Sequence[str] = ("score",)
    """Columns of `scores` and `all_scores`: the total score, and its parts."""

    def indexer(self, model: Any, **options: Any) -> NeuralIndexer:
        """Return an indexer with a model, given as an object or by name; see `NeuralIndexer` for the options."""
        return NeuralIndexer(self, model, **options)

    def scorer(self, model: Any = None, **options: Any) -> NeuralScorer:
        """Return a scorer, R -> R, that uses the stored encodings; see `NeuralScorer` for the options."""
        return NeuralScorer(self, model, **options)

    def retriever(self, model: Any = None, **options: Any) -> NeuralRetriever:
        """Return a retriever, Q -> R, over all documents; see `NeuralRetriever` for the options."""
        return NeuralRetriever(self, model, **options)

    @staticmethod
    @abstractmethod
    def probe(model: Any) -> list[float]:
        """Return a model's encoding of `PROBE`, as a list of numbers."""

    @classmethod
    def about(cls, model: LazyModel, docnos: Sequence[str]) -> dict[str, Any]:
        """Return the metadata about the model and the documents."""
        known = {"documents": len(docnos), "model": model.name, "quantities": model.form, "probe": cls.probe(model)}
        return known | ({"terms": FORM} if model.numeric else {})

    @staticmethod
    @abstractmethod
    def columns(model: Any, texts: Sequence[str], encoded: Encoded) -> dict[str, Array]:
        """Return the columns to store for documents (some of `GROWN`), computed from their texts and encodings."""

    @classmethod
    @abstractmethod
    def write(cls, folder: Path, model: Any, docnos: Sequence[str], grown: Mapping[str, Array], k: int | None) -> None:
        """Write all columns of an index to an empty folder. For `k` see `NeuralIndexer`."""

    def encode(self, model: Any, texts: list[str], task: str, k: int | None = None) -> Encoded:
        """Return a model's encodings of cleaned texts. The task is "document" for texts to be stored, and "query" for
        texts that are compared with the stored ones."""
        return model.encode(texts, task)

    @abstractmethod
    def scores(self, query: Encoded, rows: npt.NDArray[np.int64], alpha: float) -> npt.NDArray[Any]:
        """Return the scores of some documents for an encoded query: (documents,), or (documents, `SCORES`). In an index
        with several parts, `alpha` is the weight of the dense part."""

    @abstractmethod
    def all_scores(self, queries: Encoded, number: int, alpha: float) -> Iterator[npt.NDArray[Any]]:
        """Yield, for each of `number` queries, the scores of all documents: (documents, `SCORES`)."""

    def model(self, given: Any = None) -> Any:
        """Return the model that encodes queries: the given one, or the one that built the index.

        A model given by name encodes quantities as the index's model does.

        Raises:
            ModelMismatchError: if another model built the index (the message names both), or if the model needs numeric
                terms and the index has none.
        """
        model: LazyModel = given
        if given is None or isinstance(given, str):
            model = self.MODEL(given or self.meta["model"], quantities=self.meta["quantities"])
        if model.numeric and self.meta.get("terms") != FORM:
            lacks = "by a version with other terms" if "terms" in self.meta else "without quantities as terms"
            raise ModelMismatchError(
                f"{self.path} was built {lacks}, which the model given asks for; build it again with this model"
            )
        expected, found = np.array(self.meta["probe"]), np.array(self.probe(model))
        same = len(expected) == len(found)
        if not same or not expected @ found / (np.linalg.norm(expected) * np.linalg.norm(found)) > _ALIKE:
            raise ModelMismatchError(
                f"{self.path} was built by {self.meta['model']} ({len(expected)} dimensions), the model given is "
                f"{model.name} ({len(found)} dimensions); search it with its own model, or build it again"
            )
        return model


class NeuralIndexer(pt.Indexer):
    """Indexer that encodes documents.

    Args:
        index: the index to build.
        model: the encoder, or its name.
        overwrite: replace an index at this path.
        text_field: the field with the text.
        k: in a hybrid index, the number of terms with the highest weights to keep per text; None: 256.
    """

    def __init__(
        self, index: NeuralIndex, model: Any, overwrite: bool = False, text_field: str = "text", k: int | None = None
    ) -> None:
        self._index, self.overwrite, self.text_field, self.k = index, overwrite, text_field, k
        self.model = index.MODEL(model) if isinstance(model, str | Path) else model

    def index_inputs(self) -> list[list[str]]:
        return [["docno", self.text_field]]

    def index(self, iter: Iterable[Mapping[str, Any]], **kwargs: Any) -> NeuralIndex:
        """Build the index in a temporary folder, move it into place and return it.

        Raises:
            FileExistsError: if there is an index and `overwrite` is not set, or if there is something else at the path.
            TypeError, ValueError: if a document lacks a string docno or a text, or a docno is repeated. Errors of the
                iterator pass through. After any error, no half-written index is left, and an older index is unchanged.
        """
        index, docnos, stream = self._index, list[str](), checked_documents(iter, self.text_field)
        with new_folder(index.folder, self.overwrite, index.KIND) as folder:
            grown = {name: GrowingColumn(dtype, folder) for name, dtype in index.GROWN.items()}
            while chunk := list(islice(stream, CHUNK)):
                docnos += [document.docno for document in chunk]
                texts = [document.text or "" for document in chunk]
                encoded = index.encode(self.model, [text.strip() for text in texts], "document", self.k)
                for name, column in index.columns(self.model, texts, encoded).items():
                    grown[name].append(column)
            columns = {name: column.array() for name, column in grown.items()}
            index.write(folder, self.model, docnos, columns, self.k)
        index.forget()
        return index

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._index!r}, {self.model!r})"


def rounded(vector: Any) -> list[float]:
    return [round(float(number), 5) for number in vector]
