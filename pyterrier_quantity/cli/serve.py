"""`pyterrier-quantity serve` and `mcp`: an index as a page for this machine, or as tools for language models."""

from __future__ import annotations

import argparse
import webbrowser
from functools import partial

from pyterrier_quantity._extras import need
from pyterrier_quantity.cli.corpus import Corpus
from pyterrier_quantity.cli.opened import checked_index, ranking, word_index
from pyterrier_quantity.cli.show import data_texts
from pyterrier_quantity.web.collection_search import RANKERS, CollectionSearch


def page(args: argparse.Namespace) -> None:
    for module in ("starlette", "uvicorn"):
        need(module, "web")
    from pyterrier_quantity.web.local_server import LocalServer
    from pyterrier_quantity.web.search_app import search_app

    server = LocalServer(search_app(collection_search(args)), args.port)
    print(f"{server.url}  (Ctrl-C ends it)", flush=True)
    if args.open:
        webbrowser.open(server.url)
    server.run()


def tools(args: argparse.Namespace) -> None:
    """Over stdin and stdout."""
    need("mcp.server.mcpserver", "mcp")
    from pyterrier_quantity.agents import server

    server(collection_search(args)).run()


def collection_search(args: argparse.Namespace) -> CollectionSearch:
    """What is searched, from the command's arguments."""
    index, words = checked_index(args.index), word_index(args.index)
    rankers = list(RANKERS) if words.exists() else ["values"]
    texts = data_texts(Corpus.of(args)) if args.corpus else None
    return CollectionSearch(index, partial(ranking, index, words), rankers, texts)
