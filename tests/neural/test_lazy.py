"""A missing extra is named, and models load without a bar."""

from __future__ import annotations

import sys

import pytest
from neural_material import MINILM

from pyterrier_quantity.neural import ColBERT, Splade, dense


@pytest.mark.parametrize("missing", ["torch", "sentence_transformers"])
def test_a_missing_extra_is_named(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=rf"{missing} is missing .*pip install 'pyterrier-quantity\[neural\]'"):
        _ = Splade("m").loaded


def test_a_missing_dense_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyterrier_dr", None)
    with pytest.raises(ImportError, match=r"pyterrier_dr is missing .*pip install 'pyterrier-quantity\[dense\]'"):
        dense(MINILM, device="cpu")


def test_models_load_without_a_bar_unless_asked(capfd: pytest.CaptureFixture) -> None:
    _ = ColBERT(MINILM, device="cpu").loaded
    assert "Loading weights" not in capfd.readouterr().err
    _ = ColBERT(MINILM, device="cpu", verbose=True).loaded
    assert "Loading weights" in capfd.readouterr().err
