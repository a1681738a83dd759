"""The command `pyterrier-quantity answer`."""

import json

import pytest
from cli_material import ran, refused

from pyterrier_quantity import cli

CORPUS = [
    {"docno": "m5", "text": "The BMW M5 weighs 1,950 kg.\nIt costs 120,000 euros."},
    {"docno": "test", "text": "In the test the BMW M5 weighs 1.94 tonnes."},
    {"docno": "list", "text": "Weights: the BMW M5 weighs 1,950 kg, empty."},
    {"docno": "mini", "text": "The Mini weighs 1,200 kg."},
    {"docno": "lakes", "text": "Ruritania has 24 lakes and 3 rivers."},
    {"docno": "more-lakes", "text": "There are 24 lakes in Ruritania."},
]
TABLE = "City,Inhabitants,Area (km2)\nZenda,24000,12.5\nStrelsau,310000,88\n"


class TestOverAnIndex:
    def test_a_quantity_with_its_evidence(self, capsys, index, corpus):
        out = ran(capsys, "answer", index, "how heavy is the BMW M5?", "--corpus", corpus)
        assert "1,950 kilogram" in out
        assert "m5: The BMW M5 weighs **1,950 kg**." in out
        assert "test: " in out

    def test_a_count(self, capsys, index, corpus):
        found = json.loads(ran(capsys, "answer", index, "how many lakes has Ruritania", "--corpus", corpus, "--json"))
        assert (found["answer"], found["value"], found["unit"]) == ("24 lakes", 24, "lakes")
        assert {item["docno"] for item in found["evidence"]} == {"lakes", "more-lakes"}

    def test_no_answer_says_why(self, capsys, index, corpus):
        out = ran(capsys, "answer", index, "who weighs BMW", "--corpus", corpus)
        assert "no answer: the question does not ask for a quantity" in out
        found = json.loads(ran(capsys, "answer", index, "how tall is Xanadu", "--corpus", corpus, "--json"))
        assert (found["answer"], found["value"]) == ("", None)
        assert found["reason"]

    def test_wrong_input(self, capsys, index, corpus, tmp_path):
        assert "--corpus" in refused(capsys, "answer", index, "how heavy is the M5")
        assert "nowhere" in refused(capsys, "answer", str(tmp_path / "nowhere"), "how heavy is it")
        assert "--documents" in refused(capsys, "answer", index, "how heavy", "--corpus", corpus, "--documents", "0")


SHOP = """sku,title,description,price,currency,weight_kg
k1,Brio Kettle,Boils 1.7 litres in 3 minutes.,39,EUR,1.2
k2,Corvo Kettle,"A kettle of steel, boils 1.5 litres.",59,EUR,1.4
t1,Lumo Desk,A desk 120 cm wide.,240,EUR,22
"""


class TestOverFields:
    @pytest.fixture(scope="class")
    @classmethod
    def shop(cls, tmp_path_factory):
        folder = tmp_path_factory.mktemp("shop")
        (folder / "shop.csv").write_text(SHOP)
        fields = [str(folder / "shop.csv"), "--docno", "sku", "--text", "title", "description"]
        measured = ["--quantities", "price:{currency}", "weight_kg"]
        given = [fields[0], str(folder / "shop.quantity"), *fields[1:]]
        assert cli.main(["index", *given, *measured, "--bm25", "--quiet"]) == 0
        return [str(folder / "shop.quantity"), "--corpus", *fields]

    @pytest.mark.parametrize(
        ("question", "answer", "evidence"),
        [
            (
                "what does the Brio Kettle cost",
                "39 euro",
                "k1: Brio Kettle Boils 1.7 litres in 3 minutes.  [**39 euro**]",
            ),
            ("how heavy is the Lumo Desk", "22 kilogram", "t1: Lumo Desk A desk 120 cm wide.  [**22 kilogram**]"),
            (
                "how much water does the Brio Kettle boil",
                "1.7 litre",
                "k1: Brio Kettle Boils **1.7 litres** in 3 minutes.",
            ),
        ],
    )
    def test_what_fields_and_texts_state(self, capsys, shop, question, answer, evidence):
        out = ran(capsys, "answer", shop[0], question, *shop[1:])
        assert f"  {answer} " in out
        assert out.splitlines()[2].strip() == evidence


class TestOverTables:
    def test_a_cell(self, capsys, tmp_path):
        (tmp_path / "tables").mkdir()
        (tmp_path / "tables" / "cities.csv").write_text(TABLE)
        out = ran(capsys, "answer", str(tmp_path / "tables"), "what is the area of Strelsau")
        assert "88 square kilometre" in out
        assert "cities" in out

    def test_a_folder_without_tables(self, capsys, tmp_path):
        (tmp_path / "empty").mkdir()
        assert str(tmp_path / "empty") in refused(capsys, "answer", str(tmp_path / "empty"), "how heavy is it")

    def test_a_cell_without_a_unit(self, capsys, tmp_path):
        rows = '(in millions),2019,2018\nRevenue,"1,452.4","1,146.2"\nNet loss (1),(44.1),9\n'
        (tmp_path / "income.csv").write_text(rows)
        out = ran(capsys, "answer", str(tmp_path), "What was the net loss in 2019?")
        assert "-44,100,000" in out
        assert "income#r2c1: the Net loss of 2019 is **(44.1)** ;" in out

    @pytest.mark.parametrize("question", ["who owns it", "is the river clean", "why did the area grow"])
    def test_a_question_that_asks_for_no_number_says_so(self, capsys, tmp_path, question):
        (tmp_path / "cities.csv").write_text(TABLE)
        out = ran(capsys, "answer", str(tmp_path), question)
        assert "no answer: the question does not ask for a quantity" in out

    def test_what_no_cell_is_about(self, capsys, tmp_path):
        (tmp_path / "cities.csv").write_text(TABLE)
        assert "no answer: " in ran(capsys, "answer", str(tmp_path), "what is the profit of Zembla")
