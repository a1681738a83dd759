"""A test collection with its indexes, and measures of runs over it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import cast

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from lib.digests import digest
from pyterrier_quantity import QuantityIndex, QuantityQueryParser
from pyterrier_quantity.backends import pisa_bm25
from pyterrier_quantity.cli.experiment import Indexes, open_indexes
from pyterrier_quantity.datasets import CollectionError, LocalCollection, QuantCollection, ReadCollection

CONDITIONS = {"=": "equal", ">": "greater", "<": "less", ">=": "at least", "<=": "at most", "!=": "not equal",
              "range": "range", "~": "about"}  # fmt: skip
"""The names of operators in tables."""

Data = LocalCollection | QuantCollection | ReadCollection


@dataclass(frozen=True)
class Collection:
    """A collection and its indexes in the folder `work`, which are built on first use.

    Args:
        data: the collection as a PyTerrier dataset.
        work: the folder of the indexes.
        verbose: whether to show progress.
        given_quantities: whether to index the collection's own quantities instead of extracting them.
        given_constraints: whether to use the topics' own constraints instead of parsing the queries.
        sample: the maximum number of topics, which are the same at every call, or None for all.
    """

    data: Data
    work: Path
    verbose: bool = False
    given_quantities: bool = False
    given_constraints: bool = False
    sample: int | None = None
    _opened: dict[tuple[float, float, int | None], pt.Transformer] = field(default_factory=dict, init=False, repr=False)

    @property
    def name(self) -> str:
        return self.data.name

    @cached_property
    def topics(self) -> pd.DataFrame:
        """The judged topics, with `qid`, `query` and, if they exist, `keywords`, `type` and `constraints`."""
        topics = self.data.get_topics("structured" if self.given_constraints else None)
        judged = topics["qid"].isin(set(self.qrels["qid"]))
        if not judged.any():
            raise ValueError(f"{self.name}: no topic is judged; topics and qrels must have the same qids")
        stated = topics.columns.intersection(["condition", "value", "high", "unit"])
        found = topics[judged].drop(columns=stated)
        if self.sample and len(found) > self.sample:
            found = found.sample(self.sample, random_state=0).sort_index()
        return found.reset_index(drop=True)

    @property
    def queries(self) -> pd.DataFrame:
        """The `qid` and `query` of the judged topics, and their `constraints` if given."""
        return self.topics[self.topics.columns.intersection(["qid", "query", "constraints"])]

    @property
    def parse(self) -> pt.Transformer:
        """Return a transformer, Q -> Q, that adds constraints to queries and keeps given ones."""
        return pt.Transformer.identity() if self.given_constraints else QuantityQueryParser()

    @cached_property
    def conditions(self) -> pd.Series:
        """The condition of each judged topic, keyed by qid: "equal", "greater", and so on, "several", or "none".

        If the topics do not state their conditions, these are parsed from the queries.
        """
        try:
            topics = self.data.get_topics("structured")
        except CollectionError:
            raise
        except ValueError:
            topics = QuantityQueryParser().transform(self.queries)
        asked = topics.set_index("qid")["constraints"].reindex(self.topics["qid"])
        return asked.map(lambda all_: "none" if not all_ else CONDITIONS[all_[0].op] if len(all_) == 1 else "several")

    @cached_property
    def qrels(self) -> pd.DataFrame:
        return self.data.get_qrels()

    @cached_property
    def doubtful(self) -> pd.DataFrame:
        """The pairs of `qid` and `docno` that are left out of the evaluation."""
        return self.data.get_doubtful()[["qid", "docno"]]

    @cached_property
    def indexes(self) -> Indexes:
        """The BM25 index and the quantity index, stored under digests of the corpus and of the extraction code."""
        return open_indexes(cast(LocalCollection, self.data), self.work, self.verbose, self.given_quantities)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the corpus, topics and judgements."""
        frames = (self.topics, self.qrels, self.doubtful)
        text = getattr(self.data, "text", "text")
        about = [self.indexes.home.name, text, self.given_quantities]
        return digest([frame.to_csv(index=False) for frame in frames] + about)

    @property
    def quantities(self) -> QuantityIndex:
        return self.indexes.quantities

    @property
    def bm25(self) -> pt.Transformer:
        """BM25 with k1 = b = 0.5, as in the paper, and 1000 results per query."""
        return self.bm25_with(k1=0.5, b=0.5)

    def bm25_with(self, k1: float, b: float, num_results: int | None = 1000) -> pt.Transformer:
        """Return BM25 with other parameters over the same index. None as `num_results` means the whole ranking."""
        key = k1, b, num_results
        if key not in self._opened:
            self._opened[key] = pisa_bm25(self.indexes.home / "pisa", k1=k1, b=b, num_results=num_results)
        return self._opened[key]

    def documents(self) -> Iterator[dict[str, str]]:
        """Yield the documents of the corpus from its start."""
        return iter(self.data.get_corpus_iter(verbose=False))

    def measure(self, run: pd.DataFrame, measure: str = "nDCG@10") -> pd.Series:
        """Return a measure for each query, ignoring doubtful pairs. A query without results gets 0."""
        unwanted = pd.MultiIndex.from_frame(self.doubtful)
        run = run[~pd.MultiIndex.from_frame(run[["qid", "docno"]]).isin(unwanted)]
        values = per_query(run, self.qrels, self.topics["qid"], [ir_measures.parse_measure(measure)])
        return values[measure]

    @cached_property
    def convertible(self) -> pd.DataFrame | None:
        """The judgements of documents that are relevant only after unit conversion, or None if the collection does not
        have such judgements."""
        try:
            return self.data.get_qrels("convertible")
        except (NotImplementedError, ValueError):  # a local collection without the file; one that has no such variant
            return None

    def converted(self, run: pd.DataFrame, depth: int = 100) -> float:
        """Return the share of the documents relevant only after unit conversion that are in a run's top, or NaN."""
        qrels = self.convertible
        if qrels is None or not len(qrels):
            return np.nan
        asked = run[run["qid"].isin(qrels["qid"])].sort_values(["qid", "score"], ascending=False, kind="stable")
        return len(asked.groupby("qid").head(depth).merge(qrels, on=["qid", "docno"])) / len(qrels)


def per_query(
    run: pd.DataFrame, qrels: pd.DataFrame, qids: pd.Series, measures: list[ir_measures.Measure]
) -> pd.DataFrame:
    """Return every measure (columns) for every topic (rows). A topic without results gets 0."""
    truth = qrels.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    ranked = run.rename(columns={"qid": "query_id", "docno": "doc_id"})[["query_id", "doc_id", "score"]]
    values = [(m.query_id, str(m.measure), m.value) for m in ir_measures.iter_calc(measures, truth, ranked)]
    table = pd.DataFrame(values, columns=["qid", "measure", "value"]).pivot(index="qid", columns="measure")["value"]
    return table.reindex(index=qids, columns=list(map(str, measures)), fill_value=0.0).fillna(0.0)
