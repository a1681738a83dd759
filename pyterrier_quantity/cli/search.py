"""`pyterrier-quantity search`, `serve` and `mcp`: search an index from a terminal, a browser or a language model."""

import argparse
import json
from collections.abc import Mapping
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity._extras import need
from pyterrier_quantity.backends import bm25
from pyterrier_quantity.cli.arguments import ASKED, FLAG, LANGUAGE, TEXTS, option, takes, whole
from pyterrier_quantity.cli.corpus import Corpus, data_texts, met_quantities, queries, terminal_marks
from pyterrier_quantity.explanation.highlighting import highlight
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.pipelines import quantity_aware
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.transformers.query_parser import QuantityQueryParser
from pyterrier_quantity.web.collection_search import RANKERS, CollectionSearch


def checked_index(path: Path, rates: Mapping[str, float] | None = None) -> QuantityIndex:
    """Return the index at a path, or raise an error if it is unreadable. `rates` are currency values in dollars."""
    index = QuantityIndex(path, rates=rates)
    index.meta  # noqa: B018 - reads and checks the metadata
    return index


def word_index(index: Path) -> Path:
    """Return the path of the word index (BM25) of a quantity index: "news.quantity" -> "news.quantity.words"."""
    return index.with_name(f"{index.name}.words")


def ranking(index: QuantityIndex, words: Path, ranker: str = "", filtered: bool = False) -> pt.Transformer:
    """Return a retriever for an index. If `filtered` is true, all its results meet all conditions. `ranker` selects the
    documents to rank. "rerank": documents with words of the query; "values": documents with values that meet a
    condition; "union": both; "": "union" if there is a word index, otherwise "values". If the ranker needs a word
    index, and the path `words` does not exist, raise a ValueError.
    """
    if ranker == "values" or not (ranker or words.exists()):
        search: pt.Transformer = index.retriever()
    elif words.exists():
        candidates = "retriever" if ranker == "rerank" else "union"
        search = quantity_aware(bm25(words), index, candidates=candidates)
    else:
        fault = "--rerank needs a word index next to the quantity index"
        raise ValueError(f"{fault}: pyterrier-quantity index CORPUS {index.path} --bm25")
    return search >> index.filter() if filtered else search


_SHOWN: Final = ("low", "high", "unit", "start", "end", "concept")
"""Names of the attributes of a `Quantity` that a result in JSON contains."""


@takes(
    "index", "query", *TEXTS, "--json", "--quiet", *ASKED,
    option("--language", help=f"the queries' {LANGUAGE} (the index's)"),
    option("--rerank", **FLAG, help="rank only the documents that the words find"),
    option("--top", type=whole, default=10, help="results to show (%(default)s)"),
    option("--filter", **FLAG, help="keep only documents that meet every condition"),
    option("--today", type=date.fromisoformat, help='2024-05-15: "last year" counts from it'),
)  # fmt: skip
def search(args: argparse.Namespace) -> None:
    """Search an index that `pyterrier-quantity index` built, and show the quantities that meet the query.

    If the index was built with --bm25, documents are ranked by words and quantities, otherwise only by quantities.

    example: pyterrier-quantity search news.quantity --corpus news.jsonl.gz "oil above 20 dollars"
    """
    index = checked_index(args.index, args.rates)
    index.check_default(args.default)
    search = ranking(index, word_index(args.index), "rerank" if args.rerank else "", args.filter)
    parse = QuantityQueryParser(today=args.today, language=args.language or index.language, default=args.default)
    data = Corpus.of(args) if args.corpus else None
    # For queries from stdin, all texts are loaded once. For queries in the arguments, each query reads the corpus.
    texts = None if data is None or args.query else data_texts(data)
    for query in queries(args.query):
        parsed = parse.transform(pd.DataFrame([{"qid": "1", "query": query}]))
        results = search.transform(parsed).head(args.top)
        met = met_quantities(index, results)
        known = texts if texts is not None or data is None else data_texts(data, set(results["docno"]))
        if args.json:
            print(_as_json(query, results, met, known))
        else:
            lines, asked = _as_lines(results, met, known), " and ".join(map(str, parsed["constraints"][0]))
            print("\n".join(lines if args.quiet else [f"{query}   [{asked or 'no quantity'}]", *lines, ""]))


def _as_lines(results: pd.DataFrame, met: list[list[Quantity]], texts: Mapping[str, str] | None) -> list[str]:
    lines = [] if len(results) else ["  nothing found"]
    marks = terminal_marks()
    for rank, (docno, score, found) in enumerate(zip(results["docno"], results["score"], met, strict=True), 1):
        if texts is None:
            shown = ", ".join(map(str, found))
        else:
            of_field = [q for q in found if q.start == q.end]  # quantities of fields have no span in the text
            of_fields = [f"[{' '.join([*q.concept, ''])}{marks[0]}{q}{marks[1]}]" for q in of_field]
            shown = "  ".join([highlight(texts.get(docno, "(not in this corpus)"), found, marks), *of_fields])
        lines.append(f"{rank:4}. {score:.3f}  {docno}  {shown}".rstrip())
    return lines


def _as_json(query: str, results: pd.DataFrame, met: list[list[Quantity]], texts: Mapping[str, str] | None) -> str:
    records = []
    for rank, (docno, score, found) in enumerate(zip(results["docno"], results["score"], met, strict=True), 1):
        record = {"query": query, "rank": rank, "docno": docno, "score": round(float(score), 6)}
        quantities = [{name: getattr(q, name) for name in _SHOWN} for q in found]
        text = {} if texts is None else {"text": texts.get(docno)}
        records.append(json.dumps(record | text | {"met": quantities}, ensure_ascii=False))
    return "\n".join(records)


@takes(
    "index", *TEXTS, *ASKED,
    option("--port", type=whole, default=8765, help="the port; 0 takes any that is free (%(default)s)"),
)  # fmt: skip
def page(args: argparse.Namespace) -> None:
    """Serve a web page that searches an index. The page shows the conditions of each query and lets you change them.

    The path /api on the same server describes the endpoints for programs. Only this machine can open the page.

    example: pyterrier-quantity serve news.quantity --corpus news.jsonl.gz
    """
    for module in ("starlette", "uvicorn"):
        need(module, "web")
    from pyterrier_quantity.web.page_app import LocalServer, search_app

    server = LocalServer(search_app(collection_search(args)), args.port)
    print(f"{server.url}  (Ctrl-C ends it)", flush=True)
    server.run()


@takes("index", *TEXTS, *ASKED)
def tools(args: argparse.Namespace) -> None:
    """Serve an index as tools for a language model, over stdin and stdout, with the Model Context Protocol.

    The protocol's SDK is needed: pip install 'pyterrier-quantity[mcp]'. Add a server to your client's configuration:
    {"command": "pyterrier-quantity", "args": ["mcp", "news.quantity", "--corpus", "news.jsonl"]}

    example: pyterrier-quantity mcp news.quantity --corpus news.jsonl
    """
    need("mcp.server.lowlevel", "mcp")
    from pyterrier_quantity.web.mcp_server import serve

    serve(collection_search(args))


def collection_search(args: argparse.Namespace) -> CollectionSearch:
    """Return the `CollectionSearch` over the index named by the arguments of `serve` and `mcp`."""
    index, words = checked_index(args.index, args.rates), word_index(args.index)
    rankers = list(RANKERS) if words.exists() else ["values"]
    data = Corpus.of(args) if args.corpus else None
    texts, attributes = (data_texts(data), data.attributes()) if data else (None, {})
    return CollectionSearch(index, partial(ranking, index, words), rankers, texts, args.default, attributes)
