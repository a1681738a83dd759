"""Every Python block of the pages about neural rankers runs, and so do the demo's neural rows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from neural_material import DOCUMENTS, MINILM, SPLADE, best, queries

from pyterrier_quantity import QuantityIndex
from pyterrier_quantity.neural import neural_systems
from pyterrier_quantity.neural.systems import packaged_model

DOCS = Path(__file__).parents[2] / "docs/guide"


@pytest.mark.parametrize(("page", "blocks"), [("neural.md", 5), ("hybrid.md", 2), ("training.md", 2)])
def test_python_blocks(page: str, blocks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (DOCS / page).read_text(encoding="utf-8")
    found = list(re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    assert len(found) >= blocks
    names: dict = {}
    for block in found:
        line = text[: block.start(1)].count("\n")
        exec(compile("\n" * line + block[1], page, "exec"), names)


def test_packaged_models() -> None:
    assert (packaged_model("splade"), packaged_model("colbert")) == (SPLADE, MINILM)


def test_neural_systems(tmp_path: Path) -> None:
    quantities = QuantityIndex(tmp_path / "quantities").index(DOCUMENTS)
    found = neural_systems(lambda: DOCUMENTS, quantities, tmp_path / "work")
    assert list(found) == ["SPLADE", "QSPLADE", "ColBERT", "QColBERT"]
    asked = queries("vehicle with less than 200 hp")
    assert best(found["QSPLADE"](asked)) == "van"
    assert best(found["QColBERT"](asked)) == "van"
    kept = sorted(path.name for path in (tmp_path / "work").iterdir())
    assert len(kept) == 2
    again = neural_systems(lambda: pytest.fail("the indexes are there"), quantities, tmp_path / "work")
    assert best(again["QSPLADE"](asked)) == "van"
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == kept


def test_an_interrupted_splade_index_leaves_nothing(tmp_path: Path) -> None:
    quantities = QuantityIndex(tmp_path / "quantities").index(DOCUMENTS)

    def corpus() -> list[dict]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        neural_systems(corpus, quantities, tmp_path / "work")
    assert list((tmp_path / "work").iterdir()) == []
