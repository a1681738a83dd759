"""Write the tables of README and `docs/results/` from files that other scripts wrote, so that no figure is typed.

    python experiments/results_pages.py [--check] [--keep OUT NAME ...] [--make FOLDER [NAME ...]]

A file `docs/results/data/NAME.csv` contains a table. Its first line states the origin: the command, commit, day and
machine, and the rooms of the package that the command ran, with a digest of each. A table is stale if such a room has
changed since. Docstrings and comments do not count.

`--keep OUT NAME ...` copies results from a script's folder. `--make FOLDER` runs the commands of all stale tables, the
shortest first, or only those of the named tables, and copies their results. A repeated call continues after an
interruption, because finished tables are not stale. FOLDER contains the data, `$FOLDER` in the commands. Indexes and
runs are stored in `var` in the current folder. Then all pages are written again. `--check` writes nothing, lists the
stale tables, and exits with 1 if a page differs from the files.

A page contains a table between two comments:

    <!-- table {"from": "ablation-reuters", "columns": {"nDCG@10": "nDCG@10"}, "rows": {"BM25": "words alone"}} -->
    <!-- end -->

`from` is a CSV file, or several by the names of their rows: `{"newswire": "table2-reuters", ...}`. Then each file
becomes a row, and each of `rows` a column, with the figure in `column`. `columns` and `rows` select and rename columns
and rows; by default, all are shown. "A | B" in `rows` is the higher of the two rows. `named` replaces words in the
names of rows. `digits` is the number of decimals (3 by default).
"""

import argparse
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from lib.digests import room_digest
from lib.parts import markdown

from pyterrier_quantity.cli import run as run_program

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "docs/results"
DATA: Final = RESULTS / "data"
TABLE: Final = re.compile(r"(<!-- table (\{.*?\}) -->\n).*?(<!-- end -->)", re.DOTALL)


def pages() -> list[Path]:
    """Return all pages that hold such tables."""
    return [ROOT / "README.md", *sorted(RESULTS.glob("*.md"))]


def written(page: str, data: Path = DATA) -> str:
    """Return a page with its tables filled from the files.

    Raises:
        ValueError: if a file, row or column does not exist. The message names the table.
    """
    return TABLE.sub(lambda found: found[1] + table(json.loads(found[2]), data) + found[3], page)


def table(asked: dict[str, Any], data: Path = DATA) -> str:
    """Return one table, and its origin, as Markdown."""
    files = asked["from"]
    names = [files] if isinstance(files, str) else list(files.values())
    try:
        kept = {name: read(data / f"{name}.csv") for name in names}
        frames = {name: frame for name, (_, frame) in kept.items()}
        shown = _one(frames[files], asked) if isinstance(files, str) else _joined(frames, files, asked)
    except (KeyError, FileNotFoundError) as error:
        raise ValueError(f"table {json.dumps(asked)}: {error} is not in {data}") from error
    digits = asked.get("digits", 3)
    shown = shown.astype({name: int for name, column in shown.items() if _counts(column)})
    shown = shown.rename(index=lambda row: _named(row, asked.get("named", {})))
    text = shown.map(lambda value: _cell(value, digits)).rename_axis("")
    return f"{markdown(text)}\n{origin([made for made, _ in kept.values()])}\n"


def read(path: Path) -> tuple[dict[str, Any], pd.DataFrame]:
    """Return a table's origin, and the table."""
    first, _, rest = path.read_text(encoding="utf-8").partition("\n")
    return json.loads(first.removeprefix("# ")), pd.read_csv(io.StringIO(rest), index_col=0)


def _one(frame: pd.DataFrame, asked: dict[str, Any]) -> pd.DataFrame:
    rows, columns = asked.get("rows"), asked.get("columns")
    if frame.index.name is None and pd.api.types.is_integer_dtype(frame.index):
        frame = frame.set_index(frame.columns[0])  # the rows were only numbered
    frame = frame if rows is None else frame.loc[list(rows)].rename(index=rows)
    return frame if columns is None else frame[list(columns)].rename(columns=columns)


