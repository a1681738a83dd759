"""The search page over HTTP: what its addresses answer, and to whom."""

import argparse
import http.client
import json
from pathlib import Path
from urllib.parse import urlencode

import pytest
from served import assert_closed
from web_material import CORPUS

from pyterrier_quantity import QuantityIndex, cli
from pyterrier_quantity.cli.search import collection_search
from pyterrier_quantity.web.addresses import ADDRESSES
from pyterrier_quantity.web.collection_search import convertible
from pyterrier_quantity.web.page_app import LocalServer


def asked(server, path, method="GET", headers=None, **given):
    """Status, headers and content of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        target = f"{path}?{urlencode(given)}" if given else path
        connection.request(method, target, headers=headers or {})
        answer = connection.getresponse()
        content = answer.read().decode()
        is_json = answer.getheader("Content-Type") == "application/json"
        return answer.status, dict(answer.getheaders()), json.loads(content) if is_json else content
    finally:
        connection.close()


def found(server, query, **given):
    status, _, answer = asked(server, "/search", query=query, **given)
    assert status == 200, answer
    return answer


def test_how_a_query_is_read(server):
    _, _, reading = asked(server, "/parse", query="sports car above 500 hp")
    assert reading["terms"] == "sports car"
    (one,) = reading["conditions"]
    assert (one["op"], one["low"], one["unit"], one["sure"]) == (">", 500, "horsepower", "sure")
    assert one["words"] == "above 500 hp"
    units = {unit["unit"]: unit for unit in one["units"]}
    assert units["kilowatt"]["factor"] == pytest.approx(0.7457, rel=1e-4)


def test_a_unit_in_doubt_is_shown_in_each_reading(server):
    _, _, reading = asked(server, "/parse", query="boat of 12 kn")
    assert {one["unit"] for one in reading["conditions"]} == {"knot", "kilonewton"}
    assert [one["words"] for one in reading["conditions"]] == ["of 12 kn"] * 2
    assert len({one["alternative"] for one in reading["conditions"]}) == 1


def test_results_say_what_meets_the_condition(server):
    results = found(server, "sports car above 500 hp", top="50")["results"]
    assert {one["docno"] for one in results[:2]} == {"corvane", "brennert"}
    told = {one["docno"]: one["conditions"][0] for one in results}
    assert told["corvane"]["met"]
    assert told["brennert"]["why"].startswith("400 kilowatt (536.4 horsepower) meets > 500 horsepower")
    assert told["mirelle"]["why"].startswith("72 horsepower does not meet > 500 horsepower")
    assert "no value is stated in horsepower" in told["leather"]["why"]
    texts = {one["docno"]: one["text"] for one in results}
    assert ["530 hp", "met"] in texts["corvane"]
    assert ["72 hp", "not"] in texts["mirelle"]
    for document in CORPUS[:5]:
        assert "".join(piece for piece, _ in texts[document["docno"]]) == document["text"]


def test_conditions_in_place_of_those_that_were_read(server):
    query = "sports car above 500 hp"
    below = [{"op": "<", "low": 100, "unit": "hp", "attribute": ["car"]}]
    results = found(server, query, conditions=json.dumps(below), filtered="true")["results"]
    assert [one["docno"] for one in results] == ["mirelle"]
    none = found(server, query, conditions="[]")
    assert none["conditions"] == none["results"][0]["conditions"] == []
    kilowatts = [{"op": "range", "low": 390, "high": 410, "unit": "kW"}]
    results = found(server, query, conditions=json.dumps(kilowatts), filtered="true", ranker="values")["results"]
    assert {one["docno"] for one in results} == {"corvane", "brennert"}


def test_an_order_turned_round(server):
    docnos = [
        [one["docno"] for one in found(server, "most powerful car below 200 hp", turned=turned)["results"][:2]]
        for turned in ("false", "true")
    ]
    assert docnos == [["car-175", "car-150"], ["mirelle", "car-100"]]


def test_rankers_and_options(server):
    assert len(found(server, "car above 500 hp", top="2")["results"]) == 2
    conditions = json.dumps([{"op": ">", "low": 500, "unit": "hp"}])
    words = {one["docno"] for one in found(server, "leather", conditions=conditions, ranker="rerank")["results"]}
    either = {one["docno"] for one in found(server, "leather", conditions=conditions)["results"]}
    assert words == {"leather"}
    assert either > words


@pytest.mark.parametrize(
    ("unit", "value", "offered"),
    [
        ("centimetre", 120, ["centimetre", "metre", "inch", "millimetre"]),
        ("kilometre", 12, ["kilometre", "metre"]),
        ("metre", 0, ["metre", "centimetre", "kilometre", "inch", "millimetre"]),
        ("mile", 1e9, ["mile"]),
    ],
)
def test_units_that_a_person_would_choose(tmp_path, unit, value, offered):
    texts = ["a desk of 120 cm", "a road of 12 km", "a screen of 47 inches", "a wall of 3 m", "a sheet of 3 mm"]
    index = QuantityIndex(tmp_path / "i").index([{"docno": f"d{n}", "text": text} for n, text in enumerate(texts)])
    found = [one["unit"] for one in convertible(index, unit, value)]
    assert (found[0], set(found)) == (unit, set(offered))


FIELDS = """sku,title,price,weight_kg
k1,Brio Kettle,39,1.2
k2,Corvo Kettle,59,1.4
"""


def test_fields_become_facets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("shop.csv").write_text(FIELDS)
    fields = ["--docno", "sku", "--text", "title", "--quantities", "cost=price:€", "price:€", "weight_kg", "--quiet"]
    assert cli.main(["index", "shop.csv", "q", *fields]) == 0
    given = {"docno": "sku", "text": ["title"], "form": None, "html": False, "rates": None, "default": ""}
    search = collection_search(argparse.Namespace(index=Path("q"), corpus="shop.csv", **given))
    facets = search.search("kettle below 100 euros")["facets"]
    assert {(one["attribute"], one["unit"], one["low"], one["high"]) for one in facets} == {
        ("price", "euro", 39, 59), ("", "euro", 39, 59), ("weight", "kilogram", 1.2, 1.4)
    }  # fmt: skip


def test_one_document_explained(server):
    _, _, answer = asked(server, "/explain", query="car above 500 hp", docno="mirelle")
    assert answer["conditions"][0]["met"] is False
    assert asked(server, "/explain", query="car above 500 hp", docno="none")[0] == 400


WRONG = [
    ("/search", {}, "'query' is missing"),
    ("/search", {"query": "x", "colour": "red"}, "no parameter of search 'colour'"),
    ("/search", {"query": "x", "top": "0"}, "give a whole number from 1 to 100"),
    ("/search", {"query": "x", "filtered": "yes"}, "give true or false"),
    ("/search", {"query": "x" * 2001}, "at most 2000 characters"),
    ("/search", {"query": "x", "conditions": "{"}, "give a JSON list"),
    ("/search", {"query": "x", "conditions": '[{"op": "like", "low": 1}]'}, "condition 1: unknown op 'like'"),
    ("/search", {"query": "x", "conditions": '[{"op": "<", "low": "1"}]'}, "low must be a number"),
    ("/search", {"query": "x", "conditions": '[{"op": "range", "low": 2, "high": 1}]'}, "swap them"),
    ("/search", {"query": "x", "conditions": '[{"op": "<", "low": 1, "unit": "!!"}]'}, "is not a unit"),
    ("/search", {"query": "x", "conditions": json.dumps([{"op": "<", "low": 1}] * 21)}, "at most 20 conditions"),
    ("/values", {"unit": "!!"}, "is not a unit"),
    ("/convert", {"value": "five", "from_unit": "kg", "to_unit": "g"}, "give a number"),
    ("/convert", {"value": "1e308", "from_unit": "kg", "to_unit": "g"}, "too large a number in 'g'"),
    ("/search", {"query": "x", "conditions": f'[{{"op": "<", "low": 1, "alternative": {10**25}}}]'}, "from 0 to 20"),
    ("/check_numbers", {"answer": "5 km", "evidence": "x" * 50_000}, "at most 50,000 characters together, got 50,004"),
]


@pytest.mark.parametrize(("path", "given", "told"), WRONG)
def test_what_is_wrong_is_named(server, path, given, told):
    status, _, answer = asked(server, path, **given)
    assert status == 400
    assert told in answer["error"]


@pytest.mark.parametrize("path", ["/", "/api", "/theme.css", "/search.css", "/search.js", "/value_chart.js", "/api.js"])
def test_the_page_needs_nothing_from_elsewhere(server, path):
    status, headers, content = asked(server, path)
    assert status == 200
    assert_closed(headers, content)


NOT_SERVED = "/../setup.cfg //etc/passwd /%2e%2e/x /search.py /page/search.js /x /page.js/ /about/x /\\..\\x".split()


@pytest.mark.parametrize("path", NOT_SERVED)
def test_there_are_no_other_files(server, path):
    status, _, answer = asked(server, path)
    assert (status, answer["error"][:8]) == (404, "there is")
    assert asked(server, "/search", "POST", query="x")[0] == 404


FOREIGN = [
    {"Host": "evil.example"},
    {"Host": ""},
    {"Origin": "http://evil.example"},
    {"Origin": "http://127.0.0.1:1"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
    {"Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN)
def test_others_are_refused(server, headers):
    for path in ("/", "/about", "/none"):
        status, answered, answer = asked(server, path, headers=headers)
        assert status in (403, 421)
        assert "error" in answer
        assert "access-control-allow-origin" not in answered


def test_the_page_itself_and_a_followed_link_are_answered(server):
    for headers in (
        {"Origin": f"http://localhost:{server.port}", "Sec-Fetch-Site": "same-origin"},
        {"Host": f"localhost:{server.port}"},
    ):
        assert asked(server, "/about", headers=headers)[0] == 200
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert asked(server, "/", headers=link)[0] == 200


@pytest.mark.parametrize("path", ["/", "/about", "/search"])
def test_no_frame_of_another_page_makes_it_compute(server, path):
    frame = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    assert asked(server, path, headers=frame)[0] == 403
    if path != "/":
        assert asked(server, path, headers=frame | {"Sec-Fetch-Dest": "document"})[0] == 403


def test_a_web_socket_and_a_fault_are_answered(server, monkeypatch):
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "a"}
    assert asked(server, "/about", headers=upgrade)[0] == 200
    monkeypatch.setattr(QuantityIndex, "__len__", lambda index: 1 // 0)
    status, _, answer = asked(server, "/about")
    assert (status, "internal error (ZeroDivisionError" in answer["error"]) == (500, True)


def test_it_listens_on_this_machine_alone(server):
    assert server.url == f"http://127.0.0.1:{server.port}/"
    for port in (99999, server.port):
        with pytest.raises(OSError, match=f"port {port} cannot be opened .* 0 for any that is free"):
            LocalServer(None, port)


def test_openapi_describes_every_address(server):
    _, _, described = asked(server, "/openapi.json")
    assert described["openapi"].startswith("3.")
    assert set(described["paths"]) == {f"/{address.name}" for address in ADDRESSES}
    parameters = {one["name"]: one for one in described["paths"]["/search"]["get"]["parameters"]}
    assert parameters["query"]["required"]
    assert parameters["top"]["schema"] == {"type": "integer", "minimum": 1, "maximum": 100, "default": 10}
