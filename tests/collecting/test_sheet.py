"""Queries from templates, their wording, and the annotation sheet made of them."""

import pandas as pd
import pytest
from collecting_material import DOCUMENTS, index, sheet

from pyterrier_quantity import Constraint, parse_query
from pyterrier_quantity.collecting import Sheet, make_sheet
from pyterrier_quantity.concept_units import Need, Settings, make_topics, read_needs
from pyterrier_quantity.concept_units.templates import CORE, TOPIC_COLUMNS, choose
from pyterrier_quantity.concept_units.wording import patterns, unit_wordings
from pyterrier_quantity.datasets import CollectionError, LocalCollection
from pyterrier_quantity.quantity import OPERATORS
from pyterrier_quantity.units import default_registry

SETTINGS = Settings(enough=1, most=10)


@pytest.fixture(scope="module")
def concepts():
    return index()


@pytest.fixture(scope="module")
def topics(concepts):
    needs = [Need("load factor", "%", ("load",), ("occupied seats",)), Need("lake depth", "m", ("depth",))]
    return make_topics(concepts, needs, SETTINGS)


def constraint_of(row):
    low = float(row["value"])
    return Constraint(row["condition"], low, float(row["high"] or low), row["unit"])


def test_every_condition_has_a_query(topics):
    frame = topics.frame
    assert list(frame.columns) == list(TOPIC_COLUMNS)
    assert not topics.left_out
    assert frame["qid"].is_unique
    one = frame[frame["qid"].str.startswith("1-")]
    assert set(one[one["type"] != "semantic"]["condition"]) == set(OPERATORS)
    assert one.groupby("type")["condition"].agg(set).to_dict() == {
        "lexical": set(CORE), "semantic": set(CORE), "extended": set(OPERATORS) - set(CORE),
    }  # fmt: skip
    assert set(one[one["type"] == "semantic"]["keywords"]) == {"occupied seats"}
    assert set(one["synonyms"]) == {"load factor|load"}


def test_queries_say_what_their_columns_say(topics):
    for row in topics.frame.to_dict("records"):
        terms, constraints = parse_query(row["query"])
        assert constraints == [constraint_of(row)], row["query"]
        assert terms == row["keywords"]


def test_enough_documents_meet_a_query_and_not_too_many(concepts):
    values = concepts.values(["load factor"], "%", "text")
    for condition in OPERATORS:
        settings = Settings(enough=2, most=4, each=5)
        chosen, support = choose(values, condition, settings)
        assert support
        for constraint in chosen:
            assert 2 <= values.support(constraint) <= 4
    assert not choose(values, "!=", settings)[0]


def test_patterns_word_every_condition():
    assert set(patterns()) == set(OPERATORS)
    for condition, forms in patterns().items():
        assert len(forms) == len(set(forms)) >= 2
        for form in forms:
            text = form.format(concept="engine power", value="500 hp", low="400", high="500 hp")
            high = 500.0
            low = 400.0 if condition == "range" else high
            assert parse_query(text) == ("engine power", [Constraint(condition, low, high, "horsepower")]), text


@pytest.mark.parametrize(
    ("unit", "stated", "expected"),
    [
        ("dollar per barrel", ["17.50 dlrs a barrel"] * 3, [(" dollars per barrel"), " dlrs a barrel"]),
        ("percentage", ["5 pct", "6 pct", "1.5 pct", "8 per cent"], [" percent", "%", " pct"]),
        ("employee", ["300 employees"], [" employees"]),
        ("people", ["300 people"], [" people"]),
        ("metre", ["5 apples"] * 3, [" metres"]),
        ("-", ["5"], [""]),
    ],
)
def test_unit_wordings(unit, stated, expected):
    found = [behind for before, behind in unit_wordings(unit, stated, default_registry()) if not before]
    assert found == expected


def structured(topics, tmp_path):
    topics.frame.to_csv(tmp_path / "topics.tsv", sep="\t", index=False)
    return LocalCollection(topics=tmp_path / "topics.tsv").get_topics("structured")


