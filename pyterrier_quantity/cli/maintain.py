"""`pyterrier-quantity delete`, `merge` and `check`: what an index needs that is there."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pyterrier as pt

from pyterrier_quantity._corpus import CorpusRecord
from pyterrier_quantity._index_folder import is_index
from pyterrier_quantity._recorded import RECORD, compare
from pyterrier_quantity.cli.corpus import typed
from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.concept_units.concept_unit_index import KIND as CONCEPTS
from pyterrier_quantity.index import QuantityIndex


def delete(args: argparse.Namespace) -> None:
    index = QuantityIndex(args.index)
    docnos = args.docno if args.docno != ["-"] else list(filter(str.strip, typed("docno")))
    index.delete(docnos, args.ignore_missing)
    print(f"{args.index}: {len(index):,} documents now")


def merge(args: argparse.Namespace) -> None:
    index = QuantityIndex(args.index).merge(verbose=not args.quiet)
    size = sum(file.stat().st_size for file in index.folder.rglob("*.bin"))
    print(f"{args.index}: {len(index):,} documents in one piece, {size / 1e6:,.1f} MB")


def check(args: argparse.Namespace) -> None:
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
        return concepts.documents
    index: Any = pt.Artifact.load(str(path))
    if not hasattr(index, "verify"):
        raise ValueError(f"{path} is a {type(index).__name__}, which keeps no digests")
    index.verify()
    return len(index)
