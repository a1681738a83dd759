"""`--language`: texts and queries in other languages on the command line."""

import pytest

from pyterrier_quantity import cli


def test_a_text_in_german(capsys):
    assert cli.main(["extract", "--language", "de", "Das Paket wiegt mehr als fünf Kilo."]) == 0
    assert "> 5 kilogram  'fünf Kilo'" in capsys.readouterr().out


def test_an_unknown_language_names_those_that_are_there(capsys):
    assert cli.main(["extract", "--language", "xx", "5 kg"]) != 0
    assert "unknown language 'xx'; there are: en, de" in capsys.readouterr().err


@pytest.mark.parametrize("fields", [[], ["no:pages"]])
def test_a_german_query_finds_a_french_document(capsys, tmp_path, fields):
    corpus, index = tmp_path / "fr.jsonl", tmp_path / "fr.quantity"
    corpus.write_text('{"docno": "colis", "text": "Ce colis pèse sept kilogrammes.", "no": 2}\n', encoding="utf-8")
    given = ["--language", "fr", "--quantities", *fields] if fields else ["--language", "fr"]
    assert cli.main(["index", str(corpus), str(index), "--quiet", *given]) == 0
    assert cli.main(["search", "--language", "de", str(index), "Paket über fünf Kilo"]) == 0
    assert cli.main(["parse", "--language", "de", "--explain", "Paket über fünf Kilo bis 3. Mai 2020"]) == 0
    out = capsys.readouterr().out
    assert "[> 5 kilogram]" in out
    assert "colis  7 kilogram" in out
    assert "'über' says '>'" in out
