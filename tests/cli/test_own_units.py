"""Tables of units that people add, on the command line and in worker processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_material import refused

ROOT = Path(__file__).parents[2]
TABLE = """name\tscale\tsymbols\tbefore\tinside
star\t\t*\t\t
rupee per year\t100000\tLPA\t\t
waist inch\t\t\tW\t
leg inch\t\t\tL\t
ohm\t1000\t\t\tk
volt\t\t\t\tV
"""
CORPUS = """docno,text
hotel,a 4* hotel in Rome
job,a job of 12 LPA
jeans,jeans W32 L34
resistor,a 4k7 or 47 ohm resistor at 3V3 in a K2M2 case
"""
SCRIPT = """
from pyterrier_quantity import QuantityIndex, cli
from pyterrier_quantity.extraction import protocol

protocol._CHUNK = 10
for command in (["index", "corpus.csv", "own", "--workers", "2", "--quiet"], ["search", "own", "job above 10 LPA"],
                ["parse", "jeans W32 L34"]):
    assert cli.main([*command, "--own-units", "own.tsv"]) == 0
for docno in ("hotel", "job", "jeans", "resistor"):
    print(docno, *QuantityIndex("own").quantities(docno), sep=", ")
"""


def test_every_command_and_every_process_knows_them(tmp_path):
    """In a process of its own: what is added to the shared units stays."""
    (tmp_path / "own.tsv").write_text(TABLE)
    (tmp_path / "corpus.csv").write_text(CORPUS)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    _, asked, first, *_, hotel, job, jeans, resistor = done.stdout.splitlines()
    assert asked == "job above 10 LPA   [> 1,000,000 rupee per year]"
    assert first.split()[2] == "job"
    assert "  condition  = 34 leg inch" in done.stdout
    assert (hotel, job) == ("hotel, 4 star", "job, 1,200,000 rupee per year")
    assert resistor == "resistor, 4,700 ohm, 47 ohm, 3.3 volt"
    assert jeans == "jeans, 32 waist inch, 34 leg inch"


@pytest.mark.parametrize(("content", "told"), [(None, "No such file"), ("name\tcolour\nx\ty\n", "own.tsv")])
def test_a_table_that_cannot_be_read(content, told, tmp_path, capsys):
    if content:
        (tmp_path / "own.tsv").write_text(content)
    assert told in refused(capsys, "parse", "5 x", "--own-units", str(tmp_path / "own.tsv"))
