"""`pyterrier-quantity train`: a joint model from training data."""

from __future__ import annotations

import argparse
import json
from dataclasses import fields
from typing import Final

from pyterrier_quantity._extras import need
from pyterrier_quantity.neural.models import SETTINGS_FILE
from pyterrier_quantity.neural.numeric_terms import FORMS
from pyterrier_quantity.training import TrainingSettings, train
from pyterrier_quantity.training.presets import KINDS, PRESETS

VALUES: Final = {
    "kinds": "|".join(KINDS),
    "presets": "|".join(sorted({name for _, name in PRESETS})),
    "forms": "|".join(FORMS),
}
"""What `commands.tsv` calls by these names."""


def run(args: argparse.Namespace) -> None:
    need("accelerate", "training")
    names = {field.name for field in fields(TrainingSettings)}
    settings = TrainingSettings(**{name: value for name, value in vars(args).items() if name in names})
    folder = train(args.data, args.model, settings, overwrite=args.overwrite, verbose=not args.quiet)
    report = json.loads((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
    shown = ", ".join(f"{value:.3f}" for value in report["validation nDCG@10"]) or "not measured"
    print(f"{folder}: {report['steps']} steps; nDCG@10 on the validation queries {shown}")
