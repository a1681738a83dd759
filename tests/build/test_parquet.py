"""Parquet shards: extracted by processes or Spark, read by others, merged to the index that a single build makes."""

import gzip
import json
import multiprocessing
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from damage import columns

from pyterrier_quantity import Quantity, QuantityIndex, RuleExtractor
from pyterrier_quantity.build import ShardError, extract_to_parquet, schema
from pyterrier_quantity.datasets import get_dataset

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def documents() -> list[dict[str, str]]:
    dated = "a range of 5 to 7 µg, up 3 pct from $2 mln since May 2019"
    extra = [{"docno": "empty", "text": ""}, {"docno": "ünï", "text": dated}]
    return [*get_dataset("demo").get_corpus_iter(verbose=False), *extra]


@pytest.fixture(scope="module")
def files(tmp_path_factory, documents) -> list[Path]:
    """The corpus in three files, one of them compressed, in order of their names."""
    folder = tmp_path_factory.mktemp("corpus")
    made = [folder / "a.jsonl", folder / "b.jsonl.gz", folder / "c.jsonl"]
    for file, part in zip(made, np.array_split(np.arange(len(documents)), 3), strict=True):
        lines = "".join(json.dumps(documents[number]) + "\n" for number in part)
        file.write_bytes(gzip.compress(lines.encode()) if file.suffix == ".gz" else lines.encode())
    return made


@pytest.fixture(scope="module")
def shards(tmp_path_factory, files) -> Path:
    folder = tmp_path_factory.mktemp("shards")
    extract_to_parquet(files, folder)
    return folder


@pytest.fixture(scope="module")
def single(tmp_path_factory, documents) -> QuantityIndex:
    return QuantityIndex(tmp_path_factory.mktemp("single") / "index").index(documents)


def contents(index: QuantityIndex) -> dict[str, bytes]:
    """The columns by name."""
    found = columns(index.folder)
    assert len(found) > 15
    return found


def test_a_merged_index_is_byte_for_byte_a_single_builds(shards, single, tmp_path):
    merged = QuantityIndex.from_parquet(shards, tmp_path / "merged")
    assert contents(merged) == contents(single)
    assert list(merged.opened.vocabulary.names) == list(single.opened.vocabulary.names)
    assert merged.quantities("ünï") == single.quantities("ünï")
    assert "date" in {quantity.unit for quantity in merged.quantities("ünï")}
    assert (merged.corpus().documents, merged.corpus().docnos) == (single.corpus().documents, single.corpus().docnos)


