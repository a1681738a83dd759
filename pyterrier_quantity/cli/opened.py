"""The indexes that a command is given: the quantity index, the word index beside it, and the ranking over both."""

from __future__ import annotations

from pathlib import Path

import pyterrier as pt

from pyterrier_quantity.backends import bm25
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.pipelines import quantity_aware


def checked_index(path: Path) -> QuantityIndex:
    """The quantity index at a path: a wrong folder is told now, before a first query or a page.

    Raises:
        FileNotFoundError, IndexFormatError: as `QuantityIndex.meta` does.
    """
    index = QuantityIndex(path)
    index.meta  # noqa: B018 - reads and checks it
    return index


def word_index(index: Path) -> Path:
    """Where the word index of a quantity index lies."""
    return index.with_name(f"{index.name}.words")


def ranking(
    index: QuantityIndex, words: Path, ranker: str = "", feedback: bool = False, filtered: bool = False
) -> pt.Transformer:
    """Q -> R over an index.

    Args:
        index: of the quantities.
        words: where the word index lies, if there is one.
        ranker: what is ranked: what the words find ("rerank"), the values ("values"), or either ("union"); "": by words
            and values, where there are words.
        feedback: score once more, with words of the best results.
        filtered: keep only the documents that meet every condition.

    Raises:
        ValueError: if words are needed and there is no word index.
    """
    if ranker == "values" or not (ranker or feedback or words.exists()):
        search: pt.Transformer = index.retriever()
    elif words.exists():
        candidates = "retriever" if ranker == "rerank" else "union"
        search = quantity_aware(bm25(words), index, candidates=candidates, feedback=feedback)
    else:
        raise ValueError(
            "--rerank and --feedback need a word index beside the quantity index: pyterrier-quantity index "
            f"CORPUS {index.path} --bm25"
        )
    return search >> index.filter() if filtered else search
