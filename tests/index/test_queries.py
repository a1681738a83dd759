"""Queries of a frame: their constraints as objects or as plain columns."""

import math

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_quantity import Constraint, QuantityIndex, QuantityQueryParser, parse_query
from pyterrier_quantity.index.context_words import is_count, query_terms
from pyterrier_quantity.index.queries import index_queries, queries_of, query_constraints
from pyterrier_quantity.plan import plan_query


def search_terms(query, constraints):
    [asked] = queries_of({"qid": ["7"], "query": [query], "constraints": [constraints]}, parsed=True)
    return asked.terms


def plain(condition, value=5, unit="kg", **more):
    return query_constraints({"qid": "7", "condition": condition, "value": value, "unit": unit, **more})


class TestPlainColumns:
    @pytest.mark.parametrize(
        ("surfaces", "unit"),
        [
            (["percent", "%", "pct", "percentage"], "percentage"),
            (["mL/min", "milliliter per minute"], "millilitre per minute"),
            (["usd/bbl", "dollars a barrel"], "dollar per barrel"),
            (["EUR", "€"], "euro"),
            (["  kg ", "Kilograms"], "kilogram"),
            (["gadgets"], "gadget"),
            (["-", "", "  ", None, math.nan, pd.NA], "-"),
        ],
    )
    def test_units_in_any_spelling(self, surfaces, unit):
        assert [plain(">", unit=surface) for surface in surfaces] == [[Constraint(">", 5.0, 5.0, unit)]] * len(surfaces)

    @pytest.mark.parametrize(
        ("conditions", "op"),
        [
            ("=,==,equal,equals,exactly", "="),
            ("!=,≠,<>,not", "!="),
            ("<,less,below,less than,under", "<"),
            (">,greater,above,more than,over, Above ", ">"),
            ("<=,≤,at most,no more than", "<="),
            (">=,≥,at least,At least", ">="),
            ("~,≈,about", "~"),
        ],
    )
    def test_conditions_in_any_wording(self, conditions, op):
        for condition in conditions.split(","):
            assert plain(condition) == [Constraint(op, 5.0, 5.0, "kilogram")]

    @pytest.mark.parametrize("condition", ["range", "between", "Between"])
    def test_ranges(self, condition):
        assert plain(condition, 5, high=7.5) == [Constraint("range", 5.0, 7.5, "kilogram")]

    def test_negated_ranges(self):
        assert plain("!=", 5, high=7.5) == [Constraint("!=", 5.0, 7.5, "kilogram")]
        for blank in (math.nan, None, "", " "):  # files read as text contain "" for a missing value
            assert plain("!=", 5, high=blank) == [Constraint("!=", 5.0, 5.0, "kilogram")]

    @pytest.mark.parametrize("nothing", [None, math.nan, np.nan, pd.NA, "", "  "])
    def test_no_condition_is_no_constraint(self, nothing):
        assert plain(nothing, math.nan, math.nan) == []

    @pytest.mark.parametrize("value", ["5", " 5.0 ", np.float32(5), np.int64(5), 5])
    def test_numbers_of_any_type(self, value):
        assert plain(">", value) == [Constraint(">", 5.0, 5.0, "kilogram")]

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({"condition": ">", "value": math.nan}, "column 'value': nan is not finite"),
            ({"condition": ">", "value": math.inf}, "column 'value': inf is not finite"),
            ({"condition": ">", "value": "-inf"}, "column 'value': '-inf' is not finite"),
            ({"condition": ">", "value": None}, "column 'value': None is not a number"),
            ({"condition": ">", "value": pd.NA}, "column 'value': <NA> is not a number"),
            ({"condition": ">", "value": "many"}, "column 'value': 'many' is not a number"),
            ({"condition": ">", "value": [5]}, r"column 'value': \[5\] is not a number"),
            ({"condition": ">"}, "column 'value': None is not a number"),
            ({"condition": "range", "value": 5}, "column 'high': None is not a number"),
            ({"condition": "range", "value": 5, "high": math.nan}, "column 'high': nan is not finite"),
            ({"condition": "range", "value": 5, "high": 3}, "column 'value': 5 is greater than column 'high': 3; swap"),
            ({"condition": "nearby", "value": 5}, "column 'condition': unknown 'nearby'; one of =, !=, <"),
            ({"condition": "up", "value": 5}, "column 'condition': unknown 'up'"),
            ({"condition": 5, "value": 5}, "column 'condition': 5 is not a string"),
            ({"condition": ">", "value": 5, "unit": 3.5}, r"column 'unit': 3\.5 is not a string"),
            ({"condition": ">", "value": 5, "unit": ["kg"]}, r"column 'unit': \['kg'\] is not a string"),
            ({"condition": ">", "value": 5, "unit": "@#!"}, "column 'unit': '@#!' is not a unit; similar: "),
        ],
    )
    def test_errors_name_the_query_and_the_column(self, columns, message):
        with pytest.raises(ValueError, match=f"query 'q-42': {message}"):
            query_constraints({"qid": "q-42", **columns})


