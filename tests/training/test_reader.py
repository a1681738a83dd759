"""A reader is trained from random weights: it learns its examples, goes on after an interruption, and is refused."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from full_disk import full_disk
from neural_material import SPLADE, tiny_sequence_model
from training_material import interrupt

import pyterrier_quantity
from pyterrier_quantity.answers import FusionInDecoder
from pyterrier_quantity.answers.fusion_in_decoder import sequence_to_sequence
from pyterrier_quantity.neural import ModelKindError
from pyterrier_quantity.training import READERS, train_reader
from pyterrier_quantity.training.reader_run import SETTINGS_FILE

TINY = replace(READERS["tiny"], steps=60, warmup=5, learning_rate=3e-3, evidences=2, device="cpu")
THINGS = {"how heavy is the car?": "It weighs 1250 kilograms.", "how tall is the lamp?": "It is 15 inches high."}


@pytest.fixture(scope="module")
def examples():
    texts = {"how heavy is the car?": ["weight: 1250 kilograms", "nice car"], "how tall is the lamp?": ["15 inches"]}
    rows = [
        {"qid": str(n), "query": query, "docno": f"{n}{m}", "text": text, "rank": m, "gold_answer": THINGS[query]}
        for n, (query, found) in enumerate(texts.items())
        for m, text in enumerate(found)
    ]
    return pd.DataFrame(rows)


def test_it_learns_its_examples(examples, tmp_path):
    folder = train_reader(examples, tmp_path / "reader", TINY, validation=examples)
    found = FusionInDecoder(str(folder), evidences=2, device="cpu")(examples)
    assert dict(zip(found["query"], found["qanswer"], strict=True)) == THINGS
    report = json.loads((folder / SETTINGS_FILE).read_text())
    assert report["validation loss"][-1] < report["validation loss"][0] / 2
    assert not folder.with_name("reader.checkpoints").exists()
    with pytest.raises(FileExistsError, match="reader exists"):
        train_reader(examples, tmp_path / "reader", TINY)


def test_an_interrupted_run_goes_on(examples, tmp_path, monkeypatch):
    short = replace(TINY, steps=4)
    whole = train_reader(examples, tmp_path / "whole", short)

    with monkeypatch.context() as patched:
        patched.setattr("pyterrier_quantity.training.reader_run.moved_into_place", interrupt)
        with pytest.raises(KeyboardInterrupt):
            train_reader(examples, tmp_path / "model", short)
    with pytest.raises(ValueError, match="checkpoints of other settings"):
        train_reader(examples, tmp_path / "model", TINY)
    (tmp_path / "model.checkpoints/checkpoint-4/trainer_state.json").unlink()  # as if it was being written
    folder = train_reader(examples, tmp_path / "model", short)
    one, other = (sequence_to_sequence(str(path), "cpu")[1].shared.weight.detach() for path in (folder, whole))
    assert np.allclose(one, other, atol=1e-6)


def test_a_full_disk_is_told_and_the_run_goes_on(examples, tmp_path):
    short = replace(TINY, steps=4)
    with full_disk(1 << 20), pytest.raises(OSError, match=r"model.checkpoints: no space .* start the run again"):
        train_reader(examples, tmp_path / "model", short)
    assert train_reader(examples, tmp_path / "model", short).is_dir()


def test_bad_starts_and_examples_are_refused_by_name(examples, tmp_path):
    with pytest.raises(ModelKindError, match="not a sequence-to-sequence model"):
        train_reader(examples, tmp_path / "a", replace(TINY, start=SPLADE))
    with pytest.raises(pt.validate.InputValidationError, match="gold_answer"):
        train_reader(examples.drop(columns="gold_answer"), tmp_path / "b", TINY)
    with pytest.raises(pt.validate.InputValidationError, match="source"):
        train_reader(examples, tmp_path / "c", replace(TINY, source_field="source"))


def test_weights_that_are_no_numbers_are_refused(examples, tmp_path):
    with pytest.raises(ValueError, match=r"model trained in .*: the weights .* are NaN or infinite.*smaller learning"):
        train_reader(examples, tmp_path / "reader", replace(TINY, steps=4, learning_rate=1e30))
    assert not (tmp_path / "reader").exists()
    start = tiny_sequence_model(tmp_path / "start", ["heavy", "tall"])
    _, model = sequence_to_sequence(start, "cpu")
    model.shared.weight.data[3] = float("nan")
    model.save_pretrained(start)
    with pytest.raises(ValueError, match=r"start: the weights 'shared.weight' are NaN or infinite"):
        train_reader(examples, tmp_path / "other", replace(TINY, start=str(start)))


def test_no_code_of_a_models_folder_runs(tmp_path, monkeypatch):
    """Without a word on it, transformers asks at the standard input, and runs it after a "y"."""
    ran = tmp_path / "RAN"
    (tmp_path / "evil.py").write_text(f"open({str(ran)!r}, 'w').close()\nclass EvilConfig: pass\n")
    told = {"model_type": "evil", "auto_map": {"AutoConfig": "evil.EvilConfig"}}
    (tmp_path / "config.json").write_text(json.dumps(told))
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n" * 9))
    with pytest.raises(FileNotFoundError, match="custom code"):
        sequence_to_sequence(str(tmp_path), "cpu")
    assert not ran.exists()
    sources = [path.read_text() for path in Path(pyterrier_quantity.__file__).parent.rglob("*.py")]
    loading = re.findall(r"Auto\w+\.from_pretrained\(.*", "\n".join(sources))
    assert len(loading) >= 5
    assert [line for line in loading if "trust_remote_code=False" not in line] == []


def test_the_papers_preset_takes_a_step_on_a_tiny_model(examples, tmp_path):
    paper = READERS["paper"]
    assert (paper.steps, paper.batch, paper.at_once, paper.learning_rate, paper.warmup) == (1000, 64, 8, 1e-5, 200)
    assert paper.max_length == 128
    start = tiny_sequence_model(tmp_path / "start", ["heavy", "tall"])
    given = examples.assign(source="review")
    folder = train_reader(given, tmp_path / "reader", replace(paper, start=start, steps=1, warmup=0, device="cpu"))
    assert FusionInDecoder(str(folder), source_field="source", device="cpu")(given)["qanswer"].notna().all()
