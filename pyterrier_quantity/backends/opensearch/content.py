"""Convert documents and quantities to the JSON that OpenSearch stores, and define the mapping of an index."""

import base64
import json
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyterrier_quantity.index.context_words import terms_around
from pyterrier_quantity.index.totals import with_derived
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.storage.folders import IndexFormatError
from pyterrier_quantity.units import default_registry

ID_BYTES: Final = 512
"""Maximum length of an id in the engine."""
EVIDENCE: Final = "evidence"
"""Field with a document's quantities for scoring (see `pack`). It can be retrieved without the rest of the document."""
TERMS: Final = "terms"
"""The field with the words around quantities, as hashes of their stems."""
SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
"""A pattern of lone surrogates, which the engine rejects."""
_WORD: Final = re.compile(r"\w+")
_AROUND: Final = 8  # number of words on either side of a quantity that are stored with the quantity
Terms = tuple[list[int], list[int]]
"""Two lists: hashed stems of the words around a document's quantities, and each quantity's position among the words."""
MARK: Final = "pyterrier_quantity"
"""The key in an index's metadata (`_meta`) that identifies the indexes that this package made."""
VERSION: Final = 2
_QUANTITY: Final[dict[str, dict[str, Any]]] = {
    **{name: {"type": "keyword"} for name in ("unit", "family", "bound")},
    **{name: {"type": "double"} for name in ("low", "high", "reference_low", "reference_high", "confidence")},
    **{name: {"type": "integer", "index": False} for name in ("start", "end")},
    "concept": {"type": "keyword", "index": False},
    "words": {"type": "text"},
}
"""The engine's mapping of a quantity. `reference_low` and similar fields contain values in a reference unit (gram)."""
_STATED: Final = ("unit", "low", "high", "bound", "confidence", "start", "end", "concept")


def mappings(text_field: str, analyzer: str) -> dict[str, Any]:
    """Return the mapping (schema) of a new index: fields for the text, the quantities, and the data for scoring."""
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


def checked(name: str, found: Mapping[str, Any], replacing: bool = False) -> tuple[str, str]:
    """Check that an index was made by this package. Return its name (not an alias), and the name of the text field.

    Args:
        name: the index's name, or its alias.
        found: the mappings of the indexes, keyed by name, as the engine returned them.
        replacing: whether the index will be replaced. If so, an index in any version of the format is accepted; if
            `name` is an alias, this package must have created the alias.

    Raises:
        IndexFormatError: if the name does not refer to a single index of this package, or if the index has another
            version or must not be replaced.
    """
    if len(found) != 1:
        raise IndexFormatError(f"{name!r} is an alias of several indexes: {', '.join(found)}; name one of them")
    ((index, definition),) = found.items()
    mark = definition["mappings"].get("_meta", {}).get(MARK)
    if not isinstance(mark, Mapping):
        fault = f"the engine's index {name!r} was not made by pyterrier-quantity"
        raise IndexFormatError(f"{fault}; choose another name, or filter your own fields with ptq.filters")
    if replacing and not re.fullmatch(rf"{re.escape(name)}(-[0-9a-f]{{8}})?", index):
        raise IndexFormatError(f"{name!r} is an alias of the engine's {index}; overwrite that by its name")
    if not replacing and mark.get("version") != VERSION:
        fault = f"the engine's index {name!r} is of version {mark.get('version')!r}"
        raise IndexFormatError(f"{fault}, this package reads version {VERSION}; build it again with overwrite=True")
    return index, str(mark.get("text_field"))


def to_source(docno: str, text: str | None, quantities: Sequence[Quantity], text_field: str) -> dict[str, Any]:
    """Return the dictionary that OpenSearch stores for a document. Raise a ValueError for an invalid docno."""
    if not is_id(docno):
        fault = f"the engine cannot hold docno {docno[:40]!r}"
        raise ValueError(f"{fault}: it is empty, longer than {ID_BYTES} bytes or not valid text")
    # The replacement is one character, so that spans stay valid.
    text = SURROGATE.sub("\ufffd", text or "")
    source: dict[str, Any] = {text_field: text}
    quantities = with_derived(quantities, text)
    if quantities:
        around = terms_around(text, quantities)
        source[EVIDENCE] = pack(quantities, around)
        source[TERMS] = list(map(str, sorted(set(around[0]))))
        words = [word.span() for word in _WORD.finditer(text)]
        source["quantities"] = [_nested(quantity, text, words) for quantity in quantities]
    return source


def is_id(docno: str) -> bool:
    """Return whether OpenSearch accepts the docno as an id: 1 to 512 bytes of valid text."""
    return 0 < len(docno.encode("utf-8", "replace")) <= ID_BYTES and not SURROGATE.search(docno)


def _nested(quantity: Quantity, text: str, words: Sequence[tuple[int, int]]) -> dict[str, Any]:
    registry = default_registry()
    factor, offset = registry.to_reference(quantity.unit)
    reference = {f"reference_{end}": getattr(quantity, end) * factor + offset for end in ("low", "high")}
    before = bisect_right(words, quantity.start, key=lambda span: span[1])
    after = bisect_left(words, quantity.end, key=lambda span: span[0])
    around = [*words[max(0, before - _AROUND) : before], *words[after : after + _AROUND]]
    return {
        **{name: getattr(quantity, name) for name in _STATED},
        "family": registry.family(quantity.unit) or quantity.unit,
        # A value that overflows in the reference unit cannot be compared.
        **(reference if all(map(math.isfinite, reference.values())) else {}),
        "words": " ".join(text[begin:end] for begin, end in around),
    }


def pack(quantities: Sequence[Quantity], around: Terms) -> str:
    """Return a document's quantities, and the words around them (a result of `terms_around`), as JSON in base64."""
    records = [[q.low, q.high, q.unit, q.bound, q.start, q.end, q.confidence, q.concept] for q in quantities]
    return base64.b64encode(json.dumps([records, *around]).encode()).decode("ascii")


def unpack(evidence: str) -> tuple[list[Quantity], Terms]:
    """Convert a result of `pack` back to its two arguments. Raise a ValueError or TypeError for other strings."""
    # The engine omits the padding.
    records, terms, positions = json.loads(base64.b64decode(evidence + "=="))
    quantities = [
        Quantity(low, high, unit, bound, start, end, tuple(concept), confidence)
        for low, high, unit, bound, start, end, confidence, concept in records
    ]
    if len(positions) != len(quantities):
        raise ValueError(f"{len(positions)} places of {len(quantities)} quantities")
    return quantities, (terms, positions)
