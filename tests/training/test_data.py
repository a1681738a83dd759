"""Training data: values, wordings, samples that are read back, what is held out, files and their errors."""

import json
import re

import numpy as np
import pytest
from full_disk import full_disk
from training_material import corpus, interrupt

from pyterrier_quantity import RuleExtractor, parse_query
from pyterrier_quantity.cli import main
from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.concept_units.wording import registry_wordings
from pyterrier_quantity.datasets import CollectionError
from pyterrier_quantity.training import ChatExpander, DataSettings, make_training_data, read_data, read_triples
from pyterrier_quantity.training.data_files import QUERIES, SAMPLES, SETTINGS, TRIPLES
from pyterrier_quantity.training.generation import DATA_PRESETS
from pyterrier_quantity.training.pairs import CONDITIONS, Pair, UnitForms, find_pairs, held_out, pair_queries
from pyterrier_quantity.training.sampling import METHODS, meets
from pyterrier_quantity.units import default_registry

ALL = DataSettings(methods=(*METHODS, "concept"), values="both", validation=6)
FILES = (QUERIES, SAMPLES, TRIPLES, SETTINGS)


@pytest.fixture(scope="module")
def made(index, tmp_path_factory):
    return make_training_data(index, tmp_path_factory.mktemp("data") / "all", ALL)


def pair_of(*values, unit="metre"):
    """A pair as if each value stood in a sentence of its own."""
    rows = np.arange(len(values))
    return Pair(0, "width", unit, rows, np.array(values, dtype=float), rows)


def asked(pair, index, **options):
    queries = pair_queries(pair, UnitForms(index), **options)
    return {(q.constraint.op, q.expanded): (q.constraint.low, q.constraint.high) for q in queries}


@pytest.mark.parametrize(
    ("values", "equal", "bound"),
    [
        ((1, 3, 3, 5, 7, 9, 9, 9), 9, 5),  # the mean is 5.75
        ((1, 2, 3), 1, 2),
        ((1, 1, 1, 1, 2, 100), 1, 2),  # the mean is nearer to 2 than to 100
        ((0, 90, 100, 100), 100, 90),  # 100 is nearer to the mean, but no text is above it
    ],
)
def test_typical_values_are_the_papers(index, values, equal, bound):
    """B.3: the most frequent value for "=", and for bounds the one nearest to the mean that has texts on both sides."""
    found = asked(pair_of(*values), index)
    assert found == {("=", False): (equal, equal), ("<", False): (bound, bound), (">", False): (bound, bound)}


def test_expanded_concepts_take_the_next_values(index):
    found = asked(pair_of(1, 2, 2, 2, 2, 2, 3, 4, 5, 6, 7, 7, 7), index, expansion="breadth")
    assert (found[("=", False)], found[("=", True)]) == ((2, 2), (7, 7))
    assert (found[("<", False)], found[("<", True)]) == ((4, 4), (3, 3))  # the mean is 3.77


def test_a_text_with_a_range_of_the_pair_is_left_out():
    """The sentence's 5 violates "above 6", its range meets it: it would be a wrong negative."""
    texts = [
        *(f"The bridge width was {n} metres." for n in (4, 7, 9)),
        "The bridge width was 5 metres, the bridge width was 7 to 8 metres.",
    ]
    index = ConceptUnitIndex.build({"docno": str(n), "text": text} for n, text in enumerate(texts))
    (pair,) = find_pairs(index)
    assert pair.values.tolist() == [4, 7, 9]


def test_queries_are_read_back(made):
    assert {q.constraint.op for q in made.queries.values()} == set(CONDITIONS)
    for query in made.queries.values():
        assert parse_query(query.text)[1] == [query.constraint]


def test_queries_name_the_concept_or_its_expansion(made):
    assert {q.expanded for q in made.queries.values()} == {True, False}
    for query in made.queries.values():
        words = query.concept.split()
        assert query.text.startswith(words[-1] if query.expanded else query.concept)


@pytest.mark.parametrize("method", METHODS)
def test_samples_are_read_back(made, method):
    """Every positive states a value that meets its query, and no negative does."""
    reader = RuleExtractor(concepts=False)
    samples = [s for s in made.samples if s.method == method]
    assert {s.label for s in samples} == {0, 1}
    for sample in samples:
        assert meets(made.queries[sample.qid].constraint, reader.extract(sample.text)) == bool(sample.label)


def test_unit_permutation_changes_the_unit_alone(made):
    reader = RuleExtractor(concepts=False)
    changed = set()
    for sample in (s for s in made.samples if s.method == "unit"):
        (quantity,) = reader.extract(sample.text)
        constraint = made.queries[sample.qid].constraint
        assert (quantity.unit == constraint.unit) == bool(sample.label)
        changed.add((constraint.unit, quantity.unit))
    assert ("euro", "dollar") in changed
    assert ("metre", "foot") in changed


