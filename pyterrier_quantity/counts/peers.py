"""Estimate the answer to a count question from the answers to the same question about comparable entities (peers).

Source: *CardiO*, section 3 (question reformulation, peer calibration).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import pyterrier as pt

from pyterrier_quantity.counts.count_transformers import ANSWER_COLUMNS, with_answers
from pyterrier_quantity.counts.question import Question, analyse
from pyterrier_quantity.counts.relevance import Encoder, cosines
from pyterrier_quantity.english.proper_names import proper_names
from pyterrier_quantity.english.stems import stems
from pyterrier_quantity.frames.frame import is_missing
from pyterrier_quantity.frames.transformer import Configured

Peers = Callable[[Question], Iterable[str]] | Mapping[str, Sequence[str]]


class PeerCalibration(Configured):
    """Transformer, Q -> Q, that answers count questions, and replaces weak or empty answers with estimates.

    A peer is the same question about a comparable entity, such as Uganda instead of Kenya. Peers with a weak answer are
    dropped. The estimate is the answer to the remaining peer that is most similar to the question.

    Args:
        pipeline: transformer, Q -> Q, that answers the questions and their peers, such as `count_answers(...)`.
        peers: the source of comparable entities: a function from a `Question` to names (`LanguageModelPeers`), or a
            dictionary from entity to names. None means the most frequent names in the question's `snippets`.
        threshold: an answer whose `score` is below this value is weak. From 0 to 1; at 0, only empty answers are weak.
        number: maximum number of peers per question.
        encoder: model for comparing questions. If None, the words of questions are compared.
        retriever: transformer, Q -> R, that finds a peer's `snippets`. If None, the question's `snippets` are used.

    Columns in: the columns that the pipeline needs. Columns out: the columns that the pipeline returns, and
    `estimated_from`, the peer whose answer is used, or "".

    Raises:
        ValueError: if the threshold is out of range.
    """

    def __init__(
        self,
        pipeline: pt.Transformer,
        peers: Peers | None = None,
        threshold: float = 0.1,
        number: int = 5,
        encoder: Encoder | None = None,
        retriever: pt.Transformer | None = None,
    ) -> None:
        if not 0 <= threshold <= 1:
            raise ValueError(f"PeerCalibration: threshold must lie in [0, 1], got {threshold!r}")
        self.pipeline, self.peers, self.threshold = pipeline, peers, threshold
        self.number, self.encoder, self.retriever = number, encoder, retriever

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        answered = self.pipeline.transform(inp)
        rows = answered.to_dict("records")
        for row in rows:
            peer = self._peer(row) or {}
            row |= {name: peer[name] for name in ANSWER_COLUMNS if peer} | {"estimated_from": peer.get("query", "")}
        return with_answers(answered, rows, (*ANSWER_COLUMNS, "estimated_from"))

    def _peer(self, row: dict[str, Any]) -> dict[str, Any] | None:
        """Return the row of the peer (a similar question) whose answer replaces a weak answer in `row`, or None."""
        if not self._is_weak(row):
            return None
        snippets: Any = row.get("snippets", [])
        texts = [] if is_missing(snippets) else [text for text in snippets if not is_missing(text)]
        question = analyse(row["query"], texts)
        asked = self._questions(question, texts)
        if not asked:
            return None
        shared = {name: value for name, value in row.items() if name not in ("qid", "query", *ANSWER_COLUMNS)}
        frame = pd.DataFrame([{**shared, "qid": f"{row['qid']}-{n}", "query": text} for n, text in enumerate(asked)])
        if self.retriever is not None:
            own = self.retriever.transform(frame[["qid", "query"]]).sort_values("rank").groupby("qid")["text"].agg(list)
            frame["snippets"] = [own.get(qid, []) for qid in frame["qid"]]
        strong = [peer for peer in self.pipeline.transform(frame).to_dict("records") if not self._is_weak(peer)]
        likeness = self._likeness(question.text, [peer["query"] for peer in strong])
        return max(strong, key=lambda peer: likeness[peer["query"]]) if strong else None

    def _is_weak(self, row: Mapping[str, Any]) -> bool:
        return is_missing(row["qanswer"]) or row["score"] < self.threshold

    def _questions(self, question: Question, snippets: Sequence[str]) -> list[str]:
        """Return at most `self.number` peers of a question: the question with other entities instead of its own."""
        if not (question.is_count and question.entities):
            return []
        entity = question.entities[0]
        if self.peers is None:
            names: Iterable[str] = frequent_names(snippets, without=question.stems)
        elif callable(self.peers):
            names = self.peers(question)
        else:
            names = self.peers.get(entity, ())
        others = [name for name in dict.fromkeys(names) if name and name.lower() != entity.lower()]
        return [question.text.replace(entity, name) for name in others[: self.number]]

    def _likeness(self, text: str, others: Sequence[str]) -> dict[str, float]:
        if self.encoder is not None:
            return cosines(text, set(others), self.encoder)
        words = set(stems(text))
        return {other: len(words & set(stems(other))) / len(words | set(stems(other))) for other in others}


def frequent_names(snippets: Sequence[str], without: frozenset[str] = frozenset()) -> list[str]:
    """Return the names that are in several snippets, the most frequent first, except names with a stem in `without`."""
    named = ({text[name.start : name.end] for name in proper_names(text, linked=True)} for text in snippets)
    found = Counter(name for names in named for name in names)
    return [name for name, times in found.most_common() if times > 1 and not without & set(stems(name))]
