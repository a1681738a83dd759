"""Evaluate extraction in each language, and quantity-aware ranking within and across languages.

    python experiments/languages.py [--cases FOLDER] [--speed]

Rankings are for `quantity:languages`: 60 texts and 40 topics, the same in four languages. "words" is BM25 on the topic
as typed, and "QBM25" is quantity-aware BM25 on the topic, parsed in its own language. A German topic has hardly any
words in common with a French text, but the same quantity.

With `--cases`, the script also evaluates extraction on a folder of files `CODE.jsonl`, made from the Microsoft
Recognizers' cases. Each line has `text`, `kind` and `quantities` (`start`, `end`, `value` and English `unit`, or `low`
and `high`). A unit is right if the registry resolves its name to the extracted unit; values are compared in that unit.
The script counts quantities with a unit ("value", "unit"), numbers ("number"), and ranges ("range").

With `--speed`, the script also measures the speed for each language, without concepts, per sentence and per character,
relative to English, and for English with concepts (the default, which only English has). All take turns in one process;
the figure is the median of the processor times over the rounds. The texts are those of the collection, which are the
same in four languages, and the cases, if given, which are short and contain a quantity every 20 to 50 characters.
"""

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt
from ir_measures import nDCG
from lib.parts import write

import pyterrier_quantity as ptq
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.extraction.language import codes
from pyterrier_quantity.quantity import Quantity

LANGUAGES = ("en", "de", "fr", "es")
MEASURE = nDCG @ 10


def ranked(work: Path) -> pd.DataFrame:
    """Return the nDCG@10 of each ranking, for each pair of a language of texts and a language of topics."""
    rows = []
    for texts, topics in product(LANGUAGES, LANGUAGES):
        dataset = ptq.datasets.get_dataset("languages", language=texts, queries=topics)
        index = ptq.QuantityIndex(work / f"{texts}.quantity")
        if not index.built():
            index.index(dataset.get_corpus_iter(verbose=False))
        bm25 = ptq.backends.bm25(work / f"{texts}.words", dataset.get_corpus_iter(verbose=False))
        systems = [bm25, ptq.QuantityQueryParser() >> ptq.quantity_aware(bm25, index)]
        found = pt.Experiment(systems, dataset.get_topics(), dataset.get_qrels(), [MEASURE], ["words", "QBM25"])
        kind = "one language" if texts == topics else "across"
        rows.append({"texts": texts, "topics": topics, "kind": kind, **found.set_index("name")[str(MEASURE)]})
    return pd.DataFrame(rows)


def read(folder: Path) -> pd.DataFrame:
    """Return, for each language and in total, the shares of cases read correctly, and their numbers."""
    rows = []
    for code in codes():
        if (path := folder / f"{code}.jsonl").exists():
            judged = pd.DataFrame(verdicts(code, path), columns=["kind", "right"])
            shares = judged.groupby("kind")["right"].mean()
            rows.append({"language": code, **shares, "cases": int((judged["kind"] != "unit").sum())})
    table = pd.DataFrame(rows).set_index("language")[["value", "unit", "number", "range", "cases"]]
    return pd.concat([table, table.mean().to_frame("mean").T])


def verdicts(code: str, path: Path) -> Iterator[tuple[str, bool]]:
    """Yield the kind of each case in a file, and whether it is read correctly."""
    extractor = ptq.RuleExtractor(concepts=False, language=code)
    for case in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        found = extractor.extract(case["text"])
        for asked in case["quantities"]:
            begin, end = asked["start"], asked["end"]
            there = [one for one in found if begin is None or (one.start < end and begin < one.end)]
            if case["kind"] == "numberrange":
                yield "range", any(same_range(one, asked) for one in there)
                continue
            right = [one for one in there if math.isclose(one.low, asked["value"], rel_tol=1e-6, abs_tol=1e-9)]
            yield ("number" if case["kind"] == "number" else "value"), bool(right)
            if case["kind"] != "number":
                yield "unit", any(same_unit(one.unit, asked["unit"], case["kind"]) for one in right)


def same_range(one: Quantity, asked: dict[str, Any]) -> bool:
    """Return whether a quantity has the ends of a case or, for a case with one end, the corresponding bound."""
    ends = ((one.low, asked["low"]), (one.high, asked["high"]))
    bound = ">" if asked["high"] is None else "<" if asked["low"] is None else one.bound
    return one.bound.startswith(bound) and all(
        wanted is None or math.isclose(value, wanted, rel_tol=1e-6, abs_tol=1e-9) for value, wanted in ends
    )


def same_unit(unit: str, named: str, kind: str) -> bool:
    """Return whether a unit is the one that a case names in English."""
    extra = {"age": f"{named} of age", "temperature": f"degree {named}"}.get(kind)
    names = [named, *([extra] if extra else [])]
    return unit in {ptq.units.default_registry().resolve(name.lower()) for name in names} or named == "Degree"


def speeds(cases: Path | None, rounds: int = 7) -> pd.DataFrame:
    """Return the mean length, sentences per second, and speed relative to English for the texts of each language."""
    texts = {("collection", code): collection_texts(code) for code in LANGUAGES}
    texts["with concepts", "en"] = texts["collection", "en"]
    for code in codes() if cases else ():
        if cases and (path := cases / f"{code}.jsonl").exists():
            texts["cases", code] = [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]
    extractors = {key: ptq.RuleExtractor(concepts=key[0] == "with concepts", language=key[1]) for key in texts}
    taken: dict[tuple[str, str], list[float]] = {key: [] for key in texts}
    for turn, (key, own) in product(range(rounds + 1), texts.items()):
        begin = time.process_time()
        for text in own:
            extractors[key].extract(text)
        if turn:  # the first one loads tables
            taken[key].append(time.process_time() - begin)
    rows = []
    for (source, code), own in texts.items():
        sentence = statistics.median(taken[source, code]) / len(own)
        rows.append({"texts": source, "language": code, "characters": sum(map(len, own)) / len(own), "s": sentence})
    table = pd.DataFrame(rows).set_index(["texts", "language"])
    length, seconds = table.loc[("collection", "en"), ["characters", "s"]]
    table["sentences/s"] = 1 / table["s"]
    table["of English, a sentence"] = seconds / table["s"]
    table["of English, a character"] = seconds / length / (table["s"] / table["characters"])
    return table.drop(columns="s")


def collection_texts(code: str) -> list[str]:
    dataset = ptq.datasets.get_dataset("languages", language=code)
    return [document["text"] for document in dataset.get_corpus_iter(verbose=False)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", metavar="FOLDER", type=Path, help="also read these cases")
    parser.add_argument("--speed", action="store_true", help="also measure how fast each language is read")
    parser.add_argument("--out", type=Path, default=Path("var/results"), help="where results are written (%(default)s)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        table = ranked(Path(work))
    means = table.groupby("kind")[["words", "QBM25"]].mean().reset_index()
    table = pd.concat([table, means.assign(texts="mean", topics="mean")]).set_index("texts")
    print(table.round(3).to_string())
    write(table, args.out, "languages")
    if args.cases:
        shares = read(args.cases)
        print(shares.round(2).to_string())
        write(shares, args.out, "languages-read")
    if args.speed:
        print(speeds(args.cases).round(2).to_string())


if __name__ == "__main__":
    sys.exit(run_program("languages.py", main))
