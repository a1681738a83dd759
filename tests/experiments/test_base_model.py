"""The base-size model of five packages: joined, missing, cut."""

import io
import zipfile
from pathlib import Path

import pytest
from lib.base_model import PACKAGES, base_model


@pytest.fixture
def parts(tmp_path):
    """Five installed packages, each with a fifth of an archive: where their parts lie."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("all-mpnet-base-v2/config.json", "{}")
        archive.writestr("all-mpnet-base-v2/1_Pooling/config.json", "[]" * 500)
    content, site = whole.getvalue(), tmp_path / "site"
    size = len(content) // len(PACKAGES) + 1
    return site, [_install(site, package, content[at * size : (at + 1) * size]) for at, package in enumerate(PACKAGES)]


def _install(site: Path, package: str, content: bytes) -> Path:
    number = package.rpartition("-")[2]
    inner = f"{package.replace('part-', 'part_')}/input/all-mpnet-base-v2.zip.{number}"
    info = site / f"{package.replace('-', '_')}-0.0.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.0.1\n")
    (info / "RECORD").write_text(f"{inner},,{len(content)}\n")
    (site / inner).parent.mkdir(parents=True)
    (site / inner).write_bytes(content)
    return site / inner


def test_parts_are_joined_once(parts, tmp_path, monkeypatch):
    site, paths = parts
    monkeypatch.syspath_prepend(str(site))
    folder = base_model(tmp_path / "work")
    assert folder == tmp_path / "work/all-mpnet-base-v2"
    files = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert files == {"config.json": "{}", "1_Pooling/config.json": "[]" * 500}
    paths[0].unlink()
    assert base_model(tmp_path / "work") == folder
