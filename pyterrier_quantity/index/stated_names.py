"""Other names that documents state in brackets, and the support of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pyterrier_quantity.constants import NAMES
from pyterrier_quantity.index.context_words import query_terms
from pyterrier_quantity.score.query import Name

_BETWEEN: Final = "\t"
"""The separator of names; a line break ends a document's names."""


def line_of(pairs: Iterable[tuple[str, str]]) -> str:
    """Return the names of one document as an index stores them, or ""."""
    return _BETWEEN.join(name for pair in pairs for name in pair)


class StatedName(NamedTuple):
    """The text of another name, and the name as scoring counts it."""

    text: str
    name: Name


class StatedNames:
    """Names that documents state, in both directions: the bracket for the words before it, and the reverse.

    A name's weight is the share of its term's brackets that state it, times n / (n + 1) for its n occurrences.

    Args:
        lines: the lines of documents, see `line_of`.
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
        """Yield the best other names of a query's words. At least one of these words must belong to a number.

        Args:
            terms: the query's terms.
            attribute: the terms that numbers belong to.
        """
        asked, taken = frozenset(terms), Counter[tuple[int, ...]]()
        for stated in (stated for code in terms for stated in self._known.get(code, ())):
            said, other, *_ = stated.name
            new = asked.issuperset(said) and not asked.issuperset(other) and not attribute.isdisjoint(said)
            if new:
                taken[said] += 1
                if taken[said] <= NAMES.most:
                    yield stated
