"""Corpora that the command line accepts: JSON lines, CSV, TSV, other fields, datasets, stdin."""

import csv
import gzip
import io
import json
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from pyterrier_quantity import QuantityIndex, cli
from pyterrier_quantity.cli.corpus import Corpus
from pyterrier_quantity.datasets import LocalCollection

SHOP = [
    {"sku": "a1", "title": "Kettle", "description": "Boils 1.7 litres in 3 minutes.", "price": "39"},
    {"sku": "b2", "title": "Drill, cordless", "description": "Weighs 2 kg.", "price": "120"},
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    plain = [{"docno": row["sku"], "text": f"{row['title']}\n{row['description']}"} for row in SHOP]
    files = {"plain.jsonl": plain, "shop.ndjson": SHOP}
    for name, rows in files.items():
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for name, delimiter in (("shop.csv", ","), ("shop.tsv", "\t"), ("semi.csv", ";"), ("tabs.csv", "\t")):
        with Path(name).open("w", newline="", encoding="utf-8") as out:
            table = csv.DictWriter(out, list(SHOP[0]), delimiter=delimiter)
            table.writeheader()
            table.writerows(SHOP)
    garbage = gzip.compress(b"")[:10] + b"garbage-not-deflate-stream"
    odd = {"broken.jsonl.gz": garbage, "deep.jsonl": b"[" * 200_000}
    for name, content in odd.items():
        Path(name).write_bytes(content)
    Path("shop.csv.gz").write_bytes(gzip.compress(Path("shop.csv").read_bytes()))
    return tmp_path


FIELDS = ["--docno", "sku", "--text", "title", "description"]
GIVEN = {
    "JSON lines": ["plain.jsonl"], "other fields": ["shop.ndjson", *FIELDS], "CSV": ["shop.csv", *FIELDS],
    "TSV": ["shop.tsv", *FIELDS], "CSV, compressed": ["shop.csv.gz", *FIELDS],
    "CSV of semicolons": ["semi.csv", *FIELDS], "CSV of tabs": ["tabs.csv", *FIELDS],
}  # fmt: skip


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_forms_of_files(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    corpus, *fields = given
    assert cli.main(["index", corpus, "q", "--quiet", *fields]) == 0, capsys.readouterr().err
    index = QuantityIndex("q")
    assert len(index) == 2
    assert [(q.low, q.unit) for q in index.quantities("b2")] == [(2.0, "kilogram")]
    assert cli.main(["search", "q", "goods below 3 kg", "--corpus", corpus, *fields]) == 0
    assert "Drill, cordless Weighs **2 kg**." in capsys.readouterr().out


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_every_command_reads_what_index_reads(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    corpus, *fields = given
    assert cli.main(["collect", "index", corpus, "concepts", "--quiet", *fields]) == 0, capsys.readouterr().err
    assert "quantities of 2 documents" in capsys.readouterr().out
    Path("topics.tsv").write_text("qid\tquery\n1\tdrill below 3 kg\n")
    Path("goods.qrels").write_text("1 0 b2 1\n")
    files = ["--corpus", corpus, "--topics", "topics.tsv", "--qrels", "goods.qrels"]
    assert cli.main(["experiment", *files, *fields, "--quiet", "--top", "1"]) == 0, capsys.readouterr().err
    assert "1. + " in capsys.readouterr().out
    if fields:
        collection = LocalCollection(corpus, docno="sku", text=("title", "description"))
        assert next(iter(collection.get_corpus_iter(verbose=False)))["price"] == "39"
        assert collection.field_names() == ["sku", "title", "description", "price", "docno", "text"]


def test_texts_that_are_html(capsys: pytest.CaptureFixture[str]) -> None:
    text = "<ul class='list'><li>Weight: <b>5&nbsp;kg</b></li></ul><script>var x = 7</script>"
    Path("page.jsonl").write_text(json.dumps({"docno": "d", "text": text, "price": 5}) + "\n")
    assert cli.main(["index", "page.jsonl", "q", "--html", "--bm25", "--quiet", "--quantities", "price:€"]) == 0
    assert [str(q) for q in QuantityIndex("q").quantities("d")] == ["5 euro", "5 kilogram"]
    assert cli.main(["search", "q", "weight below 6 kg", "--corpus", "page.jsonl", "--html"]) == 0
    assert "Weight: **5\xa0kg**" in capsys.readouterr().out
    assert cli.main(["search", "q", "list"]) == 0
    assert "nothing found" in capsys.readouterr().out
    assert cli.main(["extract", "--html", text]) == 0
    assert re.search(r"^  5 kilogram ", capsys.readouterr().out, re.MULTILINE)


def test_fields_with_quantities(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["index", "shop.csv", "q", "--quiet", *FIELDS, "--quantities", "price:€"]
    assert cli.main(command) == 0, capsys.readouterr().err
    assert [(q.low, q.unit) for q in QuantityIndex("q").quantities("b2")] == [(120.0, "euro"), (2.0, "kilogram")]
    assert cli.main([*command[:-1], "price:!!", "--overwrite"]) == 2
    assert "attribute 'price': '!!' is not a unit" in capsys.readouterr().err


def test_stdin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(Path("plain.jsonl").read_bytes())))
    assert cli.main(["index", "-", "q", "--bm25", "--quiet"]) == 0, capsys.readouterr().err
    assert len(QuantityIndex("q")) == 2
    assert cli.main(["search", "q", "drill below 3 kg"]) == 0
    assert re.search(r"^ +1\. [\d.]+ +b2 ", capsys.readouterr().out, re.MULTILINE)


def test_a_pipe_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    reads, writes = os.pipe()
    os.write(writes, Path("plain.jsonl").read_bytes())
    os.close(writes)
    assert cli.main(["index", f"/dev/fd/{reads}", "q", "--quiet"]) == 0, capsys.readouterr().err
    os.close(reads)
    assert len(QuantityIndex("q")) == 2


@pytest.mark.parametrize(
    ("row", "told"),
    {
        "k1,Kettle, red,39": "4 cells where the header names 3 (sku, title, price); fill in what is missing, and put",
        "k1,Kettle,1,299": "4 cells where the header names 3",
        "k1,Kettle": "2 cells where the header names 3",
        'k1,"Kettle,39': "close each quotation mark",
        'k1,"Kettle,39\nk3,"Pot",1': "close each quotation mark",
    }.items(),
)
@pytest.mark.parametrize(("suffix", "comma"), [("csv", ","), ("csv", ";"), ("tsv", "\t")])
def test_a_row_that_does_not_fit_is_named(row, told, suffix, comma, capsys: pytest.CaptureFixture[str]) -> None:
    Path(f"rows.{suffix}").write_text(f"sku,title,price\n\nk0,Pan,12\n{row}\n,,\n".replace(",", comma))
    given = ["index", f"rows.{suffix}", "q", "--docno", "sku", "--text", "title", "--quantities", "price:€", "--quiet"]
    assert cli.main(given) == 2
    said = capsys.readouterr().err
    assert f"rows.{suffix}, line 4: " in said
    assert told in said
    Path(f"rows.{suffix}").write_text("sku,title,price\nk0,Pan,12\n,,\n \n".replace(",", comma))
    assert cli.main(given) == 0, capsys.readouterr().err


WRONG = [
    (["shop.csv"], "shop.csv, line 2: no field 'docno', only sku, title, description, price; name the fields"),
    (["shop.ndjson", "--docno", "sku"], "shop.ndjson, line 1: no field 'text', only sku, title"),
    (["quantity:nothing"], "no corpus 'quantity:nothing', neither a file nor a dataset"),
    (["-"], "nothing came from stdin"),
    (["broken.jsonl.gz"], "broken.jsonl.gz, line 1: broken gzip file"),
    (["deep.jsonl"], "deep.jsonl, line 1: JSON that is too large or nested too deeply"),
    (["shop.csv", *FIELDS, "--quantities", ":€"], "--quantities ':€': give a field, FIELD:UNIT or NAME=FIELD:UNIT"),
]


@pytest.mark.parametrize(("given", "message"), WRONG)
def test_what_is_wrong_is_said(
    given: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO()))
    corpus, *fields = given
    assert cli.main(["index", corpus, "q", "--quiet", *fields]) == 2
    assert message in capsys.readouterr().err
    assert not Path("q").exists()


def test_a_csv_from_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(Path("shop.csv").read_bytes())))
    corpus = Corpus("-", "sku", ["title"], form="csv")
    for _ in range(2):  # a pipe can be read only once, a corpus as often as one likes
        assert [(document["docno"], document["text"], document["price"]) for document in corpus.get_corpus_iter()] == [
            ("a1", "Kettle", "39"), ("b2", "Drill, cordless", "120")
        ]  # fmt: skip


def test_a_dataset_of_ir_datasets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import ir_datasets

    texts = tmp_path / "docs.tsv"
    texts.write_text("a1\tThe kettle boils 1.7 litres.\nb2\tThe drill weighs 2 kg.\n", encoding="utf-8")
    ir_datasets.registry.register("quantity-shop", ir_datasets.create_dataset(docs_tsv=str(texts)))
    assert cli.main(["index", "irds:quantity-shop", "q", "--quiet"]) == 0, capsys.readouterr().err
    assert [(q.low, q.unit) for q in QuantityIndex("q").quantities("b2")] == [(2.0, "kilogram")]
    assert cli.main(["search", "q", "goods below 3 kg", "--corpus", "irds:quantity-shop"]) == 0
    assert "The drill weighs **2 kg**." in capsys.readouterr().out
