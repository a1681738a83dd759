"""What the experiments share: the collections of a folder, runs without doubtful pairs, per-query measures, timing.

A folder of collections holds `corpora/NAME.jsonl.gz` and `gold/NAME.topics.tsv`, `NAME.qrels`, and optionally
`NAME.doubtful` and `NAME.qrels-convertible`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

import pyterrier_quantity as ptq
from pyterrier_quantity.backends import pisa_bm25
from pyterrier_quantity.datasets import LocalCollection


def arguments(description: str | None) -> argparse.ArgumentParser:
    """A parser with the options that every experiment has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder with corpora/ and gold/")
    parser.add_argument("--names", nargs="+", default=["reuters", "clinical"], help="collections (%(default)s)")
    parser.add_argument("--work", type=Path, default=Path("var"), help="where indexes are kept (%(default)s)")
    return parser


@dataclass(frozen=True)
class Collection:
    """One collection of a folder, with its indexes under `work`."""

    name: str
    folder: Path
    work: Path

    @cached_property
    def data(self) -> LocalCollection:
        gold = self.folder / "gold"
        optional = {
            option: path
            for option, suffix in (("doubtful", "doubtful"), ("qrels_convertible", "qrels-convertible"))
            if (path := gold / f"{self.name}.{suffix}").exists()
        }
        return LocalCollection(
            self.folder / "corpora" / f"{self.name}.jsonl.gz",
            gold / f"{self.name}.topics.tsv",
            gold / f"{self.name}.qrels",
            name=self.name,
            **optional,
        )

    @cached_property
    def topics(self) -> pd.DataFrame:
        return self.data.get_topics()

    @property
    def queries(self) -> pd.DataFrame:
        return self.topics[["qid", "query"]]

    @cached_property
    def doubtful(self) -> pd.MultiIndex:
        return pd.MultiIndex.from_frame(self.data.get_doubtful()[["qid", "docno"]])

    @cached_property
    def bm25(self) -> pt.Transformer:
        return pisa_bm25(self.work / f"{self.name}.pisa", self.documents(), k1=0.5, b=0.5)

    @cached_property
    def quantities(self) -> ptq.QuantityIndex:
        index = ptq.QuantityIndex(self.work / f"{self.name}.quantity")
        return index if index.built() else index.index(self.documents())

    def documents(self) -> Iterable[dict[str, str]]:
        return self.data.get_corpus_iter(verbose=False)

    def measure(self, run: pd.DataFrame, measure: str = "nDCG@10", variant: str | None = None) -> pd.Series:
        """A measure of each query, doubtful pairs left out of the run; 0 where nothing was retrieved."""
        run = run[~pd.MultiIndex.from_frame(run[["qid", "docno"]]).isin(self.doubtful)]
        names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
        qrels = self.data.get_qrels(variant).rename(columns=names)
        results = run[["qid", "docno", "score"]].rename(columns=names)
        parsed = ir_measures.parse_measure(measure)
        values = {m.query_id: m.value for m in ir_measures.iter_calc([parsed], qrels, results)}
        judged = self.topics[self.topics["qid"].isin(qrels["query_id"])]["qid"]
        return pd.Series({qid: values.get(qid, 0.0) for qid in judged}, dtype=float)


def collections(args: argparse.Namespace) -> list[Collection]:
    """The collections that the arguments name."""
    return [Collection(name, args.folder, args.work) for name in args.names]


def permutation_p(one: pd.Series, other: pd.Series, rounds: int = 20_000, seed: int = 0) -> float:
    """Two-sided p of a paired permutation test on the mean difference (Riezler and Maxwell, 2005)."""
    difference = (one - other).to_numpy()
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(rounds, len(difference)))
    extreme = np.abs((signs * difference).mean(axis=1)) >= abs(difference.mean()) - 1e-12
    return float((extreme.sum() + 1) / (rounds + 1))


def median_seconds(call: Callable[[], object], rounds: int = 7) -> float:
    """Median wall time of a call, after one that warms up."""
    call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return float(np.median(times))
