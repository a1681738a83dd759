"""`pyterrier-quantity index`: a corpus to a quantity index, and a word index beside it."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from pyterrier_quantity.backends import pisa_bm25
from pyterrier_quantity.datasets import LocalCollection
from pyterrier_quantity.index import QuantityIndex


def add_command(commands: Any) -> None:
    parser = commands.add_parser(
        "index",
        help="index the quantities of a corpus",
        description="Builds a quantity index of a corpus, and with --bm25 a PISA index of its words beside it.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example:\n  pyterrier-quantity index news.jsonl.gz news.quantity --bm25",
    )
    parser.add_argument("corpus", metavar="CORPUS", help='JSON lines, {"docno": ..., "text": ...} each; may be .gz')
    parser.add_argument("index", metavar="INDEX", type=Path, help="the folder to write")
    parser.add_argument("--bm25", action="store_true", help="index the words as well, in INDEX.pisa")
    parser.add_argument("--workers", "--threads", metavar="N", type=int, default=1, dest="workers",
                        help="processes that extract (%(default)s)")  # fmt: skip
    parser.add_argument("--overwrite", action="store_true", help="replace indexes that are there")
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
    parser.set_defaults(run=run)


def word_index(index: Path) -> Path:
    """Where the word index of a quantity index lies."""
    return index.with_name(f"{index.name}.pisa")


def run(args: argparse.Namespace) -> None:
    data = LocalCollection(args.corpus)
    words = word_index(args.index)
    if args.bm25 and words.exists() and not args.overwrite:
        raise FileExistsError(f"{words} exists; pass --overwrite to replace it")
    index = QuantityIndex(args.index)
    if index.built() and not args.overwrite:
        raise FileExistsError(f"{args.index} holds a quantity index already; pass --overwrite to replace it")
    begin = time.perf_counter()
    indexer = index.indexer(threads=args.workers, overwrite=args.overwrite, verbose=not args.quiet)
    indexer.index(data.get_corpus_iter(verbose=False))
    seconds = time.perf_counter() - begin
    print(f"{args.index}: {index.meta['quantities']:,} quantities of {len(index):,} documents in {seconds:.1f} s")
    if args.bm25:
        begin = time.perf_counter()
        documents = data.get_corpus_iter(verbose=False)
        pisa_bm25(words, documents, overwrite=args.overwrite, verbose=not args.quiet)
        print(f"{words}: the words, in {time.perf_counter() - begin:.1f} s")
    print(f'search it: pyterrier-quantity search {args.index} --corpus {args.corpus} "..."')
