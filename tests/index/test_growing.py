"""Indexes that grow: whatever is added, replaced and deleted, they are what a build of the same documents is."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from damage import columns
from full_disk import no_space
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pyterrier_quantity import Constraint, QuantityIndex, QuantityQueryParser, RuleExtractor
from pyterrier_quantity.index import IndexInUseError, growing
from pyterrier_quantity.index.segments import Segments
from pyterrier_quantity.score import Scoring
from pyterrier_quantity.storage import folders
from pyterrier_quantity.storage.folders import META_FILE, IndexFormatError, read_sealed, write_sealed

TEXTS = [
    "Profit rose 5 percent to $3 million.", "Profit fell to 2 to 4 percent, against 7 percent.", "No number here.",
    "The car makes 503 hp and weighs 1.2 tonnes.", "A van of 900 to 1,100 kg with 120 hp.", "It costs 30 dollars.",
    "At -5 degrees Celsius the pump gives 4 bar.", "From 41 to 50 degrees Fahrenheit in 1987.", "", "12 goals in 1995.",
    "Between 10 and 20 goals, 3 of them late.", "A profit of 5 percent on 40 cars.", "The score was 7.",
    "About 3 miles.",
    "At least 5 km and at most 8 miles of road.", "Oil at $18 a barrel, up from $17.5.", "Gold weighs 19.3 g/cm3.",
    "Sales of 5 percent more cars, 6 percent fewer vans.", "8 to 9 of 10 goals.", "Sixty kilograms of tin at 2 euros.",
]  # fmt: skip
EXTRACTED = RuleExtractor(concepts=False, dates=True).extract_batch(TEXTS)
QUERIES = [
    "profit above 5 percent", "profit below 6 percent", "cars heavier than 1000 kg", "goals more than 7",
    "about 4 miles",
    "temperature of 45 degrees Fahrenheit", "between 2 and 10 goals", "price under 20 dollars", "score other than 3",
]  # fmt: skip


def document(docno: str, text: int) -> dict:
    return {"docno": docno, "text": TEXTS[text], "quantities": EXTRACTED[text]}


@pytest.fixture(scope="module")
def queries() -> pd.DataFrame:
    parsed = QuantityQueryParser()(pd.DataFrame({"qid": [f"q{n}" for n in range(len(QUERIES))], "query": QUERIES}))
    assert parsed["constraints"].map(len).all()
    bare = Constraint("!=", 5.0, 5.0, "-")
    return pd.concat([parsed, pd.DataFrame([{"qid": "any", "query": "profit", "constraints": [bare]}])])


def same(grown: QuantityIndex, built: QuantityIndex, queries: pd.DataFrame, docnos: list[str]) -> None:
    """Two indexes give the same, whatever is asked."""
    for name in ("documents", "quantities", "units"):
        assert grown.meta[name] == built.meta[name]
    assert (grown.corpus().documents, grown.corpus().docnos) == (built.corpus().documents, built.corpus().docnos)
    np.testing.assert_array_equal(grown.opened.columns.term_documents, built.opened.columns.term_documents)
    held = built_docnos(built)
    for docno in docnos:
        if docno in held:
            assert grown.quantities(docno) == built.quantities(docno)
        else:
            with pytest.raises(KeyError):
                grown.quantities(docno)
    results = queries.merge(pd.DataFrame({"docno": docnos, "score": 1.0, "rank": 0}), how="cross")
    for made in (
        lambda index: index.retriever()(queries),
        lambda index: index.retriever(candidates=3)(queries),
        lambda index: index.retriever(candidates=1, num_results=2, phi="paper")(queries),
        lambda index: index.scorer()(results),
        lambda index: index.scorer(Scoring(aggregate="mean", terms="all"))(results),
        lambda index: index.filter()(results),
        lambda index: index.filter(keep_unknown=True)(results),
    ):
        frames = [made(index)[["qid", "docno", "score", "rank"]] for index in (grown, built)]
        pd.testing.assert_frame_equal(*frames, rtol=0, atol=1e-6)


def built_docnos(index: QuantityIndex) -> set[str]:
    return set(index.docnos.docnos(np.arange(len(index))))


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "delete", "update", "merge"]),
        st.lists(st.tuples(st.integers(0, 30), st.integers(0, len(TEXTS) - 1)), min_size=1, max_size=6,
                 unique_by=lambda pair: pair[0]),
    ),
    max_size=8,
)  # fmt: skip


@settings(max_examples=12, deadline=None)
@given(start=STEPS.map(lambda steps: [pair for _, pairs in steps for pair in pairs]), steps=STEPS,
       small=st.sampled_from([0, 6, growing.SMALL]), growth=st.sampled_from([0, 2]))  # fmt: skip
@example(start=[], steps=[("add", [(0, 0), (1, 1)]), ("delete", [(0, 0)])], small=0, growth=0)  # a deleted unit
def test_a_grown_index_is_what_a_build_of_the_same_documents_is(start, steps, small, growth, queries) -> None:
    held = {f"d{number}": text for number, text in start}
    with tempfile.TemporaryDirectory() as folder, patch.multiple(growing, SMALL=small, GROWTH=growth):
        index = QuantityIndex(Path(folder) / "grown").index([document(*d) for d in held.items()])
        for step, pairs in steps:
            given_ = {f"d{number}": text for number, text in pairs}
            if step == "add":
                new = {docno: text for docno, text in given_.items() if docno not in held}
                index.add([document(*d) for d in new.items()])
                held |= new
            elif step == "update":
                index.update([document(*d) for d in given_.items()])
                held = {docno: text for docno, text in held.items() if docno not in given_} | given_
            elif step == "delete":
                index.delete(given_, ignore_missing=True)
                held = {docno: text for docno, text in held.items() if docno not in given_}
            else:
                index.merge()
        built = QuantityIndex(Path(folder) / "built").index([document(*d) for d in held.items()])
        everything = [f"d{number}" for number in range(31)]
        same(index, built, queries, everything)
        index.merge()
        assert columns(index.folder) == columns(built.folder)


@pytest.fixture
def grown(tmp_path, monkeypatch) -> QuantityIndex:
    """Three segments, with a document deleted and one replaced."""
    monkeypatch.setattr(growing, "SMALL", 0)
    monkeypatch.setattr(growing, "GROWTH", 0)
    index = QuantityIndex(tmp_path / "grown").index([document(f"a{n}", n) for n in range(8)])
    index.add([document(f"b{n}", n) for n in range(8, 14)])
    index.update([document("a1", 14), document("c", 15)])
    return index.delete(["b9"])


def on_disk(index: QuantityIndex) -> Segments:
    return Segments(*index.stored)


def test_segments_and_what_is_deleted(grown):
    assert np.diff(on_disk(grown).starts).tolist() == [8, 6, 2]
    assert on_disk(grown).deleted.tolist() == [1, 9]
    assert len(grown) == 14
    assert grown.quantities("a1") == [*map(plain, EXTRACTED[14])]
    grown.verify()


def plain(quantity):
    """As an index keeps it: without a concept, with a confidence in a byte."""
    kept = round(max(1, round(255 * quantity.confidence)) / 255, 2)
    return replace(quantity, concept=(), confidence=kept)


DESCRIPTORS = """
import resource, sys
from pyterrier_quantity import Quantity, QuantityIndex
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
index = QuantityIndex(sys.argv[1]).index([{"docno": "0", "quantities": []}])
for number in range(20):
    index.add([{"docno": f"{number}-{n}", "quantities": [Quantity(n, n, "mile")]} for n in range(3)])
