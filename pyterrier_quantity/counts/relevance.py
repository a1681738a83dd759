"""R(c) = Rel(snippet, q) * Rel(sentence, q) * Rel(type, q_type): how much a count says about a question.

With an encoder R(c) is CardiO's, a product of three cosines. Without one it is this package's: 1 for a perfect count,
and each shortcoming multiplies it by exp(-weight). The weights were chosen on development questions and rounded; the
answers hardly change when one is halved or doubled, but for the snippet's rank.

Source: CardiO, section 3.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity.counts.count_candidates import NEAR, Count, is_another, is_further
from pyterrier_quantity.counts.question import Question
from pyterrier_quantity.english.stems import stem, stems
from pyterrier_quantity.plan.answer_kind import TIMES

Vectors = npt.NDArray[np.float64]


class Encoder(Protocol):
    """What `neural.dense` gives: texts to vectors."""

    def encode_queries(self, texts: list[str], batch_size: int | None = None) -> npt.NDArray[Any]: ...
    def encode_docs(self, texts: list[str], batch_size: int | None = None) -> npt.NDArray[Any]: ...


RANK: Final = 1.25
"""Times log(1 + the snippet's rank): search engines put the snippet that answers first."""
WEIGHTS: Final = {
    "uncovered": 1.5,
    "in the snippet": 0.5,
    "nowhere": 1.0,
    "other thing": 1.0,
    "modifiers lacking": 1.0,
    "modifiers more": 0.75,
    "in passing": 0.75,
    "further ones": 0.5,
    "another one": 1.0,
    "another year": 0.5,
}
"""What each shortcoming of a count costs, see `shortcomings`."""
_SMALL: Final = 3
"""Counts up to this are often stated in passing."""


def weigh(
    question: Question, counts: Sequence[Count], snippets: Sequence[str], encoder: Encoder | None = None
) -> list[Count]:
    """The counts with their relevance.

    Args:
        question: see `question.analyse`.
        counts: of the snippets, see `count_candidates.read_counts`.
        snippets: all of the question's, from which words get their idf.
        encoder: takes CardiO's relevance, cos(snippet, q) * cos(sentence, q) * cos(counted phrase, answer type), each
            clipped at 0; the phrase of a bare number is empty. None: the lexical relevance of this package.
    """
    if encoder is not None:
        return _by_cosines(question, counts, encoder)
    idf, weighed = term_weights(question.kind.about, snippets), []
    for count in counts:
        costs = shortcomings(question, count, idf)
        sentence = math.exp(-WEIGHTS["uncovered"] * costs["uncovered"])
        whole = of_costs(count.rank, costs, WEIGHTS)
        weighed.append(replace(count, sentence_relevance=sentence, relevance=whole, asked=may_answer(question, count)))
    return weighed


def of_costs(rank: int, costs: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """R(c) of a count in the snippet of this rank, from 0, by what speaks against it."""
    return float((1 + rank) ** -RANK) * math.exp(-sum(weights[name] * value for name, value in costs.items()))


def _by_cosines(question: Question, counts: Sequence[Count], encoder: Encoder) -> list[Count]:
    """The counts with CardiO's relevance."""
    texts = cosines(question.text, {text for count in counts for text in (count.snippet, count.sentence)}, encoder)
    types = cosines(question.answer_type or question.text, {count.type for count in counts}, encoder)
    return [
        replace(
            count,
            sentence_relevance=texts[count.sentence],
            relevance=texts[count.snippet] * texts[count.sentence] * types[count.type],
            asked=may_answer(question, count),
        )
        for count in counts
    ]


def shortcomings(question: Question, count: Count, idf: Mapping[str, float]) -> dict[str, float]:
    """What speaks against a count, each from 0 to 1, or for modifiers to 3.

    Args:
        question: see `question.analyse`.
        count: of a snippet.
        idf: of the question's words beside the answer type, see `term_weights`.

    Returns:
        "uncovered": the share of the question's words, by idf, that its sentence lacks and that its clause lacks, the
        mean of both. "in the snippet", "nowhere": where the answer type stands, if not at the number. "other thing":
        what is counted is a noun that the question does not hold. "modifiers lacking": the share of the answer type's
        that do not stand at the number. "modifiers more": those that the counted noun has beyond the question's. "in
        passing": a count up to three. "another year": the clause is about a year that the question does not name.
        "further ones", "another one": see `is_further`, `is_another`.
    """
    counted = _counted(count)
    same = _is_same(question, count, counted)
    beside = [*counted, *stems(count.snippet[: count.start])[-NEAR:], *stems(count.snippet[count.end :])[:NEAR]]
    heads, modifiers = question.kind.heads, question.kind.counted_stems[:-1]
    clause = clause_of(count)
    found = {
        "uncovered": 1.0 - (coverage(idf, count.sentence) + coverage(idf, clause)) / 2,
        "other thing": bool(counted) and heads.isdisjoint(counted) and not same and counted[-1] not in question.stems,
        "modifiers lacking": sum(word not in beside for word in modifiers) / max(len(modifiers), 1),
        "modifiers more": min(3, sum(word not in question.stems for word in counted[:-1])),
        "in passing": 1 <= count.value <= _SMALL,
        "another year": any(year not in question.text for year in _IN_YEAR.findall(clause)),
        "further ones": is_further(count.snippet, count.start, count.end),
        "another one": is_another(question, count.sentence),
    }
    if not same and heads.isdisjoint(beside):
        found["nowhere" if heads.isdisjoint(stems(count.snippet)) else "in the snippet"] = True
    return {name: float(value) for name, value in found.items()}


def may_answer(question: Question, count: Count) -> bool:
    """Whether what a number counts is not named, or shares a word with what is asked for.

    "12 pancakes" does not say how many eggs the pancakes need. "Super Bowl titles" are Super Bowls under a wider noun,
    and no other thing.
    """
    counted = _counted(count)
    wanted = question.kind.heads.union(question.kind.counted_stems)
    return not counted or _is_same(question, count, counted) or not wanted.isdisjoint(counted)


def _counted(count: Count) -> list[str]:
    return [stem("times")] if count.type == TIMES else stems(count.type)


def _is_same(question: Question, count: Count, counted: Sequence[str]) -> bool:
    return bool(counted) and (counted[-1] in question.kind.heads or count.type == question.kind.counted_unit)


_CLAUSE_END: Final = re.compile(r"[;:.!?()–—,]\s|\s-\s|\b(?:and|but|while|which|whereas)\b")
_IN_YEAR: Final = re.compile(r"\b(?:in|during|for|the) ((?:1\d|20)\d\d)\b", re.IGNORECASE)


def clause_of(count: Count) -> str:
    """The words around a count up to the next comma, "and" or the like on both sides."""
    begin = max((end.end() for end in _CLAUSE_END.finditer(count.snippet, 0, count.start)), default=0)
    end = _CLAUSE_END.search(count.snippet, count.end)
    return count.snippet[begin : end.start() if end else None]


def term_weights(terms: Iterable[str], snippets: Sequence[str]) -> dict[str, float]:
    """The idf of stems among the snippets."""
    held = Counter(stem for text in snippets for stem in set(stems(text)))
    return {term: math.log(1 + (len(snippets) + 1) / (held[term] + 1)) for term in terms}


def coverage(idf: Mapping[str, float], sentence: str) -> float:
    """Which share of the question a sentence covers, by idf; 1 for a question that says nothing but its type."""
    words = set(stems(sentence))
    total = sum(idf.values())
    return sum(weight for term, weight in idf.items() if term in words) / total if total else 1.0


def best_per_snippet(counts: Sequence[Count]) -> list[Count]:
    """Of each snippet the count with the highest relevance, the first of equals, by rank."""
    best: dict[int, Count] = {}
    for count in counts:
        if count.rank not in best or count.relevance > best[count.rank].relevance:
            best[count.rank] = count
    return [best[rank] for rank in sorted(best)]


def sentence_distances(counts: Sequence[Count], encoder: Encoder | None = None) -> Vectors:
    """D_sentence: the cosine distance of every two counts' sentences, in [0, 1]; of word vectors without an encoder."""
    if not counts:
        return np.zeros((0, 0))
    texts = [count.sentence for count in counts]
    if encoder is None:
        vectors = _normalised(pd.DataFrame([Counter(stems(text)) for text in texts]).fillna(0.0).to_numpy())
    else:
        vectors = _normalised(encoder.encode_docs(texts))
    return np.clip(1.0 - vectors @ vectors.T, 0.0, 1.0)


def cosines(query: str, texts: Collection[str], encoder: Encoder) -> dict[str, float]:
    """The cosine of a query with each text, clipped at 0."""
    ordered = sorted(texts, key=len)
    if not ordered:
        return {}
    vector = _normalised(encoder.encode_queries([query]))[0]
    cosines = _normalised(encoder.encode_docs(ordered)) @ vector
    return dict(zip(ordered, np.maximum(cosines, 0.0).tolist(), strict=True))


def _normalised(vectors: npt.NDArray[Any]) -> Vectors:
    vectors = np.asarray(vectors, dtype=np.float64)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length == 0.0, 1.0, length)
