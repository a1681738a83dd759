"""Build and search indexes of neural encodings, and check that queries are encoded by the model of the index."""

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
"""Text whose encoding is stored with an index, to check that queries are encoded by the same model."""
_ALIKE: Final = 0.99  # minimum cosine of two encodings of `PROBE` from the same model
HOW_TO_BUILD: Final = "build one with .indexer(model).index(documents)"
CHUNK: Final = 4096
"""Number of documents encoded at a time."""


class ModelMismatchError(ValueError):
    """Raised if queries are encoded by a model other than the one that built the index."""


class NeuralIndex(StoredIndex):
    """Base class of indexes that store a model's encodings of documents. The same model must encode the queries."""

    USE = "artifact.retriever().search('car with more than 500 hp')  # loads the model that built it"

    MODEL: ClassVar[Any]
    """Class of the models that the index uses, such as `ColBERT`."""
    GROWN: ClassVar[Mapping[str, str]]
    """The NumPy types of the arrays that grow while documents are encoded, keyed by name, such as "vectors"."""
    SCORES: Sequence[str] = ("score",)
    """Names of the scores that `scores` and `all_scores` return: the total score, then its parts."""

    def indexer(self, model: Any, **options: Any) -> "NeuralIndexer":
        """Return an indexer that encodes documents with a model (an object or a name); see `NeuralIndexer`."""
        return NeuralIndexer(self, model, **options)

    def scorer(self, model: Any = None, **options: Any) -> NeuralScorer:
        """Return a transformer, R -> R, that scores documents by their stored encodings; see `NeuralScorer`."""
        return NeuralScorer(self, model, **options)

    def retriever(self, model: Any = None, **options: Any) -> NeuralRetriever:
        """Return a transformer, Q -> R, that retrieves documents of the index; see `NeuralRetriever`."""
        return NeuralRetriever(self, model, **options)

    @staticmethod
    @abstractmethod
    def probe(model: Any) -> list[float]:
        """Return a model's encoding of a fixed text, to check later that queries are encoded by the same model."""

    @classmethod
    def about(cls, model: LazyModel, docnos: Sequence[str]) -> dict[str, Any]:
        """Return an index's metadata: number of documents, model name, and encoding of a test text (see `probe`)."""
        known = {"documents": len(docnos), "model": model.name, "quantities": model.form, "probe": cls.probe(model)}
        return known | ({"terms": FORM} if model.numeric else {})

    @staticmethod
    @abstractmethod
    def columns(model: Any, texts: Sequence[str], encoded: Encoded) -> dict[str, Array]:
        """Return the arrays to store for a batch of encoded documents, keyed by name: {"vectors": ...}."""

    @classmethod
    @abstractmethod
    def write(cls, folder: Path, model: Any, docnos: Sequence[str], grown: Mapping[str, Array], k: int | None) -> None:
        """Write an index to an empty folder. `grown` contains the arrays from `columns`, joined over all batches. Only
        a hybrid index uses `k`, the number of terms kept per text."""

    def encode(self, model: Any, texts: list[str], task: str, k: int | None = None) -> Encoded:
        """Return the encodings of `texts`, which have no leading or trailing spaces. The task is "query" or "document".
        Only a hybrid index uses `k`, the number of terms to keep per document (256 if None)."""
        return model.encode(texts, task)

    @abstractmethod
    def scores(self, query: Encoded, rows: npt.NDArray[np.int64], alpha: float) -> npt.NDArray[Any]:
        """Return the scores of the documents at the positions `rows` for one query, an array of shape (documents,) or,
        for a hybrid index, (documents, 3): see `mixed`. `alpha` is the weight of the dense score in a hybrid index."""

    @abstractmethod
    def all_scores(self, queries: Encoded, number: int, alpha: float) -> Iterator[npt.NDArray[Any]]:
        """Yield, for each of `number` encoded queries, the scores of all documents: an array of shape (documents, 1)
        or, for a hybrid index, (documents, 3). For `alpha`, see `scores`."""

    def model(self, given: Any = None) -> Any:
        """Return the model that encodes queries: the given model (an object or a name), or the model of the index. If
        another model built the index, or if the model compares values and the index has no values, raise a
        ModelMismatchError that names both models."""
        model: LazyModel = given
        if given is None or isinstance(given, str):
            model = self.MODEL(given or self.meta["model"], quantities=self.meta["quantities"])
        if model.numeric and self.meta.get("terms") != FORM:
            lacks = "by a version with other numeric terms" if "terms" in self.meta else "without numeric terms"
            fault = f"{self.path} was built {lacks}, but the given model needs numeric terms"
            raise ModelMismatchError(f"{fault}; build it with this model")
        expected, found = np.array(self.meta["probe"]), np.array(self.probe(model))
        same = len(expected) == len(found)
        if not same or not expected @ found / (np.linalg.norm(expected) * np.linalg.norm(found)) > _ALIKE:
            fault = f"{self.path} was built by {self.meta['model']} ({len(expected)} dimensions)"
            fault = f"{fault}, the given model is {model.name} ({len(found)} dimensions)"
            raise ModelMismatchError(f"{fault}; search with the model of the index, or build it again")
        return model


class NeuralIndexer(pt.Indexer):
    """Indexer that encodes documents with a neural model.

    Args:
        index: the index to build.
        model: the encoder, or the encoder's folder or name.
        overwrite: whether to replace an existing index.
        text_field: the field with the text.
        k: in a hybrid index, how many of the highest-weighted terms to keep per text. None means 256.
    """

    def __init__(
        self, index: NeuralIndex, model: Any, overwrite: bool = False, text_field: str = "text", k: int | None = None
    ) -> None:
        self._index, self.overwrite, self.text_field, self.k = index, overwrite, text_field, k
        self.model = index.MODEL(model) if isinstance(model, str | Path) else model

    def index_inputs(self) -> list[list[str]]:
        return [["docno", self.text_field]]

    def index(self, iter: Iterable[Mapping[str, Any]], **kwargs: Any) -> NeuralIndex:
        """Build and return the index. After an error, an older index is unchanged.

        Raises:
            FileExistsError: if the path contains an index and `overwrite` is not set, or contains other files.
            TypeError, ValueError: if a document lacks a text or a docno (a string), or if a docno is repeated.
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
