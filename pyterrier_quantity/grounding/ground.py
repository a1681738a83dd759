"""What evidence says of a number: which stated quantity is of the same thing, and whether it gives the number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import fsum, log1p
from typing import Final, NamedTuple

from pyterrier_quantity.english import listed
from pyterrier_quantity.grounding.evidence import YEAR, Stated, is_year, words_of
from pyterrier_quantity.grounding.figures import CALCULATING, derivation, forms_of, same_kind, states
from pyterrier_quantity.index.context_words import is_count
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.tables.questions import read_question

SUPPORTED: Final = "supported"
CONTRADICTED: Final = "contradicted"
NOT_FOUND: Final = "not found"
Verdict = tuple[str, str, tuple[Stated, ...]]

_NAME: Final = re.compile(r"(?<![.?!] )\b[A-Z][\w-]*(?: (?:[A-Z][\w-]*|\d+)\b)*")
_SUBJECT: Final = re.compile(r"\bof (?:the |an? )?([\w -]+?) (?:is|was|are|were|has|had)\b")  # "the dose of X is"
_NEAR: Final = 0.5  # share of the best fit to an answer's words that is enough to support it
_OPERAND: Final = 0.5  # the same, to be calculated with
_SAME_THING: Final = 0.5  # fit from which another value contradicts
_EACH: Final = 6  # of a table, and of texts, that are calculated with together
_PRECISE: Final = 4  # digits of a number that stands in a row of the answer's words by no chance
_LEFT_OUT: Final = words_of(" ".join(listed("words that a name goes without")))


class Claim(NamedTuple):
    """What a sentence of an answer says its numbers are of, and how they may come about."""

    text: str
    words: frozenset[str]
    names: frozenset[str]
    whole: list[str]
    years: set[str]
    forms: set[str]


class Ground:
    """What evidence states, with how much each of its words tells."""

    def __init__(self, stated: Sequence[Stated], text: str, foreign: bool) -> None:
        self.stated, self.text, self.foreign = stated, text, foreign
        held = Counter(word for one in stated for word in one.words | one.wide)
        self._weight = {word: log1p(len(stated) / count) for word, count in held.items()}
        self._rows = {one.cell.row.lower() for one in stated if one.cell and one.cell.row}

    def claim(self, text: str, sentence: str) -> Claim:
        """What a sentence says; `text` is without its measures."""
        words, subject = words_of(text), _SUBJECT.search(text)
        whole = _NAME.findall(text, text.find(" "))
        names = words & words_of(" ".join([*whole, subject[1] if subject else ""]))
        forms = forms_of(text, words)
        years = {*YEAR.findall(text), *filter(str.isdecimal, read_question(text).periods)}
        if len(years) == 1 and forms & {"average", "percentage change"}:
            years |= {str(int(year) - 1) for year in years}
        return Claim(sentence.lower(), words, names, whole, years, forms)

    def find(self, number: Quantity, written: str, claim: Claim) -> Verdict:
        """Verdict, how, and the quantities of the evidence."""
        if is_year(number, written) or any(written in row and row in claim.text for row in self._rows):
            year = f"{int(number.low)}"
            known = written in self.text or year in self.text or any(year in one.years for one in self.stated)
            return (SUPPORTED, "stated", ()) if known else (NOT_FOUND, "", ())
        able = [(self._fit(claim, one), one) for one in self.stated if self.foreign or self._is_of(one, claim)]
        able.sort(key=lambda pair: -pair[0])
        parts = [[pair for pair in able if (pair[1].cell is None) == of_text] for of_text in (False, True)]
        precise = sum(map(str.isdigit, written)) >= _PRECISE
        rivals = []
        for part in parts:
            alike = [pair for pair in part if same_kind(pair[1].quantity.unit, number.unit)]
            for fit, one in alike:
                enough = self.foreign or fit >= _NEAR * alike[0][0] or (precise and _is_named(one, claim))
                if enough and states(number, written, one, "end" in claim.forms):
                    return SUPPORTED, "stated", (one,)
            rivals += alike[:1]
        if self.foreign:
            return NOT_FOUND, "", ()
        if found := self._computed(number, written, claim, parts):
            return found
        fit, rival = max(rivals, key=lambda pair: pair[0], default=(0.0, None))
        return (CONTRADICTED, "", (rival,)) if rival and fit >= _SAME_THING else (NOT_FOUND, "", ())

    def _computed(
        self, number: Quantity, written: str, claim: Claim, parts: list[list[tuple[float, Stated]]]
    ) -> Verdict | None:
        """What calculation gives a number of what a table, or texts, or both state."""
        pools: list[tuple[list[Stated], bool]] = []
        for part in parts:
            named = [one for _, one in part if _is_named(one, claim)]
            columns = {one.cell.place[1] for one in named or [one for _, one in part[:1]] if one.cell}
            if "divide" in claim.forms:  # the whole, of which something named is a part
                whole = [one for _, one in part if one.cell and one.cell.place[1] in columns and one.is_total]
                named += [one for one in whole if one not in named]
            near = [one for fit, one in part if fit >= _OPERAND * part[0][0] and one not in named]
            pools += [(named, True), ([*named, *near], False)]
        pools.append(([one for pool, _ in pools[1::2] for one in pool[:_EACH]], False))
        cells = [(one, one.cell.place) for _, one in parts[0] if one.cell]
        row, column = cells[0][1] if cells else (0, 0)
        line = [one for one, place in cells if place[0] == row or (not pools[0][0] and place[1] == column)]
        pools.append((line, False))
        for pool, is_named in pools:
            if found := derivation(number, written, pool, claim.forms, is_named):
                return SUPPORTED, f"computed: {found[0]}", found[1]
        best = [one for part in parts for _, one in part[:1]][:1]
        counted = number.unit == "year" or (number.unit != BARE and is_count(number.unit))
        if counted and number.low and number.low in self._counts(claim, best):
            return SUPPORTED, "counted", tuple(best)
        return None

    def _is_of(self, one: Stated, claim: Claim) -> bool:
        """Whether it is of the years and of what the answer names; a table's report need not name whose it is."""
        if claim.years and one.years and not claim.years & {*one.years}:
            return False
        longer = any(re.search(rf"\b{re.escape(name)} [A-Z]", one.sentence) for name in claim.whole)
        return one.of_report or not (claim.names - one.wide - _LEFT_OUT or longer)

    def _counts(self, claim: Claim, best: Sequence[Stated]) -> set[int]:
        """How many years the answer names, and how many numbers stand in the row that fits best."""
        row = [one.docno.rpartition("c")[0] for one in best if one.cell]
        return {len(claim.years), *(sum(one.docno.rpartition("c")[0] == name for one in self.stated) for name in row)}

    def _fit(self, claim: Claim, one: Stated) -> float:
        """How well a stated quantity goes with an answer's words, in [0, 1]; names count twice."""
        words = claim.words - CALCULATING if claim.forms else claim.words
        weights = {word: self._weight.get(word, 0.0) * (1 + (word in claim.names)) for word in words}
        shared = fsum(weights[word] for word in words & (one.words | one.wide))  # the same in any order
        fit = shared / fsum(weights.values()) if any(weights.values()) else 1.0
        row = words_of(one.cell.row) or one.name if one.cell else ()
        if row:
            extra = fsum(self._weight[word] for word in row if word not in claim.words)
            fit *= 1.0 - 0.5 * extra / fsum(self._weight[word] for word in row)
        return fit


def _is_named(one: Stated, claim: Claim) -> bool:
    """Whether an answer's sentence has all words of a cell's row."""
    return bool(one.name) and one.name <= claim.words
