"""Numbers of answers against their evidence; the verdicts were written down before the program gave them."""

import time

import pandas as pd
import pytest

from pyterrier_quantity import RuleExtractor
from pyterrier_quantity.grounding import CONTRADICTED, NOT_FOUND, SUPPORTED, check

PLANT = "The Karsund plant opened in 2014. It feeds 530 MW into the grid and cost €1.2 billion."
SALES = {
    "name": "sales",
    "caption": "Sales (in millions of dollars)",
    "table": [["", "2019", "2018"], ["Sensors", "914", "918"], ["Energy", "699", "712"], ["Appliances", "680", "774"],
              ["Total", "2,293", "2,404"]],
}  # fmt: skip


def verdicts(answer, evidence, **given):
    return [one.verdict for one in check(answer, evidence, **given)]


@pytest.mark.parametrize(
    ("answer", "evidence"),
    [
        ("The plant feeds 0.53 GW into the grid.", PLANT),
        ("The plant feeds about 500 MW into the grid.", PLANT),
        ("The plant cost 1,200 million euros.", PLANT),
        ("The plant opened in 2014.", PLANT),
        ("The town has 1,990 inhabitants.", "The town of Alm has 1,987 inhabitants."),
        ("The marathon is 26.2 miles long.", "A marathon is 42.195 km long."),
        ("The flight takes 90 minutes.", "The flight takes an hour and a half."),
        ("The city of Karsund has 12,000 people.", "In Karsund live 12,000 people."),
        ("The tofu has 1.9 grams of fibre.", "The tofu has 1.9 g of fibre per 100 g."),
        ("The use of energy (MWh) in 2018 was 12.5.", "In 2018 the use of energy was 12.5 MWh."),
        ("A third of a cup holds 80 ml, that is 0.08 litres.", "A third of a cup holds 80 ml."),
        ("The minimum life of a building is 20 years.", "A building has a life of 20 to 40 years."),
        ("The 400 m time of Rana is 50.8 s.", "Rana ran the full lap in 50.8 s."),
        ("The 30 day average of the lake was 12 °C.", "Over the month the lake had 12 °C."),
    ],
)
def test_converted_and_rounded_numbers_are_supported(answer, evidence):
    found = check(answer, evidence)
    assert len(found) > 0
    assert found.supported, str(found)


@pytest.mark.parametrize(
    ("answer", "evidence"),
    [
        ("The plant feeds 350 MW into the grid.", PLANT),
        ("The plant feeds 530 kW into the grid.", PLANT),
        ("The plant cost 1.2 million euros.", PLANT),
        ("The plant cost $1.2 billion.", PLANT),
        ("The town of Alm has 2,400 inhabitants.", "The town of Alm has 1,987 inhabitants."),
        ("Sensors sold for 918 million dollars in 2019.", SALES),
        ("Energy sold for 914 million dollars in 2019.", SALES),
        ("The life of a building is 20 years.", "A building has a life of 20 to 40 years."),
        ("The fall caused 0 deaths.", "The fall caused no more than 3 deaths."),
        *((f"The parcel weighs {zero} kg.", "The parcel weighs 5 kg.") for zero in "\uff10\u0660\u0e50"),
        ("The 350 MW plant of Karsund was opened in 2014.", PLANT),
        ("The furnace of Alm has 1,234 °C.", "The furnace of Alm went from 32 °F to 2,000 °F."),
    ],
)
def test_the_same_thing_with_another_value_is_contradicted(answer, evidence):
    wrong = [one for one in check(answer, evidence) if one.verdict != SUPPORTED]
    assert [one.verdict for one in wrong] == [CONTRADICTED]
    assert wrong[0].stated[0].sentence


def test_what_nothing_tells_of_is_not_found():
    assert verdicts("The crew of the Ardent has 35 sailors.", PLANT) == [NOT_FOUND]
    assert verdicts("The Ardent plant feeds 530 MW into the grid.", PLANT) == [NOT_FOUND]
    assert verdicts("The plant opened in 2015.", PLANT) == [NOT_FOUND]


