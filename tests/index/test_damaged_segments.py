"""Indexes of several segments that contradict each other, with digests that fit: refused by name."""

from __future__ import annotations

import numpy as np
import pytest
from damage import rewrite

from pyterrier_quantity import QuantityIndex
from pyterrier_quantity._folder import META_FILE, IndexFormatError, part_names, publish, read_sealed, write_sealed
from pyterrier_quantity.index import growing
from pyterrier_quantity.index.segments import KIND

FIRST = [{"docno": f"a{n}", "text": f"It weighs {n} kg and costs {n} dollars."} for n in range(4)]
THEN = [{"docno": f"b{n}", "text": f"A walk of {n} miles."} for n in range(4)]


@pytest.fixture
def grown(tmp_path, monkeypatch):
    """The folder of an index of two segments and their overview."""
    monkeypatch.setattr(growing, "SMALL", 0)
    monkeypatch.setattr(growing, "GROWTH", 0)
    index = QuantityIndex(tmp_path / "grown")
    index.indexer().index(FIRST)
    index.add(THEN)
    return index.path


@pytest.mark.parametrize("name", ["docno_bytes", "unit_bytes"])
def test_letters_that_are_signed(grown, name):
    rewrite(grown, 0, **{name: lambda letters: letters.view("|i1")})
    with pytest.raises(IndexFormatError, match=rf"{grown}.*the column '{name}' is of int8"):
        len(QuantityIndex(grown))


@pytest.mark.parametrize(
    ("name", "kind"), [("values", "<i8"), ("low", "|i1"), ("word_term", "<i2"), ("docno_hash", "<f8")]
)
def test_columns_of_other_types(grown, name, kind):
    rewrite(grown, 0, **{name: lambda numbers: numbers.view(kind)})
    with pytest.raises(IndexFormatError, match=rf"{grown}.*the column '{name}' is of {np.dtype(kind)}"):
        len(QuantityIndex(grown))


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


@pytest.mark.parametrize("name", ["documents", "quantities"])
@pytest.mark.parametrize("value", ["", "V8", -1, None])
def test_an_overview_whose_numbers_are_none(grown, name, value):
    rewrite(grown, -1, {name: value})
    with pytest.raises(IndexFormatError, match=f"{grown}.*{name} is {value!r}"):
        len(QuantityIndex(grown))


def test_docnos_that_come_twice_are_not_merged(grown):
    rewrite(grown, 1, docno_bytes=lambda letters: np.frombuffer(b"a0a1a2a3", dtype=np.uint8))
    before = part_names(grown)
    with pytest.raises(IndexFormatError, match=f"{grown} is damaged: two of its docnos are the same"):
        QuantityIndex(grown).merge()
    assert part_names(grown) == before
