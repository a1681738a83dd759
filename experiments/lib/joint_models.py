"""Train joint models for experiments, and store them in a collection's work folder by their settings."""

import argparse
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

from lib.arguments import arguments, collections
from lib.collection import Collection
from lib.digests import digest
from lib.neural_search import model_arguments
from pyterrier_quantity.cli.experiment import reader
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
    """Return the arguments of a script that trains models on data of collections, and these collections.

    Args:
        description: the script's docstring.
        options: a function that adds the script's own options to the parser.
    """
    parser = arguments(description)
    model_arguments(parser)
    parser.add_argument("--pairs", type=int, default=2000, help="of concept and unit, a collection (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of data and training (%(default)s)")
    options(parser)
    args = parser.parse_args()
    return args, collections(args)


def recipe_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for training by the paper's recipe."""
    parser.add_argument("--bfloat16", action="store_true", help="train in bfloat16")
    names = parser.add_mutually_exclusive_group()
    names.add_argument("--wordnet", action="store_true", help="expand concepts by WordNet")
    names.add_argument(
        "--brackets", action="store_true", help="expand concepts by abbreviations that the corpus states"
    )


def data_settings(args: argparse.Namespace) -> DataSettings:
    """Return the paper's recipe with the number of pairs in the arguments."""
    return DataSettings(pairs=args.pairs, seed=args.seed)


def expander_of(args: argparse.Namespace, collection: Collection) -> Expander | None:
    """Return the expander that the arguments select, or None for head nouns."""
    if args.brackets:
        return BracketExpander(document["text"] for document in collection.documents())
    return WordNetExpander() if args.wordnet else None


class BracketExpander:
    """An expander of abbreviations that texts state in brackets ("GFR"), in both directions.

    A single word before a bracket is skipped, because the bracket may contain a kind instead ("sugar (France)").
    """

    def __init__(self, texts: Iterable[str]) -> None:
        counts = Counter(pair for text in texts for pair in bracketed_names(text) if " " in pair[0])
        self.names = {
            one: other
            for (name, short), _ in reversed(counts.most_common())
            for one, other in ((name, short), (short, name))
        }

    def expand(self, concepts: list[str]) -> list[str | None]:
        """Return each concept with its longest possible phrase replaced by another name, or None."""
        return [self._renamed(concept.casefold().split()) for concept in concepts]

    def _renamed(self, words: list[str]) -> str | None:
        for length in range(len(words), 0, -1):
            for begin in range(len(words) - length + 1):
                other = self.names.get(" ".join(words[begin : begin + length]))
                if other:
                    return " ".join((*words[:begin], other, *words[begin + length :]))
        return None


def home(collection: Collection) -> Path:
    """Return the folder of a collection's training data and models."""
    return collection.work / "training" / collection.name.replace(":", "-")


def concept_index(collection: Collection) -> ConceptUnitIndex:
    """Return the index of concepts and units of a collection's corpus, stored under a digest of the extraction code."""
    path = collection.indexes.home / f"concepts-{reader()}"
    if not path.exists():
        ConceptUnitIndex.build(collection.documents(), verbose=collection.verbose).save(path)
    return ConceptUnitIndex.load(path)


def training_data(collection: Collection, settings: DataSettings, expander: Expander | None = None) -> TrainingData:
    """Return training data from a collection's corpus, which are made if they do not exist."""
    return make_training_data(concept_index(collection), _folder(collection, settings, expander), settings,
                              expander=expander, verbose=collection.verbose)  # fmt: skip


def _folder(collection: Collection, settings: DataSettings, expander: Expander | None) -> Path:
    about = [asdict(settings), collection.indexes.home.name, reader(), *([identity(expander)] if expander else [])]
    return home(collection) / f"data-{digest(about)}"


def tuning_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `tuned_models`."""
    parser.add_argument("--train", type=int, metavar="STEPS", help="train the rows _ft, in N steps")
    parser.add_argument("--pairs", type=int, default=2000, help="of concept and unit, to train on (%(default)s)")


def tuned_models(collection: Collection, args: argparse.Namespace, kinds: Iterable[str]) -> dict[str, str]:
    """Return the fine-tuned models, keyed by option, such as "colbert_ft". Models that do not exist are trained."""
    found = {}
    for kind in kinds:
        run = TrainingSettings(
            kind, start=getattr(args, kind), steps=args.train, quantities="plain", device=args.device
        )
        found[f"{kind}_ft"] = str(joint_model(collection, DataSettings(pairs=args.pairs), run))
    return found


def joint_model(
    collection: Collection, data: DataSettings, run: TrainingSettings, expander: Expander | None = None
) -> Path:
    """Return the folder of a model for a collection's corpus. If the model does not exist, it is trained first.

    Args:
        collection: the collection with the corpus.
        data: the settings of the training data.
        run: the settings of the training.
        expander: the source of other names of concepts, or None for head nouns.
    """
    about = [asdict(run), _folder(collection, data, expander).name]
    model = home(collection) / f"model-{digest(about)}"
    if not model.exists():
        train(training_data(collection, data, expander), model, run, verbose=collection.verbose)
    return model
