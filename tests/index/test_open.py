"""Opening a quantity index: lazily, or with a clear refusal; docno lookup; pickling; packages."""

from __future__ import annotations

import builtins
import contextlib
import copy
import functools
import http.server
import mmap
import pickle
import shutil
import threading
from random import Random

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_quantity import Constraint, QuantityIndex, _arrays
from pyterrier_quantity._column import BLOCKS, digests_of
from pyterrier_quantity._folder import part_names, publish, read_sealed, write_sealed
from pyterrier_quantity.cli import main
from pyterrier_quantity.index import IndexFormatError
from pyterrier_quantity.index.docnos import MISSING, DocnoLookup, build_lookup, hash_docnos

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


def test_the_columns_are_mapped_not_read(qindex):
    index = QuantityIndex(qindex.path)
    (segment,) = index.opened.segments
    columns = [segment.columns.doc_offsets.step, segment.columns.low, segment.columns.unit, segment.columns.terms]
    arrays = [column.whole() for column in columns]
    assert all(is_mapped(values) for values in arrays)
    assert all(not values.flags.writeable for values in arrays)


def is_mapped(values):
    while values is not None and not isinstance(values, mmap.mmap | np.memmap):
        values = getattr(values, "base", None)
    return values is not None


def test_built(qindex, tmp_path):
    assert qindex.built()
    assert not QuantityIndex(tmp_path).built()
    assert not QuantityIndex(tmp_path / "nothing").built()


class TestRefusals:
    def test_no_folder(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"no quantity index at .*nothing; build one with \.index"):
            len(QuantityIndex(tmp_path / "nothing"))

    def test_a_foreign_folder(self, tmp_path):
        (tmp_path / "file.txt").write_text("x")
        with pytest.raises(IndexFormatError, match=r"is no quantity index: it has no pt_meta\.json"):
            len(QuantityIndex(tmp_path))

    def test_another_artifact(self, copied):
        change(copied, type="sparse_index", format="pisa")
        with pytest.raises(IndexFormatError, match=r"is no quantity index .* but sparse_index\.pisa"):
            QuantityIndex(copied).quantities("m3")

    @pytest.mark.parametrize("version", [0, 1, 99, "2", None])
    def test_another_version(self, copied, version):
        change(copied, version=version)
        with pytest.raises(IndexFormatError, match=r"of version .*this package reads version .*build it again"):
            QuantityIndex(copied).quantities("m3")

    def test_damaged_metadata(self, copied):
        meta = copied / "pt_meta.json"
        meta.write_text(meta.read_text()[:-20])
        with pytest.raises(IndexFormatError, match=r"pt_meta\.json is damaged: .*build the index again"):
            len(QuantityIndex(copied))

    @pytest.mark.parametrize("columns", [None, [], "low", {"low": {}}, {"low": {"dtype": "?!", "length": 3}}])
    def test_metadata_without_columns(self, copied, columns):
        change(part_of(copied), columns=columns)
        with pytest.raises(IndexFormatError, match=r"is damaged"):
            len(QuantityIndex(copied))

    @pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"[]", b"5", b"null", b""])
    def test_metadata_that_is_something_else(self, copied, content):
        (copied / "pt_meta.json").write_bytes(content)
        with pytest.raises(IndexFormatError, match=r"is damaged|is no quantity index"):
            len(QuantityIndex(copied))

    def test_every_truncated_file_is_noticed(self, copied):
        files = sorted(file for file in part_of(copied).glob("*.bin") if file.stat().st_size)
        assert len(files) >= 10
        for file in files:
            content = file.read_bytes()
            file.write_bytes(content[:-1])
            with pytest.raises(IndexFormatError, match=rf"is damaged: {file.name} is \d+ bytes long instead of \d+"):
                len(QuantityIndex(copied))
            file.unlink()
            with pytest.raises(IndexFormatError, match=f"is damaged: {file.name} is missing"):
                len(QuantityIndex(copied))
            file.write_bytes(content)
        assert len(QuantityIndex(copied)) > 0

    @pytest.mark.parametrize(
        "dtype", ["O", "|O8", "<U4", "<M8[s]", "<c16", "V8", "<f8,<f8", ">u4", "<u16", {"a": 1}, ["<u4"], None, 7]
    )
    def test_types_that_are_no_plain_numbers(self, copied, dtype):
        part = part_of(copied)
        columns = read_sealed(part / "pt_meta.json")["columns"]
        columns["values"]["dtype"] = dtype
        change(part, columns=columns)
        with pytest.raises(IndexFormatError, match=r"the column 'values' is \d+ times"):
            len(QuantityIndex(copied))

    @pytest.mark.parametrize(
        ("name", "length", "message"),
        [
            ("../values", 1, "the column"), ("/etc/passwd", 1, "the column"), ("low", -1, "the column"),
            ("low", 1 << 60, "bytes long instead of"), ("low", True, "the column"), ("low", 1.0, "the column"),
            ("other", 0, "other.bin is missing"),
        ],
    )  # fmt: skip
    def test_columns_that_lead_elsewhere(self, copied, name, length, message):
        part = part_of(copied)
        columns = read_sealed(part / "pt_meta.json")["columns"]
        columns[name] = {"dtype": "<u4", "length": length}
        change(part, columns=columns)
        with pytest.raises(IndexFormatError, match=message):
            len(QuantityIndex(copied))

    @pytest.mark.parametrize("folder", ["..", "/tmp", "part-1", "", None, 7, "part-0123456g"])
    def test_parts_that_lead_elsewhere(self, copied, folder):
        change(copied, parts=[{"folder": folder, "digest": "0"}])
        with pytest.raises(IndexFormatError, match="is no part of it"):
            len(QuantityIndex(copied))

    @pytest.mark.parametrize("name", ["low", "doc_step", "docno_row", "point_document", "to_low", "values"])
    def test_columns_of_other_lengths_or_none(self, copied, name):
        part = part_of(copied)
        meta = read_sealed(part / "pt_meta.json")
        del meta["columns"][name]
        change(part, columns=meta["columns"])
        with pytest.raises(IndexFormatError, match=r"digests|no column"):
            len(QuantityIndex(copied))

    @pytest.mark.parametrize("bad", [None, 5])
    def test_a_path_that_is_none(self, bad):
        with pytest.raises((TypeError, ValueError)):
            len(QuantityIndex(bad))


