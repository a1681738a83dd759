"""Searches over a collection as plain data, for the page and for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any, Final

import pandas as pd
import pyterrier as pt

from pyterrier_quantity._frames import whole_characters
from pyterrier_quantity.explanation import explain
from pyterrier_quantity.explanation_text import pieces, why
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.plan import QueryText, plan_query
from pyterrier_quantity.quantity import BARE, Constraint, Quantity
from pyterrier_quantity.units import default_registry
from pyterrier_quantity.web.query_reading import condition_data, conditions_of, query_reading
from pyterrier_quantity.web.value_chart import convertible, value_chart

RANKERS: Final = {
    "union": "what the words or the values find",
    "rerank": "what the words find",
    "values": "what the values find",
}
"""What is ranked; without a word index only the last."""
LONGEST_QUERY: Final = 2000
_FACETS: Final = 12
_READ: Final = 100
"""Results whose quantities make the facets."""

Opener = Callable[[str, bool, bool], pt.Transformer]


@dataclass(frozen=True)
class Asked:
    """A search.

    Args:
        query: as typed.
        conditions: in place of those that are read in the query; None: those.
        ranker: one of `RANKERS`; "": the usual one.
        feedback: score once more, with words of the best results.
        filtered: only documents that meet every condition.
        top: how many results.
    """

    query: str
    conditions: tuple[Constraint, ...] | None = None
    ranker: str = ""
    feedback: bool = False
    filtered: bool = False
    top: int = 10

    @classmethod
    def of(cls, query: str, conditions: Sequence[Mapping[str, Any]] | None = None, **options: Any) -> Asked:
        """From what a request says, see `conditions_of`.

        Raises:
            ValueError: if the query is too long, or a condition is none.
        """
        given = None if conditions is None else tuple(conditions_of(conditions))
        return cls(checked_query(query), given, **options)


def checked_query(query: str) -> str:
    """The query, its characters whole.

    Raises:
        ValueError: if it is too long.
    """
    if len(query) > LONGEST_QUERY:
        raise ValueError(f"a query has at most {LONGEST_QUERY} characters, this one has {len(query)}")
    return whole_characters(query)


class CollectionSearch:
    """An index with its rankings, and the texts where the corpus is there.

    Args:
        index: of the quantities.
        opener: gives the ranking for a ranker's name, with feedback or not, filtered or not.
        rankers: the names that it knows, the usual one first.
        texts: by docno; None without a corpus.
    """

    def __init__(
        self, index: QuantityIndex, opener: Opener, rankers: Sequence[str], texts: Mapping[str, str] | None = None
    ) -> None:
        self.index, self.rankers, self.texts = index, rankers, texts
        self._ranking = cache(opener)
        self._extractor = RuleExtractor()
        self._lock = Lock()

    def about(self) -> dict[str, Any]:
        """What is searched: `documents`, `quantities`, `rankers`, `texts`."""
        counts = {"documents": len(self.index), "quantities": int(self.index.meta["quantities"])}
        return counts | {"rankers": {name: RANKERS[name] for name in self.rankers}, "texts": self.texts is not None}

    def parse(self, query: str) -> dict[str, Any]:
        """How a query is read, see `query_reading`; each condition with the units it may be converted to, `units`."""
        reading = query_reading(checked_query(query))
        for one in reading["conditions"]:
            one["units"] = convertible(self.index, one["unit"])
        return reading

    def values(self, unit: str) -> dict[str, Any]:
        """See `value_chart`; the unit in any spelling."""
        return value_chart(self.index, default_registry().resolve(unit or BARE))

    def search(self, asked: Asked) -> dict[str, Any]:
        """The results of a search, `results`, the `conditions` that it went by, and its `facets`."""
        queries = self._queries(asked)
        with self._lock:
            found = self._ranked(asked, queries)
        shown = found.head(asked.top)
        told = self._told(shown)
        results = [
            {
                "rank": rank,
                "docno": docno,
                "score": round(float(score), 4),
                "conditions": told.get(docno, []),
                "text": self._pieces(docno, told.get(docno, [])),
            }
            for rank, (docno, score) in enumerate(zip(shown["docno"], shown["score"], strict=True), 1)
        ]
        conditions = [condition_data(one) for one in queries["constraints"].iloc[0]]
        facets = self._facets(found["docno"].head(_READ).tolist())
        return {"query": asked.query, "conditions": conditions, "results": results, "facets": facets}

    def explain(self, asked: Asked, docno: str) -> dict[str, Any]:
        """How a document meets the conditions of a search, wherever it is ranked.

        Raises:
            ValueError: if there is no such document.
        """
        if next(iter(self.index.documents([docno])), None) is None:
            raise ValueError(f"no document {docno!r} in this index; take docnos from the results of search")
        result = self._queries(asked).assign(docno=docno, score=0.0, rank=0)
        told = self._told(result).get(docno, [])
        return {"query": asked.query, "docno": docno, "conditions": told, "text": self._pieces(docno, told)}

    def _queries(self, asked: Asked) -> pd.DataFrame:
        """Q of one query: the words of conditions that the user changed are no search terms."""
        plan = plan_query(asked.query)
        read = plan.constraints
        given = read if asked.conditions is None else list(asked.conditions)
        terms = plan.terms(QueryText.ALL if given == read else QueryText.CONCEPT)
        return pd.DataFrame({"qid": ["1"], "query": [terms], "query_0": [asked.query], "constraints": [given]})

    def _ranked(self, asked: Asked, queries: pd.DataFrame) -> pd.DataFrame:
        ranker = asked.ranker or self.rankers[0]
        if ranker not in self.rankers:
            raise ValueError(f"unknown ranker {ranker!r:.40}; one of {', '.join(self.rankers)}")
        if asked.feedback and ranker == "values":
            raise ValueError("feedback needs the ranker union or rerank")
        found = self._ranking(ranker, asked.feedback, asked.filtered).transform(queries)
        return found.sort_values("rank", kind="stable", ignore_index=True)

    def _told(self, results: pd.DataFrame) -> dict[str, list[dict[str, Any]]]:
        """Per docno, of each condition whether it is met, by which quantity, and why."""
        told: dict[str, list[dict[str, Any]]] = {}
        if results.empty or not results["constraints"].iloc[0]:
            return told
        for row in explain(results, self.index).to_dict("records"):
            found = row["quantity"]
            stated = isinstance(found, Quantity)
            told.setdefault(row["docno"], []).append(
                {
                    "condition": str(row["constraint"]),
                    "met": bool(row["met"]),
                    "why": why(row["constraint"], found if stated else None, row),
                    "quantity": str(found) if stated else None,
                    "start": found.start if stated else None,
                    "end": found.end if stated else None,
                    "score": round(float(row["quantity_score"]), 4) if stated else 0.0,
                }
            )
        return told

    def _pieces(self, docno: str, told: Sequence[Mapping[str, Any]]) -> list[list[str]] | None:
        """The text in pieces, [text, kind]: "met", "not" (what came nearest), "other" (a quantity), or "". None without
        texts."""
        text = None if self.texts is None else self.texts.get(docno)
        if text is None:
            return None
        kinds = {(one.start, one.end): "other" for one in self.index.quantities(docno)}
        for one in sorted(told, key=lambda one: one["met"]):
            if one["quantity"] is not None:
                kinds[one["start"], one["end"]] = "met" if one["met"] else "not"
        found = pieces(text, ((start, end, kind) for (start, end), kind in kinds.items()))
        return [[piece, kind or ""] for piece, kind in found if piece]

    def _facets(self, docnos: Sequence[str]) -> list[dict[str, Any]]:
        """What the results state most: by attribute (where there are texts) and unit, `documents`, `low`, `high`."""
        stated: dict[tuple[str, str], dict[str, list[float]]] = {}
        for docno, quantities in zip(docnos, self._quantities(docnos), strict=True):
            for one in quantities:
                if one.low == one.high:
                    attribute = next((word.lower() for word in reversed(one.concept) if word.isalpha()), "")
                    stated.setdefault((attribute, one.unit), {}).setdefault(docno, []).append(one.low)
        most = sorted(stated.items(), key=lambda item: (-len(item[1]), item[0]))
        return [
            {
                "attribute": attribute,
                "unit": unit,
                "documents": len(found),
                "low": min(map(min, found.values())),
                "high": max(map(max, found.values())),
            }
            for (attribute, unit), found in most[:_FACETS]
            if len(found) > 1
        ]

    def _quantities(self, docnos: Sequence[str]) -> list[list[Quantity]]:
        """The documents' quantities; with the attributes that they belong to where there are texts."""
        if self.texts is None:
            return [self.index.quantities(docno) for docno in docnos]
        return self._extractor.extract_batch([self.texts.get(docno, "") for docno in docnos])
