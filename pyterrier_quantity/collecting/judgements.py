"""Store the judgements of annotators, compute their agreement, and write a test collection.

Annotators give each pair (qid, docno) a judgement (mark): "relevant", "not" or "doubtful". Each annotator has one file.
A frame of judgements has a row for each pair, with the index `qid`, `docno`, and a column for each annotator."""

import math
import re
from collections.abc import Collection, Iterable
from datetime import datetime, timezone
from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

import pandas as pd

from pyterrier_quantity.collecting.sheet import Sheet
from pyterrier_quantity.concept_units.wording import plain
from pyterrier_quantity.datasets.files import CollectionError, lines, read_rows, write_rows
from pyterrier_quantity.storage.folders import held, write_text

MARKS: Final = ("relevant", "not", "doubtful")
SUFFIX: Final = ".marks.tsv"
Pair = tuple[str, str]
"""A pair (qid, docno): a query and a sentence to judge for the query."""
_SPELLINGS: Final = {spelling: mark for mark in MARKS for spelling in (mark, mark[0])}
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_COLUMNS: Final = ("qid", "docno", "mark", "when")


def annotator_name(name: str) -> str:
    """Return an annotator's name in lower case: "Anna-2" -> "anna-2". Raise a ValueError if the name is invalid."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        fault = f"annotator {str(name)[:60]!r}: a name has 1 to 40 of the letters a to z"
        raise ValueError(f"{fault}, digits, - and _, and starts with a letter or digit")
    return name.lower()


def read_marks(path: str | Path, known: Collection[Pair] | None = None) -> dict[Pair, str]:
    """Return the judgements in an annotator's file or a filled-in sheet, keyed by (qid, docno).

    Args:
        path: a table with `qid`, `docno` and `mark`: relevant, not, doubtful, r, n, d, or empty if not judged.
        known: the pairs (qid, docno) that may occur, or None for any pair.

    Raises:
        CollectionError: if a line is malformed, or has a pair that is not in `known`. The message names file and line.
    """
    return {pair: mark for pair, (mark, _) in _marked(Path(path), known).items()}


def _marked(path: Path, known: Collection[Pair] | None = None) -> dict[Pair, tuple[str, str]]:
    """Return the judgements in a file as pairs (judgement, time), keyed by (qid, docno); see `read_marks`."""
    marks: dict[Pair, tuple[str, str]] = {}
    for number, row in read_rows(path, ("qid", "docno"), ("mark", "when")):
        pair = row["qid"], row["docno"]
        if not row["mark"]:
            continue
        mark = _SPELLINGS.get(row["mark"].lower())
        if mark is None:
            fault = f"column 'mark' is {row['mark']!r}; one of {', '.join(MARKS)}, or r, n, d"
            raise CollectionError(path, number, fault)
        if known is not None and pair not in known:
            fault = f"{' '.join(pair)} is not in the sheet; take this sheet's marks, or drop the line"
            raise CollectionError(path, number, fault)
        before, _ = marks.setdefault(pair, (mark, row["when"]))
        if before != mark:
            raise CollectionError(path, number, f"{' '.join(pair)} was marked {before!r} before; keep one line")
    return marks


def gather_marks(sources: Iterable[str | Path], known: Collection[Pair] | None = None) -> pd.DataFrame:
    """Return the judgements of several annotators as a frame with the index `qid`, `docno` and a column per annotator.

    A cell is empty if the annotator has not judged the pair.

    Args:
        sources: files of judgements, or folders with such files. The name of a file is the annotator's name.
        known: the pairs (qid, docno) that may occur, or None for any pair.

    Raises:
        FileNotFoundError: if a file does not exist, or a folder has no files of judgements.
        ValueError: if an annotator has two files, or a file is malformed.
    """
    names: list[str] = []
    rows: list[tuple[str, str, str, str]] = []
    for source in map(Path, sources):
        files = sorted(source.glob(f"*{SUFFIX}")) if source.is_dir() else [source]
        if not files:
            raise FileNotFoundError(f"no marks in {source}: no file *{SUFFIX}; annotate first")
        for file in files:
            name = file.name.removesuffix(SUFFIX).removesuffix(".tsv")
            if name in names:
                raise ValueError(f"{file}: there are marks of {name!r} already; give each annotator's file once")
            names.append(name)
            rows += [(*pair, name, mark) for pair, mark in read_marks(file, known).items()]
    found = pd.DataFrame(rows, columns=["qid", "docno", "annotator", "mark"], dtype=object)
    return found.pivot(index=["qid", "docno"], columns="annotator", values="mark").reindex(columns=names)


class MarkFile:
    """The file with the judgements (marks) of one annotator.

    Args:
        folder: the folder that contains the file.
        annotator: the annotator's name, which is also the name of the file.
        known: the pairs (qid, docno) to judge. Any other pair is an error.

    Raises:
        ValueError: if the name is invalid.
    """

    def __init__(self, folder: Path, annotator: str, known: Collection[Pair]) -> None:
        self.annotator = annotator_name(annotator)
        self.path = folder / f"{self.annotator}{SUFFIX}"
        self._known = known

    def marks(self) -> dict[Pair, str]:
        """Return the judgements, keyed by (qid, docno). Raise a CollectionError if the file is malformed."""
        return {pair: mark for pair, (mark, _) in self._read().items()}

    def set(self, pair: Pair, mark: str | None) -> int:
        """Set the judgement of a pair (qid, docno), save the file, and return the new number of judgements.

        Other processes may change the file at the same time; no judgement is lost.

        Args:
            mark: "relevant", "not" or "doubtful"; None removes the judgement.

        Raises:
            ValueError: if the judgement or the pair is unknown.
            CollectionError: if the existing file is malformed.
            OSError: if the file cannot be written. The old judgements are then kept.
        """
        if mark is not None and mark not in MARKS:
            raise ValueError(f"mark {mark!r}: one of {', '.join(MARKS)}, or null to remove it")
        if pair not in self._known:
            raise ValueError(f"{' '.join(pair)[:200]} is not in the sheet")
        with held(self.path.with_name(f".{self.path.name}.lock")):
            marks = self._read()
            marks.pop(pair, None)
            if mark is not None:
                marks[pair] = mark, datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            write_rows(self.path, _COLUMNS, ((*pair, *marked) for pair, marked in marks.items()))
        return len(marks)

    def _read(self) -> dict[Pair, tuple[str, str]]:
        """Return pairs (judgement, time), keyed by (qid, docno). Raise a CollectionError for unknown columns."""
        if not self.path.exists():
            return {}
        if not self.path.is_file():
            raise CollectionError(self.path, None, "is not a file; marks are kept in a file, move this away")
        header = next((text for _, text in lines(self.path)), "").split("\t")
        others = {name.strip().strip('"') for name in header} - {*_COLUMNS}
        if others:
            fault = f"column {min(others)!r} is none of {', '.join(_COLUMNS)}, and would be lost with the next mark"
            raise CollectionError(self.path, 1, f"{fault}; take it out")
        return _marked(self.path)


def cohens_kappa(both: pd.DataFrame) -> float:
    """Return Cohen's kappa (Cohen, 1960), the agreement of two annotators beyond chance: 1 for full agreement, 0 for
    the agreement expected by chance, NaN if all judgements are the same. `both` is a frame with a column of judgements
    for each annotator, without empty cells."""
    one, other = (both[name].value_counts(normalize=True) for name in both)
    expected = float(one.mul(other, fill_value=0.0).sum())
    return (_observed(both) - expected) / (1 - expected) if expected < 1 else math.nan


def _observed(both: pd.DataFrame) -> float:
    return float((both.iloc[:, 0] == both.iloc[:, 1]).mean())


def agreements(marks: pd.DataFrame) -> pd.DataFrame:
    """Return the agreement of each pair of annotators, on the sentences that both annotators have judged.

    Args:
        marks: a frame of judgements with a column per annotator.

    Returns:
        a frame with a row for each pair of annotators: their names `first` and `second`; `shared`, the number of
            sentences that both judged; `observed`, the share of equal judgements among them; `kappa`, Cohen's kappa.

    Raises:
        ValueError: if there are fewer than two annotators.
    """
    if marks.shape[1] < 2:
        raise ValueError(f"agreement needs two annotators, got {', '.join(marks) or 'none'}")
    rows = []
    for names in combinations(marks, 2):
        both = marks[[*names]].dropna()
        rows.append((*names, len(both), _observed(both), cohens_kappa(both)))
    return pd.DataFrame(rows, columns=["first", "second", "shared", "observed", "kappa"])


def settle(marks: pd.DataFrame) -> pd.Series:
    """Return the annotators' most frequent judgement of each sentence, or "doubtful" for a tie, indexed by `qid` and
    `docno`. `marks` is a frame of judgements with a column per annotator."""
    most = marks.mode(axis=1).reindex(marks.index, columns=[0, 1])
    return most[0].where(most[1].isna(), "doubtful")


class Exported(NamedTuple):
    """The files that `export` has written, and the numbers of queries and sentences in these files.

    Args:
        files: the written files, with topics, qrels, qrels of sentences that are relevant only after conversion, and
            doubtful sentences.
        queries, judged: the numbers of queries and of judged sentences.
        relevant, convertible: the numbers of sentences that are relevant as stated, or relevant only after conversion.
        unmarked: the number of sentences that no annotator has judged.
        without_relevant: the qids that were left out, because no sentence is relevant without unit conversion.
    """

    files: list[Path]
    queries: int
    relevant: int
    convertible: int
    judged: int
    unmarked: int
    without_relevant: list[str]


def export(
    sheet: Sheet, topics: pd.DataFrame, settled: pd.Series, folder: str | Path, name: str = "collection"
) -> Exported:
    """Write a test collection: NAME.topics.tsv, NAME.qrels, NAME.qrels-convertible (documents that are relevant only
    after unit conversion), and NAME.doubtful (documents judged "doubtful", which evaluations leave out).

    A topic is left out if no document is relevant without unit conversion.

    Args:
        sheet: the texts that annotators judged for each query.
        topics: topics with `qid`, `query` and any other columns of a topics file.
        settled: the final judgement of each (qid, docno), as `settle` returns it.
        folder, name: the folder to write to, and the NAME of the files.

    Raises:
        ValueError: if a judged query is not among the topics, or no document is relevant.
    """
    missing = set(settled.index.get_level_values("qid")) - set(topics["qid"])
    if missing:
        raise ValueError(f"query {min(missing)!r} was marked and is not in the topics; give the topics of this sheet")
    judged = sheet.frame().join(settled.rename("mark")).dropna(subset="mark").reset_index()
    relevant = judged["mark"] == "relevant"
    answered = judged["qid"][relevant & ~judged["convertible"]].unique()
    if not len(answered):
        raise ValueError("nothing is marked relevant that states the query's unit; mark more of the sheet first")
    kept = judged[judged["qid"].isin(answered)].assign(label=relevant.astype(int))
    doubtful, convertible = kept["mark"] == "doubtful", kept["convertible"]
    strict, converted = kept[~doubtful & ~convertible], kept[convertible & (kept["label"] == 1)]
    parts = ("topics.tsv", "qrels", "qrels-convertible", "doubtful")
    files = [Path(folder) / f"{name}.{part}" for part in parts]
    chosen = topics[topics["qid"].isin(answered)]
    write_rows(files[0], list(chosen.columns), chosen.map(_cell).itertuples(index=False), quoted=False)
    for file, rows in ((files[1], strict), (files[2], converted)):
        write_text(file, "".join(f"{q} 0 {d} {label}\n" for q, d, label in rows[["qid", "docno", "label"]].to_numpy()))
    write_text(files[3], "".join(f"{q} {d}\n" for q, d in kept[doubtful][["qid", "docno"]].to_numpy()))
    without = [qid for qid in dict.fromkeys(c.qid for c in sheet.candidates) if qid not in answered]
    counts = len(chosen), int(strict["label"].sum()), len(converted), len(kept), len(sheet) - len(judged)
    return Exported(files, *counts, without)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else plain(value)
    return str(value)
