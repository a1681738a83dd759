"""Messages of commands: hints that work, no output except results, values of fields, no Python."""

import json
import re
import shlex
from pathlib import Path

import pytest
from cli_material import ran, refused

from pyterrier_quantity import cli

CORPUS = [
    {"docno": "boot", "text": "A warm boot.", "price": 140, "name": "Boot"},
    {"docno": "shoe", "text": "A light shoe of 300 g.", "price": 89.5, "name": "Shoe"},
]
PYTHON = re.compile(r"\b\w+=(True|False|None|')|\.\w+\(|\w\(\)")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def shop() -> str:
    rows = [f"{d['docno']};{d['name']};{d['text']};{d['price']}" for d in CORPUS]
    Path("the shop.csv").write_text("\n".join(["sku;title;story;price", *rows]) + "\n")
    return "the shop.csv"


FIELDS = ["--docno", "sku", "--text", "title", "story"]


@pytest.mark.parametrize("words", [[], ["--backend", "bm25s"]])
def test_the_hint_of_index_works_when_pasted(capsys, shop, words):
    out = ran(capsys, "index", shop, "my index", *FIELDS, "--quantities", "price:€", *words)
    (hint,) = re.findall("^search it: (.*)$", out, re.MULTILINE)
    program, *argv = shlex.split(hint)
    assert program == "pyterrier-quantity"
    found = ran(capsys, *argv)
    assert "1. " in found
    assert "Boot A warm boot." in found


def test_a_search_shows_the_values_of_fields(capsys, shop):
    ran(capsys, "index", shop, "q", *FIELDS, "--quantities", "price:€", "--quiet")
    out = ran(capsys, "search", "q", "below 100 €", "--corpus", shop, *FIELDS, "--top", "1")
    assert out.splitlines()[1].endswith("shoe  Shoe A light shoe of 300 g.  [**89.5 euro**]")


def test_quiet_prints_results_alone(capsys, corpus):
    assert cli.main(["index", corpus, "q", "--bm25", "--quiet"]) == 0
    done = capsys.readouterr()
    assert (done.out.count("\n"), done.err) == (2, "")
    out = ran(capsys, "search", "q", "shoe of 300 g", "--quiet", "--top", "1")
    assert re.fullmatch(r" +1\. [\d.]+  shoe  300 gram\n", out)
    asked = ["answer", "q", "how heavy is the shoe", "--corpus", corpus]
    assert ran(capsys, *asked, "--quiet") == "300 gram\n"
    assert ran(capsys, "answer", "q", "who is it", "--corpus", corpus, "--quiet").startswith("no answer: ")


@pytest.mark.parametrize("engine", ["pisa", "terrier", "bm25s"])
def test_answers_over_every_word_index(capsys, shop, engine):
    ran(capsys, "index", shop, "q", *FIELDS, "--backend", engine, "--quiet")
    found = ran(capsys, "answer", "q", "how heavy is the shoe", "--corpus", shop, *FIELDS, "--json")
    assert json.loads(found)["answer"] == "300 gram"


def test_messages_speak_of_options(capsys, corpus, tmp_path):
    ran(capsys, "index", corpus, "q", "--quiet")
    other = tmp_path / "other.jsonl"
    other.write_text('{"docno": "a", "text": "5 km of road"}\n')
    wrong = {
        ("search", "none", "x"): "index documents there first",
        ("serve", "none"): "index documents there first",
        ("serve", "q", "--corpus", "none.jsonl"): "no corpus file",
        ("serve", "q", "--port", "99999"): "0 for any that is free",
        ("index", str(other), "q"): "pass overwrite",
        ("delete", "q", "none"): "ignore_missing ignores",
        ("answer", "q", "how heavy"): "pyterrier-quantity index CORPUS q --bm25",
        ("search", "q", "x", "--rerank"): "pyterrier-quantity index CORPUS q --bm25",
        ("train-data", corpus, "out", "--quiet"): "give a larger corpus",
        ("train-data", "quantity:none", "out"): "neither a file nor a dataset",
    }
    for argv, remedy in wrong.items():
        message = refused(capsys, *argv)
        assert remedy in message
        assert not PYTHON.search(message), message
    assert cli.main(["index", corpus, "q", "--quiet"]) == 0
    warned = capsys.readouterr().err
    assert "overwrite rebuilds it" in warned
    assert not PYTHON.search(warned)


def test_training_data_without_other_names_says_what_is_missing(capsys, tmp_path):
    texts = [f"The tower is {height} m tall." for height in (20, 30, 40, 50, 60)]
    documents = [{"docno": str(n), "text": text} for n, text in enumerate(texts)]
    (tmp_path / "towers.jsonl").write_text("".join(json.dumps(one) + "\n" for one in documents))
    message = refused(capsys, "train-data", "towers.jsonl", "out", "--methods", "original", "concept", "--quiet")
    assert "use a table of other names or WordNet, or remove concept from the methods" in message