def test_sizes_and_the_count_of_what_is_missing(made):
    per_query = {}
    for sample in made.samples:
        key = sample.qid, sample.method, sample.label
        per_query[key] = per_query.get(key, 0) + 1
    assert max(per_query.values()) == ALL.size
    assert all(per_query[qid, method, 1 - label] == n for (qid, method, label), n in per_query.items())
    tally = made.settings["tally"]
    for method in METHODS:
        total = sum(n for name, n in tally["made"].items() if name.split()[0] == method)
        assert total == sum(n for (_, m, label), n in per_query.items() if m == method and label)
        assert total <= sum(n for name, n in tally["asked"].items() if name.split()[0] == method)


def test_nothing_of_an_excluded_concept_remains(index, tmp_path):
    """ "rent" holds out "monthly rent" too, in queries and in sentences."""
    settings = DataSettings(methods=(*METHODS, "concept"))
    made = make_training_data(index, tmp_path / "held", settings, excluded=["rent", "harbours depth"])
    text = "".join((tmp_path / "held" / name).read_text() for name in (QUERIES, SAMPLES, TRIPLES)).lower()
    assert "rent" not in text
    assert "harbour" not in text
    assert "euro" not in {q.constraint.unit for q in made.queries.values()}
    assert "ticket price" in text
    assert len(held_out(index, ["rent"])) == 10


def test_the_same_seed_makes_the_same_bytes(index, tmp_path):
    folders = [tmp_path / name for name in ("one", "two", "three")]
    for folder, seed in zip(folders, (1, 1, 2), strict=True):
        make_training_data(index, folder, DataSettings(seed=seed))
    contents = [[(folder / name).read_bytes() for name in FILES] for folder in folders]
    assert contents[0] == contents[1]
    assert contents[0] != contents[2]


def test_an_interrupted_run_goes_on(tmp_path, monkeypatch):
    settings = DataSettings(seed=3)
    whole = make_training_data(corpus(), tmp_path / "whole", settings)
    monkeypatch.setattr("pyterrier_quantity.training.data_files.TrainingData.write", interrupt)
    with pytest.raises(KeyboardInterrupt):
        make_training_data(corpus(), tmp_path / "half", settings)
    with pytest.raises(FileNotFoundError, match="no finished training data"):
        read_data(tmp_path / "half")
    monkeypatch.undo()
    # The index is there already: the corpus is compared, but its quantities are not read again.
    monkeypatch.setattr(ConceptUnitIndex, "build", interrupt)
    make_training_data(iter(corpus()), tmp_path / "half", settings)
    assert [(tmp_path / "half" / n).read_bytes() for n in FILES] == [(whole.folder / n).read_bytes() for n in FILES]


@pytest.mark.parametrize(("limit", "told"), [(0, r"data/settings\.json"), (500, "concepts"), (9_000, "samples")])
def test_a_full_disk_is_told_and_the_data_are_finished_later(limit, told, tmp_path, capsys):
    """The disk is full for the settings, for the index of concepts, and for the samples."""
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(document) + "\n" for document in corpus()))
    command = ["train-data", str(tmp_path / "corpus.jsonl"), str(tmp_path / "data"), "--validation", "4", "--quiet"]
    with full_disk(limit):
        assert main(command) == 2
    assert re.search(rf"error: .*{told}", capsys.readouterr().err)
    with pytest.raises(FileNotFoundError, match="make or finish them"):
        read_data(tmp_path / "data")
    assert main(command) == 0
    assert {sample.label for sample in read_data(tmp_path / "data").samples} == {0, 1}


def test_finished_data_are_read_not_made_again(made, index):
    again = make_training_data(index, made.folder, ALL)
    assert again == made


def test_other_settings_do_not_mix(index, tmp_path):
    make_training_data(index, tmp_path / "data", DataSettings())
    with pytest.raises(FileExistsError, match="other settings"):
        make_training_data(index, tmp_path / "data", DataSettings(seed=5))
    with pytest.raises(FileExistsError, match="another expander"):
        make_training_data(index, tmp_path / "data", DataSettings(), expander=ChatExpander(str))
    assert make_training_data(index, tmp_path / "data", DataSettings(seed=5), overwrite=True).settings["seed"] == 5
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="contains no training data"):
        make_training_data(index, tmp_path / "notes", DataSettings(), overwrite=True)
    assert (tmp_path / "notes" / "mine.txt").exists()


