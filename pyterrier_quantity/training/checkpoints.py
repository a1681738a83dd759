"""Checkpoints of a training run, so that an interrupted one goes on."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pyterrier_quantity._extras import need
from pyterrier_quantity._folder import write_text

_RUN: Final = "run.json"
_STATE: Final = "trainer_state.json"


def checkpoints(out: Path, about: Mapping[str, Any]) -> Path:
    """The folder of a run's checkpoints, OUT.checkpoints, with a note of what the run is about.

    Args:
        out: the folder of the model.
        about: settings and data.

    Raises:
        ValueError: if checkpoints are there that another run made.
    """
    folder = out.with_name(f"{out.name}.checkpoints")
    note = json.dumps(about, indent=1) + "\n"
    if folder.exists():
        if not (folder / _RUN).is_file() or (folder / _RUN).read_bytes() != note.encode():
            raise ValueError(f"{folder} holds checkpoints of other settings or data; go on with those, or delete it")
    else:
        write_text(folder / _RUN, note)
    return folder


def check_free(out: Path, overwrite: bool) -> None:
    """Raise a FileExistsError if a model's folder is taken, unless it may be replaced."""
    if out.exists() and not overwrite:
        raise FileExistsError(f"{out} is there; pass overwrite to replace it, or choose another folder")


def last(folder: Path) -> str | None:
    """The last whole checkpoint; the trainer writes its state after all else, so one without was interrupted."""
    for checkpoint in folder.glob("checkpoint-*"):
        if not (checkpoint / _STATE).is_file():
            shutil.rmtree(checkpoint)
    return need("transformers.trainer_utils").get_last_checkpoint(str(folder))


def resumable(folder: Path, steps: int, evaluations: int, validated: bool) -> dict[str, Any]:
    """Arguments of a trainer that keeps checkpoints and, where there is something to validate by, the best of them.

    Args:
        folder: of the checkpoints.
        steps: of the optimiser.
        evaluations: how often a checkpoint is kept and validated.
        validated: whether it is.
    """
    every = max(1, steps // evaluations)
    return {
        "output_dir": str(folder),
        "max_steps": steps,
        "save_strategy": "steps",
        "save_steps": every,
        "save_total_limit": 2,
        "eval_strategy": "steps" if validated else "no",
        "eval_steps": every,
        "load_best_model_at_end": validated,
        "report_to": "none",
    }
