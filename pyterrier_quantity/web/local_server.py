"""Serves an application to this machine alone: to its browser and to programs, but to no other site's page."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

import uvicorn

HOST: Final = "127.0.0.1"
HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""What every answer says: nothing comes from elsewhere, and nobody else shows it."""

App = Callable[[Any, Any, Any], Any]


class LocalServer:
    """An application on a port of this machine.

    Args:
        app: an ASGI application.
        port: 0 takes a free one.

    Raises:
        OSError: if the port is taken; its message names another way.
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
            raise OSError(f"port {port} cannot be had ({told}); give another one, or 0 for any that is free") from error
        self.port = int(self._socket.getsockname()[1])
        guarded = LocalOnly(app, self.port)
        self._server = uvicorn.Server(
            uvicorn.Config(guarded, log_level="error", access_log=False, server_header=False, lifespan="off")
        )

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}/"

    def run(self) -> None:
        """Serve until `stop`, or until Ctrl-C."""
        self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """End `run`, which another thread waits in."""
        self._server.should_exit = True


class LocalOnly:
    """Refuses requests by a name that is not ours, which someone else has made to lead here, and those of other pages.

    Args:
        app: what answers the others.
        port: ours.
    """

    def __init__(self, app: App, port: int) -> None:
        self.app, self.port = app, port
        self._hosts = {f"{name}:{port}" for name in (HOST, "localhost")}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", []), *added]}
            await send(message)

        refusal = self._refusal({name.lower(): value.decode("latin-1") for name, value in scope.get("headers", [])})
        if scope["type"] != "http":
            return
        if refusal is None:
            await self.app(scope, receive, with_headers)
            return
        status, why = refusal
        headers = [(b"content-type", b"application/json")]
        await with_headers({"type": "http.response.start", "status": int(status), "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps({"error": why}).encode()})

    def _refusal(self, headers: dict[bytes, str]) -> tuple[HTTPStatus, str] | None:
        if headers.get(b"host", "").lower() not in self._hosts:
            return HTTPStatus.MISDIRECTED_REQUEST, f"open http://{HOST}:{self.port}/ on this machine"
        origin = headers.get(b"origin")
        if origin is not None and urlsplit(origin).netloc.lower() not in self._hosts:
            return HTTPStatus.FORBIDDEN, "this page answers itself only, not pages from elsewhere"
        # Browsers say whose page asks: another site's may send a request without an origin, as for an image.
        own = headers.get(b"sec-fetch-site", "none") in ("none", "same-origin")
        if not own and headers.get(b"sec-fetch-mode") != "navigate":  # a link that is followed leads here
            return HTTPStatus.FORBIDDEN, "this page answers itself only, not pages from elsewhere"
        return None
