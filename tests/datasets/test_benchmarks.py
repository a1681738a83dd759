"""Other people's collections: read from folders in their form, with errors that say where and what to get."""

import gzip
import json
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_quantity.datasets import CollectionError, get_dataset
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.tables import facts
from pyterrier_quantity.units import default_registry

NAMES = ["birco-trials", "clio", "clio-noaa", "tatqa", "wikitablequestions", "coqex-lcquad", "coqex-stresstest",
         "newsquant", "recognizers-age", "recognizers-currency", "recognizers-dimension", "recognizers-temperature",
         "numconq-diabetes", "numconq-league", "measeval", "quantemp", "t2-ragbench-finqa", "t2-ragbench-convfinqa",
         "t2-ragbench-tatdqa", "factgap"]  # fmt: skip


def write_json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


@pytest.fixture
def converted(tmp_path: Path) -> Path:
    """Two collections in one folder, as they are converted."""
    for name in ("corpora", "gold"):
        (tmp_path / name).mkdir()
    texts = ["Lions, founded in 1886, have 16 teams.", "Tigers, founded in 1977, have 13 teams."]
    lines = "".join(json.dumps({"docno": f"d{n}", "text": text}) + "\n" for n, text in enumerate(texts))
    (tmp_path / "corpora/numconq-league.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (tmp_path / "gold/numconq-league.topics.tsv").write_text("qid\tquery\ttype\nq1\tmore than 14 teams\tnumeric\n")
    (tmp_path / "gold/numconq-league.qrels").write_text("q1 0 d0 1\n")
    return tmp_path


def test_a_converted_collection(converted: Path) -> None:
    league = pt.get_dataset("quantity:numconq-league", folder=converted)
    assert league.check() == {"documents": 2, "topics": 1, "judgements": 1}
    assert [document["docno"] for document in league.get_corpus_iter(verbose=False)] == ["d0", "d1"]
    assert league.get_topics().to_dict("records") == [{"qid": "q1", "query": "more than 14 teams", "type": "numeric"}]
    assert league.get_qrels().to_dict("records") == [{"qid": "q1", "docno": "d0", "label": 1}]
    assert len(league.get_doubtful()) == 0
    assert "NumConQ" in league.info_url()


def test_a_judgement_of_nothing_is_found(converted: Path) -> None:
    (converted / "gold/numconq-league.qrels").write_text("q1 0 d7 1\n")
    with pytest.raises(CollectionError, match=r"numconq-league.jsonl.gz: no document 'd7', but it is judged"):
        get_dataset("numconq-league", folder=converted).check()


CONTEXT = {
    "table": {"uid": "t1", "table": [["", "2019", "2018"], ["Sales", "$1,496.5", "$1,202.9"]]},
    "paragraphs": [{"uid": "p1", "order": 1, "text": "Sales in millions."}, {"uid": "p2", "order": 2, "text": "More."}],
    "questions": [
        {"uid": "q1", "question": "Sales in 2019?", "answer": ["$1,496.5"], "answer_type": "span",
         "answer_from": "table-text", "rel_paragraphs": ["1"], "scale": "million", "derivation": ""},
        {"uid": "q2", "question": "Change in sales?", "answer": 293.6, "answer_type": "arithmetic",
         "answer_from": "table", "rel_paragraphs": [], "scale": "million", "derivation": "1,496.5 - 1,202.9"},
    ],
}  # fmt: skip


def test_tatqa(tmp_path: Path) -> None:
    write_json(tmp_path / "tatqa_dataset_dev.json", [CONTEXT])
    tatqa = pt.get_dataset("quantity:tatqa", folder=tmp_path)
    assert tatqa.check() == {"topics": 2, "answers": 2, "tables": 1, "documents": 3, "judgements": 3}
    assert tatqa.get_topics()["query"].tolist() == ["Sales in 2019?", "Change in sales?"]
    answers = tatqa.get_answers().set_index("qid")
    assert answers.loc["q2", ["answer", "scale", "derivation"]].tolist() == [["293.6"], "million", "1,496.5 - 1,202.9"]
    assert tatqa.get_qrels()[["qid", "docno"]].to_numpy().tolist() == [["q1", "t1"], ["q1", "p1"], ["q2", "t1"]]
    texts = {document["docno"]: document["text"] for document in tatqa.get_corpus_iter(verbose=False)}
    assert texts["t1"] == " | 2019 | 2018\nSales | $1,496.5 | $1,202.9"
    cells = [fact for fact in facts(tatqa.get_tables()["t1"], kind="cell") if fact["quantities"]]
    assert 1496.5 in {quantity.low for fact in cells for quantity in fact["quantities"]}


def test_wikitablequestions(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "csv/204-csv").mkdir(parents=True)
    (tmp_path / "csv/204-csv/590.csv").write_text('"Year","Title"\n"1990","The \\"A\\", part 1"\n', encoding="utf-8")
    (tmp_path / "data/pristine-unseen-tables.tsv").write_text(
        "id\tutterance\tcontext\ttargetValue\n"
        "nu-0\twhich titles\\nare there?\tcsv/204-csv/590.csv\tThe A|One\\pTwo\n", encoding="utf-8",
    )  # fmt: skip
    asked = pt.get_dataset("quantity:wikitablequestions", folder=tmp_path)
    assert asked.check() == {"topics": 1, "answers": 1, "tables": 1, "documents": 1, "judgements": 1}
    assert asked.get_tables() == {"csv/204-csv/590.csv": [["Year", "Title"], ["1990", 'The "A", part 1']]}
    assert asked.get_topics()["query"].tolist() == ["which titles\nare there?"]
    assert asked.get_answers()["answer"].tolist() == [["The A", "One|Two"]]


def test_measeval(tmp_path: Path) -> None:
    for name in ("text", "tsv"):
        (tmp_path / "data/eval" / name).mkdir(parents=True)
    (tmp_path / "README.md").write_text("as in the repository")
    text = 'A bed of 13 kg "limestone", at most <2 ppm.\r\n'
    (tmp_path / "data/eval/text/S1-20.txt").write_bytes(text.encode())
    rows = [
        ("S1-20", "1", "Quantity", "9", "14", "T1", "13 kg", '{"unit": "kg"}'),
        ("S1-20", "1", "MeasuredEntity", "15", "26", "T3", '"limestone"', '{"HasQuantity": "T1"}'),
        ("S1-20", "2", "Quantity", "36", "42", "T2", "<2 ppm", '{"mods": ["IsRange"], "unit": "ppm"}'),
        ("S1-20", "3", "Quantity", "0", "1", "T9", "A", ""),
    ]
    header = "docId annotSet annotType startOffset endOffset annotId text other".split()
    table = "".join("\t".join(row) + "\n" for row in [header, *rows])
    (tmp_path / "data/eval/tsv/S1-20.tsv").write_text(table, encoding="utf-8")
    measeval = pt.get_dataset("quantity:measeval", folder=tmp_path)
    assert measeval.check() == {"documents": 1, "spans": 4}
    spans, document = measeval.get_spans(), next(iter(measeval.get_corpus_iter(verbose=False)))
    assert [document["text"][one.start : one.end] for one in spans.itertuples()] == spans["text"].tolist()
    assert spans["about"].tolist()[1:] == [{"HasQuantity": "T1"}, {"mods": ["IsRange"], "unit": "ppm"}, {}]
    with pytest.raises(CollectionError, match=r"train: holds no texts, but MeasEval"):
        pt.get_dataset("quantity:measeval", folder=tmp_path, split="train").get_spans()


def test_quantemp(tmp_path: Path) -> None:
    claim = {"claim": "The levy made 7,000 jobs.", "label": "Conflicting", "taxonomy_label": "statistical",
             "label_original": "half-true", "doc": "Studies count 6,600 jobs.", "lang": "en"}  # fmt: skip
    write_json(tmp_path / "data/raw_data/test_claims_quantemp.json", [claim])
    quantemp = pt.get_dataset("quantity:quantemp", folder=tmp_path)
    assert quantemp.check() == {"topics": 1, "answers": 1, "documents": 1, "judgements": 1}
    assert quantemp.get_topics().to_dict("records") == [{"qid": "0", "query": claim["claim"]}]
    answer = {"qid": "0", "answer": "Conflicting", "original": "half-true"}
    assert quantemp.get_answers().to_dict("records") == [answer]


@pytest.mark.parametrize(
    ("name", "path"), [("finqa", "FinQA/dev"), ("tatdqa", "TAT-DQA/dev"), ("convfinqa", "ConvFinQA")]
)
def test_t2_ragbench(tmp_path: Path, name: str, path: str) -> None:
    row = {"id": "q1", "context_id": "c1", "split": "dev", "question": "What did Ardent sell in 2019?",
           "program_answer": 5.5, "original_answer": "5.5 million", "context": "| 2019 |\n| 5.5 |"}  # fmt: skip
    file = tmp_path / "data" / path / "metadata.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(row | {"id": qid}) + "\n" for qid in ("q1", "q2")))
    asked = pt.get_dataset(f"quantity:t2-ragbench-{name}", folder=tmp_path, split="dev")
    assert asked.check() == {"topics": 2, "answers": 2, "documents": 1, "judgements": 2}
    assert asked.get_qrels()["docno"].tolist() == ["c1", "c1"]
    assert asked.get_answers().to_dict("records")[0] == {"qid": "q1", "answer": "5.5", "original": "5.5 million"}


def test_factgap(tmp_path: Path) -> None:
    queries = {"D0": "Which pump gave 3 liters?", "P1": "Which pump gave 3000 milliliters?"}
    pair = {"pair_id": "p0", "gold_doc_id": "p0-gold", "critical_negative_doc_id": "p0-other", "queries": queries}
    write_json(tmp_path / "pairs.jsonl", pair)
    documents = [{"doc_id": f"p0-{name}", "text": f"A pump gave {name}."} for name in ("gold", "other", "topical")]
    (tmp_path / "documents.jsonl").write_text("\n".join(map(json.dumps, documents)))
    factgap = pt.get_dataset("quantity:factgap", folder=tmp_path)
    assert factgap.check() == {"topics": 2, "documents": 3, "judgements": 4}
    assert factgap.get_topics()["type"].tolist() == ["D0", "P1"]
    assert factgap.get_qrels().to_numpy().tolist()[:2] == [["p0-D0", "p0-gold", 1], ["p0-D0", "p0-other", 0]]


@pytest.fixture
def clio(tmp_path: Path) -> Path:
    """CLIO's benchmark in its form: lists of queries, one of them with the authors' own paths."""
    (tmp_path / "corpus_v2/fluid").mkdir(parents=True)
    (tmp_path / "corpus_v2/fluid/a.txt").write_text("The chamber was at 250000 Pa.", encoding="utf-8")
    (tmp_path / "corpus_v2/fluid/b.txt").write_text("The chamber was at 90 kPa.", encoding="utf-8")
    asked = {"id": "x1", "query": "pressure between 200 and 400 kPa", "type": "cross_unit"}
    several = {"id": "m1", "query": "above 80 kPa", "type": "multi_constraint"}
    write_json(tmp_path / "queries_v2.json", {
        "description": "pressure", "document_count": 2,
        "cross_unit_queries": [asked | {"numeric_range": "200:400:kPa", "relevant_docs": ["fluid/a.txt"]}],
        "multi_constraint_queries": [several | {"constraints": [{"range": "80:1000:kPa", "dimension": "pressure"}],
                                                "relevant_docs": ["/home/x/corpus_v2/fluid/b.txt", "fluid/a.txt"]}],
    })  # fmt: skip
    return tmp_path


def test_cross_unit_texts(clio: Path) -> None:
    found = pt.get_dataset("quantity:clio", folder=clio)
    assert found.check() == {"documents": 2, "topics": 2, "judgements": 3}
    texts = {document["docno"]: document["text"] for document in found.get_corpus_iter(verbose=False)}
    assert texts == {"fluid/a.txt": "The chamber was at 250000 Pa.", "fluid/b.txt": "The chamber was at 90 kPa."}
    assert found.get_topics()["type"].tolist() == ["cross_unit", "multi_constraint"]
    (first,), (second,) = found.get_topics("structured")["constraints"]
    assert (first.op, first.low, first.high) == ("range", 200, 400)
    assert second.low == 80
    assert default_registry().conversion(first.unit, "pascal") == (1000, 0)
    assert list(map(tuple, found.get_qrels()[["qid", "docno"]].to_numpy())) == [
        ("x1", "fluid/a.txt"), ("m1", "fluid/b.txt"), ("m1", "fluid/a.txt"),
    ]  # fmt: skip
    loaded = pt.text.get_text(found, "text", verbose=False)(pd.DataFrame([{"qid": "1", "docno": "fluid/b.txt"}]))
    assert loaded["text"].tolist() == ["The chamber was at 90 kPa."]
    with pytest.raises(ValueError, match="no topics variant 'short'"):
        found.get_topics("short")
    with pytest.raises(ValueError, match="no qrels variant 'convertible'"):
        found.get_qrels("convertible")


def test_count_questions(tmp_path: Path) -> None:
    question = {"qid": "1", "query": "how many songs", "answer": 180, "snippets": ["71 songs", "about 180 songs"]}
    (tmp_path / "stresstest.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")
    counts = pt.get_dataset("quantity:coqex-stresstest", folder=tmp_path)
    assert counts.check() == {"topics": 1, "answers": 1}
    assert counts.get_topics()["snippets"].tolist() == [["71 songs", "about 180 songs"]]
    assert counts.get_answers().to_dict("records") == [{"qid": "1", "answer": 180.0, "relation": "="}]


STATED = [
    ({"value": "29", "normalized_unit": "year of age"}, Quantity(29, 29, "year of age")),
    ({"value": "40-50", "normalized_unit": "percentage"}, Quantity(40, 50, "percentage")),
    ({"value": "4.8-4.7", "normalized_unit": "euro"}, Quantity(4.7, 4.8, "euro")),
    ({"value": "-5", "normalized_unit": "celsius"}, Quantity(-5, -5, "celsius")),
    ({"value": "3", "normalized_unit": "course meal", "change": "~", "referred_concepts": "three course meal"},
     Quantity(3, 3, "course meal", "~", concept=("three", "course", "meal"))),
    ({"value": "3", "normalized_unit": "solution", "change": "=", "referred_concepts": "-"},
     Quantity(3, 3, "solution")),
]  # fmt: skip


@pytest.mark.parametrize(("stated", "expected"), STATED)
def test_annotated_quantities(stated: dict, expected: Quantity, tmp_path: Path) -> None:
    write_json(tmp_path / "NewsQuant.json", [{"text": "A text.", "quantities": [stated]}])
    news = pt.get_dataset("quantity:newsquant", folder=tmp_path)
    assert news.get_quantities() == {"0": [expected]}
    assert list(news.get_corpus_iter(verbose=False)) == [{"docno": "0", "text": "A text."}]
    assert news.check() == {"documents": 1, "quantities": 1}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_missing_is_named_with_its_source(name: str, tmp_path: Path) -> None:
    dataset = pt.get_dataset(f"quantity:{name}", folder=tmp_path)
    with pytest.raises(CollectionError, match=r"needs .* this package may not carry it: get it from https://") as error:
        dataset.check()
    assert dataset.about.licence in str(error.value)
    assert f'pt.get_dataset("quantity:{name}", folder=...)' in str(error.value)


BROKEN = [
    ("clio", "queries_v2.json", '{"some_queries": [{"id": "a"}]}', "not in the form of CLIO .*: KeyError"),
    ("clio", "queries_v2.json", "[1]", "not in the form of CLIO .*: AttributeError"),
    ("tatqa", "tatqa_dev.json", '[{"table": {}}]', "not in the form of TAT-QA .*: KeyError"),
    ("tatqa", "tatqa_dev.json", "{", "line 1: not JSON"),
    ("wikitablequestions", "data/pristine-unseen-tables.tsv", "nu-0\twhich?\n", "line 1: .* no column 'id'"),
    ("coqex-lcquad", "lcquad_counts.jsonl", '{"qid": "1", "query": "how many"}\n', "line 1: no 'answer'"),
    ("coqex-lcquad", "lcquad_counts.jsonl", "how many\n", "line 1: not JSON"),
    ("newsquant", "NewsQuant.json", '[{"text": "a"}]', "not in the form of NewsQuant .*: KeyError"),
    ("recognizers-age", "age-model.json", '[{"text": "a", "quantities": [{"value": "x", "normalized_unit": "m"}]}]',
     "not in the form of Recognizers-Text.*: ValueError"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "file", "content", "says"), BROKEN)
def test_broken_files(name: str, file: str, content: str, says: str, tmp_path: Path) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(content, encoding="utf-8")
    with pytest.raises(CollectionError, match=says):
        get_dataset(name, folder=tmp_path).check()


def test_all_are_listed_and_describe_themselves() -> None:
    listed = pt.datasets.list_datasets(en_only=False)["dataset"].tolist()
    assert {f"quantity:{name}" for name in NAMES} <= set(listed)
    assert repr(get_dataset("tatqa")) == "ReadCollection('tatqa')"
