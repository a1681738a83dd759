"""Which topics ask about a concept that a joint model was trained on: the groups of the paper's Figure 1."""

from __future__ import annotations

import numpy as np
import pandas as pd

import pyterrier_quantity as ptq
from pyterrier_quantity.concept_units.concept_words import stems
from pyterrier_quantity.training import TrainingData

SEEN, UNSEEN, LEXICAL = "seen", "unseen", "lexical"


def concept_groups(topics: pd.DataFrame, data: TrainingData) -> pd.Series:
    """The group of each topic, by `qid`: its type, and of lexical topics whether their concept was trained on.

    A concept was trained on if one of a training query holds all of its words, in any form.

    Args:
        topics: `qid`, `query`, `type`.
        data: what the model was trained on.
    """
    trained = {stems(query.concept) for qid, query in data.queries.items() if qid not in data.valid}
    asked = [stems(ptq.parse_query(text)[0]) for text in topics["query"]]
    seen = [bool(words) and any(words <= concept for concept in trained) for words in asked]
    groups = np.where(topics["type"] == LEXICAL, np.where(seen, SEEN, UNSEEN), topics["type"])
    return pd.Series(groups, index=topics["qid"], name="group")
