"""Encodings that can be gone on with: nothing but their own files is changed."""

from __future__ import annotations

import os

import pytest

from pyterrier_quantity.neural.index_kinds import COLBERT
from pyterrier_quantity.neural.resuming import growing


@pytest.mark.parametrize("name", ["a.bin", "progress.json", ".", "tokens"])
@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_planted_link_changes_no_file_elsewhere(tmp_path, name, link):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "a.bin").write_bytes(b"x" * 100)
    target, left = precious / "a.bin" if name.endswith((".bin", ".json")) else precious, tmp_path / ".index.part"
    if link is os.link and target is precious:
        pytest.skip("folders have no hard links")
    if name != ".":
        left.mkdir()
    link(target, left / name if name != "." else left)
    with (
        pytest.raises(FileExistsError, match="is a link to another file or folder"),
        growing(tmp_path / "index", COLBERT, {}, overwrite=False, resume=True),
    ):
        pass
    assert (precious / "a.bin").read_bytes() == b"x" * 100
