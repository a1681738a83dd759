"""Test the speed of extraction: our sentences per second relative to quantulum3's, and growth of time on hostile texts.

    python experiments/reading_speed.py corpus.jsonl.gz [--sentences 500] [--rounds 5] [--least 20]

Each line of a corpus is a {"docno", "text"}. Without a corpus, the bundled collection is read. Both extractors read the
same sentences in turn, in one process, so that other work on the machine slows both. The figure is the median ratio of
processor times over the rounds. Texts that repeat a piece which once took quadratic time are read at two lengths
(exponent 1 is linear). The script fails if we are not --least times as fast as quantulum3, or an exponent is above 1.2.
"""

import argparse
import gzip
import json
import statistics
import sys
import time
from collections.abc import Sequence
from itertools import islice

from lib.attacks.growth import KNOWN, STEEPEST, growth_exponent

from pyterrier_quantity.datasets import get_dataset
from pyterrier_quantity.extraction import Extractor, Quantulum3Extractor, RuleExtractor


def main() -> None:
    options = _options()
    failed = False
    for path in options.corpora or [None]:
        texts = read_texts(path, options.sentences)
        print(f"{len(texts)} sentences of {path or 'the bundled collection'}, in times of quantulum3's speed")
        theirs = Quantulum3Extractor()
        for name, ours, guarded in (
            ("concepts", RuleExtractor(), True),
            ("none", RuleExtractor(concepts=False), False),
        ):
            ratio = times_as_fast(ours, theirs, texts, options.rounds)
            failed |= guarded and ratio < options.least
            print(f"  {name:10s}{ratio:6.1f}" + (f"  ({options.least:g} wanted)" if guarded else ""))
    print(f"growth of time with the length of a text that repeats a piece ({STEEPEST} at most)")
    for unit in KNOWN:
        exponent = min(growth_exponent(RuleExtractor().extract, unit) for _ in range(3))
        failed |= exponent > STEEPEST
        print(f"  {unit!r:12s}{exponent:6.2f}")
    if failed:
        sys.exit("too slow")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", help="corpora (JSON lines, plain or .gz)")
    parser.add_argument("--sentences", type=int, default=500, help="texts of each corpus, spread over it")
    parser.add_argument("--rounds", type=int, default=5, help="how often the extractors take turns")
    parser.add_argument("--least", type=float, default=20.0, help="times of quantulum3's speed that are wanted")
    return parser.parse_args()


def read_texts(path: str | None, most: int) -> list[str]:
    """Return a sample of a corpus's texts, spread evenly over it."""
    if path is None:
        texts = [document["text"] for document in get_dataset("demo").get_corpus_iter(verbose=False)]
    else:
        opened = gzip.open if path.endswith(".gz") else open
        with opened(path, "rt", encoding="utf-8") as lines:
            texts = [json.loads(line)["text"] for line in lines]
    return list(islice(texts[:: max(1, len(texts) // most)], most))


def times_as_fast(ours: Extractor, theirs: Extractor, texts: Sequence[str], rounds: int) -> float:
    """Return the speed of the first extractor divided by that of the second, as the median over rounds."""
    for extractor in (ours, theirs):
        extractor.extract_batch(texts[:20], threads=1)
    ratios = []
    for _ in range(rounds):
        slow = _seconds(theirs, texts)
        ratios.append(slow / _seconds(ours, texts))
    return statistics.median(ratios)


def _seconds(extractor: Extractor, texts: Sequence[str]) -> float:
    begin = time.process_time()
    extractor.extract_batch(texts, threads=1)
    return max(time.process_time() - begin, 1e-6)


if __name__ == "__main__":
    main()
