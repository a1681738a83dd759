"""Indexes of other libraries: every file is compared with a record before it is read."""

import pytest
from engines import python_bm25, terrier_bm25

from pyterrier_quantity.backends import pisa_bm25
from pyterrier_quantity.cli import main
from pyterrier_quantity.storage.file_records import RECORD
from pyterrier_quantity.storage.folders import IndexFormatError

DOCUMENTS = [{"docno": f"d{n}", "text": f"oil price item{n % 7}"} for n in range(30)]


@pytest.fixture(params=[pisa_bm25, python_bm25, terrier_bm25])
def bm25(request):
    return request.param


def docnos(ranker):
    return list(ranker.search("item5")["docno"])


def test_every_damaged_file_is_named(bm25, tmp_path, capsys):
    whole = docnos(bm25(tmp_path / "i", DOCUMENTS))
    files = sorted(file for file in (tmp_path / "i").iterdir() if file.stat().st_size)
    for file in files:
        content = file.read_bytes()
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises((IndexFormatError, FileExistsError), match=str(tmp_path / "i")):
            docnos(bm25(tmp_path / "i"))
        assert main(["check", str(tmp_path / "i")]) == 2
        assert str(tmp_path / "i") in capsys.readouterr().err
        file.write_bytes(content)
    assert docnos(bm25(tmp_path / "i")) == whole
    bm25(tmp_path / "i").verify()
    assert main(["check", str(tmp_path / "i")]) == 0
    assert "whole, 30 documents" in capsys.readouterr().out


def test_a_damaged_index_is_built_anew_and_a_foreign_file_stays(bm25, tmp_path):
    bm25(tmp_path / "i", DOCUMENTS)
    (tmp_path / "i" / RECORD).write_text("{}")
    whole = docnos(bm25(tmp_path / "i", DOCUMENTS, overwrite=True))
    (tmp_path / "i" / "notes.txt").write_text("precious")
    with pytest.raises(FileExistsError, match=r"notes\.txt"):
        bm25(tmp_path / "i", DOCUMENTS, overwrite=True)
    assert (tmp_path / "i" / "notes.txt").read_text() == "precious"
    assert docnos(bm25(tmp_path / "i")) == whole
