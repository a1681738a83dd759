"""Each rule with sentences that it serves and look-alikes in which it must not fire: `data/rules.tsv`."""

from __future__ import annotations

from pathlib import Path

import pytest
from readings import is_right

TABLE = (Path(__file__).parents[1] / "data" / "rules.tsv").read_text(encoding="utf-8")
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


def test_what_is_known_to_be_read_otherwise_is_still_read_so() -> None:
    right = [text for kind, text, cell in ROWS if kind[0] == "~" and is_right(text, cell)]
    assert not right, "take the ~ away:\n" + "\n".join(right)
