"""Test collections as PyTerrier datasets: the bundled one, FinQuant and MedQuant, and any in local files.

    dataset = pt.get_dataset("quantity:demo")          # or ptq.datasets.get_dataset("demo")
    dataset = LocalCollection("corpus.jsonl.gz", "topics.tsv", "judgements.qrels")
    dataset = FinQuant("data/finance")                 # or pt.get_dataset("quantity:finquant", folder="data/finance")

Files are read when they are asked for, not on import.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

from pyterrier_quantity.datasets.authors import FinQuant, MedQuant, QuantCollection
from pyterrier_quantity.datasets.files import (
    CollectionError,
    existing,
    read_documents,
    read_pairs,
    read_qrels,
    read_quantities,
    read_topics,
    structured_topics,
    survey,
)
from pyterrier_quantity.quantity import Quantity

__all__ = [
    "CollectionError",
    "DemoCollection",
    "FinQuant",
    "LocalCollection",
    "MedQuant",
    "QuantCollection",
    "QuantityDatasets",
    "get_dataset",
]

DATA = Path(__file__).parents[1] / "data"
TOPIC_VARIANTS = ("text", "structured")


class LocalCollection(pt.datasets.Dataset):
    """A test collection in local files.

    Args:
        corpus: JSON lines, `{"docno": ..., "text": ...}` each; plain or `.gz`.
        topics: TSV with a header (`qid`, `query`, and any of `keywords`, `condition`, `value`, `high`, `unit`,
            `type`, `needs`), or without one as `qid<TAB>query`. Queries are taken as typed.
        qrels: TREC qrels, `qid 0 docno label`.
        doubtful: `qid docno` pairs that no ranking should be judged on.
        qrels_convertible: qrels of what is relevant after unit conversion only.
        name: what to call the collection.

    Each part is optional; asking for a missing one raises `NotImplementedError`, as in PyTerrier's own datasets.

    Raises:
        FileNotFoundError: at once, if a file does not exist.
        CollectionError: on reading, naming file and line, if a file is not what it should be.
    """

    def __init__(
        self,
        corpus: str | Path | None = None,
        topics: str | Path | None = None,
        qrels: str | Path | None = None,
        doubtful: str | Path | None = None,
        qrels_convertible: str | Path | None = None,
        name: str = "local",
    ) -> None:
        self.name = name
        self._corpus = existing(corpus, "corpus")
        self._topics = existing(topics, "topics")
        self._doubtful = existing(doubtful, "doubtful")
        self._qrels = {"strict": existing(qrels, "qrels"),
                       "convertible": existing(qrels_convertible, "qrels_convertible")}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def get_corpus(self) -> list[str]:
        """The corpus as a list of one file name."""
        return [str(self._part(self._corpus, "corpus"))]

    def get_corpus_iter(self, *, verbose: bool = True) -> pt.model.IterDict:
        """Documents as dicts with `docno` and `text`; checked as they are read.

        Lines with the same docno become one document, with a warning.
        """
        path = self._part(self._corpus, "corpus")
        total, shared = survey(path)
        documents: Iterable[dict[str, Any]] = read_documents(path, shared)
        if verbose:
            documents = pt.tqdm(documents, desc=f"{self.name} documents", total=total)
        return pt.utils.GeneratorLen(iter(documents), total)

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Queries as typed.

        Args:
            variant: None or "text": `qid` and `query`, and `keywords` and `type` where the file has them;
                "structured": the conditions as well, in `condition`, `value`, `high`, `unit` where the query sets
                one, and as `Constraint` objects in `constraints` for any number of them.

        Raises:
            ValueError: if the variant is unknown.
        """
        if variant not in (None, *TOPIC_VARIANTS):
            raise ValueError(f"{self!r}: no topics variant {variant!r}; one of {', '.join(TOPIC_VARIANTS)}")
        topics = read_topics(self._part(self._topics, "topics"))
        if variant == "structured":
            return structured_topics(topics, self._part(self._topics, "topics"))
        return topics[[column for column in ("qid", "query", "keywords", "type") if column in topics]]

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """Judgements: `qid`, `docno`, `label`.

        Args:
            variant: None or "strict": the main qrels; "convertible": what is relevant after unit conversion only
                and not in the main qrels; "all": both.

        Raises:
            ValueError: if the variant is unknown.
        """
        if variant not in (None, "strict", "convertible", "all"):
            raise ValueError(f"{self!r}: no qrels variant {variant!r}; one of strict, convertible, all")
        if variant == "all":
            both = pd.concat([self.get_qrels(part) for part in ("strict", "convertible")])
            return both.drop_duplicates(["qid", "docno"]).reset_index(drop=True)
        path = self._qrels[variant or "strict"]
        return read_qrels(self._part(path, f"qrels variant {variant!r}" if variant else "qrels"))

    def get_doubtful(self) -> pd.DataFrame:
        """Pairs (`qid`, `docno`) to leave out of every ranking before it is judged; none without such a file."""
        if self._doubtful is None:
            return pd.DataFrame({"qid": pd.Series(dtype=str), "docno": pd.Series(dtype=str)})
        return read_pairs(self._doubtful)

    def get_topics_lang(self) -> str | None:
        """Unknown for local files."""
        return None

    def get_corpus_lang(self) -> str | None:
        """Unknown for local files."""
        return None

    def _part(self, path: Path | None, part: str) -> Path:
        if path is None:
            raise NotImplementedError(f"{self!r} has no {part}: give the file when making the collection")
        return path

    def _describe_component(self, component: str) -> bool | list[str] | None:
        if component == "topics":
            return list(TOPIC_VARIANTS) if self._topics else None
        if component == "qrels":
            return [name for name, path in self._qrels.items() if path] or None
        return True if component == "corpus" and self._corpus else None


