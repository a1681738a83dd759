"""Other names that the documents of an index state in brackets, and how often these are borne out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pyterrier_quantity.constants import NAMES
from pyterrier_quantity.index.context_words import query_terms
from pyterrier_quantity.score.query import Name

_BETWEEN: Final = "\t"
"""Parts names; a line break ends those of a document."""


def line_of(pairs: Iterable[tuple[str, str]]) -> str:
    """The names of one document as an index stores them; empty where it states none."""
    return _BETWEEN.join(name for pair in pairs for name in pair)


class StatedName(NamedTuple):
    """Another name of terms: its text, and as scoring counts it."""

    text: str
    name: Name


class StatedNames:
    """The names that documents state, both ways: the bracket for the words before it, and these for the bracket.

    A name counts by the share of its term's brackets that state it, times n / (n + 1) of the n that do.

    Args:
        lines: of documents, see `line_of`.
    """

    def __init__(self, lines: Iterable[str] = ()) -> None:
        stated = (line.split(_BETWEEN) for line in lines)
        counts = Counter(pair for names in stated for pair in zip(names[::2], names[1::2], strict=True))
        ways = Counter[tuple[tuple[int, ...], tuple[int, ...]]]()
        texts: dict[tuple[int, ...], str] = {}
        for (name, other), count in counts.most_common():
            said, also = tuple(query_terms(name)), tuple(query_terms(other))
            if said and also and set(said).isdisjoint(also):
                ways[said, also] += count
                ways[also, said] += count
                texts.setdefault(said, name)
                texts.setdefault(also, other)
        total = Counter[tuple[int, ...]]()
        for (said, _), count in ways.items():
            total[said] += count
        self._known: defaultdict[int, list[StatedName]] = defaultdict(list)
        for (said, also), count in ways.items():
            weight = count / (count + 1) * count / total[said]
            if weight >= NAMES.least:
                self._known[said[-1]].append(StatedName(texts[also], Name(said, also, weight)))
        for found in self._known.values():
            found.sort(key=lambda stated: -stated.name.weight)

    def of(self, terms: Sequence[int], attribute: frozenset[int]) -> Iterator[StatedName]:
        """The best names of what a query says, of which a number of its belongs to at least one word.

        Args:
            terms: the query's.
            attribute: those that numbers belong to.
        """
        asked, taken = frozenset(terms), Counter[tuple[int, ...]]()
        for stated in (stated for code in terms for stated in self._known.get(code, ())):
            said, other, *_ = stated.name
            new = asked.issuperset(said) and not asked.issuperset(other) and not attribute.isdisjoint(said)
            if new:
                taken[said] += 1
                if taken[said] <= NAMES.most:
                    yield stated
