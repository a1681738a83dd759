"""`OpenSearchIndex`: texts and quantities in an engine that is sharded and replicated, and the transformers on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import pyterrier as pt

from pyterrier_quantity._folder import IndexFormatError
from pyterrier_quantity.backends.opensearch import mapping, writing
from pyterrier_quantity.backends.opensearch.connection import (
    EngineError,
    complete,
    connect,
    plain_errors,
    reason,
    without_password,
)
from pyterrier_quantity.backends.opensearch.documents import is_id, quantities_of, to_source
from pyterrier_quantity.backends.opensearch.statistics import Statistics, read_statistics
from pyterrier_quantity.extraction import Extractor
from pyterrier_quantity.index.document_reader import DocumentReader
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.score import make_scoring

if TYPE_CHECKING:
    from pyterrier_quantity.backends.opensearch import engine_search
    from pyterrier_quantity.backends.opensearch.engine_scorer import OpenSearchScorer


class OpenSearchIndex(pt.Indexer):
    """An index in OpenSearch, or in Elasticsearch where the two agree.

    Args:
        url: the server's address, `http://localhost:9200`.
        name: the index's name, by the engine's rules: lower case, no pattern.
        options: of `opensearchpy.OpenSearch`, such as `http_auth=(user, password)`, `ca_certs`, `timeout`.

    Making one asks nothing; the first use connects. Statistics of the whole index, which scores need, are read at the
    first search and kept; `refresh()` reads them anew.

    Raises:
        ValueError: on a name that is none.

    Raises, at the first use:
        ImportError: without opensearch-py. ConnectionError: without a server. PermissionError: with wrong credentials.
        EngineError: if the server is too old, or a shard fails. FileNotFoundError: if there is no such index.
        IndexFormatError: if it is not ours.
    """

    def __init__(self, url: str = "http://localhost:9200", name: str = "quantities", **options: Any) -> None:
        self.url, self.name, self.options = url, mapping.check_name(name), options

    def index(self, iter: Iterable[Mapping[str, Any]], **options: Any) -> OpenSearchIndex:
        """Add documents, making the index if there is none; see `indexer` for the options and the errors."""
        return self.indexer(**options).index(iter)

    def index_inputs(self) -> list[list[str]]:
        return [["docno", "text"], ["docno", "quantities"]]

    def indexer(self, **options: Any) -> OpenSearchIndexer:
        """An indexer with options; see `OpenSearchIndexer`."""
        return OpenSearchIndexer(self, **options)

    def bm25(self, num_results: int = 1000) -> engine_search.OpenSearchBM25:
        """Q -> R: BM25 on the text; see `engine_search.OpenSearchBM25`."""
        from pyterrier_quantity.backends.opensearch.engine_search import OpenSearchBM25

        return OpenSearchBM25(self, num_results)

    def filter(self, num_results: int = 1000, **options: Any) -> engine_search.OpenSearchFilter:
        """Q -> R: BM25 among the documents that meet every constraint; see `engine_search.OpenSearchFilter`."""
        from pyterrier_quantity.backends.opensearch.engine_search import OpenSearchFilter

        return OpenSearchFilter(self, num_results, **options)

    def quantity_aware(
        self, alpha: float = 8.0, phi: Any = "closest", num_results: int = 1000, **options: Any
    ) -> engine_search.OpenSearchQuantityAware:
        """Q -> R: BM25 and quantity scores in the engine; see `engine_search.OpenSearchQuantityAware`."""
        from pyterrier_quantity.backends.opensearch.engine_search import OWN_OPTIONS, OpenSearchQuantityAware

        own = {name: options.pop(name) for name in OWN_OPTIONS if name in options}
        return OpenSearchQuantityAware(self, alpha, make_scoring(phi, **options), num_results, **own)

    def scorer(self, phi: Any = "closest", **options: Any) -> OpenSearchScorer:
        """R -> R: quantity scores of given documents, by the engine; see `scorer.OpenSearchScorer`."""
        from pyterrier_quantity.backends.opensearch.engine_scorer import OpenSearchScorer

        return OpenSearchScorer(self, make_scoring(phi, **options))

    def built(self) -> bool:
        """Whether the engine has an index of this name."""
        with self.errors():
            return bool(self.client.indices.exists(index=self.name))

    def __len__(self) -> int:
        """The number of documents."""
        with self.errors():
            return int(complete(self.client.count(index=self.name), self.url, self.name)["count"])

    def quantities(self, docno: str) -> list[Quantity]:
        """What the index holds of a document.

        Raises:
            KeyError: if it does not hold the document.
        """
        found = self.sources([docno], ["quantities"])
        if docno not in found:
            raise KeyError(f"no document {docno!r} in {self!r}")
        return quantities_of(found[docno])

    def delete(self, docnos: Iterable[str]) -> int:
        """Delete documents; those that are not there are passed over. Returns how many docnos were given.

        Raises:
            TypeError: if `docnos` is one string, or one of them is none.
            FileNotFoundError, IndexFormatError: if there is no such index, or it is not ours.
        """
        if isinstance(docnos, str):
            raise TypeError(f"docnos must be an iterable of docnos; for one document [{docnos!r}]")
        given = list(docnos)
        if strange := [docno for docno in given if not isinstance(docno, str)]:
            raise TypeError(f"a docno must be a string, got {strange[0]!r}")
        self.text_field  # noqa: B018 -- checks that the index is ours
        actions = ({"_op_type": "delete", "_id": docno} for docno in given if is_id(docno))
        writing.write(self.client, self.name, actions)
        self.refresh()
        return len(given)

    def refresh(self) -> OpenSearchIndex:
        """Make what was written searchable, and forget the statistics, which the next search reads anew."""
        with self.errors():
            self.client.indices.refresh(index=self.name)
        for read in ("statistics", "text_field"):
            self.__dict__.pop(read, None)
        return self

    @cached_property
    def client(self) -> Any:
        """The engine's client, connected."""
        return connect(self.url, self.options)

    @cached_property
    def text_field(self) -> str:
        """The field that holds the text; reading it checks that the index is ours."""
        with self.errors():
            found = self.client.indices.get_mapping(index=self.name)
        if len(found) != 1:
            raise IndexFormatError(
                f"{self.name!r} is an alias of several indexes: {', '.join(found)}; name one of them"
            )
        return mapping.check_ours(self.name, next(iter(found.values()))["mappings"])

    @cached_property
    def statistics(self) -> Statistics:
        """See `Statistics`."""
        return read_statistics(self.client, self.url, self.name)

    def sources(self, docnos: Sequence[str], fields: Sequence[str]) -> dict[str, dict[str, Any]]:
        """These fields of the documents that the index holds, by docno.

        Raises:
            EngineError: if a shard that may hold one of them does not answer.
        """
        asked = list(filter(is_id, docnos))
        if not asked:
            return {}
        with self.errors():
            found = self.client.mget(index=self.name, body={"ids": asked}, _source=list(fields) or False)
        for item in found["docs"]:
            if "error" in item:
                raise EngineError(f"{self!r} cannot read document {item['_id']!r}: {reason(item['error'])}; "
                                  f"see GET _cat/shards/{self.name}, and try again when all are started")  # fmt: skip
        return {item["_id"]: item.get("_source", {}) for item in found["docs"] if item.get("found")}

    def errors(self) -> Any:
        """A context that turns the client's exceptions into Python's, naming this index."""
        return plain_errors(self.url, self.name)

    def __getstate__(self) -> dict[str, Any]:
        return {"url": self.url, "name": self.name, "options": self.options}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and (self.url, self.name) == (other.url, other.name)

    def __hash__(self) -> int:
        return hash((self.url, self.name))

    def __repr__(self) -> str:
        return f"OpenSearchIndex({without_password(self.url)!r}, {self.name!r})"