def test_a_sheet_holds_what_meets_each_topic(concepts, topics, tmp_path):
    made = make_sheet(concepts, structured(topics, tmp_path))
    by_query = {}
    for candidate in made.candidates:
        by_query.setdefault(candidate.qid, []).append(candidate)
    texts = {document["docno"]: document["text"] for document in DOCUMENTS}
    for row in topics.frame.to_dict("records"):
        candidates = by_query[row["qid"]]
        values = concepts.values(row["synonyms"].split("|"), row["unit"], "text")
        assert {c.docno for c in candidates} == set(values.meeting(constraint_of(row))["docno"])
        assert all(c.text == texts[c.docno] and c.query == row["query"] for c in candidates)
        assert all(any(m.kind in "+~" for m in c.mentions) for c in candidates)
        order = [["exact", "concept", "text"].index(c.reach) for c in candidates]
        assert order == sorted(order)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"constraints": []}, "topic 't7' sets 0 conditions"),
        ({"constraints": None}, "topic 't7' sets no conditions"),
        ({"keywords": ""}, "topic 't7' has no concept"),
        ({"constraints": [Constraint("=", 1, 1, "&&")]}, "topic 't7', column 'unit'"),
    ],
)
def test_topics_that_have_no_candidates(concepts, change, problem):
    topic = {"qid": "t7", "query": "q", "keywords": "load", "constraints": [Constraint("=", 5, 5, "%")]} | change
    with pytest.raises(ValueError, match=problem):
        make_sheet(concepts, pd.DataFrame([topic]))


def test_a_sheet_comes_back_as_it_was(tmp_path):
    sheet().write(tmp_path / "sheet.tsv")
    assert Sheet.read(tmp_path / "sheet.tsv").candidates == sheet().candidates


HEADER = "qid\tdocno\tmark\tremark\tquery\tasked\ttext\treach\tquantities\n"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "line 1: the file is empty"),
        (HEADER, "line 1: there are no candidates"),
        (HEADER + "1\td\t\t\tq\t\t\t\t\n", "line 2: column 'text' is empty"),
        (HEADER + "1\td\t\t\tq\t\tt\t\t\n\n1\td\t\t\tq\t\tt\t\t\n", "line 4: 1 d occurred before"),
        (HEADER + "1\td\t\t\tq\t\tt\t\t0-9+\n", "line 2: column 'quantities' has '0-9\\+'"),
        (HEADER + "1\td\t\t\tq\t\tt\t\t\tmore\tcells\n", "line 2: 11 columns where 9 are expected"),
        (
            HEADER + '1\td\t\t"so\tq\t\tt\n1\te\t\t"\tq\t\tt\n',
            "line 2: a quotation mark in column 'remark' is not closed",
        ),
        (HEADER.encode() + b"1\td\t\t\tq\t\t\xff\t\t\n", "line 2: not UTF-8"),
    ],
)
def test_bad_sheets(tmp_path, content, problem):
    path = tmp_path / "sheet.tsv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CollectionError, match=problem):
        Sheet.read(path)


def test_needs(tmp_path):
    path = tmp_path / "needs.tsv"
    path.write_text("unit\tconcept\tsynonyms\tnote\n%\tload factor\tload | seats filled|\tmine\nm\tdepth\t\t\n")
    assert read_needs(path, default_registry()) == [
        Need("load factor", "%", ("load", "seats filled")), Need("depth", "m"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("load\t&&&\t\t", "line 2: '&&&' is not a unit"),
        ("load\t%\tthe|seat\t", "line 2: concept 'the' contains no word"),
        ("load\t\t\t", "line 2: column 'unit' is empty"),
    ],
)
def test_bad_needs(tmp_path, line, problem):
    path = tmp_path / "needs.tsv"
    path.write_text(f"concept\tunit\tsynonyms\tparaphrases\n{line}\n")
    with pytest.raises(CollectionError, match=problem):
        read_needs(path, default_registry())
