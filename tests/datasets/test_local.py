"""Local files are read, or refused with a reason."""

import gzip
import json
from pathlib import Path

import pytest
from refused import refused

from pyterrier_quantity.datasets import LocalCollection
from pyterrier_quantity.datasets.corpus_files import CorpusFile
from pyterrier_quantity.quantity import Constraint


def test_local_collection(tmp_path: Path) -> None:
    corpus, topics, qrels = tmp_path / "c.jsonl.gz", tmp_path / "t.tsv", tmp_path / "q.qrels"
    with gzip.open(corpus, "wt", encoding="utf-8") as out:
        out.write('{"docno": "d1", "text": "5 km", "other": 1}\n\n{"docno": "d2", "text": ""}\n')
    topics.write_text(
        '\ufeffqid\tquery\tcondition\tvalue\thigh\tunit\n1\t$5 / 3% "x" ≥\t>=\t5\t\tdollar\n2\tplain\t\t\n',
        encoding="utf-8",
    )
    qrels.write_text("1 0 d1 1\n1\t0\td2\t0\n1 0 d1 1\n", encoding="utf-8")
    local = LocalCollection(corpus, str(topics), qrels, name="mine")
    assert list(local.get_corpus_iter(verbose=False)) == [
        {"docno": "d1", "text": "5 km", "other": 1}, {"docno": "d2", "text": ""}
    ]  # fmt: skip
    assert len(local.get_corpus_iter()) == 2
    assert list(local.get_topics().columns) == ["qid", "query"]
    assert local.get_topics()["query"][0] == '$5 / 3% "x" ≥'
    assert list(local.get_topics("structured").constraints) == [[Constraint(">=", 5, 5, "dollar")], []]
    assert local.get_qrels().to_dict("records") == [
        {"qid": "1", "docno": "d1", "label": 1},
        {"qid": "1", "docno": "d2", "label": 0},
    ]
    assert len(local.get_doubtful()) == 0
    assert repr(local) == "LocalCollection('mine')"
    with pytest.raises(NotImplementedError, match="convertible"):
        local.get_qrels("convertible")


def test_topics_without_header_and_doubtful_pairs(tmp_path: Path) -> None:
    topics, doubtful = tmp_path / "t.txt", tmp_path / "d.txt"
    topics.write_text("301\tcar under 5 kg\n302\tnothing\n", encoding="utf-8")
    doubtful.write_text("301 d9\n302 a:1, b: read twice, unsure\n", encoding="utf-8")
    local = LocalCollection(topics=topics, doubtful=doubtful)
    assert local.get_topics().to_dict("list") == {"qid": ["301", "302"], "query": ["car under 5 kg", "nothing"]}
    assert local.get_doubtful().to_dict("records") == [
        {"qid": "301", "docno": "d9"}, {"qid": "302", "docno": "a:1"}, {"qid": "302", "docno": "b"}
    ]  # fmt: skip
    with pytest.raises(ValueError, match="condition"):
        local.get_topics("structured")
    with pytest.raises(NotImplementedError, match="corpus"):
        local.get_corpus_iter()


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        (b'{"docno": "a", "text": "x"}\n{"text": "x"}', 2, 'no "docno"'),
        (b'{"docno": 3, "text": "x"}', 1, "int, not a string"),
        (b'{"docno": "a b", "text": "x"}', 1, "spaces"),
        (b'{"docno": "a", "text": "x"\n', 1, "not JSON"),
        (b'["a", "x"]', 1, "list where an object"),
        (b'{"docno": "a", "text": "x"}\n{"docno": "b", "text": "caf\xe9"}', 2, "not UTF-8"),
    ],
)
def test_bad_corpus(tmp_path: Path, content: bytes, line: int, says: str) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(content)
    refused(path, line, says, lambda: list(LocalCollection(corpus=path).get_corpus_iter(verbose=False)))


def test_lines_of_one_docno_become_one_document(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    lines = [{"docno": docno, "text": text} for docno, text in ["a1", "b2", "a3", "c4", "a5", "c6"]]
    path.write_text("\n".join(map(json.dumps, lines)))
    with pytest.warns(UserWarning, match="3 lines have the docno of an earlier line .'a' is the first"):
        documents = LocalCollection(corpus=path).get_corpus_iter(verbose=False)
    assert len(documents) == 3
    assert list(documents) == [
        {"docno": "b", "text": "2"}, {"docno": "a", "text": "1\n3\n5"}, {"docno": "c", "text": "4\n6"}
    ]  # fmt: skip


def test_a_repeated_docno_is_refused_where_a_file_is_read_as_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'{"docno": "a", "text": "x"}\n{"docno": "a", "text": "y"}')
    refused(path, 2, "before", lambda: list(CorpusFile(path).documents()))


def test_bad_gzip(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl.gz"
    path.write_bytes(b"no gzip at all")
    refused(path, 1, "gzip", lambda: list(LocalCollection(corpus=path).get_corpus_iter(verbose=False)))
    path.write_bytes(gzip.compress(json.dumps({"docno": "a", "text": "x" * 9999}).encode())[:-20])
    refused(path, 1, "gzip", lambda: list(LocalCollection(corpus=path).get_corpus_iter(verbose=False)))


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ("1 0 d1\n", 1, "3 columns where 4"),
        ("1 0 d1 1\n1 0 d2 yes\n", 2, "'yes'"),
        ("1 0 d1 1\n1 0 d1 0\n", 2, "judged otherwise"),
        ("qid\tquery\n1\ta\tb\n", 2, "3 columns where 2"),
        ("1 no tab\n", 1, "column 'query' is empty; fill it in, separated by single tabs"),
        ("qid\ttitle\n1\ta\n", 1, "'query'"),
        ("qid\tquery\tunit\tunit\n", 1, "twice"),
        ("qid\tquery\n1\ta\n1\tb\n", 3, "line 2"),
        ("qid\tquery\tcondition\tvalue\n1\ta\t=>\t5\n", 2, "'condition' is '=>'"),
        ("qid\tquery\tcondition\tvalue\n1\ta\t>\t5 km\n", 2, "'value' is '5 km'"),
        ("\n", 1, "empty"),
    ],
)
def test_bad_topics_and_qrels(tmp_path: Path, content: str, line: int, says: str) -> None:
    path = tmp_path / "given"
    path.write_text(content, encoding="utf-8")
    if content.startswith("1 0"):
        refused(path, line, says, lambda: LocalCollection(qrels=path).get_qrels())
    else:
        refused(path, line, says, lambda: LocalCollection(topics=path).get_topics())


def test_range_with_its_ends_swapped(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("qid\tquery\tcondition\tvalue\thigh\tunit\n7\ta\trange\t9\t3\tkilometre\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"t\.tsv, qid 7: .*swap"):
        LocalCollection(topics=path).get_topics("structured")


def test_missing_files_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no topics file .*nowhere\.tsv"):
        LocalCollection(topics=tmp_path / "nowhere.tsv")
    with pytest.raises(FileNotFoundError, match="is a folder"):
        LocalCollection(corpus=tmp_path)
