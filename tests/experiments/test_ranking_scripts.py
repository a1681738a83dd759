"""Output of defaults.py, constant.py, doubt.py, frozen.py and never_worse.py for small collections."""

import constant
import defaults
import doubt
import frozen
import never_worse
import pandas as pd
import pytest
from scripts import call

import pyterrier_quantity as ptq


def kept_in(out):
    """Where a script keeps and writes what it makes."""
    return "--work", out / "work", "--out", out, "--quiet"


def test_defaults_leaves_each_collection_out(finquant, tmp_path):
    call(defaults, finquant, "quantity:demo", "--queries", 3, "--quick", *kept_in(tmp_path))
    table = pd.read_csv(tmp_path / "defaults.csv", index_col=0)
    assert list(table.index) == ["finquant-small", "quantity:demo"]
    assert (table["best of its own"] >= table[["defaults", "chosen on the others"]].max(axis=1) - 1e-9).all()
    (told,) = tmp_path.glob("defaults*.md")
    assert "Upper bounds" in told.read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "other"), [("BOUND", 0.1), ("convertible", 0.0)])
def test_a_constant_is_changed_everywhere_and_back(finquant, tmp_path, name, other):
    before = constant.in_use(name)
    call(constant, finquant, "--constant", name, "--values", other, *kept_in(tmp_path))
    table = pd.read_csv(tmp_path / f"constant-{name}.csv", index_col=0)
    assert table.index.tolist() == [before, other]
    assert constant.in_use(name) == before
    with constant.changed(name, other) as scoring:
        held = constant.in_use(name), scoring.met, getattr(scoring.fit, name, None), getattr(scoring.units, name, None)
    assert other in held


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


def test_no_wording_sets_a_condition():
    topics = pd.DataFrame({"qid": list("12345"), "query": ["copper price above 65 cents a pound"] * 5})
    for kind in never_worse.WORDINGS.keys() - {"typed"}:
        for query in never_worse.reworded(topics, never_worse.WORDINGS[kind])["query"]:
            assert "65" not in query
            assert ptq.parse_query(query)[1] == []


def test_every_wording_around_some_topics(finquant, tmp_path):
    call(never_worse, finquant, "--around", 3, *kept_in(tmp_path))
    table = pd.read_csv(tmp_path / "never-worse-finquant-small.csv", index_col=0)
    kinds = [kind for kind in never_worse.WORDINGS if kind != "typed"]
    assert list(table.index) == ["typed", "asked", "beside", "nothing asked", *kinds]
    assert table.loc["nothing asked", "queries"] == table.loc[kinds, "queries"].sum()
    assert table.loc["asked", "queries"] >= len(never_worse.ASKING)
    assert table.loc["asked", "union"] > table.loc["asked", "BM25"]
    assert table["p"].between(0, 1).all()
