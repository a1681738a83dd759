"""What a count question asks: the kind of thing that is counted, whose, and under which conditions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity._transformer import Configured
from pyterrier_quantity.english import in_order
from pyterrier_quantity.english.nouns import singular
from pyterrier_quantity.english.proper_names import proper_names
from pyterrier_quantity.english.stems import WORD, stem, stems
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.units import default_registry

_ASKS: Final = re.compile(r"\b(?:how\s+many|(?:total\s+|the\s+|a\s+)*number\s+of)\b(?:\s+of\b)?", re.IGNORECASE)
_POPULATION: Final = re.compile(r"\bpopulation\s+(?:of|in)\b", re.IGNORECASE)

_VERBS: Final = frozenset(
    "is are was were be been do does did has have had can could will would shall should may might must".split()
)
_LINKS: Final = frozenset(
    "in on of from for with by at to under within between among around near per there that which who whom whose the a "
    "an this these those his her its their it he she they we you i as than and or not so up out into over during "
    "since until after before".split()
)
_FILLERS: Final = frozenset("different total other various exactly overall official current actual all number".split())
_ASKING: Final = frozenset("how many much what whats when where why".split())
_STOPS: Final = _VERBS | _LINKS | _FILLERS | _ASKING
_PLURALS: Final = frozenset("people men women children feet teeth geese mice species series criteria media".split())

_SPELT: Final = in_order("numbers from zero")

TIMES: Final = "count"
"""The unit of "five times"."""

_SAME: Final = {"peopl": frozenset({"person", "popul", "inhabit", "resid", "individu", "citizen"})}
"""Stems of other words for a very common answer type: a town's people are its population."""


@dataclass(frozen=True)
class Question:
    """The components of a count question.

    Args:
        text: as typed.
        answer_type: the noun phrase of what is counted, "solo songs"; "" where the question names none.
        entities: the names in it.
        relation: its main verb; "" where there is none.
        context: the remaining words that say something.
        is_count: whether it asks for a number of things at all.

    Source: CardiO, section 3 (question components).
    """

    text: str
    answer_type: str = ""
    entities: tuple[str, ...] = ()
    relation: str = ""
    context: tuple[str, ...] = ()
    is_count: bool = True

    @cached_property
    def type_stems(self) -> tuple[str, ...]:
        """The stems of the answer type's words, its head last."""
        return tuple(stem(word) for word in WORD.findall(self.answer_type) if word.lower() not in _STOPS)

    @cached_property
    def heads(self) -> frozenset[str]:
        """The stems of the answer type's head, of its singular, and of what means the same."""
        words = [word for word in WORD.findall(self.answer_type) if word.lower() not in _STOPS][-1:]
        head = {stem(form) for word in words for form in (word, singular(word))}
        return frozenset(head).union(*(_SAME.get(form, frozenset()) for form in head))

    @cached_property
    def constraints(self) -> tuple[str, ...]:
        """The stems of all that the question says beside the answer type, each once."""
        words = (word for word in WORD.findall(self.text) if word.lower() not in _STOPS)
        return tuple(dict.fromkeys(s for s in map(stem, words) if s not in self.type_stems))

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(stems(self.text))

    @cached_property
    def numbers(self) -> frozenset[float]:
        """Numbers that the question itself names ("season 7", "one time zone")."""
        words = {word.lower() for word in WORD.findall(self.text)}
        spelt = {float(number) for number, forms in enumerate(_SPELT) if words.intersection(forms.split("/"))}
        return frozenset(map(float, re.findall(r"\d+", self.text))) | spelt

    @cached_property
    def unit(self) -> str:
        """The canonical unit that it asks for, where what it counts is one: days, miles, times."""
        if not self.type_stems:
            return ""
        try:
            unit = default_registry().resolve(self.answer_type)
        except ValueError:
            return ""
        return unit if unit == TIMES or not is_count(unit) else ""


