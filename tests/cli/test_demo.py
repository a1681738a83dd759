"""The demo and the sub-command `experiment`: indexing, the table, sample results; on the bundled and on own files."""

import json
import re

import pandas as pd
import pytest

from pyterrier_quantity import cli
from pyterrier_quantity.cli import experiment
from pyterrier_quantity.cli.experiment import open_indexes
from pyterrier_quantity.datasets import LocalCollection, get_dataset

SYSTEMS = ["BM25", "BM25_filter", "QBM25 (paper, whole query)", "QBM25 (reranking)", "QBM25"]


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The demo's output on the bundled collection, its work folder, and its table as a frame."""
    work = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        lines: list[str] = []
        patch.setattr("builtins.print", lambda *args, **kwargs: lines.append(" ".join(map(str, args))))
        code = cli.main(
            ["experiment", "--work", str(work / "work"), "--csv", str(work / "table.csv"), "--quiet", "--show", "6"]
        )
    assert code == 0, lines
    return "\n".join(lines), work, pd.read_csv(work / "table.csv").set_index("name")


def test_it_prints_a_row_per_system(shown):
    out, _, table = shown
    rows = [line for line in out.splitlines() if re.match(r"Q?BM25", line)]
    assert [row.split("  ")[0] for row in rows] == SYSTEMS == list(table.index)
    for row, (_, measures) in zip(rows, table.iterrows(), strict=True):
        ndcg = re.findall(r"\d\.\d{3}", row)[2]
        assert float(ndcg) == pytest.approx(measures["nDCG@10"], abs=0.0005)


def test_quantities_make_the_ranking_better(shown):
    _, _, table = shown
    ndcg = table["nDCG@10"]
    assert ndcg["QBM25"] > ndcg["BM25_filter"] > ndcg["BM25"]
    assert ndcg["QBM25"] > 1.5 * ndcg["BM25"]
    assert ndcg["QBM25"] > ndcg["QBM25 (paper, whole query)"]
    assert table["R@100"]["QBM25"] > table["R@100"]["BM25"]


def test_significance_is_corrected(shown):
    out, _, table = shown
    assert bool(table["nDCG@10 reject"]["QBM25"])
    assert (table["nDCG@10 p-value corrected"] >= table["nDCG@10 p-value"]).iloc[1:].all()
    row = next(line for line in out.splitlines() if line.startswith("QBM25  "))
    assert row.count("†") == sum(table[f"{m} reject"]["QBM25"] for m in ("P@10", "RR@10", "nDCG@10", "R@100"))


def test_it_shows_queries_with_their_matches(shown):
    out, _, _ = shown
    data = get_dataset("demo")
    texts = {document["docno"]: document["text"] for document in data.get_corpus_iter(verbose=False)}
    results = re.findall(r"^  \d\. [+-] [\d.]+  (\S+) \((?:BM25 rank \d+|not in BM25)\)  (.*)$", out, re.MULTILINE)
    assert len(results) == 6 * 3, out
    for docno, text in results:
        assert text.replace("**", "") == texts[docno]
    assert sum("**" in text for _, text in results) >= 9
    assert out.count("[no quantity]") == 1


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """Where the indexes of the user's own collection are kept."""
    return tmp_path_factory.mktemp("work")


@pytest.fixture
def files(tmp_path, work):
    """A collection of the user's own."""
    corpus = [{"docno": f"d{n}", "text": f"The car number {n} of the show makes {100 * n} hp."} for n in range(1, 10)]
    (tmp_path / "cars.jsonl").write_text("".join(json.dumps(document) + "\n" for document in corpus))
    (tmp_path / "cars.tsv").write_text("1\tcar above 450 hp\n2\tcar below 250 hp\n3\tcar with exactly 600 hp\n")
    relevant = [(1, n) for n in range(5, 10)] + [(2, 1), (2, 2), (3, 6)]
    (tmp_path / "cars.qrels").write_text("".join(f"{qid} 0 d{n} 1\n" for qid, n in relevant))
    return ["--corpus", str(tmp_path / "cars.jsonl"), "--topics", str(tmp_path / "cars.tsv"),
            "--qrels", str(tmp_path / "cars.qrels"), "--work", str(work), "--quiet"]  # fmt: skip


