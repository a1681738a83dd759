"""Analyse count questions such as "how many songs did Adele record?": find the counted noun, names and verb."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity.english import NUMBERS, kinds_of, listed
from pyterrier_quantity.english.proper_names import proper_names
from pyterrier_quantity.english.stems import WORD, stem, stems
from pyterrier_quantity.english.verbs import VERBS
from pyterrier_quantity.frames.transformer import Configured
from pyterrier_quantity.plan import plan_query
from pyterrier_quantity.plan.answer_kind import AnswerKind, content_words

CLAUSE: Final = kinds_of("clause.tsv")
VERB_FORMS: Final = frozenset(form for verb in VERBS.values() for form in verb.forms) - listed("auxiliary verbs")
_INSIDE: Final = re.compile(r"(?<=[a-z,] )[^\W_]+", re.IGNORECASE)  # words within a sentence, where a capital is a name


@dataclass(frozen=True)
class Question:
    """Components of a count question, such as "How many solo songs did Adele record during her second tour?".

    Args:
        text: the question as typed.
        kind: what the question asks for, such as a number of songs.
        entities: the names in the question: ("Adele",).
        relation: the main verb after the counted noun, such as "record", or "" if there is no such verb.
        context: the remaining content words: ("second", "tour").

    Source: *CardiO*, section 3 (question components).
    """

    text: str
    kind: AnswerKind
    entities: tuple[str, ...] = ()
    relation: str = ""
    context: tuple[str, ...] = ()

    @property
    def is_count(self) -> bool:
        """Whether the question asks for a number of things."""
        return self.kind.is_count

    @property
    def answer_type(self) -> str:
        """The noun phrase of the counted things, such as "solo songs", or "" if the question has no such phrase."""
        return self.kind.counted

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(stems(self.text))

    @cached_property
    def numbers(self) -> frozenset[float]:
        """The numbers in the question, in digits and in words: "season 7" -> 7, "one time zone" -> 1."""
        spelt = (NUMBERS[word] for word in WORD.findall(self.text.lower()) if word in NUMBERS)
        return frozenset(map(float, [*re.findall(r"\d+", self.text), *spelt]))


def analyse(text: str, snippets: Sequence[str] = ()) -> Question:
    """Return the components of a question. If the question has no capitals, words that the given texts (`snippets`)
    usually capitalise within sentences count as names."""
    kind = plan_query(text).answer
    if not kind.is_count:
        return Question(text, kind)
    counted = set(map(stem, WORD.findall(kind.counted)))
    names = _names(text, snippets, counted)
    named = counted.union(*map(stems, names))
    rest = [w for w in content_words(text) if stem(w) not in named and w.lower() != "population"]
    after = text.rpartition((kind.counted.split() or ["many"])[-1])[2]
    relation = _relation([word for word in WORD.findall(after) if stem(word) not in named])
    return Question(text, kind, names, relation, tuple(word for word in rest if word != relation))


def _relation(words: Sequence[str]) -> str:
    """Return the main verb among the words after the counted noun (["did", "she", "record"] -> "record"), or "".
    If there is no auxiliary such as "did", the first word is the verb."""
    kinds = [CLAUSE.get(word.lower(), "") for word in words]
    if not words or not kinds[0]:
        return words[0] if words else ""
    governed = {n + 1 + (kinds[n + 1 : n + 2] == ["D"]) for n, kind in enumerate(kinds) if kind == "P"}
    free = (word for n, word in enumerate(words) if n not in governed)
    verb = next((word for word in free if word.lower() in VERB_FORMS or word.lower().endswith("ed")), "")
    if verb or kinds[0] != "A" or words[0].lower() in ("is", "are", "was", "were"):
        return verb
    ends = next((n for n, kind in enumerate(kinds) if kind == "P"), len(words))
    return words[0] if words[0].lower() in ("has", "have", "had") else words[ends - 1]


def _names(text: str, snippets: Sequence[str], counted: set[str]) -> tuple[str, ...]:
    """Return the names in a question, leaving out words of the counted noun, whose stems are in `counted`. If the
    question has no capitals, words that the snippets usually capitalise count as names."""
    found = list(proper_names(text, linked=True))
    if not found:
        inner = [word for snippet in snippets for word in _INSIDE.findall(snippet)]
        every = Counter(word.lower() for word in inner)
        capitals = Counter(word.lower() for word in inner if word[0].isupper())
        usual = {word for word, times in capitals.items() if every[word] > 1 and times * 2 > every[word]}
        written = WORD.sub(
            lambda word: word[0].capitalize() if re.split("['’]", word[0].lower())[0] in usual else word[0], text
        )
        found = list(proper_names(written, linked=True))
    names = []
    for name in found:
        words = list(WORD.finditer(text, name.start, name.end))
        own = [word for word in words if content_words(word[0]) and stem(word[0]) not in counted]
        if own:
            names.append(text[own[0].start() : own[-1].end()])
    return tuple(names)


class CountQuestion(Configured):
    """Transformer, Q -> Q, that adds the components of count questions.

    Columns in: `qid`, `query`, and optionally `snippets` (lists of texts, which help to find names). Columns out: the
    same, and `answer_type`, `entities` (list), `relation` and `context` (list), as in `Question`, and `reason`: why the
    query is not a count question, or "" if it is.
    Source: *CardiO*, section 3.
    """

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        snippets = inp["snippets"] if "snippets" in inp.columns else [()] * len(inp)
        rows = [
            (one.answer_type, list(one.entities), one.relation, list(one.context), "" if one.is_count else NO_COUNT)
            for one in map(analyse, inp["query"], snippets)
        ]
        columns = ["answer_type", "entities", "relation", "context", "reason"]
        return inp.assign(**pd.DataFrame(rows, inp.index, columns, dtype=object))


NO_COUNT: Final = "the question does not ask for a number of things"
"""The reason given for the empty answer to a question that is not a count question."""
