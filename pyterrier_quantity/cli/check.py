"""`pyterrier-quantity check`: whether an index is what was written."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pyterrier as pt

from pyterrier_quantity._corpus import CorpusRecord
from pyterrier_quantity._index_folder import is_index
from pyterrier_quantity._recorded import RECORD, compare
from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.concept_units.index_files import KIND as CONCEPTS


def add_command(commands: Any) -> None:
    parser = commands.add_parser(
        "check",
        help="compare an index with its digests",
        description="Reads every file of an index and compares it with the digests in its metadata.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example:\n  pyterrier-quantity check news.quantity",
    )
    parser.add_argument("index", metavar="INDEX", type=Path, nargs="+", help="an index's folder")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    for path in args.index:
        if not path.is_dir():
            raise FileNotFoundError(f"no index at {path}")
        print(f"{path}: whole, {_verified(path):,} documents")


def _verified(path: Path) -> int:
    """How many documents an index holds, after it was compared with its digests."""
    if (path / RECORD).is_file():
        compare(path, everything=True)
        known = CorpusRecord.read(path)
        return known.documents if known else 0
    if is_index(path, CONCEPTS):
        concepts = ConceptUnitIndex.load(path)
        concepts.verify()
        return int(concepts.meta["documents"])
    index: Any = pt.Artifact.load(str(path))
    if not hasattr(index, "verify"):
        raise ValueError(f"{path} is a {type(index).__name__}, which keeps no digests")
    index.verify()
    return len(index)
