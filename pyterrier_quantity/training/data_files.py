"""Read and write a folder of training data: `queries.tsv`, `samples.jsonl`, `triples.tsv` and `settings.json`."""

import json
import math
import random
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from pyterrier_quantity.concept_units.wording import plain
from pyterrier_quantity.datasets.files import CollectionError, read_json, read_objects, read_rows, write_rows
from pyterrier_quantity.frames.transformer import check_choice
from pyterrier_quantity.quantity import Constraint
from pyterrier_quantity.storage.folders import digest, write_text
from pyterrier_quantity.training.pairs import TrainingQuery
from pyterrier_quantity.training.sampling import Sample

QUERIES, SAMPLES, TRIPLES, SETTINGS = "queries.tsv", "samples.jsonl", "triples.tsv", "settings.json"
QUERY_COLUMNS: Final = ("qid", "text", "concept", "unit", "condition", "value", "expanded", "split")
TRIPLE_COLUMNS: Final = ("query", "positive", "negative")
SPLITS: Final = ("train", "valid")
COUNTS: Final = "counts"
"""Key in `settings.json` with the numbers of queries and samples. Unfinished data do not have this key."""
_VALIDATES: Final = 0.1  # share of the queries in a file of triples that become validation queries
Triple = tuple[str, str, str]
"""A query, a positive text and a negative text."""


@dataclass(frozen=True)
class TrainingData:
    """Training data in a folder: queries, each with positive and negative texts.

    Args:
        folder: the folder with the files.
        queries: the queries, keyed by qid.
        valid: qids of the validation queries.
        samples: positive and negative texts of all queries.
        settings: the settings of the run that generated the data, and statistics such as the number of queries.
        given: triples (query, positive text, negative text) from a file. If empty, triples are made from `samples`.
    """

    folder: Path
    queries: dict[str, TrainingQuery]
    valid: frozenset[str]
    samples: list[Sample]
    settings: dict[str, Any]
    given: tuple[Triple, ...] = ()

    def triples(self) -> list[Triple]:
        """Return `given` or, if it is empty, triples (query, positive text, negative text) made from `samples`."""
        found = list(self.given)
        for (qid, _), group in groupby(() if found else self.samples, key=lambda sample: (sample.qid, sample.method)):
            texts: tuple[list[str], list[str]] = [], []
            for sample in group if qid not in self.valid else ():
                texts[sample.label].append(sample.text)
            found += [(self.queries[qid].text, right, wrong) for wrong, right in zip(*texts, strict=True)]
        return found

    def write(self) -> None:
        """Write all files to the folder, `settings.json` last, because its counts show that the data are complete."""
        rows = []
        for query in self.queries.values():
            asked = query.constraint
            about = (query.qid, query.text, query.concept, asked.unit, asked.op, plain(asked.low))
            rows.append((*about, int(query.expanded), SPLITS[query.qid in self.valid]))
        write_rows(self.folder / QUERIES, QUERY_COLUMNS, rows)
        lines = (json.dumps(asdict(sample), ensure_ascii=False) + "\n" for sample in self.samples)
        write_text(self.folder / SAMPLES, "".join(lines))
        write_rows(self.folder / TRIPLES, TRIPLE_COLUMNS, self.triples())
        write_settings(self.folder, self.settings)


def write_settings(folder: Path, settings: dict[str, Any]) -> None:
    write_text(folder / SETTINGS, json.dumps(settings, indent=1, ensure_ascii=False) + "\n")


