"""Metadata of an index of several segments that name no parts, or other ones: refused by name."""

from __future__ import annotations

import pytest

from pyterrier_quantity import QuantityIndex
from pyterrier_quantity.index import growing
from pyterrier_quantity.index.segments import KIND
from pyterrier_quantity.storage.folders import META_FILE, IndexFormatError, publish, read_sealed, write_sealed

FIRST = [{"docno": f"a{n}", "text": f"It weighs {n} kg and costs {n} dollars."} for n in range(4)]
THEN = [{"docno": f"b{n}", "text": f"A walk of {n} miles."} for n in range(4)]


@pytest.fixture
def grown(tmp_path, monkeypatch):
    """The folder of an index of two segments."""
    monkeypatch.setattr(growing, "SMALL", 0)
    monkeypatch.setattr(growing, "GROWTH", 0)
    index = QuantityIndex(tmp_path / "grown")
    index.indexer().index(FIRST)
    index.add(THEN)
    return index.path


def test_an_index_of_no_parts(grown):
    publish(grown, KIND.header, {})
    with pytest.raises(IndexFormatError, match=f"{grown}.*it names no part; build the index again"):
        len(QuantityIndex(grown))


@pytest.mark.parametrize(
    ("listed", "says"),
    [
        (lambda parts: [{"folder": part["folder"]} for part in parts], "it has no digest of part-"),
        (lambda parts: [parts[0], *parts], "it names a part twice"),
    ],
)
def test_parts_without_digests_or_twice(grown, listed, says):
    meta = read_sealed(grown / META_FILE)
    del meta["digest"]
    write_sealed(grown / META_FILE, {**meta, "parts": listed(meta["parts"])})
    with pytest.raises(IndexFormatError, match=f"{grown}.*{says}"):
        len(QuantityIndex(grown))
