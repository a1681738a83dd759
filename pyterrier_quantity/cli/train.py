"""`pyterrier-quantity train`: a joint model from training data."""

from __future__ import annotations

import argparse
import json

from pyterrier_quantity.cli.arguments import OVERWRITE, QUIET, SEED, declare, describe
from pyterrier_quantity.neural.models import SETTINGS_FILE
from pyterrier_quantity.neural.numeric_terms import FORMS
from pyterrier_quantity.training import TrainingSettings, train
from pyterrier_quantity.training.presets import KINDS, PRESETS


def add_train(parser: argparse.ArgumentParser) -> None:
    describe(
        parser,
        "Trains a model on what train-data made. The checkpoint with the best nDCG@10 on the validation "
        "queries becomes the model. An interrupted run goes on from its last checkpoint.",
        "example: pyterrier-quantity train news.training news.splade --kind splade",
    )
    presets = "|".join(sorted({name for _, name in PRESETS}))
    parser.add_argument("--kind", choices=KINDS, required=True, help="what to train")
    parser.add_argument("--model", dest="start", metavar="START", help="the model to begin with (the preset's)")
    options = {
        "DATA": "the folder that train-data wrote, or a file of triples",
        "MODEL": "the folder to write the model to",
        f"--preset {presets}=small": "learning rate, batch and start model",
        "--steps N": "of the optimiser (the preset's: two epochs, at most 60 for small models but dense)",
        f"--quantities {'|'.join(FORMS)}": "how the model takes quantities: as written, or as terms too "
        "(the preset's: terms for small splade and colbert)",
        "--device DEVICE": "cpu, cuda, ... (a GPU where there is one)",
        "--bfloat16": "compute in bfloat16",
        "--at-once N": "triples a forward pass, by memory (the preset's)",
    }
    declare(parser, options, SEED, OVERWRITE, QUIET)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> None:
    settings = TrainingSettings(
        args.kind,
        args.preset,
        args.start,
        args.steps,
        args.quantities,
        args.device,
        args.bfloat16,
        args.at_once,
        args.seed,
    )
    folder = train(args.data, args.model, settings, overwrite=args.overwrite, verbose=not args.quiet)
    report = json.loads((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
    shown = ", ".join(f"{value:.3f}" for value in report["validation nDCG@10"]) or "not measured"
    print(f"{folder}: {report['steps']} steps; nDCG@10 on the validation queries {shown}")
