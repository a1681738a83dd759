"""Make, write and read sheets. A sheet is a table of the texts that annotators judge for each query."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from pyterrier_quantity.concept_units.concept_unit_index import ConceptUnitIndex
from pyterrier_quantity.concept_units.distribution import Reach, Span, Values
from pyterrier_quantity.concept_units.wording import plain
from pyterrier_quantity.datasets.files import CollectionError, read_rows, write_rows
from pyterrier_quantity.quantity import Constraint

COLUMNS: Final = ("qid", "docno", "mark", "remark", "query", "asked", "text", "reach", "quantities")
_SPAN: Final = re.compile(r"(\d+)-(\d+)([+~-])(\S*)")
_STRICT, _CONVERTED, _OTHER = "+~-"


@dataclass(frozen=True)
class SheetQuantity:
    """A quantity in a text that annotators judge.

    Args:
        start, end: the quantity's character span in the text.
        kind: "+" if the quantity meets the query's condition, "~" if only its converted value does, otherwise "-".
        value: the value and unit after conversion, as text, or "" if the unit was not converted.
    """

    start: int
    end: int
    kind: str
    value: str = ""

    def __str__(self) -> str:
        value = f"={self.value.replace(' ', '_')}" if self.value else ""
        return f"{self.start}-{self.end}{self.kind}{value}"


@dataclass(frozen=True)
class Candidate:
    """A text that annotators judge for a query.

    Args:
        qid, query: the query's id and text.
        docno, text: the docno and the text.
        asked: the query's condition as text.
        reach: where the words of the query's concept occur: "exact" if they are the whole concept of a quantity,
            "concept" if they are in the concept of a quantity, "text" if they are elsewhere in the text.
        mentions: the text's quantities whose units can be converted to the condition's unit.
    """

    qid: str
    docno: str
    query: str
    asked: str
    text: str
    reach: str = ""
    mentions: tuple[SheetQuantity, ...] = ()

    @property
    def pair(self) -> tuple[str, str]:
        return self.qid, self.docno

    @property
    def convertible(self) -> bool:
        """Whether the text meets the query's condition only after unit conversion."""
        kinds = {mention.kind for mention in self.mentions}
        return _CONVERTED in kinds and _STRICT not in kinds


class Sheet:
    """A table of the texts to judge for each query, in the order shown to annotators."""

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        self.candidates = list(candidates)
        self.pairs = {candidate.pair for candidate in self.candidates}

    def __len__(self) -> int:
        return len(self.candidates)

    def frame(self) -> pd.DataFrame:
        """Return a frame with a row per pair of query and text, and the index `qid`, `docno`. The columns are
        `query`, `asked` (the condition), `text`, and `convertible` (see `Candidate.convertible`)."""
        names = ["qid", "docno", "query", "asked", "text", "convertible"]
        rows = [[getattr(candidate, name) for name in names] for candidate in self.candidates]
        return pd.DataFrame(rows, columns=names).set_index(["qid", "docno"])

    def write(self, path: str | Path) -> None:
        """Write the sheet to a TSV file with an empty column `mark` for the judgements."""
        rows = []
        for c in self.candidates:
            rows.append((c.qid, c.docno, "", "", c.query, c.asked, c.text, c.reach, " ".join(map(str, c.mentions))))
        write_rows(Path(path), COLUMNS, rows)

    @classmethod
    def read(cls, path: str | Path) -> "Sheet":
        """Return the sheet in a file. Raise a CollectionError if a line is malformed."""
        path = Path(path)
        found: dict[tuple[str, str], Candidate] = {}
        needed, optional = ("qid", "docno", "query", "text"), ("asked", "reach", "quantities")
        for number, row in read_rows(path, needed, optional, spaced=("text",)):
            mentions = _mentions(path, number, row.pop("quantities"), len(row["text"]))
            pair = row["qid"], row["docno"]
            if pair in found:
                raise CollectionError(path, number, f"{' '.join(pair)} occurred before; drop one of the lines")
            found[pair] = Candidate(**row, mentions=mentions)
        if not found:
            raise CollectionError(path, 1, "there are no candidates below the header")
        return cls(found.values())


