"""Joint models that experiments train: made once, and kept under a collection's work folder by their settings."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

from lib.arguments import arguments, collections
from lib.collection import Collection
from lib.digests import digest
from lib.neural_search import model_arguments
from pyterrier_quantity.cli.workspace import reader
from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.english.bracketed import bracketed_names
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
    names = parser.add_mutually_exclusive_group()
    names.add_argument("--wordnet", action="store_true", help="expand concepts by WordNet")
    names.add_argument(
        "--brackets", action="store_true", help="expand concepts by abbreviations that the corpus states"
    )


def data_settings(args: argparse.Namespace) -> DataSettings:
    """The paper's recipe, of as many pairs as the arguments say."""
    return DataSettings(pairs=args.pairs, seed=args.seed)


def expander_of(args: argparse.Namespace, collection: Collection) -> Expander | None:
    """Whom the arguments ask for other names of concepts; None: head nouns."""
    if args.brackets:
        return BracketExpander(document["text"] for document in collection.documents())
    return WordNetExpander() if args.wordnet else None


class BracketExpander:
    """Spells out abbreviations that texts state in brackets ("GFR"), and abbreviates what they stand for.

    A single word before a bracket may be a kind as well as a name ("sugar (France)"), so it gives none.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        counts = Counter(pair for text in texts for pair in bracketed_names(text) if " " in pair[0])
        self.names = {
            one: other
            for (name, short), _ in reversed(counts.most_common())
            for one, other in ((name, short), (short, name))
        }

    def expand(self, concepts: list[str]) -> list[str | None]:
        """A concept with another name for the longest of its phrases that has one; None where none has."""
        return [self._renamed(concept.casefold().split()) for concept in concepts]

    def _renamed(self, words: list[str]) -> str | None:
        for length in range(len(words), 0, -1):
            for begin in range(len(words) - length + 1):
                other = self.names.get(" ".join(words[begin : begin + length]))
                if other:
                    return " ".join((*words[:begin], other, *words[begin + length :]))
        return None


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