others = [QuantityIndex(sys.argv[1]) for _ in range(5)]
print([len(other) for other in others], len(index.parts))
"""


def test_an_index_that_grows_by_little_needs_few_files(tmp_path):
    told = subprocess.run(
        [sys.executable, "-c", DESCRIPTORS, tmp_path / "i"], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == f"{[61] * 5} 1"


def test_open_indexes_keep_what_they_opened_until_they_are_refreshed(grown, queries):
    other = QuantityIndex(grown.path)
    scorer, retriever = other.scorer(), other.retriever()
    before = retriever(queries)
    grown.update([document(f"a{n}", 19 - n) for n in range(8)])
    grown.merge()
    pd.testing.assert_frame_equal(retriever(queries), before)
    assert len(other) == 14
    other.refresh()
    assert retriever(queries)["docno"].tolist() == grown.retriever()(queries)["docno"].tolist()
    assert retriever(queries)["docno"].tolist() != before["docno"].tolist()
    assert scorer.index is other


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        (lambda i: i.add([document("new", 0), document("a3", 0)]), ValueError, "docno 'a3' is in .* already; update"),
        (lambda i: i.add([document("new", 0), document("new", 1)]), ValueError, "'new' occurred before"),
        (lambda i: i.update([document("new", 0), {"docno": "a3"}]), ValueError, "document 'a3' has neither"),
        (lambda i: i.delete(["a0", "nothing", "b9"]), ValueError, "no document 'nothing' and 1 others .* nothing was"),
        (lambda i: i.delete("a0"), TypeError, "docnos must be a list of strings, got the string 'a0'"),
        (lambda i: i.add([document("new", 0), 7]), TypeError, "document number 1 must be a dictionary"),
    ],
)
def test_what_is_refused_changes_nothing(grown, queries, change, error, says):
    before, content = sorted(os.listdir(grown.folder)), grown.retriever()(queries)
    with pytest.raises(error, match=says):
        change(grown)
    assert sorted(os.listdir(grown.folder)) == before
    pd.testing.assert_frame_equal(QuantityIndex(grown.path).retriever()(queries), content)


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        (lambda parts: [], "it names no part; build the index again"),
        (lambda parts: [{"folder": part["folder"]} for part in parts], "it has no digest of part-"),
        (lambda parts: [parts[0], *parts], "it names a part twice"),
    ],
)
def test_metadata_that_name_no_parts_or_other_ones(grown, parts, says):
    meta = read_sealed(grown.path / META_FILE)
    del meta["digest"]
    write_sealed(grown.path / META_FILE, {**meta, "parts": parts(meta["parts"])})
    with pytest.raises(IndexFormatError, match=f"{grown.path}.*{says}"):
        len(QuantityIndex(grown.path))


@pytest.mark.parametrize("change", ["add", "update", "delete", "merge"])
def test_there_must_be_an_index(tmp_path, change):
    index = QuantityIndex(tmp_path / "none")
    with pytest.raises(FileNotFoundError, match=r"no quantity index at .*; index documents there"):
        getattr(index, change)(*([] if change == "merge" else [[]]))
    assert not index.path.exists()


def test_one_process_at_a_time(grown):
    with (
        folders.held(grown.folder / folders.WRITER_LOCK),
        pytest.raises(IndexInUseError, match=r"another process is changing .*; try again when it is done"),
    ):
        QuantityIndex(grown.path).delete(["a0"])
    assert len(grown.delete(["a0"])) == 13


@pytest.mark.parametrize("change", ["add", "update"])
def test_no_other_process_comes_between_an_addition_and_its_merge(grown, change, monkeypatch):
    """The lock is taken once: a second writer that waits for it would end the merge, and so the addition."""
    monkeypatch.undo()
    with patch.object(folders, "held", wraps=folders.held) as taken:
        getattr(grown, change)([document("new", 0)])
    assert [call.args[0].name for call in taken.call_args_list].count(folders.WRITER_LOCK) == 1
    assert (len(grown.parts), str(*grown.quantities("new")[1:])) == (1, "3,000,000 dollar")


def test_an_index_that_was_built_anew_meanwhile_stays(grown):
    def documents():
        yield document("new", 0)
        QuantityIndex(grown.path).indexer(overwrite=True).index([document("only", 1)])

    with pytest.raises(IndexInUseError, match="was rebuilt meanwhile"):
        grown.add(documents())
    assert built_docnos(grown.refresh()) == {"only"}
    assert len(grown.add([document("new", 0)])) == 2


def test_an_index_without_words_grows_without_them(tmp_path, queries):
    documents = [document(f"d{n}", n) for n in range(16)]
    grown = QuantityIndex(tmp_path / "grown").indexer(concepts=False).index(documents[:5])
    grown.add(documents[5:]).delete(["d3"]).merge()
    built = QuantityIndex(tmp_path / "built").indexer(concepts=False).index(documents[:3] + documents[4:])
    assert columns(grown.folder) == columns(built.folder)


def test_a_full_disk_changes_nothing(grown, monkeypatch):
    before = sorted(os.listdir(grown.folder))
    monkeypatch.setattr("pyterrier_quantity.storage.folders.write_sealed", no_space)
    for change in (lambda: grown.add([document("new", 0)]), lambda: grown.delete(["a0"]), grown.merge):
        with pytest.raises(OSError, match="No space left") as caught:
            change()
        assert "is unchanged" in "".join(getattr(caught.value, "__notes__", []))
        assert sorted(os.listdir(grown.folder)) == before
        assert sorted(os.listdir(grown.folder.parent)) == ["grown"]


CHANGES = """
import os, sys
from pyterrier_quantity import QuantityIndex
for _ in sys.stdin:
    if child := os.fork():
        print(os.waitpid(child, 0)[1], flush=True)
        continue
    index = QuantityIndex(sys.argv[1])
    print(os.getpid(), flush=True)
    for number in range(1000):
        index.update([{"docno": docno, "text": f"oil at {number} dollars"} for docno in ("one", "two")])
        if number % 5 == 4:
            index.merge()
