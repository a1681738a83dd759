"""The command `pyterrier-quantity`, run as people run it, and within the process for its many cases."""

import gzip
import io
import json
import subprocess
import sys

import pytest
from cli_material import program, ran, refused

import pyterrier_quantity as ptq
from pyterrier_quantity import cli

CORPUS = [
    {"docno": "car-1", "text": "The Corvane sports car brings 530 hp for €118,900."},
    {"docno": "car-2", "text": "The Mirelle city car has 72 hp and costs €14,500."},
    {"docno": "car-3", "text": "A car with leather seats."},
    {"docno": "bread", "text": "The bread needs 500 g of flour."},
]
DATED = [{"docno": f"strike-{year}", "text": f"The strike began on 3 May {year}."} for year in (2019, 2021, 2023)]


class TestExtract:
    def test_table(self, capsys):
        out = ran(capsys, "extract", "It makes 503 hp and costs $64,900 to $70,000.", "Nothing here.")
        lines = out.splitlines()
        assert lines[0] == "It makes 503 hp and costs $64,900 to $70,000."
        assert lines[1].split() == ["503", "horsepower", "'503", "hp'"]
        assert "64,900 to 70,000" in lines[2]
        assert lines[4:] == ["Nothing here.", "  no quantities", ""]

    def test_json_says_what_extract_says(self, capsys):
        text = "At least 12.5 mg/dL in 3 patients"
        record = json.loads(ran(capsys, "extract", "--json", text))
        found = [ptq.Quantity(**{**q, "concept": tuple(q["concept"])}) for q in record["quantities"]]
        assert record["text"] == text
        assert found == ptq.extract(text)
        assert len(found) == 2

    @pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.jsonl.gz"])
    def test_documents_of_a_file(self, capsys, tmp_path, name):
        path = tmp_path / name
        with (gzip.open if name.endswith("gz") else open)(path, "wt") as out:
            out.writelines(json.dumps(document) + "\n" for document in CORPUS)
        records = list(map(json.loads, ran(capsys, "extract", "--json", "--file", str(path)).splitlines()))
        assert [record["docno"] for record in records] == [document["docno"] for document in CORPUS]
        assert [len(record["quantities"]) for record in records] == [2, 2, 0, 1]

    def test_lines_of_a_text_file(self, capsys, tmp_path):
        path = tmp_path / "notes.txt"
        path.write_text("5 km\n\nno number\n")
        records = list(map(json.loads, ran(capsys, "extract", "--json", "--file", str(path)).splitlines()))
        assert [(record["text"], len(record["quantities"])) for record in records] == [("5 km", 1), ("no number", 0)]

    def test_stdin(self, capsys, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.StringIO("10 km\r\n20 kg"))
        records = list(map(json.loads, ran(capsys, "extract", "--json").splitlines()))
        assert [record["quantities"][0]["unit"] for record in records] == ["kilometre", "kilogram"]

    def test_what_is_wrong_is_named(self, capsys, tmp_path):
        assert "no text file 'nowhere.txt'" in refused(capsys, "extract", "--file", "nowhere.txt")
        assert "not both" in refused(capsys, "extract", "5 km", "--file", "x.txt")
        bad = tmp_path / "bad.jsonl"
        bad.write_text('{"docno": "a", "text": "5 km"}\n{"docno": "b"\n')
        assert f"{bad}, line 2: not JSON" in refused(capsys, "extract", "--file", str(bad))
        latin = tmp_path / "latin.txt"
        latin.write_bytes(b"5 km\ncaf\xe9\n")
        assert "line 2: not UTF-8" in refused(capsys, "extract", "--file", str(latin))


