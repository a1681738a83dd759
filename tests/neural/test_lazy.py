"""A missing extra is named, and models load without a bar."""

import sys

import pytest
from neural_material import MINILM

from pyterrier_quantity.neural import ColBERT, Splade, dense


@pytest.mark.parametrize(
    ("missing", "extra", "use"),
    [
        ("torch", "neural", lambda: Splade("m").loaded),
        ("sentence_transformers", "neural", lambda: Splade("m").loaded),
        ("pyterrier_dr", "dense", lambda: dense(MINILM, device="cpu")),
    ],
)
def test_a_missing_extra_is_named(missing, extra, use, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=rf"{missing} is missing .*pip install 'pyterrier-quantity\[{extra}\]'"):
        use()


def test_models_load_without_a_bar_unless_asked(capfd: pytest.CaptureFixture) -> None:
    _ = ColBERT(MINILM, device="cpu").loaded
    assert "Loading weights" not in capfd.readouterr().err
    _ = ColBERT(MINILM, device="cpu", verbose=True).loaded
    assert "Loading weights" in capfd.readouterr().err
