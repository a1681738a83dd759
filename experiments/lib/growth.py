"""How times grow with the index: a collection's documents drawn anew until they state so many quantities."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt

import pyterrier_quantity as ptq
from lib.collection import Collection
from lib.resample import drawn_documents, resampled
from lib.timing import Asked, Given, Timing, measured, median_seconds
from lib.word_systems import WHOLE
from pyterrier_quantity import QuantityIndex
from pyterrier_quantity.backends import pisa_bm25
from pyterrier_quantity.index.queries import index_queries

Form = Callable[[pt.Transformer, QuantityIndex], pt.Transformer]
ALONE = "quantities alone"


def _filtered(base: pt.Transformer, quantities: QuantityIndex) -> pt.Transformer:
    return ptq.QuantityQueryParser() >> base >> quantities.filter()


def _union(base: pt.Transformer, quantities: QuantityIndex) -> pt.Transformer:
    return ptq.quantity_aware(base, quantities, candidates="union")


FORMS: dict[str, Form] = {
    "BM25_filter (ours)": _filtered, "QBM25 (ours)": ptq.quantity_aware, "QBM25 (ours, union)": _union,
}  # fmt: skip
"""The quantity-aware forms of BM25, over any index."""
GROWING = [WHOLE, *FORMS, ALONE]


def growth(collection: Collection, sizes: Sequence[int], chosen: Sequence[str], timing: Timing) -> pd.DataFrame:
    """`measured` over indexes of each size, a row per size and system of `GROWING`, with what the indexes are like."""
    texts = {document["docno"]: document["text"] for document in collection.documents()}
    tables = {}
    for size in pt.tqdm(sizes, desc=f"{collection.name}, growing", unit="size", disable=not collection.verbose):
        with tempfile.TemporaryDirectory(prefix="growth.", dir=collection.work) as folder:
            quantities, bm25, facts = _grown(collection.quantities, texts, size, Path(folder))
            facts |= candidate_times(quantities, collection.queries, timing)
            asked = [one for one in _asked(bm25, quantities, collection.queries) if one.system in chosen]
            table = measured(asked, collection.queries, timing)
            tables[facts.pop("quantities")] = table.assign(**facts)
    return pd.concat(tables, names=["quantities", "system"])


def _asked(bm25: pt.Transformer, quantities: QuantityIndex, queries: pd.DataFrame) -> list[Asked]:
    given = Given(bm25(ptq.QuantityQueryParser()(queries)))
    forms = [Asked(name, WHOLE, form(bm25, quantities), form(given, quantities)) for name, form in FORMS.items()]
    return [Asked(WHOLE, None, bm25), *forms, Asked(ALONE, None, ptq.QuantityQueryParser() >> quantities.retriever())]


def _grown(
    source: QuantityIndex, texts: Mapping[str, str], size: int, folder: Path
) -> tuple[QuantityIndex, pt.Transformer, dict[str, float]]:
    """Both indexes of documents that state about `size` quantities, and their facts."""
    drawn = drawn_documents(source, size)
    start = time.perf_counter()
    quantities = resampled(source, drawn, folder / "quantities")
    facts = {"quantities": quantities.meta["quantities"], "documents": len(quantities),
             "building, s": time.perf_counter() - start}  # fmt: skip
    facts["MB"] = sum(file.stat().st_size for file in quantities.folder.iterdir()) / 1e6
    facts["opening, ms"] = 1000 * median_seconds(lambda: QuantityIndex(quantities.folder).opened.columns, 3)
    rows, place = np.unique(drawn, return_inverse=True)
    words = [texts[docno] for docno in source.docnos.docnos(rows)]
    documents = ({"docno": str(number), "text": words[at]} for number, at in enumerate(place))
    return quantities, pisa_bm25(folder / "pisa", documents, k1=0.5, b=0.5), facts


def candidate_times(quantities: QuantityIndex, queries: pd.DataFrame, timing: Timing) -> dict[str, float]:
    """How long the index needs to name the documents that meet one constraint, over the queries' constraints."""
    needs, _ = index_queries(ptq.QuantityQueryParser()(queries))
    retriever = quantities.retriever()
    fastest = [np.nan]
    for need in needs:
        for constraint in need.constraints:
            match = quantities.opened.vocabulary.match(constraint.unit, need.terms, retriever.scoring.units)
            times = []
            for _ in range(timing.rounds + 1):
                start = timing.now()
                quantities.opened.values.documents([constraint], [match], retriever.candidates)
                times.append(1000 * (timing.now() - start))
            fastest.append(min(times[1:]))
    return {"candidates, ms": float(np.nanmedian(fastest)), "candidates, slowest, ms": float(np.nanmax(fastest))}
