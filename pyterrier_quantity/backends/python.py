"""Retrieve by BM25 with the Python package bm25s, on machines with neither PISA nor Java."""

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
    """In-memory BM25 with bm25s and the same stemming as PISA; see `backends.bm25`."""

    called, runs_on = "bm25s", "bm25s, in Python"
    module, format = "bm25s", "bm25s_tokens"

    @classmethod
    def load(cls) -> None:
        need("bm25s", "bm25s")

    def _build(self, folder: Path, documents: Texts) -> dict[str, Any]:
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

    def _open(self) -> Any:
        bm25s = need("bm25s", "bm25s")
        self._compare()
        words = {word: number for number, word in enumerate(self._list("words"))}
        ends, tokens = np.load(self.path / "ends.npy"), np.load(self.path / "tokens.npy")
        ids = [part.tolist() for part in np.split(tokens, ends[:-1])]
        index = bm25s.BM25(k1=self.k1, b=self.b)
        index.index(bm25s.tokenization.Tokenized(ids=ids, vocab=words), show_progress=False)
        return np.array(self._list("docnos"), dtype=object), index

    def _found(self, texts: Sequence[tuple[int, str]]) -> Found:
        docnos, index = self._retriever
        documents, scores = zip(*(self._best(index, text) for _, text in texts), strict=True)
        place = np.repeat([place for place, _ in texts], list(map(len, documents)))
        return place, docnos[np.concatenate(documents)], np.concatenate(scores)

    def _best(self, index: Any, query: str) -> tuple[Any, Any]:
        words = [word for word in _WORD.findall(query.lower()) if word not in STOP_WORDS]
        stems = [stem for stem in map(_stem, words) if stem in index.vocab_dict]
        if not stems:
            return np.empty(0, dtype=np.int64), np.empty(0)
        score = np.asarray(index.get_scores(stems), dtype=np.float64)
        best = np.argsort(-score, kind="stable")[: self._depth]
        best = best[score[best] > 0]
        return best, score[best]

    def _count(self) -> int:
        return len(self._list("docnos"))

    def _list(self, name: str) -> list[str]:
        found: list[str] = json.loads((self.path / f"{name}.json").read_text(encoding="utf-8"))
        return found


@lru_cache(maxsize=1 << 18)
def _stem(word: str) -> str:
    return str(STEMMER.stemWord(word))
