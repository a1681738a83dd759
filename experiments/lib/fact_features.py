"""Compute features of a question and a fact for learning to rank."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.frames.frame import ranks
from pyterrier_quantity.frames.transformer import Configured
from pyterrier_quantity.plan.calculations import CLASSES
from pyterrier_quantity.tables.answers import FACT_COLUMNS, bm25
from pyterrier_quantity.tables.generator import content, periods, read_question


class FactFeatures(Configured):
    """Transformer, R -> R, that adds `features` of a question and a fact, for learning to rank.

    Columns in: `qid`, `query`, `docno` and the columns of `facts`: `text`, `quantities`, `row`, `column`, `cells`.
    Columns out: the same, with `features` (arrays). Facts compete with the other facts of their question, so a frame
    should contain all candidates of a question.

    Use it before PyTerrier's `pt.ltr.apply_learned_model(learner)`, trained on the facts that contain the numbers of a
    gold program (`gold_docnos`). This is the fact classifier of "A Numerical Reasoning Question Answering System with
    Fine-grained Retriever ...", section 2.2, with these features instead of BERT.
    """

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.result_frame(inp, extra_columns=FACT_COLUMNS, context=self)
        found = np.empty(len(inp), dtype=object)
        for rows in inp.groupby("qid").indices.values():
            known = inp[["docno", *FACT_COLUMNS]].iloc[rows].to_dict("records")
            found[rows] = list(_features(str(known[0]["query"]), known))
        return inp.assign(features=pd.Series(found, index=inp.index, dtype=object))


def _features(question: str, known: Sequence[Mapping[str, Any]]) -> npt.NDArray[np.float32]:
    """Return a row of numbers for each of a question's candidates.

    The features were chosen with folds over the reports of TAT-QA's development set, with several seeds, over cells and
    over rows. In addition to BM25's rank and the requested periods, the following are useful together: names, positions
    in the table, the class of the question, totals, percent signs and dashes. Words of columns and other periods do not
    improve the ranking.
    """
    asked, lower = read_question(question), question.lower()
    relevance = bm25(content(question), [content(fact["text"]) for fact in known])
    rank = ranks(np.zeros(len(known), dtype=np.int64), relevance)
    places = [cell.place for fact in known for cell in fact["cells"]]
    last_row, last_column = np.max(places, axis=0, initial=1) if places else (1, 1)
    about = [CLASSES.index(asked.kind), len(asked.periods), len(asked.stems), last_row, last_column]
    about += ["total" in lower, "percent" in lower or "%" in lower]
    names = [_name(fact) for fact in known]
    shared, named = Counter(names), [_named_beside(content(name), asked.stems) for name in names]
    better = sorted({sum(one[:2]) for one in named}, reverse=True)
    rows = []
    for number, fact in enumerate(known):
        asked_for = _named(asked.periods, periods(f"{fact['column']} {names[number]}"))
        own = [1 / (1 + rank[number]), bool(fact["quantities"]), math.log1p(len(fact["text"])), asked_for]
        beside = [
            _named(content(fact["row"]), asked.stems),
            shared[names[number]],
            better.index(sum(named[number][:2])),
        ]
        rows.append([*own, *beside, *named[number], *_of_cells(fact, last_row, last_column), *about])
    return np.array(rows, dtype=np.float32)


def _of_cells(fact: Mapping[str, Any], last_row: int, last_column: int) -> list[float]:
    """Return the position of a fact's first cell, whether it is a total or a percentage, and whether all cells are
    dashes."""
    if not fact["cells"]:
        return [0.0] * 6
    first = fact["cells"][0]
    row, column = first.place
    kind = ["total" in fact["row"].lower(), first.measure.unit == "percentage"]
    return [
        row / last_row,
        column / last_column,
        column == last_column,
        *kind,
        not any(c.number for c in fact["cells"]),
    ]


def _name(fact: Mapping[str, Any]) -> str:
    """Return the section and row of a fact's cells or, for a sentence, the whole sentence."""
    return f"{fact['cells'][0].section} {fact['row']}".strip() if fact["cells"] else fact["text"]


def _named_beside(name: Sequence[str], stems: Sequence[str]) -> tuple[float, float, int]:
    """Return the share of a name that is in a question, the share of the question that is in the name, and the name's
    length if the question contains all of it."""
    whole = f" {' '.join(name)} " in f" {' '.join(stems)} "
    return _named(name, stems), _named(stems, name), len(name) * whole


def _named(words: Sequence[str], known: Sequence[str]) -> float:
    """Return the share of `words` that are in `known`."""
    return sum(word in known for word in words) / len(words) if words else 0.0
