"""Marks, annotators' agreement, and the finished collection."""

import math
import os

import pandas as pd
import pytest
from collecting_material import sheet
from full_disk import no_space
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_quantity.collecting import MarkFile, export, gather_marks, read_marks, settle
from pyterrier_quantity.collecting.judgements import cohens_kappa
from pyterrier_quantity.datasets import CollectionError, LocalCollection
from pyterrier_quantity.storage import folders

PAIRS = sheet().pairs


@pytest.fixture
def anna(tmp_path):
    return MarkFile(tmp_path, "Anna", PAIRS)


def test_every_mark_is_on_disk_at_once(anna, tmp_path):
    assert anna.set(("q1", "d1"), "relevant") == 1
    assert read_marks(tmp_path / "anna.marks.tsv") == {("q1", "d1"): "relevant"}
    assert anna.set(("q1", "d2"), "not") == 2
    assert anna.set(("q1", "d1"), "doubtful") == 2
    assert read_marks(tmp_path / "anna.marks.tsv") == {("q1", "d1"): "doubtful", ("q1", "d2"): "not"}
    assert anna.set(("q1", "d1"), None) == 1
    assert MarkFile(tmp_path, "anna", PAIRS).marks() == {("q1", "d2"): "not"}
    assert [path.name for path in tmp_path.iterdir()] == ["anna.marks.tsv"]


def test_a_crash_while_saving_leaves_the_marks_before(anna, tmp_path, monkeypatch):
    anna.set(("q1", "d1"), "relevant")
    monkeypatch.setattr(folders.os, "replace", no_space)
    with pytest.raises(OSError, match=r"No space left on device: .*anna\.marks\.tsv"):
        anna.set(("q1", "d2"), "relevant")
    monkeypatch.undo()
    assert anna.marks() == {("q1", "d1"): "relevant"}
    assert [path.name for path in tmp_path.iterdir()] == ["anna.marks.tsv"]


def test_what_is_no_mark(anna):
    with pytest.raises(ValueError, match="mark 'maybe': one of relevant, not, doubtful"):
        anna.set(("q1", "d1"), "maybe")
    with pytest.raises(ValueError, match="q9 d1 is not in the sheet"):
        anna.set(("q9", "d1"), "relevant")
    assert anna.marks() == {}


NO_NAMES = ["", "../anna", "a/b", "a b", ".hidden", "anna.marks", "-x", "a" * 41, "ä", "a\n", None]


@pytest.mark.parametrize("name", NO_NAMES)
def test_no_name_leads_elsewhere(tmp_path, name):
    with pytest.raises(ValueError, match="a name has 1 to 40 of the letters"):
        MarkFile(tmp_path / "marks", name, PAIRS)
    assert not (tmp_path / "marks").exists()


def test_a_sheet_filled_in_by_hand(tmp_path):
    path = tmp_path / "bert.tsv"
    path.write_text(
        '\ufeffremark\tMark?\tqid\tdocno\tmark\nx\t\tq1\td1\tR\n\t\tq1\td2\t"not"\n\t\tq1\td3\t\n\t\tq2\td1\td\n'
    )
    assert read_marks(path, PAIRS) == {("q1", "d1"): "relevant", ("q1", "d2"): "not", ("q2", "d1"): "doubtful"}
    assert list(gather_marks([path])) == ["bert"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("qid\tdocno\tmark\nq1\td1\tgood\n", "line 2: column 'mark' is 'good'; one of relevant, not, doubtful"),
        ("qid\tdocno\tmark\nq1\td9\tr\n", "line 2: q1 d9 is not in the sheet"),
        ("qid\tdocno\tmark\nq1\td1\tr\nq1\td1\tn\n", "line 3: q1 d1 was marked 'relevant' before"),
        ("qid\tdocno\tmark\n\td1\tr\n", "line 2: column 'qid' is empty"),
    ],
)
def test_bad_marks(tmp_path, content, problem):
    path = tmp_path / "bad.tsv"
    path.write_text(content)
    with pytest.raises(CollectionError, match=problem):
        read_marks(path, PAIRS)


def both(one, other) -> pd.DataFrame:
    """Two annotators' marks on the same pairs."""
    return pd.DataFrame({"one": list(one), "other": list(other)}, dtype=object)


def frame(**marks) -> pd.DataFrame:
    """Annotators' marks, by pair, as they are gathered."""
    found = pd.DataFrame({name: pd.Series(given, dtype=object) for name, given in marks.items()})
    return found.set_axis(pd.MultiIndex.from_tuples(found.index, names=["qid", "docno"]))


@given(st.lists(st.tuples(st.sampled_from("rnd"), st.sampled_from("rnd")), min_size=2))
def test_kappa_is_scikit_learns(marks):
    from sklearn.metrics import cohen_kappa_score

    one, other = zip(*marks, strict=True)
    ours = cohens_kappa(both(one, other))
    if math.isnan(ours):
        assert set(one) == set(other)
        assert len(set(one)) == 1
    else:
        assert ours == pytest.approx(cohen_kappa_score(one, other))


