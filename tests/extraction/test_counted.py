"""Counted nouns: which noun a number counts, and which number words are part of a name."""

import pytest

from pyterrier_quantity.extraction import extract


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one of the most skilled and generous surgeons", [(1, "skilled generous surgeon")]),
        ("one of the oldest libraries in the Ottoman Empire, said", [(1, "old library ottoman empire")]),
        ("one of the best-known bands to ever play here", [(1, "best-known band play")]),
        ("one of the biggest firms in buying land", [(1, "big firm")]),
        ("one of the river's most important ports", [(1, "important port")]),
        ("one of the other two bridges", [(1, "bridge")]),
        ("a three course meal", [(3, "course meal")]),
        ("40 of the apprentices passed", [(40, "apprentice")]),
        ("two of the three bridges failed", [(2, "bridge"), (3, "bridge")]),
        ("the two married four years later", [(2, "-"), (4, "year")]),
        ("three of the country's largest dairy farms", [(3, "large dairy farm")]),
        ("15 local and four Danish banks", [(15, "-"), (4, "danish bank")]),
        ("one big question remains", [(1, "big question")]),
        ("one partly frozen lake", [(1, "partly frozen lake")]),
        ("one teacher wrote a letter", [(1, "teacher")]),
        ("one of the parents carries it", [(1, "parent")]),
        ("one of the arms dealers", [(1, "arms dealer")]),
        ("49 Women's Doubles titles", [(49, "women's doubles title")]),
        ("3,000 outstanding shares", [(3000, "share")]),
    ],
)
def test_counted_nouns(text: str, expected: list[tuple[float, str]]) -> None:
    assert [(q.low, q.unit) for q in extract(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Shoes in size 10 boots fit.", [(10, 10, "-")]),
        ("sizes 7-12 boys shoes", [(7, 12, "-")]),
        ("aged 18 women came", [(18, 18, "year of age")]),
        ("ages 5-8 children", [(5, 8, "year of age")]),
        ("We measured the size and weight of a whale; 10 boots fit.", [(10, 10, "boot")]),
    ],
)
def test_nothing_is_counted_behind_an_age_or_a_size(text: str, expected: list[tuple[float, float, str]]) -> None:
    assert [(q.low, q.high, q.unit) for q in extract(text)] == expected


@pytest.mark.parametrize(
    "text", ["one short of the mark", "no one was there", "one killed, many hurt", "one is enough", "one can't go"]
)
def test_one_without_a_noun(text: str) -> None:
    assert extract(text) == []


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("about 4,500 Volta 3 sedans left the plant", 4500, "volta 3 sedan"),
        ("it lent out two iPhone 12 Pro phones", 2, "iphone 12 pro phone"),
        ("recalled 27,000 Golf and Polo cars", 27_000, "car"),
        ("the 40 T-72 tanks", 40, "t-72 tank"),
    ],
)
def test_nouns_behind_names(text: str, value: float, unit: str) -> None:
    assert [(q.low, q.unit) for q in extract(text)] == [(value, unit)]


@pytest.mark.parametrize(
    "text", ["Two Methods Were Compared", "Pain Relief at Two Hours", "He paid Two Million Dollars", "SEVEN SHIPS LOST"]
)
def test_number_words_in_titles(text: str) -> None:
    assert len(extract(text)) == 1
