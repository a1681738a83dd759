"""Test collections as PyTerrier datasets: the bundled one, any in local files, and other people's.

    dataset = pt.get_dataset("quantity:demo")          # or ptq.datasets.get_dataset("demo")
    dataset = LocalCollection("corpus.jsonl.gz", "topics.tsv", "judgements.qrels")
    dataset = FinQuant("data/finance")                 # or pt.get_dataset("quantity:finquant", folder="data/finance")
    dataset = pt.get_dataset("quantity:tatqa", folder="data/tatqa")

Files are read when they are asked for, not on import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pyterrier as pt

from pyterrier_quantity.datasets.authors import FinQuant, MedQuant, QuantCollection
from pyterrier_quantity.datasets.benchmark_forms import (
    AnnotatedTexts,
    CountQuestions,
    CrossUnitTexts,
    TatQA,
    WikiTableQuestions,
)
from pyterrier_quantity.datasets.benchmark_sources import ABOUT, NUMCONQ
from pyterrier_quantity.datasets.benchmarks import About, Benchmark, ConvertedCollection
from pyterrier_quantity.datasets.files import CollectionError
from pyterrier_quantity.datasets.local import DemoCollection, LocalCollection, ParallelCollection, ProductCollection
from pyterrier_quantity.datasets.product_text import prepared

__all__ = [
    "About",
    "AnnotatedTexts",
    "Benchmark",
    "CollectionError",
    "ConvertedCollection",
    "CountQuestions",
    "CrossUnitTexts",
    "DemoCollection",
    "FinQuant",
    "LocalCollection",
    "MedQuant",
    "ParallelCollection",
    "ProductCollection",
    "QuantCollection",
    "QuantityDatasets",
    "TatQA",
    "WikiTableQuestions",
    "get_dataset",
    "prepared",
]

_KINDS: dict[str, type[Benchmark]] = {
    "birco-trials": ConvertedCollection,
    "tatqa": TatQA,
    "wikitablequestions": WikiTableQuestions,
    **dict.fromkeys(CrossUnitTexts.FILES, CrossUnitTexts),
    **dict.fromkeys(CountQuestions.FILES, CountQuestions),
    **dict.fromkeys(AnnotatedTexts.FILES, AnnotatedTexts),
}
_DATASETS: dict[str, Callable[..., pt.datasets.Dataset]] = {
    "demo": DemoCollection,
    "finquant": FinQuant,
    "medquant": MedQuant,
    "languages": ParallelCollection,
    "products": ProductCollection,
    **{name: partial(kind, name, ABOUT[name]) for name, kind in _KINDS.items()},
    **{name: partial(ConvertedCollection, name, ABOUT["numconq"]) for name in NUMCONQ},
}


class QuantityDatasets(pt.datasets.DatasetProvider):
    """Gives PyTerrier the datasets of this package: `pt.get_dataset("quantity:demo")`."""

    def get_dataset(self, name: str, **options: Any) -> pt.datasets.Dataset:
        """The dataset of that name, made with these options; raises `KeyError` if there is none."""
        if name.startswith("numconq-"):
            return ConvertedCollection(name, ABOUT["numconq"], **options)
        if name not in _DATASETS:
            raise KeyError(f"no dataset {name!r}; one of {', '.join(_DATASETS)}")
        return _DATASETS[name](**options)

    def list_dataset_names(self) -> Iterable[str]:
        """The names that `get_dataset` knows."""
        return list(_DATASETS)


def get_dataset(name: str = "demo", **options: Any) -> pt.datasets.Dataset:
    """A dataset of this package by name, with or without the prefix "quantity:".

    Args:
        name: see `QuantityDatasets().list_dataset_names()`; of NumConQ any "numconq-DOMAIN".
        options: `folder`, where the files of a collection are that this package does not carry; see its class.

    Raises:
        KeyError: if there is none of that name; the message lists them.
    """
    return QuantityDatasets().get_dataset(name.removeprefix("quantity:"), **options)
