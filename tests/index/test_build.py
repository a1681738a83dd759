"""Building a quantity index: its quantities are returned, and rejected documents leave no files."""

import errno
import os
import warnings

import numpy as np
import pandas as pd
import pytest
from full_disk import no_space
from hypothesis import given, settings
from hypothesis import strategies as st
from kills import names

from pyterrier_quantity import Quantity, QuantityIndex, RuleExtractor
from pyterrier_quantity.quantity import BOUNDS
from pyterrier_quantity.storage import array_file

FINITE = st.floats(allow_nan=False, allow_infinity=False)
UNITS = st.sampled_from(["metre", "dollar per barrel", "-", "employee", "größe", "percentage"])


@st.composite
def stated(draw):
    low, high = sorted((draw(FINITE), draw(FINITE)))
    start = draw(st.integers(0, 10_000))
    end = start + draw(st.integers(0, 60))
    return Quantity(low, high if draw(st.booleans()) else low, draw(UNITS), draw(st.sampled_from(BOUNDS)), start, end)


def without_concept(quantities):
    return [(q.low, q.high, q.unit, q.bound, q.start, q.end) for q in quantities]


@settings(max_examples=25)
@given(st.lists(st.lists(stated(), max_size=4), max_size=6))
def test_every_quantity_comes_back(tmp_path_factory, documents):
    index = QuantityIndex(tmp_path_factory.mktemp("index") / "new")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        index.index({"docno": f"d{number}", "quantities": ready} for number, ready in enumerate(documents))
    again = QuantityIndex(index.path)
    assert len(again) == len(documents)
    for number, ready in enumerate(documents):
        expected = sorted(ready, key=lambda quantity: (quantity.end > 0, quantity.start))
        assert without_concept(again.quantities(f"d{number}")) == without_concept(expected)


def test_texts_are_extracted(qindex, corpus):
    extractor = RuleExtractor()
    total = 0
    for document in corpus:
        expected = extractor.extract(document["text"])
        assert without_concept(qindex.quantities(document["docno"])) == without_concept(expected)
        total += len(expected)
    assert total >= 20
    assert len(qindex) == len(corpus)


def test_confidence_comes_back_to_within_a_255th(tmp_path):
    quantities = [Quantity(1.0, 1.0, confidence=c) for c in (1.0, 0.4, 0.001)]
    index = QuantityIndex(tmp_path / "i").index([{"docno": "d", "quantities": quantities}])
    assert [q.confidence for q in index.quantities("d")] == pytest.approx([1.0, 0.4, 1 / 255], abs=1 / 255)


def test_an_unknown_docno_is_named(qindex):
    with pytest.raises(KeyError, match="'nowhere'"):
        qindex.quantities("nowhere")


class TestDocuments:
    def test_an_empty_corpus(self, tmp_path):
        with pytest.warns(UserWarning, match="corpus is empty"):
            index = QuantityIndex(tmp_path / "i").index([])
        frame = pd.DataFrame([{"qid": "1", "query": "over 5 kg", "docno": "d"}])
        parsed = frame.assign(constraints=[[]])
        assert len(index) == 0
        assert index.built()
        assert index.scorer()(parsed)["score"].tolist() == [0.0]
        assert len(index.retriever()(parsed[["qid", "query", "constraints"]])) == 0

    @pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA])
    def test_a_missing_text_is_an_empty_one(self, tmp_path, missing):
        index = QuantityIndex(tmp_path / "i").index([{"docno": "a", "text": missing}, {"docno": "b", "text": "5 kg"}])
        assert index.quantities("a") == []
        assert [q.low for q in index.quantities("b")] == [5.0]

    def test_ready_quantities_win_over_the_text(self, tmp_path):
        ready = [Quantity(5.0, 5.0, "kilogram")]
        documents = [
            {"docno": "a", "text": "it weighs 7 kg", "quantities": ready},
            {"docno": "b", "text": "it weighs 7 kg", "quantities": []},
            {"docno": "c", "text": "it weighs 7 kg", "quantities": None},
        ]
        index = QuantityIndex(tmp_path / "i").index(documents)
        assert [[q.low for q in index.quantities(docno)] for docno in "abc"] == [[5.0], [], [7.0]]

    def test_ready_quantities_are_kept_in_text_order(self, tmp_path):
        ready = [Quantity(2.0, 2.0, start=20, end=21), Quantity(1.0, 1.0, start=3, end=4)]
        index = QuantityIndex(tmp_path / "i").index([{"docno": "a", "quantities": ready}])
        assert [q.low for q in index.quantities("a")] == [1.0, 2.0]

    def test_the_text_field_can_be_named(self, tmp_path):
        index = QuantityIndex(tmp_path / "i")
        index.indexer(text_field="body").index([{"docno": "a", "body": "5 kg", "text": "9 kg"}])
        assert [q.low for q in index.quantities("a")] == [5.0]

    def test_processes_give_the_same_index(self, tmp_path, corpus):
        one = QuantityIndex(tmp_path / "one").index(corpus)
        two = QuantityIndex(tmp_path / "two").index(corpus, threads=2)
        assert [file.name for file in one.parts[0].folder.iterdir()] == ["arrays.bin"]
        assert (one.parts[0].folder / "arrays.bin").read_bytes() == (two.parts[0].folder / "arrays.bin").read_bytes()

    def test_an_extractor_that_only_takes_texts(self, tmp_path):
        class Ones:
            def extract(self, text):
                return [Quantity(1.0, 1.0)] if text else []

            def extract_batch(self, texts):
                return [self.extract(text) for text in texts]

        documents = [{"docno": "a", "text": "one"}, {"docno": "b", "text": None}]
        index = QuantityIndex(tmp_path / "i").index(documents, extractor=Ones(), threads=2)
        assert [[q.low for q in index.quantities(docno)] for docno in "ab"] == [[1.0], []]

    @pytest.mark.parametrize("verbose", [False, True])
    def test_progress_goes_to_stderr_if_it_is_wanted(self, tmp_path, corpus, capfd, verbose):
        QuantityIndex(tmp_path / "i").index(corpus, verbose=verbose)
        out, err = capfd.readouterr()
        assert out == ""
        assert ("quantities" in err) is verbose


