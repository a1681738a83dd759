"""Other names that texts state in brackets."""

import pytest

from pyterrier_quantity.english.bracketed import bracketed_names


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
