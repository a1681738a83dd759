"""A question's candidates, the facts of its report; and what rankers that learn see of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import ranks, rescored
from pyterrier_quantity._transformer import Configured, check_choice
from pyterrier_quantity.tables.facts import KINDS, facts
from pyterrier_quantity.tables.questions import content, periods, read_question
from pyterrier_quantity.tables.readers import as_tables
from pyterrier_quantity.tables.table import Table

FACT_COLUMNS: Final = ["query", "text", "quantities", "row", "column", "cells"]
"""What facts bring into a frame of results."""
_COLUMNS: Final = ["docno", "text", "quantities", "report", "row", "column", "cells", "table"]
_K1, _B = 1.2, 0.75


class ReportFacts(Configured):
    """Q -> R: every fact of a question's report, as candidates for rankers that score texts.

    Args:
        tables: what `facts` takes.
        kinds: "cell", "row", "text": the facts to give.

    Columns in: `qid`, `query`, and optionally `report`, the name of the table that a question is asked of; without it,
    or where it is empty, the facts of all tables. Columns out: also `docno`, `text`, `quantities`, `report`, `row`,
    `column`, `cells`, `table`, `score` (0) and `rank`.

    Raises:
        ValueError: naming a report that is not among the tables.
    """

    def __init__(self, tables: Any, kinds: Sequence[str] = ("cell", "text")) -> None:
        self.tables: list[Table] = list(as_tables(tables))
        self.kinds = tuple(kinds)
        self._by_report: dict[str, pd.DataFrame] = {}
        for kind in kinds:
            check_choice("kind", kind, KINDS)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        own = inp.drop(columns=_COLUMNS, errors="ignore")
        asked = [""] * len(inp) if "report" not in inp.columns else inp["report"].fillna("")
        parts = [own.iloc[[n]].merge(self._report(name), how="cross") for n, name in enumerate(asked)]
        found = pd.concat(parts or [own.merge(pd.DataFrame(columns=_COLUMNS), how="cross")], ignore_index=True)
        return found.assign(score=0.0, rank=found.groupby("qid").cumcount())

    def __repr__(self) -> str:
        return f"ReportFacts({len(self.tables)} tables, kinds={self.kinds!r})"

    def _report(self, name: str) -> pd.DataFrame:
        if name not in self._by_report:
            tables = [table for table in self.tables if name in ("", table.name)]
            if not tables:
                raise ValueError(f"column 'report': there is no table {name!r}; there are {len(self.tables)} others")
            found = [fact for kind in self.kinds for fact in facts(tables, kind)]
            self._by_report[name] = pd.DataFrame(found, columns=_COLUMNS)
        return self._by_report[name]


class CandidateBM25(Configured):
    """R -> R: BM25 of the texts, with the statistics of the query's own candidates; no index, no Java.

    Columns in: `qid`, `query`, `docno`, `text`. Columns out: the same, with `score` and `rank`. Rows keep their order.
    """

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(inp, extra_columns=["query", "text"], context=self)
        score = np.zeros(len(inp))
        for rows in inp.groupby("qid").indices.values():
            texts = [content(text) for text in inp["text"].iloc[rows]]
            score[rows] = bm25(content(str(inp["query"].iloc[rows[0]])), texts)
        return rescored(inp, score=score)


class FactFeatures(Configured):
    """R -> R: adds `features`, what a ranker that learns sees of a question and a fact.

    Columns in: `qid`, `query`, `docno` and what `facts` makes: `text`, `quantities`, `row`, `column`, `cells`.
    Columns out: the same, with `features` (arrays). Facts compete with the facts of their
    question, so a frame should hold all candidates of a question.

    Behind it stands PyTerrier's `pt.ltr.apply_learned_model(learner)`, which is trained on the facts that hold a gold
    program's numbers (`gold_docnos`): the fact classifier of "A Numerical Reasoning Question Answering System with
    Fine-grained Retriever ...", section 2.2, over these features in place of BERT.
    """

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(inp, extra_columns=FACT_COLUMNS, context=self)
        found = np.empty(len(inp), dtype=object)
        for rows in inp.groupby("qid").indices.values():
            known = inp[["docno", *FACT_COLUMNS]].iloc[rows].to_dict("records")
            found[rows] = list(_features(str(known[0]["query"]), known))
        return inp.assign(features=pd.Series(found, index=inp.index, dtype=object))


def bm25(query: Sequence[str], documents: Sequence[Sequence[str]]) -> npt.NDArray[np.float64]:
    """BM25 of documents' words within these documents, with Lucene's idf."""
    counts, scores = list(map(Counter, documents)), np.zeros(len(documents))
    length = np.array([len(document) for document in documents], dtype=float)
    norm = _K1 * (1 - _B + _B * length / (length.mean() or 1.0))
    for word in query:
        times = np.array([found[word] for found in counts], dtype=float)
        held = np.count_nonzero(times)
        idf = math.log(1 + (len(documents) - held + 0.5) / (held + 0.5))
        scores += idf * times * (_K1 + 1) / (times + norm)
    return scores


def _features(question: str, known: Sequence[Mapping[str, Any]]) -> npt.NDArray[np.float32]:
    """A row of numbers for each of a question's candidates.

    Of 23 features these are left: on TAT-QA's development set, cross-validated over reports, boosted trees find as many
    gold cells with these as with all.
    """
    places = [cell.place for fact in known for cell in fact["cells"]]
    last_row, last_column = np.max(places, axis=0, initial=1) if places else (1, 1)
    relevance = bm25(content(question), [content(fact["text"]) for fact in known])
    rank = ranks(np.zeros(len(known), dtype=np.int64), relevance)
    asked = read_question(question)
    rows = [
        [
            1 / (1 + rank[number]),
            bool(fact["quantities"]),
            (fact["cells"][0].place[0] if fact["cells"] else 0) / last_row,
            last_column,
            math.log1p(len(fact["text"])),
            _named(content(fact["row"]), asked.stems),
            _named(asked.periods, periods(_names(fact))),
        ]
        for number, fact in enumerate(known)
    ]
    return np.array(rows, dtype=np.float32)


def _names(fact: Mapping[str, Any]) -> str:
    """All that names a fact's cells; a sentence as a whole."""
    return f"{fact['column']} {fact['cells'][0].section} {fact['row']}" if fact["cells"] else fact["text"]


def _named(words: Sequence[str], known: Sequence[str]) -> float:
    """The share of words that others hold."""
    return sum(word in known for word in words) / len(words) if words else 0.0