class DemoCollection(LocalCollection):
    """The bundled collection: sentences on products, finance, sport, geography, medicine and food, written for this
    package from tables of facts (CC0). Relevance and each sentence's quantities follow from the facts; no extraction
    program took part. See `docs/datasets.md`.
    """

    def __init__(self) -> None:
        home = DATA / "demo"
        super().__init__(home / "corpus.jsonl", home / "topics.tsv", home / "demo.qrels",
                         qrels_convertible=home / "demo.qrels-convertible", name="quantity:demo")
        self._quantities = existing(home / "quantities.jsonl", "quantities")

    def __repr__(self) -> str:
        return "DemoCollection()"

    def get_quantities(self) -> dict[str, list[Quantity]]:
        """The true quantities of each document by docno, to measure an extractor against (not to index)."""
        return {docno: [Quantity(**fact) for fact in stated] for docno, stated in self._stated("quantity")}

    def get_facts(self) -> pd.DataFrame:
        """What each document states, a row per quantity: `docno`, `kind`, `attribute`, `subject`, `low`, `high`,
        `unit`, `bound`, `start`, `end`, `concept`, and `implied` (the unit is not written beside the number).
        """
        return pd.DataFrame([{"docno": docno, **fact} for docno, stated in self._stated("fact") for fact in stated])

    def _stated(self, what: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        return read_quantities(self._part(self._quantities, "quantities"), what)

    def get_topics_lang(self) -> str | None:
        """English."""
        return "en"

    def get_corpus_lang(self) -> str | None:
        """English."""
        return "en"


class QuantityDatasets(pt.datasets.DatasetProvider):
    """Gives PyTerrier the datasets of this package: `pt.get_dataset("quantity:demo")`."""

    def get_dataset(self, name: str, **options: Any) -> pt.datasets.Dataset:
        """The dataset of that name, made with these options; raises `KeyError` if there is none."""
        if name not in _DATASETS:
            raise KeyError(f"no dataset {name!r}; one of {', '.join(_DATASETS)}")
        return _DATASETS[name](**options)

    def list_dataset_names(self) -> Iterable[str]:
        """The names that `get_dataset` knows."""
        return list(_DATASETS)


_DATASETS: dict[str, type[pt.datasets.Dataset]] = {"demo": DemoCollection, "finquant": FinQuant, "medquant": MedQuant}


def get_dataset(name: str = "demo", **options: Any) -> pt.datasets.Dataset:
    """A dataset of this package by name, with or without the prefix "quantity:".

    Args:
        name: "demo", "finquant" or "medquant".
        options: the arguments of `FinQuant` and `MedQuant`.

    Raises:
        KeyError: if there is none of that name; the message lists them.
    """
    return QuantityDatasets().get_dataset(name.removeprefix("quantity:"), **options)