SPARK = {
    "spark.ui.enabled": "false", "spark.driver.memory": "512m", "spark.driver.host": "127.0.0.1",
    "spark.default.parallelism": "2",  # one process of Python takes both partitions
    # A few documents are not worth compiling for: half of the time.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}  # fmt: skip


def test_spark_makes_the_same_index_and_reads_shards(documents, shards, tmp_path, monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    import shutil
    import sys

    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    from pyterrier_quantity.build.spark import extract_frame

    session = sql.SparkSession.builder.master("local").config(map=SPARK).getOrCreate()
    try:
        few = documents[::-8]
        frame = session.createDataFrame([(d["docno"], d["text"]) for d in few], "docno string, text string")
        extract_frame(frame).write.parquet(str(tmp_path / "spark"))
        euros = session.read.parquet(str(shards)).selectExpr("docno", "inline(quantities)").where("unit = 'euro'")
        assert {row.docno for row in euros.collect()} == with_euros(shards)
    finally:
        session.stop()
    assert len(list((tmp_path / "spark").glob("*.parquet"))) == 2
    merged = QuantityIndex.from_parquet(tmp_path / "spark", tmp_path / "merged")
    assert contents(merged) == contents(QuantityIndex(tmp_path / "single").index(few))


def with_euros(shards: Path) -> set[str]:
    rows = pd.concat(map(pd.read_parquet, shards.glob("*.parquet")))
    found = {row.docno for row in rows.itertuples() if "euro" in {record["unit"] for record in row.quantities}}
    assert 5 < len(found) < len(rows)
    return found


def test_pandas_and_duckdb_read_shards(shards, documents):
    duckdb = pytest.importorskip("duckdb")
    frame = pd.concat(pd.read_parquet(file) for file in sorted(shards.glob("*.parquet")))
    assert frame["docno"].tolist() == [d["docno"] for d in documents]
    assert frame["text"].tolist() == [d["text"] for d in documents]
    wanted = RuleExtractor().extract(documents[0]["text"])
    fields = ("low", "high", "unit", "bound", "start", "end")
    found = [
        Quantity(*(record[name] for name in fields), concept=tuple(record["concept"]), confidence=record["confidence"])
        for record in frame["quantities"].iloc[0]
    ]
    assert found == wanted
    counted = duckdb.sql(
        f"SELECT q.unit, count(*) FROM (SELECT unnest(quantities) AS q FROM '{shards}/*.parquet') GROUP BY 1"
    ).fetchall()
    assert dict(counted)["euro"] > 0


def test_an_extraction_goes_on_where_it_was(files, tmp_path):
    first, *_ = extract_to_parquet(files[:1], tmp_path)
    before = first.stat().st_mtime_ns
    found = extract_to_parquet(files, tmp_path)
    assert [file.name for file in found] == ["a.parquet", "b.parquet", "c.parquet"]
    assert first.stat().st_mtime_ns == before
    extract_to_parquet(files[:1], tmp_path, overwrite=True)
    assert first.stat().st_mtime_ns > before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.parquet", "b.parquet", "c.parquet"]


class TestBadInput:
    def test_files_that_are_no_shards(self, tmp_path):
        other = tmp_path / "other.parquet"
        pq.write_table(pa.table({"docno": ["a"], "price": [1.0]}), other)
        with pytest.raises(ShardError, match=r"other.parquet is not a shard with the columns of build.schema"):
            QuantityIndex.from_parquet(other, tmp_path / "index")
        other.write_bytes(b"nothing of the kind")
        with pytest.raises(ShardError, match=r"is not a shard .* or damaged"):
            QuantityIndex.from_parquet(tmp_path, tmp_path / "index")
        wrong = [name for name in schema().names if name != "terms"]
        pq.write_table(pa.table({name: ["a"] for name in wrong} | {"terms": [["x"]]}), other)
        with pytest.raises(ShardError, match="is not a shard with the columns of"):
            QuantityIndex.from_parquet(other, tmp_path / "index")
        assert not (tmp_path / "index").exists()

    def test_a_document_without_a_docno(self, shards, tmp_path):
        table = pq.read_table(shards / "a.parquet")
        names = [None, *table["docno"].to_pylist()[1:]]
        pq.write_table(table.set_column(0, "docno", pa.array(names, pa.string())), tmp_path / "unnamed.parquet")
        with pytest.raises(ShardError, match=r"unnamed.parquet: a document has no docno"):
            QuantityIndex.from_parquet(tmp_path / "unnamed.parquet", tmp_path / "index")
        assert not (tmp_path / "index").exists()

    def test_a_shard_that_is_damaged_in_the_middle(self, shards, tmp_path):
        good, bad = shards / "a.parquet", tmp_path / "bad.parquet"
        raw = bytearray(good.read_bytes())
        raw[200:400] = b"\xff" * 200
        bad.write_bytes(raw)
        QuantityIndex.from_parquet(good, tmp_path / "index")
        with pytest.raises(
            ShardError, match=r"bad.parquet is not a shard .* or damaged.*make it again with extract_to_parquet"
        ):
            QuantityIndex.from_parquet([shards / "b.parquet", bad], tmp_path / "index", overwrite=True)
        assert contents(QuantityIndex(tmp_path / "index"))["docno_row"]
        QuantityIndex(tmp_path / "index").verify()

    def test_a_process_that_is_killed_leaves_no_half_shard(self, files, tmp_path):
        def kill() -> None:
            # Python waits for ever for a process that a pool starts while it breaks: both are there before.
            while len(workers := multiprocessing.active_children()) < 2:
                time.sleep(0.01)
            workers[0].kill()

        threading.Thread(target=kill, daemon=True).start()
        with pytest.raises(ShardError, match=r"a.jsonl: a worker process was killed.*run again"):
            extract_to_parquet(files, tmp_path, workers=2)
        assert not list(tmp_path.iterdir())

    def test_a_docno_in_two_shards(self, files, tmp_path):
        twice = tmp_path / "again.jsonl"
        twice.write_bytes(files[0].read_bytes())
        found = extract_to_parquet([files[0], twice], tmp_path / "shards")
        with pytest.raises(ShardError, match="a docno occurs twice"):
            QuantityIndex.from_parquet(found, tmp_path / "index")

    def test_documents_that_cannot_be_read_are_named_or_left_out(self, tmp_path):
        file = tmp_path / "bad.jsonl"
        texts = ["5 km", 7, "6 km", ["8 km"], "7 km"]
        file.write_text("".join(json.dumps({"docno": f"d{n}", "text": text}) + "\n" for n, text in enumerate(texts)))
        with pytest.raises(TypeError, match=r"bad.jsonl: document 'd1': .*text"):
            extract_to_parquet(file, tmp_path / "shards")
        for workers in (1, 2):
            with pytest.warns(UserWarning, match=r"^2 documents are left out: .*'d1'.*'d3'"):
                (shard,) = extract_to_parquet(file, tmp_path / "shards", workers, on_error="skip", overwrite=True)
            assert pq.read_table(shard)["docno"].to_pylist() == ["d0", "d2", "d4"]
