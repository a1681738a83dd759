"""What the columns of a quantity index must be to one another, checked without reading data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pyterrier_quantity._folder import IndexFormatError
from pyterrier_quantity.quantity import BOUNDS


def column_limits(meta: Mapping[str, Any], lengths: Mapping[str, int]) -> Mapping[str, int | None]:
    """What the numbers of each column must stay below, for those that refer to others; see `_arrays.Limits`.

    Args:
        meta: `documents`, `quantities` and `units` of the index.
        lengths: of the columns.

    Raises:
        IndexFormatError: if a column is missing or of another length than the others ask for, or a number is none.
    """
    documents, quantities, units = (whole_number(meta, name) for name in ("documents", "quantities", "units"))
    check_docnos(meta)
    check_lengths(lengths, _lengths(documents, quantities, units, lengths), _OF_ANY_LENGTH)
    return _limits(documents, quantities, units, lengths)


def docno_limits(meta: Mapping[str, Any], lengths: Mapping[str, int]) -> dict[str, int | None]:
    """The same of the columns that find documents by docno, which every index has; see `docnos.build_lookup`."""
    documents = whole_number(meta, "documents")
    check_lengths(lengths, _docno_lengths(documents), frozenset({"docno_bytes"}))
    return _docno_limits(documents, lengths)


def overview_limits(meta: Mapping[str, Any], lengths: Mapping[str, int]) -> Mapping[str, int | None]:
    """The same for what is said of several segments together, see `segments.Segments`.

    Args:
        meta: `documents`, `quantities` and `units` of the index, and the documents `indexed`, deleted ones among them.
        lengths: of the columns.
    """
    units, indexed = whole_number(meta, "units"), whole_number(meta, "indexed")
    for name in ("documents", "quantities"):
        whole_number(meta, name)
    check_docnos(meta)
    check_lengths(lengths, _name_lengths(units, lengths.get("word_hash", 0)), _OF_OVERVIEW)
    return {"deleted": indexed, "renamed": units, **_name_limits(units, lengths)}


def whole_number(meta: Mapping[str, Any], name: str) -> int:
    """A number that metadata must state."""
    number = meta.get(name)
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise IndexFormatError(f"the metadata of the index is damaged: {name} is {number!r}; build it again")
    return number


def check_docnos(meta: Mapping[str, Any]) -> None:
    """Raise an IndexFormatError unless metadata state a digest of the docnos."""
    if not isinstance(digest := meta.get("docnos"), str) or not re.fullmatch("[0-9a-f]{16}", digest):
        raise IndexFormatError(f"the metadata of the index is damaged: docnos is {digest!r}; build it again")


def check_lengths(
    lengths: Mapping[str, int], expected: Mapping[str, int], of_any_length: frozenset[str] = frozenset()
) -> None:
    """Raise an IndexFormatError if a column is missing or of another length."""
    for name in sorted(of_any_length | expected.keys()):
        if name not in lengths:
            raise IndexFormatError(f"the index is damaged: it has no column {name!r}; build it again")
        if lengths[name] != expected.get(name, lengths[name]):
            raise IndexFormatError(
                f"the index is damaged: column {name!r} has {lengths[name]} numbers instead of {expected[name]}; "
                "build it again"
            )


def _name_lengths(units: int, words: int) -> dict[str, int]:
    begins = {"unit_begin": units + 1, "word_begin": words + 1}
    return {**begins, "unit_words": units, "word_hash": words, "word_term": words}


def _name_limits(units: int, lengths: Mapping[str, int]) -> dict[str, int | None]:
    begins = {"unit_begin": lengths["unit_bytes"] + 1, "word_begin": lengths["word_rows"] + 1}
    return {**begins, "word_rows": units, "word_term": 1 << 16}


def _lengths(documents: int, quantities: int, units: int, lengths: Mapping[str, int]) -> dict[str, int]:
    words, terms, ranges = (lengths.get(name, 0) for name in ("word_hash", "term_documents", "from_document"))
    return {
        **dict.fromkeys(("low", "high", "unit", "bound", "confidence", "start", "length"), quantities),
        **dict.fromkeys(("point_document", "point_value"), quantities - ranges),
        **dict.fromkeys(("from_document", "from_low", "from_high", "to_document", "to_low", "to_high"), ranges),
        "position": quantities if terms else 0,
        "term_documents": 1 << 16 if terms else 0,
        "term_step": documents + 1 if terms else 0,
        "term_base": (documents >> 5) + 1 if terms else 0,
        "doc_step": documents + 1,
        "doc_base": (documents >> 5) + 1,
        "point_offsets": units + 1,
        "range_offsets": units + 1,
        **_name_lengths(units, words),
        **_docno_lengths(documents),
    }


def _docno_lengths(documents: int) -> dict[str, int]:
    return {
        "docno_hash": documents,
        "docno_row": documents,
        "docno_offsets": documents + 1,
        "docno_bucket": (1 << max(1, documents.bit_length())) + 1,
    }


_OF_ANY_LENGTH = frozenset(
    {
        *("values", "term_base", "term_step", "terms", "term_documents"),
        *("unit_bytes", "word_rows", "docno_bytes"),
    }
)


_OF_OVERVIEW = frozenset({"deleted", "renamed", "term_documents", "unit_bytes", "word_rows"})


def _limits(documents: int, quantities: int, units: int, lengths: Mapping[str, int]) -> dict[str, int | None]:
    terms = lengths["terms"]
    return {
        "low": lengths["values"],
        "high": lengths["values"],
        "unit": units,
        "bound": len(BOUNDS),
        "position": terms + 1,
        **dict.fromkeys(("point_document", "from_document", "to_document"), documents),
        **dict.fromkeys(("point_value", "from_low", "from_high", "to_low", "to_high"), lengths["values"]),
        "point_offsets": lengths["point_document"] + 1,
        "range_offsets": lengths["from_document"] + 1,
        "doc_base": quantities + 1,
        "doc_step": quantities + 1,
        "term_base": terms + 1,
        "term_step": terms + 1,
        "terms": 1 << 16,
        **_name_limits(units, lengths),
        **_docno_limits(documents, lengths),
    }


def _docno_limits(documents: int, lengths: Mapping[str, int]) -> dict[str, int | None]:
    offsets = lengths["docno_bytes"] + 1
    return {"docno_hash": None, "docno_row": documents, "docno_offsets": offsets, "docno_bucket": documents + 1}
