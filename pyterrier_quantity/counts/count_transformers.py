"""Transformers that extract counts from retrieved texts, choose the count that answers a question, or do both.

Source: *CardiO*, section 3 (count aggregation). The method "agreement" is not in the paper.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity._progress import shown
from pyterrier_quantity.counts.count_candidates import Count, read_counts
from pyterrier_quantity.counts.count_measures import closeness
from pyterrier_quantity.counts.language_model import LanguageModelCounts
from pyterrier_quantity.counts.question import NO_COUNT, analyse
from pyterrier_quantity.counts.relevance import Encoder, Vectors, best_per_snippet, sentence_distances, weigh
from pyterrier_quantity.frames.frame import as_text, is_missing, rows_by_query
from pyterrier_quantity.frames.transformer import Configured, check_choice, check_counts

METHODS: Final = ("agreement", "max", "consistent", "central")
_TINY: Final = 1e-9  # smallest divisor, to avoid a division by a sum of distances that is 0
_DOUBT: Final = 0.05  # added to the sum of all relevances, so that few weak counts do not give a high confidence


def order_closeness(values: Sequence[float]) -> Vectors:
    """Return the closeness of each pair of values, an array of shape (values, values): [9, 90] -> [[1, 0], [0, 1]]."""
    return np.array([[closeness(first, second) for second in values] for first in values])


def distances(values: Sequence[float], sentences: Vectors, a: float) -> Vectors:
    """Return the distances of all pairs of counts (CardiO, Eq. 4): `a` times the distance of their sentences, taken
    from the array `sentences`, plus (1 - a) times the distance of their values. The shape is (counts, counts)."""
    return a * sentences + (1.0 - a) * (1.0 - order_closeness(values))


def consistent(relevance: Vectors, distance: Vectors, b: float, k: int) -> Vectors:
    """Return the score of each count: b * its relevance + (1 - b) * the mean relevance of the k other counts at the
    smallest distance (CardiO, Eq. 1). A tie in distance goes to the more relevant count. The score of a single count is
    its relevance. `distance` is the result of `distances`."""
    if len(relevance) < 2:
        return relevance.copy()
    others = distance + np.diag(np.full(len(relevance), np.inf))
    nearest = [np.lexsort((-relevance, row))[: min(k, len(relevance) - 1)] for row in others]
    support = np.array([relevance[near].mean() for near in nearest])
    return b * relevance + (1.0 - b) * support


def central(sentence_relevance: Vectors, distance: Vectors) -> Vectors:
    """Return the score of each count: the relevance of its sentence, divided by the mean distance to all other counts
    (CardiO, Eq. 2). The score of a single count is the relevance of its sentence."""
    number = len(sentence_relevance)
    if number < 2:
        return sentence_relevance.copy()
    total = distance.sum(axis=1) - np.diag(distance)
    return (number - 1) / np.maximum(total, _TINY) * sentence_relevance


def agreement(
    values: Sequence[float],
    relevance: Vectors,
    exact: float,
    same: Callable[[float, float], bool] = operator.eq,
    doubt: float = _DOUBT,
) -> Vectors:
    """Return how well each value agrees with all values, from 0 to 1: 10, 10, 500 -> 0.66, 0.66, 0.33.

    The result for a value is the mean of its agreement with each value, weighted by relevance. Two equal values agree
    fully (1). Two different values agree to the degree (1 - exact) * `closeness`, which is 0 if they differ by a factor
    of ten or more.

    Args:
        values, relevance: the candidate values, and the relevance of each value.
        exact: from 0 to 1. Larger values reward equal values more, and near values less.
        same: function that returns whether two values are equal.
        doubt: constant that is added to the sum of relevances. It lowers all results, most of all for few values.
    """
    alike = np.array([[same(one, other) for other in values] for one in values], dtype=bool)
    gain = np.where(alike, 1.0, (1.0 - exact) * order_closeness(values))
    return gain @ relevance / (doubt + relevance.sum())


_EVIDENCE: Final = ("docno", "sentence", "span", "start", "end", "value", "type", "bound", "relevance")
ANSWER_COLUMNS: Final = ("qanswer", "score", "evidence", "reason")


class CountExtractor(Configured):
    """Transformer, R -> R, that adds the counts in each text, with their relevance to the question.

    Args:
        encoder: a model of `neural.dense`, to compute relevance as a product of cosines, or None for lexical relevance.
        text_field: the column with the texts; None and NaN count as empty texts.
        verbose: whether to show progress.
        language_model: a language model that filters sentences or extracts counts, see `LanguageModelCounts`.

    Columns in: `qid`, `query`, `docno`, `text`, and `rank` or `score`. If both are missing, the best row must come
    first. Columns out: the same, and `counts`, lists of `Count`. A list is empty if the query does not ask "how many".
    Source: *CardiO*, section 3.
    """

    def __init__(
        self,
        encoder: Encoder | None = None,
        text_field: str = "text",
        verbose: bool = False,
        language_model: LanguageModelCounts | None = None,
    ) -> None:
        self.encoder, self.text_field, self.verbose = encoder, text_field, verbose
        self.language_model = language_model

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "query", "docno", self.text_field], context=self)
        counts: list[list[Count]] = [[] for _ in range(len(inp))]
        for places in shown(rows_by_query(inp), self.verbose, desc="counts"):
            for place, found in zip(places, self._counts(inp.iloc[places]), strict=True):
                counts[place] = found
        return inp.assign(counts=pd.Series(counts, index=inp.index, dtype=object))

    def _counts(self, results: pd.DataFrame) -> list[list[Count]]:
        snippets = ["" if is_missing(text) else text for text in results[self.text_field]]
        question = analyse(results["query"].iloc[0])
        rows: list[list[Count]] = [[] for _ in snippets]
        if question.is_count:
            found = read_counts(question, snippets, results["docno"].tolist())
            if self.language_model is not None:
                found = self.language_model(question, found)
            for count in weigh(question, found, snippets, self.encoder):
                rows[count.rank].append(count)
        return rows


class Aggregate(Configured):
    """Transformer, R -> Q, that chooses the answer to each question among the counts in the question's results.

    Args:
        method: "max" chooses the most relevant count, "agreement" the count that agrees best with all counts,
            "consistent" the count with the most relevant neighbours, "central" the count nearest to all other counts.
        a: for "consistent" and "central", from 0 to 1. Larger values give more weight to sentences, less to numbers.
        b: for "consistent", from 0 to 1. Larger values give more weight to a count's relevance, less to neighbours.
        k: for "consistent", number of nearest counts whose relevance is averaged.
        exact: for "agreement", from 0 to 1. Larger values reward equal counts more, and near counts less.
        encoder: model for comparing sentences. If None, the words of sentences are compared.

    A count of things that the question does not ask for ("12 pancakes") supports other counts, but is never the answer.

    Columns in: `qid`, `query`, `docno`, `counts` (from `CountExtractor`).
    Columns out: `qid`, `query` and other query columns, and

    - `qanswer`: the count, an integer, or None for an empty answer;
    - `score`: the confidence in the answer, from 0 to 1;
    - `evidence`: list of dictionaries for the best count of each text, the nearest to the answer first: `docno`,
      `sentence`, `span`, `start`, `end` (in the text), `value`, `type`, `bound`, `relevance`, `distance` (in orders of
      magnitude from the answer, below 1);
    - `reason`: why the answer is empty, or "".

    Raises:
        ValueError: if a parameter is out of range.
    Source: *CardiO*, section 3.
    """

    def __init__(
        self,
        method: str = "agreement",
        a: float = 0.3,
        b: float = 0.5,
        k: int = 3,
        exact: float = 0.5,
        encoder: Encoder | None = None,
    ) -> None:
        check_choice("aggregation", method, METHODS)
        check_counts(k=k)
        for name, value in (("a", a), ("b", b), ("exact", exact)):
            if not 0 <= value <= 1:
                raise ValueError(f"Aggregate: {name} must lie in [0, 1], got {value!r}")
        self.method, self.a, self.b, self.k, self.exact, self.encoder = method, a, b, k, exact, encoder

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["qid", "query", "docno", "counts"], context=self)
        groups = rows_by_query(inp)
        return with_answers(first_rows(inp, groups), [self._answer(inp.iloc[places]) for places in groups])

    def _answer(self, results: pd.DataFrame) -> dict[str, Any]:
        counts = [count for found in results["counts"] for count in found]
        if not counts:
            return empty_answer(why_empty(results["query"].iloc[0]))
        best, confidence = self.choose(counts)
        if best is None:
            return empty_answer("the snippets state numbers of other things only")
        near = [(1.0 - closeness(count.value, best.value), count) for count in best_per_snippet(counts)]
        evidence = [
            {name: getattr(count, name) for name in _EVIDENCE} | {"distance": distance}
            for distance, count in sorted(near, key=lambda pair: (pair[0], -pair[1].relevance))
            if distance < 1.0
        ]
        return {"qanswer": best.value, "score": confidence, "evidence": evidence, "reason": ""}

    def choose(self, counts: Sequence[Count], sentences: Vectors | None = None) -> tuple[Count | None, float]:
        """Return the count that answers a question, and the confidence from 0 to 1, or (None, 0) if no count can be the
        answer. A tie goes to the more relevant count. `sentences` is an array of distances between the counts'
        sentences. If it is None, the array is computed."""
        best = best_per_snippet(counts)
        values, relevance = [count.value for count in best], np.array([count.relevance for count in best])
        score = relevance
        if self.method == "agreement":
            score = agreement(values, relevance, self.exact)
        elif self.method != "max":
            apart = sentence_distances(best, self.encoder) if sentences is None else sentences
            distance = distances(values, apart, self.a)
            score = consistent(relevance, distance, self.b, self.k)
            if self.method == "central":
                score = central(np.array([count.sentence_relevance for count in best]), distance)
        answers = {count.value for count in counts if count.asked}
        chosen = next((n for n in np.lexsort((relevance, score))[::-1].tolist() if values[n] in answers), None)
        if chosen is None:
            return None, 0.0
        confidence = score / (1.0 + score) if self.method == "central" else score
        return best[chosen], float(confidence[chosen])


def why_empty(query: str) -> str:
    return "no snippet states a count" if analyse(query).is_count else NO_COUNT


def empty_answer(reason: str) -> dict[str, Any]:
    return {"qanswer": None, "score": 0.0, "evidence": [], "reason": reason}


def first_rows(inp: pd.DataFrame, groups: Sequence[Sequence[int]]) -> pd.DataFrame:
    """Return the queries (Q) of results (R). `groups` contains a list of row numbers in `inp` for each query."""
    return inp.iloc[[places[0] for places in groups]][pt.model.query_columns(inp)].reset_index(drop=True)


def with_answers(
    queries: pd.DataFrame, rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ANSWER_COLUMNS
) -> pd.DataFrame:
    """Add the answer columns to a frame of queries. `rows` contains a dictionary of these columns for each query."""
    made = pd.DataFrame([[row[name] for name in columns] for row in rows], queries.index, columns, dtype=object)
    return queries.assign(**made.astype({name: float for name in columns if name in ("value", "score")}))


class SnippetRetriever(Configured):
    """Transformer, Q -> R, that returns the texts in the column `snippets` of each question as results, best first.

    Columns in: `qid`, `query`, `snippets` (lists of texts). Columns out: `qid`, `query` and other query columns,
    `docno` (the qid and the snippet's index, "7-0"), `text`, `rank`, `score`.

    Raises:
        TypeError: if a cell of `snippets` is not a list of texts; the message names the query.
    """

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query", "snippets"], context=self)
        kept = pt.model.query_columns(inp)
        rows = [
            {**query, "docno": f"{query['qid']}-{rank}", "text": text, "rank": rank, "score": float(-rank)}
            for query, snippets in zip(inp[kept].to_dict("records"), inp["snippets"], strict=True)
            for rank, text in enumerate(_texts(query["qid"], snippets))
        ]
        return pd.DataFrame(rows, columns=[*kept, "docno", "text", "rank", "score"])


def _texts(qid: str, snippets: Any) -> list[str]:
    if isinstance(snippets, str) or not hasattr(snippets, "__iter__"):
        if is_missing(snippets):
            return []
        raise TypeError(f"query {qid!r}: column 'snippets' must contain lists of texts, got {type(snippets).__name__}")
    try:
        return list(map(as_text, snippets))
    except TypeError as error:
        raise TypeError(f"query {qid!r}: column 'snippets': {error}") from error


class CountAnswers(Configured):
    """Transformer, Q -> Q, that answers questions such as "how many languages ..." from the counts in retrieved texts.

    Args:
        retriever: transformer, Q -> R, that returns texts. If None, the column `snippets` contains the texts.
        encoder: a model of `neural.dense`, or its folder or name. A count's relevance to the question is then a product
            of cosines, as in CardiO. None means lexical relevance, which does not need torch.
        aggregate: how the answer is chosen among counts: a `method` of `Aggregate`, or an `Aggregate`.
        text_field: the column with the texts of the results.
        verbose: whether to show progress.
        language_model: a language model that filters sentences or extracts counts, see `LanguageModelCounts`.

    Columns in: `qid`, `query`, and, if there is no retriever, `snippets`. Columns out: the same, and `qanswer` (an
    integer, or None if no count answers the question), `score`, `evidence` and `reason`, see `Aggregate`.
    """

    def __init__(
        self,
        retriever: pt.Transformer | None = None,
        encoder: Encoder | str | None = None,
        aggregate: Aggregate | str = "agreement",
        text_field: str = "text",
        verbose: bool = False,
        language_model: LanguageModelCounts | None = None,
    ) -> None:
        self.retriever, self.encoder, self.aggregate = retriever, encoder, aggregate
        self.text_field, self.verbose, self.language_model = text_field, verbose, language_model
        if isinstance(aggregate, str):
            Aggregate(aggregate)

    @cached_property
    def _pipeline(self) -> pt.Transformer:
        results = SnippetRetriever() if self.retriever is None else self.retriever
        field = "text" if self.retriever is None else self.text_field
        encoder: Any = self.encoder
        if isinstance(encoder, str):
            from pyterrier_quantity.neural import dense

            encoder = dense(encoder)
        chooser = Aggregate(self.aggregate, encoder=encoder) if isinstance(self.aggregate, str) else self.aggregate
        return results >> CountExtractor(encoder, field, self.verbose, self.language_model) >> chooser

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        needed = ["query", "snippets"] if self.retriever is None else ["query"]
        pt.validate.query_frame(inp, extra_columns=needed, context=self)
        asked = inp.drop(columns=list(ANSWER_COLUMNS), errors="ignore")
        found = self._pipeline.transform(asked) if len(asked) else pd.DataFrame()
        answers = {row["qid"]: row for row in found.to_dict("records")}
        texts = zip(inp["qid"], inp["query"], strict=True)
        rows = [answers.get(qid) or empty_answer(why_empty(query)) for qid, query in texts]
        return with_answers(asked, rows)


count_answers = CountAnswers
