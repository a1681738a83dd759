"""The demo's neural rows."""

from pathlib import Path

import pytest
from neural_material import DOCUMENTS, best, queries

from pyterrier_quantity import QuantityIndex
from pyterrier_quantity.neural import neural_systems


def test_neural_systems(quantities: QuantityIndex, tmp_path: Path) -> None:
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


def test_an_interrupted_splade_index_leaves_nothing(quantities: QuantityIndex, tmp_path: Path) -> None:
    def corpus() -> list[dict]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        neural_systems(corpus, quantities, tmp_path / "work")
    assert list((tmp_path / "work").iterdir()) == []
