"""Interfaces of shops, portals and annotators: values for facets, table rows, tool calls, requests to pages, answers
with evidence, texts and tables of other languages, and tables of the user's units."""

import csv
import http.client
import io
import json
import math
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any, Final
from urllib.parse import quote, urlencode

import numpy as np
import pandas as pd

from lib.attacks.surfaces import Surface, garbled, odd
from lib.attacks.texts import PIECES, drawn
from pyterrier_quantity import FieldQuantities, QuantityIndex, RuleExtractor, filters
from pyterrier_quantity.collecting.annotation_page import AnnotationPage
from pyterrier_quantity.collecting.judgements import MARKS, read_marks
from pyterrier_quantity.collecting.sheet import Candidate, Sheet
from pyterrier_quantity.datasets import CollectionError
from pyterrier_quantity.datasets.corpus_files import CorpusFile
from pyterrier_quantity.english import TABLES
from pyterrier_quantity.extraction.language.tables import LanguageError
from pyterrier_quantity.grounding import check
from pyterrier_quantity.units import UnitFileError, UnitRegistry
from pyterrier_quantity.web.addresses import ADDRESSES
from pyterrier_quantity.web.collection_search import CollectionSearch
from pyterrier_quantity.web.page_app import LocalServer, search_app

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
    """Draw tables with at most one damaged row, which must be read as written, or cause an error that names the
    line."""
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
    """Draw an address or a tool, with its arguments."""
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


def _status(server: Any, method: str, path: str, body: str = "", headers: dict[str, str] | None = None) -> int:
    """Return the status of an HTTP response, whose content must be JSON."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request(method, path, body.encode("utf-8", "surrogatepass"), headers or {})
        answer = connection.getresponse()
        json.loads(answer.read(), parse_constant=lambda name: 1 / 0)
        return answer.status
    finally:
        connection.close()


def _page(folder: Path) -> Surface:
    server = _serving(search_app(_collection(folder)))
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
        status = _status(server, "GET", f"/{name}?{asked}", headers=headers)
        assert status in ({403} if headers in foreign else {200, 400, 404}), status

    return Surface(draw, use, ())


def _serving(app: Any) -> Any:
    server = LocalServer(app)
    Thread(target=server.run, daemon=True).start()
    return server


def _annotation(folder: Path) -> Surface:
    """Send marks to the annotation page, which must save only marks of the sheet's sentences sent with its token."""
    sheet = Sheet([Candidate("q", f"d{n}", "goods", "= 5", "of 5 kg") for n in range(3)])
    page = AnnotationPage(sheet, folder / "marks")
    server = _serving(page.app())

    def draw(random: Random) -> Any:
        message = {"annotator": "anna", "qid": "q", "docno": f"d{random.randrange(4)}", "mark": random.choice(MARKS)}
        if random.random() < 0.6:
            message[random.choice(list(message))] = odd(random)
        return message if random.random() < 0.9 else odd(random), random.choice([page.token] * 5 + ["", "x"])

    def use(given: Any) -> None:
        message, token = given
        status = _status(server, "POST", "/api/mark", json.dumps(message), {"x-token": token})
        assert status in ({200, 400} if token == page.token else {401}), status
        marked = folder / "marks" / "anna.marks.tsv"
        assert not marked.exists() or set(read_marks(marked)) <= set(sheet.pairs)

    return Surface(draw, use, ())


def _grounding(folder: Path) -> Surface:
    """Check answers with any text. A stated number must be supported, and any other number must not."""

    def draw(random: Random) -> Any:
        value, unit = random.randrange(2, 9_000), random.choice(["kg", "euros", "litres"])
        said = f"The {random.choice(['mill', 'ferry'])} has {value} {unit}."
        other = said.replace(str(value), str(2 * value))
        any_evidence = random.choice([odd(random), [drawn(random)] * 20])
        return random.choice([(said, said, True), (other, said, False), (drawn(random), any_evidence, None)])

    def use(given: Any) -> None:
        answer, evidence, truth = given
        found = check(answer, evidence)
        assert truth is None or found.supported is truth, str(found)
        assert all(0 <= one.quantity.start <= one.quantity.end <= len(answer) for one in found), found
        found._repr_html_()

    return Surface(draw, use, (TypeError, ValueError))


