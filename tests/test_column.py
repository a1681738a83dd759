"""Columns that are compared with their digests where they are read, over several blocks and a part of one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_quantity._column import BLOCK, Column, digests_of
from pyterrier_quantity._folder import IndexFormatError

LIMIT = 100
NUMBERS = 30 * BLOCK // 4 + 7


def column(values: np.ndarray, written: np.ndarray | None = None) -> Column:
    return Column("c.bin", values, digests_of(values if written is None else written), LIMIT)


def numbers(dtype: str = "<u4") -> np.ndarray:
    return np.arange(NUMBERS).astype(dtype) % LIMIT


@settings(deadline=None)
@given(
    st.lists(st.one_of(
        st.integers(0, NUMBERS - 1),
        st.integers(0, 255).map(np.uint8),
        st.lists(st.integers(0, NUMBERS - 1), max_size=50).map(lambda places: np.array(places, dtype=np.int64)),
        st.tuples(st.integers(0, NUMBERS), st.integers(0, NUMBERS)).map(lambda ends: slice(*sorted(ends))),
    ), max_size=8),
    st.integers(0, NUMBERS - 1),
)  # fmt: skip
def test_what_is_read_is_what_was_written_or_an_error(looks, changed):
    written = numbers()
    damaged = written.copy()
    damaged[changed] ^= 1
    whole, hurt = column(written), column(damaged, written)
    per_block = BLOCK // 4
    for where in looks:
        np.testing.assert_array_equal(whole[where], written[where])
        if (np.atleast_1d(np.arange(NUMBERS)[where]) // per_block == changed // per_block).any():
            with pytest.raises(IndexFormatError, match=f"from {changed // per_block * BLOCK} on are not those"):
                hurt[where]
        else:
            np.testing.assert_array_equal(hurt[where], written[where])
    with pytest.raises(IndexFormatError):
        hurt.whole()


@pytest.mark.parametrize("place", [0, 1023, 1024, 20_000, 30 * 1024, NUMBERS - 1])
@pytest.mark.parametrize(("dtype", "value"), [("<u4", LIMIT), ("<i4", LIMIT), ("<i4", -1)])
def test_a_number_beyond_the_limit_is_found_wherever_it_is(place, dtype, value):
    hostile = numbers(dtype)
    hostile[place] = value
    with pytest.raises(IndexFormatError, match="it refers to what is not there"):
        column(hostile)[np.array([place])]
    with pytest.raises(IndexFormatError, match="it refers to what is not there"):
        column(hostile).whole()


def test_a_column_that_was_read_in_part_is_compared_in_the_end():
    hurt = numbers()
    hurt[-1] ^= 1
    read = column(hurt, numbers())
    looks = (read[np.array([0])] for _ in range(200))
    with pytest.raises(IndexFormatError):
        list(looks)


def test_a_column_is_iterated_as_its_array_is():
    assert [int(number) for number in column(numbers()[:3000])] == numbers()[:3000].tolist()


def test_an_empty_column():
    empty = column(np.empty(0, dtype="<u4"))
    assert (len(empty), len(empty[:]), len(empty.whole()), list(empty)) == (0, 0, 0, [])
