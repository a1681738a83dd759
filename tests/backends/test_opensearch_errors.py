"""Error messages of the OpenSearch backend for servers, indexes, shards and documents that cannot be used."""

import base64
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pandas as pd
import pytest
from search_material import CORPUS, QUERIES

from pyterrier_quantity import Quantity
from pyterrier_quantity.backends.opensearch import BulkError, EngineError, OpenSearchIndex
from pyterrier_quantity.backends.opensearch.connection import Engine, _hit
from pyterrier_quantity.backends.opensearch.content import to_source
from pyterrier_quantity.storage.folders import IndexFormatError

BLOCKED = (
    '{"error": {"type": "index_create_block_exception", '
    '"reason": "blocked by: [FORBIDDEN/10/cluster create-index blocked (api)];"}, "status": 403}'
)


class TestBadInput:
    def test_no_server(self):
        with pytest.raises(ConnectionError, match=r"no OpenSearch answers at http://localhost:1 .*start one"):
            OpenSearchIndex("http://me:secret@localhost:1", "any").bm25()(pd.DataFrame(QUERIES))

    @pytest.mark.parametrize(("status", "body", "error", "message"), [
        (401, "{}", PermissionError, r"refuses these credentials \(401\); pass http_auth"),
        (403, "{}", PermissionError, r"refuses these credentials \(403\); pass http_auth"),
        (403, BLOCKED, EngineError, r"blocked by: .*create-index.* usually because its disk is nearly full"),
        (200, "<html>", EngineError, "no OpenSearch answers so"),
        (200, '{"version": {"number": "7.9.3"}}', EngineError, "runs elasticsearch 7.9.3; use opensearch 2.0 or"),
        (200, '{"version": {"number": "1.3.0", "distribution": "opensearch"}}', EngineError, "runs opensearch 1.3.0"),
    ])  # fmt: skip
    def test_servers_that_cannot_be_used(self, status, body, error, message):
        class Answer(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(body.encode())

            do_POST = do_GET  # noqa: N815 (http.server calls them so)

            def log_message(self, *args):
                pass

        with HTTPServer(("localhost", 0), Answer) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            index = OpenSearchIndex(f"http://me:secret@localhost:{server.server_port}", "any")
            with pytest.raises(error, match=message) as caught:
                len(index)
            server.shutdown()
        assert "secret" not in str(caught.value)
        assert "secret" not in repr(index)

    def test_no_index(self, fresh):
        assert not fresh.built()
        for search in (fresh.bm25(), fresh.quantity_aware()):
            with pytest.raises(FileNotFoundError, match=r"no index .* build it with .index"):
                search(pd.DataFrame(QUERIES))

    @pytest.mark.parametrize("name", ["*", "_all", "a,b", "", "-a", "_a", "Cars", "a b", "a\n", "a/b", "<", ["a"]])
    def test_names_of_no_single_index(self, name):
        with pytest.raises(ValueError, match="cannot name an index: it must be lower case"):
            OpenSearchIndex("http://localhost:1", name)

    def test_what_is_not_ours_is_never_deleted(self, fresh):
        indices, foreign = fresh.client.indices, f"{fresh.name}-foreign"
        indices.create(index=foreign, body={"mappings": {"properties": {"text": {"type": "text"}}}})
        fresh.client.index(index=foreign, id="a", body={"text": "kept"}, refresh=True)
        with pytest.raises(IndexFormatError, match="was not made by pyterrier-quantity"):
            OpenSearchIndex(fresh.url, foreign).index(CORPUS, overwrite=True)
        fresh.index(CORPUS)
        indices.put_alias(index=[foreign, fresh.name], name=f"{fresh.name}-both")
        indices.put_alias(index=fresh.name, name=f"{fresh.name}-other")
        for alias in ("both", "other"):
            with pytest.raises(IndexFormatError, match=r"was not made by|is an alias of"):
                OpenSearchIndex(fresh.url, f"{fresh.name}-{alias}").index(CORPUS, overwrite=True)
        with pytest.raises(IndexFormatError, match="is an alias of several indexes"):
            OpenSearchIndex(fresh.url, f"{fresh.name}-both").bm25()(pd.DataFrame(QUERIES))
        assert (fresh.client.count(index=foreign)["count"], len(fresh)) == (1, len(CORPUS))
        indices.delete(index=foreign)

    def test_an_index_that_cannot_be_built_anew_stays(self, fresh):
        fresh.index(CORPUS)

        def cut_off():
            yield from CORPUS[:2]
            raise RuntimeError("the disk is gone")

        refused = [CORPUS[0], {"docno": "long", "quantities": [Quantity(n, n, "metre") for n in range(10_001)]}]
        for documents, options, error, message in (
            (CORPUS, {"analyzer": "nonsense"}, EngineError, "analyzer"),
            ([{"text": "no docno"}], {}, TypeError, "docno"),
            (cut_off(), {}, RuntimeError, "the disk is gone"),
            (refused, {}, BulkError, rf"1 of 2 .* index '{fresh.name}' .*; the index is unchanged; fix them"),
        ):
            with pytest.raises(error, match=message):
                fresh.index(documents, overwrite=True, **options)
        assert len(fresh) == len(CORPUS)
        assert list(fresh.client.indices.get(index=f"{fresh.name}*")) == [fresh.name]
        for documents in (CORPUS[:2], CORPUS[:3]):  # in place of an index, and of an alias
            assert len(fresh.index(documents, overwrite=True)) == len(documents)
            assert len(fresh.client.indices.get(index=f"{fresh.name}*")) == 1
        assert len(fresh.index(CORPUS[3:4])) == 4

    def test_an_index_of_another_version_of_ours(self, fresh):
        mappings = fresh.indexer()._definition["mappings"]
        mark = {name: {**value, "version": 0} for name, value in mappings["_meta"].items()}
        fresh.client.indices.create(index=fresh.name, body={"mappings": mappings | {"_meta": mark}})
        with pytest.raises(IndexFormatError, match=r"is of version 0, this package reads version \d; build it again"):
            fresh.bm25()(pd.DataFrame(QUERIES))

    def test_a_server_that_does_not_answer(self):
        with socket.create_server(("localhost", 0)) as silent:
            index = OpenSearchIndex(f"http://localhost:{silent.getsockname()[1]}", "any", timeout=0.2, max_retries=0)
            with pytest.raises(TimeoutError, match="did not answer in time; pass a longer timeout=seconds"):
                len(index)

    def test_another_text_field(self, fresh):
        fresh.index([{"docno": "a", "body": "5 euros"}], text_field="body")
        with pytest.raises(EngineError, match="'body', not 'text'"):
            fresh.index(CORPUS)

    @pytest.mark.parametrize("evidence", [b"\x00", b"[]", b"[[[1]], [], []]", b"[[], [], [7]]", b"{}"])
    def test_evidence_that_is_damaged(self, fresh, evidence):
        fresh.index(CORPUS)
        damaged = {"text": "BMW", "evidence": base64.b64encode(evidence).decode()}
        fresh.client.index(index=fresh.name, id="damaged", body=damaged, refresh=True)
        with pytest.raises(EngineError, match="no OpenSearch answers so"):
            fresh.quantity_aware()(pd.DataFrame(QUERIES[:1]))

    def test_a_shard_that_is_lost_is_told_by_whatever_needs_it(self, fresh):
        fresh.index([{"docno": f"d{n}", "text": f"The BMW {n} has {300 + n} hp."} for n in range(30)], shards=3)
        client, found = fresh.client, fresh.client.indices.get_settings(index=fresh.name)
        uuid = found[fresh.name]["settings"]["index"]["uuid"]
        client.indices.close(index=fresh.name)
        nodes = client.nodes.info(metric="settings")["nodes"].values()
        for folder in {folder for node in nodes for folder in node["settings"]["path"]["data"]}:
            for file in Path(folder).glob(f"**/indices/{uuid}/0/index/segments_*"):
                file.write_bytes(b"overwritten")
        client.indices.open(index=fresh.name, wait_for_active_shards="0")
        deadline = time.monotonic() + 30
        while {one["state"] for one in client.cat.shards(index=fresh.name, format="json")} != {"STARTED", "UNASSIGNED"}:
            assert time.monotonic() < deadline
            time.sleep(0.2)
        lost, asked = OpenSearchIndex(fresh.url, fresh.name), pd.DataFrame(QUERIES)
        with pytest.raises(EngineError, match=r"1 of 3 shards do not answer; see GET _cat/shards/.* try again"):
            len(lost)
        for search in (lost.bm25(), lost.quantity_aware()):
            with pytest.raises(EngineError, match=r"could not answer: .*missing shards"):
                search(asked)
        with pytest.raises(EngineError, match=r"cannot read document 'd.*see GET _cat/shards"):
            lost.sources([f"d{n}" for n in range(30)], [])

    def test_documents_that_are_none(self, fresh):
        with pytest.raises(ValueError, match=r"cannot hold docno .* longer than 512 bytes"):
            fresh.index([{"docno": "x" * 600, "text": ""}])
        with pytest.raises(TypeError, match="docno"):
            fresh.index([{"text": ""}])

    def test_options(self, cluster):
        index = OpenSearchIndex(cluster, "any")
        with pytest.raises(ValueError, match="num_results must be in 1 to 10000"):
            index.bm25(num_results=20_000)
        with pytest.raises(ValueError, match="alpha must be finite"):
            index.quantity_aware(alpha=float("nan"))
        with pytest.raises(ValueError, match="unknown phi"):
            index.scorer("nonsense")


def test_a_quantity_that_overflows_has_no_reference_value():
    huge = Quantity(1e305, 1e305, "light-year", "=", 7, 12)
    (stored,) = to_source("d", "a star 1e305 light years away", [huge], "text")["quantities"]
    assert stored["low"] == 1e305
    assert not {"reference_low", "reference_high"} & set(stored)


@pytest.mark.parametrize("score", [10**400, float("nan"), None, "high"], ids=["large", "nan", "none", "text"])
def test_a_score_that_is_none_is_an_answer_that_is_none(score):
    with pytest.raises(EngineError, match="no OpenSearch answers so"), Engine("http://localhost:1", "any", {}).errors():
        _hit({"_id": "d1", "_score": score})
