"""Let a language model filter sentences, extract counts, or name entities that are comparable to a question's entity.

Source: *CardiO*, section 3 (question reformulation, LLM enhancements).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from pyterrier_quantity.counts.count_candidates import Count
from pyterrier_quantity.counts.question import Question

Complete = Callable[[str], str]
"""Function from a prompt to a language model's answer, such as `training.openai_chat("gpt-4o-mini")`."""
_BOUNDS: Final = {"equal": "=", "lower": ">=", "upper": "<=", "approximate": "~"}


@dataclass(frozen=True)
class LanguageModelCounts:
    """Function that asks a language model about each sentence with a count, to drop wrong counts or to extract counts.

    Args:
        complete: function from a prompt to the model's answer.
        keep: whether to keep only counts in sentences that answer the question, according to the model.
        read: whether the model also extracts the counts of a sentence (span, number, counted thing, bound). A span that
            is not in the sentence is ignored.
    """

    complete: Complete
    keep: bool = True
    read: bool = False

    def __call__(self, question: Question, counts: Sequence[Count]) -> list[Count]:
        """Ask the model about each sentence with counts. Return the counts of sentences that answer the question."""
        found: list[Count] = []
        for _, group in groupby(counts, key=lambda count: (count.rank, count.sentence)):
            stated = list(group)
            about = (
                f'Question: "{question.text}"\nText {stated[0].docno}: "{stated[0].snippet}"\n'
                f'Sentence of this text: "{stated[0].sentence}"\n'
            )
            if not self.keep or self.complete(f"{_KEEP}{about}Answer:").strip().lower().startswith("yes"):
                found += self._read(about, stated[0]) if self.read else stated
        return found

    def _read(self, about: str, given: Count) -> Iterator[Count]:
        begin = given.snippet.find(given.sentence)
        for line in self.complete(f"{_READ}{about}Counts:").splitlines():
            span, number, counted, bound = [*map(str.strip, line.split("|")), "", "", "", ""][:4]
            start = given.sentence.find(span)
            value = re.fullmatch(r"\d+", number.replace(",", ""))
            if span and start >= 0 and value:
                place = (begin + start, begin + start + len(span), given.docno, given.rank)
                sign = _BOUNDS.get(bound.lower(), "=")
                yield Count(int(value[0]), counted.lower(), sign, *place, given.snippet, given.sentence)


_KEEP: Final = "Does the sentence hold the answer to the question? Say yes or no.\n"
_READ: Final = (
    "List the counts of the sentence that concern the question. One in a line, as: words of the sentence | whole "
    f"number in digits | counted thing in the singular | one of {', '.join(_BOUNDS)}\n"
)


@dataclass(frozen=True)
class LanguageModelPeers:
    """Function that asks a language model for entities like the one in a question: "Kenya" -> ["Uganda", "Tanzania"].
    `complete` is a function from prompt to answer, and `number` is the number of entities to ask for."""

    complete: Complete
    number: int = 5

    def __call__(self, question: Question) -> list[str]:
        """Return the names of entities that are comparable to the first entity in the question."""
        entity, kind = question.entities[0], question.answer_type
        answer = self.complete(
            f"Name {self.number} others that are comparable to {entity} in their {kind} and could replace it in the "
            f'question "{question.text}". One in a line, only the names:'
        )
        names = (re.sub(r"^\s*(?:\d+[.)]|[-*•])?\s*", "", line).rstrip(" .,;") for line in answer.splitlines())
        return [name for name in names if name][: self.number]
