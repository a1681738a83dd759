"""`pyterrier-quantity mcp`: an index as tools for language models, over stdin and stdout."""

from __future__ import annotations

import argparse


def run(args: argparse.Namespace) -> None:
    try:
        from pyterrier_quantity.agents import server
    except ImportError as error:
        if error.name and error.name.split(".")[0] not in ("mcp", "pydantic"):
            raise
        raise ImportError("mcp needs the protocol's SDK from 2.0 on: pip install pyterrier-quantity[mcp]") from error
    from pyterrier_quantity.cli.serve import collection_search

    server(collection_search(args)).run()
