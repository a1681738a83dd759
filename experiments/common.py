"""What the experiments share: how collections are named, their indexes, measures, tables on disk, timing.

Every script takes its collections the same way, several at once:

    FOLDER           corpora/NAME.jsonl[.gz] and gold/NAME.topics.tsv, NAME.qrels, and optionally NAME.doubtful and
                     NAME.qrels-convertible: all its collections, or those of --names
    FOLDER           FinQuant or MedQuant as their authors distribute them: collection.csv, queries.tsv, qrel*.json
    quantity:demo    the bundled collection
    --corpus FILE --topics FILE --qrels FILE [--doubtful FILE]   any other; several of each make several collections
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import cast

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity import QuantityIndex, QuantityQueryParser
from pyterrier_quantity.backends import pisa_bm25
from pyterrier_quantity.cli.workspace import Indexes, open_indexes
from pyterrier_quantity.datasets import CollectionError, LocalCollection, QuantCollection, get_dataset

CONDITIONS = {"=": "equal", ">": "greater", "<": "less", ">=": "at least", "<=": "at most", "!=": "not equal",
              "range": "range", "~": "about"}  # fmt: skip
"""What a constraint's operator is called in tables."""


def arguments(description: str | None, systems: Sequence[str] = ()) -> argparse.ArgumentParser:
    """A parser with the options that every experiment has.

    Args:
        description: the module's docstring.
        systems: names that `--systems` may pick; without any, the script has no such option.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    given = parser.add_argument_group("collections")
    given.add_argument("folders", nargs="*", metavar="FOLDER",
                       help="with corpora/ and gold/; or in the authors' form, with collection.csv; or quantity:demo")
    given.add_argument("--names", nargs="+", metavar="NAME", help="the folders' collections to take (all)")
    for name, what in (("corpus", "JSON lines of docno and text, plain or .gz"),
                       ("topics", "TSV with qid and query"), ("qrels", "TREC qrels")):  # fmt: skip
        given.add_argument(f"--{name}", nargs="+", default=[], metavar="FILE", help=f"{what}; one a collection")
    given.add_argument("--doubtful", nargs="+", default=[], metavar="FILE",
                       help="lines of qid docno to leave out of the rankings; one a collection")
    parser.add_argument("--work", "--cache", type=Path, default=Path("var"), metavar="FOLDER",
                        help="where indexes, encodings and runs are kept (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("var/results"), metavar="FOLDER",
                        help="where results are written as CSV and Markdown (%(default)s)")  # fmt: skip
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
    if systems:
        parser.add_argument("--systems", nargs="+", choices=systems, metavar="NAME",
                            help=f"only these of: {', '.join(systems)}")  # fmt: skip
    return parser


Data = LocalCollection | QuantCollection


@dataclass(frozen=True)
class Collection:
    """A collection, and its indexes under `work`, which are built when they are first asked for.

    Args:
        data: as PyTerrier dataset.
        work: folder of the indexes.
        verbose: show progress.
    """

    data: Data
    work: Path
    verbose: bool = False
    _opened: dict[tuple[float, float], pt.Transformer] = field(default_factory=dict, init=False, repr=False)

    @property
    def name(self) -> str:
        return self.data.name

    @cached_property
    def topics(self) -> pd.DataFrame:
        """The judged topics: `qid`, `query`, and `keywords` and `type` where there are any. No constraints."""
        topics = self.data.get_topics()
        judged = topics["qid"].isin(set(self.qrels["qid"]))
        if not judged.any():
            raise ValueError(f"{self.name}: no topic is judged; topics and qrels must have the same qids")
        return topics[judged].reset_index(drop=True)

    @property
    def queries(self) -> pd.DataFrame:
        """The judged topics' `qid` and `query` alone."""
        return self.topics[["qid", "query"]]

    @cached_property
    def conditions(self) -> pd.Series:
        """What each judged topic asks, by qid: "equal", "greater", ...; "several", or "none".

        Where the topics do not say it, as it is read from the query's text.
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
        """`qid` and `docno` of what no ranking is judged on."""
        return self.data.get_doubtful()[["qid", "docno"]]

    @cached_property
    def indexes(self) -> Indexes:
        """BM25's index and the quantity index; kept by the corpus, and by how this version reads quantities."""
        return open_indexes(cast(LocalCollection, self.data), self.work, self.verbose)

    @cached_property
    def fingerprint(self) -> str:
        """Changes with the corpus, and with what is asked and judged."""
        frames = (self.topics, self.qrels, self.doubtful)
        return digest([frame.to_csv(index=False) for frame in frames] + [self.indexes.home.name])

    @property
    def quantities(self) -> QuantityIndex:
        return self.indexes.quantities

    @property
    def bm25(self) -> pt.Transformer:
        """BM25 with k1 = b = 0.5, the paper's."""
        return self.bm25_with(k1=0.5, b=0.5)

    def bm25_with(self, k1: float, b: float) -> pt.Transformer:
        """BM25 with other parameters, over the same index."""
        if (k1, b) not in self._opened:
            self._opened[k1, b] = pisa_bm25(self.indexes.home / "pisa", k1=k1, b=b)
        return self._opened[k1, b]

    def documents(self) -> Iterator[dict[str, str]]:
        """The corpus, anew at every call."""
        return iter(self.data.get_corpus_iter(verbose=False))

    def measure(self, run: pd.DataFrame, measure: str = "nDCG@10", variant: str | None = None) -> pd.Series:
        """A measure of each query, doubtful pairs left out of the run; 0 where nothing was retrieved."""
        unwanted = pd.MultiIndex.from_frame(self.doubtful)
        run = run[~pd.MultiIndex.from_frame(run[["qid", "docno"]]).isin(unwanted)]
        names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
        qrels = self.data.get_qrels(variant).rename(columns=names)
        results = run[["qid", "docno", "score"]].rename(columns=names)
        parsed = ir_measures.parse_measure(measure)
        values = {m.query_id: m.value for m in ir_measures.iter_calc([parsed], qrels, results)}
        judged = self.topics[self.topics["qid"].isin(qrels["query_id"])]["qid"]
        return pd.Series({qid: values.get(qid, 0.0) for qid in judged}, dtype=float)

    def converted(self, run: pd.DataFrame, depth: int = 100) -> float:
        """Which share of the documents that are relevant only after conversion is in a run's top; NaN: none known."""
        try:
            qrels = self.data.get_qrels("convertible")
        except (NotImplementedError, ValueError):  # a local collection without the file; one that has no such variant
            return np.nan
        asked = run[run["qid"].isin(qrels["qid"])].sort_values(["qid", "score"], ascending=False, kind="stable")
        return len(asked.groupby("qid").head(depth).merge(qrels, on=["qid", "docno"])) / len(qrels)


