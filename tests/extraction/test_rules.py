"""Each rule with sentences that it serves and look-alikes (`data/rules.tsv`); wordings with what they state, exactly
(`data/wordings.tsv`); sentences of ten domains, written down before any program read them (`data/readings.tsv`)."""

from pathlib import Path

import pytest
from readings import is_right

from pyterrier_quantity.extraction import RuleExtractor, extract
from pyterrier_quantity.extraction.grammar.numerals import Number

DATA = Path(__file__).parents[1] / "data"
TABLE = (DATA / "rules.tsv").read_text(encoding="utf-8")
RULES = {name: rows.splitlines() for name, _, rows in (rule.partition("\n") for rule in TABLE.split("\n## ")[1:])}
ROWS = [tuple(row.split("\t")) for rows in RULES.values() for row in rows]


@pytest.mark.parametrize("name", RULES)
def test_a_rule_has_three_sentences_that_it_serves_and_three_look_alikes(name: str) -> None:
    kinds = [row.split("\t")[0].lstrip("~") for row in RULES[name]]
    assert kinds.count("+") >= 3
    assert kinds.count("-") >= 3


def test_rules_fire_where_they_serve_and_nowhere_else() -> None:
    wrong = [text for kind, text, cell in ROWS if kind in ("+", "-") and not is_right(text, cell)]
    assert not wrong, "\n".join(wrong)


def test_steps_change_nothing_after_words_that_they_do_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, extractor = [text for _, text, _ in ROWS], RuleExtractor()
    quick = [extractor.extract(text) for text in texts]
    monkeypatch.setattr(Number, "apart", property(lambda number: False, lambda number, apart: None))
    assert [extractor.extract(text) for text in texts] == quick


def test_what_is_known_to_be_read_otherwise_is_still_read_so() -> None:
    right = [text for kind, text, cell in ROWS if kind[0] == "~" and is_right(text, cell)]
    assert not right, "take the ~ away:\n" + "\n".join(right)


def cases_of(name: str) -> list[list[str]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("# ")]


def test_wordings_are_read_to_the_last_digit() -> None:
    cases = [(text.replace("\\n", "\n"), cell) for text, cell in cases_of("wordings.tsv")]
    wrong = [(text, list(map(str, extract(text)))) for text, cell in cases if not is_right(text, cell, 1e-12)]
    assert len(cases) > 440
    assert not wrong


def test_five_of_six_sentences_are_read_as_they_were_meant_to_the_last_quantity() -> None:
    cases = cases_of("readings.tsv")
    wrong = [text for text, cell in cases if not is_right(text, cell)]
    assert len(cases) >= 330
    assert len(wrong) <= len(cases) / 6, "\n".join(wrong)
