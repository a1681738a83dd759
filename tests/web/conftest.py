"""A small shop, searched over HTTP; one of its texts and one of its docnos are hostile."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from served import served
from web_material import CORPUS

from pyterrier_quantity import cli
from pyterrier_quantity.cli.search import collection_search
from pyterrier_quantity.web.page_app import LocalServer, search_app


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> argparse.Namespace:
    """The arguments of `serve`, for an index that is there."""
    folder: Path = tmp_path_factory.mktemp("shop")
    corpus = folder / "cars.jsonl"
    corpus.write_text("".join(json.dumps(document) + "\n" for document in CORPUS))
    assert cli.main(["index", str(corpus), str(folder / "cars.quantity"), "--bm25", "--quiet"]) == 0
    fields = {"docno": "docno", "text": ["text"], "form": None, "html": False, "rates": None, "default": ""}
    return argparse.Namespace(index=folder / "cars.quantity", corpus=str(corpus), **fields)


@pytest.fixture(scope="session")
def server(shop: argparse.Namespace) -> Iterator[LocalServer]:
    with served(search_app(collection_search(shop))) as started:
        yield started
