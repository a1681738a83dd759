"""`pyterrier-quantity delete` and `merge`: what else a growing index needs beside `index --add` and `--update`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from pyterrier_quantity.index import QuantityIndex


def add_command(commands: Any) -> None:
    delete = commands.add_parser(
        "delete",
        help="delete documents from an index",
        description="Deletes documents from a quantity index; `merge` gives their space back.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="examples:\n  pyterrier-quantity delete news.quantity R17-1 R17-2\n"
        "  cut -f1 gone.tsv | pyterrier-quantity delete news.quantity -",
    )
    delete.add_argument("index", metavar="INDEX", type=Path, help="an index's folder")
    delete.add_argument("docnos", metavar="DOCNO", nargs="+", help="docnos of documents; -: one a line, from stdin")
    delete.add_argument("--ignore-missing", action="store_true", help="pass over docnos that the index does not hold")
    delete.set_defaults(run=_delete)
    merge = commands.add_parser(
        "merge",
        help="make an index that has grown one of a piece again",
        description="Merges what was added to a quantity index, and gives the space of deleted documents back.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example:\n  pyterrier-quantity merge news.quantity",
    )
    merge.add_argument("index", metavar="INDEX", type=Path, help="an index's folder")
    merge.add_argument("--quiet", action="store_true", help="no progress bar")
    merge.set_defaults(run=_merge)


def _delete(args: argparse.Namespace) -> None:
    index = QuantityIndex(args.index)
    docnos = args.docnos if args.docnos != ["-"] else [line.rstrip("\r\n") for line in sys.stdin if line.strip()]
    index.delete(docnos, args.ignore_missing)
    print(f"{args.index}: {len(index):,} documents now")


def _merge(args: argparse.Namespace) -> None:
    index = QuantityIndex(args.index).merge(verbose=not args.quiet)
    size = sum(file.stat().st_size for file in index.folder.rglob("*.bin"))
    print(f"{args.index}: {len(index):,} documents in one piece, {size / 1e6:,.1f} MB")