@pytest.mark.parametrize(
    ("answer", "form"),
    [
        ("The change of Appliances from 2018 to 2019 was -94 million dollars.", "subtract"),
        ("The percentage change of Appliances from 2018 to 2019 was -12.14%.", "percentage change"),
        ("The average of Sensors for 2018 and 2019 was 916 million dollars.", "average"),
        ("The sum of Sensors, Energy and Appliances in 2018 was 2,404 million dollars.", "sum"),
        ("Sensors and Energy brought 1,613 million dollars in 2019.", "sum"),
        ("On average a division sold for $764.3 million in 2019.", "average"),
        ("The total of 2018 and 2019 was 4,697 million dollars.", "sum"),
    ],
)
def test_simple_calculations_with_stated_values(answer, form):
    found = [one for one in check(answer, SALES) if one.how.startswith("computed")]
    assert [(one.verdict, one.how) for one in found] == [(SUPPORTED, f"computed: {form}")]
    assert len(found[0].stated) >= 2


@pytest.mark.parametrize(
    "answer",
    [
        "The change of Appliances from 2018 to 2019 was -49 million dollars.",
        "The percentage change of Appliances from 2018 to 2019 was -21.14%.",
        "Sensors and Energy brought 1,631 million dollars in 2019.",
        "On average a division sold for $674.3 million in 2019.",
    ],
)
def test_another_result_is_not_supported(answer):
    assert not check(answer, SALES).supported


@pytest.mark.parametrize(
    ("answer", "evidence", "form"),
    [
        ("Sela is 257 m higher than Toran.", "Mount Sela rises to 4,478 m, Mount Toran to 4,221 m.", "subtract"),
        ("Cholesterol fell by 65 mg/dL.", "Cholesterol fell from 162 mg/dL to 97 mg/dL.", "subtract"),
        ("Emissions fell by 25 percent.", "Emissions fell from 48.2 to 36.15 million tonnes.", "percentage change"),
        ("Together, the dams give 2.05 GW.", "The dam of Vesk gives 1.2 GW, that of Orlo 850 MW.", "sum"),
        ("The farm has 605 MW: 72 turbines of 8.4 MW each.", "The farm has 72 turbines of 8.4 MW each.", "multiply"),
    ],
)
def test_wordings_of_calculations(answer, evidence, form):
    found = check(answer, evidence)
    assert found.supported, str(found)
    assert found.findings[0].how == f"computed: {form}"


def test_years_apart_are_counted():
    evidence = "The bridge was destroyed in 1944 and rebuilt in 1951."
    assert verdicts("The bridge was rebuilt in 1951, seven years after 1944.", evidence) == [SUPPORTED] * 3
    assert not check("The bridge was rebuilt in 1951, nine years after 1944.", evidence).supported


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It was launched on 12 August 2018.", SUPPORTED),
        ("It was launched on August 12, 2018.", SUPPORTED),
        ("It was launched in 2018.", SUPPORTED),
        ("It was launched on 21 August 2018.", NOT_FOUND),
        ("It was launched on 12 August 2019.", NOT_FOUND),
    ],
)
def test_a_date_with_a_day_is_that_day(answer, expected):
    assert verdicts(answer, "The probe was launched on 12 August 2018.") == [expected]


@pytest.mark.parametrize(
    ("evidence", "true", "other"),
    [
        ("A serving has 9 g of fat and 14 g of protein.", "It has 14 g of protein.", "It has 9 g of protein."),
        (
            "Nausea was reported by 12% of those on the drug and 4% of those on placebo.",
            "Nausea was reported by 12% on the drug.",
            "Nausea was reported by 4% on the drug.",
        ),
    ],
)
def test_things_that_share_a_sentence_are_told_apart(evidence, true, other):
    assert verdicts(true, evidence) == [SUPPORTED]
    assert verdicts(other, evidence) == [CONTRADICTED]


def test_both_readings_and_sentences_are_told():
    (found,) = check("It feeds 0.35 GW into the grid.", {"docno": "d7", "text": PLANT})
    (stated,) = found.stated
    assert (found.written, found.quantity.unit) == ("0.35 GW", "gigawatt")
    assert (stated.quantity.low, stated.quantity.unit) == (530, "megawatt")
    assert (found.sentence, stated.docno) == ("It feeds 0.35 GW into the grid.", "d7")
    assert "530 MW" in stated.sentence
    assert all(part in str(found) for part in ("'0.35 GW'", "contradicted", "530 megawatt", "d7"))


@pytest.mark.parametrize(
    ("answer", "evidence", "expected"),
    [
        ("It opened on 5 May 1999. ", "It opened on 6 May 1998. ", NOT_FOUND),
        ("It weighs 5 kg. ", "It weighs 6 kg. ", CONTRADICTED),
    ],
)
def test_long_texts_are_read_once_and_checked_in_time(answer, evidence, expected, monkeypatch):
    """Before, 20 kB of dates took half a minute and more, and so did 10 kB of weights."""
    texts, extract = [], RuleExtractor.extract
    monkeypatch.setattr(RuleExtractor, "extract", lambda self, text: texts.append(text) or extract(self, text))
    began = time.process_time()
    found = check(answer * 800, evidence * 800)
    assert (len(found), found.count(expected)) == (800, 800)
    assert len(texts) <= 3
    assert time.process_time() - began < 8