def _languages(folder: Path) -> Surface:
    """Read texts made of words of other languages, and languages with damaged tables."""
    homes = [home for home in sorted((TABLES.parent).iterdir()) if (home / "units.tsv").exists()]
    tables = {home: {file.name: file.read_text(encoding="utf-8") for file in home.glob("*.tsv")} for home in homes}
    words = {home: re.findall(r"[^\s|{}]+", " ".join(tables[home].values())) for home in homes}

    def draw(random: Random) -> Any:
        home = random.choice(homes)
        pieces = [random.choice([random.choice(words[home]), *PIECES]) for _ in range(random.randrange(60))]
        text = random.choice(["", " "]).join([random.choice([piece, random.choice(words[home])]) for piece in pieces])
        name = random.choice(["numbers.tsv", "units.tsv", "dates.tsv", "settings.tsv", "bounds.tsv"])
        damaged = random.random() < 0.02 and name in tables[home]
        return home, text, (name, garbled(random, tables[home][name])) if damaged else None

    def use(given: Any) -> None:
        home, text, damaged = given
        if damaged:
            own = Path(tempfile.mkdtemp(dir=folder))
            for name, content in {**tables[home], damaged[0]: damaged[1]}.items():
                (own / name).write_bytes(content.encode("utf-8", "surrogatepass"))
        for one in RuleExtractor(language=str(own) if damaged else home.name).extract(text):
            assert 0 <= one.start <= one.end <= len(text), one
            assert math.isfinite(one.high - one.low), one

    return Surface(draw, use, (LanguageError,))


def _units(folder: Path) -> Surface:
    """Read texts with users' tables of units. A rejected table must not change anything, and its cells must be
    readable."""
    path = folder / "own.tsv"
    cells = {
        "name": ["star", "smoot", "gold franc", "kilogram per day", "5", ""], "scale": ["", "1000", "1e308", "0"],
        "family": ["", "length", "currency:gold franc"], "factor": ["", "1.7018", "5e-324", "-1", "nan"],
        "surfaces": ["", "smoot|smoots", "=credits", "kg", " | "], "symbols": ["", "*", "sm?", "%", "|", "8"],
        "before": ["", "W", "GC|$", "-"], "inside": ["", "k", ".", "V|k", "kk"], "si": ["", "k M", "q"],
        "pint": ["", "18*gallon", "3*gloop", "kilogram**999"],
    }  # fmt: skip

    def draw(random: Random) -> Any:
        columns = ["name", *random.sample(list(cells)[1:], random.randrange(len(cells)))]
        rows = [[random.choice(cells[column]) for column in columns] for _ in range(random.randrange(4))]
        content = "".join("\t".join(row) + "\n" for row in [columns, *rows])
        words = [part for row in rows for cell in row for part in cell.split("|")]
        text = [random.choice([*words, "3", "4k7", " ", *PIECES]) for _ in range(random.randrange(30))]
        return garbled(random, content) if random.random() < 0.3 else content, "".join(text)

    def use(given: Any) -> None:
        content, text = given
        path.write_bytes(content.encode("utf-8", "surrogatepass"))
        registry = UnitRegistry()
        try:
            registry.load_tsv(path)
        finally:
            for one in RuleExtractor(registry=registry).extract(f"5 kg {text}"):
                assert 0 <= one.start <= one.end <= len(text) + 5, one
                assert math.isfinite(one.high - one.low), one

    return Surface(draw, use, (UnitFileError,))


SURFACES: Final[dict[str, Callable[[Path], Surface]]] = {
    "facets": _facets, "rows of tables": _rows, "tools": _tools, "page": _page, "annotation": _annotation,
    "grounding": _grounding, "languages": _languages, "own units": _units,
}  # fmt: skip