def analyse(text: str, snippets: Sequence[str] = ()) -> Question:
    """Take a question apart.

    Args:
        text: the question.
        snippets: texts about it. A question typed in small letters shows no names: a word that these mostly
            capitalise inside their sentences counts as part of one.
    """
    asked = _ASKS.search(text)
    if asked is None:
        if _POPULATION.search(text) is None:
            return Question(text, is_count=False)
        answer_type = "people"
    else:
        answer_type = _answer_type(text[asked.end() :])
    names = _names(text, snippets, frozenset(map(stem, WORD.findall(answer_type))))
    named = {stem(word) for name in names for word in WORD.findall(name)} | set(map(stem, WORD.findall(answer_type)))
    rest = [w for w in WORD.findall(text) if w.lower() not in _STOPS and stem(w) not in named]
    rest = [word for word in rest if word.lower() != "population"]
    relation = next((word for word in rest if not word.isdigit()), "")
    return Question(text, answer_type, names, relation, tuple(word for word in rest if word != relation))


def _answer_type(rest: str) -> str:
    """The first noun phrase: up to a verb or a preposition, and no farther than its last plural."""
    words: list[str] = []
    for word in WORD.findall(rest):
        if word.lower() in _VERBS or (word.lower() in _LINKS and words):
            break
        if word.lower() not in _FILLERS | _LINKS:
            words.append(word)
    plurals = [n for n, word in enumerate(words) if _is_plural(word)]
    return " ".join(words[: plurals[-1] + 1] if plurals else words[:2])


def _is_plural(word: str) -> bool:
    word = word.lower()
    return word in _PLURALS or (word.endswith("s") and not word.endswith(("ss", "'s", "’s")))


def _names(text: str, snippets: Sequence[str], answer_type: frozenset[str]) -> tuple[str, ...]:
    """The names in a question, less the words of its answer type; those of a question in small letters as the
    snippets write them."""
    found = list(proper_names(text, linked=True))
    if not found:
        written = WORD.sub(lambda word: word[0].capitalize() if _capitalised(word[0], snippets) else word[0], text)
        found = list(proper_names(written, linked=True))
    names = []
    for name in found:
        words = list(WORD.finditer(text, name.start, name.end))
        own = [word for word in words if word[0].lower() not in _STOPS and stem(word[0]) not in answer_type]
        if own:
            names.append(text[own[0].start() : own[-1].end()])
    return tuple(names)


def _capitalised(word: str, snippets: Sequence[str]) -> bool:
    """Whether most texts that hold a word inside a sentence write it with a capital."""
    written = re.findall(rf"(?<=[a-z,] ){re.escape(word)}\b", " ".join(snippets), re.IGNORECASE)
    return len(written) > 1 and sum(found[0].isupper() for found in written) * 2 > len(written)


class CountQuestion(Configured):
    """Q -> Q: takes count questions apart.

    Columns in: `qid`, `query`, and `snippets` if present (lists of texts, which show what is a name).
    Columns out: the same and `answer_type`, `entities` (list), `relation`, `context` (list), `reason`: "" for a count
    question, else why it is none.
    Source: CardiO, section 3.
    """

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, extra_columns=["query"], context=self)
        snippets = inp["snippets"] if "snippets" in inp.columns else [()] * len(inp)
        asked = [analyse(query, texts) for query, texts in zip(inp["query"], snippets, strict=True)]
        columns = {
            "answer_type": [question.answer_type for question in asked],
            "entities": [list(question.entities) for question in asked],
            "relation": [question.relation for question in asked],
            "context": [list(question.context) for question in asked],
            "reason": ["" if question.is_count else NO_COUNT for question in asked],
        }
        return inp.assign(**{name: pd.Series(values, inp.index, dtype=object) for name, values in columns.items()})


NO_COUNT: Final = "the question asks for no number of things"
"""Why a question that is no count question has an empty answer."""
