"""Define `QuantityIndex`, which stores the quantities of a corpus on disk and returns transformers for retrieval."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyterrier as pt

from pyterrier_quantity.constants import UNITS
from pyterrier_quantity.english.stems import term_hash
from pyterrier_quantity.extraction import Extractor, RuleExtractor
from pyterrier_quantity.extraction.language import code_in_data
from pyterrier_quantity.flat_arrays import ragged_ranges
from pyterrier_quantity.frames.text_loader import TextLoader
from pyterrier_quantity.index.columns_builder import ColumnsBuilder
from pyterrier_quantity.index.growing import GrowingIndex
from pyterrier_quantity.index.indexer import QuantityIndexer
from pyterrier_quantity.index.ordering import IndexOrder
from pyterrier_quantity.index.retriever import IndexRetriever
from pyterrier_quantity.index.scorer import IndexFilter, IndexScorer, Settle
from pyterrier_quantity.index.segments import CONTENT, KIND, LANGUAGE
from pyterrier_quantity.plan import registry_of, unit_named
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.score import Phi, Scoring, make_scoring
from pyterrier_quantity.storage.file_records import CorpusRecord
from pyterrier_quantity.storage.folders import IndexFormatError
from pyterrier_quantity.storage.index_folder import new_folder
from pyterrier_quantity.units import UnitRegistry

_NAMED: Final = 12  # number of units that an error message lists, the most frequent first


class QuantityIndex(GrowingIndex, pt.Indexer):
    """An index of the quantities of a corpus, in a folder. It finds documents that state a value in a unit.

    Args:
        path: the index's folder. The files are opened on first use.
        language: the language of the texts to index; see `RuleExtractor`. A document's own `language` and a given
            extractor take precedence. None means the language of an existing index, or else English.
        rates: the value of each currency in dollars, such as `{"euro": 1.1}`, to convert between currencies.

    A document is `{"docno": str, "text": str}`. It may have `quantities` (a list of `Quantity`) instead of the text or
    in addition to it. Documents without quantities are kept.

    For the arguments `phi` and `options` of the methods, see `score.make_scoring`. A `Scoring` may be given as `phi`.
    """

    WHAT = "The quantities that the documents of a collection state: values, units and bounds."
    USE = (
        "import pyterrier_quantity as ptq\nparse = ptq.QuantityQueryParser()\n"
        "(parse >> artifact.retriever()).search('car with more than 500 hp')"
    )
    BUILD = "import pyterrier_quantity as ptq\nptq.QuantityIndex('corpus.quantity').index(documents)  # docno and text"

    def __init__(self, path: str | Path, language: str | None = None, rates: Mapping[str, float] | None = None) -> None:
        super().__init__(path)
        self._language, self.rates = language, rates
        registry_of(rates)

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_language": self._language, "rates": self.rates}

    @property
    def language(self) -> str:
        """The language code of the index's texts, such as "en"."""
        if self._language is not None or not self.built():
            return self._language or "en"
        noted = self.stored[0].get(LANGUAGE)
        return noted if noted == "auto" else code_in_data(noted) or "en"

    def _noted_language(self) -> str:
        try:
            return self.language
        except IndexFormatError:
            return "en"

    @property
    def registry(self) -> UnitRegistry:
        return registry_of(self.rates)

    def with_rates(self, rates: Mapping[str, float] | None) -> "QuantityIndex":
        """Return an object for the same index whose searches convert currencies at the given rates."""
        return self if rates == self.rates else type(self)(self.folder, self._language, rates)

    def check_default(self, default: str) -> None:
        """Check that the index contains the unit or word `default` ("euro", "price"), which a ranker assumes for
        numbers without a unit. Otherwise raise a ValueError that lists the index's units."""
        vocabulary, columns = self.opened.vocabulary, self.opened.columns
        terms = [code for code in map(term_hash, re.findall(r"[^\W\d_]+", default)) if code]
        unit = unit_named(default)
        known = len(vocabulary.match(unit, (), UNITS["convert"]).rows) if unit else columns.term_documents[terms].all()
        if default and columns.has_terms and not known:
            held = np.bincount(columns.unit[np.arange(self.meta["quantities"])])
            units = ", ".join(vocabulary.names[row] for row in held.argsort()[: -_NAMED - 1 : -1])
            raise ValueError(f"default {default!r}: {self.path} has neither this word nor unit; its units: {units}")

    def index(self, iter: Iterable[Mapping[str, Any]], **kwargs: Any) -> "QuantityIndex":
        """Build the index from documents, and return the index. For options and errors, see `indexer`."""
        self.indexer(**kwargs).index(iter)
        return self

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
        on_error: str = "raise",
    ) -> QuantityIndexer:
        """Return an indexer. For the arguments, see `index.indexer.QuantityIndexer` and its base `DocumentReader`."""
        language = self._noted_language() if self._language is None else self._language
        if extractor is None and language != "en":
            extractor = RuleExtractor(concepts=False, dates=True, language=language)
        reading = {"extractor": extractor, "threads": threads, "verbose": verbose}
        return QuantityIndexer(self, overwrite, concepts, text_field=text_field, on_error=on_error, **reading)

    @classmethod
    def from_parquet(
        cls, shards: str | Path | Iterable[str | Path], path: str | Path, overwrite: bool = False, verbose: bool = False
    ) -> "QuantityIndex":
        """Build an index from Parquet shards, as written by `build.extract_to_parquet` and `build.spark`.

        The result is byte-for-byte identical to an index built in one step. The documents need not fit in memory.

        Args:
            shards: a folder, whose files are sorted by name, or a list of files.
            path: the index's folder.
            overwrite: whether to replace an existing index at this path.
            verbose: whether to show progress.

        Raises:
            FileNotFoundError: if shards are missing.
            FileExistsError: see `indexer`.
            ImportError: if pyarrow is missing.
            build.ShardError: if a file is not a shard, or a docno occurs twice. An older index then stays unchanged.
        """
        from pyterrier_quantity.index.shards import ShardError, read_shards

        index = cls(path)
        with new_folder(index.folder, overwrite, KIND) as folder:
            builder = ColumnsBuilder(folder=folder)
            for portion in read_shards(shards, verbose):
                builder.extend(portion)
            try:
                builder.write(folder)
            except ValueError as error:
                raise ShardError(f"a docno occurs twice in the shards: {error}") from error
        index.forget()
        return index

    def corpus(self) -> CorpusRecord:
        """Return the number of documents, a digest of docnos and, after a build in one step, a digest of texts."""
        return CorpusRecord(len(self), self.docnos.digest(), self.meta.get(CONTENT))

    def scorer(self, phi: str | Phi | Scoring = "closest", **options: Any) -> IndexScorer:
        """Return a transformer, R -> R, that replaces scores with quantity scores in [0, 1]; see `IndexScorer`."""
        return IndexScorer(self, make_scoring(phi, **options))

    def settle(self, phi: str | Phi | Scoring = "closest", **options: Any) -> Settle:
        """Return a transformer, R -> R, that lowers the weight of uncertain conditions; see `Settle`."""
        return self.scorer(phi, **options).settle()

    def filter(self, keep_unknown: bool = False, convert: bool = True) -> IndexFilter:
        """Return a transformer, R -> R, that drops documents if they violate a constraint; see `IndexFilter`."""
        return IndexFilter(self, keep_unknown, convert)

    def order(self) -> IndexOrder:
        """Return an `IndexOrder`: a transformer, R -> R, that sorts results if the query asks for it ("cheapest")."""
        return IndexOrder(self)

    def retriever(
        self, num_results: int = 1000, candidates: int = 3000, phi: str | Phi | Scoring = "closest", **options: Any
    ) -> IndexRetriever:
        """Return a transformer, Q -> R, that retrieves documents only by their quantities; see `IndexRetriever`."""
        return IndexRetriever(self, make_scoring(phi, **options), num_results, candidates)

    def quantities(self, docno: str) -> list[Quantity]:
        """Return the quantities of a document. Spans refer to the document's text; concepts are not stored.
        If the document is not in the index, raise a KeyError."""
        document = next(self.documents([docno]))
        if document is None:
            raise KeyError(f"no document {docno!r} in {self.path}")
        return document["quantities"]

    def of_fields(self, docno: str, names: Mapping[tuple[str, ...], tuple[str, ...]]) -> list[Quantity]:
        """Return the quantities of a document's fields (not of its text), or [] for an unknown document. `names` is a
        dictionary from the words of a field's name to the concept of its quantities: {("price",): ("price",)}."""
        columns, row = self.opened.columns, self.opened.docnos.rows([docno])
        row = row[row >= 0]
        places = ragged_ranges(*columns.doc_offsets.extent(row))
        stated = [q for q in columns.quantities(places, self.opened.vocabulary.names) if not q.end]
        if not (stated and columns.has_terms):
            return stated
        known = {tuple(filter(None, map(term_hash, words))): concept for words, concept in names.items()}
        terms = columns.terms[ragged_ranges(*columns.term_offsets.extent(row))].tolist()
        ends = pairwise([0, *columns.position[places[: len(stated)]].tolist()])
        before = [tuple(filter(None, terms[begin:end])) for begin, end in ends]
        return [replace(q, concept=known.get(codes, ())) for q, codes in zip(stated, before, strict=True)]

    def documents(self, docnos: Sequence[str]) -> Iterator[dict[str, Any] | None]:
        """Yield `{"quantities": ...}` for each docno, or None for an unknown document."""
        opened = self.opened
        for row in opened.docnos.rows(docnos):
            if row < 0:
                yield None
                continue
            places = ragged_ranges(*opened.columns.doc_offsets.extent(np.array([row])))
            yield {"quantities": opened.columns.quantities(places, opened.vocabulary.names)}

    def field_names(self) -> list[str]:
        return ["quantities"]

    def text_loader(self, fields: str | Sequence[str] = "*", *, verbose: bool = False) -> TextLoader:
        """Return a `TextLoader`, which adds the column `quantities` to results, as `pt.text.get_text(index)` does."""
        return TextLoader(self, fields, verbose)
