"""Compare joint models and their bases: the paper's recipe and ours, in domain and out of domain, on the same
documents.

    python experiments/joint.py FOLDER --names reuters clinical --pool 50 [--kinds splade colbert] [--steps N] [--base]

Training data are made from each collection's corpus by the paper's recipe (original sentences, unit permutation,
expanded concepts), and models of each kind are trained on them. A table contains the base (SPLADE), the model trained
by the paper's recipe (SPLADE_ft), the base with quantities as terms, whose gate is fitted on queries generated from a
corpus (SPLADE_terms), and the model trained with terms, used with and without them. Except for the base, there is a
model for each corpus: the one for the collection's own corpus is "in domain", and the others are "out of domain". Every
model scores every document of the pool. The columns are means over the groups of Figure 1: the topics' types, where
lexical topics are divided into "seen" (the training data from the collection's own corpus contain the concept) and
"unseen". "disjoint" rows rerank a model's thousand best results with a quantity index, as `quantity_aware` does.

Data, models and scores are stored in the folder --work under a digest of their settings.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from lib.base_model import base_model
from lib.collection import Collection
from lib.digests import digest, files
from lib.joint_models import (
    data_settings,
    expander_of,
    home,
    joint_arguments,
    joint_model,
    recipe_arguments,
    training_data,
)
from lib.neural_search import NeuralSearch
from lib.parts import Part, publish
from lib.pool import Pool
from lib.seen import concept_groups
from lib.significance import differences, holm, permutation

import pyterrier_quantity as ptq
from pyterrier_quantity.cli import run as run_program
from pyterrier_quantity.neural.models import SETTINGS_FILE
from pyterrier_quantity.neural.numeric_terms import FORMS, TERMS
from pyterrier_quantity.training import TrainingSettings

MEASURE: Final = "nDCG@10"
CALLED: Final = {"splade": "SPLADE", "colbert": "ColBERT"}
NOTE: Final = (
    "p: another than the base, p disjoint: than the base with a quantity index; paired permutation test, "
    "Holm's correction. disjoint: with a quantity index. "
    "Settings were chosen on development topics: their figures are upper bounds."
)


@dataclass(frozen=True)
class Model:
    """A row of the table.

    Args:
        name: the name in the table.
        folder: the folder of the model, which reads quantities as text.
        origin: the collection on which the model was trained or its gate was fitted, or None.
        gate: the weight of meeting a condition, if quantities are also terms.
    """

    name: str
    folder: str
    origin: str | None = None
    gate: float = 0.0


class JointPool(Pool):
    """A pool of documents, with stored scores by the models."""

    def run_of(self, kind: str, model: Model) -> pd.DataFrame:
        """Return results (R) with every document for every topic, scored by a model and, if it has one, its gate."""
        met = model.gate * self.met(kind) if model.gate else 0.0
        return self.run(self._words(kind, model.folder) + met)

    def _words(self, kind: str, folder: str) -> npt.NDArray[np.float32]:
        """Return a model's scores without the gate, topic by topic."""
        about = [kind, folder, files(Path(folder)), self.args.dtype, self.args.pool, self.collection.fingerprint]
        kept = home(self.collection) / f"scores-{digest(about)}.npy"
        if not kept.exists():
            encoder = ptq.neural.Splade if kind == "splade" else ptq.neural.ColBERT
            scorer = encoder(folder, dtype=self.args.dtype, device=self.args.device, quantities="plain").scorer()
            found = scorer.transform(self.collection.queries[["qid", "query"]].merge(self.documents, how="cross"))
            kept.parent.mkdir(parents=True, exist_ok=True)
            np.save(kept, found["score"].to_numpy(dtype=np.float32))
        return np.load(kept)


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this script."""
    parser.add_argument("--kinds", nargs="+", choices=tuple(CALLED), default=["splade"], help="(%(default)s)")
    parser.add_argument("--steps", type=int, help="of training (the preset's); 0: none, only terms")
    parser.add_argument(
        "--forms",
        nargs="+",
        choices=FORMS,
        default=[*FORMS],
        help="how quantities are taken in training (%(default)s)",
    )
    parser.add_argument("--preset", choices=("small", "paper"), default="small", help="of training (%(default)s)")
    parser.add_argument("--base", action="store_true", help="start ColBERT from the base-size encoder, see table2.py")
    parser.add_argument("--at-once", type=int, metavar="N", help="triples a forward pass, by memory (the preset's)")
    recipe_arguments(parser)


def models(kind: str, sources: Sequence[Collection], args: argparse.Namespace) -> Iterator[Model]:
    """Yield the models of a kind. Models that do not exist are trained."""
    names, name = NeuralSearch(sources[0], args).models, CALLED[kind]
    base = names[kind]
    yield Model(name, base)
    data = data_settings(args)
    shared: dict[str, Any] = {name: getattr(args, name) for name in ("preset", "device", "seed", "at_once")}
    shared |= {"kind": kind, "start": base}
    for source in sources:
        expander = expander_of(args, source)
        fitted = joint_model(source, data, TrainingSettings(steps=0, quantities=TERMS, **shared), expander)
        yield Model(f"{name}_terms", base, source.name, _gate(fitted))
        for form in args.forms if args.steps != 0 else ():
            run = TrainingSettings(steps=args.steps, bfloat16=args.bfloat16, quantities=form, **shared)
            trained = joint_model(source, data, run, expander)
            titles = {"ft": 0.0}
            if form == TERMS:
                titles = {"terms, trained": _gate(trained), "terms, trained, its terms left out": 0.0}
            for title, gate in titles.items():
                yield Model(f"{name}_{title}", str(trained), source.name, gate)


def _gate(model: Path) -> float:
    """Return the weight of meeting a condition, as fitted on generated queries."""
    return float(json.loads((model / SETTINGS_FILE).read_text(encoding="utf-8"))["gate"])


def table(kind: str, found: Sequence[Model], pool: JointPool) -> pd.DataFrame:
    """Return a row for each model and use: its mean over each group of topics, and the difference from its base.

    Args:
        kind: the kind of model.
        found: the models.
        pool: the collection. The training data from its own corpus determine which concepts are seen.
    """
    collection, args = pool.collection, pool.args
    groups = None
    if "type" in collection.topics:
        groups = concept_groups(
            collection.topics, training_data(collection, data_settings(args), expander_of(args, collection))
        )
    perquery = {}
    for model in found:
        run, where = pool.run_of(kind, model), _where(model, pool.collection)
        perquery[model.name, where, "joint"] = pool.collection.measure(run, MEASURE)
        if not model.gate:
            perquery[model.name, where, "disjoint"] = pool.collection.measure(pool.aware(run), MEASURE)
    base, disjoint = (perquery[CALLED[kind], "", way] for way in ("joint", "disjoint"))
    rows = {key: _row(values, base, disjoint, groups) for key, values in perquery.items()}
    for key, values in perquery.items():
        if key[2] == "disjoint":
            rows[key]["p disjoint"] = float(permutation(differences(values, disjoint)))
    gates = {(model.name, _where(model, pool.collection), "joint"): model.gate for model in found if model.gate}
    result = pd.DataFrame(rows).T.rename_axis(["model", "trained", "ranker"]).assign(gate=pd.Series(gates))
    for column, own in (("p", "joint"), ("p disjoint", "disjoint")):
        others = (result.index != (CALLED[kind], "", own)) & result[column].notna()
        result.loc[others, column] = holm(result.loc[others, column].to_numpy(dtype=float))
    return result


def _where(model: Model, collection: Collection) -> str:
    return "" if model.origin is None else "in domain" if model.origin == collection.name else f"on {model.origin}"


def _row(values: pd.Series, base: pd.Series, disjoint: pd.Series, groups: pd.Series | None) -> dict[str, float]:
    row = {MEASURE: values.mean()}
    if groups is not None:
        row |= values.groupby(groups).mean().to_dict()
    row |= {"times base": values.mean() / base.mean(), "of the disjoint base": values.mean() / disjoint.mean()}
    return row | {"p": float(permutation(differences(values, base)))}


def shown(found: pd.DataFrame) -> pd.DataFrame:
    """Return the table for display."""
    text = found.map(lambda value: f"{value:.3f}")
    for column in ("p", "p disjoint", "gate"):
        text[column] = found[column].map(lambda value: "" if pd.isna(value) else f"{value:.2g}")
    text.index = [", ".join(filter(None, key)) for key in found.index]
    return text.rename_axis("model")


def main() -> None:
    args, given = joint_arguments(__doc__, options)
    if args.base:
        args.colbert = str(base_model(args.work.absolute()))
    for kind in args.kinds:
        found = list(models(kind, given, args))
        for collection in given:
            pool = JointPool(collection, args)
            result = table(kind, found, pool)
            size = f"{MEASURE} over {len(pool.documents):,} sentences, {len(collection.topics)} topics"
            publish(
                Part(
                    f"joint-{collection.name}-{kind}",
                    f"Joint models: {collection.name}, {CALLED[kind]}",
                    result.reset_index(),
                    shown(result),
                    f"{size}; {NOTE}",
                ),
                args.out,
            )


if __name__ == "__main__":
    sys.exit(run_program("joint.py", main))
