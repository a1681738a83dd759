"""What our indexes look like in the engine, and how they are told from others."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Any, Final

from pyterrier_quantity._folder import IndexFormatError
from pyterrier_quantity.backends.opensearch.documents import EVIDENCE, TERMS

MARK: Final = "pyterrier_quantity"
"""The key in a mapping's `_meta` that says an index is ours."""

VERSION: Final = 2

_QUANTITY: Final = {
    "unit": {"type": "keyword"},
    "family": {"type": "keyword"},
    "low": {"type": "double"},
    "high": {"type": "double"},
    "reference_low": {"type": "double"},
    "reference_high": {"type": "double"},
    "bound": {"type": "keyword"},
    "confidence": {"type": "double"},
    "start": {"type": "integer", "index": False},
    "end": {"type": "integer", "index": False},
    "concept": {"type": "keyword", "index": False},
    "words": {"type": "text"},
}
"""A stated quantity, as a nested document: the ends as stated and in the family's reference unit, the words around."""


def mappings(text_field: str, analyzer: str) -> dict[str, Any]:
    """The mapping of an index: the text, the quantities, and what scores are computed from."""
    return {
        "dynamic": False,
        "_meta": {MARK: {"version": VERSION, "text_field": text_field}},
        "properties": {
            text_field: {"type": "text", "analyzer": analyzer},
            "quantities": {"type": "nested", "dynamic": "strict", "properties": dict(_QUANTITY)},
            TERMS: {"type": "keyword", "doc_values": False},
            EVIDENCE: {"type": "binary", "doc_values": True},
        },
    }


def settings(shards: int, replicas: int, k1: float, b: float) -> dict[str, Any]:
    """The settings of an index; BM25's parameters are fixed when it is made."""
    similarity = {"default": {"type": "BM25", "k1": k1, "b": b}}
    return {"index": {"number_of_shards": shards, "number_of_replicas": replicas, "similarity": similarity}}


def name_aside(name: str) -> str:
    """What an index is called that is to take the place of the one of this name."""
    return f"{name}-{secrets.token_hex(4)}"


def replaceable(name: str, found: Mapping[str, Any]) -> str:
    """The index that is there under this name, if an index that is built anew may take its place.

    Args:
        name: of the index, or its alias.
        found: the engine's mappings, by index.

    Raises:
        IndexFormatError: if the index, or one of several, is not ours, or the name is an alias that we did not make.
    """
    for index, definition in found.items():
        check_marked(index, definition["mappings"])
        if len(found) > 1 or not re.fullmatch(rf"{re.escape(name)}(-[0-9a-f]{{8}})?", index):
            raise IndexFormatError(
                f"{name!r} is an alias of the engine's {', '.join(found)}; overwrite that by its name"
            )
    return next(iter(found))


def check_marked(name: str, found: Mapping[str, Any]) -> Mapping[str, Any]:
    """What our mark says of an index whose mapping is `found`.

    Raises:
        IndexFormatError: if there is none: the index is not ours.
    """
    mark = found.get("_meta", {}).get(MARK)
    if not isinstance(mark, Mapping):
        raise IndexFormatError(
            f"the engine's index {name!r} was not made by pyterrier-quantity; choose another name, "
            "or filter your own fields with ptq.filters"
        )
    return mark


def check_ours(name: str, found: Mapping[str, Any]) -> str:
    """The name of an index's text field.

    Args:
        name: of the index, or its alias.
        found: the engine's mappings, by index.

    Raises:
        IndexFormatError: if it is no single index of ours, or of another version.
    """
    if len(found) != 1:
        raise IndexFormatError(f"{name!r} is an alias of several indexes: {', '.join(found)}; name one of them")
    (definition,) = found.values()
    mark = check_marked(name, definition["mappings"])
    if mark.get("version") != VERSION:
        raise IndexFormatError(
            f"the engine's index {name!r} is of version {mark.get('version')!r}, this package reads version {VERSION}; "
            "build it again with overwrite=True"
        )
    return str(mark.get("text_field"))
