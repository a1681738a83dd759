"""Applications on a port of this machine, for the tests of pages."""

import functools
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

from pyterrier_quantity.collecting import Sheet
from pyterrier_quantity.collecting.annotation_page import AnnotationPage
from pyterrier_quantity.web.page_app import App, LocalServer


@contextmanager
def served_folder(folder: Path) -> Iterator[str]:
    """Serves a folder's files; yields the address."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@contextmanager
def served(app: App) -> Iterator[LocalServer]:
    """Serves from another thread until the block ends."""
    server = LocalServer(app)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield server
    server.stop()
    thread.join()


def assert_closed(headers: dict[str, str], content: str) -> None:
    """A page takes nothing from elsewhere, and runs no scripts but its own."""
    assert "innerHTML" not in content
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert "https:" not in content
    assert "http:" not in content.replace("http://www.w3.org/2000/svg", "")


@contextmanager
def annotated(sheet: Sheet, folder: Path, annotator: str | None = None) -> Iterator[SimpleNamespace]:
    """Serves an annotation page: its `port`, `token` and `url`."""
    page = AnnotationPage(sheet, folder, annotator)
    with served(page.app()) as server:
        yield SimpleNamespace(port=server.port, token=page.token, url=page.address(server.url))
