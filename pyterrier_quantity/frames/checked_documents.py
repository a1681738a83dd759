"""Check documents before they are indexed, so that every indexer accepts the same documents.

A document is `{"docno": str, "text": str}`, or has extracted `quantities` (a list of `Quantity`) with or without a
text. A text or `quantities` of None, NaN or pandas' NA counts as missing. Docnos must be unique. Units are replaced by
canonical names: "$" is stored as "dollar". A field `language` contains the code of the text's language.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from pyterrier_quantity._progress import shown
from pyterrier_quantity.frames.frame import is_missing, whole_characters
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.units import UnknownUnitError, default_registry


class Document(NamedTuple):
    """A checked document. The fields `text`, `quantities` and `language` are None if the document lacks them."""

    docno: str
    text: str | None
    quantities: list[Quantity] | None = None
    language: str | None = None


def checked_documents(
    corpus: Iterable[Mapping[str, Any]],
    text_field: str = "text",
    *,
    ready: bool = False,
    progress: str | None = None,
    left_out: list[str] | None = None,
    first: int = 0,
) -> Iterator[Document]:
    """Check and yield each document of a corpus.

    Args:
        corpus: the documents as dictionaries.
        text_field: the field with the text.
        ready: whether a document may have `quantities` instead of a text.
        progress: the label of the progress bar, or None for no bar.
        left_out: a list that collects messages on skipped, malformed documents, or None to raise errors instead.
        first: the number of the first document. Messages name documents without a docno by their number.

    Raises:
        TypeError: if the corpus, a document, its docno, text or quantities have the wrong type.
        ValueError: if a document has neither a text nor quantities, a docno is repeated, or a quantity has an invalid
            value. The message names the document and says how to correct it.
    """
    if isinstance(corpus, pd.DataFrame):
        raise TypeError("the corpus is a DataFrame; give its documents: frame.to_dict('records')")
    if isinstance(corpus, str | bytes | Mapping):
        raise TypeError(f"the corpus must be an iterable of dictionaries, got {type(corpus).__name__}")
    if not isinstance(text_field, str):
        raise TypeError(f"text_field must be the name of one field, got {text_field!r}")
    seen: set[str] = set()
    documents = shown(corpus, progress is not None, desc=progress, unit="doc")
    for number, document in enumerate(documents, start=first):
        try:
            checked = _document(number, document, text_field, ready)
            if checked.docno in seen:
                raise ValueError(f"document number {number}: docno {checked.docno!r} occurred before; make it unique")
        except (TypeError, ValueError) as error:
            if left_out is None:
                raise
            left_out.append(str(error))
        else:
            seen.add(checked.docno)
            yield checked


def _document(number: int, document: Any, text_field: str, ready: bool) -> Document:
    if not isinstance(document, Mapping):
        raise TypeError(f"document number {number} must be a dictionary, got {type(document).__name__}")
    docno, text, language = (document.get(name) for name in ("docno", text_field, "language"))
    if not isinstance(docno, str):
        found = "is missing" if is_missing(docno) else f"must be a string, got {type(docno).__name__} {docno!r}"
        raise TypeError(f"document number {number}: docno {found}; give every document a string docno")
    docno = whole_characters(docno)
    if text_field not in document and not (ready and "quantities" in document):
        lacks = f"neither {text_field!r} nor 'quantities'" if ready else f"no {text_field!r}"
        raise ValueError(f"document {docno!r} has {lacks}, only {sorted(map(str, document))}; name the text's field")
    if not (is_missing(text) or isinstance(text, str)):
        raise TypeError(f"document {docno!r}: {text_field!r} must be a string, got {type(text).__name__}")
    text = whole_characters(text) if isinstance(text, str) else None
    given = _quantities(docno, document.get("quantities")) if ready else None
    return Document(docno, text, given, language if isinstance(language, str) and language else None)


def _quantities(docno: str, given: Any) -> list[Quantity] | None:
    if is_missing(given):
        return None
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise TypeError(f"document {docno!r}: 'quantities' must be a list of Quantity, got {type(given).__name__}")
    quantities = list(given)
    for quantity in quantities:
        if not isinstance(quantity, Quantity):
            raise TypeError(f"document {docno!r}: 'quantities' must hold Quantity items, got {type(quantity).__name__}")
        if not 0 <= quantity.start <= quantity.end:
            raise ValueError(f"document {docno!r}: {quantity} has the span {quantity.start} to {quantity.end}; spans "
                             "are positions in the text, start before end")  # fmt: skip
        if not 0 < quantity.confidence <= 1:
            raise ValueError(f"document {docno!r}: {quantity} has the confidence {quantity.confidence!r}; it must be "
                             "above 0 and at most 1")  # fmt: skip
    try:
        canonical = [_canonical(quantity) for quantity in quantities]
    except ValueError as error:
        raise ValueError(f"document {docno!r}: {error}") from error
    return sorted(canonical, key=lambda q: (q.end > 0, q.start))  # quantities without a span come first


def _canonical(quantity: Quantity) -> Quantity:
    """Return a quantity with the canonical unit name: "$" -> "dollar". Raise a ValueError if the unit is unknown and
    the quantity has no span, which means that it was not extracted from a text."""
    try:
        unit = default_registry().resolve(quantity.unit)
    except UnknownUnitError:
        if quantity.start < quantity.end:
            return quantity
        raise
    return quantity if unit == quantity.unit else replace(quantity, unit=unit)