def part_of(folder):
    """The folder of the files in use."""
    (part,) = part_names(folder)
    return folder / part


def change(folder, **fields):
    """Other metadata, as if it had been written so."""
    meta = {**read_sealed(folder / "pt_meta.json"), **fields}
    del meta["digest"]
    write_sealed(folder / "pt_meta.json", meta)
    if folder.name.startswith("part-"):
        header = {key: meta[key] for key in ("type", "format", "package_hint", "version")}
        publish(folder.parent, header, [folder.name])


def answers(path, everything):
    """What an index gives for all that can be asked of it."""
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
            with pytest.raises(IndexFormatError):
                QuantityIndex(copied).verify()
            file.write_bytes(content)
        assert refused > 50
        QuantityIndex(copied).verify()

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            *(("unit", 200), ("low", 255), ("docno_row", 200), ("point_document", 255), ("point_value", 255)),
            *(("from_low", 255), ("to_document", 255), ("bound", 99), ("doc_step", 255)),
        ],
    )
    def test_references_to_what_is_not_there(self, qindex, tmp_path, name, value, everything):
        arrays = {name: np.array(column.whole()) for name, column in qindex._part.columns.items()}
        arrays[name][:] = value
        meta = {key: qindex.meta[key] for key in ("documents", "quantities", "units", "docnos")}
        with _arrays.new_folder(tmp_path / "hostile", False, qindex.KIND) as folder:
            _arrays.write(folder, arrays, meta, qindex.KIND)
        with pytest.raises(IndexFormatError, match=f"{name}.bin is damaged: it refers to what is not there"):
            QuantityIndex(tmp_path / "hostile").verify()
        with pytest.raises(IndexFormatError, match="it refers to what is not there"):
            answers(tmp_path / "hostile", everything)

    def test_blocks_as_large_as_they_were_are_compared_too(self, qindex, tmp_path, monkeypatch, everything):
        monkeypatch.setattr(_arrays, "BLOCK", BLOCKS[-1])
        monkeypatch.setattr(_arrays, "digests_of", functools.partial(digests_of, block=BLOCKS[-1]))
        arrays = {name: column.whole() for name, column in qindex._part.columns.items()}
        meta = {key: qindex.meta[key] for key in ("documents", "quantities", "units", "docnos")}
        path = tmp_path / "former"
        with _arrays.new_folder(path, False, qindex.KIND) as folder:
            _arrays.write(folder, arrays, meta, qindex.KIND)
        monkeypatch.undo()
        assert answers(path, everything) == answers(qindex.path, everything)
        file = part_of(path) / "terms.bin"
        file.write_bytes(file.read_bytes()[::-1])
        with pytest.raises(IndexFormatError, match=r"terms\.bin is damaged: its bytes from 0 on"):
            QuantityIndex(path).verify()

    @pytest.mark.parametrize("size", [0, 3, "4096", None, 1 << 62])
    def test_blocks_of_other_sizes_are_refused(self, copied, size):
        part = part_of(copied)
        change(part, blocks={**read_sealed(part / "pt_meta.json")["blocks"], "size": size})
        with pytest.raises(IndexFormatError, match=f"its digests are of {size!r} bytes each"):
            QuantityIndex(copied).verify()

    def test_the_command_says_so(self, copied, capsys):
        assert main(["check", str(copied)]) == 0
        assert "whole" in capsys.readouterr().out
        file = part_of(copied) / "low.bin"
        file.write_bytes(file.read_bytes()[::-1])
        assert main(["check", str(copied)]) == 2
        assert "low.bin is damaged" in capsys.readouterr().err


