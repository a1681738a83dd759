"""OpenSearch as a backend: writing and searching, on a real cluster of three nodes."""

import re
import threading
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest
from engine import OWN
from search_material import CORPUS

from pyterrier_quantity import Constraint, Normalise, Quantity, QuantityQueryParser, RuleExtractor, explain, extract
from pyterrier_quantity.backends.opensearch import BulkError, OpenSearchIndex


@pytest.fixture(scope="module")
def index(cluster) -> OpenSearchIndex:
    """The small corpus; only to be read."""
    return OpenSearchIndex(cluster, f"small-{OWN}").index(CORPUS, overwrite=True, shards=3, replicas=1)


class TestWriting:
    def test_it_holds_what_was_written(self, index):
        assert index.built()
        assert len(index) == len(CORPUS)
        for document in CORPUS:
            assert index.quantities(document["docno"]) == RuleExtractor(concepts=False).extract(document["text"])
        with pytest.raises(KeyError, match="nowhere"):
            index.quantities("nowhere")

    def test_documents_are_replaced(self, fresh):
        fresh.index([{"docno": "a", "text": "costs 5 euros"}, {"docno": "b", "text": "costs 7 euros"}])
        fresh.index([{"docno": "a", "text": "costs 9 euros"}])
        assert [q.low for q in fresh.quantities("a")] == [9.0]
        assert len(fresh) == 2

    def test_documents_are_deleted(self, fresh):
        fresh.index([{"docno": name, "text": f"goods of {n} euros"} for n, name in enumerate("abc")])
        with pytest.raises(TypeError, match="must be a list of strings"):
            fresh.delete("ab")
        with pytest.raises(ValueError, match=r"no document 'x' .*nothing was deleted \(ignore_missing=True"):
            fresh.delete(["a", "x"])
        assert len(fresh) == 3
        assert len(fresh.delete(["a", "x", "a"], ignore_missing=True)) == 2
        assert list(fresh.bm25().search("goods")["docno"]) == ["b", "c"]
        assert len(fresh.delete([])) == 2

    def test_it_resumes_behind_what_is_there(self, fresh):
        def broken():
            yield from CORPUS[:4]
            raise RuntimeError("the disk is gone")

        with pytest.raises(RuntimeError, match="the disk is gone"):
            fresh.index(broken())

        class Counting:
            texts = 0

            def extract_batch(self, texts):
                self.texts += len(texts)
                return [extract(text) for text in texts]

        fresh.index(CORPUS[:3])
        counting = Counting()
        fresh.index(CORPUS, extractor=counting, resume=True)
        assert len(fresh) == len(CORPUS)
        assert counting.texts == len(CORPUS) - 3

    def test_several_writers(self, fresh):
        documents = [{"docno": f"d{n}", "quantities": [Quantity(n, n, "metre")]} for n in range(3000)]
        halves = [documents[:1500], documents[1500:]]
        indexes = [OpenSearchIndex(fresh.url, fresh.name) for _ in halves]
        threads = [threading.Thread(target=one.index, args=(half,), kwargs={"writers": 3})
                   for one, half in zip(indexes, halves, strict=True)]  # fmt: skip
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(fresh) == 3000

    def test_a_document_that_the_engine_refuses_is_named_and_the_others_are_written(self, fresh):
        long = [Quantity(n, n, "metre") for n in range(10_001)]  # the engine's limit on nested documents is 10,000
        documents = [{"docno": "long", "quantities": long}, {"docno": "short", "quantities": long[:2]}]
        with pytest.raises(BulkError, match=r"1 of 2 documents .*'long': .*10000.*resume=True") as caught:
            fresh.index(documents)
        assert list(caught.value.failures) == ["long"]
        assert len(fresh.refresh()) == 1

    def test_of_a_request_that_fails_in_part_the_rest_is_sent_again(self, fresh, monkeypatch):
        bulk, sent, busy = fresh.client.bulk, [], {CORPUS[1]["docno"]: 2, CORPUS[3]["docno"]: 9}

        def partly(*args, **kwargs):
            """Reject some documents because their shard is busy, as many times as `busy` states."""
            answer = bulk(*args, **kwargs)
            sent.append([item["index"]["_id"] for item in answer["items"]])
            for (item,) in (answer["items"][n].values() for n in range(len(answer["items"]))):
                if busy.get(item["_id"], 0):
                    busy[item["_id"]] -= 1
                    item |= {"status": 429, "error": {"type": "rejected", "reason": "the shard is busy"}}
            return answer

        monkeypatch.setattr(fresh.client, "bulk", partly)
        monkeypatch.setattr("time.sleep", lambda seconds: None)
        with pytest.raises(BulkError, match=r"1 of \d+ documents were not written .*the shard is busy") as caught:
            fresh.index(CORPUS)
        again, lost = CORPUS[1]["docno"], CORPUS[3]["docno"]
        assert caught.value.failures == {lost: "the shard is busy"}
        assert sent == [[document["docno"] for document in CORPUS], *[[again, lost]] * 2, *[[lost]] * 3]


