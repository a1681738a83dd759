"""Files of the playground, a page that reads texts and queries in the browser: Python itself, and this package.

`make docs` installs Pyodide (Python for browsers) into the virtual environment. Without it the page states that it is
missing from this build.
"""

from __future__ import annotations

import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

HOME = Path(__file__).parent
PACKAGES = ("pyterrier_quantity", "snowballstemmer", "dateutil", "six")  # older versions of dateutil need six
PYODIDE = Path(sys.prefix) / "pyodide/node_modules/pyodide"
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")


def playground_files(folder: Path) -> list[str]:
    """Return the files that the page loads, some of them written to a folder; empty without Pyodide."""
    if not PYODIDE.is_dir():
        return []
    write_reading(folder / "reading.zip")
    return [str(folder / "reading.zip"), *(str(PYODIDE / name) for name in RUNTIME)]


def write_reading(archive: Path) -> None:
    """Write an archive of everything that reading needs: the package without its collections, and its imports."""
    files = [Path(str(found.origin)) for name in PACKAGES if (found := find_spec(name))]
    homes = [HOME / "in_browser.py", *(file.parent if file.name == "__init__.py" else file for file in files)]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as written:
        for home in homes:
            for path in sorted(home.rglob("*")) if home.is_dir() else [home]:
                place = path.relative_to(home.parent)
                if path.is_file() and "__pycache__" not in place.parts and place.parts[1:2] != ("data",):
                    written.write(path, place)