class TestIndex:
    def test_builds_what_the_package_reads(self, capsys, tmp_path, corpus):
        path = tmp_path / "cars.quantity"
        out = ran(capsys, "index", corpus, str(path), "--quiet")
        assert "5 quantities of 4 documents" in out
        index = ptq.QuantityIndex(path)
        assert [q.low for q in index.quantities("car-1")] == [530, 118900]
        assert not (tmp_path / "cars.quantity.words").exists()

    def test_refuses_to_overwrite(self, capsys, corpus, index, tmp_path):
        other = tmp_path / "other.jsonl"
        other.write_text('{"docno": "a", "text": "5 km"}\n')
        assert "pass overwrite" in refused(capsys, "index", str(other), index)
        assert "pass overwrite" in refused(capsys, "index", str(other), index, "--bm25")
        assert "5 quantities" in ran(capsys, "index", corpus, index, "--bm25", "--overwrite", "--quiet")

    def test_what_is_wrong_is_named(self, capsys, tmp_path):
        assert "no corpus file" in refused(capsys, "index", str(tmp_path / "none.jsonl"), str(tmp_path / "index"))
        bad = tmp_path / "bad.jsonl"
        bad.write_text('{"docno": "a", "text": "5 km"}\n{"docno": "b b", "text": "6 km"}\n')
        message = refused(capsys, "index", str(bad), str(tmp_path / "index"), "--bm25", "--quiet")
        assert f"{bad}, line 2: docno 'b b' is empty or holds spaces" in message
        assert [path.name for path in tmp_path.iterdir()] == ["bad.jsonl"]

    def test_lines_of_one_docno_are_one_document(self, capsys, tmp_path):
        twice = tmp_path / "twice.jsonl"
        twice.write_text('{"docno": "a", "text": "car of 5 km"}\n{"docno": "a", "text": "car of 600 hp"}\n')
        path = str(tmp_path / "index")
        assert cli.main(["index", str(twice), path, "--bm25", "--quiet"]) == 0
        out = capsys.readouterr()
        assert "2 quantities of 1 documents" in out.out
        assert out.err.count("\n") == out.err.count("warning: ") == 1
        shown = ran(capsys, "search", path, "car above 500 hp", "--corpus", str(twice))
        assert "a  car of 5 km car of **600 hp**" in shown


class TestSearch:
    def test_shows_the_quantity_that_met_the_condition(self, capsys, corpus, index):
        out = ran(capsys, "search", index, "car above 500 hp", "--corpus", corpus)
        first = out.splitlines()[:2]
        assert first[0] == "car above 500 hp   [> 500 horsepower]"
        assert first[1].startswith("   1. ")
        assert "car-1  The Corvane sports car brings **530 hp** for €118,900." in first[1]

    def test_a_query_behind_the_options(self, capsys, index):
        before = ran(capsys, "search", index, "car above 500 hp", "--top", "1")
        assert ran(capsys, "search", index, "--top", "1", "car above 500 hp") == before
        assert ran(capsys, "search", "--top", "1", index, "car above 500 hp") == before
        with pytest.raises(SystemExit):
            cli.main(["search", index, "car", "--tpo", "1"])
        with pytest.raises(SystemExit):
            cli.main(["index", index, index, "--quiet", "third"])

    def test_words_without_quotation_marks_are_one_query(self, capsys, index):
        assert cli.main(["search", index, "car", "above", "500", "hp", "--top", "1"]) == 0
        done = capsys.readouterr()
        assert done.out == ran(capsys, "search", index, "car above 500 hp", "--top", "1")
        assert "read as one query, 'car above 500 hp'; give several queries on stdin" in done.err

    def test_filter_and_top(self, capsys, index):
        assert ran(capsys, "search", index, "car above 500 hp", "--filter").count("car-") == 1
        assert ran(capsys, "search", index, "car", "--top", "2").count("car-") == 2

    def test_a_reference_day(self, capsys, tmp_path):
        corpus, index = tmp_path / "dated.jsonl", str(tmp_path / "dated.quantity")
        corpus.write_text("".join(json.dumps(document) + "\n" for document in DATED))
        ran(capsys, "index", str(corpus), index, "--quiet")
        out = ran(capsys, "search", index, "strike since last year", "--today", "2022-02-01")
        assert [docno for docno in ("strike-2019", "strike-2021", "strike-2023") if docno in out] == [
            "strike-2021",
            "strike-2023",
        ]
        with pytest.raises(SystemExit):
            cli.main(["search", index, "strike", "--today", "yesterday"])

    def test_json(self, capsys, corpus, index):
        out = ran(capsys, "search", index, "car below €20,000", "--json", "--corpus", corpus, "--top", "1")
        record = json.loads(out)
        assert (record["docno"], record["rank"], record["text"]) == ("car-2", 1, CORPUS[1]["text"])
        (met,) = record["met"]
        assert record["text"][met["start"] : met["end"]] == "€14,500"

    def test_queries_from_stdin(self, capsys, monkeypatch, corpus, index):
        monkeypatch.setattr(sys, "stdin", io.StringIO("car above 500 hp\n\nflour: 500 g\n"))
        out = ran(capsys, "search", index, "--corpus", corpus, "--top", "1")
        assert "**530 hp**" in out
        assert "**500 g**" in out

    def test_what_is_wrong_is_named(self, capsys, tmp_path, index):
        assert "no quantity index at" in refused(capsys, "search", str(tmp_path / "none"), "car")
        assert "is not a quantity index" in refused(capsys, "search", f"{index}.words", "car")
        assert "no corpus file" in refused(capsys, "search", index, "car", "--corpus", "nowhere.jsonl")


