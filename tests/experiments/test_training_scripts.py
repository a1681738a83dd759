"""Figures 7 and 8: masks, losses, order relations, and one small run of each script."""

import json
from functools import partial

import augmentation
import fusion_table
import hybrid
import joint
import masking
import numpy as np
import pandas as pd
import pytest
import training_data
from lib.head import with_head
from lib.joint_models import BracketExpander
from lib.seen import SEEN, UNSEEN, concept_groups
from scripts import call
from training_material import corpus, small_batches  # noqa: F401

from pyterrier_quantity import Constraint, RuleExtractor
from pyterrier_quantity.training import TrainingData, WordNetExpander
from pyterrier_quantity.training.data_files import read_settings
from pyterrier_quantity.training.expansion import identity
from pyterrier_quantity.training.pairs import TrainingQuery

pytestmark = pytest.mark.usefixtures("small_batches")


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        (
            "It makes 530 hp and costs $64,900.",
            "It makes [MASK] hp and costs $[MASK].",
            "It makes 530 [MASK] and costs [MASK] 64,900.",
        ),
        ("Oil fell to $17.50 a barrel.", "Oil fell to $[MASK] a barrel.", "Oil fell to [MASK] 17.50 [MASK]."),
        ("Output rose 5%.", "Output rose [MASK]%.", "Output rose 5 [MASK]."),
        ("Nothing is stated.", "Nothing is stated.", "Nothing is stated."),
    ],
)
def test_masks(text, value, unit):
    reader = RuleExtractor(concepts=False)
    assert masking.masked(text, "value", reader) == value
    assert masking.masked(text, "unit", reader) == unit


def test_losses_are_compared_with_the_bases():
    chance = np.random.default_rng(0)
    plain = pd.Series(chance.uniform(0.5, 1, 60))
    values = {
        "SPLADE": {"plain": plain, "value": plain - 0.1, "unit": plain - 0.1},
        "SPLADE_ft": {"plain": plain + 0.2, "value": plain - 0.2, "unit": plain + 0.1},
    }
    found = masking.losses(values)
    assert found.loc["SPLADE_ft", "value lost"] == pytest.approx(0.4)
    assert found.loc["SPLADE_ft", "value p"] < 0.01
    assert found.loc["SPLADE_ft", "unit p"] > 0.9
    assert np.isnan(found.loc["SPLADE", "value p"])


def test_order_relations():
    chance = np.random.default_rng(0)
    base = pd.Series(chance.uniform(0, 0.8, 60))
    said = augmentation.order({"base": base, "original": base + 0.1, "unit": base - 0.1}).split("; ")
    assert said[0].startswith("original > base: confirmed (p = 1e-05")
    assert said[1].startswith("unit > base: not confirmed (p = 1e-05")
    assert not any("concept" in line for line in said)
    assert "(p = 1)" in augmentation.order({"base": base, "original": base})


@pytest.fixture
def shared(ships, tmp_path):
    """What all scripts are given: the collection, how models compute, and where things are kept: indexes for all."""
    places = ["--work", ships / "work", "--out", tmp_path / "out"]
    return [ships, "--device", "cpu", "--dtype", "float32", "--quiet", *places]


@pytest.fixture(scope="module")
def ships(tmp_path_factory):
    """A folder with a collection of ships and flats, half of the corpus."""
    folder = tmp_path_factory.mktemp("ships")
    (folder / "corpora").mkdir(parents=True)
    (folder / "gold").mkdir()
    (folder / "corpora/ships.jsonl").write_text("".join(json.dumps(document) + "\n" for document in corpus()[::2]))
    topics = "qid\tquery\ttype\n1\tmonthly rent above 500 euros\tlexical\n2\ttop speed of 14 knots\tsemantic\n"
    (folder / "gold/ships.topics.tsv").write_text(topics)
    (folder / "gold/ships.qrels").write_text("1 0 rent8 1\n1 0 rent6 1\n2 0 speed2 1\n")
    return folder