class TestBadDocuments:
    @pytest.mark.parametrize(
        ("document", "error", "message"),
        [
            ({"text": "5 kg"}, TypeError, "document number 1: docno is missing"),
            ({"docno": None, "text": "5 kg"}, TypeError, "document number 1: docno is missing"),
            ({"docno": 7, "text": "5 kg"}, TypeError, "document number 1: docno must be a string, got int 7"),
            ({"docno": b"x", "text": "5 kg"}, TypeError, "document number 1: docno must be a string, got bytes"),
            ({"docno": "x", "body": "5 kg"}, ValueError, r"'x' has neither 'text' nor 'quantities', only .*'body'"),
            ({"docno": "x", "text": 5}, TypeError, "'x': 'text' must be a string, got int"),
            ({"docno": "x", "text": ["5 kg"]}, TypeError, "'x': 'text' must be a string, got list"),
            ({"docno": "x", "quantities": ["5 kg"]}, TypeError, "'x': 'quantities' must hold Quantity .*, got str"),
            ({"docno": "x", "quantities": 5}, TypeError, "'x': 'quantities' must be a list of Quantity, got int"),
            ({"docno": "x", "quantities": {"low": 5}}, TypeError, "'x': 'quantities' must be .* got dict"),
            ({"docno": "x", "quantities": [Quantity(1, 1, start=5, end=2)]}, ValueError, "'x': .* span 5 to 2"),
            ({"docno": "x", "quantities": [Quantity(1, 1, confidence=2.0)]}, ValueError, "'x': .* confidence 2.0"),
            ({"docno": "good", "text": "6 kg"}, ValueError, "document number 1: docno 'good' occurred before"),
            ("x", TypeError, "document number 1 must be a dictionary, got str"),
        ],
    )  # fmt: skip
    def test_a_bad_document_is_named_and_nothing_stays(self, tmp_path, document, error, message):
        index = QuantityIndex(tmp_path / "i")
        with pytest.raises(error, match=message):
            index.index([{"docno": "good", "text": "5 kg"}, document])
        assert names(tmp_path) == []
        assert not index.built()

    def test_halves_of_characters_are_replaced(self, tmp_path):
        with pytest.warns(UserWarning, match="halves of characters"):
            index = QuantityIndex(tmp_path / "i").index([{"docno": "a\ud800", "text": "\udc00 of 5 kg"}])
        assert [(q.low, q.start) for q in index.quantities("a\ufffd")] == [(5.0, 5)]

    def test_quantities_cannot_hold_values_that_are_not_finite(self):
        for bad in (float("nan"), float("inf"), -float("inf")):
            with pytest.raises(ValueError, match="finite"):
                Quantity(bad, bad)
        with pytest.raises(ValueError, match="swap"):
            Quantity(2.0, 1.0)

    @pytest.mark.parametrize("error", [RuntimeError("the disk was unplugged"), KeyboardInterrupt("unplugged")])
    def test_an_iterator_that_raises_leaves_the_old_index(self, tmp_path, error):
        index = QuantityIndex(tmp_path / "i").index([{"docno": "old", "text": "5 kg"}])

        def broken():
            for number in range(5000):
                yield {"docno": str(number), "text": f"{number} kg"}
            raise error

        with pytest.raises(type(error), match="unplugged"):
            index.index(broken(), overwrite=True)
        assert names(tmp_path) == ["i"]
        assert [q.low for q in QuantityIndex(tmp_path / "i").quantities("old")] == [5.0]
        assert [q.low for q in index.quantities("old")] == [5.0]


class TestDisk:
    def test_a_full_disk_leaves_nothing(self, tmp_path, monkeypatch):
        monkeypatch.setattr(array_file.os, "fsync", no_space)
        with pytest.raises(OSError, match="No space left on device") as caught:
            QuantityIndex(tmp_path / "i").index([{"docno": "a", "text": "5 kg"}])
        assert caught.value.errno == errno.ENOSPC
        assert f"{tmp_path / 'i'}" in " ".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
        assert names(tmp_path) == []

    def test_the_folder_is_readable_as_the_umask_says(self, tmp_path):
        old = os.umask(0o022)
        try:
            QuantityIndex(tmp_path / "i").index([{"docno": "a", "text": "5 kg"}])
        finally:
            os.umask(old)
        assert (tmp_path / "i").stat().st_mode & 0o777 == 0o755


