"""Files cut into portions, which several processes share: what comes of them does not depend on either."""

import gzip
import json
from itertools import groupby
from pathlib import Path

import pytest

from pyterrier_quantity.build import ShardError, extract_to_parquet, extracting
from pyterrier_quantity.build.extracting import portions

pq = pytest.importorskip("pyarrow.parquet")


def written(file: Path, texts: list[str], docno: str = "d{}") -> Path:
    lines = [json.dumps({"docno": docno.format(number), "text": text}) for number, text in enumerate(texts)]
    raw = "\n".join(lines).encode()
    file.write_bytes(gzip.compress(raw) if file.suffix == ".gz" else raw)
    return file


@pytest.fixture
def small(monkeypatch) -> None:
    """Portions of two or three lines."""
    monkeypatch.setattr(extracting, "_SIZE", 100)


@pytest.mark.usefixtures("small")
class TestPortions:
    def test_every_line_of_every_file_once_in_order(self, tmp_path):
        files = [written(tmp_path / "a.jsonl", [f"{n} km" for n in range(20)]), tmp_path / "empty.jsonl",
                 written(tmp_path / "b.jsonl.gz", [f"{n} miles" for n in range(9)])]  # fmt: skip
        files[1].touch()
        cut = {file: list(found) for file, found in groupby(portions(files), key=lambda portion: portion.file)}
        assert list(cut) == files
        assert [len(cut[file]) > 2 for file in files] == [True, False, True]
        for file, found in cut.items():
            raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
            assert b"".join(line for portion in found for line in portion.lines) == raw
            assert [portion.first for portion in found] == [
                sum(len(portion.lines) for portion in found[:number]) for number in range(len(found))
            ]

    def test_shards_are_the_same_bytes_whoever_made_them(self, tmp_path):
        texts = [f"{n} km in {n} h" for n in range(40)]
        files = [written(tmp_path / "a.jsonl", texts), written(tmp_path / "b.jsonl.gz", texts)]
        files.append(written(tmp_path / "none.jsonl", []))
        alone = extract_to_parquet(files, tmp_path / "alone")
        shared = extract_to_parquet(files, tmp_path / "shared", workers=2)
        assert [shard.read_bytes() for shard in alone] == [shard.read_bytes() for shard in shared]
        assert [pq.read_metadata(shard).num_rows for shard in shared] == [40, 40, 0]

    def test_messages_count_through_the_file(self, tmp_path):
        file = written(tmp_path / "a.jsonl", [f"{n} km" for n in range(9)])
        with file.open("a") as lines:
            lines.write('\n{"text": "9 km"}')
        with pytest.raises(TypeError, match=r"a.jsonl: document number 9: docno is missing"):
            extract_to_parquet(file, tmp_path / "shards")
        file.write_text("\n".join([json.dumps({"docno": f"d{n}", "text": ""}) for n in range(9)] + ["{"]))
        with pytest.raises(ShardError, match=r"a.jsonl: line 10 is not JSON"):
            extract_to_parquet(file, tmp_path / "shards")
        assert not list((tmp_path / "shards").iterdir())

    def test_a_docno_that_comes_again_in_another_portion(self, tmp_path):
        file = written(tmp_path / "a.jsonl", [f"{n} km" for n in range(9)])
        with file.open("a") as lines:
            lines.write('\n{"docno": "d1", "text": "9 km"}\n{"docno": "e", "text": "10 km"}')
        with pytest.raises(ShardError, match=r"a.jsonl: docno 'd1' occurred before; make it unique"):
            extract_to_parquet(file, tmp_path / "shards")
        with pytest.warns(UserWarning, match=r"^1 documents are left out: docno 'd1' occurred before"):
            (shard,) = extract_to_parquet(file, tmp_path / "shards", on_error="skip")
        assert pq.read_table(shard)["docno"].to_pylist() == [*(f"d{n}" for n in range(9)), "e"]

    def test_files_before_a_broken_one_are_finished(self, tmp_path):
        good = written(tmp_path / "a.jsonl", [f"{n} km" for n in range(40)])
        bad = written(tmp_path / "b.jsonl.gz", [f"{n * 7919 % 1000} km" for n in range(40)])
        bad.write_bytes(bad.read_bytes()[:-30])
        with pytest.raises(ShardError, match=r"b.jsonl.gz: it cannot be read beyond line \d+: Compressed file ended"):
            extract_to_parquet([good, bad], tmp_path / "shards")
        assert [file.name for file in (tmp_path / "shards").iterdir()] == ["a.parquet"]


def test_a_line_that_is_no_utf8(tmp_path):
    file = tmp_path / "latin.jsonl"
    file.write_bytes('{"docno": "a", "text": "5 km"}\n{"docno": "b", "text": "5 \xb5g"}'.encode("latin1"))
    with pytest.raises(ShardError, match=r"latin.jsonl: line 2 is not JSON: 'utf-8' codec"):
        extract_to_parquet(file, tmp_path / "shards")
