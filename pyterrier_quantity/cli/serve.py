"""`pyterrier-quantity serve`: a page to search an index on, for this machine."""

from __future__ import annotations

import argparse
import webbrowser
from functools import partial
from typing import Final

from pyterrier_quantity._extras import need
from pyterrier_quantity.cli.arguments import INDEX, TEXTS, declare, describe
from pyterrier_quantity.cli.corpus import Corpus
from pyterrier_quantity.cli.opened import checked_index, ranking, word_index
from pyterrier_quantity.cli.show import data_texts
from pyterrier_quantity.web.collection_search import RANKERS, CollectionSearch

PORT: Final = 8765


def add_serve(parser: argparse.ArgumentParser) -> None:
    describe(
        parser,
        "Serves a page to search an index on, which shows how each query is read and lets you change it. /api says\n"
        "what programs may ask. The page is for this machine alone.",
        "example:\n  pyterrier-quantity serve news.quantity --corpus news.jsonl.gz",
    )
    options = {f"--port N={PORT}": "where to serve; 0 takes any that is free", "--open": "open the page in the browser"}
    declare(parser, INDEX, TEXTS, options)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    for module in ("starlette", "uvicorn"):
        need(module, "web")
    from pyterrier_quantity.web.local_server import LocalServer
    from pyterrier_quantity.web.search_app import search_app

    server = LocalServer(search_app(collection_search(args)), args.port)
    print(f"{server.url}  (Ctrl-C ends it)", flush=True)
    if args.open:
        webbrowser.open(server.url)
    server.run()


def collection_search(args: argparse.Namespace) -> CollectionSearch:
    """What the page searches, from the command's arguments."""
    index, words = checked_index(args.index), word_index(args.index)
    rankers = list(RANKERS) if words.exists() else ["values"]
    texts = data_texts(Corpus.of(args)) if args.corpus else None
    return CollectionSearch(index, partial(ranking, index, words), rankers, texts)
