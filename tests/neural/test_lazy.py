"""Importing the package loads no torch, and a missing extra is named."""

from __future__ import annotations

import subprocess
import sys

import pytest
from neural_material import MINILM

from pyterrier_quantity.neural import ColBERT, Splade, dense


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_loads_no_torch() -> None:
    loaded = run(
        "import sys, pyterrier_quantity, pyterrier_quantity.neural as n, pyterrier_quantity.recipes\n"
        "n.Splade('m').doc_encoder(); n.ColBERT('m').scorer(); n.ColBERTIndex('p').retriever()\n"
        "print([m for m in ('torch', 'sentence_transformers', 'transformers', 'pyterrier_dr') if m in sys.modules])"
    )
    assert loaded.strip() == "[]"


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
