"""Extract quantities from documents' texts, or from structured fields ("price": 5), into a column."""

import difflib
import math
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from numbers import Real
from typing import Any, Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity.extraction import DATE_UNIT, Extractor, RuleExtractor, extract_each
from pyterrier_quantity.frames.frame import as_text, is_missing
from pyterrier_quantity.frames.transformer import Configured
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.units import UnitRegistry, default_registry

_CHUNK: Final = 1024


class QuantityExtractor(Configured):
    """Transformer that adds the column `quantities` to documents or results: for each text, a list of `Quantity`.

    Args:
        extractor: the extractor of quantities, or None for a `RuleExtractor`.
        text_field: the column with the texts. None and NaN are treated as empty texts.

    If there is a column `language`, the rule extractor reads each text in the language that the column names.
    """

    def __init__(self, extractor: Extractor | None = None, text_field: str = "text") -> None:
        self.extractor, self.text_field = extractor, text_field

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=[self.text_field], context=self)
        extractor, languages = self.extractor or RuleExtractor(), inp.get("language", [None] * len(inp))
        quantities = extract_each(extractor, list(map(as_text, inp[self.text_field])), languages, None)
        return inp.assign(quantities=pd.Series(quantities, index=inp.index, dtype=object))

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        stream, extractor = iter(inp), self.extractor or RuleExtractor()
        while chunk := list(islice(stream, _CHUNK)):
            missing = [record for record in chunk if self.text_field not in record]
            if missing:
                raise KeyError(f"{self!r}: a document has no {self.text_field!r}, only {sorted(missing[0])}")
            texts = [as_text(record[self.text_field]) for record in chunk]
            languages = [record.get("language") for record in chunk]
            quantities = extract_each(extractor, texts, languages, None)
            for record, found in zip(chunk, quantities, strict=True):
                yield {**record, "quantities": found}


YEAR: Final = "calendar year"
"""The unit of a field that contains calendar years."""
_WORD: Final = re.compile(r"[^\W\d_]+|\d+")
_ELSEWHERE: Final = re.compile(r"\{([^{}]+)\}")


class FieldQuantities(Configured):
    """Transformer that adds the column `quantities` to documents, with quantities of their fields and their text.

    Args:
        fields: a dictionary that maps each attribute to a field, or to `(field, unit)`: `{"price": ("cost", "€"),
            "weight": "weight_kg"}`. A dot separates the names of nested fields ("size.height"). The unit may have any
            spelling, or be the value of another field: `"{currency}"` means the value of `currency`, and
            `"{currency}/month"` that value per month. If no unit is given, it is read from the value ("5 kg") or
            from the last word of the field's name ("weight_kg"). A field may contain a list of values, or a dictionary
            from attribute to value.
        text_field: the field with the text. If None, no text is read.
        extractor: the extractor for the text and for fields that contain text, or None for a `RuleExtractor`.
        weights: weights above 0 and at most 1, keyed by attribute or by `text_field`. Each score of a quantity is
            multiplied by the square root of its weight: `{"text": 0.25}` halves the scores of quantities in the text.

    Columns in: `docno`, the text and the fields. A field may be missing, None, NaN or "". Columns out: `quantities`, a
    list of `Quantity` for each document. Quantities of fields come first, and have no span (`start` and `end` are 0).
    Their `concept` contains the words of the attribute. A UserWarning names fields that are missing in the first
    documents, and units that look misspelt.

    Raises:
        TypeError, ValueError: if `fields` is malformed or contains an unknown unit; if a weight is out of range, or its
            attribute is unknown; if a value is not a number, text, list or dictionary.
    """

    def __init__(
        self,
        fields: Mapping[str, str | tuple[str, str]],
        text_field: str | None = "text",
        extractor: Extractor | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self.fields, self.text_field, self.extractor = fields, text_field, extractor
        self.weights = dict(weights or {})
        known = [*fields, *([text_field] if text_field else [])]
        for name, weight in self.weights.items():
            if name not in known:
                raise ValueError(f"weights: no attribute {name!r}; there are {', '.join(map(repr, known))}")
            if not 0 < weight <= 1:
                raise ValueError(f"weights: {name!r} must be above 0 and at most 1, got {weight!r}")
        self._named = [(attribute, *named_field(attribute, given)) for attribute, given in fields.items()]
        for attribute, _, unit in self._named:
            if unit:
                resolved(_ELSEWHERE.sub("€", unit), f"attribute {attribute!r}", default_registry(), warn=True)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["docno", *([self.text_field] if self.text_field else [])], context=self)
        found = [record["quantities"] for record in self.transform_iter(inp.to_dict("records"))]
        return inp.assign(quantities=pd.Series(found, index=inp.index, dtype=object))

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        stream, extractor = iter(inp), self.extractor or RuleExtractor(dates=True)
        wanted = {name for _, field, unit in self._named for name in (field, *_ELSEWHERE.findall(unit or ""))}
        while chunk := list(islice(stream, _CHUNK)):
            if unseen := sorted(name for name in wanted if all(is_missing(_value(record, name)) for record in chunk)):
                fault = f"none of the first {len(chunk):,} documents holds a value in {', '.join(map(repr, unseen))}"
                warnings.warn(f"{fault}; their fields are {', '.join(map(str, chunk[0]))}", stacklevel=2)
            wanted = set()
            texts = [as_text(record.get(self.text_field)) if self.text_field else "" for record in chunk]
            for record, stated in zip(chunk, extractor.extract_batch(texts), strict=True):
                held = [(attribute, field, unit, _value(record, field)) for attribute, field, unit in self._named]
                of_fields = [q for entry in held for q in self._weighted(entry[0], _stated(record, *entry, extractor))]
                yield {**record, "quantities": [*of_fields, *self._weighted(self.text_field, stated)]}

    def _weighted(self, name: str | None, stated: Iterable[Quantity]) -> Iterable[Quantity]:
        weight = self.weights.get(name or "")
        return stated if weight is None else (replace(q, confidence=weight * q.confidence) for q in stated)


