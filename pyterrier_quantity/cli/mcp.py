"""`pyterrier-quantity mcp`: an index as tools for language models, over stdin and stdout."""

from __future__ import annotations

import argparse

from pyterrier_quantity.cli.arguments import INDEX, TEXTS, declare, describe


def add_mcp(parser: argparse.ArgumentParser) -> None:
    describe(
        parser,
        "Serves an index that `pyterrier-quantity index` built to a language model's client, over stdin and stdout,\n"
        "by the Model Context Protocol. It needs the SDK: pip install pyterrier-quantity[mcp].",
        "example:\n  pyterrier-quantity mcp news.quantity --corpus news.jsonl\nin a client's list of servers:\n"
        '  {"command": "pyterrier-quantity", "args": ["mcp", "news.quantity", "--corpus", "news.jsonl"]}',
    )
    declare(parser, INDEX, TEXTS)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    try:
        from pyterrier_quantity.agents import server
    except ImportError as error:
        if error.name and error.name.split(".")[0] not in ("mcp", "pydantic"):
            raise
        raise ImportError("mcp needs the protocol's SDK from 2.0 on: pip install pyterrier-quantity[mcp]") from error
    from pyterrier_quantity.cli.serve import collection_search

    server(collection_search(args)).run()
