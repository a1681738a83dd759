"""The concept/unit index: pairs, values, candidates, and its files."""

import pytest
from collecting_material import DEPTHS, DOCUMENTS, LOAD_FACTORS, index

from pyterrier_quantity import Constraint, Quantity
from pyterrier_quantity.concept_units import ConceptUnitIndex, Reach
from pyterrier_quantity.concept_units.concept_unit_index import concept_key, stems
from pyterrier_quantity.storage.folders import IndexFormatError


@pytest.fixture(scope="module")
def concepts():
    return index()


def docnos(values):
    return {values.docnos[number] for number in values.document}


def test_pairs_count_values_and_documents(concepts):
    pairs = concepts.pairs()
    top = pairs.iloc[0]
    assert (top["concept"], top["unit"], top["quantities"], top["documents"]) == ("load factor", "percentage", 10, 10)
    assert (top["low"], top["median"], top["high"]) == (50, 57, 65)
    assert pairs["quantities"].sum() == len(concepts)
    assert pairs["quantities"].is_monotonic_decreasing
    assert set(concepts.pairs(minimum=2)["quantities"]) == {q for q in pairs["quantities"] if q >= 2}


def test_units_of_a_concept_and_concepts_of_a_unit(concepts):
    assert concepts.pairs("load factor")[["unit", "quantities", "documents"]].to_numpy().tolist() == [
        ["percentage", 10, 10]
    ]
    assert concepts.pairs("depth").groupby("unit")["quantities"].sum().to_dict() == {"metre": 3, "foot": 2}
    assert concepts.pairs("factors", "%")["concept"].tolist() == ["load factor"]
    assert "load factor" not in concepts.pairs(unit="metres")["concept"].tolist()
    assert concepts.pairs("zebra").empty
    assert concepts.pairs(unit="kilowatt").empty


def test_spellings_of_a_concept_are_one_and_the_usual_one_is_its_name():
    stated = {"b": ("Oil", "prices"), "a": ("oil", "price"), "c": ("oil", "price")}
    documents = [{"docno": d, "quantities": [Quantity(17, 17, "dollar", concept=c)]} for d, c in stated.items()]
    made = ConceptUnitIndex.build(documents)
    assert made.pairs()[["concept", "quantities"]].to_numpy().tolist() == [["oil price", 3]]
    assert made.quantity(0) == Quantity(17, 17, "dollar", concept=("oil", "price"))
    assert concept_key(("Crude", "Oil", "PRICES")) == "crude oil price"
    assert stems("The prices of oil") == stems("oil price")


def test_values_by_reach(concepts):
    found = {reach: docnos(concepts.values("load factor", "%", reach)) for reach in Reach}
    airlines = {f"a{n}" for n in range(10)}
    assert found[Reach.EXACT] == found[Reach.CONCEPT] == airlines
    assert found[Reach.TEXT] == airlines | {"seats", "rate"}
    assert len(concepts.values("load of an aircraft", "%", "text")) == 0
    values = concepts.values("load factor", "%", "text")
    nearest = values.meeting(Constraint(">", 0, 0, "percentage")).set_index("docno")["reach"]
    assert (nearest["a0"], nearest["rate"]) == ("exact", "text")


def test_values_convert(concepts):
    values = concepts.values("depth", "m", "concept")
    found = {concepts.docnos[n]: place for place, n in enumerate(values.document)}
    assert found.keys() == {f"l{name}" for name in DEPTHS}
    assert values.low[found["lDun"]] == pytest.approx(609.6)
    assert all(values.converted[found[f"l{name}"]] == ("feet" in depth) for name, depth in DEPTHS.items())
    assert values.distribution()["converted"].sum() == 2


@pytest.mark.parametrize("op", ["=", "!=", "<", "<=", ">", ">=", "~"])
def test_support_counts_the_documents_that_meet(concepts, op):
    values = concepts.values("load factor", "percent")
    constraint = Constraint(op, 57, 57, "percentage")
    expected = {
        "=": lambda v: v == 57, "!=": lambda v: v != 57, "<": lambda v: v < 57, "<=": lambda v: v <= 57,
        ">": lambda v: v > 57, ">=": lambda v: v >= 57, "~": lambda v: abs(v - 57) <= 5.7,
    }[op]  # fmt: skip
    met = {f"a{n}" for n, value in enumerate(LOAD_FACTORS) if expected(value)}
    assert values.support(constraint) == len(met)
    assert set(values.meeting(constraint)["docno"]) == met


