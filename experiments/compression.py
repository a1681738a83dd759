"""Smaller indexes of token vectors, and candidates by their centroids: what both save, and what they lose.

    python experiments/compression.py FOLDER --names clinical --pool [--candidates 1000 2000] [--spliced 1000000]

A row a form of the index: its bytes a document (docnos apart) beside those of the index of bytes, and nDCG@10 of the
exact retriever and of the quantity-aware one over it. A second table takes candidates by centroids from the form of
`--form`: which share of the exact first 10 and 100 they hold, nDCG@10, and processor time of a query that is asked
alone, its encoding included. `--spliced N` adds documents that are made of halves of these until there are N, and does
the same among them: what is judged is there as before, and what is added is not relevant.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Final

import pandas as pd
import pyterrier as pt
from lib.arguments import arguments, collections
from lib.collection import Collection
from lib.neural_search import NeuralSearch, model_arguments
from lib.parts import Part, publish
from lib.significance import permutation_p
from lib.splicing import spliced

import pyterrier_quantity as ptq
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.constants import TRUST
from pyterrier_quantity.neural import ColBERTIndex
from pyterrier_quantity.neural.models import need

MEASURE: Final = "nDCG@10"
FORMS: Final = {"int8": ("int8", 1.0), "4bit": ("4bit", 1.0), "2bit": ("2bit", 1.0), "2bit, pooled": ("2bit", 1.5)}
"""How vectors are stored, and how many tokens of a document share one."""
DEPTH: Final = 1000
"""Documents of a ranking."""
NOTE: Final = (
    f"{MEASURE}; p: another than the first row's, paired permutation test, no correction. Development "
    "topics: upper bounds."
)
Values = dict[str, pd.Series]
"""By system, its measure of each query."""


class Forms:
    """A collection's token vectors in several forms.

    Args:
        collection: the collection.
        args: the options of `model_arguments`.
    """

    def __init__(self, collection: Collection, args: argparse.Namespace) -> None:
        self.collection, self.search = collection, NeuralSearch(collection, args)

    def index(self, form: str) -> ColBERTIndex:
        """The index in a form; made of the whole one where it is not there yet."""
        dtype, pool = FORMS[form]
        whole = self.search.colbert_index
        if form == "int8":
            return whole
        small = ColBERTIndex(f"{whole.path}-{dtype}-{pool:g}")
        return small if small.built() else whole.compressed(small.path, dtype, pool)

    def retriever(self, index: ColBERTIndex, candidates: int | None = None) -> pt.Transformer:
        """Q -> R over an index."""
        return index.retriever(self.search.colbert_encoder, min(DEPTH, candidates or DEPTH), candidates)

    def values(self, run: pd.DataFrame) -> Values:
        """What a ranking and the quantity-aware one are worth."""
        given = pt.Transformer.from_df(run, uniform=False)
        aware = ptq.quantity_aware(given, self.collection.quantities, trust=TRUST, candidates="retriever")(
            self.collection.queries
        )
        return {"ColBERT": self.collection.measure(run), "QColBERT": self.collection.measure(aware)}

    def sizes(self) -> pd.DataFrame:
        """A row a form."""
        rows, reference = {}, {}
        for form in FORMS:
            index = self.index(form)
            found = self.values(self.retriever(index)(self.collection.queries))
            reference = reference or found
            size = bytes_of(index) / len(index)
            first = rows["int8"]["bytes a document"] if rows else size
            rows[form] = {"bytes a document": size, "of int8": size / first} | compared(found, reference)
        return pd.DataFrame(rows).T.rename_axis("form")

    def by_candidates(self, index: ColBERTIndex, numbers: Sequence[int]) -> pd.DataFrame:
        """A row a number of candidates, under that of the exact search."""
        queries, exact, rows, reference = self.collection.queries, pd.DataFrame(), {}, {}
        for number in (None, *numbers):
            retriever = self.retriever(index, number)
            run = retriever(queries)
            found = self.values(run)
            reference, exact = reference or found, run if number is None else exact
            held = {f"of the first {depth}": shared(run, exact, depth) for depth in (10, 100)}
            rows[number or "all"] = held | compared(found, reference)
            if number:
                rows[number]["ms a query"] = milliseconds(retriever, queries)
        return pd.DataFrame(rows).T.rename_axis("candidates")


def bytes_of(index: ColBERTIndex) -> int:
    """What an index takes on disk, docnos apart."""
    columns = index._part.columns.items()
    return sum(column.unchecked.nbytes for name, column in columns if not name.startswith("docno_"))


def compared(found: Values, reference: Values) -> dict[str, float]:
    """Each system's mean, and p of a difference from the reference."""
    row: dict[str, float] = {}
    for name, values in found.items():
        row |= {name: values.mean(), f"{name}, p": permutation_p(values, reference[name])}
    return row


def shared(run: pd.DataFrame, exact: pd.DataFrame, depth: int) -> float:
    """The share of the exact first documents that a run holds among as many."""
    top, best = (frame.loc[frame["rank"] < depth, ["qid", "docno"]] for frame in (run, exact))
    return len(top.merge(best)) / len(best)


def milliseconds(retriever: pt.Transformer, queries: pd.DataFrame) -> float:
    """Processor time of a query that is asked alone, the median."""
    times = []
    for row in range(len(queries)):
        asked = queries.iloc[[row]]
        start = time.process_time()
        retriever(asked)
        times.append(time.process_time() - start)
    return 1000 * float(pd.Series(times).median())


def main(given: list[str] | None = None) -> None:
    """Print and write the tables."""
    parser = arguments(__doc__)
    model_arguments(parser)
    parser.add_argument("--candidates", type=int, nargs="+", default=[500, 1000, 2000], metavar="N")
    parser.add_argument(
        "--form",
        choices=[form for form in FORMS if form != "int8"],
        default="2bit, pooled",
        help="that candidates are taken from (%(default)s)",
    )
    parser.add_argument(
        "--spliced", type=int, metavar="N", help="also among N documents; the table of forms is left out"
    )
    args = parser.parse_args(given)
    need("torch").set_num_threads(1)
    for collection in collections(args):
        forms = Forms(collection, args)
        index = forms.index(args.form)
        if args.spliced:
            index = spliced(index, index.path.with_name(f"{index.path.name}-{args.spliced}"), args.spliced)
        else:
            _publish(f"compression-{collection.name}", f"{collection.name}: forms", forms.sizes(), args)
        title = f"{collection.name}: candidates of {len(index)} documents, {index.offsets[-1]} vectors, {args.form}"
        _publish(f"candidates-{collection.name}-{len(index)}", title, forms.by_candidates(index, args.candidates), args)


def _publish(name: str, title: str, table: pd.DataFrame, args: argparse.Namespace) -> None:
    publish(Part(name, title, table, table.map(lambda value: f"{value:.4g}"), NOTE), args.out)


if __name__ == "__main__":
    sys.exit(run_program("compression.py", main))
