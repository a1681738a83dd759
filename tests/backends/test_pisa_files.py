"""A PISA index's files: compared before they are opened, never written in place."""

import os
import pickle
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
import pytest

from pyterrier_quantity.backends import pisa, pisa_bm25
from pyterrier_quantity.backends.pisa import load_pisa
from pyterrier_quantity.storage.file_records import RECORD
from pyterrier_quantity.storage.folders import IndexFormatError

DOCUMENTS = [{"docno": f"d{n}", "text": f"oil price item{n % 97} word{n}"} for n in range(400)]


@pytest.fixture
def folder(tmp_path):
    pisa_bm25(tmp_path / "i", DOCUMENTS)
    return tmp_path / "i"


def found(folder, **parameters):
    return pisa_bm25(folder, **parameters).search("oil item5")[["docno", "score"]].to_numpy().tolist()


def test_other_parameters_get_their_bounds_elsewhere(folder, tmp_path):
    before = {entry.name: entry.stat().st_mtime_ns for entry in folder.iterdir()}
    scored = found(folder, k1=1.2, b=0.3)
    assert {entry.name: entry.stat().st_mtime_ns for entry in folder.iterdir()} == before
    pisa_bm25(tmp_path / "same", DOCUMENTS, k1=1.2, b=0.3)
    assert scored == found(tmp_path / "same", k1=1.2, b=0.3)
    assert found(folder) != scored
    ranker = pisa_bm25(folder, k1=1.2, b=0.3)
    assert len(ranker.search("oil")) == len(pickle.loads(pickle.dumps(ranker)).search("oil")) == 400


def test_a_failure_leaves_nothing(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "i"))
    before = sorted(entry.name for entry in folder.iterdir())
    with pytest.raises(OSError, match="PISA could not make the bounds"):
        found(folder, k1=0.9)
    assert sorted(entry.name for entry in folder.iterdir()) == before


@pytest.mark.parametrize("name", pisa.NEEDED)
def test_a_missing_or_short_file_is_named(folder, name):
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[:-1])
    with pytest.raises(IndexFormatError, match=f"{name} is damaged"):
        found(folder)
    (folder / name).unlink()
    with pytest.raises(IndexFormatError, match=f"{name} is missing"):
        found(folder)
    (folder / RECORD).unlink()
    with pytest.raises(IndexFormatError, match=f"{name} is missing"):
        found(folder)


@pytest.mark.parametrize(("k1", "b"), [(-1, 0.5), (float("nan"), 0.5), (float("inf"), 0.5), (1, -0.1), (1, 1.1)])
def test_parameters_that_are_none(folder, k1, b):
    with pytest.raises(ValueError, match="k1 must be finite and at least 0, and b in"):
        pisa_bm25(folder, k1=k1, b=b)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"qid": [None], "query": ["oil"]}, "row 0 of the queries has no qid"),
        ({"qid": ["1"], "query": [None]}, "query '1': column 'query' must hold texts, got None"),
        ({"qid": ["1"], "query": [7]}, "query '1': column 'query' must hold texts, got 7"),
    ],
)
def test_queries_that_are_none(folder, frame, message):
    with pytest.raises(ValueError, match=message):
        pisa_bm25(folder)(pd.DataFrame(frame))


ONE_PROCESSOR = """
import os, sys
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from pyterrier_quantity.backends import pisa_process
pisa_process.BATCH = 10
pisa_process.main(*sys.argv[1:])
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system pins no process to a processor")
def test_one_processor_is_enough(tmp_path):
    """PISA reads on while others of its threads invert a batch: with one processor it once waited forever."""
    extension = sys.modules[f"{load_pisa().__name__}._pisathon"].__file__
    lines = "".join(f"d{number} car number {number}\n" for number in range(200)).encode()
    given = [extension, str(tmp_path / "index"), "porter2", "1", "0.5", "0.5", str(os.getpid())]
    (tmp_path / "index").mkdir()
    subprocess.run([sys.executable, "-c", ONE_PROCESSOR, *given], input=lines, timeout=60, check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    assert len((tmp_path / "index/fwd.documents").read_text().split()) == 200


@pytest.mark.skipif(sys.platform != "linux", reason="PISA runs on Linux alone")
def test_a_killed_builder_leaves_no_process_that_writes(tmp_path):
    command = pisa._command(tmp_path / "i", 1, 0.9, 0.4)[:-1]
    builder = (
        "import os, subprocess, sys, time\n"
        f"print(subprocess.Popen([*{command!r}, str(os.getpid())], stdin=sys.stdin).pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    started = [sys.executable, "-c", builder]
    with subprocess.Popen(started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        time.sleep(1)  # until it has loaded PISA and reads documents
        assert _runs(child)
        parent.kill()
        deadline = time.monotonic() + 10
        while _runs(child) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not _runs(child)


def _runs(process: int) -> bool:
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="PISA runs on Linux alone")
def test_a_process_whose_builder_was_killed_before_it_began_writes_nothing(tmp_path):
    command = [*pisa._command(tmp_path / "index", 1, 0.9, 0.4)[:-1], "1"]
    done = subprocess.run(command, input="d1 a car\n", capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (1, "the process that wanted this index is gone\n")
    assert not any(tmp_path.iterdir())
