"""Importing the package loads no torch, and a missing extra is named."""

from __future__ import annotations

import subprocess
import sys

import pytest
from neural_material import MINILM


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
def test_a_missing_extra_is_named(missing: str) -> None:
    message = run(
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from pyterrier_quantity.neural import Splade\n"
        "try: Splade('m').loaded\n"
        "except ImportError as error: print(error)"
    )
    assert f"{missing} is missing" in message
    assert "pip install 'pyterrier-quantity[neural]'" in message


def test_a_missing_dense_extra_is_named() -> None:
    message = run(
        "import sys; sys.modules['pyterrier_dr'] = None\n"
        "from pyterrier_quantity.neural import dense\n"
        f"try: dense({MINILM!r}, device='cpu')\n"
        "except ImportError as error: print(error)"
    )
    assert "pyterrier_dr is missing" in message
    assert "pip install 'pyterrier-quantity[dense]'" in message


def test_models_load_without_a_bar_unless_asked() -> None:
    code = (
        "from pyterrier_quantity.neural import ColBERT\n"
        "import sys; sys.stderr = sys.stdout\n"
        f"print('quiet'); ColBERT({MINILM!r}, device='cpu').loaded\n"
        f"print('shown'); ColBERT({MINILM!r}, device='cpu', verbose=True).loaded\n"
    )
    quiet, shown = run(code).split("shown")
    assert "Loading weights" not in quiet
    assert "Loading weights" in shown
