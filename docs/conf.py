"""The documentation site: guide, reference and results of this folder, and the API of `pyterrier_quantity/pt_docs`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

HOME = Path(__file__).parent
ROOT = HOME.parent
sys.path[:0] = [str(ROOT), str(HOME / "site")]

from playground import playground_files  # noqa: E402 - found by the line above

from pyterrier_quantity import __version__  # noqa: E402 - likewise

# PyTerrier copies pt_docs into its own documentation in the same way.
shutil.rmtree(HOME / "api", ignore_errors=True)
shutil.copytree(ROOT / "pyterrier_quantity/pt_docs", HOME / "api")

project = "pyterrier-quantity"
author = "the pyterrier-quantity contributors"
copyright = f"2026, {author}"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "directives"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["notebooks", "site", "_build"]
html_theme = "furo"
html_static_path = playground_files(HOME / "api")
autoclass_content = "both"
autodoc_typehints = "description"
autodoc_mock_imports: list[str] = []
myst_heading_anchors = 4
napoleon_google_docstring = True
napoleon_numpy_docstring = False
