"""Index texts and quantities in OpenSearch, and make PyTerrier transformers that search the index."""

import secrets
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from typing import Any, Final

import pyterrier as pt

from pyterrier_quantity._progress import bar
from pyterrier_quantity.backends.opensearch import search
from pyterrier_quantity.backends.opensearch.connection import Engine, EngineError, reason
from pyterrier_quantity.backends.opensearch.content import EVIDENCE, checked, mappings, to_source, unpack
from pyterrier_quantity.constants import ALPHA
from pyterrier_quantity.extraction import Extractor
from pyterrier_quantity.index.document_reader import DocumentReader
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.score.options import make_scoring

Action = dict[str, Any]
Failures = dict[str, str]
"""Reasons why the engine refused documents: {docno: reason}."""
CHUNK: Final = 500
"""The number of documents per request."""
_CHUNK_BYTES: Final = 10 * 1024 * 1024
_RETRIES, _LONGEST_WAIT = 5, 60
"""Number of retries if the engine refuses a document for lack of resources, and maximum wait in seconds."""
_SHOWN: Final = 5


class BulkError(RuntimeError):
    """Raised if the engine refuses documents, even after retries. Without `overwrite`, the other documents are written.

    Attributes:
        failures: the engine's reasons for refusing the documents, keyed by docno.
        written: the number of documents that were written.
    """

    def __init__(self, name: str, failures: Failures, written: int, replacing: bool = False) -> None:
        self.failures, self.written = failures, written
        shown = "; ".join(f"{docno!r}: {why}" for docno, why in list(failures.items())[:_SHOWN])
        more = f"; and {len(failures) - _SHOWN} more, see .failures" if len(failures) > _SHOWN else ""
        remedy = "fix them and index again with resume=True, which skips existing ones"
        if replacing:
            remedy = "the index is unchanged; fix them and index again"
        super().__init__(
            f"{len(failures)} of {written + len(failures)} documents were not written to the engine's index {name!r} "
            f"({shown}{more}); {remedy}"
        )


def write(engine: Engine, name: str, actions: Iterable[Action], writers: int = 1, verbose: bool = False) -> None:
    """Write documents to the index `name` of the engine, with `writers` simultaneous bulk requests.

    Each action is a dictionary in the format of `opensearchpy.helpers.streaming_bulk`, with an `_id`. If documents are
    not written, raise a BulkError that names these documents."""
    failures: Failures = {}
    written = 0
    with bar(verbose, desc="written", unit="doc") as progress:
        for count, failed in _ahead(lambda chunk: _write(engine, name, chunk), iter(actions), writers):
            failures |= failed
            written += count - len(failed)
            progress.update(count)
    if failures:
        raise BulkError(name, failures, written)


def _ahead(
    task: Callable[[list[Action]], tuple[int, Failures]], actions: Iterator[Action], writers: int
) -> Iterator[tuple[int, Failures]]:
    """Call the function `task` on chunks of actions, `writers` chunks at a time. Yield the results in order."""
    pending: deque[Future[tuple[int, Failures]]] = deque()
    with ThreadPoolExecutor(writers) as pool:
        while chunk := list(islice(actions, CHUNK)):
            pending.append(pool.submit(task, chunk))
            if len(pending) > writers:
                yield pending.popleft().result()
        yield from (future.result() for future in pending)


def _write(engine: Engine, name: str, chunk: list[Action]) -> tuple[int, Failures]:
    from opensearchpy.helpers import streaming_bulk

    failures: Failures = {}
    with engine.errors():
        results = streaming_bulk(
            engine.client, chunk, index=name, chunk_size=CHUNK, max_chunk_bytes=_CHUNK_BYTES, max_retries=_RETRIES,
            initial_backoff=1, max_backoff=_LONGEST_WAIT, raise_on_error=False, raise_on_exception=False,
            yield_ok=False,
        )  # fmt: skip
        for _, result in results:
            (answer,) = result.values()
            failures[answer["_id"]] = reason(answer.get("error")) or str(answer.get("exception"))
    return len(chunk), failures