class TestSearch:
    def test_bm25(self, index, queries):
        found = index.bm25(num_results=3)(queries)
        assert list(found.columns) == ["qid", "query", "docno", "score", "rank"]
        assert found[found["qid"] == "3"]["docno"].tolist() == ["car-law"]
        assert found.groupby("qid").size().max() == 3
        assert (index.bm25() % 3)(queries).equals(found)

    def test_filter(self, index, queries):
        found = index.filter(matched=True, text=True)(queries)
        by_query = found.groupby("qid")["docno"].apply(list)
        assert by_query["1"] == ["m5"]
        assert by_query["2"] == ["iphone"]
        assert by_query["4"] == ["oil"]
        assert found["matched"].map(str).iloc[0] == str(index.quantities("m5")[:1])
        assert found["text"].iloc[0] == CORPUS[1]["text"]

    def test_quantity_aware_is_the_pipeline_of_the_engines_parts(self, index, queries):
        found = index.quantity_aware(alpha=3.0)(queries)
        scorer = index.scorer()
        parts = QuantityQueryParser() >> index.bm25() >> scorer.settle() >> (Normalise("max") + 3.0 * scorer)
        expected = parts(queries)
        keys = ["qid", "docno"]
        both = found.merge(expected, on=keys, suffixes=("", "_expected"))
        assert len(both) == len(expected) <= len(found)
        assert both["score"].to_numpy() == pytest.approx(both["score_expected"].to_numpy(), abs=1e-9)
        assert found[found["rank"] == 0].set_index("qid")["docno"].to_dict()["1"] == "m5"
        assert "evidence" not in found

    def test_a_batch_takes_one_request(self, index, queries, monkeypatch):
        requests = []
        perform = index.client.transport.perform_request

        def counted(method, url, **rest):
            requests.append(url)
            return perform(method, url, **rest)

        index.refresh().quantity_aware()(queries)
        monkeypatch.setattr(index.client.transport, "perform_request", counted)
        for number, search in enumerate([index.bm25(), index.filter(), index.quantity_aware()], start=1):
            search(queries)
            assert requests == ["/_msearch"] * number
        index.refresh().quantity_aware()(queries)
        assert len(requests) == 8  # the mapping, the documents, and those that hold each word are asked for again

    def test_candidates(self, index):
        query = pd.DataFrame([{"qid": "1", "query": "Taycan below 30,000 euros"}])
        found = set(index.quantity_aware()(query)["docno"])
        assert found == set(index.bm25()(query)["docno"]) | {"mini", "iphone"}
        assert len((index.quantity_aware() % 2)(query)) == 2

    def test_a_query_without_a_quantity_keeps_bm25s_order(self, index):
        query = pd.DataFrame([{"qid": "1", "query": "BMW and Porsche"}])
        found = index.quantity_aware()(query)
        bm25 = index.bm25()(query)
        assert found["docno"].tolist() == bm25["docno"].tolist()
        assert found["score"].to_numpy() == pytest.approx((bm25["score"] / bm25["score"].max()).to_numpy())

    def test_explain_says_which_quantity_met_the_condition(self, index):
        query = pd.DataFrame([{"qid": "1", "query": "BMW above 530hp"}])
        found = index.quantity_aware(matched=True)(query)
        explained = explain(found, index).iloc[0]
        assert (explained["docno"], explained["met"]) == ("m5", True)
        assert [explained["quantity"]] == found["matched"].iloc[0]
        assert explain(found, index.quantity_aware())["quantity"].iloc[0] == explained["quantity"]

    def test_all_marks_in_queries_are_taken(self, index):
        asked = pd.DataFrame([{"qid": str(n), "query": text} for n, text in enumerate(
            ["", "$ % / : ' ( ^ ≥ €", "AND OR NOT (", "x" * 5000])])  # fmt: skip
        for search in (index.bm25(), index.filter(), index.quantity_aware()):
            assert len(search(asked)) == 0


TRANSFORMERS = {"bm25": lambda index: index.bm25(7), "filter": lambda index: index.filter(matched=True),
                "quantity aware": lambda index: index.quantity_aware(2.0, "exp", matched=True),
                "scorer": lambda index: index.scorer("gauss", fit=False)}  # fmt: skip


@pytest.mark.parametrize("name", sorted(TRANSFORMERS))
class TestContract:
    def frame(self, name: str) -> pd.DataFrame:
        record = {"qid": "1", "query": "BMW above 530hp"}
        if name == "scorer":
            record |= {"docno": "m5", "constraints": [Constraint(">", 530.0, 530.0, "horsepower")]}
        return pd.DataFrame([record])

    def test_frames_dictionaries_and_nothing(self, index, name):
        transformer, frame = TRANSFORMERS[name](index), self.frame(name)
        found = transformer(frame)
        assert len(found) > 0
        assert list(transformer(frame.to_dict("records"))) == found.to_dict("records")
        empty = transformer(frame.iloc[:0])
        assert len(empty) == 0
        assert list(empty.columns) == list(found.columns)
        with pytest.raises(pt.validate.InputValidationError, match="query"):
            transformer(frame.drop(columns="query"))


def test_the_documentation_runs(cluster):
    page = (Path(__file__).parents[2] / "docs" / "guide" / "opensearch.md").read_text()
    names: dict = {}
    for block in re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        exec(block.replace("http://localhost:9200", cluster), names)
    assert names["ranked"]["docno"].iloc[0] == "m5"
    assert names["ranked"]["matched"].iloc[0][0].unit == "horsepower"
    names["index"].client.indices.delete(index="cars")
