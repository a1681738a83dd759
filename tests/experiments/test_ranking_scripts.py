"""What defaults.py, constant.py, doubt.py, frozen.py and never_worse.py print, on small collections."""

import constant
import defaults
import doubt
import frozen
import never_worse
import pandas as pd
import pytest
from authors_folder import write_folder
from scripts import call

import pyterrier_quantity as ptq


@pytest.fixture(scope="module")
def finquant(tmp_path_factory):
    return write_folder(tmp_path_factory.mktemp("given") / "finquant-small")


def kept_in(out):
    """Where a script keeps and writes what it makes."""
    return "--work", out / "work", "--out", out, "--quiet"


@pytest.mark.parametrize("ranker", [(), ("--ranker", "BM25")])
def test_defaults_leaves_each_collection_out(finquant, tmp_path, ranker):
    call(defaults, finquant, "quantity:demo", "--queries", 3, "--quick", *ranker, *kept_in(tmp_path))
    table = pd.read_csv(tmp_path / f"{'-'.join(('defaults', *ranker[1:]))}.csv", index_col=0)
    assert list(table.index) == ["finquant-small", "quantity:demo"]
    assert (table["best of its own"] >= table[["defaults", "chosen on the others"]].max(axis=1) - 1e-9).all()
    (told,) = tmp_path.glob("defaults*.md")
    assert "Upper bounds" in told.read_text(encoding="utf-8")


def test_one_collection_is_too_few(finquant, tmp_path):
    with pytest.raises(ValueError, match="at least two"):
        call(defaults, finquant, *kept_in(tmp_path))


def test_what_is_chosen_without_a_collection_does_not_look_at_it():
    table = pd.DataFrame({"a": [0.1, 0.2, 0.9], "b": [0.8, 0.2, 0.1], "c": [0.7, 0.1, 0.2]})
    table.index = pd.Index([defaults.DEFAULT, (1.0, 0.0, 1.0), (2.0, 0.0, 1.0)], tupleize_cols=False)
    found = defaults.left_out(table, defaults.DEFAULT)
    assert found.loc["a", "which"] == defaults.worded(defaults.DEFAULT)
    assert found.loc["a", "chosen on the others"] == 0.1
    assert found.loc["a", "best of its own"] == 0.9


@pytest.mark.parametrize(("name", "other"), [("BOUND", 0.1), ("MET", 0.0), ("floor", 0.9), ("convertible", 0.0)])
def test_a_constant_is_changed_everywhere_and_back(finquant, tmp_path, name, other):
    before = constant.in_use(name)
    call(constant, finquant, "--constant", name, "--values", other, *kept_in(tmp_path))
    table = pd.read_csv(tmp_path / f"constant-{name}.csv", index_col=0)
    assert table.index.tolist() == [before, other]
    assert constant.in_use(name) == before
    with constant.changed(name, other) as scoring:
        held = constant.in_use(name), scoring.met, getattr(scoring.fit, name, None), getattr(scoring.units, name, None)
    assert other in held


def test_an_unknown_constant_is_named(finquant, tmp_path):
    with pytest.raises(ValueError, match="--constant Bound: no number of this name"):
        call(constant, finquant, "--constant", "Bound", "--values", 1, *kept_in(tmp_path))


def test_doubt_is_learned_without_each_collection(finquant, tmp_path):
    call(doubt, finquant, "quantity:demo", "--sample", 20, "--around", 1, 4, *kept_in(tmp_path))
    table = pd.read_csv(tmp_path / "doubt.csv", index_col=0)
    assert "quantity:demo" in table.index
    assert (table.filter(like="best").sum(axis=1) >= table.filter(like="in use").sum(axis=1)).all()
    assert "All teach: parsed" in (tmp_path / "doubt.md").read_text(encoding="utf-8")


def test_what_is_frozen_is_the_same_until_something_changes(finquant, tmp_path, capsys):
    kept = tmp_path / "kept.npz"
    call(frozen, finquant, "--keep", kept, *kept_in(tmp_path))
    call(frozen, finquant, "--against", kept, *kept_in(tmp_path))
    assert " 0 differ" in capsys.readouterr().out
    with constant.changed("BOUND", 0.1), constant.changed("EQUAL_DECAY", 1.0), pytest.raises(SystemExit):
        call(frozen, finquant, "--against", kept, *kept_in(tmp_path))


def test_never_worse_asks_in_every_wording(finquant, tmp_path):
    call(never_worse, finquant, *kept_in(tmp_path))
    table = pd.read_csv(tmp_path / "never-worse-finquant-small.csv", index_col=0)
    assert list(table.index) == list(never_worse.WORDINGS)
    assert table.loc["removed", "worse"] == 0
    assert table.loc["typed", "union"] > table.loc["typed", "BM25"]


@pytest.mark.parametrize("kind", [kind for kind in never_worse.WORDINGS if kind != "typed"])
def test_no_wording_sets_a_condition(kind):
    topics = pd.DataFrame({"qid": list("12345"), "query": ["copper price above 65 cents a pound"] * 5})
    for query in never_worse.reworded(topics, never_worse.WORDINGS[kind])["query"]:
        assert "65" not in query
        assert ptq.parse_query(query)[1] == []


def test_wordings_of_a_file_join(tmp_path):
    path = tmp_path / "own.tsv"
    path.write_text("# mine\nletters\t3 letters on {}\nletters\tour 2 letters: {}\n", encoding="utf-8")
    found = never_worse.wordings_of(path)
    assert found["letters"] == ("3 letters on {}", "our 2 letters: {}")
    assert found["ages"] == never_worse.WORDINGS["ages"]


def test_a_wording_without_a_place_for_the_topic_is_named(tmp_path):
    path = tmp_path / "own.tsv"
    path.write_text("letters\tthree letters\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 1"):
        never_worse.wordings_of(path)


def test_every_wording_around_some_topics(finquant, tmp_path):
    call(never_worse, finquant, "--around", 3, *kept_in(tmp_path))
    table = pd.read_csv(tmp_path / "never-worse-finquant-small.csv", index_col=0)
    kinds = [kind for kind in never_worse.WORDINGS if kind != "typed"]
    assert list(table.index) == ["typed", "asked", "beside", "nothing asked", *kinds]
    assert table.loc["nothing asked", "queries"] == table.loc[kinds, "queries"].sum()
    assert table.loc["asked", "queries"] >= len(never_worse.ASKING)
    assert table.loc["asked", "union"] > table.loc["asked", "BM25"]
    assert table["p"].between(0, 1).all()


def test_what_is_told_is_not_asked(finquant, tmp_path):
    call(never_worse, finquant, "--around", 1, "--told", "finquant-small", *kept_in(tmp_path))
    table = pd.read_csv(tmp_path / "never-worse-finquant-small.csv", index_col=0)
    kinds = [kind for kind in never_worse.WORDINGS if kind != "typed"]
    assert list(table.index) == ["typed", "nothing asked", *kinds]
    assert table.loc["nothing asked", "queries"] == table.loc[kinds, "queries"].sum() > 0


def test_a_topic_asked_twice_is_measured_twice(finquant):
    topics = pd.DataFrame({"qid": list("abc"), "query": ["tin below 5 tons", "wool", "oil above 3 dollars"]})
    found = never_worse.around(topics, ["tell me of {}", "{} on Windows 11"], 2, never_worse.Random(1))
    assert found["qid"].is_unique
    assert len(found) == 4
    assert set(found["topic"]) <= set("abc")
    assert not found["query"].str.contains("below|above").any()
