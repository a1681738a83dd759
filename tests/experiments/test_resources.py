"""The table of what neural systems cost: FLOPs by hand, and every figure of a small run."""

from pathlib import Path

import pandas as pd
import pytest
import resources


def test_a_small_run(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    resources.main(["quantity:demo", "--items", "12", "--work", str(tmp_path / "w"), "--out", str(tmp_path), "--quiet"])
    (written,) = tmp_path.glob("resources-*.csv")
    table = pd.read_csv(written, index_col=0)
    assert list(table.index) == [
        "cross-encoder", "dense", "ColBERT", "SPLADE", "hybrid", "hybrid with token vectors",
    ]  # fmt: skip
    assert (table.drop("cross-encoder") > 0).all(axis=None)
    assert table.loc["cross-encoder", ["interaction FLOPs", "bytes an item"]].isna().all()
    assert table.loc["cross-encoder", "ms a query"] > table.loc["dense", "ms a query"]
    # The head is what a hybrid of SPLADE-tiny has beside its encoder: 128 x 30522 a token, twice as many FLOPs.
    assert table.loc["hybrid", "GFLOPs"] > 2 * 128 * 128 * 30522 / 1e9
    assert table.loc["hybrid", "GFLOPs"] < table.loc["dense", "GFLOPs"]
    shown = capsys.readouterr().out
    assert "times as fast" in shown
    assert "22.36" in shown