class OpenSearchIndex(Engine, pt.Indexer):
    """An index in OpenSearch, or in Elasticsearch where the two are compatible.

    Args:
        url: the server's address, `http://localhost:9200`.
        name: the index's name, in lower case and without wildcards.
        options: options of `opensearchpy.OpenSearch`, such as `http_auth=(user, password)`, `ca_certs`, `timeout`.

    The constructor sends no request; the index connects on first use. Scoring needs the number of documents and
    document frequencies, which are requested once and cached; `refresh()` discards the cache.

    Raises:
        ValueError: if the name is not valid.

    Raises, on first use:
        ImportError: if opensearch-py is missing. ConnectionError: if no server answers. PermissionError: if the
            credentials are wrong. EngineError: if the server is too old, a shard fails, or a response is malformed.
            FileNotFoundError: if the index does not exist. IndexFormatError: if this package did not create the index.
    """

    def __init__(self, url: str = "http://localhost:9200", name: str = "quantities", **options: Any) -> None:
        super().__init__(url, name, options)

    def index(self, iter: Iterable[Mapping[str, Any]], **options: Any) -> "OpenSearchIndex":
        """Add documents, and create the index if it does not exist. For options and errors, see `OpenSearchIndexer`."""
        return self.indexer(**options).index(iter)

    def index_inputs(self) -> list[list[str]]:
        return [["docno", "text"], ["docno", "quantities"]]

    def indexer(self, **options: Any) -> "OpenSearchIndexer":
        """Return an indexer with options; see `OpenSearchIndexer`."""
        return OpenSearchIndexer(self, **options)

    def bm25(self, num_results: int = 1000) -> search.OpenSearchBM25:
        """Return a retriever, Q -> R, that ranks by BM25 on the text; see `search.OpenSearchBM25`."""
        return search.OpenSearchBM25(self, num_results)

    def filter(self, num_results: int = 1000, **options: Any) -> search.OpenSearchFilter:
        """Return a BM25 retriever, Q -> R, of documents that meet every constraint; see `OpenSearchFilter`."""
        return search.OpenSearchFilter(self, num_results, **options)

    def quantity_aware(
        self,
        alpha: float = ALPHA,
        phi: Any = "closest",
        num_results: int = 1000,
        units: str | None = None,
        fit: bool | None = None,
        **options: Any,
    ) -> search.OpenSearchQuantityAware:
        """Return a retriever, Q -> R, that ranks by the BM25 score, divided by its maximum, plus `alpha` times the
        quantity score; see `search.OpenSearchQuantityAware`. For `phi`, `units`, `fit` see `score.make_scoring`."""
        return search.OpenSearchQuantityAware(self, alpha, make_scoring(phi, units, fit), num_results, **options)

    def scorer(
        self, phi: Any = "closest", units: str | None = None, fit: bool | None = None
    ) -> search.OpenSearchScorer:
        """Return a scorer, R -> R, that scores results by their quantities; see `search.OpenSearchScorer`."""
        return search.OpenSearchScorer(self, make_scoring(phi, units, fit))

    def built(self) -> bool:
        """Return whether the index exists in the engine."""
        with self.errors():
            return bool(self.client.indices.exists(index=self.name))

    def __len__(self) -> int:
        return self.count()

    def quantities(self, docno: str) -> list[Quantity]:
        """Return the indexed quantities of a document. If the document is not in the index, raise a KeyError."""
        found = self.sources([docno], [EVIDENCE])
        if docno not in found:
            raise KeyError(f"no document {docno!r} in {self!r}")
        with self.errors():
            packed = found[docno].get(EVIDENCE)
            return unpack(packed)[0] if packed else []

    def delete(self, docnos: Iterable[str], ignore_missing: bool = False) -> "OpenSearchIndex":
        """Delete documents, as `QuantityIndex.delete` does, and return the refreshed index. If documents cannot be
        deleted, even after retries, raise a BulkError that names these documents."""
        if isinstance(docnos, str):
            raise TypeError(f"docnos must be a list of strings, got the string {docnos!r}")
        asked = dict.fromkeys(docnos) if self.text_field else {}
        there = self.sources(asked, [])
        if not ignore_missing and (unknown := [docno for docno in asked if docno not in there]):
            message = "nothing was deleted (ignore_missing=True ignores it)"
            raise ValueError(f"no document {unknown[0]!r} in {self!r}; {message}")
        write(self, self.name, ({"_op_type": "delete", "_id": docno} for docno in there))
        return self.refresh()

    def refresh(self) -> "OpenSearchIndex":
        """Make new documents searchable, discard the cached statistics of the index, and return this index."""
        with self.errors():
            self.client.indices.refresh(index=self.name)
        self.forget()
        return self


