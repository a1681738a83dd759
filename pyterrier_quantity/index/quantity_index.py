"""`QuantityIndex`: the quantities of a corpus on disk, and the transformers that use them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyterrier as pt
from tqdm import tqdm

from pyterrier_quantity.extraction import Extractor, RuleExtractor
from pyterrier_quantity.index import storage
from pyterrier_quantity.index.candidates import ValueOrder, value_order
from pyterrier_quantity.index.columns import Columns, ColumnsBuilder, merge_documents
from pyterrier_quantity.index.docnos import build_lookup
from pyterrier_quantity.index.stored import StoredIndex
from pyterrier_quantity.index.vocabulary import UnitVocabulary
from pyterrier_quantity.missing import is_missing
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.units import default_registry

if TYPE_CHECKING:
    from pyterrier_quantity import transformers
    from pyterrier_quantity.features import QuantityFeatures
    from pyterrier_quantity.feedback import QuantityFeedback

_CHUNK: Final = 16_000_000
"""Characters that are read and extracted at a time: enough that starting processes for them pays."""


Document = tuple[str, str | None, list[Quantity] | None]
"""Docno, text, and the quantities where the document brings them."""


class QuantityIndex(StoredIndex, pt.Indexer):
    """The quantities of a corpus: memory-mapped columns by document and, per unit, by value.

    Args:
        path: the index's folder. Opening it reads nothing; the first use maps the files.

    A document is `{"docno": str, "text": str}`, or carries ready `quantities` (a list of `Quantity`) in place of, or
    beside, the text. Documents without quantities are kept, so that "unknown" and "none" are told apart.
    """

    KIND = storage.QUANTITIES
    ARTIFACT_TYPE = KIND.type
    ARTIFACT_FORMAT = KIND.format
    ARTIFACT_PACKAGE_HINT = KIND.package

    def index(self, iter: Iterable[Mapping[str, Any]], **kwargs: Any) -> QuantityIndex:
        """Build the index; see `indexer` for the options and the errors."""
        return self.indexer(**kwargs).index(iter)

    def index_inputs(self) -> list[list[str]]:
        return [["docno", "text"], ["docno", "quantities"]]

    def indexer(
        self,
        extractor: Extractor | None = None,
        threads: int = 1,
        overwrite: bool = False,
        verbose: bool = False,
        text_field: str = "text",
        concepts: bool = True,
    ) -> QuantityIndexer:
        """An indexer with options.

        Args:
            extractor: reads the quantities of documents that bring none; the rule extractor by default.
            threads: processes that share the extraction, where the rule extractor does it.
            overwrite: replace an index at this path.
            verbose: show progress.
            text_field: the field that holds the text.
            concepts: keep the words around the quantities, about 20 bytes a quantity, so that scores can tell which
                of a sentence's quantities is the query's.
        """
        return QuantityIndexer(self, extractor, threads, overwrite, verbose, text_field, concepts)

    def scorer(self, phi: Any = "closest", **options: Any) -> transformers.IndexScorer:
        """R -> R: scores are quantity scores in [0, 1]; see `transformers.IndexScorer`."""
        from pyterrier_quantity.transformers import IndexScorer

        return IndexScorer(self, phi, **options)

    def filter(self, keep_unknown: bool = False, **options: Any) -> transformers.IndexFilter:
        """R -> R: drops what violates the constraints; see `transformers.IndexFilter`."""
        from pyterrier_quantity.transformers import IndexFilter

        return IndexFilter(self, keep_unknown=keep_unknown, **options)

    def retriever(self, num_results: int = 1000, **options: Any) -> transformers.IndexRetriever:
        """Q -> R: documents by their quantities alone; see `transformers.IndexRetriever`."""
        from pyterrier_quantity.transformers import IndexRetriever

        return IndexRetriever(self, num_results=num_results, **options)

    def features(self, phi: Any = "closest", **options: Any) -> QuantityFeatures:
        """R -> R: adds the quantity evidence as `features`; see `features.QuantityFeatures`."""
        from pyterrier_quantity.features import QuantityFeatures

        return QuantityFeatures(self.scorer(phi, **options))

    def feedback(self, documents: int = 5, terms: int = 10, weight: float = 0.3) -> QuantityFeedback:
        """R -> Q: adds words that the best results have in common; see `feedback.QuantityFeedback`."""
        from pyterrier_quantity.feedback import QuantityFeedback

        return QuantityFeedback(self, documents, terms, weight)

    def quantities(self, docno: str) -> list[Quantity]:
        """What the index holds of a document; spans refer to its text, concepts are not kept.

        Raises:
            KeyError: if the document is not in the index.
        """
        row = int(self.docnos.rows([docno])[0])
        if row < 0:
            raise KeyError(f"no document {docno!r} in {self.path}")
        first, count = self.columns.doc_offsets.extent(np.array([row]))
        return [self.quantity(number) for number in range(int(first[0]), int(first[0] + count[0]))]

    def quantity(self, number: int) -> Quantity:
        """The quantity at this position of the columns."""
        return self.columns.quantity(number, self.vocabulary.names)

    @cached_property
    def columns(self) -> Columns:
        return Columns.from_arrays(self._arrays)

    @cached_property
    def values(self) -> ValueOrder:
        arrays = ("value_order", "unit_offsets", "range_order", "range_offsets")
        return ValueOrder(self.columns, **{name: self._arrays[name] for name in arrays})

    @cached_property
    def vocabulary(self) -> UnitVocabulary:
        return UnitVocabulary(self.meta["units"], default_registry())


class QuantityIndexer(pt.Indexer):
    """Builds a `QuantityIndex`; see `QuantityIndex.indexer` for the options."""

    def __init__(
        self,
        index: QuantityIndex,
        extractor: Extractor | None = None,
        threads: int = 1,
        overwrite: bool = False,
        verbose: bool = False,
        text_field: str = "text",
        concepts: bool = True,
    ) -> None:
        self._index = index
        self.extractor = extractor if extractor is not None else RuleExtractor(concepts=False)
        self.threads, self.overwrite, self.verbose = threads, overwrite, verbose
        self.text_field, self.concepts = text_field, concepts

    def index_inputs(self) -> list[list[str]]:
        return [["docno", self.text_field], ["docno", "quantities"]]

    def index(self, iter: Iterable[Mapping[str, Any]], **kwargs: Any) -> QuantityIndex:
        """Build the index aside and move it into place; returns the index.

        Args:
            iter: documents with `docno`, and a text or `quantities`.

        Raises:
            FileExistsError: if there is an index and `overwrite` is off, or something else at the path.
            TypeError, ValueError: on a document that is not of that form, naming it.
            Whatever the iterator raises. In every case nothing half-written stays, and an older index stays as it was.

        Documents with the same docno become one that states the quantities of all, with a warning.
        """
        with storage.new_folder(self._index.folder, self.overwrite) as folder:
            docnos: list[str] = []
            builder = ColumnsBuilder(self.concepts)
            for docno, text, quantities in self._read(iter):
                docnos.append(docno)
                builder.add(quantities, text)
            if not docnos:
                warnings.warn(f"the corpus is empty: {self._index.path} holds no documents", stacklevel=2)
            columns, units = builder.build()
            columns, docnos = _one_per_docno(columns, docnos)
            arrays = columns.arrays() | build_lookup(docnos) | value_order(columns, len(units))
            meta = {"documents": columns.documents, "quantities": columns.quantities, "units": units}
            storage.write(folder, {name: _smallest(values) for name, values in arrays.items()}, meta)
        self._index.forget()
        return self._index

    def _read(self, documents: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str | None, list[Quantity]]]:
        """(docno, text, quantities) of each document, extracted chunk by chunk."""
        progress = tqdm(documents, desc="quantities", unit="doc", disable=not self.verbose)
        stream = (self._checked(number, document) for number, document in enumerate(progress))
        for chunk in _chunks(stream):
            texts = [text or "" for _, text, ready in chunk if ready is None]
            extracted = iter(self._extract(texts))
            for docno, text, ready in chunk:
                yield docno, text, next(extracted) if ready is None else ready

    def _extract(self, texts: list[str]) -> list[list[Quantity]]:
        if isinstance(self.extractor, RuleExtractor):
            return self.extractor.extract_batch(texts, threads=self.threads)
        return self.extractor.extract_batch(texts) if texts else []

    def _checked(self, number: int, document: Mapping[str, Any]) -> Document:
        if not isinstance(document, Mapping):
            raise TypeError(f"document number {number} must be a dictionary, got {type(document).__name__}")
        docno = document.get("docno")
        if not isinstance(docno, str):
            found = "is missing" if docno is None else f"must be a string, got {type(docno).__name__} {docno!r}"
            raise TypeError(f"document number {number}: docno {found}; give every document a string docno")
        if self.text_field not in document and "quantities" not in document:
            raise ValueError(
                f"document {docno!r} has neither {self.text_field!r} nor 'quantities', only {sorted(document)}; "
                "name the field that holds the text: .indexer(text_field=...)"
            )
        text = document.get(self.text_field)
        if is_missing(text):
            text = None
        if text is not None and not isinstance(text, str):
            raise TypeError(f"document {docno!r}: {self.text_field!r} must be a string, got {type(text).__name__}")
        return docno, text, self._ready(docno, document.get("quantities"))

    @staticmethod
    def _ready(docno: str, quantities: Any) -> list[Quantity] | None:
        if is_missing(quantities):
            return None
        if isinstance(quantities, str) or not isinstance(quantities, Iterable):
            raise TypeError(
                f"document {docno!r}: 'quantities' must be a list of Quantity, got {type(quantities).__name__}"
            )
        ready = list(quantities)
        for quantity in ready:
            if not isinstance(quantity, Quantity):
                raise TypeError(
                    f"document {docno!r}: 'quantities' must hold Quantity objects, got {type(quantity).__name__}"
                )
        return sorted(ready, key=lambda q: q.start)

    def __repr__(self) -> str:
        return f"QuantityIndexer({self._index!r}, extractor={self.extractor!r})"


def _chunks(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Lists of documents with about `_CHUNK` characters each."""
    chunk: list[Document] = []
    size = 0
    for document in documents:
        chunk.append(document)
        size += len(document[1] or "") + 100
        if size >= _CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _one_per_docno(columns: Columns, docnos: list[str]) -> tuple[Columns, list[str]]:
    numbers: dict[str, int] = {}
    group = np.array([numbers.setdefault(docno, len(numbers)) for docno in docnos], dtype=np.int64)
    if len(numbers) == len(docnos):
        return columns, docnos
    again = docnos[int(np.flatnonzero(group != np.arange(len(group)))[0])]
    warnings.warn(
        f"{len(docnos) - len(numbers)} documents have the docno of an earlier one ({again!r} is the first); "
        "they are indexed as one document each, with the quantities of all",
        stacklevel=3,
    )
    return merge_documents(columns, group), list(numbers)


def _smallest(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Integers in the smallest unsigned type that holds them all; hashes and raw bytes are as small already."""
    if values.dtype.kind != "u" or not len(values):
        return values
    return values.astype(np.min_scalar_type(int(values.max())), copy=False)