"""


def test_whoever_is_killed_leaves_the_index_before_or_after(grown):
    random = np.random.default_rng(5)
    grown.update([{"docno": docno, "text": "oil at 7 dollars"} for docno in ("one", "two")])
    command = [sys.executable, "-c", CHANGES, grown.path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for _ in range(4):
            print(file=process.stdin, flush=True)
            child = int(process.stdout.readline())
            time.sleep(random.uniform(0, 0.3))
            os.kill(child, signal.SIGKILL)
            assert int(process.stdout.readline()) == signal.SIGKILL
            index = QuantityIndex(grown.path)
            index.verify()
            assert len(index) == 16
            assert index.quantities("one") == index.quantities("two") != []
    assert len(index.update([document("one", 0)]).merge()) == 16
    assert len(os.listdir(index.folder)) == 2


@pytest.mark.parametrize("before", [[], [200_000_000]])
@pytest.mark.parametrize("step", [1000, 100_000, 2_000_000])
def test_few_segments_are_left_and_what_is_large_is_seldom_copied(before, step):
    sizes, copied = list(before), 0
    for number in range(1, 513):
        sizes.append(step)
        first = growing.first_to_merge(sizes)
        if first < len(sizes) - 1:
            copied += sum(sizes[first:])
            sizes[first:] = [sum(sizes[first:])]
        assert len(sizes) <= 6
        assert sum(sizes) == sum(before) + number * step
    assert 0 < copied < 20 * 512 * max(step, growing.SMALL // 10)