def _joined(frames: dict[str, pd.DataFrame], files: dict[str, str], asked: dict[str, Any]) -> pd.DataFrame:
    figures = {
        called: {
            label: frames[name].loc[rows.split(" | "), asked["column"]].max() for rows, label in asked["rows"].items()
        }
        for called, name in files.items()
    }
    return pd.DataFrame(figures).T


def _named(row: Any, names: dict[str, str]) -> Any:
    if not isinstance(row, str):
        return "" if pd.isna(row) else row
    for old, new in names.items():
        row = row.replace(old, new)
    return row


def _counts(column: pd.Series) -> bool:
    """Return whether a column contains only integers, possibly as floats."""
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


def origin(every: list[dict[str, Any]]) -> str:
    """Return the origin of files as a line to show under a table."""
    runs: dict[tuple[str, str], set[str]] = {}
    for made in every:
        runs.setdefault((made["command"], made["machine"]), set()).add(f"commit {made['commit']}, {made['date']}")
    lines = [f"`{command}`, {machine}; {'; '.join(sorted(when))}" for (command, machine), when in sorted(runs.items())]
    return f"*Made by {'; '.join(lines)}.*"


def keep(out: Path, names: list[str], data: Path = DATA) -> None:
    """Copy tables from a script's folder of results.

    Raises:
        FileNotFoundError: if a table does not exist.
    """
    data.mkdir(parents=True, exist_ok=True)
    for name in names:
        made = json.loads((out / f"{name}.json").read_text(encoding="utf-8"))
        figures = (out / f"{name}.csv").read_text(encoding="utf-8")
        (data / f"{name}.csv").write_text(f"# {json.dumps(made)}\n{figures}", encoding="utf-8")


def stale(data: Path = DATA) -> dict[str, tuple[dict[str, Any], list[str]]]:
    """Return the tables that are older than the code, with the origin of each and the rooms that have changed since."""
    found = {}
    for path in sorted(data.glob("*.csv")):
        made, _ = read(path)
        changed = [room for room, digest in made["rooms"].items() if room_digest(room) != digest]
        if changed or not made["rooms"]:
            found[path.stem] = made, changed or ["rooms not known"]
    return found


def make(folder: str, names: list[str], data: Path = DATA) -> list[str]:
    """Run the commands of tables again, keep their results, and return the commands that failed.

    Args:
        folder: the folder with the data, `$FOLDER` in the commands.
        names: the names of tables, or empty for all stale tables.
        data: the folder with the tables.
    """
    asked = {name: read(data / f"{name}.csv")[0] for name in names or stale(data)}
    commands: dict[str, list[str]] = {}
    for name, made in sorted(asked.items(), key=lambda item: item[1].get("minutes", 0)):
        commands.setdefault(made["command"], []).append(name)
    failed = []
    for command, tables in commands.items():
        print(f"== {command}", flush=True)
        with tempfile.TemporaryDirectory() as out:
            _, script, *words = [word.replace("$FOLDER", folder) for word in shlex.split(command)]
            run = [sys.executable, str(ROOT / script), *words, "--out", out]
            try:
                subprocess.run(run, env=os.environ | {"FOLDER": folder}, check=True)
                keep(Path(out), tables, data)
            except (subprocess.CalledProcessError, FileNotFoundError) as error:
                print(f"== failed: {error}", flush=True)
                failed.append(command)
    return failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 where a page differs")
    parser.add_argument("--keep", nargs="+", default=[], metavar=("OUT", "NAME"), help="take results from a folder")
    parser.add_argument("--make", nargs="+", default=[], metavar=("FOLDER", "NAME"), help="run the commands of tables")
    args = parser.parse_args()
    if args.keep:
        keep(Path(args.keep[0]), args.keep[1:])
    failed = make(args.make[0], args.make[1:]) if args.make else []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        new = written(text)
        if args.check and new != text:
            sys.exit(f"{page.relative_to(ROOT)} differs from {DATA.relative_to(ROOT)}: run {sys.argv[0]}")
        if new != text:
            page.write_text(new, encoding="utf-8")
    for name, (made, changed) in stale().items() if args.check else ():
        print(f"stale: {name}, of commit {made['commit']}; changed since: {', '.join(changed)}")
    if failed:
        sys.exit(f"not made: {'; '.join(failed)}")


if __name__ == "__main__":
    sys.exit(run_program("results_pages.py", main))
