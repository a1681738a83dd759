"""The compose file for users and the workflows of continuous integration, read by parsers: nothing here runs them."""

import json
import re
from pathlib import Path

import pytest
from engine import NODES, VERSION

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.fixture(scope="module")
def parsed():
    """As Compose reads it, which puts what is merged (`<<`) in its place first."""
    compose_spec = pytest.importorskip("compose_spec")
    content = yaml.safe_load((ROOT / "docs/opensearch/compose.yml").read_text())
    parsed = compose_spec.PyCompose.from_json(json.dumps(content))
    parsed.validate()
    return parsed


def test_it_is_a_cluster_of_the_engine_that_the_tests_run(parsed):
    assert parsed.service_names() == [f"node{number}" for number in range(1, NODES + 1)]
    for name, service in parsed.to_spec().services.items():
        assert service.image == f"opensearchproject/opensearch:{VERSION.rpartition('.')[0]}"
        assert service.environment["node.name"] == name
        assert service.environment["discovery.seed_hosts"].split(",") == parsed.service_names()
        assert service.environment["cluster.initial_cluster_manager_nodes"].split(",") == parsed.service_names()


def test_without_security_it_listens_on_this_machine_only(parsed):
    services = parsed.services.values()
    assert all(service.environment["DISABLE_SECURITY_PLUGIN"] == "true" for service in services)
    assert [port for service in services for port in service.ports or ()] == ["127.0.0.1:9200:9200"]


def steps(workflow: dict) -> list[dict]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
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