class OpenSearchIndexer(pt.Indexer):
    """An indexer that writes documents to an `OpenSearchIndex`.

    Args:
        index: the index, which is created if it does not exist.
        extractor: the extractor for documents without quantities, by default the rule extractor.
        threads: the number of processes that extract quantities. Only the rule extractor uses more than one.
        writers: the number of concurrent bulk requests.
        overwrite: whether to build a new index, which replaces the old index when it is complete. After an error the
            old index is kept.
        resume: whether to skip documents that are already in the index.
        verbose: whether to show progress.
        text_field: the field with the text.
        analyzer: the engine's analyzer for the text. This and the following options apply to a new index only.
        shards: the number of shards.
        replicas: the number of additional copies of each shard.
        k1, b: BM25's parameters.
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
    ) -> None:
        self._index, self.writers, self.overwrite, self.resume = index, writers, overwrite, resume
        self.verbose, self.text_field = verbose, text_field
        self._reader = DocumentReader(extractor, threads, text_field=text_field)
        settings: dict[str, Any] = {"number_of_shards": shards, "number_of_replicas": replicas}
        settings["similarity"] = {"default": {"type": "BM25", "k1": k1, "b": b}}
        self._definition = {"settings": {"index": settings}, "mappings": mappings(text_field, analyzer)}

    def index_inputs(self) -> list[list[str]]:
        return [["docno", self.text_field], ["docno", "quantities"]]

    def index(self, iter: Iterable[Mapping[str, Any]], **kwargs: Any) -> OpenSearchIndex:
        """Write documents to the index, and return the refreshed index. Documents with the same docno are replaced.

        Args:
            iter: documents with `docno`, and a text or `quantities`.

        Raises:
            IndexFormatError: if an index of this name was not created by this package.
            BulkError: if the engine refused documents, even after retries. The message names them.
            TypeError, ValueError: if a document, which the message names, is malformed. Earlier documents are written.
                With `overwrite`, the old index is unchanged after an error.
        """
        from opensearchpy.exceptions import NotFoundError

        there = None
        with self._index.errors():
            if self.overwrite:
                with suppress(NotFoundError):
                    there = self._index.client.indices.get_mapping(index=self._index.name)
        if there:
            self._replace(checked(self._index.name, there, replacing=True)[0], iter)
        else:
            self._make()
            self._write(self._index.name, self._absent(iter) if self.resume else iter)
        return self._index.refresh()

    def _make(self) -> None:
        """Create the index, unless it exists or another writer creates it at the same time."""
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
        """Build an index under a temporary name, then replace the old index. After an error, delete the new index."""
        name, indices = self._index.name, self._index.client.indices
        aside = f"{name}-{secrets.token_hex(4)}"
        with self._index.errors():
            indices.create(index=aside, body=self._definition)
        try:
            self._write(aside, documents)
            steps = [{"remove_index": {"index": old}}, {"add": {"index": aside, "alias": name}}]
            with self._index.errors():
                indices.update_aliases(body={"actions": steps})
        except BaseException as error:
            with suppress(Exception):  # the first error is the one to report
                indices.delete(index=aside, ignore=404)
            if isinstance(error, BulkError):
                raise BulkError(name, error.failures, error.written, replacing=True) from None
            raise

    def _write(self, name: str, documents: Iterable[Mapping[str, Any]]) -> None:
        read = self._reader.read(documents)
        actions = ({"_id": one[0], **to_source(*one, self.text_field)} for one in read)
        write(self._index, name, actions, self.writers, self.verbose)

    def _absent(self, documents: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        stream = iter(documents)
        while chunk := list(islice(stream, CHUNK)):
            docnos = [docno for document in chunk if isinstance(docno := document.get("docno"), str)]
            there = self._index.sources(docnos, [])
            yield from (document for document in chunk if document.get("docno") not in there)

    def __repr__(self) -> str:
        return f"OpenSearchIndexer({self._index!r}, extractor={self._reader.extractor!r})"
