"""The later steps of `pyterrier-quantity collect`: the page, the annotators' agreement, the finished collection."""

from __future__ import annotations

import argparse
import math
import os
import signal
import sys
import webbrowser
from pathlib import Path

import pandas as pd

from pyterrier_quantity._extras import need
from pyterrier_quantity.cli.show import table
from pyterrier_quantity.collecting import Sheet, agreements, differing, export, gather_marks, settle
from pyterrier_quantity.datasets import LocalCollection

_SHOWN = 100
"""Characters of a sentence that are shown."""


def marks_folder(sheet: str | Path) -> Path:
    """Where the marks of a sheet lie: news.sheet.tsv has news.sheet.marks."""
    path = Path(sheet)
    return path.with_name(f"{path.name.removesuffix('.tsv')}.marks")


def annotate(args: argparse.Namespace) -> None:
    for module in ("starlette", "uvicorn"):
        need(module, "web")
    from pyterrier_quantity.collecting.annotation_page import AnnotationPage
    from pyterrier_quantity.web.local_server import LocalServer

    sheet = Sheet.read(args.sheet)
    if args.sample is not None:
        sheet = sheet.sample(args.sample, args.seed)
    folder = args.marks or marks_folder(args.sheet)
    page = AnnotationPage(sheet, folder, args.annotator)
    server = LocalServer(page.app(), args.port)
    address = page.address(server.url)
    print(f"{args.sheet}: {len(sheet):,} sentences; marks go to {folder}")
    print(f"open {address}\nCtrl-C ends it; every mark is saved at once", flush=True)
    if not args.no_browser and _has_screen():
        webbrowser.open(address)
    ends = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        server.run()
    except KeyboardInterrupt:
        print()
    finally:
        signal.signal(signal.SIGTERM, ends)
    if folder.is_dir() and any(folder.iterdir()):
        for name, marked in sheet.frame()[[]].join(gather_marks([folder])).count().items():
            print(f"{name}: {marked:,} of {len(sheet):,} marked")


def _has_screen() -> bool:
    """Whether a browser has a window to open; without one, a browser in the terminal would hold the server up."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _given_marks(args: argparse.Namespace, sheet: Sheet) -> pd.DataFrame:
    sources = args.marks or [marks_folder(args.sheet)]
    for source in sources:
        if not source.exists():
            raise FileNotFoundError(f"no marks in {str(source)!r}; annotate first, or name them with --marks")
    return gather_marks(sources, sheet.pairs)


def kappa(args: argparse.Namespace) -> None:
    sheet = Sheet.read(args.sheet)
    marks = _given_marks(args, sheet)
    found = agreements(marks)
    rows = [
        [f"{one.first}, {one.second}", f"{one.shared:,}", *map(_share, (one.observed, one.kappa)), f"{one.sure:,}",
         _share(one.kappa_sure)]
        for one in found.itertuples()
    ]  # fmt: skip
    print(table(["", "both marked", "agree", "kappa", "without doubtful", "kappa"], rows))
    if found["kappa"].isna().any():
        print("-: kappa is undefined where nothing, or all with one and the same mark, was marked by both")
    pairs = differing(marks, sheet)
    if args.csv:
        pairs.to_csv(args.csv, index=False)
    for row in pairs.head(args.top).itertuples():
        text = row.text[:_SHOWN] + ("..." if len(row.text) > _SHOWN else "")
        print(f"\n{row.qid}  {row.query}   [{row.asked}]")
        print(f"  {row.docno}: {row.first} {row.one}, {row.second} {row.other}\n  {text}")
    if len(pairs) > args.top:
        print(f"\n{len(pairs) - args.top} more differ; --csv FILE writes all")


def _share(number: float) -> str:
    return "-" if math.isnan(number) else f"{number:.3f}"


def export_marks(args: argparse.Namespace) -> None:
    sheet = Sheet.read(args.sheet)
    settled = settle(_given_marks(args, sheet), args.decider)
    LocalCollection(topics=args.topics).get_topics()
    topics = LocalCollection(topics=args.topics).get_topics("structured").drop(columns="constraints")
    done = export(sheet, topics, settled, args.out, args.name or args.out.resolve().name)
    if done.unmarked:
        print(f"{done.unmarked:,} of {len(sheet):,} sentences have no mark; they count as not judged")
    if done.without_relevant:
        print(f"nothing in their unit is relevant, left out: {', '.join(done.without_relevant)}")
    print(
        f"{done.queries} queries, {done.judged:,} judged sentences, {done.relevant:,} relevant, {done.convertible:,} "
        "by conversion only",
        *done.files,
        sep="\n",
    )
