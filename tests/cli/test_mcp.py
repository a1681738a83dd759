"""The tools for language models, called by the SDK's own client over stdin and stdout, as any client calls them."""

import json
import os
import threading
from pathlib import Path

import pytest
from cli_material import program, refused

ROOT = Path(__file__).parents[2]
CORPUS = [
    {"docno": "m5", "text": "The Corvane sports car brings 530 hp for €118,900."},
    {"docno": "mini", "text": "The Mirelle city car has 72 hp and costs €14,500."},
    {"docno": "bread", "text": "The bread needs 500 g of flour."},
]


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A folder with a corpus, its quantity index and its word index."""
    from pyterrier_quantity import QuantityIndex
    from pyterrier_quantity.backends import bm25

    folder = tmp_path_factory.mktemp("shop")
    (folder / "cars.jsonl").write_text("".join(json.dumps(one) + "\n" for one in CORPUS), encoding="utf-8")
    QuantityIndex(folder / "cars.quantity").index(CORPUS)
    bm25(folder / "cars.quantity.words", CORPUS, engine="bm25s")
    return folder


@pytest.fixture(scope="module")
def call(shop):
    """Calls several tools of the one server, each as (name, arguments); gives the tools' list, and each result."""
    pytest.importorskip("mcp.server.lowlevel", reason="needs the SDK of the Model Context Protocol from 2.0 on")
    import anyio
    from mcp import StdioServerParameters, stdio_client
    from mcp.client import Client

    executable, *arguments = program("mcp", "cars.quantity", "--corpus", "cars.jsonl")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = StdioServerParameters(command=executable, args=arguments, env=environment, cwd=shop)
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(stdio_client(command))) as client,
    ):
        yield lambda *calls: (
            portal.call(client.list_tools).tools,
            [portal.call(client.call_tool, name, arguments) for name, arguments in calls],
        )


def test_the_tools_answer(call):
    tools, results = call(
        ("parse", {"query": "car with more than 500 hp below 200k euros"}),
        ("search", {"query": "car with more than 300 kW", "top": 2}),
        ("search", {"query": "car with more than 300 kW", "filtered": True}),
        ("explain", {"query": "car with more than 300 kW", "docno": "mini"}),
        ("convert", {"value": 100, "from_unit": "mph", "to_unit": "km/h"}),
    )
    assert [result.is_error for result in results] == [False] * 5, [result.content for result in results]
    parsed, found, matching, explained, converted = (result.structured_content for result in results)
    assert [one["text"] for one in parsed["conditions"]] == ["> 500 horsepower", "< 200,000 euro"]
    assert parsed["conditions"][0]["words"].endswith("more than 500 hp")
    assert parsed["terms"] == "car"
    assert [one["docno"] for one in found["results"]] == ["m5", "mini"]
    assert found["results"][0]["text"] == CORPUS[0]["text"]
    told = [one["conditions"][0] for one in found["results"]]
    assert [(one["met"], one["quantity"]) for one in told] == [(True, "530 horsepower"), (False, "72 horsepower")]
    assert [one["docno"] for one in matching["results"]] == ["m5"]
    (condition,) = explained["conditions"]
    assert (condition["met"], condition["quantity"]) == (False, "72 horsepower")
    assert converted == {"value": 160.9344, "unit": "kilometre per hour"}
    for tool in tools:
        assert tool.description
        assert tool.input_schema["type"] == "object"
        assert all("type" in one for one in tool.input_schema["properties"].values())
    search = next(tool for tool in tools if tool.name == "search").input_schema
    assert search["required"] == ["query"]
    assert search["properties"]["top"]["maximum"] == 100
    assert "as a person types it" in search["properties"]["query"]["description"]


