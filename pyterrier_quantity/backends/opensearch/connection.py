"""The connection to the engine, and its errors in one line each, with the remedy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

OLDEST: Final = {"opensearch": (2, 0), "elasticsearch": (7, 10)}
"""The oldest versions whose nested documents, binary values in scripts and composite aggregations are relied on."""


class EngineError(RuntimeError):
    """The engine refused a request or answered only in part; nothing of the answer was used."""


def connect(url: str, options: Mapping[str, Any]) -> Any:
    """A client whose server has been asked who it is.

    Raises:
        ImportError: without opensearch-py.
        ConnectionError: if there is no server.
        PermissionError: if it does not take the credentials.
        EngineError: if it is too old.
    """
    try:
        from opensearchpy import OpenSearch
    except ImportError:
        raise ImportError("OpenSearch needs its client: pip install pyterrier-quantity[opensearch]") from None
    client = OpenSearch(url, **{"timeout": 60, **options})
    with plain_errors(url):
        version = client.info()["version"]
    engine = version.get("distribution", "elasticsearch")
    number = tuple(int(part) for part in re.findall(r"\d+", version["number"])[:2])
    oldest = OLDEST.get(engine)
    if oldest is None or number < oldest:
        wanted = " or ".join(f"{name} {major}.{minor}" for name, (major, minor) in OLDEST.items())
        raise EngineError(f"{without_password(url)} runs {engine} {version['number']}; use {wanted} or newer")
    return client


def without_password(url: str) -> str:
    """The address without the credentials that it may hold."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


@contextmanager
def plain_errors(url: str, index: str = "") -> Iterator[None]:
    """Turns the client's exceptions into Python's own, with the address and the remedy."""
    from opensearchpy import exceptions

    where = without_password(url)
    try:
        yield
    except (exceptions.AuthenticationException, exceptions.AuthorizationException) as error:
        if "block_exception" in str(error.error):
            raise EngineError(
                f"{where}, index {index!r}: {reason(error.info)}; the engine blocks this, usually because its disk "
                "is nearly full (GET _cat/allocation): free some, or lift the block in its settings"
            ) from error
        raise PermissionError(
            f"{where} refuses these credentials ({error.status_code}); pass http_auth=(user, password) of a user "
            f"that may use the index {index!r}"
        ) from error
    except exceptions.ConnectionTimeout as error:
        raise TimeoutError(f"{where} did not answer in time; pass a longer timeout=seconds") from error
    except exceptions.ConnectionError as error:
        raise ConnectionError(
            f"no OpenSearch answers at {where} ({_first_line(error.info)}); "
            "start one (docs/opensearch.md) or give its url"
        ) from error
    except exceptions.NotFoundError as error:
        raise FileNotFoundError(f"{where} has no index {index!r}; build it with .index(documents)") from error
    except exceptions.TransportError as error:
        raise EngineError(f"{where}, index {index!r}: {reason(error.info) or error.error}") from error


def complete(answer: dict[str, Any], url: str, index: str) -> dict[str, Any]:
    """An answer to which all shards gave their part.

    Raises:
        EngineError: if one did not.
    """
    shards = answer["_shards"]
    if shards.get("failed") or shards["successful"] < shards["total"]:
        raise EngineError(
            f"{without_password(url)}, index {index!r}: {shards['total'] - shards['successful']} of {shards['total']} "
            f"shards do not answer; see GET _cat/shards/{index}, and try again when all are started"
        )
    return answer


def reason(info: Any) -> str:
    """The engine's innermost reason, in one line."""
    while isinstance(info, Mapping):
        causes = info.get("root_cause") or info.get("failed_shards") or ()
        inner = info.get("caused_by") or info.get("error") or (causes[0] if causes else None) or info.get("reason")
        if not inner or inner == info:
            return _first_line(info.get("type"))
        if isinstance(inner, str) and info.get("script_stack"):
            inner = f"{inner}: {' '.join(info['script_stack'])}"
        info = inner
    return _first_line(info)


def _first_line(text: Any) -> str:
    lines = str(text or "").strip().splitlines()
    return lines[0][:300] if lines else ""
