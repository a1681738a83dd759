"""Other names that texts state in brackets, and proper names."""

import pytest

from pyterrier_quantity.english.bracketed import bracketed_names
from pyterrier_quantity.english.proper_names import proper_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Estimated glomerular filtration rate (eGFR) < 30", [("estimated glomerular filtration rate", "egfr")]),
        ("an absolute neutrophil count [ANC] of 1500", [("absolute neutrophil count", "anc")]),
        ("upper limit of normal (ULN)", [("upper limit of normal", "uln")]),
        ("of 60,000 tonnes deadweight (dwt)", [("deadweight", "dwt")]),
        ("body mass index (BMI > 30 kg/m2)", [("body mass index", "bmi")]),
        ("gross national product (GNP, at 1980 prices)", [("gross national product", "gnp")]),
        ("Doxorubicin (Adriamycin) and cyclophosphamide (Cytoxan)", [("doxorubicin", "adriamycin"),
                                                                      ("cyclophosphamide", "cytoxan")]),
        ("renal failure (GFR < 30)", []),  # its letters stand nowhere
        ("the unit European Sugar (France) and Ugljevik Power Station (Chile)", []),  # each is one name
        ("Sugar (sucrose) and Hodgkin Lymphoma (cancer)", [("sugar", "sucrose"), ("lymphoma", "cancer")]),
        ("Next sentence. (WHO)", []),
        ("see the table (page 12)", []),
        ("rose (10 pct) in March (1987)", []),
        ("(BMI) without a name", []),
        ("no bracket", []),
    ],
)  # fmt: skip
def test_names_in_brackets(text, names):
    assert list(bracketed_names(text)) == names


def test_an_abbreviation_is_not_its_own_name():
    assert list(bracketed_names("the eGFR (eGFR)")) == []


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