class TestTargets:
    def test_an_index_is_not_overwritten_unasked(self, tmp_path):
        index = QuantityIndex(tmp_path / "i").index([{"docno": "old", "text": "5 kg"}])
        with pytest.raises(FileExistsError, match="holds a quantity index already; pass overwrite"):
            index.index([{"docno": "new", "text": "6 kg"}])
        assert [q.low for q in index.quantities("old")] == [5.0]

    def test_overwriting_replaces_and_the_object_sees_it(self, tmp_path):
        index = QuantityIndex(tmp_path / "i").index([{"docno": "old", "text": "5 kg"}])
        assert len(index.quantities("old")) == 1
        index.index([{"docno": "new", "text": "6 kg"}], overwrite=True)
        assert [q.low for q in index.quantities("new")] == [6.0]
        with pytest.raises(KeyError):
            index.quantities("old")
        assert names(tmp_path) == ["i"]

    @pytest.mark.parametrize("overwrite", [False, True])
    @pytest.mark.parametrize(
        "files",
        [
            {"chapter1.txt": "my work"},
            {"pt_meta.json": '{"type": "sparse_index", "format": "pisa"}'},
            {"data.posting": "x", "pt_meta.json": "{"},
            {"": "a file, and no folder"},
        ],
    )
    def test_what_is_no_index_is_never_touched(self, tmp_path, overwrite, files):
        path = tmp_path / "other"
        for name, content in files.items():
            (path / name).parent.mkdir(exist_ok=True)
            (path / name).write_text(content)
        with pytest.raises(FileExistsError, match="is not a quantity index; choose another path"):
            QuantityIndex(path).index([{"docno": "a", "text": "5 kg"}], overwrite=overwrite)
        assert {name: (path / name).read_text() for name in files} == files
        assert names(path if path.is_dir() else tmp_path) == ([*files] if path.is_dir() else ["other"])

    def test_a_damaged_index_can_be_replaced(self, tmp_path):
        index = QuantityIndex(tmp_path / "i").index([{"docno": "old", "text": "5 kg"}])
        (index.path / "pt_meta.json").write_text('{"type": "quantity_ind')
        with pytest.raises(FileExistsError, match="damaged quantity index already; pass overwrite"):
            QuantityIndex(index.path).index([{"docno": "new", "text": "6 kg"}])
        assert len(QuantityIndex(index.path).index([{"docno": "new", "text": "6 kg"}], overwrite=True)) == 1


class Fails:
    """An extractor that cannot read some texts, and does not say which."""

    def extract_batch(self, texts):
        if any("bad" in text for text in texts):
            raise RuntimeError("no idea")
        return [[Quantity(5.0, 5.0, "kilogram")] for _ in texts]


SOME_BAD = [
    {"docno": "a", "text": "5 kg"}, {"docno": "b", "text": "bad"}, {"docno": "c"}, {"docno": "a", "text": "7 kg"},
    {"docno": 7, "text": "7 kg"}, {"docno": "d", "text": "7 kg"},
]  # fmt: skip


class TestDocumentsThatFail:
    def test_the_build_stops_and_names_the_document(self, tmp_path):
        with pytest.raises(ValueError, match=r"document 'b': .* \(RuntimeError: no idea\); on_error: skip"):
            QuantityIndex(tmp_path / "i").indexer(Fails()).index(SOME_BAD[:2])
        assert not (tmp_path / "i").exists()

    def test_the_build_goes_on_and_names_them(self, tmp_path):
        told = r"^4 documents are left out: .*'c' has.*'a' occurred.*docno must.*1 more$"
        with pytest.warns(UserWarning, match=told):
            index = QuantityIndex(tmp_path / "i").indexer(Fails(), on_error="skip").index(SOME_BAD)
        assert len(index) == 2
        assert [len(index.quantities(docno)) for docno in ("a", "d")] == [1, 1]
        with pytest.warns(UserWarning, match="1 documents are left out: document 'e'"):
            index.add([{"docno": "e", "text": "bad"}, SOME_BAD[0] | {"docno": "f"}], extractor=Fails(), on_error="skip")
        assert len(index) == 3

    def test_what_fails_for_another_reason_is_raised_as_it_is(self, tmp_path):
        class FailsTogether(Fails):
            def extract_batch(self, texts):
                if len(texts) > 1:
                    raise MemoryError
                return super().extract_batch(texts)

        with pytest.raises(MemoryError):
            QuantityIndex(tmp_path / "i").indexer(FailsTogether()).index([SOME_BAD[0], SOME_BAD[5]])

    def test_an_unknown_wish(self, tmp_path):
        with pytest.raises(ValueError, match="unknown on_error 'ignore'; one of raise, skip"):
            QuantityIndex(tmp_path / "i").indexer(on_error="ignore")
