"""The guard of the reading's speed compares two extractors in turn, and fails where ours is too slow."""

import pytest
import reading_speed
from scripts import call


@pytest.mark.parametrize(("least", "fails"), [(0.0, False), (1e9, True)])
def test_a_small_run(least: float, fails: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
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
