"""Measure Parquet shards at scale: the time and memory for making and merging them, and the speed of the index.

    python experiments/scale_parquet.py news.jsonl.gz var/scale --quantities 100000000

Documents are drawn from the corpus with replacement, until they contain the given number of quantities. Extraction is
timed separately, on the corpus itself, with one process and with --workers processes.
"""

import argparse
import resource
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import pyterrier_quantity as ptq
from pyterrier_quantity.build import extract_to_parquet
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.index.queries import index_queries
from pyterrier_quantity.score.documents import Rows
from pyterrier_quantity.score.evidence import score_rows

SHARD = 200_000
"""Number of documents in a shard."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, nargs="+", help="files of JSON lines of docno and text, plain or .gz")
    parser.add_argument("work", type=Path, help="a folder for shards and index; its former ones are removed")
    parser.add_argument("--quantities", type=int, default=1_000_000, help="to draw (%(default)s); 0: only extract")
    parser.add_argument("--workers", type=int, default=2, help="processes that extract (%(default)s)")
    args = parser.parse_args()
    for folder in ("real-1", f"real-{args.workers}", "drawn", "index"):
        shutil.rmtree(args.work / folder, ignore_errors=True)
    rows = [extraction(args.corpus, args.work, workers) for workers in dict.fromkeys([1, args.workers])]
    real = pq.read_table(args.work / "real-1")
    if not args.quantities:
        print(pd.DataFrame(rows).round(5).to_string(index=False))
        return
    rows.append(timed("draw", lambda: draw(real, args.work / "drawn", args.quantities)))
    rows.append(timed("merge", lambda: ptq.QuantityIndex.from_parquet(args.work / "drawn", args.work / "index")))
    index = ptq.QuantityIndex(args.work / "index")
    size, quantities = sum(file.stat().st_size for file in index.path.rglob("*.bin")), index.meta["quantities"]
    print(f"{len(index):,} documents, {quantities:,} quantities, {size / quantities:.1f} bytes a quantity")
    rows += look_ups(index, "")
    rows.append(timed("verify", index.verify))
    rows += look_ups(index, ", verified")
    print(pd.DataFrame(rows).round(5).to_string(index=False))


def timed(what: str, job: Callable[[], Any]) -> dict[str, Any]:
    """Return the duration of a call in seconds, and the maximum memory of the process so far."""
    begin = time.perf_counter()
    job()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"what": what, "seconds": time.perf_counter() - begin, "peak GiB": peak}


def extraction(corpus: list[Path], work: Path, workers: int) -> dict[str, Any]:
    out = work / f"real-{workers}"
    return timed(f"extract, {workers} processes", lambda: extract_to_parquet(corpus, out, workers))


def draw(real: pa.Table, folder: Path, quantities: int) -> None:
    """Draw shards of documents from `real`, with new docnos and without their texts, which no index reads."""
    random = np.random.default_rng(0)
    folder.mkdir(parents=True)
    count = pc.list_value_length(real["quantities"]).to_numpy()
    real = real.set_column(1, "text", pa.nulls(len(real), pa.string()))
    drawn = documents = 0
    while drawn < quantities:
        chosen = random.integers(0, len(real), SHARD)
        drawn += int(count[chosen].sum())
        docnos = pa.array([f"d{number}" for number in range(documents, documents + SHARD)])
        part = real.take(chosen).set_column(0, "docno", docnos)
        pq.write_table(part, folder / f"part-{documents // SHARD:05d}.parquet", compression="zstd")
        documents += SHARD


def look_ups(index: ptq.QuantityIndex, state: str) -> list[dict[str, Any]]:
    """Return the first time of each job and the median of 15 more, with different documents each time."""
    random = np.random.default_rng(len(state))
    constraint = ptq.Constraint(">", 5.0, 5.0, "percentage")
    query = pd.DataFrame([{"qid": "1", "query": "net profit rose", "constraints": [constraint]}])
    needs, _ = index_queries(query)
    scorer, retriever, opened = index.scorer(), index.retriever(num_results=1000), index.opened
    match = opened.vocabulary.match(constraint.unit, needs[0].terms, scorer.scoring.units)

    def docnos() -> list[str]:
        return [f"d{number}" for number in random.integers(0, len(index), 1000)]

    def rows_of() -> Any:
        return random.integers(0, len(index), 1000)

    owner = np.zeros(1000, dtype=np.int64)
    jobs = {
        "rows of 1,000 documents": lambda: opened.docnos.rows(docnos()),
        "scores of 1,000 documents": lambda: score_rows(opened, Rows(rows_of(), owner), needs, scorer.scoring),
        "documents of a constraint": lambda: opened.values.documents([constraint], [match], retriever.candidates),
        "the best 1,000 documents of a constraint": lambda: retriever(query),
    }
    rows = []
    for what, job in jobs.items():
        first, *others = (timed(what, job)["seconds"] for _ in range(16))
        rows.append({"what": f"{what}{state}, first", "seconds": first})
        rows.append({"what": f"{what}{state}", "seconds": float(np.median(others))})
    return rows


if __name__ == "__main__":
    sys.exit(run_program("scale_parquet.py", main))
