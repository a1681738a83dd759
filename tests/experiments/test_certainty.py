"""How sure a condition is, is learned from kinds of text, each of which is rated by what the others teach."""

from pathlib import Path

import certainty
import pytest
from scripts import call


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of 24 queries of the tables of cases."""
    folder = tmp_path_factory.mktemp("data")
    for path in (Path(__file__).parents[1] / "data").glob("*.tsv"):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        (folder / path.name).write_text("".join(line for n, line in enumerate(lines) if n % 24 == 0 or line[0] == "#"))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two collections whose numbers set conditions, and one of cases that are told."""
    gold = tmp_path / "gold"
    gold.mkdir()
    topics = {
        "ores": [f"mines with more than {n} tonnes of tin" for n in range(5, 45)],
        "ships": [f"ships longer than {n} metres" for n in range(5, 45)],
        "cases": [f"Yesterday a man of {n} years came to us and told that he had walked {n} km" for n in range(20, 60)],
    }
    for name, queries in topics.items():
        lines = [f"{name}{n}\t{query}" for n, query in enumerate(queries)]
        (gold / f"{name}.topics.tsv").write_text("\n".join(["qid\tquery", *lines]), encoding="utf-8")
    return tmp_path


def test_bounds_ask_and_stories_tell(folder: Path, data: Path, capsys: pytest.CaptureFixture) -> None:
    call(certainty, folder, "--told", "cases", "--data", data)
    shown = capsys.readouterr().out
    assert "weights in use: area under the curve 0.9" in shown
    assert "all learned, kinds left out: area under the curve 0.9" in shown
    found = certainty.read(folder, ["cases"], data)
    assert not found.loc[found["group"] == "cases", "asked"].any()
    assert found.loc[found["group"] == "ships", "asked"].all()
    assert set(found["asked"][found["group"] == "beside conditions: news"]) == {True, False}
    weights = dict(zip(certainty.SIGNS, certainty.learn(found), strict=False))
    assert weights["bounded"] > 2 > 0 > weights["passed"]
