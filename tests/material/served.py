"""Applications on a port of this machine, for the tests of pages."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

from pyterrier_quantity.collecting import Sheet
from pyterrier_quantity.collecting.annotation_page import AnnotationPage
from pyterrier_quantity.web.page_app import App, LocalServer


@contextmanager
def served(app: App) -> Iterator[LocalServer]:
    """Serves from another thread until the block ends."""
    server = LocalServer(app)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield server
    server.stop()
    thread.join()


@contextmanager
def annotated(sheet: Sheet, folder: Path, annotator: str | None = None) -> Iterator[SimpleNamespace]:
    """Serves an annotation page: its `port`, `token` and `url`."""
    page = AnnotationPage(sheet, folder, annotator)
    with served(page.app()) as server:
        yield SimpleNamespace(port=server.port, token=page.token, url=page.address(server.url))
