"""Names in texts: expected ones were written before any text was read."""

import pytest

from pyterrier_quantity.english.proper_names import proper_names


def found(text: str, linked: bool = False) -> list[str]:
    return [text[name.start : name.end] for name in proper_names(text, linked)]


class TestProperNames:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("How many films did Warner Bros produce?", ["Warner Bros"]),
            ("The Mont Blanc Tunnel is 11.6 km long; Mont Blanc is not.", ["Mont Blanc Tunnel", "Mont Blanc"]),
            ("Rain fell. Water rose in Berlin.", ["Berlin"]),
            ("Jane Austen wrote Emma.", ["Jane Austen", "Emma"]),
            ("the Aerolite 15 and the Ibex 15b", ["Aerolite 15", "Ibex 15b"]),
            ("AT&T paid O'Neill in 1999", ["O'Neill"]),
            ("how many songs has season 7", []),
            ("", []),
        ],
    )
    def test_capitalised_words_and_numbers_of_models(self, text, expected):
        assert found(text) == expected

    def test_a_stop_word_before_a_name_and_numbers_alone_are_none(self):
        name, *others = proper_names("The Mont Blanc of 1999")
        assert (name.words, others) == (("mont", "blanc"), [])

    def test_linked_names_are_one(self):
        text = "the seats of the Parliament of the Republic of Malta, and Rio de Janeiro"
        assert found(text, linked=True) == ["Parliament of the Republic of Malta", "Rio de Janeiro"]
        assert found(text) == ["Parliament", "Republic", "Malta", "Rio", "Janeiro"]
        assert next(proper_names(text, linked=True)).words == ("parliament", "republic", "malta")
