"""The attacks of `experiments/attack.py`, each for a moment: they try something, and it holds."""

from __future__ import annotations

from random import Random

import attack
import pytest
from lib.attacks.outcome import Clock, Outcome


@pytest.mark.parametrize("name", attack.ATTACKS)
def test_it_holds(name):
    outcome = attack.ATTACKS[name](Random(5), Clock(1.0))
    assert outcome.tried > 0
    assert outcome.failures == []


def test_the_table_and_the_exit_code(monkeypatch, capsys, tmp_path):
    attacks = {"held": lambda *_: Outcome(3), "broke": lambda *_: Outcome(2, ["it broke"])}
    monkeypatch.setattr(attack, "ATTACKS", attacks)
    assert attack.main(["--minutes", "0", "--csv", str(tmp_path / "table.csv")]) == 1
    out, err = capsys.readouterr()
    assert "broke" in out
    assert "it broke" in err
    assert (tmp_path / "table.csv").read_text().splitlines()[0] == "attack,tried,failed"
    assert attack.main(["--only", "held"]) == 0
