"""A small folder in FinQuant's and MedQuant's form is read as it should be, and bad ones are refused with a reason."""

import csv
import shutil
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest
from authors_folder import SENTENCES, SUBSETS, write_folder
from refused import refused

from pyterrier_quantity.datasets import (
    CollectionError,
    DemoCollection,
    FinQuant,
    MedQuant,
    QuantCollection,
    QuantityDatasets,
    get_dataset,
)
from pyterrier_quantity.datasets.authors import FILES, QRELS
from pyterrier_quantity.quantity import Constraint, Quantity

HEADER = "sentence,normalized_sentence,values,units\n"
QUERY_HEADER = "query_text\tkeywords\tunit\tvalue\tcondition\n"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("authors") / "small")


@pytest.fixture
def folder(small: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    return Path(shutil.copytree(small, tmp_path / "finance"))


def test_everything_is_read(small: Path) -> None:
    found = QuantCollection(small).check()
    assert (found["sentences"], found["queries"]) == (SENTENCES, 12)
    assert found["quantities"] > SENTENCES
    assert found["complete"] == sum(found[name] for name in SUBSETS) > 50
    assert found["complete"] == found["equals"] + found["greater"] + found["less"]


def test_corpus(small: Path) -> None:
    collection = QuantCollection(small)
    documents = collection.get_corpus_iter(verbose=False)
    assert len(documents) == SENTENCES
    found = list(documents)
    assert [document["docno"] for document in found] == [str(number) for number in range(SENTENCES)]
    texts = {document["text"] for document in DemoCollection().get_corpus_iter(verbose=False)}
    assert {document["text"] for document in found} <= texts
    normalised = list(QuantCollection(small, text="normalized_sentence").get_corpus_iter(verbose=False))
    assert "for 4,799 dollars;" in found[0]["text"]
    assert "for 4799 dollar;" in normalised[0]["text"]
    assert collection.get_corpus() == [str(small / "collection.csv")]


def test_the_two_extractors_columns_become_quantities(small: Path) -> None:
    collection, demo = QuantCollection(small), DemoCollection()
    truth = demo.get_quantities()
    docnos = {document["text"]: document["docno"] for document in demo.get_corpus_iter(verbose=False)}
    stated = collection.get_quantities()
    for document in collection.get_corpus_iter(verbose=False, quantities=True):
        expected = truth[docnos[document["text"]]]
        assert document["quantities"] == stated[document["docno"]]
        assert [(q.low, q.high) for q in document["quantities"]] == [(q.low, q.high) for q in expected]
    assert "quantities" not in next(iter(collection.get_corpus_iter(verbose=False)))


def test_units_get_their_names_here(tmp_path: Path, folder: Path) -> None:
    (folder / "collection.csv").write_text(HEADER + "a,a,\"[5, (2, 1), 3.5, 1]\",\"['km/h', '%', '-', '=?']\"\n")
    assert QuantCollection(folder).get_quantities() == {"0": [
        Quantity(5, 5, "kilometre per hour"), Quantity(1, 2, "percentage"), Quantity(3.5, 3.5, "-"),
        Quantity(1, 1, "=?"),
    ]}  # fmt: skip


def test_topics(small: Path) -> None:
    collection = QuantCollection(small)
    typed, structured = collection.get_topics(), collection.get_topics("structured")
    assert list(typed.columns) == ["qid", "query", "keywords", "type", "subset"]
    pd.testing.assert_frame_equal(typed, collection.get_topics("text"))
    pd.testing.assert_frame_equal(typed, structured[typed.columns])
    assert list(typed["qid"]) == [str(number) for number in range(12)]
    assert typed["query"][7] == 'phone screen smaller than 6"'
    assert dict(typed["subset"].value_counts()) == {"seen": 4, "unseen": 4, "expansion": 2, "w/o surface form": 2}
    assert dict(typed["type"].value_counts()) == {"lexical": 8, "semantic": 4}
    assert dict(structured["condition"].value_counts()) == {"=": 4, ">": 4, "<": 4}
    assert structured.iloc[10].to_dict() == {
        "qid": "10", "query": "sales of less than $400m", "keywords": "sales", "type": "semantic",
        "subset": "w/o surface form", "condition": "<", "value": 4e8, "unit": "dollar",
        "constraints": [Constraint("<", 4e8, 4e8, "dollar")],
    }  # fmt: skip
    keywords = collection.get_topics("keywords")
    assert list(keywords.columns) == ["qid", "query"]
    assert list(keywords["query"]) == list(typed["keywords"])


def test_qrels(small: Path) -> None:
    collection, demo = QuantCollection(small), DemoCollection()
    texts = {d["docno"]: d["text"] for d in demo.get_corpus_iter(verbose=False)}
    truth = demo.get_qrels().merge(demo.get_topics()[["qid", "query"]])
    mine = {d["docno"]: d["text"] for d in collection.get_corpus_iter(verbose=False)}
    found = collection.get_qrels().merge(collection.get_topics()[["qid", "query"]])
    asked = set(found["query"])
    assert {(row.query, mine[row.docno]) for row in found.itertuples()} == \
        {(row.query, texts[row.docno]) for row in truth.itertuples() if row.query in asked}  # fmt: skip
    pd.testing.assert_frame_equal(collection.get_qrels(), collection.get_qrels("complete"))
    topics = collection.get_topics("structured")
    for variant, op in (("equals", "="), ("greater", ">"), ("less", "<")):
        assert set(collection.get_qrels(variant)["qid"]) == set(topics["qid"][topics["condition"] == op])
    assert set(collection.get_qrels("wo_surface")["qid"]) == {"10", "11"}
    assert collection.get_doubtful().empty


def test_names(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyterrier.datasets import _core

    monkeypatch.setitem(_core._loaded_providers, "quantity", QuantityDatasets())
    monkeypatch.setenv("PYTERRIER_HOME", str(tmp_path))
    assert len(pt.get_dataset("quantity:finquant", folder=small).get_topics()) == 12
    assert len(get_dataset("medquant", folder=small, text="normalized_sentence").get_topics()) == 12
    absent = pt.get_dataset("quantity:medquant")
    assert repr(absent) == "MedQuant('medquant')"
    with pytest.raises(FileNotFoundError, match=r"corpora/medquant: MedQuant .* needs .*github\.com/satya77"):
        absent.get_topics()
    shutil.copytree(small, tmp_path / "corpora" / "medquant")
    assert len(absent.get_topics()) == 12
    monkeypatch.setenv("FINQUANT_HOME", str(small))
    assert len(FinQuant().get_topics()) == 12
    with pytest.raises(CollectionError, match=r"needs collection\.csv here"):
        MedQuant(tmp_path / "nowhere")
    assert QuantCollection(small).name == "small"
    assert FinQuant(small).name == "quantity:finquant"
    with pytest.raises(ValueError, match="normalized_sentence"):
        QuantCollection(small, text="title")
    with pytest.raises(ValueError, match="text, structured, keywords"):
        FinQuant(small).get_topics("title")
    with pytest.raises(ValueError, match="complete, in_training"):
        FinQuant(small).get_qrels("strict")
    assert FinQuant(small)._describe_component("qrels") == list(QRELS)


@pytest.mark.parametrize("name", FILES)
def test_missing_files(folder: Path, name: str) -> None:
    (folder / name).unlink()
    refused(folder, None, f"needs {name} here", lambda: QuantCollection(folder))
    with pytest.raises(FileNotFoundError):
        QuantCollection(folder)


@pytest.mark.parametrize(("content", "line", "says"), [
    ("", 1, "the file is empty; its first line must name the columns sentence, normalized_sentence"),
    ("sentence,values,units\n", 1, "no column 'normalized_sentence', only sentence, values, units; it needs"),
    ("sentence,normalized_sentence,values,units,units\n", 1, "the header names units twice"),
    (HEADER + "a,a,[1],['x']\nb,b,[1]\n", 3, "column 'units' is empty"),
    (HEADER + '"a\nb",a,[1],[\'x\']\n\n"c","c",[1],[x]\n', 5, "column 'units' is '[x]'"),
    (HEADER + "a,a,[1,['x']\n", 2, "column 'values' is '[1'"),
    (HEADER + 'a,a,"__import__(\'os\').getcwd()",[]\n', 2, "a list of"),
    (HEADER + f"a,a,{'[' * 5000}{']' * 5000},['x']\n", 2, "column 'values' is '[[["),
    (HEADER + "a,a,['5'],['x']\n", 2, "finite numbers"),
    (HEADER + "a,a,[1e999],['x']\n", 2, "finite numbers"),
    (HEADER + "a,a,[1],[2]\n", 2, "a list of strings"),
    (HEADER + "a,a,\"[1, 2]\",['x']\n", 2, "2 values but 1 units"),
    (HEADER + '"a,a,[1],[\'x\']\n', 2, "close each quotation mark"),
])  # fmt: skip
def test_bad_collection(folder: Path, content: str, line: int, says: str) -> None:
    path = folder / "collection.csv"
    path.write_text(content, encoding="utf-8")
    refused(path, line, says, QuantCollection(folder).check)


@pytest.mark.parametrize(("content", "line", "says"), [
    ("query_text\tkeywords\tunit\tvalue\n", 1, "the header has no column 'condition'"),
    (QUERY_HEADER + "a\ta\tdollar\t5\tequal\nb\tb\tdollar\t5 km\tless\n", 3, "column 'value' is '5 km'"),
    (QUERY_HEADER + "a\ta\tdollar\t5\tnear\n", 2, "column 'condition' is 'near'; one of ="),
    (QUERY_HEADER + "a\ta\tdollar\t5\n", 2, "column 'condition' is empty"),
    (QUERY_HEADER + "a\ta\t=?\t5\t=\n", 2, "column 'unit'"),
    (QUERY_HEADER + '"a\ta\tdollar\t5\t=\nb"\tb\tdollar\t5\t=\n', 2, "'query_text' is not closed"),
])  # fmt: skip
def test_bad_queries(folder: Path, content: str, line: int, says: str) -> None:
    path = folder / "queries.tsv"
    path.write_text(content, encoding="utf-8")
    refused(path, line, says, lambda: QuantCollection(folder).get_topics("structured"))


def test_words_for_conditions(folder: Path) -> None:
    words = ["equal", "Greater", "less than", "=", ">", "<", "bigger", "smaller", ">="]
    with open(folder / "queries.tsv", "w", encoding="utf-8", newline="") as out:
        table = csv.writer(out, delimiter="\t")
        table.writerow([*QUERY_HEADER.split()])
        table.writerows(["a", "a", "", "5", word] for word in words)
    topics = QuantCollection(folder).get_topics("structured")
    assert "".join(topics["condition"]) == "=><=><><>="
    assert set(topics["unit"]) == {"-"}


@pytest.mark.parametrize(("content", "line", "says"), [
    ('{"0": {"1": 1}\n', 2, "not JSON: Expecting ',' delimiter"),
    ("[]", None, "a JSON list"),
    ('{\n"0": {},\n"12": {"1": 1}}', None, 'unknown query "12"; queries.tsv has the numbers 0 to 11'),
    ('{"q1": {"1": 1}}', None, 'unknown query "q1"'),
    ('{"0":\n {"149": 1,\n  "150": 1}}', None, 'query "0": unknown sentence "150"; collection.csv has'),
    ('{"0": {"1":\n "yes"}}', None, "grade 'yes' where a whole"),
    ('{"0": [1]}', None, 'query "0" does not hold'),
    ("[" * 100_000, None, "nested too deeply"),
])  # fmt: skip
@pytest.mark.parametrize("variant", ["complete", "wo_surface"])
def test_bad_qrels(folder: Path, content: str, line: int, says: str, variant: str) -> None:
    path = folder / QRELS[variant]
    path.write_text(content, encoding="utf-8")
    refused(path, line, says, lambda: QuantCollection(folder).get_qrels(variant))