def read_data(folder: str | Path) -> TrainingData:
    """Read complete training data from a folder.

    Raises:
        FileNotFoundError: if the folder contains no data, or only data of an unfinished run.
        CollectionError: if a file is malformed; the message names the file, line and column.
    """
    folder = Path(folder)
    settings = read_settings(folder)
    if COUNTS not in settings:
        how = "make or finish them: pyterrier-quantity train-data CORPUS FOLDER"
        raise FileNotFoundError(f"{folder} contains no finished training data; {how}")
    queries, valid = _queries(folder / QUERIES)
    samples, kinds = list[Sample](), {"qid": str, "text": str, "label": int, "method": str}
    for number, record in read_objects(folder / SAMPLES):
        problem = ""
        if {name: type(value) for name, value in record.items()} != kinds or record["label"] not in (0, 1):
            problem = "not a sample; a sample has the strings qid, text and method, and a label of 0 or 1"
        elif record["qid"] not in queries:
            problem = f"the query {record['qid']!r} is not in {QUERIES}; make the data again with overwrite"
        if problem:
            raise CollectionError(folder / SAMPLES, number, problem)
        samples.append(Sample(**record))
    return TrainingData(folder, queries, valid, samples, settings)


def read_settings(folder: Path) -> dict[str, Any]:
    """Return the contents of `settings.json` in a folder, or an empty dictionary if the file does not exist."""
    if not (folder / SETTINGS).is_file():
        return {}
    if not isinstance(settings := read_json(folder / SETTINGS), dict):
        raise CollectionError(folder / SETTINGS, 1, "not a JSON object; make the data again with overwrite")
    return settings


def _queries(path: Path) -> tuple[dict[str, TrainingQuery], frozenset[str]]:
    queries: dict[str, TrainingQuery] = {}
    valid = set()
    for number, row in read_rows(path, QUERY_COLUMNS):
        try:
            check_choice("split", row["split"], SPLITS)
            value = float(row["value"])
            constraint = Constraint(row["condition"], value, value, row["unit"])
        except ValueError as error:
            raise CollectionError(path, number, f"{error}; make the data again") from error
        queries[row["qid"]] = TrainingQuery(row["qid"], row["text"], row["concept"], constraint, row["expanded"] == "1")
        if row["split"] == "valid":
            valid.add(row["qid"])
    return queries, frozenset(valid)


def read_triples(path: str | Path) -> TrainingData:
    """Read training data from a file of queries, each with a positive text and negative texts.

    The file is a table with the columns `query`, `positive`, `negative`, or JSON lines with `query`, `positive` and
    `negatives`. In JSON, a text may be `{"text": ..., "source": ...}`; the source is then put before the text. A random
    tenth of the queries becomes validation queries.

    Raises:
        CollectionError: if a line cannot be parsed; the message names the file and the line.
        ValueError: if there are fewer than two queries.
    """
    path = Path(path)
    if path.suffix == ".tsv":
        triples = [(row["query"], row["positive"], row["negative"]) for _, row in read_rows(path, TRIPLE_COLUMNS)]
    else:
        triples = [triple for number, record in read_objects(path) for triple in _of_record(path, number, record)]
    texts = sorted({triple[0] for triple in triples})
    if len(texts) < 2:
        raise ValueError(f"{path}: {len(texts)} queries are too few to train and validate with; give at least 2")
    held = random.Random(0).sample(texts, math.ceil(_VALIDATES * len(texts)))
    unread = Constraint("=", 0.0, 0.0)  # a placeholder: the condition is unknown, and training does not use conditions
    queries = {str(number): TrainingQuery(str(number), text, "", unread) for number, text in enumerate(texts)}
    valid = {query.text: qid for qid, query in queries.items() if query.text in held}
    pairs = dict.fromkeys((q, text, 1 - place) for q, *both in triples if q in valid for place, text in enumerate(both))
    samples = [Sample(valid[query], text, label, "given") for query, text, label in pairs]
    settings = {"file": str(path), "digest": digest(path.read_bytes()), "seed": 0}
    rest = tuple(triple for triple in triples if triple[0] not in valid)
    return TrainingData(path, queries, frozenset(valid.values()), samples, settings, rest)


def _of_record(path: Path, number: int, record: dict[str, Any]) -> list[Triple]:
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
