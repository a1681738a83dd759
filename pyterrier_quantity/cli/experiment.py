"""`pyterrier-quantity experiment` and `make demo`: compare quantity-aware rankings with BM25 on a test collection."""

import argparse
import hashlib
import sys
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import RR, P, R, nDCG

import pyterrier_quantity
from pyterrier_quantity._extras import need
from pyterrier_quantity.backends import pisa_bm25
from pyterrier_quantity.cli.arguments import FIELDS, PATH, option, takes, whole
from pyterrier_quantity.cli.corpus import data_texts, met_quantities, table, terminal_marks
from pyterrier_quantity.datasets import DemoCollection, LocalCollection
from pyterrier_quantity.explanation.highlighting import highlight
from pyterrier_quantity.frames.frame import ranks
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.pipelines import QBM25, quantity_aware
from pyterrier_quantity.transformers.query_parser import QuantityQueryParser

MEASURES = [P @ 10, RR @ 10, nDCG @ 10, R @ 100]
ALPHA = 0.05
"""The significance level: smaller p-values are marked."""


@dataclass(frozen=True)
class Indexes:
    """The quantity index and the BM25 ranker of a collection. `home` is the folder that contains both."""

    home: Path
    quantities: QuantityIndex
    bm25: pt.Transformer


def open_indexes(collection: LocalCollection, work: Path, verbose: bool, given: bool = False) -> Indexes:
    """Return the indexes of a collection. Indexes that do not exist yet are built in the folder `work`. An index is
    reused if the content of the corpus files has not changed. If `given` is true, the collection's own quantities (as
    in `FinQuant`) are indexed, and no quantities are extracted."""
    corpus = list(map(Path, collection.get_corpus()))
    name = corpus[0].name.removesuffix(".gz").removesuffix(".jsonl") if len(corpus) == 1 else collection.name
    home = work / f"{name.replace(':', '-')}-{_digest(corpus, repr(collection.corpus_fields))}"
    quantities = QuantityIndex(home / f"quantities-{'given-' if given else ''}{reader()}")
    if not quantities.built():
        bring = {"quantities": True} if given else {}
        quantities.indexer(verbose=verbose).index(collection.get_corpus_iter(verbose=False, **bring))
    words = home / "pisa"
    documents = None if words.exists() else collection.get_corpus_iter(verbose=False)
    return Indexes(home, quantities, pisa_bm25(words, documents, verbose=verbose))


@lru_cache(maxsize=1)
def reader() -> str:
    """Return a digest of the code that extracts and stores quantities. If the code changes, indexes are built again."""
    home = Path(pyterrier_quantity.__file__).parent
    parts = ("english", "extraction", "index", "languages", "units")
    files = (file for part in parts for file in (home / part).rglob("*") if file.suffix in (".py", ".tsv", ".txt"))
    return _digest(sorted(files))


def _digest(files: list[Path], fault: str = "") -> str:
    digest = hashlib.sha256(fault.encode())
    for file in files:
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def collection(args: argparse.Namespace) -> LocalCollection:
    """Return the collection in the files named by the arguments, or the bundled collection if they name no files. Raise
    a ValueError if only one or two of corpus, topics and qrels are given."""
    files = args.corpus, args.topics, args.qrels
    if all(files):
        name = Path(args.corpus.name.removesuffix(".gz")).stem
        fields = {"docno": args.docno, "text": args.text, "form": args.form}
        return LocalCollection(*files, args.doubtful, name=name, **fields)
    if any(files) or args.doubtful:
        fault = "--corpus, --topics and --qrels go together, and --doubtful belongs to them"
        raise ValueError(f"{fault}: give all three, or none for the bundled collection")
    return DemoCollection()


@takes(
    option("--corpus", **PATH, metavar="FILE", help="JSON lines, CSV or TSV with a header; may be .gz"),
    option("--topics", **PATH, metavar="FILE", help="TSV: qid, query, ...; header or not"),
    option("--qrels", **PATH, metavar="FILE", help="TREC qrels: qid 0 docno label"),
    option("--doubtful", **PATH, metavar="FILE", help="lines of qid docno to leave out of every ranking"),
    option("--work", **PATH, default=".demo", help="the folder that keeps the indexes for the next run (%(default)s)"),
    option("--show", type=whole, default=4, help="sample queries to show (%(default)s)"),
    option("--top", type=whole, default=3, help="results of each to show (%(default)s)"), *FIELDS, "--csv", "--quiet",
)  # fmt: skip
def experiment(args: argparse.Namespace) -> None:
    """Compare BM25 with quantity-aware rankings over the topics of a test collection.

    The command prints measures, significance and sample results. Without files, it uses the bundled collection.

    examples:
      pyterrier-quantity experiment
      pyterrier-quantity experiment --corpus news.jsonl.gz --topics news.tsv --qrels news.qrels
    """
    need("pyterrier_pisa", "pisa")
    data = collection(args)
    topics, qrels, doubtful = data.get_topics(), data.get_qrels(), data.get_doubtful()
    judged = topics["qid"].isin(set(qrels["qid"]))
    if not judged.any():
        raise ValueError(f"no topic of {args.topics} is judged in {args.qrels}; their qids must be the same")
    indexes = open_indexes(data, args.work, verbose=not args.quiet)
    found = systems(indexes)
    if len(doubtful):
        found = {name: system >> without(doubtful) for name, system in found.items()}
    # The first run of each system loads its indexes, which is not measured.
    found["BM25"](topics)
    for system in found.values():
        system(topics.head(1))
    results = pt.Experiment(
        list(found.values()), topics, qrels, [*MEASURES, "mrt"], names=list(found), baseline=0, correction="holm",
        verbose=not args.quiet and sys.stderr.isatty(), validate="ignore",
    )  # fmt: skip
    if args.csv:
        results.to_csv(args.csv, index=False)
    print(
        f"{data.name}: {len(indexes.quantities):,} documents, {indexes.quantities.meta['quantities']:,} quantities, "
        f"{judged.sum()} judged queries\n"
    )
    print(measures_table(results))
    if args.show and args.top:
        print(show(samples(topics[judged], args.show), data, indexes, qrels, args.top))


