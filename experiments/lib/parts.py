"""Print the output of an experiment (tables with notes and plots), and write it to files."""

import json
import os
import platform
import re
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import pandas as pd

from lib.digests import rooms
from pyterrier_quantity.cli.corpus import table as text_table

_START = time.time()


@dataclass(frozen=True)
class Part:
    """A table with the results of an experiment on one collection.

    Args:
        name: the name of the files.
        title: the title.
        table: all figures.
        shown: the table for display, with all cells as text.
        note: a note under the table.
        plot: how pandas plots the table ("line", "barh"), or None for no plot.
    """

    name: str
    title: str
    table: pd.DataFrame
    shown: pd.DataFrame
    note: str = ""
    plot: str | None = None


def publish(part: Part, out: Path) -> None:
    """Print a part, and write it to files in a folder: CSV, Markdown, the origin, and the plot."""
    cells = [[str(cell) for cell in row] for row in part.shown.reset_index().to_numpy()]
    print(f"\n== {part.title}\n{text_table(['', *map(str, part.shown.columns)], cells)}\n{part.note}")
    write(part.table, out, part.name, part.shown, part.note)
    if part.plot:
        height = 4.5 if part.plot == "line" else 1.5 + 0.2 * part.table.size
        axes = part.table.plot(kind=part.plot, title=part.title, grid=True, figsize=(9, height))
        axes.figure.savefig(out / f"{part.name.replace(':', '-')}.svg", bbox_inches="tight", metadata={"Date": None})


def markdown(table: pd.DataFrame) -> str:
    """Return a table of texts as Markdown. The index becomes the first column."""
    header = [table.index.name or "", *map(str, table.columns)]
    rows = [[str(name), *map(str, row)] for name, row in zip(table.index, table.to_numpy(), strict=True)]
    lines = [header, ["---", *["---:"] * table.shape[1]], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def write(table: pd.DataFrame, out: Path, name: str, shown: pd.DataFrame | None = None, note: str = "") -> None:
    """Write a table to `name.csv` and `name.md` in a folder, and its origin to `name.json`.

    Args:
        table: all figures, in full precision.
        out: the folder, which is made if needed.
        name: the name of the files. A colon is replaced by a dash.
        shown: the table for display, by default the same table with three decimals.
        note: a note under the table.
    """
    out.mkdir(parents=True, exist_ok=True)
    name = name.replace(":", "-")
    table.to_csv(out / f"{name}.csv")
    (out / f"{name}.json").write_text(json.dumps(origin(), indent=1) + "\n", encoding="utf-8")
    text = markdown(table.round(3).astype(object).where(table.notna(), "") if shown is None else shown)
    (out / f"{name}.md").write_text(f"{text}\n{note}\n" if note else text, encoding="utf-8")


def origin() -> dict[str, object]:
    """Return the origin of results: the command, the commit (with a "+" if code was changed since), the day, the
    machine, the minutes, and the rooms of the package that the command ran, with a digest of each."""
    script, *arguments = sys.argv
    told = re.sub(r" --(?:work|out) \S+| --quiet", "", "".join(f" {_told(one)}" for one in arguments))
    changed = _git("status", "--porcelain", "-uno", "--", "../pyterrier_quantity", ".")
    return {
        "command": f"python experiments/{Path(script).name}{told}",
        "commit": _git("rev-parse", "--short", "HEAD") + ("+" if changed else ""),
        "date": datetime.now(timezone.utc).date().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "minutes": round((time.time() - _START) / 60, 1),
        "rooms": rooms(),
    }


def _told(argument: str) -> str:
    """Replace the path of the data with `$FOLDER`, the environment variable that contains it."""
    given = os.environ.get("FOLDER")
    if given and (argument == given or argument.startswith(f"{given}/")):
        return f"$FOLDER{argument.removeprefix(given)}"
    return "FOLDER" if argument.startswith(("/", "..")) else shlex.quote(argument)


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return done.stdout.strip() or ("unknown" if words[0] == "rev-parse" else "")
