"""Replace concepts in training queries with synonyms or hypernyms, so that a model learns to match meanings, not words.

Source: Almasian et al., *Numbers Matter!*, section 3.3.2 and appendix B.5.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from pyterrier_quantity._extras import need
from pyterrier_quantity.concept_units.concept_unit_index import stems
from pyterrier_quantity.datasets.files import read_rows
from pyterrier_quantity.english.wordnet import other_names, superset
from pyterrier_quantity.frames.frame import whole_characters
from pyterrier_quantity.frames.transformer import check_choice
from pyterrier_quantity.storage.folders import digest

_LONGEST: Final = 8  # maximum number of words in a synonym or hypernym; longer answers of a model are explanations
_LETTERS: Final = re.compile(r"[^\W\d_]")


class Expander(Protocol):
    """Interface of objects that find a synonym or hypernym of a concept: "crude oil" -> "petroleum"."""

    def expand(self, concepts: list[str]) -> Sequence[str | None]:
        """Return a synonym or hypernym for each concept, in order, or None for an unknown concept."""
        ...


def identity(expander: Expander) -> str:
    """Return a digest of an expander's class and settings, to detect data that were made with another expander."""

    def described(value: Any) -> Any:
        own = vars(value) if hasattr(value, "expand") and hasattr(value, "__dict__") else {}
        return [getattr(value, "__qualname__", type(value).__qualname__), own]

    return digest(json.dumps(described(expander), default=described, skipkeys=True).encode())


class TableExpander:
    """Expander that finds synonyms or hypernyms of concepts in a table with the columns `concept` and `expansion`. If
    the table is malformed, raise a CollectionError that names the file, line and column."""

    def __init__(self, path: str | Path) -> None:
        rows = read_rows(Path(path), ("concept", "expansion"))
        self._known = {row["concept"].casefold(): row["expansion"] for _, row in rows}

    def expand(self, concepts: list[str]) -> list[str | None]:
        """Return the expansion of each concept, or None for a concept not in the table. Letter case is ignored."""
        return [self._known.get(concept.casefold()) for concept in concepts]


class HeadNounExpander:
    """Expander that drops a concept's modifiers: "Crude oil prices" -> "prices"."""

    def expand(self, concepts: list[str]) -> list[str | None]:
        """Return the last word of each concept, or None for a concept of one word."""
        return [concept.split()[-1] if len(concept.split()) > 1 else None for concept in concepts]


class WordNetExpander:
    """Expander that replaces a concept's last word with a WordNet synonym or hypernym: "used car" -> "used auto". If
    WordNet has neither, the concept's last word is the expansion."""

    def expand(self, concepts: list[str]) -> list[str | None]:
        found = []
        for concept, shorter in zip(concepts, HeadNounExpander().expand(concepts), strict=True):
            *modifiers, head = concept.lower().split()
            synonyms, *_ = other_names(head)
            other = synonyms[0] if synonyms else superset(head)
            found.append(" ".join((*modifiers, other)) if other else shorter)
        return found


_INSTRUCTION: Final = (
    "Name the given measure or thing in other words: a synonym, or the kind of thing that it is. Do not repeat its "
    "words. Use two to four words, in English. Answer with the name alone.\n\n"
)
EXAMPLES: Final = {
    "finance": (
        ("Toyota", "car maker"), ("iPhone sales", "smartphone revenue"), ("crude futures", "oil contract price"),
        ("jobless rate", "share of people out of work"), ("quarterly net", "profit after tax"),
        ("ECB rate", "central bank interest"), ("Boeing 737", "passenger aircraft"), ("wheat harvest", "grain crop"),
        ("buyout price", "takeover offer"), ("payrolls", "number of employees"),
    ),
    "medicine": (
        ("metformin", "diabetes medicine"), ("CT", "computed tomography"), ("haemoglobin level", "blood iron protein"),
        ("appendectomy", "bowel surgery"), ("BMI", "body mass index"), ("systolic pressure", "force of blood flow"),
        ("enrolled subjects", "trial participants"),
    ),
}  # fmt: skip


class ChatExpander:
    """Expander that asks a language model for a synonym or hypernym of each concept: "crude oil" -> "petroleum".

    Args:
        complete: function from a prompt to the model's answer, such as the result of `openai_chat`.
        domain: domain of the examples in the prompt: "finance" or "medicine".
    """

    def __init__(self, complete: Callable[[str], str], domain: str = "finance") -> None:
        check_choice("domain", domain, EXAMPLES)
        self._complete = complete
        self._shots = "".join(f"{one} -> {other}\n" for one, other in EXAMPLES[domain])

    def expand(self, concepts: list[str]) -> list[str | None]:
        """Return the first line of the model's answer for each concept, or None for an empty answer."""
        answers = [self._complete(f"{_INSTRUCTION}{self._shots}{concept} ->").strip() for concept in concepts]
        return [answer.splitlines()[0].strip(" .\"'") if answer else None for answer in answers]


def openai_chat(model: str, **client: Any) -> Callable[[str], str]:
    """Return a function that sends a prompt to a chat model on a server with OpenAI's API, and returns the answer.

    Args:
        model: the model's name on the server.
        client: arguments of `openai.OpenAI`, such as `base_url` and `api_key`.

    Raises:
        ImportError: if the library `openai` is missing.
    """
    server = need("openai", "chat").OpenAI(**client)

    def complete(prompt: str) -> str:
        messages = [{"role": "user", "content": prompt}]
        answer = server.chat.completions.create(model=model, messages=messages, temperature=1.0, max_tokens=256)
        return answer.choices[0].message.content or ""

    complete.__qualname__ = f"openai_chat({model!r}, {client.get('base_url')!r})"  # `identity` puts it into the digest
    return complete


def expansions(expander: Expander, concepts: Sequence[str]) -> dict[str, str]:
    """Return a dictionary from concept to synonym or hypernym. Concepts without a usable expansion are left out.

    A usable expansion has at most eight words and no digits. Its words differ from the concept's words, and all its
    letters are in the concept's script (Latin, Greek, ...). Repeated concepts are expanded once.

    Raises:
        ValueError: if the expander returns the wrong number of answers, or no usable answer.
    """
    asked = list(dict.fromkeys(concepts))
    answers = list(expander.expand(asked))
    if len(answers) != len(asked):
        count = f"{len(answers)} answers for {len(asked)} concepts"
        raise ValueError(f"the expander gave {count}; it must give one answer per concept, or None")
    usable = {
        concept: whole_characters(answer.strip())
        for concept, answer in zip(asked, answers, strict=True)
        if isinstance(answer, str) and is_usable(concept, answer)
    }
    if asked and not usable:
        shown = next((f"{c!r} -> {a!r}" for c, a in zip(asked, answers, strict=True) if a is not None), "None for all")
        fault = f"the expander gave no usable other name for any concept of the corpus ({shown})"
        raise ValueError(f"{fault}; use a table of other names or WordNet, or remove concept from the methods")
    return usable


def is_usable(concept: str, expansion: str) -> bool:
    """Return whether an expansion differs from its concept, is short, has no digits, and is in the concept's script."""
    words, own = stems(expansion), stems(concept)
    if not words or words == own or len(expansion.split()) > _LONGEST or any(map(str.isdigit, expansion)):
        return False
    scripts, known = (
        {unicodedata.name(letter, "?").partition(" ")[0] for letter in _LETTERS.findall(text)}
        for text in (expansion, concept)
    )
    return scripts <= known