def test_rows_that_an_answer_names_are_calculated_with():
    """712 - 699 = 13 and 918 - 914 = 4: only the row that is named counts."""
    assert check("The change of Energy from 2018 to 2019 was -13 million dollars.", SALES).supported
    for other in ("The change of Sensors from 2018 to 2019 was -13 million dollars.",
                  "The change of Energy from 2018 to 2019 was 13 million dollars, it rose by 13 million."):  # fmt: skip
        assert not check(other, SALES).supported


@pytest.mark.parametrize(("total", "verdict"), [("2,293", SUPPORTED), ("2,405", CONTRADICTED)])
def test_only_the_column_of_the_best_cell_is_summed(total, verdict):
    rows = [["", "2019", "2018"], ["Sensors for cars", "914", "918"], ["Energy", "699", "713"]]
    table = {"caption": "Sales (in millions of dollars)", "table": [*rows, ["Appliances", "680", "774"]]}
    assert verdicts(f"With sensors the divisions sold for ${total} million together.", table) == [verdict]


def test_years_and_numbers_of_a_sentence_go_by_place():
    text = "Sales were $731 million, $507 million and $493 million in 2019, 2018 and 2017, respectively."
    assert check("Sales in 2018 were $507 million.", text).supported
    assert not check("Sales in 2018 were $731 million.", text).supported
    text = "Sales rose to $731 million in 2019, compared to $507 million in 2018."
    assert check("Sales in 2018 were $507 million.", text).supported
    assert not check("Sales in 2019 were $507 million.", text).supported
    text = "At 31 December 2019 (2018) the fees were $731 million and the rents $507 million."
    assert check("The rents in 2019 were $507 million.", text).supported


def test_an_answer_without_numbers_is_supported_with_none():
    found = check("It is a large plant.", PLANT)
    assert found.supported
    assert (len(found), str(found)) == (0, "no numbers")


def test_a_short_answer_is_read_with_its_question():
    asked = "How many million dollars were Energy's sales in 2019?"
    assert verdicts("699 million dollars", SALES, question=asked) == [SUPPORTED]
    assert verdicts("914 million dollars", SALES, question=asked) == [CONTRADICTED]


@pytest.mark.parametrize(
    "evidence",
    [
        [PLANT, "Another text."],
        {"text": PLANT},
        [{"docno": "1", "text": PLANT}],
        pd.DataFrame([{"docno": "1", "text": PLANT}, {"docno": "2", "text": "Another text."}]),
    ],
)
def test_forms_of_evidence(evidence):
    assert verdicts("The plant feeds 530 MW into the grid.", evidence) == [SUPPORTED]


def test_evidence_in_another_language_says_so():
    german = "Das Werk speist seit dem Jahr 2014 rund 530 MW in das Netz ein und ist mit dem Hafen verbunden."
    found = check("The plant feeds 530 MW into the grid.", german)
    assert found.supported
    assert "not in English" in found.note
    assert verdicts("The plant feeds 350 MW into the grid.", german) == [NOT_FOUND]
    assert check("The plant feeds 530 MW into the grid.", PLANT).note == ""
    assert "not in English" in check("It feeds 530 MW.", "該工廠向電網供電 530 MW，自二零一四年起運行").note


def test_no_evidence_is_told():
    found = check("It feeds 530 MW.", [])
    assert (found.supported, found.note) == (False, "there is no evidence")


@pytest.mark.parametrize("evidence", [5, None, {"body": "530 MW"}, b"530 MW", [3]])
def test_what_is_no_evidence_is_named(evidence):
    with pytest.raises(TypeError, match="'text'"):
        check("530 MW", evidence)


def test_html_marks_each_number_and_escapes_the_rest():
    shown = check("A <b>plant</b> of 350 MW & more feeds 530 MW.", "<i>A</i> plant feeds 530 MW.")._repr_html_()
    assert shown.count("<mark") == 2
    assert "A &lt;b&gt;plant&lt;/b&gt; of <mark" in shown
    assert "350 MW</mark> &amp; more" in shown
    assert "<i>" not in shown
