"""Web application with the search page and its JSON API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pyterrier_quantity.web.addresses import ADDRESSES, Address, openapi
from pyterrier_quantity.web.collection_search import CollectionSearch
from pyterrier_quantity.web.page_app import json_answer, page_app

_PAGE: Final = {
    "/": "search.html",
    "/api": "api.html",
    **{f"/{name}": name for name in ("search.css", "search.js", "value_chart.js", "api.js")},
}


def search_app(search: CollectionSearch) -> Starlette:
    """Return the application for a collection."""
    routes = [Route(f"/{one.name}", _answering(one, search)) for one in ADDRESSES]
    routes.append(Route("/openapi.json", lambda request: json_answer(openapi())))
    return page_app("pyterrier_quantity.web", _PAGE, routes, {})


def _answering(address: Address, search: CollectionSearch) -> Callable[[Request], Response]:
    return lambda request: json_answer(address.answer(search, **address.read(dict(request.query_params))))
