"""Input from users, engines and files. Any input must quickly give a result or a documented error."""

import io
import json
import os
import re
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any, Final
from unittest.mock import patch

import pandas as pd

from lib.attacks.kinds import NEW, OLD
from lib.attacks.outcome import Budget, Outcome
from lib.attacks.texts import drawn
from lib.derivations import derivation
from pyterrier_quantity import Constraint, Quantity, QuantityIndex, cli, filters
from pyterrier_quantity.backends.opensearch import OpenSearchIndex
from pyterrier_quantity.backends.opensearch.connection import EngineError
from pyterrier_quantity.backends.opensearch.content import EVIDENCE, mappings, pack
from pyterrier_quantity.english.stems import term_hash
from pyterrier_quantity.quantity import OPERATORS
from pyterrier_quantity.tables import facts
from pyterrier_quantity.tables.program import Program
from pyterrier_quantity.training import DataSettings, make_training_data, read_data, read_triples

LONGEST: Final = 5.0
"""The maximum duration of a try in seconds."""
_NUMBERS: Final = ["0", "-1", "7e293", "1e300", "1e400", "9" * 400, "4.9e-324", "1e-300", "1,000", "½", "5 to 6", "#0"]
_NAMES: Final = ["table", "rows", "data", "header", "paragraphs", "text", "order", "uid", "x"]
_ODD: Final = [
    None, True, -1, 0, 1 << 62, 10**400, 1e308, float("inf"), float("nan"), "", "x", "../x", "\ud800", [], [None], {},
    {"x": []}, [[1, 2], 3], "[" * 5_000, "9" * 5_000, '"', "\0", "İ",
]  # fmt: skip


@dataclass(frozen=True)
class Surface:
    """An interface that receives input.

    Args:
        draw: function that draws an input.
        use: function that processes an input, and raises an AssertionError if the result is wrong.
        documented: the errors that `use` may raise.
    """

    draw: Callable[[Random], Any]
    use: Callable[[Any], object]
    documented: tuple[type[Exception], ...]


