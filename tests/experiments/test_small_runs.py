"""Scripts that no other test calls run to their end on a small input, and write or print what they promise."""

import json
from itertools import islice
from pathlib import Path

import ablation
import extraction
import grounding
import language_tables
import pandas as pd
import picture
import pytest
from authors_folder import write_folder
from scripts import call
from tables_material import reports

SENTENCES = [
    {"text": "The car has 503 hp.", "quantities": [{"value": "503", "normalized_unit": "horsepower", "change": "=",
                                                    "referred_concepts": "car"}]},
    {"text": "It costs $5 to $7.", "quantities": [{"value": "5-7", "normalized_unit": "dollar", "change": "=",
                                                   "referred_concepts": "-"}]},
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("given") / "small")


@pytest.mark.parametrize("script", [ablation], ids=lambda script: script.__name__)
def test_rankings(script, folder, tmp_path) -> None:
    call(script, folder, "--quiet", "--work", tmp_path / "work", "--out", tmp_path / "out")
    table = pd.read_csv(tmp_path / f"out/{script.__name__}-small.csv", index_col=0)
    column = next(name for name in table if name in ("nDCG@10", "ndcg_cut_10"))
    assert table[column].between(0, 1).all()
    assert table[column].iloc[-1] > 0.5


def test_extraction(tmp_path, capsys) -> None:
    (tmp_path / "Gold.json").write_text(json.dumps(SENTENCES))
    errors = tmp_path / "errors.txt"
    call(extraction, "--gold", tmp_path / "Gold.json", "--no-spacy", "--errors", errors)
    assert "Gold.json" in capsys.readouterr().out
    assert errors.is_file()


def test_grounding(tmp_path, monkeypatch) -> None:
    """Of the bundled collection's 5,488 answers, one of 120."""
    every = grounding.bundled
    monkeypatch.setattr(grounding, "bundled", lambda *given: islice(every(*given), 0, None, 120))
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
    """But for what another release of CLDR words otherwise."""
    call(language_tables, code, "--out", tmp_path)
    written = list((tmp_path / code).iterdir())
    assert {"cldr_units.tsv", "cldr_currencies.tsv", "spelled_numbers.tsv"} <= {table.name for table in written}
    for table in written:
        in_package = language_tables.HOME / code / table.name
        rows, kept = (path.read_text("utf-8").splitlines() for path in (table, in_package))
        assert len(set(rows) & set(kept)) > 0.9 * max(len(rows), len(kept))
