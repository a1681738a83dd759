"""Find and weight synonyms that documents define in brackets, such as "liquefied natural gas (LNG)"."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pyterrier_quantity.constants import NAMES
from pyterrier_quantity.index.context_words import query_terms
from pyterrier_quantity.score.query import Name

_BETWEEN: Final = "\t"  # separates names within a line; an index stores a line for each document


def line_of(pairs: Iterable[tuple[str, str]]) -> str:
    """Join a document's pairs (term, synonym) into the line that an index stores. Without pairs, return ""."""
    return _BETWEEN.join(name for pair in pairs for name in pair)


class StatedName(NamedTuple):
    """A synonym that documents define, as text ("LNG") and as a `Name` with term hashes for scoring."""

    text: str
    name: Name


class StatedNames:
    """Synonyms that documents define in brackets. "Natural gas (LNG)" makes the two names synonyms of each other.

    If brackets follow a term N times and contain a synonym n times, the weight of the synonym is n / N * n / (n + 1).

    Args:
        lines: for each document that defines synonyms, a line with all its synonyms, as returned by `line_of`.
    """

    def __init__(self, lines: Iterable[str] = ()) -> None:
        stated = (line.split(_BETWEEN) for line in lines)
        counts = Counter(pair for names in stated for pair in zip(names[::2], names[1::2], strict=True))
        ways = Counter[tuple[tuple[int, ...], tuple[int, ...]]]()
        texts: dict[tuple[int, ...], str] = {}
        for (name, other), count in counts.most_common():
            said, also = query_terms(name), query_terms(other)
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
        """Yield synonyms of terms in a query, highest weight first: "LNG" for the words "natural gas".

        Args:
            terms: the hashes of the query's words.
            attribute: the hashes of the words in the attributes of constraints. A synonym is yielded only if the words
                that it stands for include at least one of these words.
        """
        asked, taken = frozenset(terms), Counter[tuple[int, ...]]()
        for stated in (stated for code in terms for stated in self._known.get(code, ())):
            said, other, *_ = stated.name
            new = asked.issuperset(said) and not asked.issuperset(other) and not attribute.isdisjoint(said)
            if new:
                taken[said] += 1
                if taken[said] <= NAMES.most:
                    yield stated
