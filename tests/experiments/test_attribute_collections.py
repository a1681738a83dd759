"""Generated collections whose numbers belong to attributes."""

import json
import re

import attribute_collections
from scripts import call

from pyterrier_quantity.datasets import LocalCollection

SHIPS = {
    "values": {"name": {"join": [["Red", "Blue"], ["Star", "Gull"]]}, "flag": {"one_of": ["Malta", "Panama"]},
               "length": {"from": 50, "to": 300}, "draught": {"from": 2, "to": 20, "decimals": 1}},
    "texts": ["The {name} of {flag} is {length} m long, with a draught of {draught} m."],
    "conditions": [{"of": "length", "op": "<", "wordings": ["a length below {v} m"]},
                   {"of": "draught", "op": ">", "wordings": ["a draught above {v} m"]}],
    "plain": {"flag": "a flag of {v}"},
    "questions": ["Which ships have {c}?"],
}  # fmt: skip


def test_relevant_is_what_meets_all_conditions(tmp_path, monkeypatch):
    monkeypatch.setitem(attribute_collections.DOMAINS, "ships", SHIPS)
    attribute_collections.write(tmp_path, "ships", 60, 12, attribute_collections.Random(3))
    rows = {}
    for line in (tmp_path / "corpora/ships.jsonl").read_text().splitlines():
        document = json.loads(line)
        found = re.search(r"of (\w+) is (\d+) m long, with a draught of ([\d.]+) m", document["text"])
        rows[document["docno"]] = (found[1], int(found[2]), float(found[3]))
    collection = LocalCollection(tmp_path / "corpora/ships.jsonl", tmp_path / "gold/ships.topics.tsv",
                                 tmp_path / "gold/ships.qrels")  # fmt: skip
    qrels = collection.get_qrels().groupby("qid")["docno"].agg(set)
    topics = collection.get_topics()
    assert len(topics) == len(qrels) == 12
    for topic in topics.itertuples():
        below, above = re.search(r"below (\d+) m", topic.query), re.search(r"above ([\d.]+) m", topic.query)
        flag = re.search(r"flag of (\w+)", topic.query)
        meeting = {
            docno for docno, (of, length, draught) in rows.items()
            if (not below or length < int(below[1])) and (not above or draught > float(above[1]))
            and (not flag or of == flag[1])
        }  # fmt: skip
        assert qrels[topic.qid] == meeting
        assert 1 <= len(meeting) <= attribute_collections.MOST


def test_other_names_ask_for_the_same(tmp_path):
    for folder, options in (("own", ()), ("other", ("--otherwise",))):
        call(attribute_collections, tmp_path / folder, "--documents", "200", "--topics", "3", *options)
    for name in attribute_collections.DOMAINS:
        of = f"{name}.topics.tsv"
        own, other = (tmp_path / folder / "gold" for folder in ("own", "other"))
        assert (own / f"{name}.qrels").read_bytes() == (other / f"{name}.qrels").read_bytes()
        pairs = list(zip((own / of).read_text().splitlines(), (other / of).read_text().splitlines(), strict=True))[1:]
        assert pairs
        for asked, otherwise in pairs:
            assert asked != otherwise
            assert re.findall(r"\d[\d.]*", asked) == re.findall(r"\d[\d.]*", otherwise)