def named_field(attribute: Any, given: Any) -> tuple[str, str | None]:
    """Return a user's setting for an attribute as (field name, unit): "weight_kg" -> ("weight_kg", None), ("cost", "€")
    -> ("cost", "€"). If `given` is neither a name nor a tuple (name, unit), raise a TypeError."""
    field, unit = (given, None) if isinstance(given, str) else given if isinstance(given, tuple) else (None, None)
    if not (isinstance(attribute, str) and isinstance(field, str) and field and isinstance(unit, str | None)):
        raise TypeError(f"attribute {attribute!r}: give the field's name, or (name, unit), got {given!r}")
    return field, unit


def resolved(unit: str, where: str, registry: UnitRegistry, warn: bool = False) -> str:
    """Return the canonical name of a unit: "kg" -> "kilogram". Raise a ValueError if the text cannot be a unit.
    Messages begin with the place of the unit in the input (`where`). If `warn` is true, misspelt units cause warnings.
    """
    try:
        name = DATE_UNIT if unit == YEAR else registry.resolve(unit)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    if warn and (meant := _meant(name)):
        warnings.warn(f"{where}: {unit!r} is not a known unit, and counts things; {meant!r} is meant?", stacklevel=4)
    return name


@lru_cache(maxsize=1024)
def _meant(unit: str) -> str | None:
    """Return the likely correct spelling of an unknown unit ("eurro" -> "euro"), or None."""
    known = default_registry().units()
    near = [] if unit in known or not unit.isalpha() else difflib.get_close_matches(unit, known, 1, 0.8)
    return near[0] if near else None


def _value(record: Mapping[str, Any], field: str) -> Any:
    """Return the value of a field in a document, or None: {"size": {"height": 5}}, "size.height" -> 5."""
    if field in record:
        return record[field]
    value: Any = record
    for name in field.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _stated(
    record: Mapping[str, Any], attribute: str, field: str, unit: str | None, value: Any, extractor: Extractor
) -> Iterator[Quantity]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _stated(record, str(name), str(name), unit, inner, extractor)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _stated(record, attribute, field, unit, inner, extractor)
    elif isinstance(value, str):
        for read in extractor.extract(value):
            own = read.unit if read.unit != BARE else _unit(record, field, unit)
            yield replace(read, unit=own, start=0, end=0, concept=name_words(attribute))
    elif isinstance(value, Real) and not isinstance(value, bool):
        if math.isfinite(value):
            number = float(value)
            yield Quantity(number, number, _unit(record, field, unit), concept=name_words(attribute))
    elif not (is_missing(value) or isinstance(value, bool)):
        fault = f"document {record.get('docno')!r}: field {field!r} holds a {type(value).__name__}"
        raise TypeError(f"{fault}; give numbers, text, lists or dictionaries of them")


def _unit(record: Mapping[str, Any], field: str, unit: str | None) -> str:
    """Return the canonical unit of a field in the document `record`: "kg" -> "kilogram". If `unit` names another field
    in braces ("{currency}"), insert that field's value. If `unit` is None, return the unit in the name of `field`."""
    if unit is None:
        return unit_of_name(field)
    elsewhere = _ELSEWHERE.search(unit)
    if elsewhere is None:
        return resolved(unit, f"field {field!r}", default_registry())
    given = _value(record, elsewhere[1])
    if is_missing(given) or given == "":
        return BARE
    where = f"document {record.get('docno')!r}: field {elsewhere[1]!r}"
    return resolved(unit.replace(elsewhere[0], str(given)), where, default_registry())


@lru_cache(maxsize=1024)
def unit_of_name(field: str) -> str:
    """Return the unit in the last word of a field's name: "weight_kg" -> "kilogram", "weight" -> "-"."""
    words = name_words(field)
    if len(words) < 2 or words[-1] not in _unit_words():
        return BARE
    return default_registry().resolve(words[-1])


@lru_cache(maxsize=1)
def _unit_words() -> frozenset[str]:
    registry = default_registry()
    units = registry.units()
    return frozenset((*units, *(surface.lower() for surface in registry.surfaces(*units))))


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a field's name: "batteryLife_hours" -> ("battery", "life", "hours")."""
    return tuple(word.lower() for word in _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)))
