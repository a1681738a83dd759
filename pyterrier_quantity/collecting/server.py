"""The page on which a person marks candidates, served to this machine alone.

Three files, one list of candidates and one way to save a mark. Whoever has the address that the command prints may
read and mark: its token keeps out other users of the machine, and pages from elsewhere, which can send requests to
this one but neither know the token nor pass the checks of host and origin.
"""

from __future__ import annotations

import json
import secrets
import sys
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from filelock import Timeout

from pyterrier_quantity._folder import held
from pyterrier_quantity.collecting.marks import MarkFile, annotator_name
from pyterrier_quantity.collecting.sheet import Candidate, Sheet
from pyterrier_quantity.datasets.files import CollectionError

HOST: Final = "127.0.0.1"
_PAGE: Final = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/guideline.html": ("guideline.html", "text/html; charset=utf-8"),
    "/theme.css": ("theme.css", "text/css; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
}
"""The only files there are; a path is looked up here and nowhere else."""

_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_LONGEST: Final = 10_000
"""Bytes of a mark's message."""
_MOST_ANNOTATORS: Final = 100
"""Of one server: each has a file on disk."""


class RefusedError(Exception):
    """A request that is not answered with what it asks for."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class AnnotationServer(ThreadingHTTPServer):
    """Serves a sheet for annotation on this machine.

    Args:
        sheet: what to judge.
        folder: where each annotator's marks go, one file each.
        port: 0 takes a free one.
        annotator: who annotates, if only one; else the page asks for the name.

    Raises:
        OSError: if the port is taken; its message names another way.
    """

    daemon_threads = True
    request_queue_size = 128
    """Connections that may wait while the machine is busy; the library's own 5 lets the kernel reset the rest."""

    def __init__(self, sheet: Sheet, folder: str | Path, port: int = 0, annotator: str | None = None) -> None:
        self.sheet, self.folder = sheet, Path(folder)
        self.annotator = None if annotator is None else annotator_name(annotator)
        self.token = secrets.token_urlsafe(24)
        self._files: dict[str, MarkFile] = {}
        self._lock = Lock()
        rooms = [files(f"pyterrier_quantity.{room}") / "page" for room in ("collecting", "web")]
        self.page = {
            path: (next(home / name for home in rooms if (home / name).is_file()).read_bytes(), kind)
            for path, (name, kind) in _PAGE.items()
        }
        if self.annotator is not None:
            self.marks_of(self.annotator)
        self._alone = ExitStack()
        self._say_if_another_serves()
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as error:
            self._alone.close()
            raise OSError(
                f"port {port} cannot be had ({error}); give another one, or 0 for any that is free"
            ) from error

    def _say_if_another_serves(self) -> None:
        folder = self.folder.absolute()
        if not folder.parent.is_dir():
            return
        try:
            self._alone.enter_context(held(folder.with_name(f".{folder.name}.serving.lock"), timeout=0))
        except Timeout:
            told = f"another annotation server is open over {self.folder}; the marks of both are kept"
            warnings.warn(told, stacklevel=3)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that has gone is no error of ours."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)

    def server_close(self) -> None:
        """Close the server's socket, and leave the folder to others."""
        super().server_close()
        self._alone.close()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """The address to open. What follows # stays in the browser: it is in no log and no referrer."""
        name = f"?annotator={self.annotator}" if self.annotator else ""
        return f"http://{HOST}:{self.port}/{name}#{self.token}"

    def marks_of(self, annotator: str) -> MarkFile:
        """The file of an annotator's marks.

        Raises:
            ValueError: if the name is none, the file that is there cannot be read, or there are too many names.
        """
        name = annotator_name(annotator)
        with self._lock:
            if name not in self._files:
                if len(self._files) == _MOST_ANNOTATORS:
                    raise ValueError(f"{_MOST_ANNOTATORS} annotators were here; start the command again for more")
                self._files[name] = MarkFile(self.folder, name, self.sheet.pairs)
            return self._files[name]

    def state(self, annotator: str) -> dict[str, Any]:
        """What the page shows: the queries, their candidates, and the annotator's marks."""
        marks = self.marks_of(annotator).marks()
        queries: dict[str, dict[str, Any]] = {}
        for candidate in self.sheet.candidates:
            about = {"qid": candidate.qid, "query": candidate.query, "asked": candidate.asked, "candidates": []}
            query = queries.setdefault(candidate.qid, about)
            query["candidates"].append(
                {
                    "docno": candidate.docno,
                    "pieces": pieces(candidate),
                    "reach": candidate.reach,
                    "mark": marks.get(candidate.pair),
                }
            )
        return {"annotator": annotator_name(annotator), "queries": list(queries.values())}

    def allowed_hosts(self) -> set[str]:
        return {f"{name}:{self.port}" for name in (HOST, "localhost")}


