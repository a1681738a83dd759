"""Nouns that only modify another one count less than the thing itself."""

import pytest

from pyterrier_quantity.english.stems import term_hash
from pyterrier_quantity.index.context_words import context_terms, modifying_terms
from pyterrier_quantity.score.fit import MODIFIER


@pytest.mark.parametrize(
    ("text", "modifiers"),
    [
        ("gas spring monitor arm", "gas spring monitor"),
        ("monitor arms, black", "monitor"),
        ("the bridge costs 3 million", ""),  # a verb
        ("the bridge cost 3 million", ""),
        ("curved monitor with a stand", ""),
        ("phone holder for 2 bikes", "phone bikes"),
        ("insurance for our drivers, cheap", "drivers"),
        ("hotel near the museum", "museum"),
        ("prices rose", ""),
    ],
)
def test_modifiers_of_a_text(text: str, modifiers: str) -> None:
    assert modifying_terms(text) == {term_hash(word) for word in modifiers.split()}


def test_no_word_has_the_code_of_a_mark() -> None:
    terms, _ = context_terms("dog food", ())
    assert terms == [MODIFIER, term_hash("dog"), term_hash("food")]
    assert [term_hash(word) for word in ("safar", "berik")] == [MODIFIER + 1] * 2  # whose checksums end in 0 and 1
