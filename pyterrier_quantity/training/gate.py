"""How much a met condition weighs beside the words, where quantities are terms: fitted on validation queries.

Only queries and sentences that were generated from the corpus decide; no judgement is seen.
"""

from __future__ import annotations

from typing import Final

import ir_measures
import numpy as np
import numpy.typing as npt
import pandas as pd
from ir_measures import nDCG

from pyterrier_quantity.neural import ColBERT, Splade
from pyterrier_quantity.neural.numeric_terms import NumericTerms
from pyterrier_quantity.neural.stored_terms import StoredTerms
from pyterrier_quantity.training.data_files import TrainingData

Scores = npt.NDArray[np.float64]
"""(queries, texts)."""
GRID: Final = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0)
"""Has the encoders' usual gates, so that the fitted one ranks the validation queries no worse."""


def fitted_gate(encoder: Splade | ColBERT, data: TrainingData) -> tuple[float, float]:
    """The gate with the best nDCG@10 on the validation queries over all their samples, and that nDCG@10.

    Args:
        encoder: a model that takes quantities as they are written.
        data: with validation queries; without any, the gate is the usual one, and nDCG@10 is NaN.
    """
    samples = [sample for sample in data.samples if sample.qid in data.valid]
    if not samples:
        return encoder.GATE, float("nan")
    qids, texts = sorted({s.qid for s in samples}), list(dict.fromkeys(s.text for s in samples))
    queries = [data.queries[qid].text for qid in qids]
    words, met = _worded(encoder, queries, texts), met_constraints(queries, texts)
    number = {text: str(n) for n, text in enumerate(texts)}
    relevant = {(s.qid, number[s.text], 1) for s in samples if s.label}
    qrels = pd.DataFrame(sorted(relevant), columns=["query_id", "doc_id", "relevance"])
    pairs = pd.MultiIndex.from_product([qids, number.values()], names=["query_id", "doc_id"]).to_frame(index=False)
    measured = []
    for gate in GRID:
        run = pairs.assign(score=(words + gate * met).ravel())
        measured.append((float(ir_measures.calc_aggregate([nDCG @ 10], qrels, run)[nDCG @ 10]), gate))
    best, gate = max(measured, key=lambda pair: (pair[0], -pair[1]))
    return gate, best


def _worded(encoder: Splade | ColBERT, queries: list[str], texts: list[str]) -> Scores:
    """The encoder's own score of each query and text."""
    rows = pd.DataFrame({"text": texts, "docno": texts})
    score = encoder.scorer()
    pairs = pd.concat([rows.assign(qid=query, query=query) for query in queries], ignore_index=True)
    return score.transform(pairs)["score"].to_numpy().reshape(len(queries), len(texts))


def met_constraints(queries: list[str], texts: list[str]) -> Scores:
    """How many constraints of each query each text meets."""
    numeric = NumericTerms(gate=1.0)
    stated = StoredTerms.of(numeric.documents(texts))
    return np.stack([stated.met(asked) for asked in numeric.queries(queries)]).astype(np.float64)
