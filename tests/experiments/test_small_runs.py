"""Scripts that no other test calls run to their end on a small input, and write or print what they promise."""

import json
from itertools import islice
from pathlib import Path

import ablation
import answers
import extraction
import grounding
import language_tables
import languages
import links
import pandas as pd
import picture
import pytest
import reading_speed
import resources
import scale_parquet
from scripts import call
from tables_material import reports

import pyterrier_quantity as ptq
from pyterrier_quantity import QuantityIndex

SENTENCES = [
    {"text": "The car has 503 hp.", "quantities": [{"value": "503", "normalized_unit": "horsepower", "change": "=",
                                                    "referred_concepts": "car"}]},
    {"text": "It costs $5 to $7.", "quantities": [{"value": "5-7", "normalized_unit": "dollar", "change": "=",
                                                   "referred_concepts": "-"}]},
]  # fmt: skip


def test_ablation(finquant, tmp_path) -> None:
    call(ablation, finquant, "--quiet", "--work", tmp_path / "work", "--out", tmp_path / "out")
    found = pd.read_csv(tmp_path / "out/ablation-finquant-small.csv", index_col=0)["nDCG@10"]
    assert found.between(0, 1).all()
    assert found.iloc[-1] > 0.5


def test_extraction(tmp_path, capsys) -> None:
    (tmp_path / "Gold.json").write_text(json.dumps(SENTENCES))
    errors = tmp_path / "errors.txt"
    call(extraction, "--gold", tmp_path / "Gold.json", "--no-spacy", "--errors", errors)
    assert "Gold.json" in capsys.readouterr().out
    assert errors.is_file()


def test_grounding(tmp_path, monkeypatch) -> None:
    """Check every 250th of the bundled collection's 5,488 answers."""
    every = grounding.bundled
    monkeypatch.setattr(grounding, "bundled", lambda *given: islice(every(*given), 0, None, 250))
    (tmp_path / "tatqa.json").write_text(json.dumps(reports()))
    call(grounding, tmp_path / "tatqa.json", "--half", "all", "--work", tmp_path, "--out", tmp_path)
    table = pd.read_csv(tmp_path / "grounding.csv")
    assert set(table["source"]) == {"tatqa", "bundled", "all"}
    assert table["recall"].between(0, 1).all()


