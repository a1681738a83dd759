"""Whatever reads queries takes time that grows with their length; see `extraction/test_hostile.py` for extraction."""

import warnings
from functools import partial

import growth
import pandas as pd
import pytest

from pyterrier_quantity.answers import asked_for
from pyterrier_quantity.counts import analyse
from pyterrier_quantity.filters import field_conditions
from pyterrier_quantity.index.queries import index_queries
from pyterrier_quantity.plan import QueryText, plan_query
from pyterrier_quantity.tables.generator import read_question

grows_too_fast = partial(growth.grows_too_fast, length=5_000)
PIECES = [
    "price below 5 euros ", "5 kg or ", "We waited 5 hours. ", "show me about 5 books on tin, ", "I was told 5 km. A ",
    "?a=5&b=6 ", "https://a.b/?c=5 ", "not not 5 kg ", "the book on tin is 5 pages, ", "tin, which 5 kg ", "a_b(5) ",
    "500 to 800 dollar range ", "(5 kg ", "5 ", "and of the 5 kg ", "\n5 kg", "; A 5 kg ", ".a. 5 kg", "about ", ".   ",
]  # fmt: skip


def read_all(text: str) -> None:
    plan = plan_query(text)
    for keep in QueryText:
        plan.terms(keep)


@pytest.mark.parametrize("piece", PIECES)
def test_a_plan_takes_time_that_grows_with_the_query(piece: str) -> None:
    assert not grows_too_fast(read_all, piece)


def read_question_everywhere(text: str) -> None:
    asked = asked_for(text)
    assert asked.terms is not None
    analyse(text)
    read_question(text)


QUESTIONS = [
    "what is the ", "how many of ", "how heavy is a cat in a ", "in a", "increased by ", "Bank of the England ", "5 Ab",
    "number of of ", "percent and what average ", "from 2010 ", "per share what ", "population in ", "in what year ",
]  # fmt: skip


@pytest.mark.parametrize("piece", QUESTIONS)
def test_what_a_question_asks_for_takes_time_that_grows_with_it(piece: str) -> None:
    assert not grows_too_fast(read_question_everywhere, piece)


@pytest.mark.parametrize("piece", ["price below 5 euros ", "ship or 5 kg ", "seats: 5 "])
def test_what_a_query_needs_takes_time_that_grows_with_it(piece: str) -> None:
    def need(text: str) -> None:
        constraints = plan_query(text).constraints
        index_queries(pd.DataFrame([{"qid": "1", "query": text, "constraints": constraints}]))

    assert not grows_too_fast(need, piece)


@pytest.mark.parametrize("piece", ["price below 5 euros ", "ship or 5 kg ", "seats: 5 "])
def test_filters_take_time_that_grows_with_the_query(piece: str) -> None:
    fields = {"price": ("cost", "euro"), "weight": ("mass", "kg"), "seats": "seats"}

    def filters(text: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            field_conditions(text, fields)

    assert not grows_too_fast(filters, piece)
