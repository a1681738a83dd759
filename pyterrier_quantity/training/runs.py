"""Continue interrupted training runs from checkpoints, freeze layers, and average weights."""

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from zipfile import is_zipfile

from pyterrier_quantity._extras import need
from pyterrier_quantity.neural.models import check_finite
from pyterrier_quantity.storage.folders import write_text

_RUN: Final = "run.json"
_NO_SPACE: Final = re.compile(r"os error 2[78]\b|No space left|unexpected pos|PytorchStreamWriter")
"""Pattern of messages about a full disk from torch and safetensors, which raise errors other than OSError."""
_LAYER: Final = re.compile(r"\blayers?\.(\d+)\.")


@contextmanager
def checkpoints(out: Path, about: Mapping[str, Any]) -> Iterator[Path]:
    """Yield OUT.checkpoints, the folder for the checkpoints of a training run, and remove the folder after a run
    without errors. `about` describes the run's settings and data. If the folder has checkpoints of another run, raise a
    ValueError. If the disk is full, raise an OSError; the run can be resumed when there is space."""
    folder = out.with_name(f"{out.name}.checkpoints")
    note = json.dumps(about, indent=1) + "\n"
    if not any(folder.glob("[!.]*")):  # also if the disk was too full for this file
        write_text(folder / _RUN, note)
    elif not (folder / _RUN).is_file() or (folder / _RUN).read_bytes() != note.encode():
        raise ValueError(f"{folder} contains checkpoints of other settings or data; use those settings, or delete it")
    try:
        yield folder
    except Exception as error:
        if isinstance(error, OSError) or not _NO_SPACE.search(str(error)):
            raise
        full = f"{folder}: no space is left for a checkpoint or the model ({str(error).splitlines()[0]:.100})"
        raise OSError(f"{full}; free some space and start the run again, which continues it") from error
    shutil.rmtree(folder)


def train_resumed(trainer: Any) -> None:
    """Train a model, from the last complete checkpoint if there is one. Raise an error for NaN or infinite weights."""
    folder = Path(trainer.args.output_dir)
    for checkpoint in folder.glob("checkpoint-*"):
        if not is_whole(checkpoint, "trainer_state.json"):
            shutil.rmtree(checkpoint)
    last = need("transformers.trainer_utils").get_last_checkpoint(str(folder))
    trainer.train(resume_from_checkpoint=last)
    check_finite(trainer.model, f"the model trained in {folder}")


def is_whole(folder: Path, last: str) -> bool:
    """Return whether a saved model is complete: no file is truncated, and the file written last (`last`) exists."""
    if not (folder / last).is_file():
        return False
    for file in folder.rglob("*"):
        try:
            if file.suffix == ".safetensors":
                need("safetensors").safe_open(file, "numpy")
            elif file.suffix == ".json":
                json.loads(file.read_bytes())
            elif file.suffix in (".pt", ".pth") and not is_zipfile(file):
                return False
        except (ValueError, need("safetensors").SafetensorError):
            return False
    return True


def resumable(folder: Path, steps: int, evaluations: int, validated: bool) -> dict[str, Any]:
    """Return arguments for transformers' `TrainingArguments` that allow a run of `steps` steps with `evaluations`
    checkpoints to be resumed. If `validated` is true, the best checkpoint is loaded at the end."""
    every = max(1, steps // evaluations)
    kept = {"output_dir": str(folder), "save_strategy": "steps", "save_steps": every, "save_total_limit": 2}
    validates = {"eval_strategy": "steps" if validated else "no", "eval_steps": every}
    return kept | validates | {"load_best_model_at_end": validated, "max_steps": steps, "report_to": "none"}


def freeze(model: Any, layers: int) -> None:
    """Exclude the embeddings and the given number of lowest layers from training. For 0 layers, do nothing."""
    for name, parameter in model.named_parameters() if layers else ():
        layer = _LAYER.search(name)
        if int(layer[1]) < layers if layer else "embeddings" in name:
            parameter.requires_grad_(False)


def copied(model: Any) -> dict[str, Any]:
    """Return copies of all weight tensors in CPU memory, keyed by name."""
    return {name: value.detach().to("cpu", copy=True) for name, value in model.state_dict().items()}


def average(model: Any, states: Sequence[Mapping[str, Any]], shares: Sequence[float]) -> None:
    """Set a model's weights to the weighted mean of several states (dictionaries of tensors keyed by name). `shares`
    are the weights of the states. Integer tensors are copied from the first state."""
    mean = {}
    for name, first in states[0].items():
        parts = [share * state[name] for state, share in zip(states, shares, strict=True)]
        mean[name] = sum(parts) if first.is_floating_point() else first
    model.load_state_dict(mean)


def train_averaged(trainer: Any, best: int) -> None:
    """Train a model, then set its weights to the mean of the `best` checkpoints with the lowest validation loss.
    Source: *A numerical reasoning question answering system for FinQA*, section 2.4."""
    transformers, kept = need("transformers"), list[tuple[float, dict[str, Any]]]()

    class Best(transformers.TrainerCallback):  # type: ignore[name-defined]  # loaded when it is needed
        def on_evaluate(self, *_: Any, model: Any, metrics: dict[str, float], **__: Any) -> None:
            kept.append((metrics["eval_loss"], copied(model)))
            kept.sort(key=lambda pair: pair[0])
            del kept[best:]

    trainer.add_callback(Best())
    trainer.remove_callback(transformers.PrinterCallback)
    trainer.train()
    if kept:
        average(trainer.model, [state for _, state in kept], [1 / len(kept)] * len(kept))
    check_finite(trainer.model, "the trained model")
