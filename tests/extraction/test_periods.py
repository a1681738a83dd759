"""Periods of time in words, absolute ones and those against a reference day; expected days were written by hand."""

import calendar
from datetime import date

import pytest

from pyterrier_quantity import QuantityQueryParser, RuleExtractor
from pyterrier_quantity.plan import parse_query

TODAY = date(2024, 5, 15)
"""A Wednesday."""


def years(day: str) -> float:
    when = date.fromisoformat(day)
    return when.year + (when.timetuple().tm_yday - 1) / (366 if calendar.isleap(when.year) else 365)


def dates(text: str, today: date | None = TODAY) -> list[tuple[str, float, float]]:
    read = RuleExtractor(concepts=False, dates=True, today=today).extract(text)
    return [(one.bound, one.low, one.high) for one in read if one.unit == "date"]


@pytest.mark.parametrize(
    ("text", "bound", "first", "last"),
    [
        ("papers from the last 6 months", "=", "2023-11-15", "2024-05-15"),
        ("articles of the last six months about inflation", "=", "2023-11-15", "2024-05-15"),
        ("books published within the past 3 years", "=", "2021-05-15", "2024-05-15"),
        ("posts of the last 24 hours", "=", "2024-05-14", "2024-05-15"),
        ("accidents over the past two decades", "=", "2004-05-15", "2024-05-15"),
        ("concerts in the next two weeks", "=", "2024-05-15", "2024-05-29"),
        ("sales in the last quarter", "=", "2024-01-01", "2024-03-31"),
        ("sales last quarter", "=", "2024-01-01", "2024-03-31"),
        ("earnings this quarter", "=", "2024-04-01", "2024-06-30"),
        ("rainfall last year", "=", "2023-01-01", "2023-12-31"),
        ("rainfall in the past year", "=", "2023-05-15", "2024-05-15"),
        ("arrests last month", "=", "2024-04-01", "2024-04-30"),
        ("events last week", "=", "2024-05-06", "2024-05-12"),
        ("flights next month", "=", "2024-06-01", "2024-06-30"),
        ("elections this year", "=", "2024-01-01", "2024-12-31"),
        ("goals scored yesterday", "=", "2024-05-14", "2024-05-14"),
        ("patients admitted in March", "=", "2024-03-01", "2024-03-31"),
        ("patients admitted in September", "=", "2023-09-01", "2023-09-30"),
        ("founded 20 years ago", "=", "2004-05-15", "2004-05-15"),
        ("left two weeks ago", "=", "2024-05-01", "2024-05-01"),
        ("the firm opened a decade ago", "=", "2014-05-15", "2014-05-15"),
        ("hits in the 90s", "=", "1990-01-01", "1999-12-31"),
        ("hits of the nineties", "=", "1990-01-01", "1999-12-31"),
        ("music of the 1990s", "=", "1990-01-01", "1999-12-31"),
        ("cars built in the early 1980s", "=", "1980-01-01", "1983-12-31"),
        ("houses from the late '60s", "=", "1967-01-01", "1969-12-31"),
        ("wars of the 1800s", "=", "1800-01-01", "1899-12-31"),
        ("bands from the 1960s to the 1980s", "=", "1960-01-01", "1989-12-31"),
        ("revenue in Q3 2021", "=", "2021-07-01", "2021-09-30"),
        ("revenue in the third quarter of 2021", "=", "2021-07-01", "2021-09-30"),
        ("exports in the first half of 2020", "=", "2020-01-01", "2020-06-30"),
        ("news since last year", ">=", "2023-01-01", "2023-01-01"),
        ("films before the 60s", "<", "1960-01-01", "1960-01-01"),
        ("songs after the 1970s", ">", "1979-12-31", "1979-12-31"),
        ("paintings until the nineties", "<=", "1999-12-31", "1999-12-31"),
        ("news since Monday", ">=", "2024-05-13", "2024-05-13"),
        ("earnings since January", ">=", "2024-01-01", "2024-01-01"),
        ("earnings since October", ">=", "2023-10-01", "2023-10-01"),
        ("registered more than 3 years ago", "<", "2021-05-15", "2021-05-15"),
        ("registered at least 3 years ago", "<=", "2021-05-15", "2021-05-15"),
        ("licences granted less than 6 months ago", ">", "2023-11-15", "2023-11-15"),
        ("bills due before next month", "<", "2024-06-01", "2024-06-01"),
        ("articles since 26/08/2019", ">=", "2019-08-26", "2019-08-26"),
        ("articles since 08/26/2019", ">=", "2019-08-26", "2019-08-26"),
        ("Artikel published before 5.12.2019", "<", "2019-12-05", "2019-12-05"),
        ("rents paid until 7/7/2019", "<=", "2019-07-07", "2019-07-07"),
        ("growth since Q2 2019", ">=", "2019-04-01", "2019-04-01"),
    ],
)
def test_a_period_is_a_range_of_days_of_which_a_bound_takes_one_end(text, bound, first, last):
    assert dates(text) == [(bound, years(first), years(last))]


