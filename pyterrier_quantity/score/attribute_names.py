"""Find quantities that stand next to the name of an attribute: 30 cm in "height 40 cm, width 30 cm" is a width."""

from functools import cache
from typing import Final

import numpy as np

from pyterrier_quantity.english import set_of
from pyterrier_quantity.english.adjectives import ATTRIBUTE_NOUNS, MEASURED
from pyterrier_quantity.english.stems import term_hash
from pyterrier_quantity.flat_arrays import Bools, Ints
from pyterrier_quantity.score.documents import Pairs

_BEFORE, _AFTER = 5, 3  # maximum number of words from a name to its quantity: "width of about 30 cm", "30 cm wide"

# Nouns that do not name an attribute, because they go with any value: "25 cm last year, 30 cm this year".
_OF_ANY_VALUE: Final = set_of("""
    year date mean median average total value amount sum result status quantity count record rank net gross
    """)


def are_named(pairs: Pairs, pair: Ints, quantity: Ints) -> Bools:
    """Return whether each quantity stands next to the name of an attribute, such as "width" or "wide". A name does not
    count if another quantity stands between it and the quantity.

    Args:
        pairs: the pairs of a result row and a constraint of its query.
        pair, quantity: for each quantity, the index of its pair in `pairs`, and its index in the columns.
    """
    if not len(pair):
        return np.empty(0, dtype=bool)
    columns, first = pairs.columns, pairs.first[pair]
    last = first + pairs.count[pair] - 1
    start, length = columns.term_offsets.extent(pairs.document[pair])
    places = [np.clip(quantity + step, first, last) for step in (-1, 0, 1)]
    before, position, after = (columns.position[place].astype(np.int64) for place in places)
    before[quantity == first], after[quantity == last] = 0, length[quantity == last]
    offset = position[:, None] + np.arange(-_BEFORE, _AFTER)
    inside = (offset >= before[:, None]) & (offset < after[:, None])
    words = columns.terms[(start[:, None] + offset)[inside]]
    found = np.zeros(inside.shape, dtype=bool)
    found[inside] = _attribute_words()[words]
    return np.bitwise_or.reduce(found, axis=1)


@cache
def _attribute_words() -> Bools:
    """Return, for each term hash, whether it is the hash of a noun or adjective for an attribute ("width", "wide")."""
    nouns = ATTRIBUTE_NOUNS.union(*(measured.nouns for measured in MEASURED.values())) - _OF_ANY_VALUE
    found = np.zeros(1 << 16, dtype=bool)
    found[[term_hash(word) for word in nouns.union(MEASURED)]] = True
    found[0] = False
    return found
