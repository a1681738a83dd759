"""Docnos that have come already."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pyterrier_quantity._seen import Seen


@given(st.lists(st.text(max_size=3)))
def test_what_was_added_is_there(texts):
    seen, plain = Seen(), set()
    for text in texts:
        assert seen.add(text) == (text not in plain)
        plain.add(text)


def test_many_take_little_room():
    seen = Seen()
    for number in range(50_000):
        assert seen.add(f"document number {number}")
    assert not any(seen.add(f"document number {number}") for number in range(50_000))
    assert seen.add("document number 50000")
    assert seen._places.nbytes <= 32 * 50_000
