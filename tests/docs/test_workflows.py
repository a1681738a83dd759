"""The workflows of continuous integration call what the Makefile has; nothing here runs them."""

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
