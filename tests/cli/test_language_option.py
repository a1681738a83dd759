"""`extract --language`: texts in other languages on the command line."""

from pyterrier_quantity import cli


def test_a_text_in_german(capsys):
    assert cli.main(["extract", "--language", "de", "Das Paket wiegt mehr als fünf Kilo."]) == 0
    assert "> 5 kilogram  'fünf Kilo'" in capsys.readouterr().out


def test_an_unknown_language_names_those_that_are_there(capsys):
    assert cli.main(["extract", "--language", "xx", "5 kg"]) != 0
    assert "unknown language 'xx'; there are: en, de" in capsys.readouterr().err
