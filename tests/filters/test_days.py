"""Fields that hold days or years: conditions on dates, each with its rows, written before it was tried."""

import warnings
from datetime import date, timedelta

import pytest
from filter_engines import ENGINES

from pyterrier_quantity import Constraint, FieldQuantities, filters

FIELDS = {"released": ("day", "date"), "model year": ("built", "calendar year"), "price": ("usd", "dollar")}
ROWS = [
    {"number": number, "day": date(2014, 11, 20) + number * timedelta(days=13), "built": float(2010 + number % 9)}
    for number in range(140)
] + [{"number": 140, "usd": 30.0}]  # fmt: skip

DAYS = {
    "released in 2015": lambda day: day.year == 2015,
    "released before 2016": lambda day: day.year < 2016,
    "released after 2016": lambda day: day.year > 2016,
    "released since 2017": lambda day: day.year >= 2017,
    "released until 2016": lambda day: day.year <= 2016,
    "released between 2015 and 2017": lambda day: 2015 <= day.year <= 2017,
    "released after 3 May 2016": lambda day: day > date(2016, 5, 3),
    "released before 3 May 2016": lambda day: day < date(2016, 5, 3),
    "released in May 2016": lambda day: (day.year, day.month) == (2016, 5),
    "released in 05/2016": lambda day: (day.year, day.month) == (2016, 5),
    "released in 2016-05": lambda day: (day.year, day.month) == (2016, 5),
    "released 3-30 May 2016": lambda day: date(2016, 5, 3) <= day <= date(2016, 5, 30),
    "released after May 2016": lambda day: day >= date(2016, 6, 1),
    "released after 1 January 2016": lambda day: day > date(2016, 1, 1),
    "released around 2017": lambda day: 2016 <= day.year <= 2018,
    "released around March 2016": lambda day: (2016, 2) <= (day.year, day.month) <= (2016, 4),
    "released not in 2016": lambda day: day.year != 2016,
}
YEARS = {
    "model year after 2015": lambda built: built > 2015,
    "model year before 2015": lambda built: built < 2015,
    "model year above 2015": lambda built: built > 2015,
    "model year between 2012 and 2014": lambda built: 2012 <= built <= 2014,
    "model year not in 2016": lambda built: built != 2016,
    "model year around 2016": lambda built: 2015 <= built <= 2017,
    "model year since May 2016": lambda built: built >= 2016,
    "model year not between 2012 and 2014": lambda built: not 2012 <= built <= 2014,
    "model year 2012, 2013 or 2016": lambda built: built in (2012, 2013, 2016),
    "with a model year of under 2014": lambda built: built < 2014,
}


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_every_engine_finds_the_days_and_the_years(engine, tmp_path, request):
    search = ENGINES[engine](ROWS, FIELDS, tmp_path, request)
    for name, conditions in (("day", DAYS), ("built", YEARS)):
        for query, meets in conditions.items():
            with warnings.catch_warnings():
                warnings.simplefilter("error", UserWarning)
                found = search(query)
            expected = {row["number"] for row in ROWS if name in row and meets(row[name])}
            assert found == expected, query
            assert 0 < len(found) < len(ROWS) - 1, query


def test_days_as_the_languages_write_them():
    asked = "released in May 2016"
    assert filters.to_sql(asked, FIELDS) == """"day" >= DATE '2016-05-01' AND "day" < DATE '2016-06-01'"""
    assert filters.to_solr(asked, FIELDS) == "day:[2016-05-01T00:00:00Z TO 2016-06-01T00:00:00Z}"
    assert filters.to_opensearch(asked, FIELDS)["bool"]["filter"] == [
        {"range": {"day": {"gte": "2016-05-01", "lt": "2016-06-01"}}}
    ]
    assert filters.to_typesense(asked, FIELDS) == "day:>=1462060800 && day:<1464739200"
    assert filters.to_langchain("model year 2012 or later", FIELDS) == {"built": {"$gte": 2012}}


def test_a_date_goes_to_no_other_field_and_a_price_to_no_date():
    with pytest.warns(UserWarning, match="'date' does not convert to any field's unit"):
        assert filters.to_sql("built in 2015", {"price": ("usd", "dollar")}) == "TRUE"
    with pytest.warns(UserWarning, match="'dollar' does not convert to any field's unit"):
        assert filters.to_sql("below $5", {"released": ("day", "date")}) == "TRUE"
    with pytest.warns(UserWarning, match="not a date that the field 'day' can hold"):
        assert filters.to_sql([Constraint("=", 12345.0, 12345.0, "date")], {"released": ("day", "date")}) == "TRUE"


def test_documents_with_such_fields_state_dates():
    read = FieldQuantities({"released": ("day", "date"), "model year": ("built", "calendar year")}, text_field=None)
    (document,) = read.transform_iter([{"docno": "1", "day": "2016-05-03", "built": 2015}])
    assert [(round(q.low, 3), q.unit) for q in document["quantities"]] == [(2016.336, "date"), (2015, "date")]


@pytest.mark.parametrize("write", [filters.to_vespa, filters.to_typesense])
def test_a_name_that_a_language_cannot_quote_is_named(write):
    with pytest.raises(ValueError, match="the field 'a b' cannot be named"):
        write("below $5", {"price": ("a b", "dollar")})
    assert "size.usd" in write("below $5", {"price": ("size.usd", "dollar")})
