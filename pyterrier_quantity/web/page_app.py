"""Web application with static files and a JSON API."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

_KINDS: Final = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
_SHARED: Final = ("theme.css", "page_parts.js")
"""Files that all pages share."""


def page_app(
    package: str, pages: Mapping[str, str], routes: Sequence[Route], statuses: Mapping[type[Exception], int]
) -> Starlette:
    """Return an application that serves a page's files and endpoints.

    Args:
        package: the package with the files, in its folder `page`.
        pages: file names by URL path. Only these and the shared files are served.
        routes: the endpoints.
        statuses: HTTP status by type of error; by default 400 for a `ValueError` and 500 for other errors. Messages are
            sent as `{"error": ...}`.
    """
    places = [(path, package, name) for path, name in pages.items()]
    places += [(f"/{name}", "pyterrier_quantity.web", name) for name in _SHARED]
    codes: dict[type[Exception], int] = {ValueError: 400, ClientDisconnect: 400, **statuses, Exception: 500}

    async def failed(request: Request, error: Exception) -> Response:
        if not isinstance(error, HTTPException):
            status = next(codes[kind] for kind in type(error).__mro__ if kind in codes)
            said = str(error) if status < 500 else f"internal error ({error!r}); see the terminal"
            return json_answer({"error": said}, status)
        if error.status_code in (404, 405):
            return json_answer({"error": "there is nothing at this address"}, 404)
        return json_answer({"error": error.detail}, error.status_code)

    handlers: dict[Any, Any] = dict.fromkeys([*codes, HTTPException, 404, 405], failed)
    app = Starlette(routes=[*(_file(*place) for place in places), *routes], exception_handlers=handlers)
    app.router.redirect_slashes = False
    return app


def _file(path: str, package: str, name: str) -> Route:
    content = (files(package) / "page" / name).read_bytes()
    kind = f"{_KINDS[name.rpartition('.')[2]]}; charset=utf-8"
    return Route(path, lambda request: Response(content, headers={"content-type": kind}))


def json_answer(content: Any, status: int = 200) -> Response:
    """Return a JSON response. Lone surrogates, which a corpus may contain, are escaped.

    Raises:
        ValueError: if the content contains an infinite number, which JSON does not allow.
    """
    body = json.dumps(content, allow_nan=False).encode("ascii")
    return Response(body, status_code=status, headers={"content-type": "application/json"})