class OpenSearchIndexer(pt.Indexer):
    """Writes documents to an `OpenSearchIndex`.

    Args:
        index: the index, which is made if there is none.
        extractor: reads the quantities of documents that bring none; the rule extractor by default.
        threads: processes that share the extraction, where the rule extractor does it.
        writers: bulk requests at a time.
        overwrite: build the index anew, aside, and put it in the place of the one that is there when it is whole; where
            anything is raised, that one stays.
        resume: skip the documents that are there, before their quantities are read.
        verbose: show progress.
        text_field: the field that holds the text.
        analyzer: the engine's analysis of the text; for a new index, as all that follow.
        shards, replicas: parts of the index, and further copies of each.
        k1, b: BM25's parameters.
        retries: how often a document is tried again when the engine is out of room or a shard fails.
    """

    def __init__(
        self,
        index: OpenSearchIndex,
        extractor: Extractor | None = None,
        threads: int = 1,
        writers: int = 2,
        overwrite: bool = False,
        resume: bool = False,
        verbose: bool = False,
        text_field: str = "text",
        analyzer: str = "english",
        shards: int = 1,
        replicas: int = 0,
        k1: float = 0.5,
        b: float = 0.5,
        retries: int = 5,
    ) -> None:
        self._index, self.writers, self.overwrite, self.resume = index, writers, overwrite, resume
        self.verbose, self.text_field, self.retries = verbose, text_field, retries
        self._reader = DocumentReader(extractor, threads, text_field=text_field)
        self._definition = {
            "settings": mapping.settings(shards, replicas, k1, b),
            "mappings": mapping.mappings(text_field, analyzer),
        }

    def index_inputs(self) -> list[list[str]]:
        return [["docno", self.text_field], ["docno", "quantities"]]

    def index(self, iter: Iterable[Mapping[str, Any]], **kwargs: Any) -> OpenSearchIndex:
        """Write the documents under their docnos: one that is there is replaced.

        Args:
            iter: documents with `docno`, and a text or `quantities`.

        Returns:
            The index, refreshed.

        Raises:
            IndexFormatError: if an index of this name is not ours.
            BulkError: naming the documents that the engine did not take after retries; all others are written.
            TypeError, ValueError: on a document that is not of that form, naming it; what came before it is written.
            Where an index is overwritten, it stays as it is in all these cases.
        """
        from opensearchpy.exceptions import NotFoundError

        there = None
        with self._index.errors():
            if self.overwrite:
                with suppress(NotFoundError):
                    there = self._index.client.indices.get_mapping(index=self._index.name)
        if there:
            self._replace(mapping.replaceable(self._index.name, there), iter)
        else:
            self._make()
            self._write(self._index.name, self._absent(iter) if self.resume else iter)
        return self._index.refresh()

    def _make(self) -> None:
        """Make the index, unless it is there, perhaps by another writer's doing."""
        from opensearchpy.exceptions import RequestError

        indices = self._index.client.indices
        with self._index.errors():
            if not indices.exists(index=self._index.name):
                try:
                    indices.create(index=self._index.name, body=self._definition)
                except RequestError as error:
                    if error.error != "resource_already_exists_exception":
                        raise
        if self._index.text_field != self.text_field:
            raise EngineError(f"{self._index!r} holds its texts in {self._index.text_field!r}, not {self.text_field!r}")

    def _replace(self, old: str, documents: Iterable[Mapping[str, Any]]) -> None:
        """Build an index aside and let it take the old one's place and name in one step, or vanish."""
        name, indices = self._index.name, self._index.client.indices
        aside = mapping.name_aside(name)
        with self._index.errors():
            indices.create(index=aside, body=self._definition)
        try:
            self._write(aside, documents)
            steps = [{"remove_index": {"index": old}}, {"add": {"index": aside, "alias": name}}]
            with self._index.errors():
                indices.update_aliases(body={"actions": steps})
        except BaseException as error:
            with suppress(Exception):  # what went wrong first is told
                indices.delete(index=aside, ignore=404)
            if isinstance(error, writing.BulkError):
                raise writing.BulkError(name, error.failures, error.written, replacing=True) from None
            raise

    def _write(self, name: str, documents: Iterable[Mapping[str, Any]]) -> None:
        writing.write(
            self._index.client, name, self._actions(documents), self.writers, self.retries, verbose=self.verbose
        )

    def _actions(self, documents: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        for docno, text, quantities in self._reader.read(documents):
            yield {"_id": docno, **to_source(docno, text, quantities, self.text_field)}

    def _absent(self, documents: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """The documents that the index does not hold."""
        stream = iter(documents)
        while chunk := list(islice(stream, writing.CHUNK)):
            docnos = [docno for document in chunk if isinstance(docno := document.get("docno"), str)]
            there = self._index.sources(docnos, [])
            yield from (document for document in chunk if document.get("docno") not in there)

    def __repr__(self) -> str:
        return f"OpenSearchIndexer({self._index!r}, extractor={self._reader.extractor!r})"