def pieces(candidate: Candidate) -> list[list[str]]:
    """The candidate's text in pieces: [text, kind, converted value], with kind "" outside of quantities."""
    found: list[list[str]] = []
    at = 0
    for mention in candidate.mentions:
        if mention.start < at:
            continue
        found += [
            [candidate.text[at : mention.start], "", ""],
            [candidate.text[mention.start : mention.end], mention.kind, mention.value],
        ]
        at = mention.end
    found.append([candidate.text[at:], "", ""])
    return [piece for piece in found if piece[0]]


class _Handler(BaseHTTPRequestHandler):
    server: AnnotationServer
    server_version = "pyterrier-quantity"
    sys_version = ""
    timeout = 60

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_HEAD(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def _answer(self, job: Any) -> None:
        try:
            self._check_host()
            job()
        except RefusedError as refusal:
            self._fail(refusal.status, str(refusal))
        except CollectionError as error:
            self._fail(HTTPStatus.CONFLICT, str(error))
        except ValueError as error:
            self._fail(HTTPStatus.BAD_REQUEST, str(error))
        except (ConnectionError, TimeoutError):
            raise  # the browser has gone
        except OSError as error:
            self._fail(HTTPStatus.INSUFFICIENT_STORAGE, f"the mark is not saved: {error}")

    def _get(self) -> None:
        target = urlsplit(self.path)
        if target.path in self.server.page:
            content, kind = self.server.page[target.path]
            self._send(HTTPStatus.OK, content, kind)
        elif target.path == "/api/state":
            self._check_token()
            name = parse_qs(target.query).get("annotator", [self.server.annotator or ""])[0]
            self._send_json(HTTPStatus.OK, self.server.state(self._permitted(name)))
        else:
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is nothing at this address")

    def _post(self) -> None:
        body = self._body()
        if urlsplit(self.path).path != "/api/mark":
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is nothing at this address")
        self._check_origin()
        self._check_token()
        message = _message(body)
        marks = self.server.marks_of(self._permitted(message["annotator"]))
        count = marks.set((message["qid"], message["docno"]), message["mark"])
        self._send_json(HTTPStatus.OK, {"saved": True, "marked": count})

    def _permitted(self, annotator: str) -> str:
        """The annotator, if the page was not started for another one."""
        name = annotator_name(annotator)
        if self.server.annotator not in (None, name):
            raise RefusedError(HTTPStatus.FORBIDDEN, f"this page was started for {self.server.annotator!r}")
        return name

    def _check_host(self) -> None:
        """A name that someone else has made to lead here is not ours."""
        if self.headers.get("Host", "").lower() not in self.server.allowed_hosts():
            raise RefusedError(
                HTTPStatus.MISDIRECTED_REQUEST, f"open http://{HOST}:{self.server.port}/ on this machine"
            )

    def _check_origin(self) -> None:
        origin = self.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc.lower() not in self.server.allowed_hosts():
            raise RefusedError(HTTPStatus.FORBIDDEN, "marks are taken from this page only")
        if self.headers.get_content_type() != "application/json":
            raise RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a mark is sent as application/json")

    def _check_token(self) -> None:
        given = self.headers.get("X-Token", "").encode("utf-8", "replace")
        if not secrets.compare_digest(given, self.server.token.encode()):
            raise RefusedError(
                HTTPStatus.UNAUTHORIZED,
                "open the whole address that the command printed, with what follows #; each start has one of its own",
            )

    def _body(self) -> bytes:
        """What was sent; read before anything is answered, or the sender may not see the answer."""
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit():
            raise RefusedError(HTTPStatus.LENGTH_REQUIRED, "a mark is sent with its Content-Length")
        if int(length) > _LONGEST:
            raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a mark has at most {_LONGEST} bytes")
        return self.rfile.read(int(length))

    def _send_json(self, status: HTTPStatus, content: Mapping[str, Any]) -> None:
        # Lone surrogates, which a corpus may hold, have no UTF-8: they are sent as escapes.
        self._send(status, json.dumps(content).encode("ascii"), "application/json")

    def _fail(self, status: HTTPStatus, why: str) -> None:
        self._send_json(status, {"error": why})

    def _send(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not worth a line each; what fails is shown on the page."""


def _message(body: bytes) -> dict[str, Any]:
    """A mark as the page sends it.

    Raises:
        ValueError: naming the part that is missing or of the wrong kind.
    """
    try:
        message = json.loads(body)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(message, dict):
        raise ValueError(f"a mark is an object, not {type(message).__name__}")
    for name in ("annotator", "qid", "docno"):
        if not isinstance(message.get(name), str):
            raise ValueError(f"{name!r} must be a text, got {message.get(name)!r:.60}")
    if "mark" not in message or not isinstance(message["mark"], str | None):
        raise ValueError("'mark' must be relevant, not, doubtful or null")
    return message
