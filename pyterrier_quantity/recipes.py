"""Named pipelines: the paper's systems, and quantity first, the order that it does not try."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.configured import Configured
from pyterrier_quantity.fusion import Fusion
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.pipelines import quantity_aware
from pyterrier_quantity.query import QueryText, parse_query
from pyterrier_quantity.ranking import ranks
from pyterrier_quantity.transformers import QuantityQueryParser

if TYPE_CHECKING:
    from pyterrier_quantity.neural import ColBERTIndex

PAPER: Final[dict[str, Any]] = {"alpha": 1.0, "norm": "max", "phi": "paper"}
"""The paper's settings (section 4 and appendix C.2): equal weights, scores over the highest, Eq. 3 and 4."""


def _paper(quantities: QuantityIndex | pt.Transformer) -> dict[str, Any]:
    """The paper's settings, without those that a scorer brings itself."""
    return PAPER if isinstance(quantities, QuantityIndex) else {k: v for k, v in PAPER.items() if k != "phi"}


def QSPLADE(splade: pt.Transformer, quantities: QuantityIndex | pt.Transformer, **options: Any) -> pt.Transformer:
    """Q -> R: SPLADE with quantity scores on every sentence that shares an expanded term (Eq. 8 and 9).

    Args:
        splade: Q -> R, as `Splade(model).query_encoder() >> PisaIndex(path, stemmer="none").quantized()`.
        quantities: the quantity index, or an R -> R that scores quantities.
        options: of `quantity_aware`, over the paper's settings; `phi="closest", alpha=4.0` ranks better.
    """
    return quantity_aware(splade, quantities, **(_paper(quantities) | options))


def QColBERT(
    colbert: pt.Transformer, quantities: QuantityIndex | pt.Transformer, depth: int = 1000, **options: Any
) -> pt.Transformer:
    """Q -> R: late interaction with quantity scores on its top candidates only (Eq. 6 and 7, with its missing plus).

    Args:
        colbert: Q -> R, as `bm25 % 1000 >> ColBERTIndex(path).scorer()`, or `ColBERTIndex(path).retriever()`.
        quantities: the quantity index, or an R -> R that scores quantities.
        depth: how many of each query's results take a quantity score.
        options: of `quantity_aware`, over the paper's settings; `phi="closest", alpha=4.0` ranks better.
    """
    return quantity_aware(colbert, quantities, depth=depth, **(_paper(quantities) | options))


def quantity_first(
    quantities: QuantityIndex,
    scorers: Sequence[pt.Transformer] | pt.Transformer,
    retrievers: Sequence[pt.Transformer] | pt.Transformer = (),
    alpha: float = 1.0,
    weights: Sequence[float] | None = None,
    norm: str = "minmax",
    depth: int = 3000,
    num_results: int | None = 1000,
    parser: pt.Transformer | None = None,
    prepare: pt.Transformer | None = None,
    feedback: pt.Transformer | None = None,
    **options: Any,
) -> pt.Transformer:
    """Q -> R: the documents that meet the constraints, in union with rankers' candidates, ranked by scorers and by
    their quantities.

    A document's score is the sum of the scorers' normalised scores, times their weights, and alpha times its quantity
    score. Every candidate takes every score, so none is judged by a list that it happens not to be in.

    Args:
        quantities: the quantity index.
        scorers: R -> R, such as `ColBERTIndex(path).scorer()` or a dense index's scorer; several are added up.
        retrievers: Q -> R whose results join the candidates; without any, a query without a quantity finds nothing.
        alpha: weight of the quantity score; the index's nearest candidates are those that are looked at.
        weights: of the scorers, and last of the feedback; None: they share 1 equally.
        norm: how scorers' scores are normalised; see `Normalise`.
        depth: candidates that the quantity index gives for a query.
        num_results: documents per query; None: all.
        parser: Q -> Q; `QuantityQueryParser()` by default.
        prepare: R -> R before the scorers, to add what they read, such as `pt.text.get_text(dataset)`.
        feedback: R -> R that looks at the ranking's best documents and scores all of them once more, such as
            `neural.VectorFeedback`.
        options: of the quantity score; see `index.options.make_scoring`.
    """
    given = [scorers] if isinstance(scorers, pt.Transformer) else list(scorers)
    others = [retrievers] if isinstance(retrievers, pt.Transformer) else list(retrievers)
    candidates = Candidates([quantities.retriever(num_results=depth, **options), *others])
    parts = len(given) + (feedback is not None)
    share = [1.0 / parts] * parts if weights is None else list(weights)
    if len(share) != parts:
        raise ValueError(f"{len(share)} weights for {parts} scorers")
    scoring = [*given, quantities.scorer(**options)]
    ranking: pt.Transformer = Fusion(
        scoring, "linear", [*share[: len(given)], alpha], [*[norm] * len(given), None],
        num_results=None if feedback else num_results,
    )  # fmt: skip
    if feedback:
        again = Fusion([pt.Transformer.identity(), feedback], "linear", [1.0, share[-1]], [None, norm],
                       num_results=num_results)  # fmt: skip
        ranking = ranking >> again
    pipeline = parser or QuantityQueryParser()
    for part in (candidates, *([prepare] if prepare else []), ranking):
        pipeline = pipeline >> part
    return pipeline


