"""The files of the playground, a page that reads texts and queries in the browser: Python itself, and this package.

`make docs` installs Pyodide (Python for browsers) into the virtual environment; without it the page says that it is
missing from this build.
"""

from __future__ import annotations

import shutil
import sys
import zipfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

HOME = Path(__file__).parent
PACKAGE = HOME.parents[1] / "pyterrier_quantity"
PYODIDE = Path(sys.prefix) / "pyodide/node_modules/pyodide"
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")


def write_reading(archive: Path) -> None:
    """All that reading needs beside Python itself, as an archive: the package without its collections, and what it
    imports to read."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as written:
        written.write(HOME / "in_browser.py", "in_browser.py")
        # Older versions of dateutil need six.
        for home in (
            PACKAGE,
            *(_installed(name) for name in ("snowballstemmer", "dateutil", "six") if find_spec(name)),
        ):
            for path in sorted(home.rglob("*")) if home.is_dir() else [home]:
                place = path.relative_to(home.parent)
                if path.is_file() and "__pycache__" not in place.parts and place.parts[1:2] != ("data",):
                    written.write(path, place)


def _installed(name: str) -> Path:
    """Where a package lies, or a module of one file."""
    found = Path(str(import_module(name).__file__))
    return found.parent if found.name == "__init__.py" else found


def write_playground(folder: Path) -> bool:
    """Write what the page loads into a folder; false, and nothing is written, where Pyodide is not installed."""
    if not all((PYODIDE / name).is_file() for name in RUNTIME):
        return False
    folder.mkdir(parents=True, exist_ok=True)
    for name in RUNTIME:
        shutil.copyfile(PYODIDE / name, folder / name)
    write_reading(folder / "reading.zip")
    return True


def _after_build(app: Sphinx, error: Exception | None) -> None:
    if not error and app.builder.name == "html" and not write_playground(Path(app.outdir, "_static/playground")):
        logging.getLogger(__name__).info(
            "the playground is left out: no Pyodide in %s; `make docs` installs it", PYODIDE
        )


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", _after_build)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
