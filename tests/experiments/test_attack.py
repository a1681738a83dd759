"""The attacks of `experiments/attack.py`, each for a moment: they try something, and it holds."""

import math
from itertools import pairwise
from random import Random

import attack
import pytest
from lib.attacks import growth, kinds, texts
from lib.attacks.outcome import Budget, Outcome


@pytest.fixture
def at_leisure(monkeypatch):
    """Remove the limits on time: other work may run at the same time as the tests."""
    monkeypatch.setattr(growth, "STEEPEST", math.inf)
    monkeypatch.setattr(growth, "SHORT", 1_000)
    monkeypatch.setattr(texts, "LONGEST", math.inf)


OF_INDEXES = ("kills", "flipped bits", "damage")
CHOSEN = [
    *(name for name in attack.ATTACKS if not name.startswith(OF_INDEXES)),
    *(f"{name}: {kind}" for place, name in enumerate(OF_INDEXES) for kind in list(kinds.KINDS)[place::3]),
]
"""Every attack, and every kind of index under one of the attacks on indexes."""


@pytest.mark.usefixtures("at_leisure")
@pytest.mark.parametrize("name", CHOSEN)
def test_it_holds(name):
    tried, _ = attack.ATTACKS[name]
    outcome = tried(Random(5), Budget(0.3, 10_000))
    assert outcome.tried > 0
    assert outcome.failures == []


@pytest.mark.parametrize("name", kinds.KINDS)
def test_each_step_is_seen(name, tmp_path):
    """An attack that cannot distinguish the states of an index would never fail."""
    states = kinds.KINDS[name]().states(tmp_path / "i")
    assert all(one != other for one, other in pairwise(states))


@pytest.fixture
def two_attacks(monkeypatch):
    held = Outcome(3, most={"slowest": 7.0}, counts={"killed": 2})
    broke = Outcome(2, ["it broke"])
    attacks = {"held": (lambda *_: held, 6), "broke": (lambda *_: broke, 2)}
    monkeypatch.setattr(attack, "ATTACKS", attacks)


def test_the_exit_code(two_attacks, capsys):
    assert attack.main(["--minutes", "0"]) == 1
    out, err = capsys.readouterr()
    assert "broke" in out
    assert "it broke" in err
    assert attack.main(["--only", "held"]) == 0
    with pytest.raises(SystemExit):
        attack.main(["--only", "nothing"])
