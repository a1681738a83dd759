"""Connect to OpenSearch: send requests, check responses, and raise errors that say how to fix the problem."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from pyterrier_quantity._extras import need
from pyterrier_quantity.backends.opensearch.content import EVIDENCE, TERMS, checked, is_id
from pyterrier_quantity.storage.folders import IndexFormatError

Query = dict[str, Any]
_OLDEST: Final = {"opensearch": (2, 0), "elasticsearch": (7, 10)}
"""A dictionary from each engine to its oldest supported version, (major, minor)."""
_NAME: Final = re.compile(r'(?![-_+])[^A-Z\\/*?"<>|,#:\s]+')
"""A pattern for the name of one index. Wildcards, lists of names and `_all` do not match."""
MOST_RESULTS: Final = 10_000
"""The maximum number of results that the engine returns for a search."""
_MALFORMED: Final = (ArithmeticError, LookupError, TypeError, ValueError, AttributeError)
"""Errors that may be raised while a malformed response is parsed."""
_BATCH: Final = 500  # maximum number of searches, or of terms to count, per request


class EngineError(RuntimeError):
    """Raised if OpenSearch refuses a request, or sends an incomplete or malformed response."""


@dataclass(frozen=True)
class Hit:
    """A search result.

    Args:
        docno, score: the document's docno and score.
        source: the stored fields that were requested.
        evidence: the document's quantities as a string (see `content.unpack`), if requested and present.
    """

    docno: str
    score: float
    source: Mapping[str, Any]
    evidence: str | None


class Engine:
    """A connection to one index in OpenSearch or Elasticsearch, opened on first use.

    Args:
        url: the server's address.
        name: the index's name.
        options: options of `opensearchpy.OpenSearch`.
    """

    def __init__(self, url: str, name: str, options: Mapping[str, Any]) -> None:
        if not (isinstance(name, str) and _NAME.fullmatch(name)):
            rules = 'lower case, without blanks and \\ / * ? " < > | , # :, and must not begin with - _ +'
            raise ValueError(f"{name!r} cannot name an index: it must be {rules}")
        self.url, self.name, self.options = url, name, options
        self._counts: dict[int | str, int] = {}

    @cached_property
    def client(self) -> Any:
        """The client of opensearch-py. On first use, check the server's version.

        Raises:
            ImportError: if opensearch-py is missing.
            ConnectionError: if no server answers.
            PermissionError: if the server refuses the credentials.
            EngineError: if the server is too old.
        """
        client = need("opensearchpy", "opensearch").OpenSearch(self.url, **{"timeout": 60, **self.options})
        with self.errors():
            version = client.info()["version"]
            engine, number = version.get("distribution", "elasticsearch"), str(version["number"])
        if tuple(map(int, re.findall(r"\d+", number)[:2])) < _OLDEST.get(engine, (math.inf,)):
            wanted = " or ".join(f"{name} {major}.{minor}" for name, (major, minor) in _OLDEST.items())
            raise EngineError(f"{without_password(self.url)} runs {engine} {number}; use {wanted} or newer")
        return client

    @cached_property
    def text_field(self) -> str:
        """The name of the field with the text. On first use, check that this package created the index."""
        with self.errors():
            return checked(self.name, self.client.indices.get_mapping(index=self.name))[1]

    def count(self) -> int:
        """Return the number of documents in the index."""
        with self.errors():
            return _number(self._whole(self.client.count(index=self.name))["count"])

    def find(self, bodies: Sequence[Query]) -> list[list[Hit]]:
        """Return the hits for each search request body, best first. BM25 uses the word statistics of the whole index,
        not of single shards. Raise an EngineError if a search fails in any shard."""
        with self.errors():
            return [
                [_hit(hit) for hit in answer["hits"]["hits"]]
                for begin in range(0, len(bodies), _BATCH)
                for answer in self._answers(bodies[begin : begin + _BATCH])
            ]

    def _answers(self, bodies: Sequence[Query]) -> list[dict[str, Any]]:
        header = {"index": self.name, "search_type": "dfs_query_then_fetch", "allow_partial_search_results": False}
        request = [part for body in bodies for part in (header, {"_source": False, "track_total_hits": False, **body})]
        answers = self.client.msearch(body=request)["responses"]
        if len(answers) != len(bodies):
            raise ValueError(f"{len(answers)} answers to {len(bodies)} searches")
        return [self._whole(answer) for answer in answers]

    def _whole(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return a response unchanged, or raise an EngineError if the response lacks the results of a shard."""
        if answer.get("status") == 404:
            raise FileNotFoundError(f"the engine has no index {self.name!r}; build it with .index(documents)")
        shards = answer.get("_shards", {})
        if error := answer.get("error") or (shards if shards.get("failures") else None):
            raise EngineError(f"{self!r} could not answer: {reason(error)}; try again, or see the engine's log")
        silent = shards["total"] - shards["successful"]
        if silent or answer.get("timed_out"):
            cause = f"{silent} of {shards['total']} shards do not answer" if silent else "the engine ran out of time"
            raise EngineError(f"{self!r}: {cause}; see GET _cat/shards/{self.name}, and try again when all are started")
        return answer

    def sources(self, docnos: Iterable[str], fields: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the given fields of each document, as dictionaries keyed by docno. Unknown docnos are left out. Raise
        an EngineError if a shard that may contain one of the documents does not answer."""
        asked = list(filter(is_id, docnos))
        found: list[dict[str, Any]] = []
        with self.errors():
            for begin in range(0, len(asked), MOST_RESULTS):
                body = {"ids": asked[begin : begin + MOST_RESULTS]}
                found += self.client.mget(index=self.name, body=body, _source=list(fields) or False)["docs"]
            if [item["_id"] for item in found] != asked:
                raise ValueError("other documents than those that were asked for")
            if failed := next((item for item in found if "error" in item), None):
                fault = f"{self!r} cannot read document {failed['_id']!r}: {reason(failed['error'])}"
                raise EngineError(f"{fault}; see GET _cat/shards/{self.name}, and try again when all are started")
            return {item["_id"]: item.get("_source", {}) for item in found if item.get("found")}

    def counts(self, asked: Iterable[int | str]) -> Mapping[int | str, int]:
        """Return the document frequency of each term hash (an int) and the number of quantities of each family (a str).
        The mapping also contains the terms and families of earlier calls."""
        new = [one for one in asked if one not in self._counts]
        for begin in range(0, len(new), _BATCH):
            part = new[begin : begin + _BATCH]
            with self.errors():
                (answer,) = self._answers([{"size": 0, "aggs": {str(n): _count_of(one) for n, one in enumerate(part)}}])
                found = (answer["aggregations"][str(n)] for n in range(len(part)))
                self._counts |= {
                    one: _number(each.get("own", each)["doc_count"]) for one, each in zip(part, found, strict=True)
                }
        return self._counts

    def forget(self) -> None:
        """Discard the cached statistics of the index, so that they are requested again."""
        self._counts = {}
        for read in ("text_field", "documents"):
            self.__dict__.pop(read, None)

    @cached_property
    def documents(self) -> int:
        """The number of documents, counted on first use."""
        return self.count()

    @contextmanager
    def errors(self) -> Iterator[None]:
        """In a `with` block, turn exceptions from opensearch-py, and malformed responses, into errors that name the
        server's address and say how to fix the problem."""
        exceptions = need("opensearchpy.exceptions", "opensearch")
        where = without_password(self.url)
        place = f"{where}, index {self.name!r}"
        try:
            yield
        except (EngineError, IndexFormatError, OSError):
            raise
        except (exceptions.AuthenticationException, exceptions.AuthorizationException) as error:
            if "block_exception" in str(error.error):
                cause = "the engine blocks this, usually because its disk is nearly full (GET _cat/allocation)"
                fault = f"{place}: {reason(error.info)}; {cause}"
                raise EngineError(f"{fault}: free some, or lift the block in its settings") from error
            fault, user = f"{where} refuses these credentials ({error.status_code})", "a user that may use the index"
            raise PermissionError(f"{fault}; pass http_auth=(user, password) of {user} {self.name!r}") from error
        except exceptions.ConnectionTimeout as error:
            raise TimeoutError(f"{where} did not answer in time; pass a longer timeout=seconds") from error
        except exceptions.ConnectionError as error:
            fault = f"no OpenSearch answers at {where} ({_first_line(error.info)})"
            raise ConnectionError(f"{fault}; start one (docs/guide/opensearch.md) or give its url") from error
        except exceptions.NotFoundError as error:
            raise FileNotFoundError(f"{where} has no index {self.name!r}; build it with .index(documents)") from error
        except exceptions.TransportError as error:
            raise EngineError(f"{place}: {reason(error.info) or error.error}") from error
        except (exceptions.OpenSearchException, *_MALFORMED) as error:
            fault = f"{place}: no OpenSearch answers so ({type(error).__name__}: {_first_line(error)})"
            raise EngineError(f"{fault}; is another program at this address, or one between?") from error

    def __getstate__(self) -> dict[str, Any]:
        return {"url": self.url, "name": self.name, "options": self.options, "_counts": {}}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and (self.url, self.name) == (other.url, other.name)

    def __hash__(self) -> int:
        return hash((self.url, self.name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({without_password(self.url)!r}, {self.name!r})"


def _count_of(asked: int | str) -> dict[str, Any]:
    """Return an aggregation that counts the documents with a term hash, or the quantities of a family of units."""
    if isinstance(asked, int):
        return {"filter": {"term": {TERMS: str(asked)}}}
    own = {"filter": {"term": {"quantities.family": asked}}}
    return {"nested": {"path": "quantities"}, "aggs": {"own": own}}


def _number(value: Any) -> int:
    if not isinstance(value, int) or not 0 <= value < 1 << 63:
        raise ValueError("no number of documents")
    return value


def _hit(hit: Mapping[str, Any]) -> Hit:
    docno, score = hit["_id"], float(hit["_score"])
    if not isinstance(docno, str) or not math.isfinite(score):
        raise ValueError(f"the document {docno!r} with the score {score!r}")
    (evidence,) = hit.get("fields", {}).get(EVIDENCE, [None])
    return Hit(docno, score, hit.get("_source", {}), evidence)


def without_password(url: str) -> str:
    """Return a URL without user name and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def reason(info: Any) -> str:
    """Return the most specific reason given in an error response from OpenSearch, as a single line."""
    while isinstance(info, Mapping):
        causes = info.get("root_cause") or info.get("failed_shards") or info.get("failures") or ()
        inner = info.get("caused_by") or info.get("error") or (causes[0] if causes else None) or info.get("reason")
        if not inner or inner == info:
            return _first_line(info.get("type"))
        info = inner
    return _first_line(info)


def _first_line(text: Any) -> str:
    lines = str(text or "").strip().splitlines()
    return lines[0][:300] if lines else ""
