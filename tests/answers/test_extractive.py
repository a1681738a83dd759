"""The value that answers a question about a quantity, its distribution over documents, and comparisons."""

from typing import ClassVar

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

import pyterrier_quantity as ptq
from pyterrier_quantity.answers import Distribution, Extractive, asked_for

TEXTS = {
    "d1": "The BMW M5 weighs 1,950 kg and costs 120,000 euros. It has 600 hp.",
    "d2": "At 1.94 tonnes the M5 is heavy; the BMW M3 weighs 1,700 kg.",
    "d3": "The new BMW M5 weighs 4,300 lb according to the test, built in 2018.",
    "d4": "A model of the BMW M5 weighs 2 kg.",
    "d5": "The Mini weighs 1,200 kg and was built in 1959.",
    "d6": "Crude oil rose to 19.50 dollars a barrel; a barrel of crude cost 19.40 dollars last week.",
    "d7": "",
}


def results(query: str, qid: str = "1", texts: dict[str, str] = TEXTS) -> pd.DataFrame:
    rows = [(qid, query, docno, text, rank, -float(rank)) for rank, (docno, text) in enumerate(texts.items())]
    return pd.DataFrame(rows, columns=["qid", "query", "docno", "text", "rank", "score"])


def answer(query: str, **options) -> pd.Series:
    return Extractive(**options)(results(query)).iloc[0]


class TestAsked:
    @pytest.mark.parametrize(
        ("text", "families"),
        [
            ("how heavy is the moon", {"mass"}),
            ("How tall was she?", {"length"}),
            ("what did crude oil cost", {"money"}),
            ("how fast is a cheetah", {"speed"}),
            ("how long is the last bridge", {"length", "time"}),
            ("how long does it take to fly to Rome", {"time"}),
            ("what was the last price of tin", {"money"}),
            ("what was the temperature in Rome", {"temperature"}),
            ("what percentage of voters stayed at home", {"ratio"}),
            ("what is the hemoglobin of the patient", set()),
        ],
    )
    def test_kinds(self, text, families):
        asked = asked_for(text)
        assert asked.kind.is_quantity
        assert asked.kind.families == families

    @pytest.mark.parametrize("text", ["who wrote Emma", "where is Zenda", "how to cook rice", "", "why did it rain"])
    def test_no_quantity(self, text):
        assert not asked_for(text).kind.is_quantity

    def test_unit_and_terms(self):
        asked = asked_for("how heavy is the BMW M5 in pounds?")
        assert asked.kind.unit == "pound-mass"
        assert asked.terms == ("bmw", "m5")
        assert asked_for("which BMW has more than 500 hp").terms == ("bmw",)
        assert asked_for("how heavy is the statue in Rome").kind.unit == ""


class TestExtractive:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("how heavy is the BMW M5?", "1,950 kilogram"),
            ("what does the BMW M5 cost", "120,000 euro"),
            ("which BMW has more than 500 hp", "600 horsepower"),
            ("how many hp has the M5", "600 horsepower"),
            ("when was the Mini built", "1959"),
            ("what did crude oil cost", "19.4 dollar"),
        ],
    )
    def test_answers(self, query, expected):
        assert answer(query)["qanswer"] == expected

    def test_documents_agree_after_conversion(self):
        row = answer("how heavy is the BMW M5?")
        near = [item["docno"] for item in row["evidence"] if abs(item["value"] - 1950) < 40]
        assert set(near) == {"d1", "d2", "d3"}
        assert row["evidence"][0]["docno"] == "d1"

    def test_evidence_points_into_the_text(self):
        best = answer("how heavy is the BMW M5?")["evidence"][0]
        assert TEXTS["d1"][best["start"] : best["end"]] == best["span"] == "1,950 kg"
        assert best["sentence"] == "The BMW M5 weighs 1,950 kg and costs 120,000 euros."
        assert best["quantity"].unit == "kilogram"

    def test_an_outlier_on_top_loses(self):
        texts = {"x": "The M5 weighs 19 kg.", "y": "The M5 weighs 1,950 kg.", "z": "The M5 weighs 1,940 kg."}
        out = Extractive()(results("how heavy is the M5", texts=texts))
        assert out["value"][0] == pytest.approx(1950)

    def test_ready_quantities_are_used(self):
        frame = results("how heavy is the M5", texts={"d": "It is stated elsewhere."})
        frame["quantities"] = [[ptq.Quantity(7.0, 7.0, "kilogram")]]
        assert Extractive()(frame)["qanswer"].tolist() == ["7 kilogram"]

    def test_only_the_top_documents_are_read(self):
        assert answer("when was the Mini built", documents=2)["reason"] == "no document states such a quantity"

    @pytest.mark.parametrize(
        ("query", "reason"),
        [
            ("who wrote Emma", "the question does not ask for a quantity"),
            ("how tall is the M5", "no document states such a quantity"),
        ],
    )
    def test_empty_answers_have_a_reason(self, query, reason):
        row = answer(query)
        assert (row["qanswer"], row["unit"], row["evidence"], row["reason"]) == ("", "", [], reason)
        assert np.isnan(row["value"])

    def test_the_question_as_typed_is_read(self):
        parsed = ptq.QuantityQueryParser()(pd.DataFrame([{"qid": "1", "query": "which BMW has more than 500 hp"}]))
        frame = parsed.merge(results("").drop(columns=["query"]), on="qid")
        assert Extractive()(frame)["qanswer"].tolist() == ["600 horsepower"]


