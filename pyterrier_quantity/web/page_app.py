"""Make and serve web applications that consist of a page and a JSON API, such as the search page.

Only browsers and programs on the same machine can use the server. Pages of other sites cannot."""

import json
import socket
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from importlib.resources import files
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pyterrier_quantity.web.addresses import ADDRESSES, Address, openapi
from pyterrier_quantity.web.collection_search import CollectionSearch

_KINDS: Final = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
_SHARED: Final = ("theme.css", "page_parts.js")  # names of files that all pages use


def page_app(
    package: str, pages: Mapping[str, str], routes: Sequence[Route], statuses: Mapping[type[Exception], int]
) -> Starlette:
    """Return a web application (Starlette) that serves the files of a page and the endpoints `routes`. The files are in
    the folder `page` of the given package; `pages` maps URL paths to file names, and `statuses` maps types of errors to
    HTTP statuses. By default, a ValueError causes status 400, and other errors cause 500. The response to a failed
    request is `{"error": MESSAGE}`."""
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
    """Return a response with the content as JSON. Raise a ValueError if the content has an infinite number or NaN."""
    body = json.dumps(content, allow_nan=False).encode("ascii")
    return Response(body, status_code=status, headers={"content-type": "application/json"})


HOST: Final = "127.0.0.1"
HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of all responses. They keep the page from loading other sites, and other sites from embedding it."""
App = Callable[[Any, Any, Any], Any]


class LocalServer:
    """A server for an ASGI application on a port of localhost (0: any free port). A port in use causes an OSError."""

    def __init__(self, app: App, port: int = 0) -> None:
        self._socket = socket.socket()
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind((HOST, port))
            self._socket.listen(128)
        except (OSError, OverflowError) as error:
            self._socket.close()
            reason = "ports go to 65535" if isinstance(error, OverflowError) else error.strerror
            raise OSError(f"port {port} cannot be opened ({reason}); give another or 0 for any that is free") from error
        self.port = int(self._socket.getsockname()[1])
        guarded = LocalOnly(app, self.port)
        self._server = uvicorn.Server(
            uvicorn.Config(guarded, log_level="error", access_log=False, server_header=False, lifespan="off", ws="none")
        )

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}/"

    def run(self) -> None:
        """Serve until `stop` is called, or until Ctrl-C."""
        self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """End the method `run`, which runs in another thread."""
        self._server.should_exit = True


class LocalOnly:
    """ASGI middleware that refuses requests from pages of other sites, and requests whose host is not localhost or
    127.0.0.1 with the server's port. The application `app` answers all other requests."""

    def __init__(self, app: App, port: int) -> None:
        self.app, self.port = app, port
        self._hosts = {f"{name}:{port}" for name in (HOST, "localhost")}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if scope["type"] == "http":
            refusal = self._refusal(Headers(scope=scope), scope["path"])
            answer = JSONResponse({"error": refusal[1]}, refusal[0]) if refusal else self.app
            await answer(scope, receive, with_headers)

    def _refusal(self, headers: Headers, path: str) -> tuple[HTTPStatus, str] | None:
        if headers.get("host", "").lower() not in self._hosts:
            return HTTPStatus.MISDIRECTED_REQUEST, f"open http://{HOST}:{self.port}/ on this machine"
        asker = headers.get("origin", "").lower().removeprefix("http://")
        # A browser states in this header whether another site makes the request, even if there is no "origin".
        own = headers.get("sec-fetch-site", "none") in ("none", "same-origin")
        # A link on another site may open the page.
        followed = path == "/" and headers.get("sec-fetch-dest") == "document"
        if ("origin" not in headers or asker in self._hosts) and (own or followed):
            return None
        return HTTPStatus.FORBIDDEN, "this server answers only its own page, not pages from elsewhere"


_PAGE: Final = {
    "/": "search.html",
    "/api": "api.html",
    **{f"/{name}": name for name in ("search.css", "search.js", "value_chart.js", "api.js")},
}


def search_app(search: CollectionSearch) -> Starlette:
    """Return the web application of the search page for a collection."""
    routes = [Route(f"/{one.name}", _answering(one, search)) for one in ADDRESSES]
    routes.append(Route("/openapi.json", lambda request: json_answer(openapi())))
    return page_app("pyterrier_quantity.web", _PAGE, routes, {})


def _answering(address: Address, search: CollectionSearch) -> Callable[[Request], Response]:
    return lambda request: json_answer(address.answer(search, **address.read(dict(request.query_params))))
