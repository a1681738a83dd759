"""Questions made of the bundled facts, and how often they are answered right."""

from pathlib import Path

import answers
import pandas as pd
import pytest
from scripts import call

import pyterrier_quantity as ptq


def test_the_table(tmp_path: Path) -> None:
    call(answers, "--facts", 60, "--work", tmp_path / "work", "--out", tmp_path / "out")
    table = pd.read_csv(tmp_path / "out/answers.csv", index_col=0)
    assert list(table.index) == ["all", "price", "weight", "power"]
    assert table["questions"]["all"] == table["questions"].iloc[1:].sum()
    assert table["right"]["all"] > 0.8


@pytest.mark.parametrize(
    ("value", "unit", "right"),
    [(5, "km", True), (5000, "metre", True), (5.05, "kilometre", True), (5.2, "kilometre", False), (5, "", False),
     (5, "kilogram", False)],
)  # fmt: skip
def test_what_is_right(value: float, unit: str, right: bool) -> None:
    canonical = ptq.units.default_registry().resolve(unit) if unit else ""
    assert answers.is_right(value, canonical, [(5.0, "km")]) is right
