"""A web page on which annotators judge sentences as relevant, not relevant or doubtful for a query.

The page shows one sentence at a time and saves each judgement (mark). The address of the page contains a secret token,
without which other users of the machine cannot read or judge.
"""

import json
import secrets
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pyterrier_quantity.collecting.judgements import MarkFile, annotator_name
from pyterrier_quantity.collecting.sheet import Candidate, Sheet
from pyterrier_quantity.datasets.files import CollectionError
from pyterrier_quantity.explanation.highlighting import pieces
from pyterrier_quantity.web.page_app import json_answer, page_app

_PAGE: Final = {"/": "page.html", **{f"/{name}": name for name in ("guideline.html", "page.css", "page.js")}}


class AnnotationPage:
    """A web page on which people judge the sentences in a sheet (a table of sentences for each query). `folder`
    contains a file of judgements for each annotator. If `annotator` is given, only this person may judge; otherwise the
    page asks for a name. Raise a ValueError if the name is invalid, or the annotator's file is malformed."""

    def __init__(self, sheet: Sheet, folder: str | Path, annotator: str | None = None) -> None:
        self.sheet, self.folder = sheet, Path(folder)
        self.annotator = None if annotator is None else annotator_name(annotator)
        self.token = secrets.token_urlsafe(24)
        if self.annotator is not None:
            self.marks_of(self.annotator).marks()

    def address(self, url: str) -> str:
        """Return the page's address with the secret token after "#", which browsers never send to a server."""
        return f"{url}{f'?annotator={self.annotator}' if self.annotator else ''}#{self.token}"

    def marks_of(self, annotator: str) -> MarkFile:
        """Return an annotator's file of judgements. Raise a ValueError if the name is invalid."""
        return MarkFile(self.folder, annotator, self.sheet.pairs)

    def state(self, annotator: str) -> dict[str, Any]:
        """Return the data that the page shows: all queries with their sentences, and the annotator's judgements."""
        marks = self.marks_of(annotator).marks()
        queries: dict[str, dict[str, Any]] = {}
        for candidate in self.sheet.candidates:
            about = {"qid": candidate.qid, "query": candidate.query, "asked": candidate.asked, "candidates": []}
            query = queries.setdefault(candidate.qid, about)
            shown = {"docno": candidate.docno, "pieces": marked_pieces(candidate), "mark": marks.get(candidate.pair)}
            query["candidates"].append(shown)
        return {"annotator": annotator_name(annotator), "queries": list(queries.values())}

    def save(self, message: dict[str, Any]) -> dict[str, Any]:
        """Save a judgement (`annotator`, `qid`, `docno`, `mark`). Return {"saved": True, "marked": number of marks}."""
        marks = self.marks_of(self.permitted(message["annotator"]))
        try:
            count = marks.set((message["qid"], message["docno"]), message["mark"])
        except OSError as error:
            raise HTTPException(507, f"the mark is not saved: {error}") from error
        return {"saved": True, "marked": count}

    def permitted(self, annotator: str) -> str:
        """Return the annotator's name in lower case. Raise an HTTPException if this annotator is not allowed."""
        name = annotator_name(annotator)
        if self.annotator not in (None, name):
            raise HTTPException(403, f"this page was started for {self.annotator!r}")
        return name

    def app(self) -> Starlette:
        routes = [Route("/api/state", self._state), Route("/api/mark", self._mark, methods=["POST"])]
        return page_app("pyterrier_quantity.collecting", _PAGE, routes, {CollectionError: 409, RecursionError: 400})

    def _state(self, request: Request) -> Response:
        self._check_token(request)
        name = request.query_params.get("annotator", self.annotator or "")
        return json_answer(self.state(self.permitted(name)))

    async def _mark(self, request: Request) -> Response:
        self._check_token(request)
        return json_answer(await run_in_threadpool(self.save, _message(await request.body())))

    def _check_token(self, request: Request) -> None:
        given = request.headers.get("x-token", "").encode("utf-8", "replace")
        if not secrets.compare_digest(given, self.token.encode()):
            fault = "open the whole address that the command printed, with the part after #, which is new at each start"
            raise HTTPException(401, fault)


def marked_pieces(candidate: Candidate) -> list[list[str]]:
    """Split a text at its quantities into lists [piece, kind, converted value]: "over 5 km" -> [["over ", "", ""],
    ["5 km", "+", ""]]. The kind of a quantity is "+", "~" or "-", as in `SheetQuantity`."""
    found = pieces(candidate.text, ((one.start, one.end, (one.kind, one.value)) for one in candidate.mentions))
    return [[piece, *(about or ("", ""))] for piece, about in found if piece]


def _message(body: bytes) -> dict[str, Any]:
    """Return the judgement in a JSON message from the page. Raise a ValueError if a field is missing or malformed."""
    message = json.loads(body)
    if not isinstance(message, dict):
        raise ValueError(f"a mark is an object, not {type(message).__name__}")
    for name in ("annotator", "qid", "docno"):
        if not isinstance(message.get(name), str):
            raise ValueError(f"{name!r} must be a text, got {message.get(name)!r:.60}")
    if "mark" not in message or not isinstance(message["mark"], str | None):
        raise ValueError("'mark' must be relevant, not, doubtful or null")
    return message
