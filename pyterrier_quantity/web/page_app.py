"""An application that serves a page's files and answers its requests in JSON."""

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
    """Make an application of a page, its files and its addresses.

    Args:
        package: the package whose folder `page` holds the files.
        pages: the files by their paths. Only these and the shared files are served.
        routes: the addresses.
        statuses: HTTP status by type of error. Messages are sent as `{"error": ...}`; a `ValueError` is 400, any other
            error 500.
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
    """Make a JSON response. Lone surrogates, which a corpus may hold, have no UTF-8 and are sent as escapes.

    Raises:
        ValueError: if the content holds an infinite number, which JSON does not have.
    """
    body = json.dumps(content, allow_nan=False).encode("ascii")
    return Response(body, status_code=status, headers={"content-type": "application/json"})
