"""Indexes of several segments that contradict each other, with digests that fit: refused by name."""

from __future__ import annotations

import numpy as np
import pytest

from pyterrier_quantity import QuantityIndex, _arrays
from pyterrier_quantity._folder import META_FILE, IndexFormatError, part_names, publish, read_sealed, write_sealed
from pyterrier_quantity.index.indexer import KIND

FIRST = [{"docno": f"a{n}", "text": f"It weighs {n} kg and costs {n} dollars."} for n in range(4)]
THEN = [{"docno": f"b{n}", "text": f"A walk of {n} miles."} for n in range(4)]


@pytest.fixture
def grown(tmp_path):
    """The folder of an index of two segments and their overview."""
    index = QuantityIndex(tmp_path / "grown")
    index.indexer().index(FIRST)
    index.add(THEN)
    return index.path


def rewrite(path, number, meta=(), **columns):
    """Write a part again with other columns or metadata, as if it had been written so."""
    names = part_names(path)
    folder = path / names[number]
    told = read_sealed(folder / META_FILE)
    arrays = {name: np.fromfile(folder / f"{name}.bin", column["dtype"]) for name, column in told["columns"].items()}
    for name, change in columns.items():
        arrays[name] = change(arrays[name])
    kept = {key: value for key, value in told.items() if key not in {*KIND.header, "columns", "blocks", "digest"}}
    _arrays.write(folder, arrays, kept | dict(meta), KIND)
    publish(path, KIND.header, names)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"docno_hash": np.zeros_like}, "two of its docnos have the same hash"),
        ({"docno_hash": lambda hashes: hashes.view("<f8")}, "the column 'docno_hash' is of float64"),
        ({"docno_bytes": lambda letters: letters | 0x80}, "docno_bytes.bin is damaged: its bytes are no text"),
        ({"docno_bytes": lambda letters: np.frombuffer("xéééx".encode(), "u1")}, "a docno begins within a letter"),
        ({"unit_bytes": lambda letters: letters[::-1]}, "its overview does not name the unit"),
    ],
)
def test_segments_that_cannot_be_read_as_one(grown, columns, says):
    rewrite(grown, 0, **columns)
    with pytest.raises(IndexFormatError, match=f"{grown}.*{says}.*build the index again"):
        QuantityIndex(grown).quantities("a1")


@pytest.mark.parametrize("name", ["docno_bytes", "unit_bytes"])
def test_letters_that_are_signed(grown, name):
    rewrite(grown, 0, **{name: lambda letters: letters.view("|i1")})
    with pytest.raises(IndexFormatError, match=rf"{grown}.*the column '{name}' is \d+ times '|i1'"):
        len(QuantityIndex(grown))


@pytest.mark.parametrize(
    ("name", "kind"), [("values", "<i8"), ("low", "|i1"), ("word_term", "<i2"), ("docno_hash", "<f8")]
)
def test_columns_of_other_types(grown, name, kind):
    rewrite(grown, 0, **{name: lambda numbers: numbers.view(kind)})
    with pytest.raises(IndexFormatError, match=rf"{grown}.*the column '{name}' is of {np.dtype(kind)}"):
        len(QuantityIndex(grown))


def test_an_index_of_no_parts(grown):
    publish(grown, KIND.header, [])
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


def test_segments_that_contradict_each_other_are_not_merged(grown):
    rewrite(grown, 0, docno_hash=np.zeros_like)
    before = part_names(grown)
    with pytest.raises(IndexFormatError, match="two of its docnos have the same hash"):
        QuantityIndex(grown).merge()
    assert part_names(grown) == before
