"""Opening a quantity index: lazily, or with a clear refusal; docno lookup; pickling; packages."""

import builtins
import contextlib
import shutil
from random import Random

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from damage import damage, header, rewrite_header
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_quantity import Constraint, QuantityIndex
from pyterrier_quantity.cli import main
from pyterrier_quantity.index import IndexFormatError
from pyterrier_quantity.index.docnos import MISSING, Docnos, build_lookup, hash_docnos
from pyterrier_quantity.storage.array_file import FILE
from pyterrier_quantity.storage.folders import part_names, read_sealed, write_sealed

DOCNOS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@pytest.fixture
def copied(qindex, tmp_path):
    """A copy of the index that a test may damage."""
    return shutil.copytree(qindex.path, tmp_path / "copy")


def test_opening_reads_nothing(qindex, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a file was opened")

    with monkeypatch.context() as patched:
        patched.setattr(builtins, "open", refuse)
        patched.setattr(np, "memmap", refuse)
        patched.setattr("pathlib.Path.open", refuse)
        patched.setattr("pathlib.Path.read_text", refuse)
        index = QuantityIndex(qindex.path)
        index.scorer()
        index.filter()
        index.retriever()
    assert len(index) == len(qindex)


class TestRefusals:
    def test_no_folder(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"no quantity index at .*nothing; index documents there"):
            len(QuantityIndex(tmp_path / "nothing"))

    def test_a_foreign_folder(self, tmp_path):
        (tmp_path / "file.txt").write_text("x")
        with pytest.raises(IndexFormatError, match=r"is not a quantity index: it has no pt_meta\.json"):
            len(QuantityIndex(tmp_path))

    def test_another_artifact(self, copied):
        change(copied, type="sparse_index", format="pisa")
        with pytest.raises(IndexFormatError, match=r"is not a quantity index .* but sparse_index\.pisa"):
            QuantityIndex(copied).quantities("m3")

    @pytest.mark.parametrize("version", [0, 1, 99, "2", None])
    def test_another_version(self, copied, version):
        change(copied, version=version)
        with pytest.raises(IndexFormatError, match=r"of version .*this package reads version .*build it again"):
            QuantityIndex(copied).quantities("m3")

    @pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"[]", b"5", b"", b'{"type": '])
    def test_metadata_that_is_something_else(self, copied, content):
        (copied / "pt_meta.json").write_bytes(content)
        with pytest.raises(IndexFormatError, match=r"is damaged|is not a quantity index"):
            len(QuantityIndex(copied))

    @pytest.mark.parametrize("kept", [0, 7, 24, 1000, -25, -1, None])
    def test_a_file_that_is_cut_or_missing(self, copied, kept):
        file = part_of(copied) / FILE
        content = file.read_bytes()
        file.unlink()
        if kept is not None:
            file.write_bytes(content[:kept])
        with pytest.raises(IndexFormatError, match=rf"{file} is damaged: it.*; build the index again"):
            len(QuantityIndex(copied))

    @pytest.mark.parametrize(
        "dtype", ["O", "|O8", "<U4", "<M8[s]", "<c16", "V8", "<f8,<f8", ">u4", "<u16", {"a": 1}, ["<u4"], None, 7]
    )
    def test_types_that_are_no_plain_numbers(self, copied, dtype):
        rewrite_header(copied, lambda header: header["arrays"]["values"].__setitem__(0, dtype))
        with pytest.raises(IndexFormatError, match="column 'values' is damaged"):
            QuantityIndex(copied).verify()

    @pytest.mark.parametrize(("length", "begin"), [(-1, 64), (1 << 60, 64), (1, 1 << 60), (1, -64), (1.5, 64)])
    def test_columns_that_lead_elsewhere(self, copied, length, begin):
        rewrite_header(copied, lambda header: header["arrays"]["low"].__setitem__(slice(3), ["<u4", length, begin]))
        with pytest.raises(IndexFormatError, match="column 'low' is damaged"):
            QuantityIndex(copied).verify()

    @pytest.mark.parametrize("folder", ["..", "/tmp", "part-1", "", None, 7, "part-0123456g"])
    def test_parts_that_lead_elsewhere(self, copied, folder):
        change(copied, parts=[{"folder": folder, "digest": "0" * 32}])
        with pytest.raises(IndexFormatError, match="is not part of it"):
            len(QuantityIndex(copied))


def part_of(folder):
    """The folder of the files in use."""
    (part,) = part_names(folder)
    return folder / part