class TestDocnos:
    @given(st.lists(DOCNOS, unique=True, max_size=60), st.data())
    def test_lookup_is_a_dictionary(self, docnos, data):
        lookup = DocnoLookup(**build_lookup(docnos))
        others = data.draw(st.lists(DOCNOS, max_size=20))
        asked = data.draw(st.permutations(docnos)) + others + docnos[:3]
        known = {docno: row for row, docno in enumerate(docnos)}
        assert lookup.rows(asked).tolist() == [known.get(docno, MISSING) for docno in asked]
        assert lookup.docnos(np.arange(len(docnos))) == docnos

    def test_many_docnos(self):
        random = np.random.default_rng(7)
        docnos = list({f"doc-{n}" for n in random.integers(0, 10**9, 50_000)})
        lookup = DocnoLookup(**build_lookup(docnos))
        asked = [docnos[i] for i in random.integers(0, len(docnos), 5000)] + [f"other-{n}" for n in range(5000)]
        known = {docno: row for row, docno in enumerate(docnos)}
        assert lookup.rows(asked).tolist() == [known.get(docno, MISSING) for docno in asked]

    def test_crowded_buckets(self):
        """Hashes that share their leading bits are told apart by probing."""
        docnos = sorted((f"d{n}" for n in range(20_000)), key=lambda d: int(hash_docnos([d])[0]))[:200]
        lookup = DocnoLookup(**build_lookup(docnos))
        assert lookup.rows(docnos).tolist() == list(range(200))
        assert lookup.rows(["absent", *docnos[:3]]).tolist() == [MISSING, 0, 1, 2]

    @pytest.mark.parametrize("asked", [[], ["a"], ["", "\u0000"]])
    def test_no_documents(self, asked):
        assert DocnoLookup(**build_lookup([])).rows(asked).tolist() == [MISSING] * len(asked)

    def test_numbers_and_missing_docnos_in_a_frame(self, qindex):
        rows = qindex.docnos.rows(np.array(["m5", 5, None, float("nan"), "m3"], dtype=object))
        assert rows.tolist() == [1, MISSING, MISSING, MISSING, 0]


class TestObject:
    def test_equal_by_path(self, qindex, tmp_path):
        assert QuantityIndex(qindex.path) == qindex
        assert QuantityIndex(str(qindex.path)) == qindex
        assert hash(QuantityIndex(qindex.path)) == hash(qindex)
        assert QuantityIndex(tmp_path) != qindex
        assert qindex != str(qindex.path)

    def test_repr_names_the_path(self, qindex):
        assert repr(qindex) == f"QuantityIndex({str(qindex.path)!r})"

    def test_pickles_are_small_and_work(self, qindex):
        qindex.quantities("m3")
        pickled = pickle.dumps(qindex)
        assert len(pickled) < 1000
        again = pickle.loads(pickled)
        assert again == qindex
        assert again.quantities("m3") == qindex.quantities("m3")

    def test_copies(self, qindex):
        assert copy.deepcopy(qindex).quantities("m3") == qindex.quantities("m3")

    def test_relative_paths(self, qindex, monkeypatch):
        monkeypatch.chdir(qindex.path.parent)
        index = QuantityIndex(qindex.path.name)
        assert index == qindex
        assert len(index) == len(qindex)


@contextlib.contextmanager
def served(folder):
    """The address of a web server over a folder."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class TestArtifact:
    def test_loading_through_the_entry_point(self, qindex):
        loaded = pt.Artifact.load(str(qindex.path))
        assert type(loaded) is QuantityIndex
        assert loaded.quantities("m3") == qindex.quantities("m3")

    def test_type_and_format(self, qindex):
        assert pt.inspect.artifact_type_format(qindex) == ("quantity_index", "columns")

    def test_a_package_can_be_built_and_loaded(self, qindex, tmp_path, monkeypatch):
        monkeypatch.setenv("PYTERRIER_HOME", str(tmp_path / "home"))
        package = tmp_path / "package.tar.lz4"
        qindex.build_package(str(package), verbose=False)
        with served(tmp_path) as url:
            loaded = pt.Artifact.from_url(f"{url}/{package.name}")
        assert type(loaded) is QuantityIndex
        assert len(loaded) == len(qindex)
        assert loaded.quantities("m5") == qindex.quantities("m5")
        assert loaded != qindex

    def test_inputs_of_indexing(self, qindex):
        assert pt.inspect.indexer_inputs(qindex) == [["docno", "text"], ["docno", "quantities"]]
        assert pt.inspect.indexer_inputs(qindex.indexer(text_field="body"))[0] == ["docno", "body"]

    def test_indexing_at_the_end_of_a_pipeline(self, tmp_path, corpus):
        index = QuantityIndex(tmp_path / "i")
        pipeline = pt.apply.text(lambda row: row["text"].replace("BMW", "Audi")) >> index.indexer()
        pipeline.index(corpus)
        assert len(QuantityIndex(tmp_path / "i")) == len(corpus)
