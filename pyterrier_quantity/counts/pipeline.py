"""`count_answers`: from questions to counts with their evidence, in one transformer."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import is_missing
from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.counts.count_transformers import (
    ANSWER_COLUMNS,
    Aggregate,
    CountExtractor,
    empty_answer,
    why_empty,
    with_answers,
)
from pyterrier_quantity.counts.relevance import Encoder


class SnippetRetriever(Configured):
    """Q -> R: the `snippets` that the questions bring, best first, as results.

    Columns in: `qid`, `query`, `snippets` (lists of texts). Columns out: `qid`, `query` and its kin, `docno` (the
    qid and the snippet's number, "7-0"), `text`, `rank`, `score`.

    Raises:
        TypeError: naming the query whose `snippets` are no list of texts.
    """

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query", "snippets"], context=self)
        kept = pt.model.query_columns(inp)
        rows = []
        for query, snippets in zip(inp[kept].to_dict("records"), inp["snippets"], strict=True):
            for rank, text in enumerate(_texts(query["qid"], snippets)):
                found = {"docno": f"{query['qid']}-{rank}", "text": text, "rank": rank, "score": float(-rank)}
                rows.append({**query, **found})
        return pd.DataFrame(rows, columns=[*kept, "docno", "text", "rank", "score"])


def _texts(qid: str, snippets: Any) -> list[str]:
    if isinstance(snippets, str) or not hasattr(snippets, "__iter__"):
        if is_missing(snippets):
            return []
        raise TypeError(f"query {qid!r}: column 'snippets' must hold lists of texts, got {type(snippets).__name__}")
    texts = ["" if is_missing(text) else text for text in snippets]
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"query {qid!r}: column 'snippets' holds {type(text).__name__} {text!r}, not text")
    return texts


class CountAnswers(Configured):
    """Q -> Q: answers "how many ..." by the counts that retrieved texts state.

    Args:
        retriever: Q -> R with the texts of the results; None: the questions bring `snippets`, lists of texts, best
            first.
        encoder: a model of `neural.dense`, or its folder or name: relevance is CardiO's product of three cosines.
            None: this package's lexical relevance, which needs no torch.
        aggregate: one of `METHODS`, or an `Aggregate` with its parameters.
        text_field: the column of the results that holds their texts.
        verbose: show progress.

    Columns in: `qid`, `query`, and `snippets` without a retriever. Columns out: the same, `qanswer` (an integer; None
    for an empty answer), `score`, `evidence` and `reason`, see `Aggregate`. A question that asks for no number of
    things has an empty answer and says so in `reason`.
    """

    def __init__(
        self,
        retriever: pt.Transformer | None = None,
        encoder: Encoder | str | None = None,
        aggregate: Aggregate | str = "agreement",
        text_field: str = "text",
        verbose: bool = False,
    ) -> None:
        self.retriever, self.encoder, self.aggregate = retriever, encoder, aggregate
        self.text_field, self.verbose = text_field, verbose
        if isinstance(aggregate, str):
            Aggregate(aggregate)

    @cached_property
    def counts(self) -> pt.Transformer:
        """Q -> R: the first part, results with `counts`. Loads the encoder when it is first used."""
        results = SnippetRetriever() if self.retriever is None else self.retriever
        field = "text" if self.retriever is None else self.text_field
        return results >> CountExtractor(self._model, text_field=field, verbose=self.verbose)

    @cached_property
    def _model(self) -> Encoder | None:
        if not isinstance(self.encoder, str):
            return self.encoder
        from pyterrier_quantity.neural import dense

        return dense(self.encoder)

    @property
    def _aggregation(self) -> Aggregate:
        return Aggregate(self.aggregate, encoder=self._model) if isinstance(self.aggregate, str) else self.aggregate

    def __getstate__(self) -> dict[str, Any]:
        return self._config()

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        needed = ["query", "snippets"] if self.retriever is None else ["query"]
        pt.validate.query_frame(inp, extra_columns=needed, context=self)
        asked = inp.drop(columns=[name for name in ANSWER_COLUMNS if name in inp.columns])
        found = (self.counts >> self._aggregation).transform(asked) if len(asked) else pd.DataFrame()
        answers = {row["qid"]: row for row in found.to_dict("records")}
        texts = zip(inp["qid"], inp["query"], strict=True)
        rows = [answers.get(qid) or empty_answer(why_empty(query)) for qid, query in texts]
        return with_answers(asked, rows)


count_answers = CountAnswers
