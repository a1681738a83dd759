"""The command `pyterrier-quantity parse`."""

import io
import json
import sys

from cli_material import ran

import pyterrier_quantity as ptq


def test_conditions_and_words(capsys):
    out = ran(capsys, "parse", "sports car above 500 hp")
    assert out.splitlines() == [
        "sports car above 500 hp",
        "  words      sports car",
        "  condition  > 500 horsepower",
        "",
    ]
    assert "condition  none" in ran(capsys, "parse", "leather seats")


def test_an_order(capsys):
    assert "  order      by price, lowest first" in ran(capsys, "parse", "cheapest kettle under 2 kg")
    record = json.loads(ran(capsys, "parse", "--json", "top 3 lakes by depth"))
    assert record["order"] == {"attribute": ["depth"], "descending": True, "count": 3}
    assert "order" not in json.loads(ran(capsys, "parse", "--json", "best kettle"))


def test_which_words_made_what(capsys):
    out = ran(capsys, "parse", "--explain", "sports car above 500 hp")
    assert "'500 hp' is the value, 'above' says '>'" in out
    assert "it belongs to 'car', 'sports'" in out
    assert "sure to be a condition (1.00)" in out
    told = ran(capsys, "parse", "--explain", "after 20 years in this job I read about tin under 5 dollars")
    assert "ignored    '20 years': it states something, and asks for nothing" in told
    doubtful = ran(capsys, "parse", "--explain", "laptop of 16 GB or 32 GB")
    assert doubtful.count("one of the conditions of group 1 is enough") == 2


def test_json_says_what_parse_query_says(capsys, monkeypatch):
    queries = ["oil from 20 to 30 dollars", "flat under €900 with 3 rooms"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(queries)))
    records = list(map(json.loads, ran(capsys, "parse", "--json").splitlines()))
    for query, record in zip(queries, records, strict=True):
        terms, constraints = ptq.parse_query(query)
        assert (record["query"], record["terms"]) == (query, terms)
        found = [(one["op"], one["low"], one["high"], one["unit"]) for one in record["conditions"]]
        assert found == [(one.op, one.low, one.high, one.unit) for one in constraints]
        assert all(one["words"] == query[one["start"] : one["end"]] for one in record["conditions"])
