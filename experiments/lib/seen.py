"""The groups of the paper's Figure 1: topics with a concept on which a joint model was trained, and others."""

import numpy as np
import pandas as pd

import pyterrier_quantity as ptq
from pyterrier_quantity.concept_units.concept_unit_index import stems
from pyterrier_quantity.training import TrainingData

SEEN, UNSEEN, LEXICAL = "seen", "unseen", "lexical"


def concept_groups(topics: pd.DataFrame, data: TrainingData) -> pd.Series:
    """Return each topic's group, keyed by `qid`: its type and, if lexical, whether its concept was used in training.

    A concept was used in training if the concept of a training query contains all of its words, in any form.

    Args:
        topics: the topics, with `qid`, `query` and `type`.
        data: the model's training data.
    """
    trained = {stems(query.concept) for qid, query in data.queries.items() if qid not in data.valid}
    asked = [stems(ptq.parse_query(text)[0]) for text in topics["query"]]
    seen = [bool(words) and any(words <= concept for concept in trained) for words in asked]
    groups = np.where(topics["type"] == LEXICAL, np.where(seen, SEEN, UNSEEN), topics["type"])
    return pd.Series(groups, index=topics["qid"], name="group")
