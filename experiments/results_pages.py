"""Writes the tables of README and `docs/results/` from CSV files that other scripts wrote; no figure is typed.

    python experiments/results_pages.py [--check] [--keep OUT NAME ...]

`--keep OUT NAME ...` takes `NAME.csv`, and what `NAME.json` says of how it was made, from a script's folder of results
into `docs/results/data/`. Then every table is written anew; with `--check` nothing is written, and the script ends with
1 where a page differs. A page holds a table between two comments:

    <!-- table {"from": "ablation-reuters", "columns": {"nDCG@10": "nDCG@10"}, "rows": {"BM25": "words alone"}} -->
    <!-- end -->

`from` is a CSV file, or several by what their rows are called: `{"newswire": "table2-reuters", ...}`; then each file is
a row, and each of `rows` a column, of the one figure that `column` names. `columns` and `rows` say which there are, and
what a page calls them; without them there are all. `digits` says how many (3).
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from lib.parts import markdown

from pyterrier_quantity.cli import run as run_program

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "docs/results"
DATA: Final = RESULTS / "data"
TABLE: Final = re.compile(r"(<!-- table (\{.*?\}) -->\n).*?(<!-- end -->)", re.DOTALL)


def pages() -> list[Path]:
    """All pages that hold such tables."""
    return [ROOT / "README.md", *sorted(RESULTS.glob("*.md"))]


def written(page: str, data: Path = DATA) -> str:
    """A page with its tables as the files have them.

    Raises:
        ValueError: naming the table whose file, row or column is not there.
    """
    return TABLE.sub(lambda found: found[1] + table(json.loads(found[2]), data) + found[3], page)


def table(asked: dict[str, Any], data: Path = DATA) -> str:
    """One table, and what made it, as Markdown."""
    files = asked["from"]
    names = [files] if isinstance(files, str) else list(files.values())
    try:
        frames = {name: pd.read_csv(data / f"{name}.csv", index_col=0) for name in names}
        shown = _one(frames[files], asked) if isinstance(files, str) else _joined(frames, files, asked)
    except (KeyError, FileNotFoundError) as error:
        raise ValueError(f"table {json.dumps(asked)}: {error} is not in {data}") from error
    digits = asked.get("digits", 3)
    shown = shown.astype({name: int for name, column in shown.items() if _counts(column)})
    text = shown.map(lambda value: _cell(value, digits)).rename(index={np.nan: ""}).rename_axis("")
    return f"{markdown(text)}\n{origin(names, data)}\n"


def _one(frame: pd.DataFrame, asked: dict[str, Any]) -> pd.DataFrame:
    rows, columns = asked.get("rows"), asked.get("columns")
    if frame.index.name is None and pd.api.types.is_integer_dtype(frame.index):
        frame = frame.set_index(frame.columns[0])  # the rows were only numbered
    frame = frame if rows is None else frame.loc[list(rows)].rename(index=rows)
    return frame if columns is None else frame[list(columns)].rename(columns=columns)


def _joined(frames: dict[str, pd.DataFrame], files: dict[str, str], asked: dict[str, Any]) -> pd.DataFrame:
    rows = asked["rows"]
    figures = {called: frames[name].loc[list(rows), asked["column"]] for called, name in files.items()}
    return pd.DataFrame(figures).rename(index=rows).T


def _counts(column: pd.Series) -> bool:
    """Whether a column holds whole numbers, though as floats."""
    return pd.api.types.is_numeric_dtype(column) and column.max() > 1 and bool((column % 1 == 0).all())


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    number = float(value)
    if pd.isna(number):
        return ""
    return f"{number:.{digits}f}".removeprefix("0") if abs(number) < 1 else f"{number:,.{digits}f}"


def origin(names: list[str], data: Path = DATA) -> str:
    """How files were made, as a line under a table."""
    runs: dict[tuple[str, str], set[str]] = {}
    for name in names:
        made = json.loads((data / f"{name}.json").read_text(encoding="utf-8"))
        runs.setdefault((made["command"], made["machine"]), set()).add(f"commit {made['commit']}, {made['date']}")
    lines = [f"`{command}`, {machine}; {'; '.join(sorted(when))}" for (command, machine), when in sorted(runs.items())]
    return f"*Made by {'; '.join(lines)}.*"


def keep(out: Path, names: list[str]) -> None:
    """Take files from a script's folder of results.

    Raises:
        FileNotFoundError: if one is not there.
    """
    DATA.mkdir(parents=True, exist_ok=True)
    for name in names:
        for suffix in (".csv", ".json"):
            shutil.copy(out / f"{name}{suffix}", DATA / f"{name}{suffix}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 where a page differs")
    parser.add_argument("--keep", nargs="+", default=[], metavar=("OUT", "NAME"), help="take results from a folder")
    args = parser.parse_args()
    if args.keep:
        keep(Path(args.keep[0]), args.keep[1:])
    for page in pages():
        text = page.read_text(encoding="utf-8")
        new = written(text)
        if args.check and new != text:
            sys.exit(f"{page.relative_to(ROOT)} differs from {DATA.relative_to(ROOT)}: run {sys.argv[0]}")
        if new != text:
            page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(run_program("results_pages.py", main))