def test_candidates(concepts):
    found = concepts.values(["depth"], "metre", "text").meeting(Constraint(">", 150, 150, "metre")).set_index("docno")
    assert set(found.index) == {"lBel", "lCor", "lDun"}
    assert found["convertible"].to_dict() == {"lBel": False, "lCor": True, "lDun": True}
    (span,) = found.loc["lCor", "spans"]
    assert found.loc["lCor", "text"][span.start : span.end] == "500 feet"
    assert span.met
    assert span.converted
    assert span.low == pytest.approx(152.4)


def test_a_concept_must_have_a_word(concepts):
    with pytest.raises(ValueError, match=r"concept 'of the' contains no word to search for"):
        concepts.values("of the", "%")
    with pytest.raises(ValueError, match="must be a list of at least one phrase"):
        concepts.values([], "%")
    with pytest.raises(ValueError, match="is not a unit"):
        concepts.values("load factor", "&&&")


def test_files_bring_everything_back(concepts, tmp_path):
    concepts.save(tmp_path / "made" / "airlines")
    opened = ConceptUnitIndex.load(tmp_path / "made" / "airlines")
    assert opened.pairs().equals(concepts.pairs())
    assert [opened.quantity(row) for row in range(len(opened))] == [concepts.quantity(r) for r in range(len(concepts))]
    assert list(opened.texts) == list(concepts.texts) == [d["text"] for d in DOCUMENTS if d["docno"] != "none"]
    assert opened.documents == len(DOCUMENTS)
    assert repr(opened) == repr(concepts)
    assert not list(tmp_path.rglob("*.pkl"))
    assert [path.name for path in (tmp_path / "made").iterdir()] == ["airlines"]


@pytest.mark.parametrize(("documents", "problem"), [
    ([{"text": "5 metres"}], "document number 0: docno is missing"),
    ([{"docno": "a b", "text": "5 metres"}], "document 'a b': give it a name without spaces"),
    ([{"docno": "d"}], "document 'd' has neither 'text' nor 'quantities'"),
    ([{"docno": "d", "text": 5}], "document 'd': 'text' must be a string"),
    ([{"docno": "d", "text": "5 metres"}] * 2, "docno 'd' occurred before"),
])  # fmt: skip
def test_bad_documents(documents, problem):
    with pytest.raises((TypeError, ValueError), match=problem):
        ConceptUnitIndex.build(documents)


def test_a_folder_that_is_taken_stays(concepts, tmp_path):
    (tmp_path / "diary").mkdir()
    (tmp_path / "diary" / "monday.txt").write_text("rain")
    with pytest.raises(FileExistsError, match="not a concept index"):
        concepts.save(tmp_path / "diary", overwrite=True)
    assert (tmp_path / "diary" / "monday.txt").read_text() == "rain"
    concepts.save(tmp_path / "airlines")
    with pytest.raises(FileExistsError, match="already"):
        concepts.save(tmp_path / "airlines")


@pytest.fixture
def saved(concepts, tmp_path):
    concepts.save(tmp_path / "airlines")
    return tmp_path / "airlines"


def test_no_index_there(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises((FileNotFoundError, IndexFormatError), match=f"{path}.*collect index CORPUS FOLDER"):
            ConceptUnitIndex.load(path)


def test_broken_files(saved):
    """Every file of the index, cut short, missing or with a bit flipped, is named."""
    (part,) = saved.glob("part-*")
    for file in [file for file in part.iterdir() if file.stat().st_size]:
        content = file.read_bytes()
        for damage in (content[:-1], content[:99] + bytes([content[99] ^ 4]) + content[100:]):
            file.write_bytes(damage)
            with pytest.raises(IndexFormatError, match=str(saved)) as error:
                ConceptUnitIndex.load(saved).verify()
            assert "again" in str(error.value)
        file.write_bytes(content)
        file.rename(file.with_suffix(".away"))
        with pytest.raises(IndexFormatError, match=r"again|has no"):
            ConceptUnitIndex.load(saved)
        file.with_suffix(".away").rename(file)
    ConceptUnitIndex.load(saved).verify()


@pytest.mark.parametrize("concept", [("one",), ("smaller", "ones"), ("the", "former"), ("Another",)])
def test_what_stands_for_a_noun_is_no_concept(concept):
    made = ConceptUnitIndex.build([{"docno": "a", "quantities": [Quantity(5, 5, "euro", concept=concept)]}])
    assert made.pairs()["concept"].tolist() == [""]
    assert "one" not in made.concept_names
