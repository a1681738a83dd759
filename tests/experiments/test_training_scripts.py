"""Figures 7 and 8: masks, losses, order relations, and one small run of each script."""

import json

import augmentation
import hybrid
import joint
import masking
import numpy as np
import pandas as pd
import pytest
import training_data
from lib.seen import SEEN, UNSEEN
from scripts import call
from training_material import corpus, small_batches  # noqa: F401

pytestmark = pytest.mark.usefixtures("small_batches")


@pytest.fixture
def shared(ships, tmp_path):
    """Arguments of all scripts: the collection, the device and data type of models, and the folders to write to."""
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


def test_a_hybrid_beside_its_parts(shared, tmp_path):
    call(hybrid, *shared, "--steps", 1, "--pairs", 3, "--crossed", 2)
    table = pd.read_csv(tmp_path / "out/hybrid-parts.csv", index_col=0)
    others = {"cross-encoder, over the hybrid", "hybrid, alpha 0.5", "dense", "SPLADE"}
    assert {*hybrid.MODELS, *hybrid.RIVALS} | others == set(table.index)
    assert table.loc["hybrid", "p"] == 1
    assert (table["mean"] == table["ships"]).all()
    aware = pd.read_csv(tmp_path / "out/hybrid-aware.csv", index_col=0)
    assert aware.index.tolist() == list(hybrid.AWARE)
    assert table.loc[["dense", "SPLADE"], "mean"].tolist() == pytest.approx([0.925, 0.825], abs=1e-3)
    assert aware.loc["QSPLADE", "mean"] > table.loc["SPLADE", "mean"]
    assert aware.loc["quantity-aware hybrid", "mean"] >= table.loc["hybrid", "mean"]  # never worse than its base


def test_training_data_are_read_back(ships, tmp_path):
    call(training_data, ships, "--work", ships / "work", "--out", tmp_path / "out", "--quiet")
    table = pd.read_csv(tmp_path / "out/training-data-ships.csv", index_col=0)
    assert {"original", "unit", "value"} <= set(table.index)
    assert (table[["positives right", "negatives right"]] == 1).all(axis=None)
    assert pd.read_csv(tmp_path / "out/expansion-ships.csv", index_col=0)["expanded"].between(0, 1).all()


def test_one_way_is_trained_and_measured(shared, ships, tmp_path):
    arguments = [*shared, "--kinds", "splade", "--seeds", 0, "--steps", 1, "--pairs", 3, "--bfloat16"]
    call(augmentation, *arguments, "--sets", "base", "concept", "--wordnet", "--forms", "plain", "terms")
    plain, terms = (
        pd.read_csv(tmp_path / f"out/augmentation-ships-splade-{form}-wordnet.csv", index_col=0)
        for form in ("plain", "terms")
    )
    assert plain.index.tolist() == terms.index.tolist() == ["base", "concept"]
    assert plain["mean"].between(0, 1).all()
    assert plain.loc["base", "times base"] == 1
    assert terms.loc["base", "mean"] > plain.loc["base", "mean"]  # the base takes terms, too, untrained
    with_terms = (found.parent for found in ships.rglob("model-*/quantities.json") if '"gate"' in found.read_text())
    call(masking, *shared, "--splade-terms", next(with_terms), "--train", 1, "--pairs", 3)
    found = pd.read_csv(tmp_path / "out/masking-ships.csv", index_col=0)
    assert found.index.tolist() == ["SPLADE", "SPLADE_ft", "SPLADE_terms", "ColBERT", "ColBERT_ft"]
    assert found[["plain", "value", "unit"]].stack().between(0, 1).all()