def collections(args: argparse.Namespace) -> list[Collection]:
    """The collections that the arguments name.

    Raises:
        ValueError, FileNotFoundError: saying which argument is wrong.
    """
    found = [data for folder in args.folders for data in _of_folder(folder)]
    known = [data.name for data in found]
    if unknown := [name for name in args.names or [] if name not in known]:
        raise ValueError(f"--names: no collection {unknown[0]!r} in {' '.join(args.folders) or 'no folder'}; "
                         f"there are: {', '.join(known) or 'none'}")  # fmt: skip
    found = [data for data in found if not args.names or data.name in args.names] + _of_files(args)
    if not found:
        raise ValueError("no collection: give a FOLDER, or --corpus, --topics and --qrels")
    names = [data.name for data in found]
    if double := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"two collections are called {double.pop()!r}, by their files; rename one")
    args.work.mkdir(parents=True, exist_ok=True)
    return [Collection(data, args.work, not args.quiet) for data in found]


def _of_files(args: argparse.Namespace) -> list[Data]:
    for name in ("topics", "qrels", "doubtful"):
        given = len(getattr(args, name))
        if given != len(args.corpus) and (given or name != "doubtful"):
            raise ValueError(f"--{name} needs a file for each of --corpus: {len(args.corpus)}, got {given}")
    doubtful = args.doubtful or [None] * len(args.corpus)
    files = zip(args.corpus, args.topics, args.qrels, doubtful, strict=True)
    return [LocalCollection(*parts, name=_stem(Path(parts[0]))) for parts in files]


def _of_folder(given: str) -> list[Data]:
    folder = Path(given)
    if given.startswith("quantity:"):
        return [_bundled(given)]
    if (folder / "collection.csv").is_file():
        return [QuantCollection(folder)]
    if not folder.is_dir():
        raise FileNotFoundError(f"no folder {given!r}; looked in {Path.cwd()}")
    corpora = {_stem(path): path for path in sorted(folder.glob("corpora/*.jsonl*"))}
    gold = {path.name.removesuffix(".topics.tsv"): path for path in sorted(folder.glob("gold/*.topics.tsv"))}
    if not corpora.keys() & gold.keys():
        raise ValueError(f"{given}: holds neither corpora/NAME.jsonl[.gz] and gold/NAME.topics.tsv, nor collection.csv")
    return [_gold(name, corpora[name], gold[name].parent) for name in gold if name in corpora]


def _bundled(name: str) -> LocalCollection:
    try:
        return cast(LocalCollection, get_dataset(name))
    except KeyError as error:
        raise ValueError(error.args[0]) from error


def _gold(name: str, corpus: Path, gold: Path) -> LocalCollection:
    extra = {"doubtful": gold / f"{name}.doubtful", "qrels_convertible": gold / f"{name}.qrels-convertible"}
    files = {option: path for option, path in extra.items() if path.exists()}
    return LocalCollection(corpus, gold / f"{name}.topics.tsv", gold / f"{name}.qrels", name=name, **files)


def _stem(corpus: Path) -> str:
    return corpus.name.removesuffix(".gz").removesuffix(".jsonl")


def digest(content: object) -> str:
    """Of anything that JSON can write."""
    return hashlib.sha256(json.dumps(content, default=str, sort_keys=True).encode()).hexdigest()[:16]


def markdown(table: pd.DataFrame) -> str:
    """A table of text as Markdown, its index as the first column."""
    header = [table.index.name or "", *map(str, table.columns)]
    rows = [[str(name), *map(str, row)] for name, row in zip(table.index, table.to_numpy(), strict=True)]
    lines = [header, ["---", *["---:"] * table.shape[1]], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def write(table: pd.DataFrame, out: Path, name: str, shown: pd.DataFrame | None = None, note: str = "") -> None:
    """Write a table as `name.csv` and `name.md` into the folder.

    Args:
        table: all figures, in full precision.
        out: the folder, made if need be.
        name: of the files; a colon becomes a dash.
        shown: the table as people read it; by default the same with three decimals.
        note: what stands under it.
    """
    out.mkdir(parents=True, exist_ok=True)
    name = name.replace(":", "-")
    table.to_csv(out / f"{name}.csv")
    text = markdown(table.round(3).astype(object).where(table.notna(), "") if shown is None else shown)
    (out / f"{name}.md").write_text(f"{text}\n{note}\n" if note else text, encoding="utf-8")


def median_seconds(call: Callable[[], object], rounds: int = 7) -> float:
    """Median wall time of a call, after one that warms up."""
    call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return float(np.median(times))
