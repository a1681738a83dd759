"""What a ranker that learns sees of a question and a fact."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import ranks
from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.tables.questions import content, periods, read_question
from pyterrier_quantity.tables.retrieval import FACT_COLUMNS, bm25


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