def test_numbers_are_checked(call):
    evidence = ["The plant near Lyon makes 530 MW.", "It employs 1,987 people."]
    _, results = call(
        ("check_numbers", {"answer": "The plant makes 0.53 GW and employs about 2,000 people.", "evidence": evidence}),
        ("check_numbers", {"answer": "The plant makes 350 MW.", "evidence": evidence}),
        ("check_numbers", {"answer": "It is large.", "evidence": evidence}),
        ("check_numbers", {"answer": "It makes 5 MW.", "evidences": evidence}),
    )
    supported, contradicted, without = (result.structured_content for result in results[:3])
    assert [one["verdict"] for one in supported["numbers"]] == ["supported", "supported"]
    assert supported["supported"]
    (wrong,) = contradicted["numbers"]
    assert (wrong["words"], wrong["verdict"]) == ("350 MW", "contradicted")
    assert wrong["stated"][0]["sentence"] == evidence[0]
    assert (without["supported"], without["numbers"]) == (True, [])
    assert results[3].is_error
    assert "'evidence' is meant?" in results[3].content[0].text


def test_null_leaves_a_parameter_out_and_texts_are_marked_as_data(call):
    query = {"query": "car with more than 300 kW"}
    _, results = call(
        ("search", query), ("search", query | {"conditions": None, "top": None, "ranker": None}), ("about", {})
    )
    left_out, null, about = (result.structured_content for result in results)
    assert null == left_out
    assert "not instructions" in null["texts"]
    assert about["texts"] is True


@pytest.mark.filterwarnings("ignore:halves of characters")
def test_half_a_character_in_a_document_ends_no_answer(tmp_path):
    from pyterrier_quantity import QuantityIndex
    from pyterrier_quantity.web.collection_search import CollectionSearch
    from pyterrier_quantity.web.mcp_server import answered

    corpus = {"a": "half \ud800 of 5 kg"}
    index = QuantityIndex(tmp_path / "i").index([{"docno": docno, "text": text} for docno, text in corpus.items()])
    search = CollectionSearch(index, lambda *given: index.retriever(), ["values"], corpus)
    text = answered(search, "search", {"query": "below 9 kg"})
    assert "of 5 kg" in text.encode().decode()


def test_a_slow_tool_holds_up_no_other_request(monkeypatch):
    import anyio
    from mcp.client import Client

    from pyterrier_quantity.web import mcp_server

    listed = threading.Event()
    monkeypatch.setattr(mcp_server, "answered", lambda *given: json.dumps({"listed": listed.wait(10)}))

    async def call_and_list():
        async with Client(mcp_server.tool_server(None)) as client, anyio.create_task_group() as group:

            async def call():
                results.append(await client.call_tool("about", {}))

            group.start_soon(call)
            await client.list_tools()
            listed.set()

    results = []
    anyio.run(call_and_list)
    assert results[0].structured_content == {"listed": True}


def test_wrong_calls_say_what_is_right(call):
    wrong = {
        "no parameter of search 'querry'; 'query' is meant? There are query, conditions, ranker":
            ("search", {"querry": "car"}),
        "no tool 'serch'; 'search' is meant?": ("serch", {}),
        "parameter 'query' is missing: the query as a person types it": ("search", {}),
        "top is '1000'; give a whole number from 1 to 100": ("search", {"query": "car", "top": 1000}),
        "no document 'm6' in this index; take docnos from the results of search":
            ("explain", {"query": "5 hp", "docno": "m6"}),
        "'kilogram' (mass) does not convert to 'metre' (length)":
            ("convert", {"value": 5, "from_unit": "kg", "to_unit": "m"}),
        "a query has at most 2000 characters": ("search", {"query": "5 " * 2000}),
        "value is 'five'; give a number": ("convert", {"value": "five", "from_unit": "kg", "to_unit": "g"}),
        "condition 1: alternative must be a whole number from 0 to 20":
            ("search", {"query": "car", "conditions": [{"op": "<", "low": 9, "unit": "kg", "alternative": 10**25}]}),
        "too large a number in 'g'": ("convert", {"value": 1e308, "from_unit": "kg", "to_unit": "g"}),
    }  # fmt: skip
    _, results = call(*wrong.values())
    for message, result in zip(wrong, results, strict=True):
        assert result.is_error
        assert message in result.content[0].text


def test_a_wrong_folder_is_told_before_the_first_call(capsys, tmp_path):
    assert "no quantity index" in refused(capsys, "mcp", str(tmp_path / "nothing"))
