"""Nouns that only modify another one count less than the thing itself."""

from pathlib import Path

import pandas as pd
import pytest

import pyterrier_quantity as ptq
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
        ("hotel next to the museum", "museum"),
        ("unlike our sofa, the chair", "sofa"),
        ("flat deposit under 500 euros", ""),  # the deposit of a flat
        ("camera over 20 megapixels", ""),
        ("prices rose", ""),
    ],
)
def test_modifiers_of_a_text(text: str, modifiers: str) -> None:
    assert modifying_terms(text) == {term_hash(word) for word in modifiers.split()}


@pytest.mark.parametrize(
    ("text", "marks"),
    [("monitor arm", 2), ("oil market", 1), ("cover for backpacks", 2), ("treatment for diabetes", 1), ("monitor", 0)],
)
def test_words_next_to_another_thing_have_two_marks(text: str, marks: int) -> None:
    assert context_terms(text, ())[0].count(MODIFIER) == marks


def test_no_word_has_the_code_of_a_mark() -> None:
    terms, _ = context_terms("dog food", ())
    assert terms == [MODIFIER, term_hash("dog"), term_hash("food")]
    assert [term_hash(word) for word in ("safar", "berik")] == [MODIFIER + 1] * 2  # whose checksums end in 0 and 1


def test_things_come_before_accessories_and_neighbours(tmp_path: Path) -> None:
    texts = [
        "Unlike the wardrobe, the chest has a height of 53 cm",
        "Wardrobe cover, height 77 cm",
        "The chest next to the wardrobe has a height of 70 cm",
        "The wardrobe has a height of 50 cm",
        "Wardrobe, height 100 cm, width 20 cm",
    ]
    index = ptq.QuantityIndex(str(tmp_path / "q"))
    index.index([{"docno": str(number), "text": text} for number, text in enumerate(texts)])
    scored = index.scorer()(pd.DataFrame({"qid": "1", "query": "wardrobe height below 120 cm", "docno": list("01234")}))
    assert set(scored.sort_values("score").tail(2)["docno"]) == {"3", "4"}
