"""Interfaces of shops and portals: values for facets, rows of tables, calls of tools, requests to the page."""

from __future__ import annotations

import csv
import http.client
import io
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any, Final
from urllib.parse import quote, urlencode

import numpy as np
import pandas as pd

from lib.attacks.surfaces import Surface, odd
from lib.attacks.texts import drawn
from pyterrier_quantity import FieldQuantities, QuantityIndex, filters
from pyterrier_quantity.datasets import CollectionError
from pyterrier_quantity.datasets.corpus_files import CorpusFile
from pyterrier_quantity.web.addresses import ADDRESSES
from pyterrier_quantity.web.collection_search import CollectionSearch

_VALUES: Final = [0, -1, 30, 30.5, 1e308, -1e308, 5e-324, float("inf"), float("nan"), None, pd.NA, np.float32(7)]
_PLAUSIBLE: Final = {
    "query": ["goods below 9 kg", "5 \ud800 kg", "x" * 2001], "docno": ["a", "half\ud800"], "top": [1, 100, 0, 10**30],
    "conditions": [[{"op": "<", "low": 9, "unit": "kg"}], [{"op": "=", "low": 1e308, "alternative": 10**25}], None],
    "unit": ["kg", "", "!!"], "value": [1e308, "NaN", 5], "from_unit": ["kg", "km"], "to_unit": ["g", "mile"],
    "answer": ["It weighs 5 kg.", "０ kg"], "evidence": [["It weighs 6 kg."], "It weighs 5 \ud800 kg."],
    "filtered": [True, None], "ranker": ["values", "magic", None],
}  # fmt: skip


def _facets(folder: Path) -> Surface:
    fields = {"price": ("p", "dollar")}

    def draw(random: Random) -> Any:
        few = random.choices(_VALUES, k=random.randrange(1, 6))
        values = [random.choice([*few, random.randrange(200)]) for _ in range(random.randrange(40))]
        return values, random.randrange(1, 9), random.choice(["round", "quantiles"])

    def use(given: Any) -> None:
        values, ranges, by = given
        found = filters.facets(values, ranges, by)
        known = [value for value in map(pd.to_numeric, values) if not pd.isna(value) and np.isfinite(value)]
        assert sum(facet.count for facet in found) == len(known), found
        assert all(facet.count for facet in found), found
        for facet in found:
            assert "nan" not in filters.to_sql([facet.condition("p")], fields), facet

    return Surface(draw, use, ())


def _rows(folder: Path) -> Surface:
    """Draw tables with possibly one damaged row: they are read as written, or an error names the damaged line."""
    path = folder / "rows.csv"
    damages = ["k,Pan,12,7", "k,Pan", 'k,"Pan,12', "k,Pan,1,299"]

    def written(cells: list[str]) -> str:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerow(cells)
        return out.getvalue().removesuffix("\n")

    def draw(random: Random) -> Any:
        texts = ["Kettle", "a, b", 'say "hi"', "", "two\nlines", drawn(random)[:30].replace("\r", "").replace("\0", "")]
        rows = [[f"k{n}", random.choice(texts), random.choice(["39", "1,299"])] for n in range(random.randrange(1, 5))]
        lines, damaged = list(map(written, rows)), None
        if random.random() < 0.7:
            at = random.randrange(len(rows))
            lines[at] = random.choice(damages)
            damaged = 2 + sum(line.count("\n") + 1 for line in lines[:at])
        return rows, "\n".join(["docno,text,price", *lines, ""]), damaged

    def use(given: Any) -> None:
        rows, content, damaged = given
        path.write_bytes(content.encode("utf-8", "replace"))
        try:
            found = [[one["docno"], one["text"], one["price"]] for _, one in CorpusFile(path).records()]
        except CollectionError as error:
            named = error.line
        else:
            named = None
        assert named == damaged, f"line {named} was refused, line {damaged} is damaged"
        assert named or found == [[cell.encode("utf-8", "replace").decode() for cell in row] for row in rows], found

    return Surface(draw, use, ())


def _collection(folder: Path) -> CollectionSearch:
    corpus = [
        {"docno": "a", "text": "goods of 5 kg"},
        {"docno": "half\ud800", "text": "goods \ud800 of 7 kg", "price": 5},
    ]
    index = QuantityIndex(folder / "i")
    (FieldQuantities({"price": ("price", "€")}) >> index).index(corpus)
    return CollectionSearch(
        index, lambda *given: index.retriever(), ["values"], {one["docno"]: one["text"] for one in corpus}
    )


def _question(random: Random) -> tuple[str, dict[str, Any]]:
    """Draw an address or tool, with its arguments."""
    address = random.choice(ADDRESSES)
    given = {one.name: random.choice(_PLAUSIBLE.get(one.name, ["x"])) for one in address.parameters}
    for name in [*given, "x"]:
        chance = random.random()
        if chance < 0.15:
            given[name] = odd(random)
        elif chance < 0.25:
            given.pop(name, None)
    return random.choice([address.name] * 9 + [drawn(random)]), given


def _tools(folder: Path) -> Surface:
    from pyterrier_quantity.web.mcp_server import answered

    search = _collection(folder)

    def use(given: Any) -> None:
        text = answered(search, *given)
        text.encode()
        json.loads(text, parse_constant=lambda name: 1 / 0)

    return Surface(_question, use, (ValueError, TypeError))


def _page(folder: Path) -> Surface:
    from pyterrier_quantity.web.local_server import LocalServer
    from pyterrier_quantity.web.search_app import search_app

    server = LocalServer(search_app(_collection(folder)))
    Thread(target=server.run, daemon=True).start()
    own = [{}, {"Sec-Fetch-Site": "same-origin"}, {"Origin": f"http://127.0.0.1:{server.port}"}]
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    foreign = [{"Origin": "http://["}, {"Sec-Fetch-Site": "same-site"}, link, link | {"Sec-Fetch-Dest": "iframe"}]

    def draw(random: Random) -> Any:
        name, given = _question(random)
        texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in given.items()}
        asked = urlencode({key: text.encode("utf-8", "replace") for key, text in texts.items()})
        return quote(name.encode("utf-8", "replace")), asked[:60_000], random.choice([*own, *own, *foreign])

    def use(given: Any) -> None:
        name, asked, headers = given
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        try:
            connection.request("GET", f"/{name}?{asked}", headers=headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        allowed = {403} if headers in foreign else {200, 400, 404}
        assert answer.status in allowed, (answer.status, content[:200])
        json.loads(content, parse_constant=lambda name: 1 / 0)

    return Surface(draw, use, ())


SURFACES: Final[dict[str, Callable[[Path], Surface]]] = {
    "facets": _facets, "rows of tables": _rows, "tools": _tools, "page": _page,
}  # fmt: skip
