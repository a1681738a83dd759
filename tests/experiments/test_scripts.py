"""The experiments on a folder in the authors' form and on local files: tables, kept runs, bad arguments."""

import csv
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import subsets
import table2
from lib import runs, systems, tuning
from lib.arguments import collections
from lib.neural_systems import TUNED
from scripts import call

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "pyterrier_quantity/data/demo"
BY_WORDS = ["BM25 (keywords)", "BM25 (whole query)", "QBM25 (paper)", "QBM25 (ours)"]
MEASURES = ["P@10", "RR@10", "nDCG@10", "R@100"]


def rows(path: Path) -> dict[str, dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as lines:
        return {row["system"]: row for row in csv.DictReader(lines)}


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """Where indexes and runs of all tests are kept."""
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def table(finquant, work):
    """Table 2 of that folder, with the small real models: its output folder."""
    call(table2, "--quiet", finquant, "--work", work, "--out", work / "first")
    return work / "first"


def test_table_2_has_every_row_with_figures(table):
    found = rows(table / "table2-finquant-small.csv")
    assert list(found) == [name for name in systems.SYSTEMS if name not in TUNED]
    for row in found.values():
        assert all(0 <= float(row[measure]) <= 1 for measure in MEASURES)
        assert float(row["mrt"]) > 0
    for aware, base in {"QBM25 (ours)": "BM25 (whole query)", "QSPLADE (ours)": "SPLADE", "QColBERT (ours)": "ColBERT",
                        "QBM25 (paper)": "BM25 (keywords)", "Qdense (ours)": "dense"}.items():  # fmt: skip
        assert float(found[aware]["nDCG@10"]) > float(found[base]["nDCG@10"])
        assert found[aware]["base"] == base
        assert 0 < float(found[aware]["nDCG@10 p"]) <= 1


def test_figure_1_takes_the_kept_runs(table, finquant, work, monkeypatch):
    monkeypatch.setattr(runs, "_run", lambda *args: pytest.fail("ran again"))
    call(subsets, "--quiet", finquant, "--work", work, "--out", work / "figure")
    found = pd.read_csv(work / "figure/subsets-finquant-small.csv", index_col=0)
    assert (work / "figure/subsets-finquant-small.svg").read_text().lstrip().startswith("<?xml")
    by_type, by_condition = found.iloc[:, :-3], found.iloc[:, -3:]
    for groups in (by_type, by_condition):
        assert sum(int(re.search(r"\((\d+)\)$", group)[1]) for group in groups) == 12
    assert [group.split(" (")[0] for group in by_condition] == ["equal", "less", "greater"]
    assert by_type.columns[0].startswith("seen")
    assert list(found.index) == list(rows(table / "table2-finquant-small.csv"))
    overall = float(rows(table / "table2-finquant-small.csv")["QBM25 (ours)"]["nDCG@10"])
    sizes = [int(re.search(r"\((\d+)\)$", group)[1]) for group in by_condition]
    weighted = sum(by_condition.loc["QBM25 (ours)"] * sizes) / sum(sizes)
    assert weighted == pytest.approx(overall)


AS_THE_AUTHORS = ["--quantities", "given", "--constraints", "given", "--text", "normalized_sentence"]


def test_a_collection_as_its_authors_run_it(finquant, work):
    read, _ = collection_of(finquant, "--work", work)
    given, _ = collection_of(finquant, "--work", work, *AS_THE_AUTHORS)
    assert given.quantities.path != read.quantities.path
    assert given.fingerprint != read.fingerprint
    asked = given.data.get_topics("structured").set_index("qid")["constraints"]
    parsed = given.parse(given.queries).set_index("qid")["constraints"]
    assert parsed.to_dict() == asked.loc[parsed.index].to_dict()
    stated = given.data.get_quantities()
    for docno in list(stated)[:50]:
        found = [(q.low, q.high, q.unit) for q in given.quantities.quantities(docno)]
        assert found == [(q.low, q.high, q.unit) for q in stated[docno]]
    texts = {document["docno"]: document["text"] for document in given.documents()}
    assert texts != {document["docno"]: document["text"] for document in read.documents()}


def local_files(*extra):
    return ["--corpus", DEMO / "corpus.jsonl", "--topics", DEMO / "topics.tsv", "--qrels", DEMO / "demo.qrels", *extra]


def test_local_files_and_chosen_systems(work):
    call(table2, "--quiet", *local_files("--work", work, "--out", work / "local", "--systems", *BY_WORDS),
         "--test", "t")  # fmt: skip
    found = rows(work / "local/table2-corpus.csv")
    assert list(found) == [name for name in systems.SYSTEMS if name in BY_WORDS]
    assert float(found["QBM25 (ours)"]["nDCG@10"]) > 0.8
    text = (work / "local/table2-corpus.md").read_text(encoding="utf-8")
    assert re.search(r"\| QBM25 \(ours\) \| \d\.\d+† ", text)
    assert "paired t-test" in text


def collection_of(*arguments):
    """The collection that the arguments name, and the arguments."""
    args = systems.systems_parser("").parse_args([*map(str, arguments), "--quiet"])
    (found,) = collections(args)
    return found, args


def test_tuned_parameters_come_from_other_folds(finquant, work, monkeypatch):
    collection, args = collection_of(finquant, "--work", work, "--systems", "QBM25 (paper)", "--parameters", "tuned")
    monkeypatch.setattr(tuning, "GRID", {"k1": [0.5, 0.9], "b": [0.5], "alpha": [0.0, 2.0]})
    (system,) = systems.systems(collection, args)
    pipeline = system.make()
    assert isinstance(pipeline, tuning.ByFold)
    assert sorted(qid for fold in pipeline.folds for qid in fold) == sorted(collection.topics["qid"])
    assert all(one.pipeline.alpha == 2.0 for one in pipeline.pipelines)  # 0 would be BM25 alone
    run = pipeline(collection.topics)
    assert set(run["qid"]) <= set(collection.topics["qid"])
    first = collection.topics["qid"].isin(pipeline.folds[0])
    alone, of_fold = pipeline.pipelines[0](collection.topics[first]), run[run["qid"].isin(pipeline.folds[0])]
    assert alone["docno"].tolist() == of_fold["docno"].tolist()


TWICE = [part for option, path in zip(*[iter(local_files())] * 2, strict=True) for part in (option, path, path)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no collection: give a FOLDER, or --corpus, --topics and --qrels"),
        (["nowhere"], "no folder 'nowhere'"),
        (["."], "holds neither corpora/NAME.jsonl[.gz] and gold/NAME.topics.tsv, nor collection.csv"),
        (["--corpus", "a.jsonl", "--topics", "a.tsv", "--qrels", "a"], "no corpus file 'a.jsonl'"),
        (TWICE, "two collections are called 'corpus'"),
        (["quantity:demo", "--quantities", "given"], "--quantities given: quantity:demo has none; only FinQuant"),
        (["quantity:demo", "--text", "normalized_sentence"], "--text normalized_sentence: quantity:demo has none"),
        (["quantity:demo", "--systems", "SPLADE_out"], "--systems SPLADE_out needs its model: --splade-out MODEL"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, FileNotFoundError), match=re.escape(message)):
        call(table2, "--quiet", *arguments, "--work", tmp_path / "work", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_programs_end_with_a_line_that_says_what_is_wrong(tmp_path):
    done = subprocess.run([sys.executable, str(ROOT / "experiments/training_data.py"), "nowhere"], cwd=tmp_path,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == f"training_data.py: error: no folder 'nowhere'; looked in {tmp_path}\n"
