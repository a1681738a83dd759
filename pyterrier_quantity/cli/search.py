"""`pyterrier-quantity search`: queries over an index, from the command line or one a line from stdin."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Final

import pandas as pd

from pyterrier_quantity._frames import whole_characters
from pyterrier_quantity.cli.corpus import Corpus, typed
from pyterrier_quantity.cli.opened import checked_index, ranking, word_index
from pyterrier_quantity.cli.show import data_texts, met_quantities, terminal_marks
from pyterrier_quantity.explanation_text import highlight
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.transformers import QuantityQueryParser

_SHOWN: Final = ("low", "high", "unit", "start", "end", "concept")
"""What the JSON of a result says of a quantity."""


def run(args: argparse.Namespace) -> None:
    index = checked_index(args.index)
    search = ranking(index, word_index(args.index), "rerank" if args.rerank else "", args.feedback, args.filter)
    parse = QuantityQueryParser(today=args.today, language=args.language)
    data = Corpus.of(args) if args.corpus else None
    # A corpus is read once per query given on the command line, but only once for many.
    texts = None if data is None or args.query else data_texts(data)
    for query in map(whole_characters, args.query or filter(None, map(str.strip, typed("query")))):
        queries = parse.transform(pd.DataFrame([{"qid": "1", "query": query}]))
        results = search.transform(queries).head(args.top)
        met = met_quantities(index, results)
        known = texts if texts is not None or data is None else data_texts(data, set(results["docno"]))
        if args.json:
            print(_as_json(query, results, met, known))
        else:
            lines = _as_lines(results, met, known)
            print("\n".join(lines if args.quiet else [*_head(query, queries), *lines, ""]))


def _head(query: str, queries: pd.DataFrame) -> list[str]:
    return [f"{query}   [{' and '.join(map(str, queries['constraints'][0])) or 'no quantity'}]"]


def _as_lines(results: pd.DataFrame, met: list[list[Quantity]], texts: Mapping[str, str] | None) -> list[str]:
    lines = [] if len(results) else ["  nothing found"]
    marks = terminal_marks()
    for rank, (docno, score, found) in enumerate(zip(results["docno"], results["score"], met, strict=True), 1):
        if texts is None:
            shown = ", ".join(map(str, found))
        else:
            of_fields = [f"[{_attribute(q)}{marks[0]}{q}{marks[1]}]" for q in found if q.start == q.end]
            shown = "  ".join([highlight(texts.get(docno, "(not in this corpus)"), found, marks), *of_fields])
        lines.append(f"{rank:4}. {score:.3f}  {docno}  {shown}".rstrip())
    return lines


def _attribute(quantity: Quantity) -> str:
    """The field that states a quantity which stands in no text."""
    return f"{' '.join(quantity.concept)} " if quantity.concept else ""


def _as_json(query: str, results: pd.DataFrame, met: list[list[Quantity]], texts: Mapping[str, str] | None) -> str:
    records = []
    for rank, (docno, score, found) in enumerate(zip(results["docno"], results["score"], met, strict=True), 1):
        record = {"query": query, "rank": rank, "docno": docno, "score": round(float(score), 6)}
        quantities = [{name: getattr(q, name) for name in _SHOWN} for q in found]
        text = {} if texts is None else {"text": texts.get(docno)}
        records.append(json.dumps(record | text | {"met": quantities}, ensure_ascii=False))
    return "\n".join(records)
