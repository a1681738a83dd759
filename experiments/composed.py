"""Measure the share of composed quantities that are read correctly, for each pair of dimensions.

    python experiments/composed.py [--language de | --queries] [--count 6000] [--seed 1] [--wrong 40]

Texts are composed at random from the forms of `lib/composed.py`, or from the tables of another language; queries from
the wordings of `lib/composed_queries.py`. Their values, units and bounds are known. The generators were written
together with the grammar, so their figures are upper bounds.
"""

import argparse
import math
import random
from collections import Counter
from functools import cache, partial
from itertools import combinations

from lib.composed import Composed, Reading, composed
from lib.composed_languages import composed_in
from lib.composed_queries import composed_queries

from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.plan.query_plan import parse_query
from pyterrier_quantity.units import default_registry


@cache
def _extractor(language: str) -> RuleExtractor:
    return RuleExtractor(concepts=False, language=language)


def extracted(text: str, language: str = "en") -> list[Reading]:
    return [(one.low, one.high, one.unit, one.bound) for one in _extractor(language).extract(text)]


def planned(text: str) -> list[Reading]:
    return [(one.low, one.high, one.unit, one.op) for one in parse_query(text)[1]]


def is_right(one: Composed, language: str = "en") -> bool:
    """Return whether a text is read as it was composed. A unit that converts to the stated one is also right."""
    found = extracted(one.text, language)
    return len(found) == len(one.readings) and all(map(_alike, one.readings, found))


def is_planned(one: Composed) -> bool:
    """Return whether the parsed conditions of a query are those of which it was composed, in any order."""
    left = list(one.readings)
    for asked in planned(one.text):
        met = next((stated for stated in left if _alike(stated, asked)), None)
        if met is None:
            return False
        left.remove(met)
    return not left


def _alike(stated: Reading, found: Reading) -> bool:
    registry = default_registry()
    if stated[3] != found[3]:
        return False
    ends = list(stated[:2])
    if stated[2] != found[2]:
        factor = registry.conversion(stated[2], found[2])
        if factor is None:
            return False
        ends = [end * factor[0] + factor[1] for end in ends]
    return all(math.isclose(one, other, rel_tol=1e-6) for one, other in zip(ends, found[:2], strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", default="en", help="the code of the language, such as de")
    parser.add_argument("--queries", action="store_true", help="compose queries")
    parser.add_argument("--count", type=int, default=6000, help="how many texts")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the generator")
    parser.add_argument("--wrong", type=int, default=0, help="how many of the texts read otherwise to print")
    options = parser.parse_args()
    right: Counter[tuple[str, ...]] = Counter()
    total: Counter[tuple[str, ...]] = Counter()
    wrong = []
    language = options.language
    if options.queries:
        compose, read, judge = composed_queries, planned, is_planned
    else:
        compose = composed if language == "en" else partial(composed_in, language)
        read, judge = partial(extracted, language=language), partial(is_right, language=language)
    for one in compose(options.count, options.seed):
        is_read = judge(one)
        pairs = combinations(sorted(f"{dimension} {kind}" for dimension, kind in one.kinds.items()), 2)
        for pair in [(), *pairs]:
            total[pair] += 1
            right[pair] += is_read
        if not is_read:
            wrong.append(one)
    for one in random.Random(0).sample(wrong, min(options.wrong, len(wrong))):
        print(f"{one.text!r}: {one.readings}, read {read(one.text)}")
    print("share right of each pair of dimensions that is below .95 (at least 10 texts)")
    for pair, many in sorted(total.items(), key=lambda entry: right[entry[0]] / entry[1]):
        if pair and many >= 10 and right[pair] / many < 0.95:
            print(f"  {right[pair] / many:.3f} of {many:4d}  {', '.join(pair)}")
    print(f"all {right[()] / total[()]:.3f} of {total[()]} (development figures are upper bounds)")


if __name__ == "__main__":
    main()
