"""Compare cheap features that identify the attribute words of a number with the nearness that ranking uses.

    python experiments/links.py FOLDER [--most 400]

FOLDER contains annotated sources, NAME.json: items with `text` and `quantities`, which have `span` and `concept`. The
sentences of `links_sentences.tsv` are added: numbers are in braces, and each number's words are in a column after the
text. Each source is left out in turn. The table has a row for each source and set of features: the mean average
precision, over numbers, of the ranked words of their text, and the share of numbers whose first word is right.

"nearness" is the distance in words (with boundaries), doubled after the number, as in `score.fit`. "places" is a weight
for each distance and side, and for numbers in between. "words" adds the words right before and after the number.
"concepts" adds whether a word is in the concept that the extractor finds for this or another number.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from pyterrier_quantity import RuleExtractor
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.english.stems import term_hash
from pyterrier_quantity.index.context_words import context_terms, without_marks

OWN: Final = Path(__file__).with_name("links_sentences.tsv")
TOKEN: Final = re.compile(r"\w+|[^\w\s]")
FARTHEST: Final = 60
KEPT_WORDS: Final = frozenset("of to by from in for with at on is was were are than and or about the a per".split())

Row = dict[str, Any]


class Sample(NamedTuple):
    """The words of a text, with their positions relative to one number, and whether each names its attribute."""

    rows: list[Row]
    right: list[bool]


def sentences(path: Path) -> Iterator[tuple[str, list[tuple[int, int, set[int]]]]]:
    """Yield texts with the spans of their numbers and the terms of each number's attribute."""
    if path.suffix == ".json":
        for item in json.loads(path.read_text(encoding="utf-8")):
            annotated = [q for q in item["quantities"] if q.get("concept") and q.get("concept_in", True)]
            yield item["text"], [(*q["span"], _terms(" ".join(q["concept"]))) for q in annotated]
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        marked, *named = line.split("\t")
        pieces = re.split(r"\{([^}]*)\}", marked)
        ends = np.cumsum([len(piece) for piece in pieces]).tolist()
        spans = zip(ends[:-1:2], ends[1::2], named, strict=True)
        yield "".join(pieces), [(start, end, _terms(words)) for start, end, words in spans]


def _terms(words: str) -> set[int]:
    return {term_hash(word) for word in TOKEN.findall(words)} - {0}


def samples(path: Path, extractor: RuleExtractor) -> Iterator[Sample]:
    """Yield a sample for each number that is extracted at an annotated position."""
    for text, numbers in sentences(path):
        read = extractor.extract(text)
        codes, places = (np.array(column, dtype=np.int64) for column in context_terms(text, read))
        terms, positions = (column.tolist() for column in without_marks(codes, places))
        concepts = [_terms(" ".join(quantity.concept)) for quantity in read]
        for number, quantity in enumerate(read):
            named = next((w for s, e, w in numbers if quantity.start < e and s < quantity.end), set())
            beside = _word(text[: quantity.start], -1), _word(text[quantity.end :], 0)
            places = [at for at, term in enumerate(terms) if term and abs(at - positions[number]) <= FARTHEST]
            right = [terms[at] in named for at in places]
            if any(right):
                own, others = concepts[number], set().union(*concepts[:number], *concepts[number + 1 :])
                rows = [
                    _row(at, number, positions, beside) | {"own": terms[at] in own, "others": terms[at] in others}
                    for at in places
                ]
                yield Sample(rows, right)


def _word(text: str, place: int) -> str:
    """Return the first or last word of a text, or the kind of the word if it is rare."""
    words = TOKEN.findall(text)
    word = words[place].lower() if words else "end"
    return "number" if word.isdigit() else "word" if word.isalpha() and word not in KEPT_WORDS | {"end"} else word


def _row(at: int, number: int, positions: list[int], beside: tuple[str, str]) -> Row:
    before = at < positions[number]
    distances = [place - 1 - at if at < place else at - place for place in positions]
    own = distances.pop(number)
    others = [place for other, place in enumerate(positions) if other != number]
    between = sum(at < place < positions[number] if before else positions[number] < place <= at for place in others)
    rival = min(distances, default=FARTHEST) < own
    return {"before": before, "distance": own, "between": min(between, 3), "rival": rival, "beside": beside}


def nearness(row: Row) -> Row:
    return {"near": 4 / (4 + row["distance"] * (1 if row["before"] else 2))}


def places(row: Row) -> Row:
    return {f"{row['before']} {min(row['distance'], 14)}": 1, f"{row['before']} {row['between']} {row['rival']} x": 1}


def words(row: Row) -> Row:
    reach = f"{row['before']} {min(row['distance'], 2)}"
    return places(row) | {f"{reach} after {row['beside'][0]}": 1, f"{reach} before {row['beside'][1]}": 1}


def concepts(row: Row) -> Row:
    return words(row) | {f"{row['before']} named {row['own']} {row['others']}": 1}


def average_precision(scores: np.ndarray, right: list[bool]) -> float:
    ordered = np.array(right)[np.argsort(-scores, kind="stable")]
    precision = np.cumsum(ordered) / np.arange(1, len(ordered) + 1)
    return float((precision * ordered).sum() / ordered.sum())


def measured(train: list[Sample], test: list[Sample], features: Callable[[Row], Row]) -> tuple[float, float]:
    """Return the mean average precision and the share of right first words for a model fitted on other sources."""
    vectorizer = DictVectorizer()
    known = vectorizer.fit_transform([features(row) for sample in train for row in sample.rows])
    model = LogisticRegression(C=0.3, max_iter=200).fit(known, np.concatenate([sample.right for sample in train]))
    found = []
    for sample in test:
        scores = model.decision_function(vectorizer.transform(list(map(features, sample.rows))))
        found.append((average_precision(scores, sample.right), sample.right[int(np.argmax(scores))]))
    precision, first = np.mean(found, axis=0).tolist()
    return precision, first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="with annotated sources, NAME.json")
    parser.add_argument("--most", type=int, default=400, help="numbers of a source that are learned from (%(default)s)")
    args = parser.parse_args()
    extractor = RuleExtractor(dates=True)
    read = {path.stem: list(samples(path, extractor)) for path in [*sorted(args.folder.glob("*.json")), OWN]}
    read = {name: found for name, found in read.items() if found}
    for features in (nearness, places, words, concepts):
        rows = []
        for name, test in read.items():
            train = [sample for other, found in read.items() if other != name for sample in found[: args.most]]
            rows.append(measured(train, test, features))
            print(f"{features.__name__:10s}{name:20s}{len(test):6d}  AP {rows[-1][0]:.3f}  first {rows[-1][1]:.3f}")
        precision, first = np.mean(rows, axis=0)
        print(f"{features.__name__:10s}{'mean':20s}{'':6s}  AP {precision:.3f}  first {first:.3f}", flush=True)


if __name__ == "__main__":
    sys.exit(run_program("links.py", main))
