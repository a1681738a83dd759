"""A document as the engine holds it, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyterrier_quantity.backends.opensearch.packed_evidence import pack
from pyterrier_quantity.index.context_words import terms_around
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.units import UnitRegistry, default_registry

ID_BYTES: Final = 512
"""The longest id that the engine takes."""

SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
"""Half characters, which the engine does not take."""

_AROUND: Final = 8
"""How many words on either side of a quantity go with it."""


def to_source(docno: str, text: str | None, quantities: Sequence[Quantity], text_field: str) -> dict[str, Any]:
    """What is stored under the id `docno`.

    Raises:
        ValueError: if the engine cannot hold the docno.
    """
    if not is_id(docno):
        raise ValueError(
            f"the engine cannot hold docno {docno[:40]!r}: it is empty, longer than {ID_BYTES} bytes or no valid text"
        )
    # One character stands for another, so that spans stay.
    text = SURROGATE.sub("\ufffd", text or "")
    source: dict[str, Any] = {text_field: text}
    if quantities:
        terms, positions = terms_around(text, quantities)
        source["evidence"] = pack(quantities, terms, positions)
        source["terms"] = sorted(set(terms))
        source["units"] = sorted({q.unit for q in quantities})
        registry = default_registry()
        source["quantities"] = [_nested(number, q, text, registry) for number, q in enumerate(quantities)]
    return source


def is_id(docno: str) -> bool:
    """Whether the engine can hold a document of this docno."""
    return 0 < len(docno.encode("utf-8", "replace")) <= ID_BYTES and not SURROGATE.search(docno)


def _nested(number: int, quantity: Quantity, text: str, registry: UnitRegistry) -> dict[str, Any]:
    factor, offset = registry.to_reference(quantity.unit)
    return {
        "number": number,
        "unit": quantity.unit,
        "family": registry.family(quantity.unit) or quantity.unit,
        "low": quantity.low,
        "high": quantity.high,
        "reference_low": quantity.low * factor + offset,
        "reference_high": quantity.high * factor + offset,
        "bound": quantity.bound,
        "confidence": quantity.confidence,
        "start": quantity.start,
        "end": quantity.end,
        "concept": list(quantity.concept),
        "words": _words_around(text, quantity),
    }


def _words_around(text: str, quantity: Quantity) -> str:
    before = re.findall(r"\w+", text[: quantity.start])[-_AROUND:]
    return " ".join([*before, *re.findall(r"\w+", text[quantity.end :])[:_AROUND]])


def to_quantity(nested: Mapping[str, Any]) -> Quantity:
    """The quantity that a nested document holds."""
    return Quantity(
        float(nested["low"]),
        float(nested["high"]),
        nested["unit"],
        nested["bound"],
        nested["start"],
        nested["end"],
        tuple(nested["concept"]),
        float(nested["confidence"]),
    )


def quantities_of(source: Mapping[str, Any]) -> list[Quantity]:
    """The quantities of a stored document, in text order."""
    return [to_quantity(nested) for nested in sorted(source.get("quantities", ()), key=lambda item: item["number"])]
