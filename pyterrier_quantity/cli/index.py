"""`pyterrier-quantity index`, `delete`, `merge` and `check`: build and maintain a quantity index."""

import argparse
import shlex
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyterrier as pt

from pyterrier_quantity.backends import ENGINES, bm25, engine_for
from pyterrier_quantity.cli.arguments import FIELDS, FLAG, LANGUAGE, PATH, option, takes, whole
from pyterrier_quantity.cli.corpus import Corpus, typed
from pyterrier_quantity.cli.search import word_index
from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.storage.file_records import RECORD, CorpusRecord, compare
from pyterrier_quantity.storage.folders import check_free
from pyterrier_quantity.transformers.field_quantities import FieldQuantities

_LOOKED_AT: Final = 1000  # maximum number of documents from which the example query takes a quantity


def _field(given: str) -> tuple[str, str | tuple[str, str]]:
    """Parse a value of --quantities as an attribute and a field: "cost=price:€" -> ("cost", ("price", "€"))."""
    name, _, field = given.rpartition("=")
    field, colon, unit = field.partition(":")
    if not field or (colon and not unit):
        raise ValueError(f"--quantities {given!r}: give a field, FIELD:UNIT or NAME=FIELD:UNIT, such as price:€")
    return name or field, (field, unit) if colon else field


def _documents(data: Corpus, args: argparse.Namespace) -> Iterable[dict[str, Any]]:
    documents = data.get_corpus_iter(verbose=False)
    if args.quantities:
        extractor = RuleExtractor(dates=True, language=args.language or "en")
        return FieldQuantities(dict(map(_field, args.quantities)), extractor=extractor).transform_iter(documents)
    return documents


@takes(
    "corpus", "--html", "index", *FIELDS, "--quiet",
    option("--language", help=f"the {LANGUAGE}, of documents without a field `language` (the index's, or en)"),
    option("--bm25", **FLAG, help="index the words too, in INDEX.words, with one of PISA, Terrier and bm25s"),
    option("--backend", choices=list(ENGINES), help="index the words too, with the named engine"),
    option("--skip-bad", **FLAG, help="leave out documents that cannot be read, and name them, instead of stopping"),
    option("--workers", "--threads", type=whole, default=1, help="processes that extract (%(default)s)"),
    option("--quantities", nargs="+", metavar="[NAME=]FIELD[:UNIT]",
           help="fields whose numbers are quantities too: weight_kg, price:€, 'cost=price:{currency}'"),
    ["--overwrite", option("--add", **FLAG, help="add the documents to an existing index"),
     option("--update", **FLAG, help="add the documents, and replace those with the same docnos")],
)  # fmt: skip
def build(args: argparse.Namespace) -> None:
    """Build a quantity index of a corpus, and with --bm25 also a word index.

    examples:
      pyterrier-quantity index news.jsonl.gz news.quantity --bm25
      pyterrier-quantity index quantity:demo demo.quantity --bm25
      pyterrier-quantity index shop.csv shop.quantity --docno sku --text title story --quantities price:€ weight_kg
      pyterrier-quantity index today.jsonl news.quantity --add
    """
    data = Corpus.of(args)
    words, with_words = word_index(args.index), args.bm25 or args.backend
    index = QuantityIndex(args.index, args.language)
    if args.add or args.update:
        _grow(index, data, args)
        return
    if with_words and not index.built():
        check_free(words, args.overwrite)
    if with_words:
        engine_for(words, args.backend).load()
    begin = time.perf_counter()
    on_error, verbose = "skip" if args.skip_bad else "raise", not args.quiet
    indexer = index.indexer(threads=args.workers, overwrite=args.overwrite, verbose=verbose, on_error=on_error)
    indexer.index(_documents(data, args))
    seconds = time.perf_counter() - begin
    print(f"{args.index}: {index.meta['quantities']:,} quantities of {len(index):,} documents in {seconds:.1f} s")
    if with_words:
        begin = time.perf_counter()
        documents = data.get_corpus_iter(verbose=False)
        bm25(words, documents, engine=args.backend, overwrite=args.overwrite, verbose=not args.quiet)
        print(f"{words}: the words, in {time.perf_counter() - begin:.1f} s")
    if not args.quiet:
        print(f"search it: {_search_command(index, args)}")


