"""The documentation site builds without a warning, and has every page of the guides and of the reference."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def playground_is_there() -> bool:
    """Whether Python for browsers is installed, as `make docs` does where npm is there."""
    return Path(sys.prefix, "pyodide/node_modules/pyodide/pyodide.mjs").is_file()


def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-d", tmp_path / "trees",
               "-D", "html_theme=basic",  # `make docs` has the pages' own, which takes a fifth of the time
               ROOT / "docs", tmp_path / "site"]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    written = {str(page.relative_to(ROOT / "docs").with_suffix("")) for page in (ROOT / "docs").rglob("*.md")}
    api = {f"api/{page.stem}" for page in (ROOT / "pyterrier_quantity/pt_docs").glob("*.rst")}
    for page in {page for page in written if not page.startswith("_build")} | api:
        assert (tmp_path / "site" / f"{page}.html").is_file(), page
    assert 'id="quantities"' in (tmp_path / "site/playground.html").read_text(encoding="utf-8")
    assert (tmp_path / "site/_static/reading.zip").is_file() == playground_is_there()
    listed = (tmp_path / "site/api/index-scoring.html").read_text(encoding="utf-8")
    assert 'id="pyterrier_quantity.QuantityIndex.scorer"' in listed
    assert "pts-add" in (tmp_path / "site/api/pipelines.html").read_text(encoding="utf-8")  # the drawing


def test_the_reference_names_what_there_is() -> None:
    """Every public name of the package's front door has an entry."""
    import pyterrier_quantity as ptq

    text = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "pyterrier_quantity/pt_docs").glob("*.rst"))
    names = [name for name in ptq.__all__ if callable(getattr(ptq, name))]
    missing = [name for name in names if f":: pyterrier_quantity.{name}\n" not in text]
    assert not missing
