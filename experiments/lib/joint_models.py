"""Joint models that experiments train: made once, and kept under a collection's work folder by their settings."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from lib.arguments import arguments, collections
from lib.collection import Collection
from lib.digests import digest
from lib.neural_search import model_arguments
from pyterrier_quantity.cli.workspace import reader
from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.training import (
    DataSettings,
    Expander,
    TrainingData,
    TrainingSettings,
    WordNetExpander,
    make_training_data,
    train,
)
from pyterrier_quantity.training.expansion import identity


def joint_arguments(
    description: str | None, options: Callable[[argparse.ArgumentParser], None]
) -> tuple[argparse.Namespace, list[Collection]]:
    """The arguments of a script that trains models on data of collections, and these collections.

    Args:
        description: the script's docstring.
        options: adds the script's own to the parser.
    """
    parser = arguments(description)
    model_arguments(parser)
    parser.add_argument("--pairs", type=int, default=2000, help="of concept and unit, a collection (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of data and training (%(default)s)")
    options(parser)
    args = parser.parse_args()
    return args, collections(args)


def recipe_arguments(parser: argparse.ArgumentParser) -> None:
    """How models are trained, where scripts train them by the paper's recipe."""
    parser.add_argument("--bfloat16", action="store_true", help="train in bfloat16")
    parser.add_argument("--wordnet", action="store_true", help="expand concepts by WordNet")


def data_settings(args: argparse.Namespace) -> DataSettings:
    """The paper's recipe, of as many pairs as the arguments say."""
    return DataSettings(pairs=args.pairs, seed=args.seed)


def expander_of(args: argparse.Namespace) -> Expander | None:
    """Whom the arguments ask for other names of concepts; None: head nouns."""
    return WordNetExpander() if args.wordnet else None


def home(collection: Collection) -> Path:
    """Where the training data and models of a collection are."""
    return collection.work / "training" / collection.name.replace(":", "-")


def concept_index(collection: Collection) -> ConceptUnitIndex:
    """The concepts and units of the collection's corpus, as this version reads them; kept by that."""
    path = collection.indexes.home / f"concepts-{reader()}"
    if not path.exists():
        ConceptUnitIndex.build(collection.documents(), verbose=collection.verbose).save(path)
    return ConceptUnitIndex.load(path)


def training_data(collection: Collection, settings: DataSettings, expander: Expander | None = None) -> TrainingData:
    """Training data of the collection's corpus; made where they are not there yet."""
    return make_training_data(concept_index(collection), _folder(collection, settings, expander), settings,
                              expander=expander, verbose=collection.verbose)  # fmt: skip


def _folder(collection: Collection, settings: DataSettings, expander: Expander | None) -> Path:
    about = [asdict(settings), collection.indexes.home.name, reader(), *([identity(expander)] if expander else [])]
    return home(collection) / f"data-{digest(about)}"


def joint_model(
    collection: Collection, data: DataSettings, run: TrainingSettings, expander: Expander | None = None
) -> Path:
    """The folder of a model that is trained on data of the collection's corpus; trained where it is not there yet.

    Args:
        collection: whose corpus.
        data: how training data are made.
        run: how the model is trained.
        expander: gives other names of concepts; None: head nouns.
    """
    about = [asdict(run), _folder(collection, data, expander).name]
    model = home(collection) / f"model-{digest(about)}"
    if not model.exists():
        train(training_data(collection, data, expander), model, run, verbose=collection.verbose)
    return model
