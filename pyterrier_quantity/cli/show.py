"""Output for people: tables, and texts with highlighted quantities."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Final

import pandas as pd

from pyterrier_quantity.cli.corpus import Corpus
from pyterrier_quantity.datasets import LocalCollection
from pyterrier_quantity.explanation.explain import explain
from pyterrier_quantity.frames.frame import whole_characters
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.quantity import Quantity

PLAIN: Final = ("**", "**")
ANSI: Final = ("\x1b[1;32m", "\x1b[0m")
"""Codes before and after a highlighted quantity."""


def terminal_marks() -> tuple[str, str]:
    """Return colour codes on a terminal (unless NO_COLOR is set), and asterisks elsewhere."""
    return ANSI if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else PLAIN


def met_quantities(index: QuantityIndex, results: pd.DataFrame) -> list[list[Quantity]]:
    """Return the quantities of each result that meet the query: the document's best one for each constraint.

    Args:
        index: the index with the documents' quantities.
        results: R with `constraints`.
    """
    explained = explain(results, index)
    met = explained[explained["met"]].groupby(["qid", "docno"])["quantity"].agg(list).to_dict()
    return [met.get(pair, []) for pair in zip(results["qid"], results["docno"], strict=True)]


def data_texts(data: LocalCollection | Corpus, wanted: set[str] | None = None, between: str = " ") -> dict[str, str]:
    """Return the texts of documents by docno: all, or the `wanted` ones. Line breaks are replaced by `between` (one
    character, so that offsets stay valid)."""
    documents = ((whole_characters(d["docno"]), d["text"]) for d in data.get_corpus_iter(verbose=False))
    known = ((docno, text) for docno, text in documents if wanted is None or docno in wanted)
    return {docno: whole_characters(text.replace("\n", between)) for docno, text in known}


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows as aligned columns: the first one left-aligned, the others right-aligned."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(row: Sequence[str]) -> str:
        first, *others = zip(row, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]).rstrip()

    return "\n".join([line(header), "-" * (sum(widths) + 2 * (len(widths) - 1)), *map(line, rows)])
