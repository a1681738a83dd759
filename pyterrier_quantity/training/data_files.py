"""The files of training data: `queries.tsv`, `samples.jsonl`, `triples.tsv` and `settings.json`, all of them text.

`settings.json` is written last: a folder without it is not finished.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

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


@dataclass(frozen=True)
class TrainingData:
    """Finished training data.

    folder: where they lie. queries: by name, those of validation in `valid`. samples: of all queries. settings: how
    they were made, and counts.
    """

    folder: Path
    queries: dict[str, TrainingQuery]
    valid: frozenset[str]
    samples: list[Sample]
    settings: dict[str, Any]

    def triples(self) -> list[tuple[str, str, str]]:
        """Query, positive and negative of training, as the file has them.

        Raises:
            CollectionError: naming file, line and column of what is no triple.
        """
        return [(row["query"], row["positive"], row["negative"])
                for _, row in read_rows(self.folder / TRIPLES, TRIPLE_COLUMNS)]  # fmt: skip


def zipped(samples: Iterable[Sample], queries: dict[str, TrainingQuery]) -> Iterator[tuple[str, str, str]]:
    """Query, positive, negative of samples that stand as the sampler makes them: those of a method, zipped in order."""
    for (qid, _), group in groupby(samples, key=lambda sample: (sample.qid, sample.method)):
        found = list(group)
        positives, negatives = ([s.text for s in found if s.label == label] for label in (1, 0))
        yield from ((queries[qid].text, one, other) for one, other in zip(positives, negatives, strict=True))


def write_queries(folder: Path, queries: Iterable[TrainingQuery], valid: frozenset[str]) -> None:
    rows = ((q.qid, q.text, q.concept, q.constraint.unit, q.constraint.op, plain(q.constraint.low),
             plain(q.constraint.high) if q.constraint.op == "range" else "", int(q.expanded), SPLITS[q.qid in valid])
            for q in queries)  # fmt: skip
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
        wrong = {"qid": str, "text": str, "label": int, "method": str}.items() ^ {
            k: type(v) for k, v in record.items()
        }.items()
        if wrong or record["label"] not in (0, 1):
            raise CollectionError(
                path, number, "no sample; it has qid, text and method, which are strings, and a label of 0 or 1"
            )
        found.append(Sample(**record))
    return found


def write_triples(folder: Path, triples: Iterable[tuple[str, str, str]]) -> None:
    write_rows(folder / TRIPLES, TRIPLE_COLUMNS, triples)


def write_settings(folder: Path, settings: dict[str, Any]) -> None:
    write_text(folder / SETTINGS, json.dumps(settings, indent=1, ensure_ascii=False) + "\n")


def read_data(folder: str | Path) -> TrainingData:
    """Training data that are finished.

    Raises:
        FileNotFoundError: if there are none, or the command that makes them was interrupted.
        CollectionError: naming what is wrong in a file.
    """
    folder = Path(folder)
    if not (folder / SETTINGS).is_file():
        raise FileNotFoundError(f"{folder} holds no finished training data; make them, or go on: "
                                "pyterrier-quantity train-data CORPUS FOLDER")  # fmt: skip
    queries, valid = read_queries(folder)
    samples = read_samples(folder)
    if unknown := next((s.qid for s in samples if s.qid not in queries), None):
        raise CollectionError(folder / SAMPLES, None, f"has samples of the query {unknown!r}, which {QUERIES} lacks; "
                                                      "make the data again with overwrite")  # fmt: skip
    return TrainingData(folder, queries, valid, samples, _read_settings(folder / SETTINGS))


def _read_settings(path: Path) -> dict[str, Any]:
    settings = read_json(path)
    if not isinstance(settings, dict):
        raise CollectionError(path, 1, "no JSON object; make the data again with overwrite")
    return settings
