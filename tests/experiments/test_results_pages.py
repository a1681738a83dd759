"""Published tables know which code they were made of, and are made again by their own commands."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import results_pages
from lib import digests
from lib.runs import QUANTITY_CODE

SCRIPT = """
import sys
sys.path.insert(0, {experiments!r})
from pathlib import Path
import pandas as pd
from lib.parts import write
import pyterrier_quantity as ptq
read = ptq.extract(Path(sys.argv[1]).read_text())
write(pd.DataFrame({{"value": [one.low for one in read]}}, index=["a"]), Path(sys.argv[-1]), "tiny")
"""


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A module in a folder of a small package, whose digest is computed again at each call."""
    monkeypatch.setattr(digests, "PACKAGE", tmp_path)
    (tmp_path / "score").mkdir()
    module = tmp_path / "score/phi.py"
    module.write_text('"""What."""\n\n\ndef half(x):\n    """Half."""\n    return x / 2  # of it\n')
    (tmp_path / "score/words.tsv").write_text("a\tb\n")
    yield module
    digests.room_digest.cache_clear()


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("# of it", "# the half", False),
        ('"""Half."""', '"""Return the half.\n\n    Never more.\n    """', False),
        ("x / 2", "x / 3", True),
        ("    return", "return", True),
    ],
)
def test_only_what_code_does_changes_its_digest(room, before, after, changes):
    digests.room_digest.cache_clear()
    old = digests.room_digest("score")
    room.write_text(room.read_text().replace(before, after))
    digests.room_digest.cache_clear()
    assert (digests.room_digest("score") != old) is changes


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A table made by a script that reads a quantity, and the folder of tables."""
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/tiny.py").write_text(SCRIPT.format(experiments=str(Path(results_pages.__file__).parent)))
    (tmp_path / "text.txt").write_text("It weighs 12 kg.")
    monkeypatch.setattr(results_pages, "ROOT", tmp_path)
    made = {"command": "python experiments/tiny.py $FOLDER/text.txt", "rooms": {}, "commit": "0", "minutes": 1}
    (tmp_path / "data").mkdir()
    (tmp_path / "data/tiny.csv").write_text(f"# {json.dumps(made)}\n,value\na,1.0\n")
    return tmp_path / "data"


def test_a_stale_table_is_made_by_its_command_and_a_changed_room_is_named(tiny, capfd):
    assert list(results_pages.stale(tiny)) == ["tiny"]
    assert results_pages.make(str(tiny.parent), [], tiny) == []
    made, table = results_pages.read(tiny / "tiny.csv")
    assert table["value"].tolist() == [12.0]
    assert made["command"] == "python experiments/tiny.py $FOLDER/text.txt"
    assert {"extraction", "units", "languages/en"} <= set(made["rooms"])
    assert not {"cli", "training", "neural", "languages/de"} & set(made["rooms"])
    assert results_pages.stale(tiny) == {}
    made["rooms"]["units"] = "of another day"
    figures = (tiny / "tiny.csv").read_text().partition("\n")[2]
    (tiny / "tiny.csv").write_text(f"# {json.dumps(made)}\n{figures}")
    assert results_pages.stale(tiny)["tiny"][1] == ["units"]
    assert results_pages.make("nowhere", [], tiny) == ["python experiments/tiny.py $FOLDER/text.txt"]
    assert "== failed" in capfd.readouterr().out
    assert results_pages.read(tiny / "tiny.csv")[1]["value"].tolist() == [12.0]


def test_a_kept_run_depends_on_every_room_that_it_runs(tmp_path):
    code = f"""
import sys
sys.path.insert(0, {str(Path(results_pages.__file__).parent)!r})
from lib.digests import rooms
import pyterrier_quantity as ptq
documents = [{{"docno": "a", "text": "The car costs 300 dollars."}}]
index = ptq.QuantityIndex("q").index(documents)
assert len(ptq.quantity_aware(ptq.backends.bm25("w", documents), index).search("car above 200 dollars"))
print(*rooms())
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    ran = {room for room in done.stdout.splitlines()[-1].split() if not room.startswith("experiments")}
    assert "plan" in ran
    assert ran <= set(QUANTITY_CODE)
