"""List English verbs with their inflected forms: "pay" -> pays, paid, paying."""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from pyterrier_quantity.english import kinds_of

_HISSING = ("s", "x", "z", "ch", "sh", "o")
_DOUBLED = re.compile(r"[^aeiou][aeiou][bdgklmnprt]$")


class Verb(NamedTuple):
    """The forms of a verb and common misspellings: `present` ("pay", "pays"), `past` ("paid"), `going` ("paying")."""

    present: tuple[str, ...]
    past: tuple[str, ...]
    going: tuple[str, ...]

    @property
    def forms(self) -> tuple[str, ...]:
        return self.present + self.past + self.going


def inflected(base: str, *past: str) -> Verb:
    """Return all forms of a verb, given the base form ("pay") and any irregular past forms ("paid")."""
    stem = base[:-1] if base.endswith("e") and not base.endswith(("ee", "ye")) else base
    doubled = base + base[-1] if _DOUBLED.search(base) else stem
    to_i = base.endswith("y") and base[-2] not in "aeou"
    regular = (base[:-1] + "ied",) if to_i else (stem + "ed", doubled + "ed")
    third = base[:-1] + "ies" if to_i else base + ("es" if base.endswith(_HISSING) else "s")
    return Verb((base, third), past or regular, (stem + "ing", doubled + "ing"))


_KINDS: Final = {word.partition("/")[0]: (kind, word) for word, kind in kinds_of("verbs.tsv").items()}
VERBS: Final = {base: inflected(*word.split("/")) for base, (_, word) in _KINDS.items()}
"""A dictionary from the base form of a verb to all forms of the verb: "pay" -> pay, pays, paid, paying."""

IRREGULAR: Final = frozenset(form for _, word in _KINDS.values() for form in word.split("/")[1:])
"""Irregular past forms: "paid", "rose"."""

HARDLY_NOUNS: Final = frozenset(base for base, (kind, _) in _KINDS.items() if kind == "verb")
"""Verbs whose base form and -s form are rarely nouns, such as "exceed"."""


def forms_of(bases: Iterable[str]) -> frozenset[str]:
    """Return the set of all forms of the given verbs: "pay" -> pay, pays, paid, paying."""
    return frozenset(form for base in bases for form in (VERBS.get(base) or inflected(base)).forms)
