"""Systems based on BM25: plain, filtered, and quantity-aware."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pyterrier as pt

import pyterrier_quantity as ptq
from lib.collection import Collection
from lib.runs import QUANTITY_CODE, WORD_CODE, System
from lib.tuning import GRID, Setting, depth_of, parameters_of, tuned
from pyterrier_quantity.constants import UnitWeights
from pyterrier_quantity.pipelines import QBM25
from pyterrier_quantity.plan import QueryText, parse_query
from pyterrier_quantity.score import PAPER, Scoring

KEYWORDS, WHOLE = "BM25 (keywords)", "BM25 (whole query)"
DETAILS = ("QBM25 (paper, all terms)", "QBM25 (without concepts)", "QBM25 (without conversion)")
UNCONVERTED = Scoring(units=UnitWeights(convertible=0.0))
ALL_TERMS = replace(PAPER, terms="all")


@dataclass(frozen=True)
class Row:
    """The construction of a system from a BM25 ranker.

    Args:
        build: function that makes the system over a BM25 ranker.
        base: the name of the system that it is compared with.
        setting: the alpha of the system, if it has one.
        deep: whether the system ranks BM25's whole ranking, as in the paper, instead of the first 1000 results.
    """

    build: Callable[[pt.Transformer], pt.Transformer]
    base: str | None = None
    setting: Setting = field(default_factory=dict)
    deep: bool = False


def by_name(collection: Collection, parameters: str) -> dict[str, Callable[[], System]]:
    """Return functions that make the systems, keyed by name.

    Args:
        collection: the collection to search.
        parameters: see `tuning.parameters_of`.
    """
    rows = _rows(collection)
    return {name: partial(_system, name, rows, collection, parameters) for name in rows}


def _system(name: str, rows: dict[str, Row], collection: Collection, parameters: str) -> System:
    row = rows[name]
    setting = parameters_of(name, collection.name, parameters) | row.setting
    search = parameters == "tuned"
    make = partial(tuned, row.build, setting, collection, search=search, deep=row.deep)
    settings: dict[str, Any] = {"name": name, **setting, "grid": GRID if search else None, "deep": row.deep}
    if row.base is None:
        return System(name, make, settings, code=WORD_CODE)
    below = partial(collection.bm25_with, setting["k1"], setting["b"], depth_of(row.deep))
    base = rows[row.base].build
    return System(name, make, settings, (), QUANTITY_CODE, row.base, lambda: base(below()), row.build)


def _rows(collection: Collection) -> dict[str, Row]:
    quantities, parse = collection.quantities, collection.parse
    aware = partial(ptq.quantity_aware, quantities=quantities, candidates="retriever")
    union = partial(ptq.quantity_aware, quantities=quantities)
    keywords = search_keywords(collection)
    one, default = {"alpha": 1.0}, {"alpha": 8.0}
    return {
        KEYWORDS: Row(lambda bm25: keywords >> bm25),
        WHOLE: Row(lambda bm25: bm25),
        "BM25_filter (paper)": Row(
            lambda bm25: parse >> keywords >> bm25 >> quantities.filter(convert=False), KEYWORDS, deep=True
        ),
        "BM25_filter (whole query)": Row(lambda bm25: parse >> bm25 >> quantities.filter(), WHOLE, deep=True),
        "BM25_filter (whole query, strict)": Row(
            lambda bm25: parse >> bm25 >> quantities.filter(convert=False), WHOLE, deep=True
        ),
        "QBM25 (paper)": Row(lambda bm25: QBM25(keywords >> bm25, quantities), KEYWORDS, one, deep=True),
        "QBM25 (paper, alpha 8)": Row(lambda bm25: QBM25(keywords >> bm25, quantities), KEYWORDS, default, deep=True),
        "QBM25 (paper, whole query)": Row(lambda bm25: QBM25(bm25, quantities, keep="all"), WHOLE, one, deep=True),
        "QBM25 (ours)": Row(aware, WHOLE, default),
        "QBM25 (ours, union)": Row(union, WHOLE, default),
        "QBM25 (paper, all terms)": Row(
            lambda bm25: QBM25(keywords >> bm25, quantities, phi=ALL_TERMS), KEYWORDS, one, deep=True
        ),
        "QBM25 (without concepts)": Row(lambda bm25: aware(bm25, fit=False), WHOLE, default),
        "QBM25 (without conversion)": Row(lambda bm25: union(bm25, phi=UNCONVERTED), WHOLE, default),
    }


def search_keywords(collection: Collection) -> pt.Transformer:
    """Return a transformer, Q -> Q, that sets queries to the paper's T_x: given keywords, or the words of the
    concept."""
    if "keywords" in collection.topics:
        return pt.apply.query(lambda row: row["keywords"])
    return pt.apply.query(lambda row: parse_query(row["query"], keep=QueryText.CONCEPT)[0])
