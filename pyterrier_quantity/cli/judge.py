"""The later steps of `pyterrier-quantity collect`: the page, the annotators' agreement, the finished collection."""

from __future__ import annotations

import argparse
import math
import os
import signal
import sys
import webbrowser
from pathlib import Path
from typing import Any

import pandas as pd

from pyterrier_quantity._extras import need
from pyterrier_quantity.cli.arguments import number
from pyterrier_quantity.cli.show import table
from pyterrier_quantity.collecting import Agreement, Sheet, agreements, export, gather_marks, settle
from pyterrier_quantity.datasets import LocalCollection

_SHOWN = 100
"""Characters of a sentence that are shown."""


def add_steps(steps: Any) -> None:
    for add in (_add_annotate, _add_kappa, _add_export):
        add(steps)


def marks_folder(sheet: str | Path) -> Path:
    """Where the marks of a sheet lie: news.sheet.tsv has news.sheet.marks."""
    path = Path(sheet)
    return path.with_name(f"{path.name.removesuffix('.tsv')}.marks")


def _add_annotate(steps: Any) -> None:
    parser = steps.add_parser(
        "annotate",
        help="mark sentences in the browser",
        description=(
            "Serves a page to this machine on which a person marks sentences as relevant, not relevant or "
            "doubtful. Every mark is saved at once; start it again to go on."
        ),
    )
    parser.add_argument("sheet", metavar="SHEET", help="what the step candidates wrote")
    parser.add_argument("--annotator", metavar="NAME", help="who annotates; else the page asks")
    parser.add_argument("--marks", metavar="DIR", type=Path, help="where marks are kept (SHEET's name with .marks)")
    parser.add_argument(
        "--sample",
        metavar="N",
        type=int,
        help="only so many sentences, at random, the same for everyone: for the agreement of a second annotator",
    )
    number(parser, "--seed", 0, "of that choice")
    parser.add_argument("--port", metavar="N", type=int, default=0, help="where to serve the page (a free one)")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.set_defaults(run=_annotate)


def _annotate(args: argparse.Namespace) -> None:
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
        for name, marks in gather_marks([folder]).items():
            print(f"{name}: {sum(pair in sheet.pairs for pair in marks):,} of {len(sheet):,} marked")


def _has_screen() -> bool:
    """Whether a browser has a window to open; without one, a browser in the terminal would hold the server up."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _add_marks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--marks",
        metavar="PATH",
        type=Path,
        action="append",
        help="a file of marks, a sheet that was "
        "filled in by hand, or a folder of marks; can be given several times (SHEET's name with "
        ".marks)",
    )


def _given_marks(args: argparse.Namespace, sheet: Sheet) -> dict[str, dict[tuple[str, str], str]]:
    sources = args.marks or [marks_folder(args.sheet)]
    for source in sources:
        if not source.exists():
            raise FileNotFoundError(f"no marks in {str(source)!r}; annotate first, or name them with --marks")
    return gather_marks(sources, sheet.pairs)


def _add_kappa(steps: Any) -> None:
    parser = steps.add_parser(
        "kappa",
        help="how far annotators agree, and where not",
        description="Prints Cohen's kappa of every two annotators, and the sentences on which they differ.",
    )
    parser.add_argument("sheet", metavar="SHEET", help="what the step candidates wrote")
    _add_marks(parser)
    parser.add_argument("--csv", metavar="FILE", help="write the differing sentences to a file")
    number(parser, "--top", 20, "differing sentences to show")
    parser.set_defaults(run=_kappa)


def _kappa(args: argparse.Namespace) -> None:
    sheet = Sheet.read(args.sheet)
    found = agreements(_given_marks(args, sheet))
    rows = [
        [
            f"{one.first}, {one.second}",
            f"{one.shared:,}",
            _share(one.observed),
            _share(one.kappa),
            f"{one.sure:,}",
            _share(one.kappa_sure),
        ]
        for one in found
    ]
    print(table(["", "both marked", "agree", "kappa", "without doubtful", "kappa"], rows))
    if any(math.isnan(one.kappa) for one in found):
        print("-: kappa is undefined where nothing, or all with one and the same mark, was marked by both")
    differing = pd.concat([_differing(one, sheet) for one in found], ignore_index=True)
    if args.csv:
        differing.to_csv(args.csv, index=False)
    for row in differing.head(args.top).itertuples():
        text = row.text[:_SHOWN] + ("..." if len(row.text) > _SHOWN else "")
        print(f"\n{row.qid}  {row.query}   [{row.asked}]")
        print(f"  {row.docno}: {row.first} {row.one}, {row.second} {row.other}\n  {text}")
    if len(differing) > args.top:
        print(f"\n{len(differing) - args.top} more differ; --csv FILE writes all")


def _differing(agreement: Agreement, sheet: Sheet) -> pd.DataFrame:
    rows = [
        (
            c.qid,
            c.query,
            c.asked,
            c.docno,
            agreement.first,
            agreement.differing[c.pair][0],
            agreement.second,
            agreement.differing[c.pair][1],
            c.text,
        )
        for c in sheet.candidates
        if c.pair in agreement.differing
    ]
    return pd.DataFrame(rows, columns=["qid", "query", "asked", "docno", "first", "one", "second", "other", "text"])


def _share(number: float) -> str:
    return "-" if math.isnan(number) else f"{number:.3f}"


def _add_export(steps: Any) -> None:
    parser = steps.add_parser(
        "export",
        help="write topics and qrels from the marks",
        description="Writes topics, qrels, qrels of what is relevant by conversion only, and doubtful pairs.",
    )
    parser.add_argument("sheet", metavar="SHEET", help="what the step candidates wrote")
    parser.add_argument("topics", metavar="TOPICS", help="the topics of the sheet")
    _add_marks(parser)
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="the folder to write to")
    parser.add_argument("--name", metavar="NAME", help="how the files begin (the folder's name)")
    parser.add_argument(
        "--decider", metavar="NAME", help="the annotator whose marks win; else most annotators' do; a tie is doubtful"
    )
    parser.set_defaults(run=_export)


def _export(args: argparse.Namespace) -> None:
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
        f"by conversion only\n{done.topics}\n{done.qrels}\n{done.qrels_convertible}\n{done.doubtful}"
    )
