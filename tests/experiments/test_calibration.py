"""Calibration learns from annotated sources which evidence is to be trusted, and shows it on sources left out."""

import json
from pathlib import Path

import calibration
import numpy as np
import pytest
from scripts import call


def _item(text: str, *gold: tuple[float, str]) -> dict:
    quantities = [{"value": value, **({"unit": unit} if unit else {}), "unit_resolved": None} for value, unit in gold]
    return {"text": text, "quantities": quantities}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three sources in which units are right, and bare numbers are right one time in three."""
    for name in ("iron", "zinc", "clay"):
        items = [_item(f"{name} weighs {n} kg", (n, "kilogram")) for n in range(20, 120)]
        items += [_item(f"the {name} got {n} in it", *([(n, "")] if n % 3 == 0 else [])) for n in range(20, 120)]
        (tmp_path / f"{name}.json").write_text(json.dumps(items), encoding="utf-8")
    return tmp_path


def test_what_is_learned_is_kept_and_shown(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    kept = tmp_path / "weights.tsv"
    call(calibration, folder, "--write", kept)
    weights = dict(line.split("\t") for line in kept.read_text(encoding="utf-8").splitlines() if line[0] != "#")
    assert float(weights["unit, sure"]) > 0 > float(weights["bare, doubtful"])
    shown = capsys.readouterr().out
    assert "600 readings of 3 sources" in shown
    before, after = shown.split("after: ")
    assert "before: Brier score" in before
    assert "  0.3 to 0.4" in after
    assert "  0.8 to 0.9" in after


def test_calibration_error_is_the_mean_distance_by_bin() -> None:
    rating, right = np.array([0.95, 0.95, 0.35, 0.35]), np.array([True, False, False, False])
    assert calibration.calibration_error(rating, right) == pytest.approx((0.45 + 0.35) / 2)
    assert calibration.brier(rating, right) == pytest.approx((0.05**2 + 0.95**2 + 2 * 0.35**2) / 4)
