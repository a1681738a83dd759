"""Quantities in the form that small models compare."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neural_material import SPLADE

from pyterrier_quantity.neural import ColBERT, Splade
from pyterrier_quantity.neural.canonical import PLACES, CanonicalText, place, token, tokens

NUMBERS = st.floats(-1e15, 1e15, allow_nan=False)


@given(NUMBERS, NUMBERS)
def test_the_order_of_places_is_that_of_values(one, other):
    low, high = sorted((one, other))
    assert 0 <= place(low) <= place(high) < PLACES


def test_places_tell_a_fifth_more_or_less_apart():
    for value in (0.02, 1, 17.5, 530, 1.2e6, 3e11):
        assert place(value * 0.8) < place(value) < place(value * 1.22)
        assert place(-value * 1.22) < place(-value) < place(0) < place(value)


def test_documents():
    found = CanonicalText().documents(["It makes 530 hp and costs $64,900.", "It rose to 1.2 mln dlrs.", "Nothing."])
    assert found == [
        f"It makes 530 horsepower {token('v', place(530))} and costs 64900 dollar {token('v', place(64900))}.",
        f"It rose to 1200000 dollar {token('v', place(1.2e6))}.",
        "Nothing.",
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("car above 500 hp", f"car above 500 horsepower {token('>', place(500))}"),
        ("car with more than 500 horsepower", f"car above 500 horsepower {token('>', place(500))}"),
        ("rent at most $900", f"rent at most 900 dollar {token('<', place(900))}"),
        ("speed of exactly 20 km/h", f"speed exactly 20 kilometre per hour {token('=', place(20))}"),
        ("rate between 4% and 6%",
         f"rate between 4 and 6 percentage {token('>', place(4))} {token('<', place(6))}"),
        ("rate other than 5%", "rate not 5 percentage"),
        ("nothing to compare", "nothing to compare"),
    ],
)  # fmt: skip
def test_queries(query, expected):
    assert CanonicalText().queries([query]) == [expected]


def test_tokens_are_distinct():
    assert len(set(tokens())) == len(tokens()) == 4 * PLACES


def test_an_encoder_takes_the_form_it_is_told():
    plain, canonical = Splade(SPLADE), Splade(SPLADE, quantities="canonical")
    assert plain.form == "plain"
    assert plain != canonical
    ((written, _),) = canonical.encode(["a car of 1,200 kg"])
    ((digits, _),) = plain.encode([CanonicalText().documents(["a car of 1,200 kg"])[0]])
    assert written.tolist() == digits.tolist()
    with pytest.raises(ValueError, match="unknown form of quantities 'words'"):
        ColBERT("x", quantities="words")
