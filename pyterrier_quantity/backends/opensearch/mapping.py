"""What our indexes look like in the engine, and how they are told from others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pyterrier_quantity._folder import IndexFormatError

MARK: Final = "pyterrier_quantity"
"""The key in a mapping's `_meta` that says an index is ours."""

VERSION: Final = 1

_QUANTITY: Final = {
    "number": {"type": "integer", "index": False},
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
    """The mapping of an index: the text, the quantities, and what the script reads."""
    return {
        "dynamic": False,
        "_meta": {MARK: {"version": VERSION, "text_field": text_field}},
        "properties": {
            text_field: {"type": "text", "analyzer": analyzer},
            "quantities": {"type": "nested", "dynamic": "strict", "properties": dict(_QUANTITY)},
            "units": {"type": "keyword"},
            "terms": {"type": "integer", "index": False},
            "evidence": {"type": "binary", "doc_values": True},
        },
    }


def settings(shards: int, replicas: int, k1: float, b: float) -> dict[str, Any]:
    """The settings of an index; BM25's parameters are fixed when it is made."""
    similarity = {"default": {"type": "BM25", "k1": k1, "b": b}}
    return {"index": {"number_of_shards": shards, "number_of_replicas": replicas, "similarity": similarity}}


def check_ours(name: str, found: Mapping[str, Any]) -> str:
    """The name of the text field of an index whose mapping is `found`.

    Raises:
        IndexFormatError: if the index is not ours, of another version, or its fields have other types.
    """
    mark = found.get("_meta", {}).get(MARK)
    if not isinstance(mark, Mapping):
        raise IndexFormatError(
            f"the engine's index {name!r} was not made by pyterrier-quantity; choose another name, "
            "or filter your own fields with ptq.filters"
        )
    if mark.get("version") != VERSION:
        raise IndexFormatError(
            f"the engine's index {name!r} is of version {mark.get('version')!r}, this package reads version {VERSION}; "
            "build it again with overwrite=True"
        )
    text_field = str(mark.get("text_field"))
    expected = _types(mappings(text_field, "")["properties"])
    there = _types(found.get("properties", {}))
    for field, type_ in expected.items():
        if there.get(field) != type_:
            raise IndexFormatError(
                f"the engine's index {name!r} maps {field!r} as {there.get(field)!r} instead of {type_!r}; "
                "choose another name, or build it again with overwrite=True"
            )
    return text_field


def _types(properties: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """The type of every field, nested ones by their path."""
    types: dict[str, str] = {}
    for field, definition in properties.items():
        types[prefix + field] = definition.get("type", "object")
        types |= _types(definition.get("properties", {}), f"{prefix}{field}.")
    return types