class TestWhichNumber:
    """Sentences with several numbers and several names: expected answers were written before any was read."""

    TEXTS: ClassVar[dict[str, str]] = {
        "1": "Mount Everest is a mountain 8849 m high.",
        "2": "At 5,895 metres, Kilimanjaro is a mountain for a long day.",
        "3": "The Mont Blanc Tunnel is 11.6 km long; Mont Blanc rises to 4,806 m.",
        "4": "Cedar tofu, per 100 g: energy 124 kcal, protein 14 g, fat 7 g, carbohydrate 1.5 g.",
        "5": "Calder Robotics, full year: revenue $385m, operating profit $31m, net profit $22m, 18 cents per share.",
        "6": "The Mirelle Coupe costs €28,450, whereas the Ardent Spyder is listed at €132,700.",
        "7": "The Halden Kombi needs 9 seconds to 100 km/h; its top speed is 208 km/h.",
        "9": "Built in 1817, the Solvik tower is a ruin.",
        "10": "The length of the Tamerra ferry is 70 m. The Tamerra ferry needs 40 minutes.",
        "8": "Brookfield United won 6 of their 38 games and took 27 points.",
    }

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("how high is Mount Kilimanjaro?", "5,895 metre"),
            ("how high is Mont Blanc?", "4,806 metre"),
            ("what is the protein of Cedar tofu?", "14 gram"),
            ("what is the carbohydrate of Cedar tofu?", "1.5 gram"),
            ("what was the operating profit of Calder Robotics?", "3.1e+07 dollar"),
            ("what was the net profit of Calder Robotics?", "2.2e+07 dollar"),
            ("how much does the Ardent Spyder cost?", "132,700 euro"),
            ("how much does the Mirelle Coupe cost?", "28,450 euro"),
            ("how fast is the Halden Kombi?", "208 kilometre per hour"),
            ("when was the Solvik tower built?", "1817"),
            ("how long does the Tamerra ferry take?", "40 minute"),
            ("what is the points of Brookfield United?", "27 point"),
        ],
    )
    def test_the_one_that_is_asked_for(self, query, expected):
        assert Extractive()(results(query, texts=self.TEXTS))["qanswer"].tolist() == [expected]


class TestContract:
    def test_no_rows(self):
        out = Extractive()(results("how heavy").head(0))
        assert len(out) == 0
        assert {"qanswer", "value", "unit", "score", "evidence", "reason"} <= set(out.columns)

    def test_several_questions_in_any_order(self):
        frame = pd.concat([results("when was the Mini built", "b"), results("how heavy is the BMW M5?", "a")])
        shuffled = frame.sample(frac=1, random_state=3)
        out = Extractive()(shuffled).set_index("qid")["qanswer"]
        assert out.to_dict() == {"a": "1,950 kilogram", "b": "1959"}


class TestDistribution:
    def test_median_spread_and_outliers(self):
        found = Extractive().distributions(results("how heavy is the BMW M5?"))["1"]
        assert found.unit == "kilogram"
        assert found.median == pytest.approx(1940, abs=1)
        assert found.outliers == ["d4"]
        assert found.spread == pytest.approx(np.subtract(*np.percentile(found.values, [75, 25])))

    def test_in_a_notebook(self):
        evidence = [{"docno": f"<{n}>", "value": float(n), "span": "", "sentence": ""} for n in (1, 2, 3, 90)]
        shown = Distribution("how <heavy>?", "kilogram", evidence)._repr_html_()
        assert shown.count("<circle") == 4
        assert shown.count('fill="none"') == 1
        assert "<heavy>" not in shown
        assert "&lt;90&gt;" in shown

    def test_nothing_found(self):
        found = Extractive().distributions(results("how tall is the M5"))["1"]
        assert np.isnan(found.median)
        assert found.outliers == []
        assert "0 documents" in repr(found)
        assert "<svg" not in found._repr_html_()


class TestCompare:
    def pipeline(self):
        def retrieve(queries):
            documents = pd.DataFrame({"docno": list(TEXTS), "text": list(TEXTS.values())})
            return queries.merge(documents, how="cross").assign(score=1.0)

        return pt.apply.generic(retrieve, required_columns=["qid", "query"]) >> Extractive()

    def test_of_several_entities(self):
        table = ptq.compare(self.pipeline(), "how heavy is the {}?", ["Mini", "BMW M5"])
        assert table["entity"].tolist() == ["BMW M5", "Mini"]
        assert table["qanswer"].tolist() == ["1,950 kilogram", "1,200 kilogram"]
        assert table["docno"].tolist() == ["d1", "d5"]

    def test_what_does_not_convert_says_so(self):
        table = ptq.compare(self.pipeline(), "how heavy is the {}?", ["Mini"], unit="metre")
        assert np.isnan(table["value"][0])
        assert "does not convert to metre" in table["reason"][0]

    def test_bad_arguments(self):
        with pytest.raises(ValueError, match=r"needs \{\}"):
            ptq.compare(self.pipeline(), "how heavy is it", ["Mini"])
        with pytest.raises(ValueError, match="no entities"):
            ptq.compare(self.pipeline(), "how heavy is {}", [])
