"""Artifacts that are shared: packaged, fetched over HTTP from this machine, unpacked, loaded by what they are, used."""

import re
import shutil

import pyterrier as pt
import pytest
from neural_material import DOCUMENTS, MINILM, SPLADE
from served import served_folder

from pyterrier_quantity import QuantityIndex
from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.neural import ColBERT, ColBERTIndex, Hybrid, HybridIndex, QuantityModel

KINDS = ("quantities", "concepts", "tokens", "hybrid", "splade", "minilm")


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory):
    """One of each kind, by name."""
    home = tmp_path_factory.mktemp("artifacts")
    ConceptUnitIndex.build(DOCUMENTS).save(home / "concepts")
    for name, model in (("splade", SPLADE), ("minilm", MINILM)):
        shutil.copytree(model, home / name)
    return {
        "quantities": QuantityIndex(home / "quantities").index(DOCUMENTS),
        "concepts": ConceptUnitIndex.load(home / "concepts"),
        "tokens": ColBERTIndex(home / "tokens").indexer(ColBERT(MINILM)).index(DOCUMENTS),
        "hybrid": HybridIndex(home / "hybrid").indexer(Hybrid(SPLADE), k=64).index(DOCUMENTS),
        "splade": QuantityModel(home / "splade"),
        "minilm": QuantityModel(home / "minilm"),
    }


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A folder, and the address at which its files are served."""
    folder = tmp_path_factory.mktemp("served")
    with served_folder(folder) as url:
        yield folder, url


def used(artifact, page: str):
    """Return the result of the page's example for `artifact`, which is not fetched again."""
    (block,) = re.findall(r"```python\n# Load the artifact\n(.*?)```", page, re.DOTALL)
    names = {"artifact": artifact}
    *lines, last = re.sub(r"artifact = pt\..*\n", "", block).strip().split("\n")
    exec("\n".join(lines), names)
    if last.startswith("encoder = "):
        exec(last, names)
        return names["encoder"]
    return eval(last, names)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_shared_comes_back_and_its_page_tells_how(artifacts, server, kind, tmp_path, monkeypatch, capsys):
    folder, address = server
    monkeypatch.setenv("PYTERRIER_HOME", str(tmp_path))
    metadata: dict = {}
    artifacts[kind].build_package(str(folder / f"{kind}.tar.lz4"), metadata_out=metadata, verbose=False)
    loaded = pt.Artifact.from_url(f"{address}/{kind}.tar.lz4")
    assert type(loaded) is type(artifacts[kind])
    assert str(loaded.path).startswith(str(tmp_path))
    page = loaded._hf_readme(repo="me/shared", branch="main", pretty_name=None, metadata=metadata)
    assert "TODO" not in page
    assert "pt.Artifact.from_hf('me/shared')" in page
    assert f"pyterrier-artifact.{loaded.ARTIFACT_TYPE}.{loaded.ARTIFACT_FORMAT}" in page
    record = loaded._zenodo_metadata(zenodo_id="123", pretty_name="Shared", metadata=metadata)
    assert "TODO" not in record["description"]
    assert (
        "pt.Artifact.from_zenodo(&#x27;123&#x27;)" in record["description"]
        or "from_zenodo('123')" in record["description"]
    )
    found = used(loaded, page)
    assert found is not None
    if kind in ("quantities", "tokens", "hybrid"):
        assert "car" in found["docno"].tolist()
    elif kind == "concepts":
        assert len(found) == 0
        assert len(loaded) == len(artifacts[kind]) > 5
    else:
        assert type(found).__name__ == {"splade": "Splade", "minilm": "SBertBiEncoder"}[kind]
