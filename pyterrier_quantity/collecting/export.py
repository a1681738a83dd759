"""Marks to a test collection: topics, qrels and doubtful pairs that `LocalCollection` loads."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pyterrier_quantity.collecting.marks import Pair
from pyterrier_quantity.collecting.sheet import Sheet
from pyterrier_quantity.concept_units.tsv import write_rows, write_text
from pyterrier_quantity.concept_units.wording import plain


def settle(marks: Mapping[str, Mapping[Pair, str]], decider: str | None = None) -> dict[Pair, str]:
    """One mark for each pair: what most annotators say; doubtful where as many say otherwise.

    Args:
        marks: by annotator, then by pair.
        decider: an annotator whose marks win.

    Raises:
        ValueError: if there is no annotator of that name.
    """
    if decider is not None and decider not in marks:
        raise ValueError(f"there are no marks of {decider!r}; of {', '.join(marks) or 'nobody'}")
    settled: dict[Pair, str] = {}
    for pair in dict.fromkeys(pair for given in marks.values() for pair in given):
        if decider is not None and pair in marks[decider]:
            settled[pair] = marks[decider][pair]
            continue
        (mark, times), *others = Counter(given[pair] for given in marks.values() if pair in given).most_common(2)
        settled[pair] = "doubtful" if others and others[0][1] == times else mark
    return settled


@dataclass(frozen=True)
class Exported:
    """The files that were written, what they hold, and what stayed out."""

    topics: Path
    qrels: Path
    qrels_convertible: Path
    doubtful: Path
    queries: int
    relevant: int
    convertible: int
    judged: int
    unmarked: int
    without_relevant: tuple[str, ...]


def export(
    sheet: Sheet, topics: pd.DataFrame, settled: Mapping[Pair, str], folder: str | Path, name: str = "collection"
) -> Exported:
    """Write NAME.topics.tsv, NAME.qrels, NAME.qrels-convertible and NAME.doubtful.

    Topics without a relevant document in their own unit are left out: no ranking can be measured on them. What is
    relevant by conversion only goes to the qrels-convertible file.

    Args:
        topics: with `qid`, `query` and any other columns that a topics file may have.
        settled: one mark a pair.

    Raises:
        ValueError: if a marked query is not among the topics, or nothing is relevant.
    """
    missing = {qid for qid, _ in settled} - set(topics["qid"])
    if missing:
        raise ValueError(f"query {min(missing)!r} was marked and is not in the topics; give the topics of this sheet")
    convertible = {c.pair for c in sheet.candidates if c.convertible}
    order = [c.pair for c in sheet.candidates if c.pair in settled]
    relevant = [pair for pair in order if settled[pair] == "relevant"]
    answered = {qid for qid, docno in relevant if (qid, docno) not in convertible}
    if not answered:
        raise ValueError("nothing is marked relevant that states the query's unit; mark more of the sheet first")
    kept = [pair for pair in order if pair[0] in answered]
    strict = [pair for pair in kept if settled[pair] != "doubtful" and pair not in convertible]
    converted = [pair for pair in kept if pair in convertible and settled[pair] == "relevant"]
    files = {part: Path(folder) / f"{name}.{part}" for part in ("topics.tsv", "qrels", "qrels-convertible", "doubtful")}
    chosen = topics[topics["qid"].isin(answered)]
    write_rows(
        files["topics.tsv"],
        list(chosen.columns),
        ([*map(_cell, row)] for row in chosen.itertuples(index=False)),
        quoted=False,
    )
    write_text(files["qrels"], "".join(f"{q} 0 {d} {int(settled[q, d] == 'relevant')}\n" for q, d in strict))
    write_text(files["qrels-convertible"], "".join(f"{qid} 0 {docno} 1\n" for qid, docno in converted))
    write_text(files["doubtful"], "".join(f"{q} {d}\n" for q, d in kept if settled[q, d] == "doubtful"))
    without = tuple(qid for qid in dict.fromkeys(c.qid for c in sheet.candidates) if qid not in answered)
    return Exported(
        topics=files["topics.tsv"],
        qrels=files["qrels"],
        qrels_convertible=files["qrels-convertible"],
        doubtful=files["doubtful"],
        queries=len(chosen),
        relevant=sum(settled[pair] == "relevant" for pair in strict),
        convertible=len(converted),
        judged=len(kept),
        unmarked=len(sheet) - len(order),
        without_relevant=without,
    )


def _cell(value: object) -> str:
    """A topic's cell as the file has it; numbers without an exponent."""
    if isinstance(value, float):
        return "" if math.isnan(value) else plain(value)
    return str(value)
