"""Search a collection of documents. The results are dictionaries and lists, which can be converted to JSON."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from threading import Lock
from typing import Annotated, Any, Final

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_quantity.constants import UNITS
from pyterrier_quantity.explanation.explain import explain
from pyterrier_quantity.explanation.highlighting import pieces, why
from pyterrier_quantity.extraction import RuleExtractor
from pyterrier_quantity.filters.facets import stated_values
from pyterrier_quantity.frames.frame import whole_characters
from pyterrier_quantity.grounding import check
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.plan import PLAN, Defaults, QueryText, plan_query
from pyterrier_quantity.quantity import BARE, Quantity
from pyterrier_quantity.units import default_registry
from pyterrier_quantity.web.query_reading import condition_data, conditions_of, query_reading

BARS: Final = 40
_OUTSIDE: Final = 0.01  # a chart shows the values from this quantile to 1 - this quantile
_WIDE: Final = 30.0  # minimum ratio of a chart's largest to its smallest value for a logarithmic axis
_OFFERED: Final = 12  # maximum number of units into which `convertible` offers to convert a value
_WRITTEN: Final = (0.1, 20_000.0)  # minimum and maximum converted value that `convertible` offers


def value_chart(index: QuantityIndex, unit: str) -> dict[str, Any]:
    """Return a bar chart of the values in an index, all in one `unit` ("-" for numbers without a unit). Values in other
    units are converted. A range such as "5 to 7 kg" counts as its midpoint. The result is a dictionary: `unit`;
    `count`, the number of values; `logarithmic`, whether the axis is logarithmic; `bars`, the number of values in each
    bar; `edges`, the limits of the bars, one more than the bars. Values outside the axis are counted in the first or
    last bar."""
    values = stated_values(index, unit=unit)
    values = values[np.isfinite(values)]
    chart = {"unit": unit, "count": len(values), "logarithmic": False, "edges": [], "bars": []}
    if not len(values):
        return chart
    low, high = np.quantile(values, [_OUTSIDE, 1.0 - _OUTSIDE], method="nearest").tolist()
    logarithmic = low > 0 and high / low > _WIDE
    if low == high:
        low, high = low - (abs(low) / 2 or 1.0), high + (abs(low) / 2 or 1.0)
    edges = np.maximum.accumulate((np.geomspace if logarithmic else np.linspace)(low, high, BARS + 1))
    bars, _ = np.histogram(np.clip(values, edges[0], edges[-1]), edges)
    return chart | {"logarithmic": logarithmic, "edges": edges.tolist(), "bars": bars.tolist()}


def convertible(index: QuantityIndex, unit: str, value: float) -> list[dict[str, Any]]:
    """Return the units of an index into which a value can be converted, as dictionaries with `unit`, `factor` and
    `offset`: `value * factor + offset` is the value in `unit`. The first dictionary is for the given unit. Units in
    which the value would be very small or very large are left out."""
    vocabulary, registry = index.opened.vocabulary, index.registry
    names = dict.fromkeys([unit, *(vocabulary.names[row] for row in vocabulary.match(unit, (), UNITS["convert"]).rows)])
    pairs = {name: pair for name in names if (pair := registry.conversion(unit, name)) is not None}
    found = [{"unit": name, "factor": factor, "offset": offset} for name, (factor, offset) in pairs.items()]
    low, high = _WRITTEN
    chosen = [one for one in found[1:] if not value or low <= abs(value * one["factor"] + one["offset"]) < high]
    return [*found[:1], *chosen[:_OFFERED]]


RANKERS: Final = {
    "union": "documents found by words or values",
    "rerank": "documents found by words",
    "values": "documents found by values",
}
"""A dictionary from a ranker's name to its description. Without a word index, only "values" is available."""
LONGEST_QUERY: Final = 2000
LONGEST_TEXTS: Final = 50_000
_FACETS: Final = 12
_READ: Final = 100  # number of top results whose quantities are summarised in facets
Opener = Callable[[str, bool], pt.Transformer]
Query = Annotated[str, "the query as a person types it, with its conditions: 'laptops under 2 kg'"]
Conditions = Annotated[
    list[dict] | None,
    'the conditions to use instead of those in the query: a list of {"op", "low", "high", "unit", "attribute"}',
]
Ranker = Annotated[str, 'how documents are found: by words ("rerank"), by values ("values") or by both ("union")']
Unit = Annotated[str, "a unit in any spelling: 'mph', 'km/h', '°F', 'euros'"]


