"""The compose file for users, read by a parser of the Compose Specification: nothing here runs containers."""

import json
from pathlib import Path

import pytest
from engine import NODES, VERSION

yaml = pytest.importorskip("yaml")
compose_spec = pytest.importorskip("compose_spec")

FILE = Path(__file__).parents[2] / "docs" / "opensearch" / "compose.yml"


@pytest.fixture(scope="module")
def content() -> dict:
    """As Compose reads it, which puts what is merged (`<<`) in its place first."""
    return yaml.safe_load(FILE.read_text())


@pytest.fixture(scope="module")
def parsed(content):
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
