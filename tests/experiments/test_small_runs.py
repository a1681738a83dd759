"""Scripts that no other test calls run to their end on a small input, and write or print what they promise."""

from __future__ import annotations

import gzip
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
import wordnet_names
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


WORDNET = {
    "LICENSE": "Free to use.",
    "data.noun": "  1 the licence\n"
    '00000001 06 n 02 ship 0 vessel 0 001 ~ 00000002 n 0000 | a craft (of any size) that carries cargo; "a big ship"\n'
    "00000002 06 n 01 tanker 0 000 | a ship for oil\n"
    "00000003 06 n 01 cargo 0 000 | goods\n",
    "index.noun": "  1 the licence\n"
    "ship n 1 1 ~ 1 1 00000001\nvessel n 1 1 ~ 1 1 00000001\ntanker n 1 0 1 1 00000002\ncargo n 1 0 1 1 00000003\n",
    "data.verb": "00000004 30 v 01 ship 0 000 01 + 08 00 | send\n",
    "index.verb": "ship v 1 0 1 0 00000004\n",
    "data.adj": "",
    "index.adj": "",
}


def test_other_names_are_made_of_wordnet(tmp_path) -> None:
    """A noun's synonyms, the kinds and the words of definitions that the tagged texts use; none without its files."""
    with pytest.raises(FileNotFoundError, match="holds no LICENSE"):
        call(wordnet_names, tmp_path)
    for name, text in WORDNET.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    call(wordnet_names, tmp_path, "--out", tmp_path / "names.tsv.gz")
    table = gzip.decompress((tmp_path / "names.tsv.gz").read_bytes()).decode("utf-8")
    assert table.splitlines() == [
        "# Made of WordNet by experiments/wordnet_names.py.",
        "# Free to use.",
        "ship\tvessel\ttanker\tcargo",
        "tanker\t\t\tship",
        "vessel\tship\ttanker\tcargo",
    ]
    counted = gzip.decompress((tmp_path / "kinds.tsv.gz").read_bytes()).decode("utf-8")
    assert counted.splitlines()[2:] == ["ship\tvessel\ttanker", "vessel\tship\ttanker"]
