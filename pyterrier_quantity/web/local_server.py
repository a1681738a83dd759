"""Server for applications on this machine: reachable by its browser and programs, but not by pages of other sites."""

from __future__ import annotations

import socket
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

import uvicorn
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

HOST: Final = "127.0.0.1"
HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every response: the page may not load anything from other sites, and other sites may not embed it."""

App = Callable[[Any, Any, Any], Any]


class LocalServer:
    """Server of an application on a local port.

    Args:
        app: an ASGI application.
        port: the port; 0: any free one.

    Raises:
        OSError: if the port is taken; the message suggests another.
    """

    def __init__(self, app: App, port: int = 0) -> None:
        self._socket = socket.socket()
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind((HOST, port))
            self._socket.listen(128)
        except (OSError, OverflowError) as error:
            self._socket.close()
            told = "ports go to 65535" if isinstance(error, OverflowError) else error.strerror
            raise OSError(
                f"port {port} cannot be opened ({told}); give another one, or 0 for any that is free"
            ) from error
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
        """End `run`; called from another thread."""
        self._server.should_exit = True


class LocalOnly:
    """Middleware that refuses requests from other sites' pages, or for a foreign host name (DNS rebinding).

    Args:
        app: the application that answers all other requests.
        port: the port of the application.
    """

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
        # Browsers state the requesting site in this header, even for requests without an origin, such as for an image.
        own = headers.get("sec-fetch-site", "none") in ("none", "same-origin")
        # Links from other sites may open the page. They may not embed it, or start a computation.
        followed = path == "/" and headers.get("sec-fetch-dest") == "document"
        if ("origin" not in headers or asker in self._hosts) and (own or followed):
            return None
        return HTTPStatus.FORBIDDEN, "this server answers only its own page, not pages from elsewhere"