def test_settling():
    pair = ("q1", "d1")

    def settled(*marks):
        return settle(frame(**{str(n): {pair: mark} for n, mark in enumerate(marks)}))[pair]

    assert settled("relevant") == "relevant"
    assert settled("relevant", "not", "relevant") == "relevant"
    assert settled("relevant", "not") == "doubtful"
    assert settled("relevant", "not", "doubtful") == "doubtful"
    assert settled("relevant", None) == "relevant"


def one_mark(settled: dict) -> pd.Series:
    return frame(mark=settled)["mark"]


TOPICS = pd.DataFrame({
    "qid": ["q1", "q2", "q3"], "query": ["load factor of 50%", "lake deeper than 100 m", "what is 1 + 1"],
    "condition": ["=", ">", ""], "value": [50.0, 1e8, math.nan], "high": [math.nan] * 3, "unit": ["%", "m", ""],
    "type": ["lexical"] * 3,
})  # fmt: skip


def test_export_loads_as_a_collection(tmp_path):
    settled = {("q1", "d1"): "relevant", ("q1", "d2"): "not", ("q1", "d3"): "doubtful", ("q2", "d1"): "relevant",
               ("q2", "d4"): "relevant"}  # fmt: skip
    done = export(sheet(), TOPICS, one_mark(settled), tmp_path / "made", "tiny")
    assert (done.queries, done.relevant, done.convertible, done.judged, done.unmarked) == (2, 2, 1, 5, 0)
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == [
        "tiny.doubtful", "tiny.qrels", "tiny.qrels-convertible", "tiny.topics.tsv",
    ]  # fmt: skip
    topics, qrels, convertible, doubtful = done.files
    loaded = LocalCollection(None, topics, qrels, doubtful, convertible)
    topics = loaded.get_topics("structured")
    assert topics[["qid", "query"]].equals(TOPICS[["qid", "query"]].head(2))
    assert [str(c) for (c,) in topics["constraints"]] == ["= 50 %", "> 100,000,000 m"]
    assert loaded.get_qrels().to_numpy().tolist() == [["q1", "d1", 1], ["q1", "d2", 0], ["q2", "d4", 1]]
    assert loaded.get_qrels("convertible").to_numpy().tolist() == [["q2", "d1", 1]]
    assert loaded.get_doubtful().to_numpy().tolist() == [["q1", "d3"]]


def test_export_leaves_out_what_cannot_be_measured(tmp_path):
    settled = {("q1", "d1"): "relevant", ("q2", "d1"): "relevant", ("q2", "d4"): "not"}
    done = export(sheet(), TOPICS, one_mark(settled), tmp_path)
    assert done.without_relevant == ["q2"]
    assert (done.unmarked, done.queries, done.judged) == (2, 1, 1)
    assert done.files[0].read_text().splitlines()[1:] == ["q1\tload factor of 50%\t=\t50\t\t%\tlexical"]
    assert done.files[3].read_text() == ""


def test_export_of_nothing(tmp_path):
    with pytest.raises(ValueError, match="nothing is marked relevant"):
        export(sheet(), TOPICS, one_mark({("q1", "d1"): "not"}), tmp_path)
    with pytest.raises(ValueError, match="query 'q1' was marked and is not in the topics"):
        export(sheet(), TOPICS.tail(2), one_mark({("q1", "d1"): "not"}), tmp_path)
    assert not list(tmp_path.iterdir())


class TestTwoAtOnce:
    PAIRS = tuple((f"q{n}", f"d{m}") for n in range(4) for m in range(20))

    def test_no_mark_is_lost_between_processes(self, tmp_path):
        children = []
        for half in (self.PAIRS[:40], self.PAIRS[40:]):
            child = os.fork()
            if not child:
                marks = MarkFile(tmp_path, "anna", self.PAIRS)
                for pair in half:
                    marks.set(pair, "relevant")
                os._exit(0)
            children.append(child)
        assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
        assert len(read_marks(tmp_path / "anna.marks.tsv")) == len(self.PAIRS)
        assert [path.name for path in tmp_path.iterdir()] == ["anna.marks.tsv"]

    def test_a_column_that_would_be_lost_is_refused(self, tmp_path):
        text = "qid\tdocno\tmark\tnote\nq0\td0\trelevant\tlook again\n"
        (tmp_path / "anna.marks.tsv").write_text(text)
        with pytest.raises(CollectionError, match="column 'note' is none of qid, docno, mark, when"):
            MarkFile(tmp_path, "anna", self.PAIRS).marks()
        assert (tmp_path / "anna.marks.tsv").read_text() == text
