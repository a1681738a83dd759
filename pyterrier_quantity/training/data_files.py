"""The files of training data: `queries.tsv`, `samples.jsonl`, `triples.tsv` and `settings.json`, all of them text.

`settings.json` is written last: a folder without it is not finished.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from pyterrier_quantity._folder import digest
from pyterrier_quantity.concept_units.tsv import read_rows, write_rows, write_text
from pyterrier_quantity.concept_units.wording import plain
from pyterrier_quantity.datasets.files import CollectionError, read_json, read_objects
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.training.query_generation import TrainingQuery
from pyterrier_quantity.training.sampling import Sample

QUERIES, SAMPLES, TRIPLES, SETTINGS = "queries.tsv", "samples.jsonl", "triples.tsv", "settings.json"
QUERY_COLUMNS: Final = ("qid", "text", "concept", "unit", "condition", "value", "high", "expanded", "split")
TRIPLE_COLUMNS: Final = ("query", "positive", "negative")
SPLITS: Final = ("train", "valid")
_VALIDATES: Final = 0.1
"""Share of the queries, where none were set apart."""


@dataclass(frozen=True)
class TrainingData:
    """Finished training data.

    Args:
        folder: where they lie.
        queries: by name.
        valid: the names of those of validation.
        samples: of all queries.
        settings: how they were made, and counts.
        given: triples that are in no file of the folder.
    """

    folder: Path
    queries: dict[str, TrainingQuery]
    valid: frozenset[str]
    samples: list[Sample]
    settings: dict[str, Any]
    given: tuple[tuple[str, str, str], ...] = ()

    def triples(self) -> list[tuple[str, str, str]]:
        """Query, positive and negative of training: those `given`, or else what the file has.

        Raises:
            CollectionError: naming file, line and column of what is no triple.
        """
        if self.given:
            return list(self.given)
        return _of_table(self.folder / TRIPLES)


def zipped(samples: Iterable[Sample], queries: dict[str, TrainingQuery]) -> Iterator[tuple[str, str, str]]:
    """Query, positive, negative of samples that stand as the sampler makes them: those of a method, zipped in order."""
    for (qid, _), group in groupby(samples, key=lambda sample: (sample.qid, sample.method)):
        found = list(group)
        positives, negatives = ([s.text for s in found if s.label == label] for label in (1, 0))
        yield from ((queries[qid].text, one, other) for one, other in zip(positives, negatives, strict=True))


def write_queries(folder: Path, queries: Iterable[TrainingQuery], valid: frozenset[str]) -> None:
    rows = []
    for query in queries:
        asked = query.constraint
        high = plain(asked.high) if asked.op == "range" else ""
        about = (query.qid, query.text, query.concept, asked.unit, asked.op, plain(asked.low), high)
        rows.append((*about, int(query.expanded), SPLITS[query.qid in valid]))
    write_rows(folder / QUERIES, QUERY_COLUMNS, rows)


def read_queries(folder: Path) -> tuple[dict[str, TrainingQuery], frozenset[str]]:
    """The queries by name, and the names of those of validation.

    Raises:
        CollectionError: naming file, line and column.
    """
    path = folder / QUERIES
    queries: dict[str, TrainingQuery] = {}
    valid = set()
    needed = tuple(name for name in QUERY_COLUMNS if name != "high")
    for number, row in read_rows(path, needed, ("high",)):
        try:
            low = float(row["value"])
            constraint = Constraint(row["condition"], low, float(row["high"] or low), row["unit"])
        except ValueError as error:
            raise CollectionError(path, number, f"{error}; make the data again") from error
        if row["split"] not in SPLITS:
            raise CollectionError(path, number, f"column 'split' is {row['split']!r}; it must be one of {SPLITS}")
        queries[row["qid"]] = TrainingQuery(row["qid"], row["text"], row["concept"], constraint, row["expanded"] == "1")
        if row["split"] == "valid":
            valid.add(row["qid"])
    return queries, frozenset(valid)


def write_samples(folder: Path, samples: Iterable[Sample]) -> None:
    write_text(folder / SAMPLES, "".join(json.dumps(asdict(s), ensure_ascii=False) + "\n" for s in samples))


def read_samples(folder: Path) -> list[Sample]:
    """The samples, in the order of the file.

    Raises:
        CollectionError: naming file and line of what is no sample.
    """
    path, found = folder / SAMPLES, []
    for number, record in read_objects(path):
        kinds = {name: type(value) for name, value in record.items()}
        if kinds != {"qid": str, "text": str, "label": int, "method": str} or record["label"] not in (0, 1):
            raise CollectionError(
                path, number, "no sample; it has qid, text and method, which are strings, and a label of 0 or 1"
            )
        found.append(Sample(**record))
    return found


def read_data(folder: str | Path) -> TrainingData:
    """Training data that are finished.

    Raises:
        FileNotFoundError: if there are none, or the command that makes them was interrupted.
        CollectionError: naming what is wrong in a file.
    """
    folder = Path(folder)
    if not (folder / SETTINGS).is_file():
        raise FileNotFoundError(
            f"{folder} holds no finished training data; make them, or go on: "
            "pyterrier-quantity train-data CORPUS FOLDER"
        )
    queries, valid = read_queries(folder)
    samples = read_samples(folder)
    if unknown := next((s.qid for s in samples if s.qid not in queries), None):
        raise CollectionError(
            folder / SAMPLES,
            None,
            f"has samples of the query {unknown!r}, which {QUERIES} lacks; make the data again with overwrite",
        )
    if not isinstance(settings := read_json(folder / SETTINGS), dict):
        raise CollectionError(folder / SETTINGS, 1, "no JSON object; make the data again with overwrite")
    return TrainingData(folder, queries, valid, samples, settings)


def read_triples(path: str | Path, seed: int = 0) -> TrainingData:
    """Training data of any queries, each with a text that answers it and texts that do not.

    A tenth of the queries validates.

    Args:
        path: a table as `triples.tsv`; or JSON lines with `query`, `positive` and `negatives`. A text there may be
            `{"text": ..., "source": ...}`: its source's name is then put before it, as in hybrid-product-qa's code.
        seed: of the queries that validate.

    Raises:
        CollectionError: naming file and line of what cannot be read.
        ValueError: on fewer than two queries.
    """
    path = Path(path)
    if path.suffix == ".tsv":
        triples = _of_table(path)
    else:
        triples = [triple for number, record in read_objects(path) for triple in _of_record(path, number, record)]
    texts = sorted({triple[0] for triple in triples})
    if len(texts) < 2:
        raise ValueError(f"{path}: {len(texts)} queries are too few to train and validate by; give at least 2")
    held = random.Random(seed).sample(texts, math.ceil(_VALIDATES * len(texts)))
    unread = Constraint("=", 0.0, 0.0)  # what it asks is not known, and training does not look at it
    queries = {str(number): TrainingQuery(str(number), text, "", unread) for number, text in enumerate(texts)}
    valid = {query.text: qid for qid, query in queries.items() if query.text in held}
    pairs = dict.fromkeys((q, text, 1 - place) for q, *both in triples if q in valid for place, text in enumerate(both))
    samples = [Sample(valid[query], text, label, "given") for query, text, label in pairs]
    settings = {"file": str(path), "digest": digest(path.read_bytes()), "seed": seed}
    rest = tuple(triple for triple in triples if triple[0] not in valid)
    return TrainingData(path, queries, frozenset(valid.values()), samples, settings, rest)


def _of_table(path: Path) -> list[tuple[str, str, str]]:
    return [(row["query"], row["positive"], row["negative"]) for _, row in read_rows(path, TRIPLE_COLUMNS)]


def _of_record(path: Path, number: int, record: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The triples of a JSON line."""
    try:
        query, positive = record["query"], _text(record["positive"])
        found = [(query, positive, _text(negative)) for negative in record["negatives"]]
    except (KeyError, TypeError):
        found = []
    if not found or not all(isinstance(text, str) for triple in found for text in triple):
        raise CollectionError(path, number, "no query, positive and negatives; give each as text, or text and source")
    return found


def _text(given: Any) -> str:
    if isinstance(given, str):
        return given
    return f"{given['source']} {given['text']}" if "source" in given else str(given["text"])
