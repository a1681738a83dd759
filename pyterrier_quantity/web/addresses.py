"""What may be asked of a collection, by name: what it takes, what it is for, and how it is answered.

The page's JSON API and a language model's tools are both made of this description.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args, get_origin

from pyterrier_quantity._version import __version__
from pyterrier_quantity.grounding import check
from pyterrier_quantity.units import default_registry
from pyterrier_quantity.web.collection_search import Asked, CollectionSearch

MOST_RESULTS: Final = 100
NEEDED: Final = object()
"""In place of a default: the parameter must be given."""
_KINDS: Final = {
    str: ("string", "a text"),
    bool: ("boolean", "true or false"),
    int: ("integer", f"a whole number from 1 to {MOST_RESULTS}"),
    float: ("number", "a number"),
    list: ("array", "a JSON list"),
}
"""How OpenAPI and how messages call a parameter's kind."""


@dataclass(frozen=True)
class Parameter:
    """What is given with a question: its name, what it means, its type, and its value where it is left out."""

    name: str
    told: str
    kind: Any = str
    default: Any = NEEDED

    @property
    def schema(self) -> dict[str, Any]:
        """As OpenAPI describes it."""
        kind = {"type": _KINDS[get_origin(self.kind) or self.kind][0]}
        return kind if self.default in (NEEDED, None) else kind | {"default": self.default}

    def read(self, given: str) -> Any:
        """The value of a text.

        Raises:
            ValueError: if it is none of this kind.
        """
        kind = get_origin(self.kind) or self.kind
        if kind is str:
            return given
        try:
            value = json.loads(given)
            value = float(value) if kind is float and type(value) is int else value
        except (ValueError, OverflowError, RecursionError):
            value = None
        inside = kind is not int or (type(value) is int and 1 <= value <= MOST_RESULTS)
        items = value if isinstance(value, list) else ()
        if type(value) is not kind or not inside or not all(isinstance(one, get_args(self.kind)) for one in items):
            raise ValueError(f"{self.name} is {given!r:.40}; give {_KINDS[kind][1]}")
        return value


@dataclass(frozen=True)
class Address:
    """A question that may be asked: its name, what it is for, its answer as plain data, and what it takes."""

    name: str
    told: str
    answer: Callable[..., dict[str, Any]]
    parameters: tuple[Parameter, ...] = ()

    def read(self, given: Mapping[str, str]) -> dict[str, Any]:
        """The parameters of a request, by name.

        Raises:
            ValueError: naming one that is unknown, missing or wrong.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in known:
                raise ValueError(f"unknown parameter {name!r:.40}; {self.name} takes {', '.join(known) or 'none'}")
        for name, parameter in known.items():
            if name not in given and parameter.default is NEEDED:
                raise ValueError(f"parameter {name!r} is missing: {parameter.told}")
        return {name: one.read(given[name]) if name in given else one.default for name, one in known.items()}


def convert(value: float, from_unit: str, to_unit: str) -> dict[str, Any]:
    """A value in another unit: `value`, `unit`."""
    registry = default_registry()
    converted = float(registry.convert(value, from_unit, to_unit))
    return {"value": float(f"{converted:.12g}"), "unit": registry.resolve(to_unit)}


def check_numbers(answer: str, evidence: list[str]) -> dict[str, Any]:
    """`grounding.check` as plain data."""
    checked = check(answer, evidence)
    numbers = [
        {
            "words": one.written,
            "reading": str(one.quantity),
            "verdict": one.verdict,
            "how": one.how,
            "stated": [{"reading": str(said.quantity), "sentence": said.sentence} for said in one.stated],
        }
        for one in checked
    ]
    return {"supported": checked.supported, "numbers": numbers, "note": checked.note}


_QUERY: Final = Parameter("query", "as a person types it, conditions included: 'laptops under 2 kg'")
_CONDITIONS: Final = Parameter(
    "conditions",
    'in place of those that are read in the query: a list of {"op", "low", "high", "unit", "attribute"}',
    list[dict],
    None,
)
_UNIT: Final = "in any spelling: 'mph', 'km/h', '°F', 'euros'"

ADDRESSES: Final = (
    Address("about", "What is searched.", lambda search: search.about()),
    Address(
        "parse",
        "How a query is read: its numerical conditions, and the words to search for. If a condition is missing or "
        "wrong, say it otherwise.",
        CollectionSearch.parse,
        (_QUERY,),
    ),
    Address(
        "search",
        "Documents by words and by numerical conditions, the best first, with what meets each condition and why, and "
        "facets.",
        lambda search, **given: search.search(Asked.of(**given)),
        (
            _QUERY,
            _CONDITIONS,
            Parameter("ranker", "union, rerank or values: what words or values find, words, or values", default=""),
            Parameter("feedback", "score once more, with words of the best results", bool, False),
            Parameter("filtered", "only documents that meet every condition", bool, False),
            Parameter("top", "how many results", int, 10),
        ),
    ),
    Address(
        "explain",
        "Why a document meets, or does not meet, each condition of a query, by its best quantity for it.",
        lambda search, query, conditions, docno: search.explain(Asked.of(query, conditions), docno),
        (_QUERY, _CONDITIONS, Parameter("docno", "a document, as search names it")),
    ),
    Address(
        "values",
        "How the values of a unit are spread over the collection.",
        CollectionSearch.values,
        (Parameter("unit", f"{_UNIT}; - for bare numbers"),),
    ),
    Address(
        "convert",
        "A value in another unit of the same kind. Currencies do not convert.",
        lambda search, **given: convert(**given),
        (Parameter("value", "a number", float), Parameter("from_unit", _UNIT), Parameter("to_unit", _UNIT)),
    ),
    Address(
        "check_numbers",
        'Whether each number of an answer is what evidence states: "supported", "contradicted" or "not found", with '
        "the sentence that says so. Units convert, and differences, sums, shares and changes of stated values count.",
        lambda search, **given: check_numbers(**given),
        (
            Parameter("answer", "the text whose numbers are checked"),
            Parameter("evidence", "the texts that it goes by", list[str]),
        ),
    ),
)


def openapi() -> dict[str, Any]:
    """The addresses as OpenAPI 3.1 describes them."""
    paths = {}
    for address in ADDRESSES:
        parameters = [
            {
                "name": one.name,
                "in": "query",
                "required": one.default is NEEDED,
                "description": one.told,
                "schema": one.schema,
            }
            for one in address.parameters
        ]
        answers = {"200": {"description": "a JSON object"}, "400": {"description": '{"error": what is wrong}'}}
        got = {"summary": address.told, "parameters": parameters, "responses": answers}
        paths[f"/{address.name}"] = {"get": got}
    return {"openapi": "3.1.0", "info": {"title": "pyterrier-quantity", "version": __version__}, "paths": paths}