class CollectionSearch:
    """The functions of the search page and the JSON API: search a quantity index, explain results, convert values.

    Args:
        index: the quantity index.
        opener: a function that returns a retriever, given a ranker's name and whether all conditions must be met.
        rankers: the names that `opener` accepts. The first name is the default.
        texts: the texts of the documents, keyed by docno, or None if there is no corpus.
        default: the attribute or unit to assume for a number if the query states neither, as in "under 40".
        attributes: a dictionary from the words of a field's name to the words to show: {("weight", "kg"): ("weight",)}.
    """

    def __init__(
        self,
        index: QuantityIndex,
        opener: Opener,
        rankers: Sequence[str],
        texts: Mapping[str, str] | None = None,
        default: str = "",
        attributes: Mapping[tuple[str, ...], tuple[str, ...]] | None = None,
    ) -> None:
        index.check_default(default)
        self.index, self.rankers, self.texts, self._defaults = index, rankers, texts, Defaults(default)
        self._ranking, self._attributes = cache(opener), attributes or {}
        self._extractor = RuleExtractor()
        self._lock = Lock()

    def about(self) -> dict[str, Any]:
        """Describe the collection: the number of `documents` and of `quantities`, the `rankers`, and whether the
        documents' `texts` are available."""
        counts = {"documents": len(self.index), "quantities": int(self.index.meta["quantities"])}
        return counts | {"rankers": {name: RANKERS[name] for name in self.rankers}, "texts": self.texts is not None}

    def parse(self, query: Query) -> dict[str, Any]:
        """Show how a query is interpreted: its numerical conditions, and the words to search for. If a condition is
        missing or wrong, the query should be rephrased.

        Returns:
            a dictionary; see `query_reading`. Each condition also has `units`, to which its value can be converted.
        """
        reading = query_reading(_checked(query), self.index.language, self._defaults)
        for one in reading["conditions"]:
            one["units"] = convertible(self.index, one["unit"], one["high"])
        return reading

    def search(
        self,
        query: Query,
        conditions: Conditions = None,
        ranker: Ranker = "",
        filtered: Annotated[bool, "only documents that meet every condition"] = False,
        top: Annotated[int, "the number of results"] = 10,
        turned: Annotated[bool, "whether to reverse the sort order that the query asks for"] = False,
    ) -> dict[str, Any]:
        """Search documents by words and numerical conditions. Returns facets and the best results. Each result has the
        quantities that meet the conditions.

        Returns:
            a dictionary with the `query`, the `conditions` that were applied, the `results`, and their `facets`.

        Raises:
            ValueError: if the query is too long, a condition is malformed, or the ranker does not exist.
        """
        ranker = ranker or self.rankers[0]
        if ranker not in self.rankers:
            raise ValueError(f"unknown ranker {ranker!r:.40}; one of {', '.join(self.rankers)}")
        queries = _queries(query, conditions, self._defaults, self.index.language, turned)
        with self._lock:
            found = self._ranking(ranker, filtered).transform(queries)
        found = found.sort_values("rank", kind="stable", ignore_index=True)
        shown = found.head(top)
        verdicts = self._verdicts(shown)
        results = []
        for rank, (docno, score) in enumerate(zip(shown["docno"], shown["score"], strict=True), 1):
            met = verdicts.get(docno, [])
            one = {"rank": rank, "docno": docno, "score": round(float(score), 4), "conditions": met}
            results.append(one | {"text": self._pieces(docno, met)})
        went_by = [condition_data(one) for one in queries["constraints"].iloc[0]]
        facets = self._facets(found["docno"].head(_READ).tolist())
        return {"query": queries["query_0"].iloc[0], "conditions": went_by, "results": results, "facets": facets}

    def explain(
        self, query: Query, docno: Annotated[str, "a docno in the results of search"], conditions: Conditions = None
    ) -> dict[str, Any]:
        """Explain whether and why a document meets each condition of a query.

        Raises:
            ValueError: if the document does not exist, the query is too long, or a condition is malformed.
        """
        if next(iter(self.index.documents([docno])), None) is None:
            raise ValueError(f"no document {docno!r} in this index; take docnos from the results of search")
        queries = _queries(query, conditions, self._defaults, self.index.language)
        verdicts = self._verdicts(queries.assign(docno=docno, score=0.0, rank=0)).get(docno, [])
        asked = queries["query_0"].iloc[0]
        return {"query": asked, "docno": docno, "conditions": verdicts, "text": self._pieces(docno, verdicts)}

    def values(self, unit: Annotated[str, "a unit in any spelling; - for numbers without a unit"]) -> dict[str, Any]:
        """Return the bars of a chart of all values in a unit: the limits of each bar, and the number of values."""
        return value_chart(self.index, default_registry().resolve(unit or BARE))

    def convert(self, value: Annotated[float, "a number"], from_unit: Unit, to_unit: Unit) -> dict[str, Any]:
        """Convert a value to another unit of the same kind. Currencies can be converted only with exchange rates."""
        registry = self.index.registry
        converted = float(registry.convert(value, from_unit, to_unit))
        if not math.isfinite(converted):
            raise ValueError(f"{value:g} {from_unit!r} is too large a number in {to_unit!r}; give a smaller value")
        return {"value": float(f"{converted:.12g}"), "unit": registry.resolve(to_unit)}

    def check_numbers(
        self,
        answer: Annotated[str, "the text whose numbers are checked"],
        evidence: Annotated[list[str], "the texts against which the answer is checked"],
    ) -> dict[str, Any]:
        """Check whether evidence supports each number of an answer: "supported", "contradicted" or "not found", with
        the relevant sentences. Numbers may be converted, or be a difference, sum, share or change of stated values."""
        if (long := len(answer) + sum(map(len, evidence))) > LONGEST_TEXTS:
            raise ValueError(f"answer and evidence have at most {LONGEST_TEXTS:,} characters together, got {long:,}")
        checked, numbers = check(answer, evidence), []
        for one in checked:
            stated = [{"reading": str(said.quantity), "sentence": said.sentence} for said in one.stated]
            number = {"words": one.written, "reading": str(one.quantity), "verdict": one.verdict, "how": one.how}
            numbers.append(number | {"stated": stated})
        return {"supported": checked.supported, "numbers": numbers, "note": checked.note}

    def _verdicts(self, results: pd.DataFrame) -> dict[str, list[dict[str, Any]]]:
        """Return, for each document (keyed by docno), a list with a dictionary for each condition: whether the document
        meets the condition, the reason, and the document's best quantity."""
        verdicts: dict[str, list[dict[str, Any]]] = {}
        if results.empty or not results["constraints"].iloc[0]:
            return verdicts
        for row in explain(results, self.index).to_dict("records"):
            found = row["quantity"] if isinstance(row["quantity"], Quantity) else None
            verdict = {"condition": str(row["constraint"]), "met": bool(row["met"])}
            verdict |= {"why": why(row["constraint"], found, row), "quantity": found and str(found)}
            verdict |= {"start": found and found.start, "end": found and found.end}
            verdict |= {"score": round(float(row["quantity_score"]), 4) if found else 0.0}
            verdicts.setdefault(row["docno"], []).append(verdict)
        return verdicts

    def _pieces(self, docno: str, verdicts: Sequence[Mapping[str, Any]]) -> list[list[str]] | None:
        """Split a document's text into lists [piece, kind]: [["only ", ""], ["5 kg", "met"]]. Return None if the text
        is not available. The kind of a condition's best quantity in `verdicts` (see `_verdicts`) is "met" or "not". The
        kind of other quantities is "other". The kind of text between quantities is ""."""
        text = None if self.texts is None else self.texts.get(docno)
        if text is None:
            return None
        kinds = {(one.start, one.end): "other" for one in self.index.quantities(docno)}
        for one in sorted(verdicts, key=lambda one: one["met"]):
            if one["quantity"] is not None:
                kinds[one["start"], one["end"]] = "met" if one["met"] else "not"
        found = pieces(text, ((start, end, kind) for (start, end), kind in kinds.items()))
        return [[piece, kind or ""] for piece, kind in found if piece]

    def _facets(self, docnos: Sequence[str]) -> list[dict[str, Any]]:
        """Return the most frequent pairs of attribute and unit in documents: {"attribute": "price", "unit": "euro",
        "documents": 8, "low": 5.0, "high": 90.0}. An unknown attribute is ""."""
        stated = [
            (next(filter(_is_name, map(str.lower, reversed(one.concept))), ""), one.unit, docno, one.low)
            for docno, quantities in zip(docnos, self._quantities(docnos), strict=True)
            for one in quantities
            if one.low == one.high
        ]
        groups = pd.DataFrame(stated, columns=["attribute", "unit", "docno", "low"]).groupby(["attribute", "unit"])
        found = groups.agg(documents=("docno", "nunique"), low=("low", "min"), high=("low", "max"))
        most = found[found["documents"] > 1].sort_values("documents", ascending=False, kind="stable").head(_FACETS)
        return most.reset_index().to_dict("records")

    def _quantities(self, docnos: Sequence[str]) -> list[list[Quantity]]:
        if self.texts is None:
            return [self.index.quantities(docno) for docno in docnos]
        read = self._extractor.extract_batch([self.texts.get(docno, "") for docno in docnos])
        of_fields = (self.index.of_fields(docno, self._attributes) for docno in docnos)
        return [[*stated, *of_text] for stated, of_text in zip(of_fields, read, strict=True)]


def _is_name(text: str) -> bool:
    return text.replace(" ", "").isalpha()


def _checked(query: str) -> str:
    if len(query) > LONGEST_QUERY:
        raise ValueError(f"a query has at most {LONGEST_QUERY} characters, this one has {len(query)}")
    return whole_characters(query)


def _queries(
    query: str, conditions: Sequence[Mapping[str, Any]] | None, defaults: Defaults, language: str, turned: bool = False
) -> pd.DataFrame:
    """Return a frame with one parsed query. If `turned` is true, the query's sort order is reversed. If `conditions`
    replace the conditions in the query's text, the words of the replaced conditions are not used as search terms."""
    plan = defaults.applied(plan_query(_checked(query), language=language))
    if turned and plan.order:
        plan = replace(plan, order=plan.order.turned)
    given = plan.constraints if conditions is None else conditions_of(conditions)
    terms = plan.terms(QueryText.ALL if given == plan.constraints else QueryText.CONCEPT)
    asked = {"qid": "1", "query": terms, "query_0": plan.text, "constraints": given, PLAN: plan}
    return pd.DataFrame({name: [value] for name, value in asked.items()})
