"""`pyterrier-quantity extract` and `parse`: show the quantities in texts, and the conditions in a query."""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from pyterrier_quantity.cli.arguments import ASKED, FLAG, LANGUAGE, PATH, option, takes
from pyterrier_quantity.cli.corpus import queries, typed
from pyterrier_quantity.datasets.corpus_files import CorpusFile
from pyterrier_quantity.datasets.files import existing
from pyterrier_quantity.datasets.files import lines as read_lines
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.frames.frame import whole_characters
from pyterrier_quantity.plan import Defaults
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.web.query_reading import query_reading

_CHUNK = 512


@takes(
    option("text", nargs="*", help="a text; quote it"),
    option("--file", **PATH, help="one text per line, or .jsonl with docno and text; either may be .gz"), "--html",
    option("--language", default="en", help=f"the texts' {LANGUAGE} (%(default)s)"),
    ["--json", option("--trace", **FLAG, help="show what each extraction step does to each mention")],
)  # fmt: skip
def extract(args: argparse.Namespace) -> None:
    """Print the quantities of each TEXT, of each line of a FILE, or of each line of stdin.

    examples:
      pyterrier-quantity extract "The car makes 503 hp and costs $64,900."
      pyterrier-quantity extract --json --file news.jsonl.gz > quantities.jsonl
    """
    if args.text and args.file:
        raise ValueError("give either TEXT or --file, not both")
    extractor = RuleExtractor(html=args.html, language=args.language)
    documents = ({**document, "text": whole_characters(document["text"])} for document in _documents(args))
    while chunk := list(islice(documents, 1 if sys.stdin.isatty() else _CHUNK)):
        if args.trace:
            for document in chunk:
                print(f"{extractor.trace(document['text'])}\n")
            continue
        found = extractor.extract_batch([document["text"] for document in chunk])
        for document, quantities in zip(chunk, found, strict=True):
            if args.json:
                print(json.dumps(document | {"quantities": [asdict(q) for q in quantities]}, ensure_ascii=False))
            else:
                print(_shown(document, quantities))


def _documents(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    if args.text:
        yield from ({"text": text} for text in args.text)
    elif args.file is None:
        yield from ({"text": text} for text in typed("text"))
    else:
        path = existing(args.file, "text")
        assert path is not None
        if Path(path.name.removesuffix(".gz")).suffix in (".jsonl", ".json"):
            yield from CorpusFile(path).documents()
        else:
            yield from ({"text": text} for _, text in read_lines(path))


def _shown(document: dict[str, Any], quantities: list[Quantity]) -> str:
    text = document["text"]
    head = f"{document['docno']}  {text}" if "docno" in document else text
    if not quantities:
        return f"{head}\n  no quantities\n"
    rows = [(str(q), repr(text[q.start : q.end]), " ".join(q.concept)) for q in quantities]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join([head, *(f"  {line.rstrip()}" for line in lines), ""])


@takes(
    "query", *ASKED,
    option("--language", default="en", help=f"the query's {LANGUAGE} (%(default)s)"),
    [option("--explain", **FLAG, help="show which words set each condition, and how certain it is"), "--json"],
)  # fmt: skip
def parse(args: argparse.Namespace) -> None:
    """Show how a query is interpreted: its conditions, and the words to search for.

    example: pyterrier-quantity parse --explain "sports car above 500 hp"
    """
    defaults = Defaults(args.default, args.rates)
    for query in queries(args.query):
        reading = query_reading(query, args.language, defaults)
        if args.json:
            print(json.dumps(reading, ensure_ascii=False))
        else:
            print("\n".join([query, *_described(reading, args.explain), ""]))


def _described(reading: dict[str, Any], explained: bool) -> list[str]:
    lines = [f"  words      {reading['terms'] or 'none'}"]
    for one in reading["conditions"]:
        lines.append(f"  condition  {one['text']}")
        if explained:
            lines += [f"             {line}" for line in _explained(one)]
    if not reading["conditions"]:
        lines.append("  condition  none")
    if order := reading.get("order"):
        lines.append(f"  order      by {order['attribute'][0]}, {'highest' if order['descending'] else 'lowest'} first")
    if explained:
        lines += [f"  ignored    {one['words']!r}: {one['why']}" for one in reading["ignored"]]
    return lines


def _explained(one: dict[str, Any]) -> list[str]:
    bound = one["words"].replace(one["value_words"], "", 1).strip()
    sentences = [f"{one['value_words']!r} is the value" + (f", {bound!r} says {one['op']!r}" if bound else "")]
    if one["attribute"]:
        sentences.append(f"it belongs to {', '.join(map(repr, one['attribute']))}, the nearest first")
    if one["alternative"]:
        sentences.append(f"one of the conditions of group {one['alternative']} is enough")
    sentences.append(f"{one['sure']} to be a condition ({one['certainty']:.2f})")
    return sentences
