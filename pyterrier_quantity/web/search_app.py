"""The addresses of the search page: what each takes, what it answers, and their description as OpenAPI."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pyterrier_quantity._version import __version__
from pyterrier_quantity.web.collection_search import Asked, CollectionSearch
from pyterrier_quantity.web.page_app import json_answer, page_app

MOST_RESULTS: Final = 100
_PAGE: Final = {
    "/": "search.html",
    "/api": "api.html",
    **{f"/{name}": name for name in ("search.css", "search.js", "value_chart.js", "api.js")},
}


@dataclass(frozen=True)
class Parameter:
    """What an address takes.

    Args:
        name: in the query string.
        told: what it means.
        kind: a type of OpenAPI.
        default: its value where it is not given; None: it must be.
    """

    name: str
    told: str
    kind: str = "string"
    default: Any = None

    def read(self, given: str) -> Any:
        """The value of a text.

        Raises:
            ValueError: if it is none of this kind.
        """
        if self.kind == "boolean" and given in ("true", "false"):
            return given == "true"
        if self.kind == "integer" and given.isascii() and given.isdigit() and 1 <= int(given[:9]) <= MOST_RESULTS:
            return int(given[:9])
        if self.kind == "string":
            return given
        wanted = "true or false" if self.kind == "boolean" else f"a whole number from 1 to {MOST_RESULTS}"
        raise ValueError(f"{self.name} is {given!r:.40}; give {wanted}")


@dataclass(frozen=True)
class Address:
    """A path that answers in JSON: what it takes, and how it is answered."""

    path: str
    told: str
    answer: Callable[..., Any]
    parameters: tuple[Parameter, ...] = ()

    def read(self, given: Mapping[str, str]) -> dict[str, Any]:
        """The parameters of a request, by name.

        Raises:
            ValueError: naming one that is unknown, missing or wrong.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in known:
                raise ValueError(f"unknown parameter {name!r:.40}; {self.path} takes {', '.join(known) or 'none'}")
        for name, parameter in known.items():
            if name not in given and parameter.default is None:
                raise ValueError(f"parameter {name!r} is missing: {parameter.told}")
        return {name: one.read(given[name]) if name in given else one.default for name, one in known.items()}


_QUERY: Final = Parameter("query", "what is asked, as a person types it")
_CONDITIONS: Final = Parameter(
    "conditions",
    'in place of those that are read in the query, a JSON list of {"op", "low", "high", "unit", "attribute"}',
    default="",
)
_SEARCH: Final = (
    _QUERY,
    _CONDITIONS,
    Parameter("ranker", "union, rerank or values: what words or values find, words, or values", default="union"),
    Parameter("feedback", "score once more, with words of the best results", "boolean", False),
    Parameter("filtered", "only documents that meet every condition", "boolean", False),
    Parameter("top", "how many results", "integer", 10),
)


def _explained(search: CollectionSearch, query: str, conditions: str, docno: str) -> Any:
    return search.explain(Asked.of(query, conditions), docno)


ADDRESSES: Final = (
    Address("/about", "What is searched.", lambda search: search.about()),
    Address("/parse", "How a query is read.", lambda search, query: search.parse(query), (_QUERY,)),
    Address(
        "/search",
        "Results, with what meets each condition and why, and facets.",
        lambda search, **given: search.search(Asked.of(**given)),
        _SEARCH,
    ),
    Address(
        "/explain",
        "How one document meets the conditions of a query.",
        _explained,
        (_QUERY, _CONDITIONS, Parameter("docno", "the document")),
    ),
    Address(
        "/values",
        "How the values of a unit are spread over the collection.",
        lambda search, unit: search.values(unit),
        (Parameter("unit", "in any spelling; - for bare numbers"),),
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
                "required": one.default is None,
                "description": one.told,
                "schema": {"type": one.kind} | ({} if one.default is None else {"default": one.default}),
            }
            for one in address.parameters
        ]
        answers = {"200": {"description": "a JSON object"}, "400": {"description": '{"error": what is wrong}'}}
        paths[address.path] = {"get": {"summary": address.told, "parameters": parameters, "responses": answers}}
    return {"openapi": "3.1.0", "info": {"title": "pyterrier-quantity", "version": __version__}, "paths": paths}


def search_app(search: CollectionSearch) -> Starlette:
    """The page and its addresses as an application."""
    routes = [Route(one.path, _answering(one, search)) for one in ADDRESSES]
    routes.append(Route("/openapi.json", lambda request: json_answer(openapi())))
    return page_app("pyterrier_quantity.web", _PAGE, routes, {})


def _answering(address: Address, search: CollectionSearch) -> Callable[[Request], Response]:
    return lambda request: json_answer(address.answer(search, **address.read(dict(request.query_params))))
