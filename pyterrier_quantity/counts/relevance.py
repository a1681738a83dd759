"""Compute the relevance of a count, such as "35 museums" in a snippet, to a question.

With an encoder, the relevance is the product of three cosines, as in CardiO: between snippet and question, sentence and
question, and the counted noun and the noun that the question asks for. Without an encoder, the relevance is 1 / (1 +
rank of the snippet), divided by 2 to the power of the sum of the count's flaws (see `shortcomings`).

Source: *CardiO*, section 3.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from pyterrier_quantity.counts.count_candidates import PEOPLE, Count
from pyterrier_quantity.counts.question import Question
from pyterrier_quantity.english import one_of
from pyterrier_quantity.english.proper_names import proper_names
from pyterrier_quantity.english.stems import stem, stems
from pyterrier_quantity.plan.answer_kind import TIMES, content_words

Vectors = npt.NDArray[np.float64]


class Encoder(Protocol):
    """Interface of encoders that return a vector per text, such as `neural.dense`."""

    def encode_queries(self, texts: list[str], batch_size: int | None = None) -> npt.NDArray[Any]: ...
    def encode_docs(self, texts: list[str], batch_size: int | None = None) -> npt.NDArray[Any]: ...


_SMALL: Final = 3  # maximum count that is often mentioned in passing, so that the sentence is about something else
_ASKED: Final = re.compile(  # a question before the number that answers it: "How many lakes are there? 12"
    rf"\b{one_of('words that ask for a number of things')}\b[^?.!]*\?[^?]{{0,60}}$", re.IGNORECASE
)


def weigh(
    question: Question, counts: Sequence[Count], snippets: Sequence[str], encoder: Encoder | None = None
) -> list[Count]:
    """Return the counts that `read_counts` found in the snippets, each with its relevance to a question. Relevance is a
    product of cosines if there is an encoder, otherwise lexical. The idf of words is computed from all snippets."""
    idf = term_weights(question.kind.about, snippets)
    texts, types = {}, {}
    if encoder is not None:
        texts = cosines(question.text, {text for count in counts for text in (count.snippet, count.sentence)}, encoder)
        types = cosines(question.answer_type or question.text, {count.type for count in counts}, encoder)
    weighed = []
    for count in counts:
        against = shortcomings(question, count, idf)
        if encoder is None:
            sentence = coverage(idf, stems(count.sentence))
            relevance = 0.5 ** sum(against.values()) / (1 + count.rank)
        else:
            sentence = texts[count.sentence]
            relevance = texts[count.snippet] * sentence * types[count.type]
        asked = may_answer(question, count)
        weighed.append(replace(count, relevance=relevance, sentence_relevance=sentence, asked=asked, against=against))
    return weighed


def shortcomings(question: Question, count: Count, idf: Mapping[str, float]) -> dict[str, float]:
    """Return the flaws of a count as an answer to a question, each with its strength (0 if the flaw is absent).

    The snippet is the text with the count, the clause consists of the words around the count, and the answer type is
    the noun phrase that the question asks for ("solo songs").

    Returns:
        "uncovered": the idf-weighted share of the question's words that are missing, averaged over clause and snippet.
        "type": 0 if the answer type is in the clause, 1 if it is only in the snippet, 2 if it is missing.
        "other thing": 1 if the counted noun is not in the question.
        "modifiers lacking": share of the modifiers in the answer type ("solo") that are not in the clause.
        "modifiers more": number of modifiers of the counted noun that are not in the question, at most 3.
        "other word": 1 if the counted noun is a synonym of the answer type.
        "other name": 1 if the sentence names a different thing of the same kind: "Brenta school" for "Larro school".
        "in passing": 1 for a minor remark: a number in brackets without a noun, or 1 to 3 things of another type.
    """
    counted, same = _counted(question, count)
    heads, modifiers = question.kind.heads, question.kind.counted_stems[:-1]
    clause, snippet = stems(clause_of(count)), stems(count.snippet)
    held = {*counted, *clause}
    in_brackets = count.snippet.startswith(")", count.end)
    is_other = bool(counted) and not same and heads.isdisjoint(counted) and counted[-1] not in question.stems
    return {
        "uncovered": 1.0 - (coverage(idf, clause) + coverage(idf, snippet)) / 2,
        "type": 0.0 if same or heads & held else 1.0 if heads.intersection(snippet) else 2.0,
        "other thing": float(is_other),
        "modifiers lacking": sum(word not in held for word in modifiers) / max(len(modifiers), 1),
        "modifiers more": float(min(3, sum(word not in question.stems for word in counted[:-1]))),
        "other word": float(same and counted[-1] in heads - question.kind.head),
        "other name": float(_is_of_another(question, count, snippet)),
        "in passing": float(not same and (1 <= count.value <= _SMALL or (not counted and in_brackets))),
    }


def _is_of_another(question: Question, count: Count, snippet: Collection[str]) -> bool:
    """Return whether the count's sentence names a different thing than the question, but of the same kind: "the Brenta
    school" instead of "the Larro school". `snippet` contains the stems of the text with the count."""
    ends = [question.text.find(name) + len(name) for name in question.entities]
    kinds = {_next_word(question.text, end) for end in ends} - {""}
    if not kinds or any(not set(stems(name)).isdisjoint(snippet) for name in question.entities):
        return False
    return any(_next_word(count.sentence, name.end) in kinds for name in proper_names(count.sentence))


