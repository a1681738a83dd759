"""A whole report of collections, as one HTML file that needs nothing else: tables, plots, settings, versions.

    python experiments/report.py FOLDER [--names reuters] [--pool] [--leave-out latency] [--out results]

What it holds is what the scripts `table2.py`, `subsets.py`, `fusion_table.py` and `latency.py` give, with their
options, from the runs that they kept. Writes OUT/report.html, and beside it the same as CSV, Markdown and plots.
"""

from __future__ import annotations

import argparse
import importlib
import platform
import shlex
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

import pandas as pd
from lib.arguments import collections
from lib.collection import Collection
from lib.parts import html, html_table, save
from lib.systems import systems_parser

from pyterrier_quantity.cli import run as run_program

SCRIPTS = ("table2", "subsets", "fusion_table", "latency")
"""Modules that offer `parts(collection, args)`, and `options(parser)` where they have options of their own."""
PACKAGES = ("pyterrier-quantity", "python-terrier", "pyterrier-pisa", "pyterrier-dr", "sentence-transformers", "torch",
            "numpy", "pandas", "ir-measures")  # fmt: skip
UNFINISHED = "<p><strong>The report was not finished: what follows is missing.</strong></p>"
STYLE = """body{font:15px/1.45 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222}
div{overflow-x:auto}table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .6rem;text-align:right;white-space:nowrap}th:first-child{text-align:left}
thead th{border-bottom:2px solid #444}tbody tr:nth-child(odd){background:#f4f4f4}tbody th{font-weight:normal}
figure{margin:1rem 0}svg{max-width:100%;height:auto}"""


def report(chosen: list[Collection], modules: list[ModuleType], args: argparse.Namespace) -> Path:
    """Writes the report, anew with every part that is done, so that what was measured is there if a later part fails.

    Returns its path.
    """
    path, sections = args.out / "report.html", []
    for collection in chosen:
        for module in modules:
            for part in module.parts(collection, args):
                save(part, args.out)
                sections.append(html(part))
                path.write_text(page(chosen, [*sections, UNFINISHED], args), encoding="utf-8")
    path.write_text(page(chosen, sections, args), encoding="utf-8")
    return path


def page(chosen: list[Collection], sections: list[str], args: argparse.Namespace) -> str:
    """The report as HTML."""
    names = ", ".join(collection.name for collection in chosen)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Quantity-aware retrieval: {escape(names)}</title>
<style>{STYLE}</style></head><body>
<h1>Quantity-aware retrieval: {escape(names)}</h1>
<p>{datetime.now(timezone.utc):%d %B %Y, %H:%M} UTC, by <code>{escape(shlex.join(sys.argv))}</code></p>
{chr(10).join(sections)}
<section><h2>Collections</h2>{_pairs(_sizes(chosen))}</section>
<section><h2>Settings</h2>{_pairs(_settings(args))}</section>
<section><h2>Versions</h2>{_pairs(_versions())}</section>
</body></html>
"""


def _sizes(chosen: list[Collection]) -> Iterator[tuple[str, str]]:
    for collection in chosen:
        relevant = int((collection.qrels["label"] > 0).sum())
        yield (
            collection.name,
            (
                f"{len(collection.quantities):,} documents, {collection.quantities.meta['quantities']:,} quantities, "
                f"{len(collection.topics)} judged queries, {relevant} relevant pairs; doubtful pairs left out: "
                f"{len(collection.doubtful)}"
            ),
        )


def _settings(args: argparse.Namespace) -> Iterator[tuple[str, str]]:
    for name, value in sorted(vars(args).items()):
        if value not in (None, [], False):
            yield name, ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _versions() -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        try:
            yield package, version(package)
        except PackageNotFoundError:
            yield package, "not installed"
    yield "Python", platform.python_version()
    yield "machine", f"{platform.platform()}, {platform.machine()}"


def _pairs(pairs: object) -> str:
    table = pd.DataFrame(pairs, columns=["", " "]).set_index("")
    return html_table(table)


def main() -> None:
    parser = systems_parser(__doc__)
    parser.add_argument("--leave-out", nargs="+", default=[], choices=SCRIPTS, metavar="SCRIPT",
                        help=f"of {', '.join(SCRIPTS)}")  # fmt: skip
    modules = {name: importlib.import_module(name) for name in SCRIPTS}
    for module in modules.values():
        if hasattr(module, "options"):
            module.options(parser)
    args = parser.parse_args()
    chosen = [module for name, module in modules.items() if name not in args.leave_out]
    args.out.mkdir(parents=True, exist_ok=True)
    print(report(collections(args), chosen, args))


if __name__ == "__main__":
    sys.exit(run_program("report.py", main))
