"""Judgements from the marks of several annotators: their agreement, one mark per pair, and a test collection.

Marks are a frame with a row per pair of `qid` and `docno` (its index), and a column per annotator. Cells without a mark
are empty.
"""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from pyterrier_quantity.collecting.sheet import Sheet
from pyterrier_quantity.concept_units.wording import plain
from pyterrier_quantity.datasets.files import write_rows
from pyterrier_quantity.storage.folders import write_text


def cohens_kappa(both: pd.DataFrame) -> float:
    """Return Cohen's kappa of two annotators' marks on the same pairs: (observed - expected) / (1 - expected).

    Source: Cohen, A coefficient of agreement for nominal scales, 1960; Almasian et al., section 4.1, report it.

    Args:
        both: two columns, without empty cells.

    Returns:
        1 for full agreement, 0 for agreement by chance. NaN if both gave the same mark to all pairs, or without pairs.
    """
    one, other = (both[name].value_counts(normalize=True) for name in both)
    expected = float(one.mul(other, fill_value=0.0).sum())
    return (_observed(both) - expected) / (1 - expected) if expected < 1 else math.nan


def _observed(both: pd.DataFrame) -> float:
    """Return the share of pairs on which two annotators agree; NaN without pairs."""
    return float((both.iloc[:, 0] == both.iloc[:, 1]).mean())


def agreements(marks: pd.DataFrame) -> pd.DataFrame:
    """Return the agreement of every two annotators, on the pairs that both have marked.

    Returns:
        A row for every two annotators, `first` and `second`: `shared`, the number of pairs that both marked;
        `observed`, the share on which they agree; `kappa`, over the three marks.

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
    """Return the most frequent mark of each pair, or "doubtful" if two marks are equally frequent."""
    most = marks.mode(axis=1).reindex(marks.index, columns=[0, 1])
    return most[0].where(most[1].isna(), "doubtful")


class Exported(NamedTuple):
    """The written files, counts of their content, and the queries that were left out.

    The files are topics, qrels, qrels of pairs that are relevant only by conversion, and doubtful pairs.
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
    """Write NAME.topics.tsv, NAME.qrels, NAME.qrels-convertible and NAME.doubtful, which `LocalCollection` loads.

    Topics without a relevant document in their own unit are left out: no ranking can be measured on them. Pairs that
    are relevant only by conversion go to the qrels-convertible file.

    Args:
        sheet: the judged candidates.
        topics: topics with `qid`, `query` and any other columns of a topics file.
        settled: one mark per pair, see `settle`.

    Raises:
        ValueError: if a marked query is not among the topics, or no pair is relevant.
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
    """Return a topic's cell as text; numbers have no exponent."""
    if isinstance(value, float):
        return "" if math.isnan(value) else plain(value)
    return str(value)
