"""The corpus of a test module, `CORPUS`, as a file, and its indexes."""

import json
import shutil
from pathlib import Path

import pytest

from pyterrier_quantity import cli


@pytest.fixture(scope="module")
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the corpus and its indexes; only to be copied."""
    folder = tmp_path_factory.mktemp("made")
    lines = "".join(json.dumps(document) + "\n" for document in request.module.CORPUS)
    (folder / "corpus.jsonl").write_text(lines)
    given = [str(folder / "corpus.jsonl"), str(folder / "all.quantity")]
    assert cli.main(["index", *given, "--bm25", "--quiet"]) == 0
    return folder


@pytest.fixture
def corpus(made: Path, tmp_path: Path) -> str:
    return str(shutil.copy(made / "corpus.jsonl", tmp_path))


@pytest.fixture
def index(made: Path, tmp_path: Path, corpus: str) -> str:
    for name in ("all.quantity", "all.quantity.words"):
        shutil.copytree(made / name, tmp_path / name)
    return str(tmp_path / "all.quantity")
