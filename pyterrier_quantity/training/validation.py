"""nDCG@10 on the validation queries over all their samples: while a model is trained, and to fit what it is weighed by.

Only queries and sentences that were generated from the corpus decide; no judgement is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import ir_measures
import numpy as np
import numpy.typing as npt
import pandas as pd
from ir_measures import nDCG

from pyterrier_quantity._extras import need
from pyterrier_quantity.neural.numeric_terms import NumericTerms, met
from pyterrier_quantity.training.data_files import TrainingData

METRIC: Final = "ndcg@10"
Scores = npt.NDArray[np.floating[Any]]
"""(queries, texts)."""


class ValidationPool:
    """The validation queries, and the texts of all their samples, which each query ranks.

    Args:
        data: training data; without validation queries the pool is empty, and false.
    """

    def __init__(self, data: TrainingData) -> None:
        samples = [sample for sample in data.samples if sample.qid in data.valid]
        self.qids = sorted({sample.qid for sample in samples})
        self.queries = [data.queries[qid].text for qid in self.qids]
        self.texts = list(dict.fromkeys(sample.text for sample in samples))
        number = {text: str(n) for n, text in enumerate(self.texts)}
        relevant = sorted({(sample.qid, number[sample.text], 1) for sample in samples if sample.label})
        self._qrels = pd.DataFrame(relevant, columns=["query_id", "doc_id", "relevance"])

    def __bool__(self) -> bool:
        return bool(self.qids)

    def measured(self, scores: Scores) -> float:
        """nDCG@10 of the ranking by these scores."""
        qids, texts = np.repeat(self.qids, len(self.texts)), np.tile(np.arange(len(self.texts)), len(self.qids))
        run = pd.DataFrame({"query_id": qids, "doc_id": texts.astype(str), "score": scores.ravel().astype(np.float64)})
        return float(ir_measures.calc_aggregate([nDCG @ 10], self._qrels, run)[nDCG @ 10])

    def best(self, weights: Sequence[float], scores: Callable[[float], Scores]) -> tuple[float, float]:
        """The weight whose scores rank best, of equal ones the first, and its nDCG@10."""
        found = [(self.measured(scores(weight)), weight) for weight in weights]
        quality, weight = max(found, key=lambda pair: pair[0])
        return weight, quality

    def met(self) -> Scores:
        """How many constraints of each query each text meets."""
        numeric = NumericTerms(gate=1.0)
        stated = numeric.documents(self.texts)
        return np.stack([met(stated, asked) for asked in numeric.queries(self.queries)])

    def evaluator(self, measure: Callable[[], float]) -> Any:
        """A `BaseEvaluator` of sentence-transformers' trainers with what `measure` gives as its `METRIC`."""
        base = need("sentence_transformers.base.evaluation").BaseEvaluator

        class PoolEvaluator(base):  # type: ignore[misc, valid-type]
            """nDCG@10 over the pool."""

            primary_metric = METRIC

            def __call__(self, model: Any, *_: Any, **__: Any) -> dict[str, float]:
                return {METRIC: measure()}

        return PoolEvaluator()
