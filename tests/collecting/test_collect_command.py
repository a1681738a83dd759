"""`pyterrier-quantity collect`, from a corpus to an experiment on the collection."""

import json
import re
import shutil
import subprocess
import urllib.request
from contextlib import ExitStack
from pathlib import Path

import pandas as pd
import pytest
from cli_material import program, ran, refused
from collecting_material import DOCUMENTS

from pyterrier_quantity import cli
from pyterrier_quantity.collecting import Sheet, read_marks
from pyterrier_quantity.datasets import LocalCollection

NEEDS = "concept\tunit\tsynonyms\tparaphrases\nload factor\t%\t\toccupied seats\nlake depth\tm\tdepth\t\n"


def written(folder):
    """A corpus, and what is asked of it."""
    (folder / "air.jsonl").write_text("".join(json.dumps(document) + "\n" for document in DOCUMENTS))
    (folder / "air.needs.tsv").write_text(NEEDS)
    return folder


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return written(tmp_path)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with an index, topics and a sheet; only to be copied."""
    folder = written(tmp_path_factory.mktemp("air"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in (
            ["index", "air.jsonl", "air.concepts", "--quiet"],
            ["topics", "air.concepts", "air.needs.tsv", "air.topics.tsv", "--enough", "1", "--most", "10"],
            ["candidates", "air.concepts", "air.topics.tsv", "air.sheet.tsv"],
        ):
            assert cli.main(["collect", *command]) == 0
    return folder


@pytest.fixture
def sheet(made, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return Sheet.read("air.sheet.tsv")


def filled(sheet, path, marks):
    """A sheet with marks filled in, as a person does in a spreadsheet."""
    table = pd.read_csv("air.sheet.tsv", sep="\t", dtype=str)
    table["mark"] = [marks(c) for c in sheet.candidates]
    table.to_csv(path, sep="\t", index=False)


def truth(candidate):
    about = "load factor was" in candidate.text if candidate.qid.startswith("1-") else "depth" in candidate.text
    met = any(mention.kind in "+~" for mention in candidate.mentions)
    return "relevant" if about and met else "not"


def test_index_concepts_values(home, capsys):
    out = ran(capsys, "collect", "index", "air.jsonl", "air.concepts", "--quiet")
    assert re.search(r"air.concepts: 18 quantities of 19 documents, about 9 concepts in 3 units, in [\d.]+ s\n", out)
    out = ran(capsys, "collect", "concepts", "air.concepts", "--unit", "percent", "--csv", "pairs.csv")
    assert re.search(r"load factor +percentage +10 +10 +50 +57 +65\n", out)
    assert len(pd.read_csv("pairs.csv")) == out.count("percentage")
    out = ran(capsys, "collect", "concepts", "air.concepts", "--concept", "load factor", "--top", "1")
    assert out.endswith("1 pairs\n")
    out = ran(capsys, "collect", "values", "air.concepts", "--unit", "m", "depth", "lake")
    assert re.search(r"\n152.4 +1 +1 +#{40}\n", out)
    assert out.endswith("5 values in 5 documents\n")
    out = ran(capsys, "collect", "values", "air.concepts", "--unit", "m", "zebra")
    assert out.endswith("0 values in 0 documents\n")


def test_from_corpus_to_collection(sheet, capsys):
    filled(sheet, "anna.tsv", truth)
    contrary = sheet.candidates[0].pair
    filled(sheet, "bert.tsv", lambda c: "doubtful" if c.pair == contrary else truth(c))
    out = ran(capsys, "collect", "kappa", "air.sheet.tsv", "--marks", "anna.tsv", "--marks", "bert.tsv")
    assert re.search(rf"anna, bert +{len(sheet)} +0\.\d+ +0\.9\d+\n", out)
    made = ["export", "air.sheet.tsv", "air.topics.tsv", "--marks", "anna.tsv", "--marks", "bert.tsv", "--out", "made"]
    out = ran(capsys, "collect", *made)
    found = LocalCollection("air.jsonl", "made/made.topics.tsv", "made/made.qrels", "made/made.doubtful",
                            "made/made.qrels-convertible")  # fmt: skip
    assert found.get_doubtful().to_numpy().tolist() == [list(contrary)]
    qrels = found.get_qrels().set_index(["qid", "docno"])["label"].to_dict()
    strict = [c for c in sheet.candidates if not c.convertible and c.pair != contrary]
    expected = {c.pair: int(truth(c) == "relevant") for c in strict}
    answered = {qid for (qid, _), label in expected.items() if label}
    assert qrels == {pair: label for pair, label in expected.items() if pair[0] in answered}
    assert f"{len(answered)} queries" in out
    assert set(found.get_topics()["qid"]) == answered
    ran(capsys, "collect", *made, "--name", "air")
    files = {part: f"made/air.{part}" for part in ("qrels", "doubtful")} | {"topics": "made/air.topics.tsv"}
    files |= {"corpus": "air.jsonl", "csv": "results.csv"}
    assert cli.main(["experiment", "--quiet", *(part for n, file in files.items() for part in (f"--{n}", file))]) == 0
    results = pd.read_csv("results.csv").set_index("name")["nDCG@10"]
    assert results["QBM25"] > results["BM25"]


def test_marks_in_the_sheet_itself_are_found(sheet, capsys):
    assert "no marks in 'air.sheet.marks', nor in the column" in refused(capsys, "collect", "kappa", "air.sheet.tsv")
    filled(sheet, "air.sheet.tsv", truth)
    out = ran(capsys, "collect", "export", "air.sheet.tsv", "air.topics.tsv", "--out", "made")
    assert f"{len({c.qid for c in sheet.candidates if truth(c) == 'relevant'})} queries" in out


def test_annotating_in_a_process_of_its_own(sheet):
    command = program("collect", "annotate", "air.sheet.tsv", "--annotator", "anna")
    with ExitStack() as ending:
        piped = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process = ending.enter_context(piped)
        ending.callback(process.kill)
        assert process.stdout.readline() == f"air.sheet.tsv: {len(sheet)} sentences; marks go to air.sheet.marks\n"
        url, token = re.fullmatch(r"open (http://127\.0\.0\.1:\d+)/\?annotator=anna#(\S+)\n",
                                  process.stdout.readline()).groups()  # fmt: skip
        pair = min(sheet.pairs)
        mark = {"annotator": "anna", "qid": pair[0], "docno": pair[1], "mark": "relevant"}
        headers = {"Content-Type": "application/json", "X-Token": token}
        request = urllib.request.Request(f"{url}/api/mark", json.dumps(mark).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            assert json.load(answer) == {"saved": True, "marked": 1}
        assert read_marks("air.sheet.marks/anna.marks.tsv") == {pair: "relevant"}
        process.terminate()  # SIGINT is ignored in what a script starts in the background
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert out.endswith(f"anna: 1 of {len(sheet)} marked\n")
    assert err == ""


def test_edited_files_are_not_replaced(sheet, capsys):
    before = Path("air.topics.tsv").read_bytes(), Path("air.sheet.tsv").read_bytes()
    for command in (
        ["index", "air.jsonl", "air.concepts", "--quiet"],
        ["topics", "air.concepts", "air.needs.tsv", "air.topics.tsv"],
        ["candidates", "air.concepts", "air.topics.tsv", "air.sheet.tsv"],
    ):
        assert re.search("pass (--)?overwrite to replace it", refused(capsys, "collect", *command))
    assert "choose another path" in refused(capsys, "collect", "index", "air.jsonl", ".", "--overwrite")
    assert before == (Path("air.topics.tsv").read_bytes(), Path("air.sheet.tsv").read_bytes())
    ran(capsys, "collect", *command, "--overwrite", "--reach", "exact")
    assert Path("air.sheet.tsv").read_bytes() != before[1]


def test_what_is_left_out_is_said(sheet, capsys):
    few = ["--enough", "9", "--most", "9", "--conditions", "= !="]
    out = ran(capsys, "collect", "topics", "air.concepts", "air.needs.tsv", "few.tsv", *few)
    assert "left out: 'load factor' in 'percentage', =: no value is met by 9 to 9 documents, but by 1 to" in out
    Path("zebra.tsv").write_text("qid\tquery\tkeywords\tcondition\tvalue\tunit\n1\tzebra\tzebra\t<\t5\tm\n"
                                 "2\tdepth\tdepth\t>\t5\tm\n3\tlakes\tlake\t\t\t\n")  # fmt: skip
    out = ran(capsys, "collect", "candidates", "air.concepts", "zebra.tsv", "zebra.sheet.tsv")
    assert "no candidates for 1: give other synonyms, or a farther --reach" in out
    assert "left out, for they do not set one condition: 3\n" in out
    Path("zebra.tsv").write_text("qid\tquery\tcondition\tvalue\n1\tzebra\t\t\n")
    assert "no topic sets one condition" in refused(
        capsys, "collect", "candidates", "air.concepts", "zebra.tsv", "x.tsv"
    )


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (["index", "nowhere.jsonl", "x"], "no corpus file 'nowhere.jsonl'"),
        (["concepts", "air.concepts", "--unit", "&&"], "'&&' is not a unit"),
        (["topics", "air.concepts", "air.needs.tsv", "x.tsv", "--conditions", "~ <>"], "unknown condition '<>'"),
        (["topics", "air.concepts", "air.needs.tsv", "x.tsv", "--enough", "0"], "enough \\(0\\) must be from 1"),
        (["candidates", "air.concepts", "plain.tsv", "x.tsv"], "plain.tsv has no conditions"),
        (["candidates", "air.concepts", "zebra.tsv", "x.tsv"], "no candidates for any topic of zebra.tsv"),
        (["annotate", "air.topics.tsv"], "air.topics.tsv, line 1: the header has no column 'docno'"),
        (["annotate", "air.sheet.tsv", "--annotator", "../x"], "annotator '../x': a name has 1 to 40"),
        (["annotate", "air.sheet.tsv", "--port", "70000"], "port 70000 cannot be opened"),
        (["kappa", "air.sheet.tsv"], "no marks in 'air.sheet.marks', nor in the column 'mark' of the"),
        (["export", "air.sheet.tsv", "air.topics.tsv", "--marks", "air.sheet.tsv", "--out", "x"], "nothing is marked"),
    ],
)  # fmt: skip
def test_wrong_input(sheet, capsys, command, problem):
    Path("plain.tsv").write_text("qid\tquery\n1\tcar\n")
    Path("zebra.tsv").write_text("qid\tquery\tkeywords\tcondition\tvalue\tunit\n1\tz\tzebra\t<\t5\tm\n")
    assert re.search(problem, refused(capsys, "collect", *command))
    assert not Path("x").exists()
    assert not Path("x.tsv").exists()