def attack(make: Callable[[Path], Surface], random: Random, budget: Budget) -> Outcome:
    """Send inputs. None may raise an undocumented error, take long, or change a file of another user."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), ExitStack() as stack:
        warnings.simplefilter("ignore")
        stack.callback(os.chdir, Path.cwd())
        os.chdir(folder)
        foreign = Path("foreign") / "letter.txt"
        foreign.parent.mkdir()
        foreign.write_text("dear")
        surface = make(Path(folder))
        for _ in budget.spent(outcome):
            given, begin = surface.draw(random), time.process_time()
            outcome.tried += 1
            try:
                surface.use(given)
            except surface.documented:
                outcome.add("refused")
            except (Exception, SystemExit) as error:  # any is what the attack looks for
                outcome.failures.append(f"{type(error).__name__} {str(error)[:120]}: {given!r:.300}")
            seconds = time.process_time() - begin
            outcome.at_least("slowest, ms", round(1000 * seconds, 1))
            if seconds > LONGEST:
                outcome.failures.append(f"{seconds:.1f} s: {given!r:.300}")
            if foreign.read_text() != "dear":
                outcome.failures.append(f"a foreign file was touched: {given!r:.300}")
    return outcome


def odd(random: Random, depth: int = 3) -> Any:
    """Draw a value of any type in JSON or Python."""
    if depth and random.random() < 0.6:
        inner = [odd(random, depth - 1) for _ in range(random.randrange(4))]
        names = random.choices(_NAMES, k=len(inner))
        return inner if random.random() < 0.5 else dict(zip(names, inner, strict=True))
    return drawn(random) if random.random() < 0.4 else random.choice(_ODD)


def _changed(random: Random, whole: Any) -> Any:
    """Return a copy of the value with an odd value in one place."""
    if not isinstance(whole, dict | list) or not whole or random.random() < 0.15:
        return odd(random, 1)
    key: Any = random.choice(list(whole)) if isinstance(whole, dict) else random.randrange(len(whole))
    copy = dict(whole) if isinstance(whole, dict) else list(whole)
    copy[key] = _changed(random, whole[key])
    return copy


def garbled(random: Random, content: str) -> str:
    """Return the content of a file with one piece replaced."""
    begin = random.randrange(len(content) + 1)
    piece = random.choice([drawn(random), str(random.choice(_ODD)), "\n", "\t", "", "[" * 5_000])
    return content[:begin] + piece + content[begin + random.randrange(40) :]


def _filters(folder: Path) -> Surface:
    fields = {"height": ("h", "picometre"), "weight": ("w", "picogram"), "price": ("p", "dollar"), "stars": "s"}
    makers = [filters.to_sql, filters.to_duckdb, filters.to_lancedb, filters.to_opensearch, filters.to_langchain]

    def draw(random: Random) -> Any:
        unit = random.choice(["light years", "kg", "dollars", "", "million tonnes", "°F", "stars"])
        text = f"{random.choice([*fields, ''])} {random.choice(OPERATORS)} {random.choice(_NUMBERS)} {unit}"
        value = random.choice([0.0, -1e308, 1e308, 5e-324, 7.0])
        asked = [Constraint(random.choice(OPERATORS), value, value, random.choice(["kilogram", "light year", "-"]))]
        return random.choice(makers), random.choice([text, f"{text} and {drawn(random)}", asked])

    def use(given: Any) -> None:
        make, query = given
        found = make(query, fields)
        if isinstance(found, str):
            assert not re.search(r"\b(inf|nan)\b", found), found
        else:
            json.dumps(found, allow_nan=False)

    return Surface(draw, use, (ValueError,))


def _tables(folder: Path) -> Surface:
    joints = [*',\t|\n"$%', "\n|---|---|\n", "<td>", "<tr>", "<table>", "</table>", "(1)", "2019"]

    def draw(random: Random) -> Any:
        if random.random() < 0.5:
            return odd(random)
        parts = [random.choice([*joints, *joints, drawn(random)[:40]]) for _ in range(random.randrange(60))]
        return "\n" + "".join(parts)  # one line alone may be a file's name

    return Surface(draw, lambda given: [list(facts(given, kind)) for kind in ("cell", "row", "text")], (ValueError,))


def _programs(folder: Path) -> Surface:
    table = [["", "2019", "2020"], ["Long", "9" * 400, "-" + "9" * 400], ["Up", "1,000", "(5)"]]
    names = ["add", "subtract", "multiply", "divide", "exp", "greater", "table_sum", "table_max", "table_average"]
    values = [*_NUMBERS, "#0", "#1", "const_100", "const_1000000000", "1000000000", "Long", "Up", "none", "15%", "$2"]

    def nested(random: Random, depth: int) -> str:
        inner = [nested(random, depth - 1) if depth and random.random() < 0.5 else random.choice(values) for _ in "ab"]
        return f"{random.choice(names)}({', '.join(inner)})"

    def draw(random: Random) -> Any:
        text = nested(random, random.randrange(6))
        expression = "".join(random.choices([*values, *"+-*/()[]%$ ", "^", "-" * 990], k=random.randrange(1, 30)))
        return random.choice([text, f"{text}, {text}", expression, drawn(random)]), nested(random, 3)

    def use(given: Any) -> None:
        text, other = given
        for program in (Program.parse(text), derivation(text)):
            program.execute(table)
            program.equivalent(Program.parse(other))
            program.explain((), table)

    return Surface(draw, use, (ValueError,))


def _training_data(folder: Path) -> Surface:
    made = folder / "made"
    units = [(60 + 7 * n, 5000 + 900 * n) for n in range(120)]
    cars = [{"docno": f"d{n}", "text": f"The car has an engine power of {hp} hp and a price of ${price}."}
            for n, (hp, price) in enumerate(units)]  # fmt: skip
    make_training_data(cars, made, DataSettings(validation=2))
    (made / "letter.txt").write_text("dear")
    whole = {file: file.read_text(encoding="utf-8") for file in sorted(made.iterdir()) if file.is_file()}

    def draw(random: Random) -> Any:
        if random.random() < 0.002:
            return None
        file = random.choice([file for file in whole if file.name != "letter.txt"])
        return file, garbled(random, whole[file]).encode("utf-8", "surrogatepass")

    def use(given: Any) -> None:
        if given is None:
            make_training_data(cars, made, DataSettings(validation=3), overwrite=True)
            assert (made / "letter.txt").read_text() == "dear"
            return
        file, content = given
        file.write_bytes(content)
        try:
            read_data(made)
            read_triples(made / "triples.tsv")
        finally:
            file.write_text(whole[file], encoding="utf-8")

    return Surface(draw, use, (ValueError, OSError))


_ANSWERS: Final[dict[str, Any]] = {
    "_mapping": {"i": {"mappings": mappings("text", "english")}},
    "_msearch": {"responses": [{
        "status": 200, "_shards": {"total": 1, "successful": 1, "failed": 0}, "hits": {"hits": [{
            "_id": "d1", "_score": 1.5, "_source": {"text": "goods of 5 kg"},
            "fields": {EVIDENCE: [pack([Quantity(5.0, 5.0, "kilogram", "=", 9, 13)], ([7], [1]))]},
        }]}, "aggregations": {str(term_hash("goods")): {"doc_count": 1}},
    }]},
    "_mget": {"docs": [{"_id": "d1", "found": True,
                        "_source": {EVIDENCE: pack([Quantity(5.0, 5.0, "kilogram", "=", 9, 13)], ([7], [1]))}}]},
    "_count": {"count": 1, "_shards": {"total": 1, "successful": 1, "failed": 0}},
    "": {"version": {"number": "2.19.1", "distribution": "opensearch"}},
}  # fmt: skip
"""Responses of a search engine, keyed by the end of the requested path."""


def _engine_answers(folder: Path) -> Surface:
    said: dict[str, bytes] = {}

    class Engine(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            searches = self.rfile.read(int(self.headers.get("Content-Length", 0))).count(b"\n") // 2
            asked = self.path.partition("?")[0].rpartition("/")[2]
            content = said.get(asked, said[""])
            with suppress(ValueError, TypeError, KeyError):
                if asked == "_msearch":  # as many answers as there are searches
                    content = json.dumps({"responses": json.loads(content)["responses"] * searches}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json; charset=UTF-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_HEAD = do_GET  # noqa: N815 (http.server calls them so)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Engine)
    Thread(target=server.serve_forever, daemon=True).start()
    queries = pd.DataFrame([{"qid": "1", "query": "goods", "constraints": [Constraint("=", 5.0, 5.0, "kilogram")]}])
    uses: list[Callable[[OpenSearchIndex], object]] = [
        len, lambda index: index.quantities("d1"), lambda index: index.bm25()(queries),
        lambda index: index.filter(matched=True)(queries),
        lambda index: index.quantity_aware(matched=True, text=True)(queries),
        lambda index: index.scorer()(queries.assign(docno="d1", score=1.0, rank=0)),
    ]  # fmt: skip

    def draw(random: Random) -> Any:
        place = random.choice(list(_ANSWERS))
        answer = json.dumps(_changed(random, _ANSWERS[place])).encode()
        if random.random() < 0.1:
            answer = answer[: random.randrange(len(answer))] + b"\xff"
        return place, answer, random.choice(uses)

    def use(given: Any) -> None:
        place, answer, ask = given
        said.update({name: json.dumps(whole).encode() for name, whole in _ANSWERS.items()}, **{place: answer})
        index = OpenSearchIndex(f"http://127.0.0.1:{server.server_port}", "i", max_retries=0)
        try:
            ask(index)
        finally:
            if "client" in vars(index):
                index.client.close()

    return Surface(draw, use, (EngineError, ValueError, OSError, KeyError))


def _command_line(folder: Path) -> Surface:
    corpus = "".join(json.dumps(document) + "\n" for document in (*OLD, *NEW[:10]))
    QuantityIndex(folder / "i").index([*OLD, *NEW[:10]])
    forms = {"c.jsonl": corpus, "c.csv": "docno,text,price\na,of 5 kg,7\n", "c.tsv": "docno\ttext\na\tof 5 kg\n"}
    sheet = "qid\tdocno\tmark\tremark\tquery\tasked\ttext\treach\tquantities\nq\td\tr\t\tkg\t= 5\tof 5 kg\ttext\t3-7+\n"
    forms |= {"s.tsv": sheet, "t.tsv": "qid\tquery\tcondition\tvalue\tunit\nq\tkg\t=\t5\tkilogram\n"}
    commands = [
        "extract TEXT", "extract --json --file FILE", "extract --trace TEXT", "extract --html TEXT",
        "index FILE new --quiet --overwrite --html", "index FILE new --quiet --overwrite",
        "index FILE new --quiet --overwrite --quantities TEXT", "index FILE foreign --quiet --overwrite",
        "index FILE new --quiet --overwrite --docno TEXT --text TEXT", "index FILE i --quiet --add --skip-bad",
        "search i TEXT", "search i --json TEXT", "search i --corpus FILE TEXT", "search FILE TEXT", "check FILE",
        "delete i TEXT", "delete FILE TEXT --ignore-missing", "merge FILE --quiet", "answer FILE TEXT", "TEXT TEXT",
        "collect kappa FILE", "collect export FILE FILE --out out", "collect concepts FILE", "collect TEXT FILE",
        "collect candidates FILE FILE out.tsv", "train FILE model --kind TEXT", "train-data FILE foreign --quiet",
    ]  # fmt: skip

    def word(random: Random, kind: str) -> str:
        if kind == "TEXT":
            given = random.choice([drawn(random), str(random.choice(_ODD)), "goods above 5 kg", ":€", "a=b:c", "--"])
            return os.fsdecode(given.encode("utf-8", "surrogatepass").replace(b"\0", b""))  # as a shell passes it
        return random.choice([*forms, *forms, "garbled", "none", ".", "foreign", "-"]) if kind == "FILE" else kind

    def draw(random: Random) -> Any:
        argv = [word(random, kind) for kind in random.choice(commands).split()]
        given = next((name for name in argv if name in forms), "c.jsonl")
        return argv, given, garbled(random, forms[given]).encode("utf-8", "surrogatepass")

    def use(given: Any) -> None:
        argv, name, content = given
        Path(name).write_bytes(content)
        said = io.StringIO()
        stdin = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")
        with redirect_stdout(io.StringIO()), redirect_stderr(said), patch("sys.stdin", stdin):
            code = _exit_code(argv)
        assert code in (0, 2), code
        assert "Traceback" not in said.getvalue(), said.getvalue()

    return Surface(draw, use, ())


def _exit_code(argv: list[str]) -> object:
    try:
        return cli.main(argv)
    except SystemExit as error:  # argparse
        return error.code


SURFACES: Final[dict[str, Callable[[Path], Surface]]] = {
    "filters": _filters, "tables": _tables, "programs": _programs, "training data": _training_data,
    "engine answers": _engine_answers, "command line": _command_line,
}  # fmt: skip
