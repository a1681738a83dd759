"""The annotation page's server over HTTP: what it gives, what it takes, and from whom."""

import http.client
import json
import socket
from contextlib import ExitStack

import pytest
from collecting_material import HOSTILE, saved, sheet
from full_disk import no_space
from served import annotated, assert_closed


@pytest.fixture
def started(tmp_path):
    """Starts servers; stops them in the end."""
    with ExitStack() as servers:
        yield lambda annotator=None: servers.enter_context(annotated(sheet(), tmp_path / "marks", annotator))


@pytest.fixture
def server(started):
    return started()


def ask(server, path, method="GET", body=None, **headers):
    """Status, headers and content of an answer; header names are given with _ for -; None leaves one out."""
    sent = {"Host": f"127.0.0.1:{server.port}", "X-Token": server.token}
    if body is not None:
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items() if value is not None)]
    head = "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1")
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        # All at once: who is refused by the head alone may find the connection closed when the body follows.
        connection.sendall(head + (body or b""))
        answer = http.client.HTTPResponse(connection, method=method)
        answer.begin()
        content = answer.read()
    is_json = answer.getheader("Content-Type") == "application/json"
    return (
        answer.status,
        {name.lower(): value for name, value in answer.getheaders()},
        json.loads(content) if is_json else content.decode(),
    )


MARK = {"annotator": "anna", "qid": "q1", "docno": "d1", "mark": "relevant"}


def mark(server, path="/api/mark", **changes):
    headers = {name: changes.pop(name) for name in list(changes) if name[0].isupper()}
    return ask(server, path, "POST", MARK | changes, **headers)


@pytest.mark.parametrize(
    ("path", "kind"), [("/", "html"), ("/guideline.html", "html"), ("/page.css", "css"), ("/page.js", "javascript")]
)
def test_the_page_needs_nothing_from_elsewhere(server, path, kind):
    status, headers, content = ask(server, path, X_Token=None)
    assert status == 200
    assert kind in headers["content-type"]
    assert_closed(headers, content)
    assert "http:" not in content
    assert headers["cache-control"] == "no-store"
    assert server.token not in content


def test_state_holds_queries_candidates_and_marks(server):
    mark(server, docno="d3", mark="doubtful")
    status, _, state = ask(server, "/api/state?annotator=Anna")
    assert status == 200
    assert state["annotator"] == "anna"
    assert [(q["qid"], q["query"], q["asked"], len(q["candidates"])) for q in state["queries"]] == [
        ("q1", "load factor of 50%", "= 50 percentage", 3), ("q2", "lake deeper than 100 m", "> 100 metre", 2),
    ]  # fmt: skip
    assert [c["mark"] for c in state["queries"][0]["candidates"]] == [None, None, "doubtful"]
    assert state["queries"][1]["candidates"][0]["pieces"] == [
        ["It is ", "", ""], ["500 feet", "~", "152.4 metre"], [" deep.", "", ""],
    ]  # fmt: skip
    assert "".join(piece for piece, _, _ in state["queries"][0]["candidates"][1]["pieces"]) == HOSTILE


def test_a_mark_is_saved_when_the_answer_comes(server, tmp_path):
    status, _, answer = mark(server)
    assert (status, answer) == (200, {"saved": True, "marked": 1})
    assert saved(tmp_path) == {("q1", "d1"): "relevant"}
    assert mark(server, mark=None)[2] == {"saved": True, "marked": 0}
    assert saved(tmp_path) == {}


def test_it_goes_on_where_it_was(started, tmp_path):
    mark(started())
    _, _, state = ask(started(), "/api/state?annotator=anna")
    assert state["queries"][0]["candidates"][0]["mark"] == "relevant"


def test_annotators_do_not_see_each_other(server, tmp_path):
    mark(server)
    mark(server, annotator="bert", mark="not")
    assert (saved(tmp_path), saved(tmp_path, "bert")) == ({("q1", "d1"): "relevant"}, {("q1", "d1"): "not"})
    for name, own, other in (("anna", "relevant", "bert"), ("bert", "not", "anna")):
        _, _, state = ask(server, f"/api/state?annotator={name}")
        assert state["queries"][0]["candidates"][0]["mark"] == own
        assert other not in json.dumps(state)