def QNeural(
    quantities: QuantityIndex,
    colbert: ColBERTIndex,
    vectors: Any,
    encoder: Any,
    retrievers: Sequence[pt.Transformer] | pt.Transformer = (),
    model: Any = None,
    **options: Any,
) -> pt.Transformer:
    """Q -> R: quantity first, with all that vectors can tell; the best of this package's systems.

    The quantity score says how well the condition is met, and four vector scores what a sentence is about, each with
    half the quantity score's weight: the single vector and the token vectors (MaxSim) of the whole query, MaxSim of the
    query's concept near the quantity that meets the condition, and how like the sentence is to the five that are best
    by these.

    Args:
        quantities: the quantity index.
        colbert: the token vectors of the same documents.
        vectors: their single vectors, a `pyterrier_dr.FlexIndex`; its results join the candidates.
        encoder: of the single vectors, as `neural.dense(model)`.
        retrievers: Q -> R whose results join the candidates, too, as BM25 and `colbert.retriever()`.
        model: encodes queries for the token vectors; None: the model that built the index.
        options: of `quantity_first`, over these settings.
    """
    from pyterrier_quantity.neural import NearQuantity, VectorFeedback

    others = [retrievers] if isinstance(retrievers, pt.Transformer) else list(retrievers)
    encode = encoder.query_encoder()
    scorers = [
        encode >> vectors.np_scorer(),
        colbert.scorer(model),
        ConceptOnly(NearQuantity(colbert, quantities, model)),
    ]
    found = [encode >> vectors.np_retriever(drop_query_vec=True), *others]
    feedback = VectorFeedback(vectors.vec_loader(), vectors.np_scorer())
    settings: dict[str, Any] = {"alpha": 0.5, "fit": False, "feedback": feedback}
    return quantity_first(quantities, scorers, found, **(settings | options))


class Candidates(Configured):
    """Q -> R: every document that any of several retrievers returns, once, with nothing but the queries' columns.

    Args:
        retrievers: Q -> R. Scores, ranks and numbers of their own do not reach the next step, where another index might
            take them for its own.

    Columns out: the queries', `docno`, `score` (0) and `rank`.
    """

    def __init__(self, retrievers: Sequence[pt.Transformer]) -> None:
        self.retrievers = list(retrievers)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        results = [retriever.transform(inp)[["qid", "docno"]] for retriever in self.retrievers]
        pairs = pd.concat(results, ignore_index=True).drop_duplicates()
        place = pd.Index(inp["qid"]).get_indexer(pairs["qid"]).astype(np.int64)
        order = np.argsort(place, kind="stable")
        found = inp.iloc[place[order]].reset_index(drop=True)
        found["docno"] = pairs["docno"].to_numpy(dtype=object)[order]
        return found.assign(score=0.0, rank=ranks(place[order], np.zeros(len(found))))


class ConceptOnly(Configured):
    """R -> R: a scorer that sees of each query what it is about, without its value, unit and condition.

    A late-interaction model compares every token of a query: "more than 5 dollars" finds its tokens in sentences about
    other dollars. The quantity score judges these words better.

    Args:
        scorer: R -> R that reads `query`.

    Columns in: those of the scorer. Columns out: the same as the scorer's; `query` stays as it was.
    """

    def __init__(self, scorer: pt.Transformer) -> None:
        self.scorer = scorer

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "docno", "query"], context=self)
        number, texts = pd.factorize(inp["query"])
        concepts = np.array([parse_query(text, keep=QueryText.CONCEPT)[0] for text in texts], dtype=object)
        scored = self.scorer.transform(inp.assign(query=concepts[number] if len(inp) else inp["query"]))
        typed = inp.drop_duplicates("qid").set_index("qid")["query"]
        return scored.assign(query=typed.reindex(scored["qid"]).to_numpy())
