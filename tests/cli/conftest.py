"""The corpus of a test module, `CORPUS`, as a file, and its indexes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pyterrier_quantity import cli


@pytest.fixture
def corpus(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(document) + "\n" for document in request.module.CORPUS))
    return str(path)


@pytest.fixture
def index(tmp_path: Path, corpus: str, capsys: pytest.CaptureFixture[str]) -> str:
    path = str(tmp_path / "all.quantity")
    assert cli.main(["index", corpus, path, "--bm25", "--quiet"]) == 0
    capsys.readouterr()
    return path