def systems(indexes: Indexes) -> dict[str, pt.Transformer]:
    """Return the rankers to compare, keyed by name. The first ranker is BM25."""
    bm25, quantities = indexes.bm25, indexes.quantities
    return {
        "BM25": bm25,
        "BM25_filter": QuantityQueryParser() >> bm25 >> quantities.filter(),
        "QBM25 (paper, whole query)": QBM25(bm25, quantities, keep="all"),
        "QBM25 (reranking)": quantity_aware(bm25, quantities, candidates="retriever"),
        "QBM25": quantity_aware(bm25, quantities),
    }


def without(pairs: pd.DataFrame) -> pt.Transformer:
    """Return a transformer that removes the results with the given pairs of `qid` and `docno`."""
    unwanted = set(zip(pairs["qid"], pairs["docno"], strict=True))

    def drop(results: pd.DataFrame) -> pd.DataFrame:
        # The test for docnos is fast. Only the rows that pass are compared as pairs.
        suspects = np.flatnonzero(results["docno"].isin(pairs["docno"]))
        found = zip(results["qid"].iloc[suspects], results["docno"].iloc[suspects], strict=True)
        dropped = [place for place, pair in zip(suspects, found, strict=True) if pair in unwanted]
        if not dropped:
            return results
        left = results.drop(index=results.index[dropped])
        return left.assign(rank=ranks(pd.factorize(left["qid"])[0], left["score"].to_numpy()))

    return pt.apply.generic(drop)


def measures_table(results: pd.DataFrame) -> str:
    """Return an experiment's results as a text table. A dagger marks significant differences from the first system."""
    header = ["", *map(str, MEASURES), "ms/query"]
    rows = []
    for _, row in results.iterrows():
        # The column "reject" calls a p-value of NaN significant, although NaN means no difference at all.
        daggers = ["†" if row[f"{m} p-value corrected"] < ALPHA else " " for m in MEASURES]
        cells = [f"{row[str(m)]:.3f}{dagger}" for m, dagger in zip(MEASURES, daggers, strict=True)]
        rows.append([row["name"], *cells, f"{row['mrt']:.2f}"])
    note = f"† differs from {results['name'].iloc[0]}: paired t-test, Holm's correction, p < {ALPHA}"
    return f"{table(header, rows)}\n{note}"


def samples(topics: pd.DataFrame, count: int) -> pd.DataFrame:
    """Return `count` topics from different places in the file, with as many different types as possible."""
    kinds = topics["type"] if "type" in topics else pd.Series("", index=topics.index)
    groups = [topics.index[kinds == kind] for kind in kinds.unique()]
    spread = [np.roll(group, -(len(group) * n // len(groups))) for n, group in enumerate(groups)]
    chosen = [place for turn in zip_longest(*spread) for place in turn if place is not None]
    return topics.loc[chosen[:count]]


def show(topics: pd.DataFrame, data: LocalCollection, indexes: Indexes, qrels: pd.DataFrame, top: int) -> str:
    """Return a text with each query, its conditions and its best results. "+" marks relevant documents."""
    queries = QuantityQueryParser().transform(topics[["qid", "query"]])
    ranked = quantity_aware(indexes.bm25, indexes.quantities).transform(queries)
    results = ranked[ranked["rank"] < top].reset_index(drop=True)
    results["met"] = pd.Series(met_quantities(indexes.quantities, results), dtype=object)
    texts = data_texts(data, set(results["docno"]))
    plain = indexes.bm25.transform(queries).set_index(["qid", "docno"])["rank"].to_dict()
    relevant = set(qrels[qrels["label"] > 0][["qid", "docno"]].itertuples(index=False, name=None))
    lines = []
    for query in queries.to_dict("records"):
        asked = " and ".join(map(str, query["constraints"])) or "no quantity"
        lines.append(f"\n{query['qid']}  {query['query_0']}   [{asked}]")
        for row in results[results["qid"] == query["qid"]].to_dict("records"):
            pair = row["qid"], row["docno"]
            before = f"BM25 rank {plain[pair] + 1}" if pair in plain else "not in BM25"
            text = highlight(texts[row["docno"]], row["met"], terminal_marks())
            mark = "+" if pair in relevant else "-"
            lines.append(f"  {row['rank'] + 1}. {mark} {row['score']:.3f}  {row['docno']} ({before})  {text}")
    return "\n".join(lines)
