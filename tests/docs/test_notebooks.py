"""Every notebook of the documentation runs from its first cell to its last, in a fresh folder."""

import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert code[0].startswith("%pip install -q 'pyterrier-quantity")  # Colab has none of it
    foreign = any("pyterrier_rag" in source for source in code)  # which the tests' extra does not bring
    assert any(cell.get("outputs") for cell in cells) == foreign
    if foreign:
        pytest.importorskip("pyterrier_rag")
    names: dict[str, object] = {"__name__": notebook.stem}
    for number, source in enumerate(code[1:], 1):
        exec(compile(source, f"{notebook.name}, cell {number}", "exec"), names)
