"""Latency: what is timed, and the table that comes of it."""

from pathlib import Path

import latency
import pandas as pd
from scripts import call

CHOSEN = ["BM25_filter (whole query)", "QBM25 (paper)", "QBM25 (ours)", "QBM25 (ours, union)"]


def test_the_table(finquant: Path, tmp_path: Path) -> None:
    out, name = tmp_path / "out", "latency-finquant-small"
    call(latency, finquant, "--systems", *CHOSEN, "--rounds", 1, "--singles", 1, "--quiet", "--clock", "processor",
         "--work", tmp_path / "work", "--out", out)  # fmt: skip
    table = pd.read_csv(out / f"{name}.csv", index_col="system")
    assert list(table.index) == ["BM25 (keywords)", "BM25 (whole query)", *CHOSEN, latency.ALONE]
    assert (table[["ms", "ms, single"]] > 0).all(axis=None)
    assert (table.loc[CHOSEN, ["/ base", "part, ms", "part / base", "/ base, single"]] > 0).all(axis=None)
    assert {path.name for path in out.iterdir()} == {f"{name}.{suffix}" for suffix in ("csv", "json", "md")}
    text = (out / f"{name}.md").read_text()
    assert "Clock: processor" in text
    line = next(line for line in text.splitlines() if "QBM25 (paper)" in line)
    assert line.endswith("| 311 | 34.56 |")
