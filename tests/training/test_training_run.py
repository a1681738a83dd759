"""Training with the packaged models: a few steps, checkpoints, and folders that load as any other model."""

import json
import os
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from full_disk import full_disk
from neural_material import MINILM, SPLADE
from training_material import corpus, interrupt

from pyterrier_quantity.cli import main
from pyterrier_quantity.neural import ColBERT, ModelKindError, Splade, dense
from pyterrier_quantity.neural.models import SETTINGS_FILE
from pyterrier_quantity.training import TrainingSettings, train
from pyterrier_quantity.training.validation import GATES, Validation

QUICK = {"steps": 2, "at_once": 4, "device": "cpu"}
pytestmark = pytest.mark.usefixtures("small_batches")


@pytest.fixture(scope="module")
def splade(data, small_batches, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "splade"
    return train(data, folder, TrainingSettings("splade", quantities="plain", **QUICK), verbose=False)


def test_a_trained_splade_loads_in_its_form(splade, data):
    model = Splade(str(splade))
    assert model.form == "plain"
    assert model.encode(["an engine of 530 hp"]).sparse.nnz > 0
    report = json.loads((splade / SETTINGS_FILE).read_text())
    assert report["steps"] == 2
    assert len(report["validation nDCG@10"]) == 2
    assert all(0 < value <= 1 for value in report["validation nDCG@10"])
    assert report["data"] == data.settings
    assert not splade.with_name("splade.checkpoints").exists()
    assert model.loaded.max_seq_length == Splade(SPLADE).loaded.max_seq_length


@pytest.mark.parametrize(("kind", "loaded"), [("splade", Splade), ("colbert", ColBERT), ("dense", dense)])
def test_the_papers_preset_takes_a_step_on_a_small_model(data, tmp_path, kind, loaded):
    """With bfloat16 asked for, which a processor without it takes as float32."""
    settings = TrainingSettings(kind, "paper", "packaged", bfloat16=True, **(QUICK | {"steps": 1}))
    model = loaded(str(train(data, tmp_path / kind, settings, verbose=False)))
    if kind == "dense":
        assert model.encode_queries(["rent of 500 euros"]).shape == (1, 384)
    assert json.loads((tmp_path / kind / SETTINGS_FILE).read_text())["steps"] == 1


def test_an_interrupted_run_goes_on(data, splade, tmp_path, monkeypatch):
    """The weights are then those of a run in one go."""
    settings = TrainingSettings("splade", quantities="plain", **QUICK)
    with monkeypatch.context() as patched:
        patched.setattr("pyterrier_quantity.training.training_run._save", interrupt)
        with pytest.raises(KeyboardInterrupt):
            train(data, tmp_path / "model", settings, verbose=False)
    assert not (tmp_path / "model").exists()
    with pytest.raises(ValueError, match="checkpoints of other settings"):
        train(data, tmp_path / "model", TrainingSettings("splade", **QUICK), verbose=False)
    half = tmp_path / "model.checkpoints/checkpoint-9"  # as one that was being written
    half.mkdir()
    (half / "config.json").write_text("{")
    folder = train(data, tmp_path / "model", settings, verbose=False)
    texts = ["the top speed was 20 knots"]
    one, other = (Splade(str(path)).encode(texts).sparse.data for path in (folder, splade))
    assert np.allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("limit", [0, 1 << 20])
def test_a_full_disk_leaves_the_old_model_and_the_run_goes_on(data, splade, limit, tmp_path):
    """The disk is full for the settings of the run, and for its first checkpoint."""
    old, settings = shutil.copytree(splade, tmp_path / "model"), TrainingSettings("splade", **QUICK)
    before = {file: file.read_bytes() for file in old.rglob("*") if file.is_file()}
    with full_disk(limit), pytest.raises(OSError, match=r"model.checkpoints") as caught:
        train(data, old, settings, overwrite=True, verbose=False)
    assert re.search("no space|File too large", str(caught.value))
    assert {file: file.read_bytes() for file in old.rglob("*") if file.is_file()} == before
    train(data, old, settings, overwrite=True, verbose=False)
    assert json.loads((old / SETTINGS_FILE).read_text())["run"]["quantities"] is None
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model"]


def test_a_start_with_weights_that_are_no_numbers_is_refused(data, tmp_path):
    """Its model would train and index without a word, and no search could use it."""
    start = Splade(SPLADE, device="cpu").loaded
    next(iter(start.parameters())).data[5] = float("nan")
    start.save_pretrained(str(tmp_path / "start"))
    settings = TrainingSettings("splade", quantities="plain", start=str(tmp_path / "start"), **QUICK)
    with pytest.raises(ValueError, match=r"start: the weights .* are NaN or infinite"):
        train(data, tmp_path / "model", settings, verbose=False)
    with pytest.raises(ValueError, match="NaN or infinite"):
        Splade(str(tmp_path / "start")).encode(["5 kg"])
    os.truncate(tmp_path / "start" / "model.safetensors", 5_000)
    with pytest.raises(ValueError, match=r"start: its weights are damaged .*; copy the model again"):
        train(data, tmp_path / "model", settings, verbose=False)


@pytest.mark.parametrize(("kind", "encoder"), [("splade", Splade), ("colbert", ColBERT)])
def test_the_gate_of_terms_is_fitted(kind, encoder, data, tmp_path):
    """Only values distinguish the validation sentences, so the gate is above 0. The model uses the folder's gate."""
    folder = train(data, tmp_path / "terms", TrainingSettings(kind, **(QUICK | {"steps": 1})), verbose=False)
    model, report = encoder(str(folder)), json.loads((folder / SETTINGS_FILE).read_text())
    assert model.form == "terms"
    assert report["gate"] in GATES
    assert report["gate"] > 0
    (asked,) = model.numeric.queries(["ticket price above 5 dollars"])
    assert asked.max(axis=1).sum() == pytest.approx(report["gate"])
    pool = Validation(model, data, terms=True)
    rows = pd.DataFrame({"docno": pool.texts, "text": pool.texts})
    pairs = pd.concat([rows.assign(qid=query, query=query) for query in pool.queries])
    words, all_ = (encoder(str(folder), quantities=form).scorer()(pairs)["score"] for form in ("plain", "terms"))
    shape = len(pool.queries), len(pool.texts)
    assert report["validation nDCG@10 with terms"] == pytest.approx(pool.measured(all_.to_numpy().reshape(shape)))
    assert report["validation nDCG@10 with terms"] > pool.measured(words.to_numpy().reshape(shape))


@pytest.mark.parametrize("kind", ["colbert", "splade", "dense"])
def test_a_model_of_another_kind(data, splade, tmp_path, kind):
    """A trained SPLADE model is a start for nothing else, a sentence encoder none for SPLADE."""
    start = MINILM if kind == "splade" else str(splade)
    with pytest.raises(ModelKindError):
        train(data, tmp_path / "model", TrainingSettings(kind, start=start, **QUICK), verbose=False)
    assert not (tmp_path / "model").exists()


def test_from_corpus_to_model_by_commands(tmp_path, capsys):
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(document) + "\n" for document in corpus()))
    (tmp_path / "unseen.txt").write_text("monthly rent\n")
    data, model = str(tmp_path / "data"), str(tmp_path / "model")
    options = "--validation 4 --pairs 3 --methods original unit concept --quiet".split()
    made = ["train-data", str(tmp_path / "corpus.jsonl"), data, "--exclude", str(tmp_path / "unseen.txt"), *options]
    assert main(made) == 0
    assert "triples" in capsys.readouterr().out
    assert "rent" not in (tmp_path / "data" / "queries.tsv").read_text()
    trained = ["train", data, model, "--kind", "splade", "--steps", "1", "--at-once", "4", "--device", "cpu", "--quiet"]
    assert main(trained) == 0
    told = capsys.readouterr().out
    assert "1 steps\n  nDCG@10 on the validation queries after 1 steps: 0." in told
    assert re.search(
        r": 0\.\d+, the model that is kept\n  of that model with the gate [\d.]+, fitted last: 0\.\d+\n", told
    )
    assert main([*trained[:2], str(tmp_path / "other"), *trained[3:], "--device", "cudaa"]) == 2
    assert "device 'cudaa' is not available (" in capsys.readouterr().err
    assert main(trained) == 2
    assert "pass overwrite" in capsys.readouterr().err
    capsys.readouterr()
    assert main([*trained[:1], str(tmp_path / "nowhere"), *trained[2:], "--overwrite"]) == 2
    assert "contains no finished training data" in capsys.readouterr().err