class TestObjects:
    def test_units_become_canonical(self):
        given = [Constraint(">", 5.0, 5.0, "kg"), Constraint("<", 9.0, 9.0, "USD", weight=2.0)]
        expected = [Constraint(">", 5.0, 5.0, "kilogram"), Constraint("<", 9.0, 9.0, "dollar", weight=2.0)]
        assert query_constraints({"qid": "1", "constraints": given}) == expected

    @pytest.mark.parametrize("given", [[], (), np.array([], dtype=object)])
    def test_empty_lists_are_no_constraint(self, given):
        columns = {"condition": ">", "value": 5, "unit": "kg"}
        assert query_constraints({"qid": "1", "constraints": given, **columns}) == []

    @pytest.mark.parametrize("missing", [None, math.nan, pd.NA])
    def test_plain_columns_stand_in_where_objects_are_missing(self, missing):
        columns = {"condition": ">", "value": 5, "unit": "kg"}
        assert query_constraints({"qid": "1", "constraints": missing, **columns})[0].unit == "kilogram"

    def test_arrays_and_tuples(self):
        asked = Constraint(">", 5.0, 5.0, "kilogram")
        column = pd.Series([[asked]]).to_numpy()[0]
        for given in (column, (asked,), np.array([asked], dtype=object)):
            assert query_constraints({"qid": "1", "constraints": given}) == [asked]

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            (Constraint(">", 5.0, 5.0), "must hold lists of Constraint, got Constraint"),
            ("> 5 kg", "must hold lists of Constraint, got str"),
            ([">", 5], "must hold lists of Constraint, got a list of str"),
            ({"op": ">"}, "must hold lists of Constraint, got dict"),
            ([Constraint(">", 5.0, 5.0, "@#!")], ": '@#!' is not a unit"),
        ],
    )
    def test_anything_else_is_named(self, given, message):
        with pytest.raises(ValueError, match=f"query 'q-42': column 'constraints'.*{message}"):
            query_constraints({"qid": "q-42", "constraints": given})

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("near", 1.0, 1.0), "unknown op 'near'"),
            ((">", math.nan, 1.0), "finite"),
            ((">", 2.0, 1.0), "swap"),
            ((">", 1.0, math.inf), "finite"),
            ((">", 1.0, 1.0, "-", -1.0), "weight"),
            ((">", 1.0, 1.0, "-", math.nan), "weight"),
            ((">", 1.0, 1.0, "-", 1.0, (), 0, 1.5), "certainty must be in"),
        ],
    )
    def test_constraints_refuse_bad_values(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            Constraint(*arguments)


def test_one_need_a_query_in_order_of_appearance():
    frame = pd.DataFrame(
        {
            "qid": ["b", "a", "b", "c", "a"], "query": ["red car"] * 5, "docno": list("12345"),
            "condition": [">", "<", ">", None, "<"], "value": [1, 2, 1, math.nan, 2],
            "unit": ["kg", "m", "kg", None, "m"],
        }
    )  # fmt: skip
    needs, number = index_queries(frame)
    assert number.tolist() == [0, 1, 0, 2, 1]
    assert [list(need.constraints) for need in needs] == [
        [Constraint(">", 1.0, 1.0, "kilogram")],
        [Constraint("<", 2.0, 2.0, "metre")],
        [],
    ]


class TestTerms:
    def test_the_units_own_words_are_no_terms(self):
        asked = [Constraint("<", 60.0, 60.0, "dollar per barrel")]
        assert search_terms("oil price in dollars per barrel", asked) == search_terms("oil price", [])

    @pytest.mark.parametrize(
        ("query", "unit"),
        [("American oil", "dollar per barrel"), ("United States exports", "dollar"), ("crude oil", "barrel")],
    )
    def test_words_of_longer_spellings_stay_terms(self, query, unit):
        assert search_terms(query, [Constraint(">", 5.0, 5.0, unit)]) == search_terms(query, [])
        assert len(search_terms(query, [])) >= 2

    def test_a_query_of_unit_words_alone_keeps_them(self):
        asked = [Constraint(">", 5.0, 5.0, "kilogram")]
        assert search_terms("kilogram", asked) == search_terms("kilogram", [])
        assert len(search_terms("kilogram", asked)) == 1


class TestPlans:
    """The plan travels with the query, and says what it asks."""

    def asked(self, **columns):
        frame = pd.DataFrame([{"qid": "1", "query": "anything else", **columns}])
        return index_queries(frame)[0][0]

    def test_another_language_keeps_no_words_of_its_numbers(self):
        plan = plan_query("Wagen mit mehr als dreihundert PS", language="de")
        assert self.asked(query_plan=plan).terms == query_terms("Wagen")

    def test_pyterriers_operators_keep_it(self, tmp_path):
        texts = {"a": "A red car with 600 hp.", "b": "A red car with 300 hp."}
        index = QuantityIndex(tmp_path / "q").index({"docno": docno, "text": text} for docno, text in texts.items())
        found = pd.DataFrame({"docno": list(texts), "score": [1.0, 2.0]})
        any_ranker = pt.apply.generic(
            lambda queries: queries[pt.model.query_columns(queries)].merge(found, how="cross")
        )
        run = (QuantityQueryParser() >> (any_ranker + 2 * any_ranker) % 5 >> index.scorer()).search(
            "red car above 500 hp"
        )
        assert "constraints" not in run
        assert dict(zip(run["docno"], run["score"] > 0, strict=True)) == {"a": True, "b": False}

    def test_what_is_no_plan_is_named(self):
        with pytest.raises(ValueError, match=r"query '1': column 'query_plan' must hold QueryPlan.*got str"):
            self.asked(query_plan="red car above 500 hp")


class TestRowsOfOneQuery:
    ASKED = (Constraint(">", 5.0, 5.0, "metre"),)

    def frame(self, **second):
        first = {"qid": "1", "query": "car", "docno": "a", "constraints": list(self.ASKED)}
        return pd.DataFrame([first, {**first, "docno": "b", "constraints": list(self.ASKED), **second}])

    def test_they_ask_the_same(self):
        needs, number = index_queries(self.frame())
        assert len(needs) == 1
        assert number.tolist() == [0, 0]
        missing = self.frame().assign(unit=[None, float("nan")])
        assert len(index_queries(missing)[0]) == 1

    @pytest.mark.parametrize(
        ("column", "value"), [("query", "boat"), ("query", None), ("constraints", []), ("constraints", None)]
    )
    def test_or_are_refused(self, column, value):
        with pytest.raises(ValueError, match=f"query '1': column '{column}' holds .* give every query its own qid"):
            index_queries(self.frame(**{column: value}))

    def test_a_row_without_a_qid(self):
        with pytest.raises(ValueError, match="row 1 has no qid"):
            index_queries(self.frame(qid=None))


@pytest.mark.parametrize("unit", ["killogram", "terrabyte", "percentge"])
def test_a_misspelt_unit_is_told(unit):
    asked = pd.DataFrame([{"qid": "1", "query": "x", "constraints": [Constraint("<", 5, 5, unit)]}])
    with pytest.warns(UserWarning, match=f"the unit '{unit}' is read as a counted noun; if you mean '[a-z]+'"):
        index_queries(asked)


@pytest.mark.parametrize("unit", ["kilogram", "litter", "employee", "goal", "kg", "-", "patient per year"])
def test_counted_nouns_are_no_slips(unit, recwarn):
    index_queries(pd.DataFrame([{"qid": "1", "query": "x", "constraints": [Constraint("<", 5, 5, unit)]}]))
    assert not recwarn.list


class TestWhatNamesACount:
    def naming(self, query):
        (need,) = index_queries(pd.DataFrame([{"qid": "1", "query": query, "constraints": parse_query(query)[1]}]))[0]
        return [set(condition.naming) for condition in need.conditions]

    def codes(self, *words):
        return {code for word in words for code in query_terms(word)}

    def test_a_bare_number_is_named_by_what_it_belongs_to(self):
        rating, votes = self.naming("films with a rating above 6.8 and fewer than 55482 votes")
        assert rating == self.codes("rating")
        assert self.codes("votes", "films") <= votes

    def test_what_one_condition_counts_names_nothing_for_another(self):
        votes, stars = self.naming("films with more than 900 votes and fewer than 3 stars")
        assert self.codes("votes") <= votes
        assert not self.codes("votes") & stars

    def test_a_date_counts_nothing(self):
        assert not is_count("date")
        assert not set(search_terms("films before 1965", parse_query("films before 1965")[1])) & self.codes("date")