def make_sheet(
    index: ConceptUnitIndex, topics: pd.DataFrame, reach: Reach | str = Reach.TEXT, single: bool = False
) -> Sheet:
    """Return a sheet (a table of texts to judge) with all documents in which a quantity meets a topic's condition. For
    each topic, the documents that match the topic's concept best come first.

    Args:
        index: the index of the corpus by concept and unit.
        topics: a frame with `qid`, `query`, `constraints` (one per topic), and the concept in `synonyms` or `keywords`
            (phrases separated by "|").
        reach: where the words of the concept must occur: "exact", "concept" or "text"; see `Reach`.
        single: whether to use only documents that contain exactly one quantity of any kind, as in "Numbers Matter!".

    Raises:
        ValueError: if a topic does not have exactly one condition. The message names the topic.
    """
    candidates = []
    known: dict[tuple[tuple[str, ...], str], Values] = {}
    stated = np.bincount(index.columns["document"])
    alone = {index.docnos[number] for number in np.flatnonzero(stated == 1)} if single else None
    for topic in topics.to_dict("records"):
        constraint = _constraint(topic, index)
        need = _phrases(topic), constraint.unit
        if need not in known:
            known[need] = index.values(*need, reach)
        values = known[need]
        found = values.meeting(constraint)
        found = found if alone is None else found[found["docno"].isin(alone)]
        found = found.sort_values("reach", key=lambda names: names.map([*Reach].index), kind="stable")
        for docno, text, level, spans in found[["docno", "text", "reach", "spans"]].itertuples(index=False):
            mentions = tuple(_mention(span, constraint.unit) for span in spans)
            candidates.append(Candidate(topic["qid"], docno, topic["query"], str(constraint), text, level, mentions))
    return Sheet(candidates)


def _constraint(topic: dict[str, object], index: ConceptUnitIndex) -> Constraint:
    given = topic.get("constraints")
    if not isinstance(given, Sequence) or len(given) != 1:
        found = len(given) if isinstance(given, Sequence) else "no"
        needed = "candidates need one: fill in condition, value and unit"
        raise ValueError(f"topic {topic['qid']!r} sets {found} conditions; {needed}")
    try:
        return replace(given[0], unit=index.registry.resolve(given[0].unit))
    except ValueError as error:
        raise ValueError(f"topic {topic['qid']!r}, column 'unit': {error}") from error


def _phrases(topic: dict[str, object]) -> tuple[str, ...]:
    for name in ("synonyms", "keywords"):
        given = topic.get(name)
        phrases = tuple(filter(None, map(str.strip, given.split("|")))) if isinstance(given, str) else ()
        if phrases:
            return phrases
    raise ValueError(f"topic {topic['qid']!r} has no concept; fill in the column synonyms or keywords")


def _mention(span: Span, unit: str) -> SheetQuantity:
    kind = (_CONVERTED if span.converted else _STRICT) if span.met else _OTHER
    ends = [plain(float(f"{end:.5g}")) for end in dict.fromkeys((span.low, span.high))]
    return SheetQuantity(span.start, span.end, kind, f"{' to '.join(ends)} {unit}" if span.converted else "")


def _mentions(path: Path, number: int, cell: str, length: int) -> tuple[SheetQuantity, ...]:
    mentions = []
    for part in cell.split():
        found = _SPAN.fullmatch(part)
        if not found or not int(found[1]) < int(found[2]) <= length:
            fault = "places in the text are expected, like 4-12+; if the text was edited, empty the cell"
            raise CollectionError(path, number, f"column 'quantities' has {part!r}; {fault}")
        mentions.append(SheetQuantity(int(found[1]), int(found[2]), found[3], found[4].lstrip("=").replace("_", " ")))
    return tuple(sorted(mentions, key=lambda mention: mention.start))
