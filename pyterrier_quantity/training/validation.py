"""nDCG@10 of a model on the validation queries, over all their samples, while it is trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import ir_measures
import numpy as np
import numpy.typing as npt
import pandas as pd
from ir_measures import nDCG

from pyterrier_quantity.neural.models import need

METRIC: Final = "ndcg@10"


def pool_evaluator(
    queries: Mapping[str, str], texts: Sequence[str], relevant: Mapping[str, set[str]],
    added: npt.NDArray[np.float64] | None = None,
) -> Any:  # fmt: skip
    """An evaluator for sentence-transformers' trainers: each query ranks all the texts.

    Args:
        queries: text by qid.
        texts: what to rank.
        relevant: the texts that answer each query.
        added: (queries, distinct texts), what is added to the model's scores; None: nothing.

    Returns:
        A `BaseEvaluator` with the primary metric `METRIC`.
    """
    base = need("sentence_transformers.base.evaluation").BaseEvaluator
    pool = list(dict.fromkeys(texts))
    number = {text: str(n) for n, text in enumerate(pool)}
    qrels = pd.DataFrame([(qid, number[text], 1) for qid, found in relevant.items() for text in sorted(found)],
                         columns=["query_id", "doc_id", "relevance"])  # fmt: skip

    class PoolEvaluator(base):  # type: ignore[misc, valid-type]
        """Ranks the pool for each query; see `pool_evaluator`."""

        primary_metric = METRIC

        def __call__(
            self, model: Any, output_path: str | None = None, epoch: int = -1, steps: int = -1, **_: Any
        ) -> dict[str, float]:
            options = {"show_progress_bar": False, "batch_size": 16}
            asked = model.encode_query(list(queries.values()), **options)
            found = model.encode_document(pool, **options)
            scores = np.asarray(model.similarity(asked, found).to_dense().float().cpu())
            scores = scores if added is None else scores + added
            qids, names = np.repeat(list(queries), len(pool)), np.tile(list(number.values()), len(queries))
            run = pd.DataFrame({"query_id": qids, "doc_id": names, "score": scores.ravel()})
            return {METRIC: float(ir_measures.calc_aggregate([nDCG @ 10], qrels, run)[nDCG @ 10])}

    return PoolEvaluator()
