"""The workflows of continuous integration call what the Makefile has; nothing here runs them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / ".github/workflows").glob("*.yml"))


def steps(workflow: dict) -> list[dict]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_workflow_checks_out_and_calls_what_there_is(file):
    workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert workflow["name"] == file.stem
    assert workflow[True]  # YAML reads the key "on" so
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    called = {name for step in steps(workflow) for name in re.findall(r"\bmake ([a-z]+)", step.get("run", ""))}
    assert called <= targets
    for step in steps(workflow):
        assert ("run" in step) != ("uses" in step)
        assert "uses" not in step or re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)", step["uses"])


def test_tests_style_docs_and_release_are_there():
    assert [file.stem for file in FILES] == ["docs", "release", "style", "test"]
    made = {name for file in FILES for name in re.findall(r"run: make ([a-z]+)", file.read_text(encoding="utf-8"))}
    assert made == {"docs", "lint", "test", "wheels"}


def test_the_release_reads_the_version_where_it_is():
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    assert "sed -n 's/^__version__ = \"\\(.*\\)\"/\\1/p' pyterrier_quantity/_version.py" in text
    assert re.search(r'^__version__ = ".*"', (ROOT / "pyterrier_quantity/_version.py").read_text(), re.MULTILINE)