def test_joint_models_beside_their_base(shared, tmp_path):
    call(joint, *shared, "--steps", 1, "--pairs", 3, "--forms", "plain", "terms")
    table = pd.read_csv(tmp_path / "out/joint-ships-splade.csv").set_index(["model", "ranker"])
    assert table.loc[("SPLADE", "joint"), "times base"] == 1
    assert table.loc[("SPLADE", "disjoint"), "of the disjoint base"] == 1
    assert set(table["trained"].dropna()) == {"in domain"}
    (lexical,) = table.columns.intersection([SEEN, UNSEEN])
    means = table[[lexical, "semantic"]].mean(axis=1)
    assert np.allclose(means, table["nDCG@10"])
    terms = table.loc[[("SPLADE_terms", "joint"), ("SPLADE_terms, trained", "joint")], "nDCG@10"]
    assert (terms >= table.loc[("SPLADE", "joint"), "nDCG@10"]).all()
    under_the_index = table.xs("disjoint", level="ranker")
    assert under_the_index.loc["SPLADE", "p disjoint"] == 1
    assert under_the_index["p disjoint"].between(0, 1).all()


def test_joint_models_take_names_of_wordnet(shared, ships):
    call(joint, *shared, "--steps", 0, "--pairs", 4, "--wordnet")
    made = [read_settings(found.parent) for found in ships.rglob("data-*/settings.json")]
    assert [data["expander"] for data in made if data["pairs"] == 4] == [identity(WordNetExpander())]


def test_concepts_take_abbreviations_that_the_corpus_states():
    texts = ["The glomerular filtration rate (GFR) fell.", "Refined sugar (France) fell.", "A low GFR (grade) is bad."]
    names = BracketExpander(texts)
    assert names.expand(["low GFR", "mean glomerular filtration rate", "sugar", "rate"]) == [
        "low glomerular filtration rate", "mean gfr", None, None,
    ]  # fmt: skip


def test_concepts_are_seen_by_all_their_words(tmp_path):
    def query(qid, concept):
        return TrainingQuery(qid, concept, concept, Constraint("=", 1.0, 1.0, unit="euro"), False)

    queries = {"1": query("1", "crude oil prices"), "2": query("2", "rent")}
    data = TrainingData(tmp_path, queries, frozenset({"2"}), [], {})
    asked = {"price of oil above 20 dollars": SEEN, "oil imports above 20 dollars": UNSEEN, "rent of 1 euro": UNSEEN}
    topics = pd.DataFrame({"qid": ["a", "b", "c"], "query": list(asked), "type": "lexical"})
    assert concept_groups(topics, data).tolist() == list(asked.values())
    assert concept_groups(topics.assign(type="extended"), data).tolist() == ["extended"] * 3


def test_a_headed_encoder_is_taken_as_it_is(shared, tmp_path, monkeypatch):
    monkeypatch.setattr(hybrid, "with_head", partial(with_head, steps=2))
    call(hybrid, *shared, "--start", "headed", "--steps", 0, "--crossed", 0)
    table = pd.read_csv(tmp_path / "out/hybrid-parts.csv", index_col=0)
    assert table.loc["its dense part", "mean"] == table.loc["dense", "mean"]


def test_a_hybrid_beside_its_parts(shared, tmp_path):
    call(hybrid, *shared, "--steps", 1, "--pairs", 3, "--crossed", 2)
    table = pd.read_csv(tmp_path / "out/hybrid-parts.csv", index_col=0)
    assert {
        *hybrid.MODELS,
        *hybrid.RIVALS,
        "cross-encoder, over the hybrid",
        "hybrid, alpha 0.5",
        "dense",
        "SPLADE",
    } == set(table.index)
    assert table.loc["hybrid", "p"] == 1
    assert (table["mean"] == table["ships"]).all()
    aware = pd.read_csv(tmp_path / "out/hybrid-aware.csv", index_col=0)
    assert aware.index.tolist() == list(hybrid.AWARE)
    assert table.loc[["dense", "SPLADE"], "mean"].tolist() == pytest.approx([0.925, 0.825], abs=1e-3)
    assert aware.loc["QSPLADE", "mean"] > table.loc["SPLADE", "mean"]
    assert aware.loc["quantity-aware hybrid", "mean"] >= table.loc["hybrid", "mean"]  # never worse than its base