def test_the_picture(tmp_path) -> None:
    call(picture, "--out", tmp_path / "query.png")
    assert (tmp_path / "query.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("code", ["de", "ja"])
def test_tables_of_a_language_are_those_of_the_package(code, tmp_path) -> None:
    """Up to a tenth of the rows may differ, because another release of CLDR has other wordings."""
    call(language_tables, code, "--out", tmp_path)
    written = list((tmp_path / code).iterdir())
    assert {"cldr_units.tsv", "cldr_currencies.tsv", "spelled_numbers.tsv"} <= {table.name for table in written}
    for table in written:
        in_package = language_tables.HOME / code / table.name
        rows, kept = (path.read_text("utf-8").splitlines() for path in (table, in_package))
        assert len(set(rows) & set(kept)) > 0.9 * max(len(rows), len(kept))


IN_GERMAN = [
    ("drei Kilometer", "dimension", {"value": 3, "unit": "Kilometer"}, [("value", True), ("unit", True)]),
    ("drei Kilometer", "dimension", {"value": 3, "unit": "Meter"}, [("value", True), ("unit", False)]),
    ("fünf Jahre alt", "age", {"value": 5, "unit": "Year"}, [("value", True), ("unit", True)]),
    ("tausend", "number", {"value": 100}, [("number", False)]),
    ("mehr als zehn", "numberrange", {"low": 10, "high": None}, [("range", True)]),
    ("weniger als zehn", "numberrange", {"low": 10, "high": None}, [("range", False)]),
]


def test_what_is_read_right_in_another_language(tmp_path: Path) -> None:
    for text, kind, asked, expected in IN_GERMAN:
        case = {"text": text, "kind": kind, "quantities": [{"start": 0, "end": len(text), **asked}]}
        (tmp_path / "de.jsonl").write_text(json.dumps(case), encoding="utf-8")
        assert list(languages.verdicts("de", tmp_path / "de.jsonl")) == expected, text


def test_what_neural_systems_cost(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    resources.main(["quantity:demo", "--items", "12", "--work", str(tmp_path / "w"), "--out", str(tmp_path), "--quiet"])
    (written,) = tmp_path.glob("resources-*.csv")
    table = pd.read_csv(written, index_col=0)
    assert list(table.index) == [
        "cross-encoder", "dense", "ColBERT", "SPLADE", "hybrid", "hybrid with token vectors",
    ]  # fmt: skip
    assert (table.drop("cross-encoder") > 0).all(axis=None)
    assert table.loc["cross-encoder", ["interaction FLOPs", "bytes an item"]].isna().all()
    assert table.loc["cross-encoder", "ms a query"] > table.loc["dense", "ms a query"]
    # In addition to its encoder, a hybrid of SPLADE-tiny has a head: 128 x 30522 a token, twice as many FLOPs.
    assert table.loc["hybrid", "GFLOPs"] > 2 * 128 * 128 * 30522 / 1e9
    assert table.loc["hybrid", "GFLOPs"] < table.loc["dense", "GFLOPs"]
    shown = capsys.readouterr().out
    assert "times as fast" in shown
    assert "22.36" in shown


@pytest.mark.parametrize(("least", "fails"), [(0.0, False), (1e9, True)])
def test_a_reading_that_is_too_slow_fails(
    least: float, fails: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(reading_speed, "KNOWN", ["5.5"])
    arguments = ["--sentences", 20, "--rounds", 1, "--least", least]
    if fails:
        with pytest.raises(SystemExit, match="too slow"):
            call(reading_speed, *arguments)
    else:
        call(reading_speed, *arguments)
    shown = capsys.readouterr().out
    assert "20 sentences of the bundled collection" in shown
    assert "'5.5'" in shown


def test_extraction_alone_or_with_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    pytest.importorskip("pyarrow")
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for file in files:
        texts = [f"Net profit rose {number} percent." for number in range(20)]
        lines = [json.dumps({"docno": f"{file.stem}{number}", "text": text}) for number, text in enumerate(texts)]
        file.write_text("\n".join(lines))
    monkeypatch.setattr(scale_parquet, "SHARD", 700)
    given = [*files, tmp_path / "work", "--workers", 1, "--quantities"]
    call(scale_parquet, *given, 0)
    assert "extract, 1 processes" in capsys.readouterr().out
    assert len(list((tmp_path / "work/real-1").iterdir())) == 2
    assert not (tmp_path / "work/index").exists()
    call(scale_parquet, *given, 1000)
    printed = capsys.readouterr().out
    assert "1,400 documents, 1,400 quantities" in printed
    assert printed.count("rows of 1,000 documents, verified") == 2
    assert len(QuantityIndex(tmp_path / "work/index")) == 1400


def test_questions_made_of_facts_are_answered(tmp_path: Path) -> None:
    call(answers, "--facts", 60, "--work", tmp_path / "work", "--out", tmp_path / "out")
    table = pd.read_csv(tmp_path / "out/answers.csv", index_col=0)
    assert list(table.index) == ["all", "price", "weight", "power"]
    assert table["questions"]["all"] == table["questions"].iloc[1:].sum()
    assert table["right"]["all"] > 0.8


@pytest.mark.parametrize(
    ("value", "unit", "right"),
    [(5, "km", True), (5000, "metre", True), (5.05, "kilometre", True), (5.2, "kilometre", False), (5, "", False),
     (5, "kilogram", False)],
)  # fmt: skip
def test_an_answer_is_right_in_any_unit(value: float, unit: str, right: bool) -> None:
    canonical = ptq.units.default_registry().resolve(unit) if unit else ""
    assert answers.is_right(value, canonical, [(5.0, "km")]) is right


def test_every_labelled_number_is_read_with_its_words():
    texts = dict(links.sentences(links.OWN))
    assert all(text[start:end] for text, numbers in texts.items() for start, end, _ in numbers)
    found = dict(links.sentences(links.OWN))["Drawer unit, width 60 cm, depth 45 cm, height 72 cm"]
    assert [len(named) for _, _, named in found] == [3, 3, 3]


def test_the_model_prefers_the_words_that_name_a_number(tmp_path, capsys):
    named = [
        ("The tower, which stands by the river, is 40 m high.", "40 m", ["tower", "high"]),
        ("Height of the old tower near the market: 40 m", "40 m", ["height", "tower"]),
        ("The bridge, built by the town, has a length of 300 m.", "300 m", ["bridge", "length"]),
        ("At night, the speed of the train drops to 90 km/h.", "90 km/h", ["speed", "train"]),
    ]
    items = [
        {"text": text, "quantities": [{"span": [at := text.index(number), at + len(number)], "concept": words}]}
        for text, number, words in named
    ]
    (tmp_path / "towers.json").write_text(json.dumps(items), encoding="utf-8")
    call(links, tmp_path, "--most", 150)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    found = {features: float(precision) for features, name, _, _, precision, *_ in rows if name == "towers"}
    assert list(found) == ["nearness", "places", "words", "concepts"]
    assert min(found["words"], found["concepts"]) > found["nearness"]
