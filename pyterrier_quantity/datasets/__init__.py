"""Test collections as PyTerrier datasets: the bundled ones, any in local files, and published benchmarks.

    dataset = pt.get_dataset("quantity:demo")          # or ptq.datasets.get_dataset("demo")
    dataset = LocalCollection("corpus.jsonl.gz", "topics.tsv", "judgements.qrels")
    dataset = FinQuant("data/finance")                 # or pt.get_dataset("quantity:finquant", folder="data/finance")
    dataset = pt.get_dataset("quantity:tatqa", folder="data/tatqa")

Files are read at their first use, not on import.
"""

from __future__ import annotations

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
    "demo": DemoCollection,
    "finquant": FinQuant,
    "medquant": MedQuant,
    "languages": ParallelCollection,
    "products": ProductCollection,
}
_NAMES: Final = (
    *_OURS,
    *(name for name in ABOUT if name not in (*_OURS, "numconq")),
    "numconq-diabetes",
    "numconq-league",
)
"""NumConQ's domains that are listed; any other domain is read in the same form."""


class QuantityDatasets(pt.datasets.DatasetProvider):
    """A provider of this package's datasets for PyTerrier: `pt.get_dataset("quantity:demo")`."""

    def get_dataset(self, name: str, **options: Any) -> pt.datasets.Dataset:
        """Return the dataset of that name, made with these options; raises `KeyError` if it does not exist."""
        if name in _OURS:
            return _OURS[name](**options)
        about = ABOUT.get("numconq" if name.startswith("numconq-") else name)
        if about is None or name == "numconq":
            raise KeyError(f"no dataset {name!r}; one of {', '.join(_NAMES)}")
        found = ReadCollection(name, about, FORMS[about.form])
        found._configure(**options)
        return found

    def list_dataset_names(self) -> Iterable[str]:
        """Return the names that `get_dataset` knows."""
        return list(_NAMES)


def get_dataset(name: str = "demo", **options: Any) -> pt.datasets.Dataset:
    """Return a dataset of this package by name, with or without the prefix "quantity:".

    Args:
        name: see `QuantityDatasets().list_dataset_names()`; for NumConQ any "numconq-DOMAIN".
        options: `folder`, the folder of a collection that this package does not contain; see its class.

    Raises:
        KeyError: if the name is unknown; the message lists the names.
    """
    return QuantityDatasets().get_dataset(name.removeprefix("quantity:"), **options)
