"""Tables as people write them, read as a person would: cells with their names, units and scales."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_quantity import QuantityIndex
from pyterrier_quantity.tables import Program, Table, TableError, as_tables, facts, parse, read
from pyterrier_quantity.tables.cell_values import DASHES

INCOME = [
    ["(Dollars in millions, except per share amounts)", "", ""],
    ["Year ended December 31,", "2019", "2018"],
    ["Revenue:", "", ""],
    ["Licences", "$ 1,452.4", "$ 1,146.2"],
    ["Services (1)", "(44.1)", "—"],
    ["Total revenue", "$1,408.3", "$1,146.2"],
    ["Operating margin", "12.5%", "(8.2)%"],
    ["Earnings per share", "$1.30", "$(0.45)"],
]


def stated(tables, kind="cell"):
    """Return the facts as a dictionary: (row, column) -> (value, unit)."""
    return {(f["row"], f["column"]): (f["quantities"][0].low, f["quantities"][0].unit)
            for f in facts(tables, kind) if f["quantities"]}  # fmt: skip


class TestCells:
    def test_scale_and_currency_of_the_header_reach_every_cell(self):
        found = stated([INCOME])
        assert found["Licences", "2019"] == (1_452_400_000.0, "dollar")
        assert found["Services", "2019"] == (-44_100_000.0, "dollar")
        assert found["Total revenue", "2018"] == (1_146_200_000.0, "dollar")
        assert found["Operating margin", "2019"] == (12.5, "percentage")
        assert found["Operating margin", "2018"] == (-8.2, "percentage")
        assert found["Earnings per share", "2019"] == (1.3, "dollar")
        assert found["Earnings per share", "2018"] == (-0.45, "dollar")

    def test_a_dash_states_nothing_but_counts_as_nought(self):
        fact = next(f for f in facts([INCOME]) if f["value"] == "—")
        assert fact["quantities"] == []
        assert fact["cells"][0].number == 0

    @pytest.mark.parametrize("dash", [*DASHES, "--"])
    def test_a_dash_in_a_cell_of_its_own_is_no_sign_of_the_next_cell(self, dash):
        rows = [["", "2019", "", "2018", "", "2017", ""], ["Fees", "(5", ")", dash, "", "3", ""]]
        rows += [["Rate", "7", "%", dash, "%", "3", "%"], ["Loss", "$", "4", "$", dash, "$", "(3)"]]
        numbers = {name: [f["cells"][0].number for f in facts([rows]) if f["row"] == name] for name, *_ in rows[1:]}
        assert numbers == {"Fees": [-5, 0, 3], "Rate": [7, 0, 3], "Loss": [4, 0, -3]}
        assert [f["quantities"] for f in facts([rows]) if f["cells"][0].number == 0] == [[], [], []]
        assert Program.parse("table_sum(Fees, none)").execute([rows]) == -2

    def test_text_by_the_template_with_section_and_span(self):
        fact = next(f for f in facts([INCOME]) if f["row"] == "Licences")
        assert fact["text"] == "the Revenue Licences of 2019 is $ 1,452.4 ;"
        quantity = fact["quantities"][0]
        assert fact["text"][quantity.start : quantity.end] == "$ 1,452.4"

    @pytest.mark.parametrize(
        ("header", "cell", "value", "unit"),
        [
            ("Weight (kg)", "12.5", 12.5, "kilogram"),
            ("Height [m]", "1.80", 1.8, "metre"),
            ("£m", "3.2", 3_200_000.0, "pound sterling"),
            ("US$'000", "1,250", 1_250_000.0, "dollar"),
            ("Cost (EUR m)", "12", 12_000_000.0, "euro"),
            ("2019 US$ million", "12", 12_000_000.0, "dollar"),
            ("Fees (₹ crore)", "12", 120_000_000.0, "indian rupee"),
            ("Depth [mm]", "12", 12.0, "millimetre"),
            ("% of total", "40.0", 40.0, "percentage"),
            ("Price (EUR)", "1.234,56", 1234.56, "euro"),
            ("Population in millions", "83", 83_000_000.0, "-"),
            ("Speed", "120 km/h", 120.0, "kilometre per hour"),
            ("Cost", "1,234 [a]", 1234.0, "-"),
        ],
    )
    def test_units_and_scales_as_people_write_them(self, header, cell, value, unit):
        assert list(stated([[["Item", header], ["first", cell]]]).values()) == [(value, unit)]

    @pytest.mark.parametrize(
        ("cell", "stated_there"),
        [
            ("81–325", [(81.0, 325.0, "milligram", "=")]),
            ("~600", [(600.0, 600.0, "milligram", "~")]),
            ("> 5", [(5.0, 5.0, "milligram", ">")]),
            ("see note 5", []),
            ("10-K", []),
        ],
    )
    def test_cells_of_more_than_a_number(self, cell, stated_there):
        fact = next(facts([[["Drug", "Dose (mg)"], ["Aspirin", cell]]]))
        assert [(q.low, q.high, q.unit, q.bound) for q in fact["quantities"]] == stated_there

    def test_the_caption_gives_the_measure(self):
        caption = "Table 3: Emissions by sector (million tonnes CO2)"
        table = {"caption": caption, "table": [["", "2010"], ["Energy", "600"]]}
        assert stated(table) == {("Energy", "2010"): (6e8, "metric ton")}

    @pytest.mark.parametrize("label", ["Note", "Rank", "Page", "Year"])
    def test_numbers_that_name_are_not_in_millions(self, label):
        found = stated([[["In £ millions", label, "Sales"], ["Turnover", "3", "12"]]])
        assert found["Turnover", label] == (3.0, "-")
        assert found["Turnover", "Sales"] == (12e6, "pound sterling")

    def test_units_in_row_names(self):
        rows = [["", "Munich", "Rome"], ["Area (km2)", "310.7", "1,285"], ["People (thousands)", "1,512", "2,761"]]
        found = stated([rows])
        assert found["Area (km2)", "Rome"] == (1285.0, "square kilometre")
        assert found["People (thousands)", "Munich"] == (1_512_000.0, "people")

    def test_the_introducing_sentence_gives_the_scale(self):
        said = ["Assets consist of (in thousands):", "Other."]
        report = {"table": [["", "2019"], ["Rent", "$ 186"]], "paragraphs": said}
        assert stated(report) == {("Rent", "2019"): (186_000.0, "dollar")}

    def test_currency_signs_stand_at_the_top_of_a_column_only(self):
        found = stated([[["", "2019"], ["Fees", "$ 10"], ["Taxes", "4"], ["Number of employees", "7"]]])
        assert found["Taxes", "2019"] == (4.0, "dollar")
        assert found["Number of employees", "2019"][1] != "dollar"

    def test_headers_amid_the_table_and_years_as_sections(self):
        rows = [["", "High", "Low"], ["2019:", "", ""], ["First quarter", "9", "7"]]
        rows += [["", "Open", "Close"], ["First quarter", "8", "6"]]
        found = [f["text"] for f in facts([rows])]
        assert found[0] == "the 2019 First quarter of High is 9 ;"
        assert found[-1] == "the 2019 First quarter of Close is 6 ;"


HTML = """<p>The table shows sales (in thousands).</p>
<table><caption>Sales</caption>
<tr><th rowspan=2>Region<th colspan="2">2019</tr>
<tr><th>Units</th><th>Value<sup>1</sup></th></tr>
<tr><td rowspan=2>North</td><td>10<sup>a</sup></td><td>$&nbsp;20</td></tr>
<tr><td>11</td><td>21<br>
</table>"""


class TestForms:
    def test_html_with_merged_cells_and_footnote_marks(self):
        found = list(facts(HTML))
        assert [f["text"] for f in found] == [
            "the North of 2019 Units is 10 ;", "the North of 2019 Value is $ 20 ;",
            "the North of 2019 Units is 11 ;", "the North of 2019 Value is 21 ;",
        ]  # fmt: skip
        assert found[1]["quantities"][0].low == 20_000.0

    def test_exponents_are_no_footnote_marks(self):
        found = stated("<table><tr><th>City<th>Area (km<sup>2</sup>)<tr><td>Rome<td>1,285</table>")
        assert list(found.values()) == [(1285.0, "square kilometre")]

    def test_markdown(self):
        text = "## Prices\n\n| City | Price (€) |\n|---|---:|\n| Bonn | 12.50 |\n"
        assert stated(text) == {("Bonn", "Price (€)"): (12.5, "euro")}
        assert next(as_tables(text)).caption == "Prices"

    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_csv_by_any_delimiter(self, delimiter):
        text = "\n".join(delimiter.join(row) for row in (["City", "Weight (kg)"], ["Bonn", "12.5"], ["Rome", "13.5"]))
        assert stated(parse(text, "csv"))["Rome", "Weight (kg)"] == (13.5, "kilogram")

    @pytest.mark.parametrize(
        "given",
        [
            [["City", "kg"], ["Bonn", 12]],
            [{"City": "Bonn", "kg": 12}],
            {"City": ["Bonn"], "kg": [12]},
            {"header": ["City", "kg"], "rows": [["Bonn", 12]]},
            {"table": {"table": [["City", "kg"], ["Bonn", "12"]]}},
            {"table": [["City", "kg"], ["Bonn", "12"]], "pre_text": ["Before."], "post_text": []},
        ],
    )
    def test_json_in_its_usual_shapes(self, given):
        for source in (given, json.dumps(given)):
            assert stated(source) == {("Bonn", "kg"): (12.0, "kilogram")}

    def test_a_folder_of_files(self, tmp_path):
        (tmp_path / "a.html").write_text(HTML + HTML)
        (tmp_path / "b.csv").write_text("x,y\nz,1\n")
        (tmp_path / "notes.txt").write_text("no table")
        assert [table.name for table in read(tmp_path)] == ["a", "a.2", "b"]

    def test_sentences_with_their_quantities(self):
        said = ["Sales rose by 3%. Mr. Smith paid $5 million; nothing else."]
        report = {"table": [["a", "b"], ["c", "1"]], "paragraphs": said}
        found = list(facts(report, "text"))
        assert [f["text"] for f in found] == ["Sales rose by 3%.", "Mr. Smith paid $5 million; nothing else."]
        assert [(q.low, q.unit) for f in found for q in f["quantities"]] == [(3.0, "percentage"), (5e6, "dollar")]

    def test_the_quantity_index_takes_facts(self, tmp_path):
        index = QuantityIndex(str(tmp_path / "facts.quantity"))
        index.index(facts([INCOME]))
        assert len(index) == len(list(facts([INCOME])))


class TestRefused:
    @pytest.mark.parametrize("given", ["", "no table here", "<p>nothing</p>", "{}", "[", {"a": 1}, 12])
    def test_what_is_no_table(self, given):
        with pytest.raises(TableError):
            list(facts(given))

    def test_files_are_named(self, tmp_path):
        (tmp_path / "a.json").write_text("{")
        with pytest.raises(TableError, match=r"a\.json.*JSON"):
            read(tmp_path / "a.json")
        (tmp_path / "a.pdf").write_text("x")
        with pytest.raises(TableError, match="unknown ending"):
            read(tmp_path / "a.pdf")
        with pytest.raises(FileNotFoundError, match="missing"):
            read(tmp_path / "missing.csv")

    def test_an_unknown_kind(self):
        with pytest.raises(ValueError, match="cell, row, text"):
            facts([INCOME], "table")


cells = (
    st.text(max_size=12)
    | st.integers().map(str)
    | st.sampled_from(["$", "%", ")", "(1)", "—", "2019", "(in millions)", ""])
)


@given(st.lists(st.lists(cells, max_size=5), min_size=1, max_size=8))
def test_any_grid_is_read_and_every_span_holds_its_value(rows):
    for kind in ("cell", "row"):
        for fact in facts(Table("t", tuple(map(tuple, rows))), kind):
            assert fact["text"]
            for quantity in fact["quantities"]:
                assert any(char.isdigit() for char in fact["text"][quantity.start : quantity.end])