def _next_word(text: str, end: int) -> str:
    return "".join(stems(text[end : end + 30])[:1])


def may_answer(question: Question, count: Count) -> bool:
    """Return whether a count can answer a question: the count has no noun, or its noun shares a word with the noun
    phrase that the question asks for. "12 pancakes" does not answer "How many eggs do pancakes need?"."""
    (counted, same), kind = _counted(question, count), question.kind
    if same or (count.type == PEOPLE and not kind.heads):
        return True
    wanted = kind.heads.union(question.stems if kind.counted_unit == TIMES else kind.counted_stems)
    stated = stems(clause_of(count)) if count.type == TIMES else counted
    return not counted or not wanted.isdisjoint(stated)


def _counted(question: Question, count: Count) -> tuple[list[str], bool]:
    """Return the stems of a count's noun ("12 pancakes" -> ["pancak"]), and whether the question asks for this noun."""
    counted = [stem("times")] if count.type == TIMES else list(map(stem, content_words(count.type)))
    kind = question.kind
    return counted, bool(counted) and (counted[-1] in kind.heads or count.type == kind.counted_unit)


_CLAUSE_END: Final = re.compile(r"[;:.!?()–—,]\s|\s-\s|\b(?:and|but|while|which|whereas)\b")


def clause_of(count: Count) -> str:
    """Return the clause that contains a count, including a question directly before it: "How many lakes? 24"."""
    asked = _ASKED.search(count.snippet[: count.start])
    ends = [asked.start()] if asked else [end.end() for end in _CLAUSE_END.finditer(count.snippet, 0, count.start)]
    begin = max(ends, default=0)
    end = _CLAUSE_END.search(count.snippet, count.end)
    return count.snippet[begin : end.start() if end else None]


def term_weights(terms: Iterable[str], snippets: Sequence[str]) -> dict[str, float]:
    """Return a dictionary from each given stem to its inverse document frequency (idf) in the snippets."""
    held = Counter(stem for text in snippets for stem in set(stems(text)))
    return {term: math.log(1 + (len(snippets) + 1) / (held[term] + 1)) for term in terms}


def coverage(idf: Mapping[str, float], words: list[str]) -> float:
    """Return the share (0 to 1) of a question's stems that occur in the list `words`, weighted by idf. The keys of
    `idf` are the question's stems. The share is 1 if `idf` is empty."""
    total = sum(idf.values())
    return sum(weight for term, weight in idf.items() if term in words) / total if total else 1.0


def best_per_snippet(counts: Sequence[Count]) -> list[Count]:
    """Return the most relevant count of each snippet, sorted by the rank of the snippet. The first count wins a tie."""
    best: dict[int, Count] = {}
    for count in sorted(counts, key=lambda count: (count.rank, -count.relevance)):
        best.setdefault(count.rank, count)
    return list(best.values())


def sentence_distances(counts: Sequence[Count], encoder: Encoder | None = None) -> Vectors:
    """Return the cosine distance (0 to 1) between the sentences of each pair of counts, an array of shape (counts,
    counts). Without an encoder, the words of the sentences are compared."""
    if not counts:
        return np.zeros((0, 0))
    texts = [count.sentence for count in counts]
    words = pd.DataFrame([Counter(stems(text)) for text in texts]).fillna(0.0).to_numpy()
    vectors = _normalised(words if encoder is None else encoder.encode_docs(texts))
    return np.clip(1.0 - vectors @ vectors.T, 0.0, 1.0)


def cosines(query: str, texts: Collection[str], encoder: Encoder) -> dict[str, float]:
    """Return a dictionary from each text to its cosine similarity to the query. Negative similarities become 0."""
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