def test_a_page_for_one_annotator(started, tmp_path):
    server = started("Anna")
    assert "?annotator=anna#" in server.url
    assert ask(server, "/api/state")[2]["annotator"] == "anna"
    assert ask(server, "/api/state?annotator=bert")[0] == 403
    assert mark(server, annotator="bert")[0] == 403
    assert saved(tmp_path, "bert") == {}


FOREIGN = {
    "another site's page": {"Origin": "http://evil.example"},
    "another port": {"Origin": "http://127.0.0.1:1"},
    "a page without an origin": {"Origin": "null"},
    "no token": {"X_Token": None},
    "a wrong token": {"X_Token": "x" * 32},
    "a token of other letters": {"X_Token": "\xe9"},
    "another host's name": {"Host": "evil.example"},
    "another host's name on this port": {"Host": "evil.example:{port}"},
    "no host": {"Host": None},
}


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN)
def test_marks_from_elsewhere_are_refused(server, tmp_path, headers):
    headers = {name: value and value.format(port=server.port) for name, value in headers.items()}
    status, _, answer = mark(server, **headers)
    assert status in (400, 401, 403, 421)
    assert answer
    assert saved(tmp_path) == {}


@pytest.mark.parametrize("origin", ["http://127.0.0.1:{port}", "http://localhost:{port}", None])
def test_the_page_itself_may_mark(server, origin):
    assert mark(server, Origin=origin and origin.format(port=server.port))[0] == 200
    assert mark(server, Host=f"localhost:{server.port}")[0] == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400), (b"{", 400), (b"[]", 400), (b"null", 400), (b"\xff", 400), (b"[" * 5000, 400), (b"{}", 400),
        (MARK | {"qid": 1}, 400), (MARK | {"docno": ["d1"]}, 400), (MARK | {"mark": True}, 400),
        (MARK | {"mark": "maybe"}, 400), (MARK | {"qid": "q9"}, 400), (MARK | {"annotator": None}, 400),
        ({name: value for name, value in MARK.items() if name != "mark"}, 400),
    ],
)  # fmt: skip
def test_messages_that_are_no_marks(server, tmp_path, body, status):
    found, _, answer = ask(server, "/api/mark", "POST", body)
    assert found == status
    assert answer["error"]
    assert saved(tmp_path) == {}
    assert mark(server)[0] == 200


def test_marks_that_cannot_be_saved_are_not_said_to_be(server, tmp_path, monkeypatch):
    mark(server)
    monkeypatch.setattr("pyterrier_quantity.storage.folders.os.replace", no_space)
    status, _, answer = mark(server, docno="d2")
    assert status == 507
    assert "not saved" in answer["error"]
    monkeypatch.undo()
    assert saved(tmp_path) == {("q1", "d1"): "relevant"}
    assert mark(server, docno="d2")[0] == 200


def test_a_broken_file_of_marks_is_not_overwritten(server, tmp_path):
    (tmp_path / "marks").mkdir()
    path = tmp_path / "marks" / "anna.marks.tsv"
    path.write_text("qid\tdocno\tmark\nq1\td1\tgood\n")
    status, _, answer = mark(server)
    assert status == 409
    assert "line 2: column 'mark' is 'good'" in answer["error"]
    assert "good" in path.read_text()


def test_nobody_reads_without_the_token_or_by_another_name(server):
    assert ask(server, "/api/state?annotator=anna", X_Token=None)[0] == 401
    assert ask(server, "/api/state?annotator=anna", Host="evil.example")[0] == 421
    assert ask(server, "/", Host="evil.example")[0] == 421
    _, headers, _ = ask(server, "/api/state?annotator=anna", Origin="http://evil.example")
    assert "access-control-allow-origin" not in headers
    assert ask(server, "/api/mark", "OPTIONS", Origin="http://evil.example")[0] == 403