def change(folder, **fields):
    """Other metadata, as if it had been written so."""
    meta = {**read_sealed(folder / "pt_meta.json"), **fields}
    del meta["digest"]
    write_sealed(folder / "pt_meta.json", meta)


def answers(path, everything):
    """Return an index's ranking, scores and quantities for the queries in `everything`."""
    index = QuantityIndex(path)
    ranked = index.retriever(phi="exp")(everything).to_dict("records")
    scored = index.scorer()(everything.merge(pd.DataFrame({"docno": ["m3", "m5", "none"]}), how="cross"))
    return ranked, scored["score"].tolist(), index.quantities("m5")


class TestDamage:
    @pytest.fixture
    def everything(self):
        asked = [Constraint(op, 500.0, 500.0, unit) for op in ("<", ">") for unit in ("horsepower", "-", "dollar")]
        return pd.DataFrame(
            {"qid": map(str, range(len(asked))), "query": "BMW car", "constraints": [[c] for c in asked]}
        )

    def test_a_flipped_bit_changes_nothing_or_is_named(self, copied, everything):
        random, whole = Random(7), answers(copied, everything)
        files = [file for file in copied.rglob("*") if file.is_file() and file.stat().st_size]
        refused = 0
        for _ in range(150):
            file = random.choice(files)
            content = file.read_bytes()
            damaged = bytearray(content)
            damaged[random.randrange(len(content))] ^= 1 << random.randrange(8)
            file.write_bytes(damaged)
            with contextlib.suppress(IndexFormatError):
                refused += 1
                assert answers(copied, everything) == whole, file.name
                refused -= 1
            file.write_bytes(content)
        assert refused > 20
        QuantityIndex(copied).verify()

    @pytest.mark.parametrize("bit", [0, 30_000, -1])
    def test_the_whole_is_compared_on_request(self, copied, bit):
        listed = header(part_of(copied) / FILE)["arrays"].values()
        spans = [(begin, np.dtype(kind).itemsize * length) for kind, length, begin, _ in listed]
        begin, size = max(spans, key=lambda span: span[1])
        file = part_of(copied) / FILE
        content = bytearray(file.read_bytes())
        content[begin + bit % size] ^= 1
        file.write_bytes(content)
        with pytest.raises(IndexFormatError, match=f"{file}: column .* is damaged"):
            QuantityIndex(copied).verify()

    def test_the_command_says_so(self, copied, capsys):
        assert main(["check", str(copied)]) == 0
        assert "whole" in capsys.readouterr().out
        damage(copied, "low")
        assert main(["check", str(copied)]) == 2
        assert "column 'low' is damaged" in capsys.readouterr().err


def lookup_of(docnos: list[str]) -> Docnos:
    return Docnos([build_lookup(docnos)])


class TestDocnos:
    @given(st.lists(DOCNOS, unique=True, max_size=60), st.data())
    def test_lookup_is_a_dictionary(self, docnos, data):
        lookup = lookup_of(docnos)
        others = data.draw(st.lists(DOCNOS, max_size=20))
        asked = data.draw(st.permutations(docnos)) + others + docnos[:3]
        known = {docno: row for row, docno in enumerate(docnos)}
        assert lookup.rows(asked).tolist() == [known.get(docno, MISSING) for docno in asked]
        assert lookup.docnos(np.arange(len(docnos))).tolist() == docnos

    def test_crowded_buckets(self):
        """Probing distinguishes hashes that share their leading bits."""
        docnos = sorted((f"d{n}" for n in range(20_000)), key=lambda d: int(hash_docnos([d])[0]))[:200]
        lookup = lookup_of(docnos)
        assert lookup.rows(docnos).tolist() == list(range(200))
        assert lookup.rows(["absent", *docnos[:3]]).tolist() == [MISSING, 0, 1, 2]


def test_indexes_are_equal_by_path(qindex, tmp_path):
    assert QuantityIndex(qindex.path) == qindex
    assert QuantityIndex(str(qindex.path)) == qindex
    assert hash(QuantityIndex(qindex.path)) == hash(qindex)
    assert QuantityIndex(tmp_path) != qindex
    assert qindex != str(qindex.path)


def test_inputs_of_indexing(qindex):
    assert pt.inspect.indexer_inputs(qindex) == [["docno", "text"], ["docno", "quantities"]]
    assert pt.inspect.indexer_inputs(qindex.indexer(text_field="body"))[0] == ["docno", "body"]
