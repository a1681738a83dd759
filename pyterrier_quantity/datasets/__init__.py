"""Test collections as PyTerrier datasets: bundled collections, collections in local files, and published benchmarks.

    dataset = pt.get_dataset("quantity:demo")          # or ptq.datasets.get_dataset("demo")
    dataset = LocalCollection("corpus.jsonl.gz", "topics.tsv", "judgements.qrels")
    dataset = FinQuant("data/finance")                 # or pt.get_dataset("quantity:finquant", folder="data/finance")
    dataset = pt.get_dataset("quantity:tatqa", folder="data/tatqa")

The files of a dataset are read when they are first used.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import pyterrier as pt

from pyterrier_quantity.datasets.authors import FinQuant, MedQuant, QuantCollection
from pyterrier_quantity.datasets.benchmark_forms import FORMS
from pyterrier_quantity.datasets.benchmarks import ABOUT, Benchmark, ReadCollection
from pyterrier_quantity.datasets.files import CollectionError
from pyterrier_quantity.datasets.local import DemoCollection, LocalCollection, ParallelCollection, ProductCollection

__all__ = [
    "Benchmark", "CollectionError", "DemoCollection", "FinQuant", "LocalCollection", "MedQuant",
    "QuantCollection", "QuantityDatasets", "ReadCollection", "get_dataset",
]  # fmt: skip
_OURS: Final[dict[str, Callable[..., pt.datasets.Dataset]]] = {
    "demo": DemoCollection, "finquant": FinQuant, "medquant": MedQuant, "languages": ParallelCollection,
    "products": ProductCollection,
}  # fmt: skip
_KNOWN: Final = [name for name in dict.fromkeys((*_OURS, *ABOUT)) if name != "numconq"]
_NAMES: Final = (*_KNOWN, "numconq-diabetes", "numconq-league")
"""The names that `list_dataset_names` returns. Other domains of the benchmark NumConQ can also be read."""


class QuantityDatasets(pt.datasets.DatasetProvider):
    """PyTerrier's provider of this package's datasets: `pt.get_dataset("quantity:demo")`."""

    def get_dataset(self, name: str, **options: Any) -> pt.datasets.Dataset:
        """Return the dataset with the given name and options. Raise a KeyError if the name is unknown."""
        if name in _OURS:
            return _OURS[name](**options)
        about = ABOUT.get("numconq" if name.startswith("numconq-") else name)
        if about is None or name == "numconq":
            raise KeyError(f"no dataset {name!r}; one of {', '.join(_NAMES)}")
        found = ReadCollection(name, about, FORMS[about.form])
        found._configure(**options)
        return found

    def list_dataset_names(self) -> Iterable[str]:
        return list(_NAMES)


def get_dataset(name: str = "demo", **options: Any) -> pt.datasets.Dataset:
    """Return a dataset of this package by name, with or without the prefix "quantity:".

    Args:
        name: a name from `QuantityDatasets().list_dataset_names()`, or "numconq-DOMAIN" for a domain of NumConQ.
        options: arguments of the dataset's class, such as `folder` for a collection that is not bundled.

    Raises:
        KeyError: if the name is unknown; the message lists the names.
    """
    return QuantityDatasets().get_dataset(name.removeprefix("quantity:"), **options)