@pytest.mark.parametrize("stage", ["finished", "indexed", "begun"])
def test_another_corpus_does_not_come_back(tmp_path, monkeypatch, stage):
    """Neither silently, nor, once it is overwritten, by what an interrupted run left of the first one."""
    folder, boats = tmp_path / "data", [{**d, "text": d["text"].replace("bridge", "boat")} for d in corpus()]
    cut = {
        "indexed": "pyterrier_quantity.training.generation.find_pairs",
        "begun": "pyterrier_quantity.concept_units.ConceptUnitIndex.save",
    }.get(stage)
    make_training_data(corpus(), folder)
    (folder / "thesis.tex").write_text("mine")
    with pytest.raises(FileExistsError, match="another corpus"):
        make_training_data(boats, folder)
    if cut:
        monkeypatch.setattr(cut, interrupt)
        with pytest.raises(KeyboardInterrupt):
            make_training_data(boats, folder, overwrite=True)
        monkeypatch.undo()
    texts = {sample.text for sample in make_training_data(iter(boats), folder, overwrite=stage == "finished").samples}
    assert any("boat" in text for text in texts)
    assert not any("bridge" in text for text in texts)
    assert (folder / "thesis.tex").read_text() == "mine"


def test_a_corpus_without_enough(tmp_path):
    texts = [{"docno": "1", "text": "The bridge is 5 metres wide."}, {"docno": "2", "text": "It rains."}]
    with pytest.raises(ValueError, match="3 different values"):
        make_training_data(texts, tmp_path / "data")
    with pytest.raises(FileNotFoundError):
        read_data(tmp_path / "data")


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"methods": ("original", "units")}, "unknown method 'units'"),
        ({"methods": ("concept",)}, "concept changes only queries of other methods"),
        ({"values": "rare"}, "unknown values 'rare'"),
        ({"pairs": 0}, "pairs is 0"),
    ],
)
def test_wrong_settings(wrong, problem):
    with pytest.raises(ValueError, match=problem):
        DataSettings(**wrong)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        (SAMPLES, "{}\n", "samples.jsonl, line 1"),
        (SAMPLES, json.dumps({"qid": "x", "text": "t", "label": 1, "method": "m"}) + "\n", "the query 'x'"),
        (SAMPLES, "[" * 100_000 + "\n", "samples.jsonl, line 1"),
        (QUERIES, "qid\ttext\n", "no column 'concept'"),
        (SETTINGS, "[" * 100_000, "settings.json"),
    ],
)
def test_broken_files(index, tmp_path, name, content, problem):
    data = make_training_data(index, tmp_path / "data", DataSettings())
    (data.folder / name).write_text(content)
    with pytest.raises(CollectionError, match=problem):
        read_data(data.folder)


def test_any_triples(tmp_path):
    """A table, or JSON lines whose texts may have a source; a tenth of the queries validates."""
    table, lines = tmp_path / "triples.tsv", tmp_path / "data.jsonl"
    table.write_text("query\tpositive\tnegative\n" + "".join(f"q{n}\ta\tb\nq{n}\ta\tc\n" for n in range(20)))
    data = read_triples(table)
    assert len(data.valid) == 2
    held = {data.queries[qid].text for qid in data.valid}
    assert sorted(data.triples()) == sorted((f"q{n}", "a", x) for n in range(20) for x in "bc" if f"q{n}" not in held)
    assert {(sample.text, sample.label) for sample in data.samples} == {("a", 1), ("b", 0), ("c", 0)}
    positive = {"text": "It has 500 hp.", "source": "review"}
    records = [{"query": q, "positive": positive, "negatives": ["no", {"text": "n"}]} for q in ("q", "r")]
    lines.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert {triple[1:] for triple in read_triples(lines).triples()} == {
        ("review It has 500 hp.", "no"),
        ("review It has 500 hp.", "n"),
    }
    lines.write_text(json.dumps(records[0]) + "\n")
    with pytest.raises(ValueError, match="give at least 2"):
        read_triples(lines)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("x.tsv", "a\tb\n", "x.tsv, line 1: the header has no column"),
        ("x.jsonl", '{"query": "q", "positive": "p", "negatives": ["a", 7]}\n', "x.jsonl, line 1: no query"),
        ("x.jsonl", "[" * 100_000 + "\n", "x.jsonl, line 1"),
    ],
)
def test_broken_triples(tmp_path, name, content, problem):
    (tmp_path / name).write_text(content)
    with pytest.raises(CollectionError, match=problem):
        read_triples(tmp_path / name)


def test_the_papers_setting_asks_values_at_random_besides():
    assert (DATA_PRESETS["paper"].values, DATA_PRESETS["paper"].validation) == ("both", 1000)


@pytest.mark.parametrize(
    ("unit", "form"),
    [
        ("dollar", ("$", "")),
        ("dollar", ("", " dlrs")),
        ("percentage", ("", "%")),
        ("euro", ("€", "")),
        ("kilometre per hour", ("", " km/h")),
        ("dollar per barrel", ("", " dollars a barrel")),
    ],
)
def test_wordings_of_the_registry(unit, form):
    found = registry_wordings(unit, default_registry())
    assert form in found
    reader = RuleExtractor(concepts=False)
    for before, behind in found:
        (quantity,) = reader.extract(f"{before}12{behind}")
        assert (quantity.low, quantity.unit) == (12, unit)
