"""What an experiment gives: tables with notes and plots, printed, written as files, or put into one HTML page."""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from html import escape
from pathlib import Path

import pandas as pd

from pyterrier_quantity.cli.show import table as text_table


@dataclass(frozen=True)
class Part:
    """A table of one experiment on one collection.

    Args:
        name: of its files.
        title: what it shows.
        table: all figures.
        shown: the table as people read it, all cells text.
        note: what stands under it.
        plots: files by suffix, "png" and "svg".
    """

    name: str
    title: str
    table: pd.DataFrame
    shown: pd.DataFrame
    note: str = ""
    plots: Mapping[str, bytes] = field(default_factory=dict)


def publish(part: Part, out: Path) -> None:
    """Print a part, and write its files into the folder."""
    print(f"\n== {part.title}\n{text_table(['', *map(str, part.shown.columns)], _cells(part.shown))}\n{part.note}")
    save(part, out)


def save(part: Part, out: Path) -> None:
    """Write a part's files into the folder: CSV, Markdown, and plots."""
    write(part.table, out, part.name, part.shown, part.note)
    for suffix, content in part.plots.items():
        (out / f"{part.name.replace(':', '-')}.{suffix}").write_bytes(content)


def markdown(table: pd.DataFrame) -> str:
    """A table of text as Markdown, its index as the first column."""
    header = [table.index.name or "", *map(str, table.columns)]
    rows = [[str(name), *map(str, row)] for name, row in zip(table.index, table.to_numpy(), strict=True)]
    lines = [header, ["---", *["---:"] * table.shape[1]], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def write(table: pd.DataFrame, out: Path, name: str, shown: pd.DataFrame | None = None, note: str = "") -> None:
    """Write a table as `name.csv` and `name.md` into the folder, and as `name.json` how it was made.

    Args:
        table: all figures, in full precision.
        out: the folder, made if need be.
        name: of the files; a colon becomes a dash.
        shown: the table as people read it; by default the same with three decimals.
        note: what stands under it.
    """
    out.mkdir(parents=True, exist_ok=True)
    name = name.replace(":", "-")
    table.to_csv(out / f"{name}.csv")
    (out / f"{name}.json").write_text(json.dumps(origin(), indent=1) + "\n", encoding="utf-8")
    text = markdown(table.round(3).astype(object).where(table.notna(), "") if shown is None else shown)
    (out / f"{name}.md").write_text(f"{text}\n{note}\n" if note else text, encoding="utf-8")


def origin() -> dict[str, str]:
    """By which command, of which commit (with a "+" if files were changed since), when, and where results are made."""
    script, *arguments = sys.argv
    told = re.sub(r" --(?:work|out) \S+| --quiet", "", "".join(f" {_told(one)}" for one in arguments))
    return {
        "command": f"python experiments/{Path(script).name}{told}",
        "commit": _git("rev-parse", "--short", "HEAD") + ("+" if _git("status", "--porcelain", "-uno") else ""),
        "date": datetime.now(timezone.utc).date().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
    }


def _told(argument: str) -> str:
    """Where data lie is the reader's own affair."""
    return "FOLDER" if argument.startswith(("/", "..")) else shlex.quote(argument)


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return done.stdout.strip() or ("unknown" if words[0] == "rev-parse" else "")


def html(part: Part) -> str:
    """A part as a section of a page, its plot inline."""
    svg = part.plots.get("svg", b"").decode()
    plot = f"<figure>{svg[svg.index('<svg') :]}</figure>\n" if svg else ""
    title, note = escape(part.title), escape(part.note)
    return f"<section>\n<h2>{title}</h2>\n{plot}{html_table(part.shown)}\n<p>{note}</p>\n</section>"


def html_table(shown: pd.DataFrame) -> str:
    """A table of text as HTML, its index as row headers."""
    head = "".join(f"<th>{escape(str(name))}</th>" for name in ["", *shown.columns])
    rows = [f"<tr><th>{escape(first)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in others)}</tr>"
            for first, *others in _cells(shown)]  # fmt: skip
    return f"<div><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{chr(10).join(rows)}\n</tbody>\n</table></div>"


def _cells(shown: pd.DataFrame) -> list[list[str]]:
    return [[str(cell) for cell in row] for row in shown.reset_index().to_numpy()]