def test_unseen_collections(ships):
    with pytest.raises(ValueError, match="leave one to train on"):
        call(hybrid, ships, "--unseen", "ships")
    with pytest.raises(ValueError, match="'boats' is none of the collections: ships"):
        call(hybrid, ships, "--unseen", "boats")


def test_collections_count_the_same():
    long, short = pd.Series(1.0, index=[f"a{n}" for n in range(40)]), pd.Series(0.0, index=[f"b{n}" for n in range(10)])
    found = hybrid.table({"one": {"x": long, "y": short}, "other": {"x": 0 * long, "y": short + 1.0}}, "one")
    assert found["mean"].tolist() == [0.5, 0.5]
    assert found.loc["other", "p"] > 0.99


def test_training_data_are_read_back(ships, tmp_path):
    call(training_data, ships, "--work", ships / "work", "--out", tmp_path / "out", "--quiet")
    table = pd.read_csv(tmp_path / "out/training-data-ships.csv", index_col=0)
    assert {"original", "unit", "value"} <= set(table.index)
    assert (table[["positives right", "negatives right"]] == 1).all(axis=None)
    assert pd.read_csv(tmp_path / "out/expansion-ships.csv", index_col=0)["expanded"].between(0, 1).all()


def test_one_way_is_trained_and_measured(shared, ships, tmp_path):
    arguments = [*shared, "--kinds", "splade", "--seeds", 0, "--steps", 1, "--pairs", 3]
    call(augmentation, *arguments, "--sets", "base", "concept", "--wordnet")
    table = pd.read_csv(tmp_path / "out/augmentation-ships-splade-plain.csv", index_col=0)
    assert table.index.tolist() == ["base", "concept"]
    assert table["mean"].between(0, 1).all()
    assert table.loc["base", "times base"] == 1
    call(augmentation, *arguments, "--sets", "base", "unit", "--forms", "terms", "--bfloat16")
    terms = pd.read_csv(tmp_path / "out/augmentation-ships-splade-terms.csv", index_col=0)
    assert terms.loc["base", "mean"] > table.loc["base", "mean"]  # the base takes terms, too, untrained
    with_terms = (found.parent for found in ships.rglob("model-*/quantities.json") if '"gate"' in found.read_text())
    call(masking, *shared, "--splade-terms", next(with_terms))
    found = pd.read_csv(tmp_path / "out/masking-ships.csv", index_col=0)
    assert found.index.tolist() == ["SPLADE", "SPLADE_terms", "ColBERT"]
    assert found[["plain", "value", "unit"]].stack().between(0, 1).all()


def test_single_retrievers_are_trained_and_fused(shared, tmp_path):
    """Tables 2 and 3 of the fusion study: the quantity index with fine-tuned ColBERT and dense retrieval."""
    sets = [["quantities alone", "ColBERT_ft"], ["quantities alone", "dense_ft"]]
    fused = [part for names in sets for part in ("--fuse", *names)]
    call(fusion_table, *shared, *fused, "--train", 1, "--pairs", 3)
    for number, (first, second) in enumerate(sets, 1):
        table = pd.read_csv(tmp_path / f"out/fusion-{number}-ships.csv", index_col=0)
        assert {first, f"{second} alone", f"{first}, reranked by {second}", "linear, cross-validated"} <= set(
            table.index
        )
        assert table["nDCG@10"].between(0, 1).all()