def _search_command(index: QuantityIndex, args: argparse.Namespace) -> str:
    """Return an example shell command that searches the new index for the first quantity in it."""
    docnos = index.docnos.docnos(np.arange(min(len(index), _LOOKED_AT)))
    stated = next(filter(None, map(index.quantities, docnos)), None)
    query = "a few words" if stated is None else f"at least {stated[0].low:.10g} {stated[0].unit}".removesuffix(" -")
    command = ["pyterrier-quantity", "search", str(args.index), query]
    if args.corpus != "-":
        command += ["--corpus", args.corpus]
        command += ["--docno", args.docno] * (args.docno != "docno") + ["--form", args.form or ""] * bool(args.form)
        command += ["--text", *args.text] * (args.text != ["text"]) + ["--html"] * args.html
    return shlex.join(command)


def _grow(index: QuantityIndex, data: Corpus, args: argparse.Namespace) -> None:
    words = word_index(args.index)
    if args.bm25 or args.backend:
        raise ValueError("a word index cannot grow: index the whole corpus, or leave out --bm25")
    change = index.update if args.update else index.add
    begin = time.perf_counter()
    change(_documents(data, args), threads=args.workers, verbose=not args.quiet)
    seconds = time.perf_counter() - begin
    print(f"{args.index}: {index.meta['quantities']:,} quantities of {len(index):,} documents now, in {seconds:.1f} s")
    if words.exists():
        warnings.warn(f"{words} holds the words of the former documents; build it again in full", stacklevel=2)


@takes(
    "index",
    option("--ignore-missing", **FLAG, help="ignore docnos that are not in the index"),
    option("docno", nargs="+", help="docnos of documents; -: read from stdin, one per line"),
)  # fmt: skip
def delete(args: argparse.Namespace) -> None:
    """Delete documents from a quantity index. The command `merge` then frees their disk space.

    examples:
      pyterrier-quantity delete news.quantity R17-1 R17-2
      cut -f1 gone.tsv | pyterrier-quantity delete news.quantity -
    """
    index = QuantityIndex(args.index)
    docnos = args.docno if args.docno != ["-"] else list(filter(str.strip, typed("docno")))
    index.delete(docnos, args.ignore_missing)
    print(f"{args.index}: {len(index):,} documents now")


@takes("index", "--quiet")
def merge(args: argparse.Namespace) -> None:
    """Merge the segments of a quantity index, and free the disk space of deleted documents.

    example: pyterrier-quantity merge news.quantity
    """
    index = QuantityIndex(args.index).merge(verbose=not args.quiet)
    size = sum(file.stat().st_size for file in index.folder.rglob("*.bin"))
    print(f"{args.index}: {len(index):,} documents in one piece, {size / 1e6:,.1f} MB")


@takes(option("index", **PATH, nargs="+", help="an index's folder"))
def check(args: argparse.Namespace) -> None:
    """Check the files of an index against the digests in its metadata.

    example: pyterrier-quantity check news.quantity
    """
    for path in args.index:
        if not path.is_dir():
            raise FileNotFoundError(f"no index at {path}")
        print(f"{path}: whole, {_verified(path):,} documents")


def _verified(path: Path) -> int:
    if (path / RECORD).is_file():
        compare(path, everything=True)
        known = CorpusRecord.read(path)
        return known.documents if known else 0
    index: Any = pt.Artifact.load(str(path))
    if not hasattr(index, "verify"):
        raise ValueError(f"{path} is a {type(index).__name__}, which keeps no digests")
    index.verify()
    return index.documents if isinstance(index, ConceptUnitIndex) else len(index)