def test_own_files_twice(files, tmp_path, work, capsys):
    table = tmp_path / "table.csv"
    assert cli.main(["experiment", *files, "--csv", str(table), "--show", "3", "--top", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("cars: 9 documents, ")
    assert "3 judged queries" in out
    measured = pd.read_csv(table).set_index("name")
    assert (measured["RR@10"]["QBM25"], measured["R@100"]["QBM25"]) == (1.0, 1.0)
    assert out.count("\n  1. + ") == 3
    made = {path: path.stat().st_mtime_ns for path in work.rglob("*")}
    assert cli.main(["experiment", *files, "--show", "3", "--top", "2"]) == 0
    assert re.sub(r" +[\d.]+\n", "\n", capsys.readouterr().out) == re.sub(r" +[\d.]+\n", "\n", out)
    assert {path: path.stat().st_mtime_ns for path in work.rglob("*")} == made  # the indexes are found again


def test_doubtful_pairs_are_left_out(files, tmp_path, capsys):
    unjudged = tmp_path / "doubtful"
    unjudged.write_text("3 d6\n")
    table = tmp_path / "table.csv"
    assert cli.main(["experiment", *files, "--doubtful", str(unjudged), "--csv", str(table), "--show", "0"]) == 0
    assert pd.read_csv(table).set_index("name")["R@100"]["QBM25"] == pytest.approx(2 / 3)
    drop = experiment.without(pd.DataFrame({"qid": ["1"], "docno": ["b"]}))
    ranked = pd.DataFrame({"qid": ["1"] * 3, "docno": list("abc"), "score": [3.0, 2.0, 1.0], "rank": [0, 1, 2]})
    assert drop(ranked)[["docno", "rank"]].values.tolist() == [["a", 0], ["c", 1]]


def test_a_changed_corpus_is_indexed_anew(files, tmp_path, work):
    before = set(work.iterdir())
    with open(tmp_path / "cars.jsonl", "a") as out:
        out.write('{"docno": "d10", "text": "The car makes 1000 hp."}\n')
    opened = open_indexes(LocalCollection(tmp_path / "cars.jsonl"), work, verbose=False)
    assert len(opened.quantities) == 10
    assert set(work.iterdir()) - before == {opened.home}


@pytest.mark.parametrize(
    ("option", "content", "message"),
    [
        ("--corpus", "not json\n", "line 1: not JSON"),
        ("--corpus", "", "the corpus is empty"),
        ("--topics", "1\n", "line 1: column 'query' is empty; fill it in, separated by single tabs"),
        ("--topics", "77\tcar above 5 hp\n", "no topic of .* is judged in"),
        ("--qrels", "1 0 d1\n", "line 1: 3 columns where 4 are expected"),
        ("--doubtful", "1\n", "line 1: '1' is not of the form qid docno"),
    ],
)
@pytest.mark.filterwarnings("ignore:the corpus is empty")
def test_bad_files_are_named(files, tmp_path, capsys, option, content, message):
    bad = tmp_path / "bad.jsonl"
    bad.write_text(content)
    assert cli.main(["experiment", *files, option, str(bad)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("pyterrier-quantity: error: ")
    assert re.search(message, error)


@pytest.mark.parametrize("argv", [["--corpus", "x.jsonl"], ["--doubtful", "x"], ["--corpus", "x", "--qrels", "y"]])
def test_half_a_collection_is_refused(capsys, argv):
    assert cli.main(["experiment", *argv]) == 2
    assert "go together" in capsys.readouterr().err
