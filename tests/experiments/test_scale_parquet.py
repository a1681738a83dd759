"""The figures of large corpora: what is drawn, and what is timed."""

import json
from pathlib import Path

import pytest
import scale_parquet
from scripts import call

from pyterrier_quantity import QuantityIndex


def test_extraction_alone_or_with_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    pytest.importorskip("pyarrow")
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for file in files:
        texts = [f"Net profit rose {number} percent." for number in range(20)]
        lines = [json.dumps({"docno": f"{file.stem}{number}", "text": text}) for number, text in enumerate(texts)]
        file.write_text("\n".join(lines))
    monkeypatch.setattr(scale_parquet, "SHARD", 700)
    given = [*files, tmp_path / "work", "--workers", 1, "--quantities"]
    call(scale_parquet, *given, 0)
    assert "extract, 1 processes" in capsys.readouterr().out
    assert len(list((tmp_path / "work/real-1").iterdir())) == 2
    assert not (tmp_path / "work/index").exists()
    call(scale_parquet, *given, 1000)
    printed = capsys.readouterr().out
    assert "1,400 documents, 1,400 quantities" in printed
    assert printed.count("rows of 1,000 documents, verified") == 2
    assert len(QuantityIndex(tmp_path / "work/index")) == 1400
