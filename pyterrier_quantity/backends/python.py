"""BM25 in Python, on bm25s: for machines that have neither PISA nor Java."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from pyterrier_quantity._extras import need
from pyterrier_quantity.backends.bm25 import BM25, Found, Texts
from pyterrier_quantity.english import STOP_WORDS
from pyterrier_quantity.english.stems import STEMMER

_WORD: Final = re.compile(r"\w+")


class PythonBM25(BM25):
    """See `python_bm25`."""

    called, runs_on = "bm25s", "bm25s, in Python"
    module, format = "bm25s", "bm25s_tokens"

    def _build(self, folder: Path, documents: Texts) -> dict[str, Any]:
        """Write the documents' words as numbers, in their order."""
        need("bm25s", "bm25s")
        words: dict[str, int] = {}
        docnos, tokens, ends = [], [], []
        for document in documents:
            docnos.append(document["docno"])
            tokens += [words.setdefault(_stem(word), len(words)) for word in _WORD.findall(document["text"].lower())]
            ends.append(len(tokens))
        meta = {"type": "sparse_index", "format": self.format, "package_hint": "pyterrier-quantity"}
        np.save(folder / "tokens.npy", np.array(tokens, dtype=np.uint32))
        np.save(folder / "ends.npy", np.array(ends, dtype=np.int64))
        for name, content in (("docnos", docnos), ("words", list(words)), ("pt_meta", meta)):
            (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
        return {}

    def _open(self) -> _Words:
        self._compare()
        return _Words(self.path, self.k1, self.b, self._depth())

    def _found(self, texts: Sequence[tuple[int, str]]) -> Found:
        words: _Words = self._retriever()
        documents, scores = zip(*(words.search(text) for _, text in texts), strict=True)
        place = np.repeat([place for place, _ in texts], list(map(len, documents)))
        return place, words.docnos[np.concatenate(documents)], np.concatenate(scores)

    def _count(self) -> int:
        return len(json.loads((self.path / "docnos.json").read_text(encoding="utf-8")))


class _Words:
    """The documents' words, weighed in memory.

    Args:
        path: the index's folder.
        k1, b: BM25's parameters.
        num_results: results per query.
    """

    def __init__(self, path: Path, k1: float, b: float, num_results: int) -> None:
        bm25s = need("bm25s", "bm25s")
        self.docnos = np.array(json.loads((path / "docnos.json").read_text(encoding="utf-8")), dtype=object)
        words = json.loads((path / "words.json").read_text(encoding="utf-8"))
        self.known = {word: number for number, word in enumerate(words)}
        ends, tokens = np.load(path / "ends.npy"), np.load(path / "tokens.npy")
        ids = [part.tolist() for part in np.split(tokens, ends[:-1])]
        self.index = bm25s.BM25(k1=k1, b=b)
        self.index.index(bm25s.tokenization.Tokenized(ids=ids, vocab=self.known), show_progress=False)
        self.num_results = num_results

    def search(self, query: str) -> tuple[Any, Any]:
        """Numbers and scores of the best documents."""
        words = [word for word in _WORD.findall(query.lower()) if word not in STOP_WORDS]
        stems = [stem for stem in map(_stem, words) if stem in self.known]
        if not stems:
            return np.empty(0, dtype=np.int64), np.empty(0)
        score = np.asarray(self.index.get_scores(stems), dtype=np.float64)
        best = np.argsort(-score, kind="stable")[: self.num_results]
        best = best[score[best] > 0]
        return best, score[best]


@lru_cache(maxsize=1 << 18)
def _stem(word: str) -> str:
    return str(STEMMER.stemWord(word))