class TestProgram:
    @pytest.mark.parametrize("part", [[], *([name] for name in cli.COMMANDS)])
    def test_help_has_an_example(self, capsys, part):
        with pytest.raises(SystemExit) as end:
            cli.main([*part, "--help"])
        assert end.value.code == 0
        assert " ".join(["  pyterrier-quantity", *part]) in capsys.readouterr().out.replace("example: ", "  ")

    def test_no_command(self, capsys):
        assert cli.main([]) == 2
        assert "index the quantities of a corpus" in capsys.readouterr().out

    def test_a_reader_that_leaves_early(self):
        command = program("extract", *["5 km"] * 5_000)
        feeder = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert feeder.stdout is not None
        assert feeder.stdout.readline() == b"5 km\n"
        feeder.stdout.close()
        assert feeder.stderr is not None
        assert feeder.stderr.read() == b""
        assert feeder.wait() == 141

    def test_output_that_the_terminal_cannot_show(self, monkeypatch):
        shown = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, encoding="ascii"))
        assert cli.main(["extract", "€5 for 3 kg"]) == 0
        assert b"?5 for 3 kg" in shown.getvalue()


class TestGrowing:
    @pytest.fixture
    def more(self, tmp_path):
        path = tmp_path / "more.jsonl"
        texts = {"car-4": "A van of 90 hp.", "car-1": "The Corvane has 540 hp."}
        documents = [{"docno": docno, "text": text} for docno, text in texts.items()]
        path.write_text("".join(json.dumps(document) + "\n" for document in documents))
        return str(path)

    def test_update_delete_and_merge(self, capsys, index, more):
        assert "5 quantities of 5 documents now, in" in ran(capsys, "index", more, index, "--update", "--quiet")
        assert ran(capsys, "delete", index, "bread", "car-3") == f"{index}: 3 documents now\n"
        assert "3 documents in one piece, 0." in ran(capsys, "merge", index, "--quiet")
        assert "car-1" in ran(capsys, "search", index, "--json", "car with more than 535 hp")

    def test_what_is_refused(self, capsys, index, more, tmp_path):
        assert "docno 'car-1' is in" in refused(capsys, "index", more, index, "--add", "--quiet")
        assert "a word index cannot grow" in refused(capsys, "index", more, index, "--add", "--bm25", "--quiet")
        assert "(ignore_missing ignores them)" in refused(capsys, "delete", index, "none")
        assert "no quantity index at" in refused(capsys, "merge", str(tmp_path / "none"))
        assert "4 documents now" in ran(capsys, "delete", index, "none", "--ignore-missing")

    def test_words_that_stay_behind_are_told(self, capsys, index, tmp_path):
        new = tmp_path / "new.jsonl"
        new.write_text('{"docno": "new", "text": "7 kg"}\n')
        assert cli.main(["index", str(new), index, "--add", "--quiet"]) == 0
        assert "holds the words of the former documents; build it again" in capsys.readouterr().err
