"""Evaluate a model with nDCG@10 on generated validation queries, to select a checkpoint and to fit weights."""

from collections.abc import Sequence
from typing import Any, Final

import ir_measures
import numpy as np
import numpy.typing as npt
import pandas as pd
from ir_measures import nDCG

from pyterrier_quantity._extras import need
from pyterrier_quantity.neural import Hybrid
from pyterrier_quantity.neural.models import LazyModel
from pyterrier_quantity.neural.numeric_terms import NumericTerms, met
from pyterrier_quantity.training.data_files import TrainingData

METRIC: Final = "ndcg@10"
GATES: Final = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0)
"""Candidates for the score that is added to a text that meets the query's condition."""
ALPHAS: Final = sorted((*(round(0.05 * n, 2) for n in range(1, 20)), 0.97, 0.98, 0.99), key=lambda a: abs(a - 0.5))
"""Candidates for the weight of a hybrid's dense score, the closest to 0.5 first."""
Scores = npt.NDArray[np.floating[Any]]
"""Array of scores, of shape (queries, texts)."""


class Validation:
    """Evaluation of a model that ranks all validation texts for each validation query.

    The evaluation also fits a weight: a hybrid's alpha (weight of the dense score), or the score that is added to a
    text that meets the query's condition. Without validation queries, `bool(validation)` is False.

    Args:
        encoder: the model to evaluate.
        data: training data with validation queries.
        terms: whether the model compares values. If so, the score added for a met condition is fitted.
    """

    def __init__(self, encoder: LazyModel, data: TrainingData, terms: bool) -> None:
        samples = [sample for sample in data.samples if sample.qid in data.valid]
        self.qids = sorted({sample.qid for sample in samples})
        self.queries = [data.queries[qid].text for qid in self.qids]
        self.texts = list(dict.fromkeys(sample.text for sample in samples))
        number = {text: str(n) for n, text in enumerate(self.texts)}
        relevant = sorted({(sample.qid, number[sample.text], 1) for sample in samples if sample.label})
        self._qrels = pd.DataFrame(relevant, columns=["query_id", "doc_id", "relevance"])
        self._encoder = encoder
        self._met: Scores | float = 0.0  # number of constraints that each text meets, of shape (queries, texts)
        if terms and self:
            numeric = NumericTerms(gate=1.0)
            stated = numeric.documents(self.texts)
            self._met = np.stack([met(stated, asked) for asked in numeric.queries(self.queries)])
        self.weights: Sequence[float] = GATES if terms else (0.0,)
        self.usual: Sequence[float] = (encoder.GATE,)
        if isinstance(encoder, Hybrid):
            alone = (0.0,) if "sparse" in encoder.outputs else (1.0,)
            self.weights = self.usual = ALPHAS if {"dense", "sparse"} <= set(encoder.outputs) else alone

    def __bool__(self) -> bool:
        return bool(self.qids)

    def measured(self, scores: Scores) -> float:
        """Return the nDCG@10 of the rankings by the given scores, an array of shape (queries, texts)."""
        qids, texts = np.repeat(self.qids, len(self.texts)), np.tile(np.arange(len(self.texts)), len(self.qids))
        run = pd.DataFrame({"query_id": qids, "doc_id": texts.astype(str), "score": scores.ravel().astype(np.float64)})
        return float(ir_measures.calc_aggregate([nDCG @ 10], self._qrels, run)[nDCG @ 10])

    def best(self, weights: Sequence[float]) -> tuple[float, float]:
        """Return the weight (a hybrid's alpha, or the score for a met condition) with the highest nDCG@10, and this
        nDCG@10. Without validation queries, return a default weight and NaN."""
        if not self:
            return self.usual[0], float("nan")
        scores, weighed = self._scores()
        quality = {weight: self.measured(scores + weight * weighed) for weight in weights}
        best = max(quality, key=quality.__getitem__)
        return best, quality[best]

    def _scores(self) -> tuple[Scores, Scores | float]:
        """Return arrays `a` and `b` of shape (queries, texts). With a weight w, texts are ranked by `a + w * b`."""
        if isinstance(self._encoder, Hybrid):
            found = self._encoder.similarities(self.queries, self.texts)
            if len(found) == 1:
                return next(iter(found.values())), 0.0
            return found["sparse"], found["dense"] - found["sparse"]
        model, options = self._encoder.loaded, {"show_progress_bar": False, "batch_size": 16}
        asked, stated = model.encode_query(self.queries, **options), model.encode_document(self.texts, **options)
        return np.asarray(model.similarity(asked, stated).to_dense().float().cpu()), self._met

    def evaluator(self) -> Any:
        """Return an evaluator of nDCG@10 for sentence-transformers' trainers (for a hybrid, the maximum over alpha)."""
        base, validation = need("sentence_transformers.base.evaluation").BaseEvaluator, self

        class Evaluator(base):  # type: ignore[misc, valid-type]
            primary_metric = METRIC

            def __call__(self, *_: Any, **__: Any) -> dict[str, float]:
                return {METRIC: validation.best(validation.usual)[1]}

        return Evaluator()