@pytest.mark.parametrize(
    "text",
    [
        "temperatures in the 90s", "test scores in the 80s", "a pulse in the 60s", "men in their 90s",
        "the last 5 chapters", "the last quarter of the game", "the last two minutes", "the last year of her life",
        "the last day of school", "70s pants", "soldiers march on", "you may go", "patients older than 6 months",
        "a 2 year warranty", "next door", "his last years", "wind speeds in the 70s", "articles since 5/12/2019",
        "version 3.11.2019", "section 31.31.2019",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_period(text):
    assert dates(text) == []


def test_periods_that_run_backwards_are_two():
    read = [(years("2019-07-01"), years("2019-09-30")), (years("2018-04-01"), years("2018-06-30"))]
    assert [one[1:] for one in dates("margins from Q3 2019 to Q2 2018")] == read


def test_without_a_reference_day_only_absolute_periods_are_read():
    assert dates("since last year, and 2 years ago", None) == []
    assert dates("hits in the 90s", None) == [("=", years("1990-01-01"), years("1999-12-31"))]
    (time,) = RuleExtractor(concepts=False, dates=True).extract("the last 6 months")
    assert (time.low, time.unit) == (6, "month")


def test_a_query_asks_for_a_period():
    terms, (asked,) = parse_query("papers about tin from the last 6 months", today=TODAY)
    assert terms == "papers about tin"
    assert (asked.op, asked.low, asked.high, asked.unit) == ("range", years("2023-11-15"), years("2024-05-15"), "date")
    assert parse_query("papers about tin from the last 6 months")[1] == []


def test_a_parser_has_a_reference_day():
    parser = QuantityQueryParser(today=TODAY)
    (row,) = parser([{"qid": "1", "query": "news since last year"}])
    assert [(one.op, one.low) for one in row["constraints"]] == [(">=", 2023)]
    assert parser != QuantityQueryParser()
    assert "2024" in repr(parser)


def test_a_reference_day_is_a_date():
    with pytest.raises(TypeError, match="a datetime"):
        RuleExtractor(dates=True, today="2024-05-15")
    with pytest.raises(ValueError, match="dates=True"):
        RuleExtractor(today=TODAY)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A Roman bridge from 62 BC is in use.", ["-62 date"]),
        ("The emperor reigned from 27 BC to AD 14.", ["-27 to 14 date"]),
        ("Built between 200 and 100 BCE, it fell.", ["-200 to -100 date"]),
        ("The temple is older than 500 b.c.", ["< -500 date"]),
        ("They sold 300 ad slots.", ["300 ad slot"]),
        ("It is CE certified and has 3 parts.", ["3 part"]),
    ],
)
def test_years_before_and_after_christ(text: str, expected: list[str]) -> None:
    assert [str(one) for one in RuleExtractor(concepts=False, dates=True).extract(text)] == expected
