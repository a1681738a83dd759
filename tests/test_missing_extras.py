"""Commands report missing libraries before they do work that would be lost."""

import sys
from pathlib import Path

import pytest
from neural_material import DOCUMENTS, SPLADE

from pyterrier_quantity import cli, neural, training


def hide(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)


@pytest.mark.parametrize(
    ("module", "command", "extra"),
    [
        ("pyterrier_pisa", "experiment --work w --quiet", "pisa"),
        ("pyterrier_pisa", "index quantity:demo w/q --backend pisa --quiet", "pisa"),
        ("bm25s", "index quantity:demo w/q --backend bm25s --quiet", "bm25s"),
        ("accelerate", "train data w --kind splade --quiet", "training"),
        ("datasets", "train data w --kind splade --quiet", "training"),
    ],
)
def test_commands(module, command, extra, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    hide(monkeypatch, module)
    assert cli.main(command.split()) == 2
    assert f"pip install 'pyterrier-quantity[{extra}]'" in capsys.readouterr().err
    assert not Path("w").exists()


def test_an_index_of_vectors_asks_before_it_encodes(tmp_path: Path, monkeypatch) -> None:
    hide(monkeypatch, "pyterrier_dr")
    with pytest.raises(ImportError, match=r"pyterrier_dr is missing .*pyterrier-quantity\[dense\]"):
        neural.HybridIndex(tmp_path / "index").indexer(neural.Hybrid(SPLADE)).index(iter(DOCUMENTS))
    assert not (tmp_path / "index").exists()


def test_training_asks_before_it_reads_data(tmp_path: Path, monkeypatch) -> None:
    hide(monkeypatch, "accelerate")
    with pytest.raises(ImportError, match=r"accelerate is missing .*pyterrier-quantity\[training\]"):
        training.train(tmp_path / "nowhere", tmp_path / "model", training.TrainingSettings("splade"))
