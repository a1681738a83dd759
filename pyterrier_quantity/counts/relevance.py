"""R(c) = Rel(snippet, q) * Rel(sentence, q) * Rel(type, q_type): how much a count says about a question.

With an encoder R(c) is CardiO's, a product of three cosines. Without one it is this package's: each factor is 1 for a
perfect count, and each shortcoming multiplies it by exp(-weight). The weights were chosen by cross-validation on
development questions and rounded; the answers hardly change when one is halved or doubled, but for the snippet's rank.

Source: CardiO, section 3.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from pyterrier_quantity.counts.count_candidates import NEAR, Count
from pyterrier_quantity.counts.level import is_of_all, is_of_another, level_cost
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
_UNCOVERED: Final = 1.25
"""Times the idf-weighted share of the question's words that its sentence lacks."""
_TYPE: Final = {"same": 0.0, "near": 0.5, "snippet": 0.5, "nowhere": 1.0}
"""What it costs that the answer type stands in the snippet, but is not what is counted, or not there at all."""
_OTHER: Final = 1.25
"""What is counted is a noun that the question does not hold."""
_MODIFIERS: Final = 1.0
"""Times the share of the answer type's modifiers that do not stand at the number."""
_EXTRA: Final = 0.25
"""Times the modifiers that the counted noun has beyond the question's."""
_IN_PASSING: Final = 1.0
"""A count up to three, which texts often state in passing."""
_SMALL: Final = 3
_ANOTHER: Final = 1.0
"""The sentence is about another season, or another part, than the one that the question numbers; or the number is that
of the whole world, where the question names a place."""


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
    weighed = []
    for count, whole, sentence in _factors(question, counts, snippets, encoder):
        _, asked = type_cost(question, count)
        weighed.append(replace(count, sentence_relevance=sentence, relevance=whole * sentence, asked=asked))
    return weighed


def _factors(
    question: Question, counts: Sequence[Count], snippets: Sequence[str], encoder: Encoder | None
) -> Iterator[tuple[Count, float, float]]:
    """Each count with Rel(snippet, q) * Rel(type, q_type) and Rel(sentence, q)."""
    if encoder is None:
        idf = term_weights(question.kind.about, snippets)
        for count in counts:
            sentence = math.exp(-_UNCOVERED * (1.0 - coverage(idf, count.sentence)))
            yield count, snippet_relevance(count) * type_relevance(question, count), sentence
        return
    texts = cosines(question.text, {text for count in counts for text in (count.snippet, count.sentence)}, encoder)
    types = cosines(question.answer_type or question.text, {count.type for count in counts}, encoder)
    yield from ((count, texts[count.snippet] * types[count.type], texts[count.sentence]) for count in counts)


def snippet_relevance(count: Count) -> float:
    """Rel(c_snippet, q): (1 + rank) to the power of -`RANK`."""
    return float((1 + count.rank) ** -RANK)


def type_relevance(question: Question, count: Count) -> float:
    """Rel(c_type, q_type), at the asked level, and whether the count is one that texts state in passing."""
    cost, _ = type_cost(question, count)
    cost += _IN_PASSING * (1 <= count.value <= _SMALL)
    cost += level_cost(count.snippet, count.start, count.end) + _ANOTHER * is_of_another(question, count.sentence)
    cost += _ANOTHER * is_of_all(question, count.snippet, count.end)
    return math.exp(-cost)


def type_cost(question: Question, count: Count) -> tuple[float, bool]:
    """What it costs that a counted phrase is not the question's answer type, and whether the number may be the answer.

    It may where what it counts is not named, or shares a word with what is asked for: "12 pancakes" does not say how
    many eggs the pancakes need. "Super Bowl titles" are Super Bowls under a wider noun, and no other thing.
    """
    heads = question.kind.heads
    counted = [stem("times")] if count.type == TIMES else stems(count.type)
    near = [*counted, *stems(count.snippet[: count.start])[-NEAR:], *stems(count.snippet[count.end :])[:NEAR]]
    same = bool(counted) and (counted[-1] in heads or count.type == question.kind.counted_unit)
    if same:
        place = "same"
    elif heads & set(near):
        place = "near"
    else:
        place = "snippet" if heads & set(stems(count.snippet)) else "nowhere"
    modifiers = question.kind.counted_stems[:-1]
    lacking = sum(word not in near for word in modifiers) / len(modifiers) if modifiers else 0.0
    extra = min(3, sum(word not in question.stems for word in counted[:-1]))
    other = bool(counted) and not heads & set(counted) and not same and counted[-1] not in question.stems
    cost = _TYPE[place] + _OTHER * other + _MODIFIERS * lacking + _EXTRA * extra
    return cost, not counted or same or not heads.union(question.kind.counted_stems).isdisjoint(counted)


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
    vectors = _word_vectors(texts) if encoder is None else _normalised(encoder.encode_docs(texts))
    return np.clip(1.0 - vectors @ vectors.T, 0.0, 1.0)


def _word_vectors(texts: Sequence[str]) -> Vectors:
    bags = [Counter(stems(text)) for text in texts]
    place = {word: number for number, word in enumerate(sorted(set().union(*bags)))}
    vectors = np.zeros((len(texts), max(1, len(place))))
    for row, bag in enumerate(bags):
        for word, times in bag.items():
            vectors[row, place[word]] = times
    return _normalised(vectors)


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
