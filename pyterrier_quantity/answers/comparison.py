"""`compare`: the same quantity of several entities, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.answers.extractive import as_answer, empty_answer
from pyterrier_quantity.units import default_registry

NOT_RETRIEVED: Final = "nothing was retrieved"
_NOTHING: Final = empty_answer(NOT_RETRIEVED)
_PLACE: Final = "{}"


def compare(answers: pt.Transformer, question: str, entities: Sequence[str], unit: str | None = None) -> pd.DataFrame:
    """Ask the same question about several entities.

    Args:
        answers: Q -> Q with `value`, `unit`, `qanswer`, `score`, `evidence` and `reason`: a retriever with texts and
            `Extractive()`, as in `bm25 >> get_text >> Extractive()`.
        question: with `{}` where the entity stands, "how heavy is the {}?".
        entities: their names.
        unit: the unit of the table, in any spelling; None: the unit of most answers.

    Returns:
        One row an entity, the largest value first, entities without an answer last: `entity`, `value`, `unit`,
        `qanswer` (in that unit), `score`, `docno` and `sentence` of the best evidence, `reason`. A value that does not
        convert to the unit is NaN, and its reason says so.

    Raises:
        ValueError: if the question holds no `{}`, there are no entities, or the unit cannot be read.
    """
    if _PLACE not in question:
        raise ValueError(f"compare: the question {question!r} needs {{}} where the entity is to stand")
    if not len(entities):
        raise ValueError("compare: no entities")
    queries = [{"qid": str(n), "query": question.replace(_PLACE, entity)} for n, entity in enumerate(entities)]
    found = {row["qid"]: row for row in answers.transform(pd.DataFrame(queries)).to_dict("records")}
    given = [found.get(str(n), _NOTHING) for n in range(len(entities))]
    known = pd.Series([row["unit"] for row in given if row["unit"]])
    common = default_registry().resolve(unit) if unit else (known.mode()[0] if len(known) else "")
    table = pd.DataFrame([_row(entity, answer, common) for entity, answer in zip(entities, given, strict=True)])
    return table.sort_values("value", ascending=False, kind="stable", na_position="last", ignore_index=True)


def _row(entity: str, answer: Mapping[str, Any], unit: str) -> dict[str, Any]:
    best = answer["evidence"][0] if answer["evidence"] else {"docno": "", "sentence": ""}
    row = {"entity": entity, **{name: answer[name] for name in ("value", "unit", "qanswer", "score")}}
    row |= {"docno": best["docno"], "sentence": best["sentence"], "reason": answer["reason"]}
    if row["unit"] in ("", unit):
        return row
    if default_registry().conversion(row["unit"], unit) is None:
        return row | {"value": np.nan, "qanswer": "", "reason": f"{row['qanswer']} does not convert to {unit}"}
    value = float(default_registry().convert(row["value"], row["unit"], unit))
    return row | {"value": value, "unit": unit, "qanswer": as_answer(value, unit)}
