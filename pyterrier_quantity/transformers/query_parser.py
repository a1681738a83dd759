"""Split queries into search terms and constraints: "car above 500 hp" -> "car", [> 500 horsepower]."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import pandas as pd
import pyterrier as pt

from pyterrier_quantity.extraction import Extractor
from pyterrier_quantity.extraction.language import code_in_data
from pyterrier_quantity.frames.frame import checked_texts, framed, objects
from pyterrier_quantity.frames.transformer import Configured
from pyterrier_quantity.plan import PLAN, Defaults, QueryText, plan_query


@dataclass(frozen=True)
class QueryColumns:
    """The columns of a frame of queries as arrays, because a DataFrame's columns are slower to read.

    Args:
        columns: the columns as pandas arrays, keyed by name.
        qids, texts: the values of `qid` and `query`. Invalid characters (lone surrogates) in the texts are replaced.
        index, attrs: the `index` and `attrs` of the DataFrame.
    """

    columns: dict[str, Any]
    qids: list[Any]
    texts: list[str]
    index: pd.Index
    attrs: dict[Any, Any]

    @classmethod
    def of(cls, queries: pd.DataFrame) -> "QueryColumns":
        """Return the columns of a frame of queries. If a row has no `qid` or no text, raise a ValueError."""
        columns = {name: column.array for name, column in queries.items()}
        qids = columns["qid"].tolist()
        texts = checked_texts(qids, columns["query"].tolist())
        return cls(columns, qids, texts, queries.index, dict(queries.attrs))

    @cached_property
    def frame(self) -> pd.DataFrame:
        queries = framed(self.columns, self.index)
        queries.attrs = dict(self.attrs)
        return queries


class QuantityQueryParser(Configured):
    """Transformer that extracts the constraints of queries: "car above 500 hp" -> [> 500 horsepower].

    Args:
        extractor: the extractor of quantities, or None for a `RuleExtractor`.
        keep: which words stay in `query`: from "concept" (without conditions) to "all", see `QueryText`.
        today: the reference date of "last year" and "2 years ago". Without `today`, such phrases set no conditions.
        language: the language of the queries; see `RuleExtractor`.
        default: the attribute or unit ("price", "euro") to assume for numbers that have neither, as in "under 40".
        rates: the value of each currency in dollars: `{"euro": 1.1}`. A condition in one currency is then also met by
            values in the other currencies.

    Columns in: `qid`, `query`, and optionally `language`, the language of each query. Results (R) are also valid.

    Columns out: `query` (the search terms), `query_0` (the text as typed), `constraints` (lists of `Constraint`, which
    may be empty) and `query_plan` (a `QueryPlan`). If you change `constraints`, they replace those of the plan.
    """

    def __init__(
        self,
        extractor: Extractor | None = None,
        keep: QueryText | str = QueryText.ALL,
        today: date | None = None,
        language: str = "en",
        default: str = "",
        rates: Mapping[str, float] | None = None,
    ) -> None:
        self.extractor, self.today, self.language = extractor, today, language
        self.keep, self.default, self.rates = QueryText(keep), default, rates
        Defaults(default, rates)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        return self.read(inp).frame

    def read(self, inp: pd.DataFrame) -> QueryColumns:
        """Parse queries like `transform`, and return the result as `QueryColumns`."""
        pt.validate.columns(inp, includes=["qid", "query"], context=self)
        held = {name: column.array for name, column in inp.items()}
        qids, given = held["qid"].tolist(), held["query"].tolist()
        texts = checked_texts(qids, given)
        languages = [code_in_data(name) or self.language for name in inp.get("language", [None] * len(inp))]
        asked = list(zip(texts, languages, strict=True))
        defaults = Defaults(self.default, self.rates)
        read = {
            one: defaults.applied(plan_query(one[0], self.extractor, self.today, one[1]))
            for one in dict.fromkeys(asked)
        }
        constraints = {one: plan.constraints for one, plan in read.items()}
        kept = [read[one].terms(self.keep) for one in asked]
        pushed = _pushed(inp)
        columns: dict[str, Any] = {pushed.get(name, name): column for name, column in held.items()}
        typed = columns[pushed["query"]]
        if texts != given:  # `checked_texts` replaced invalid characters
            typed = columns[pushed["query"]] = pd.array(texts, dtype=typed.dtype)
        columns["query"] = typed if kept == texts else pd.array(kept, dtype=typed.dtype)
        for name, found in (("constraints", constraints), (PLAN, read)):
            columns[name] = pd.arrays.NumpyExtensionArray(objects([found[one] for one in asked]))
        return QueryColumns(columns, qids, kept, inp.index, dict(inp.attrs))


def _pushed(queries: pd.DataFrame) -> dict[str, str]:
    """Return a dictionary from old to new names of the columns that `pt.model.push_queries` renames: "query" ->
    "query_0", "query_0" -> "query_1"."""
    pushed: dict[str, str] = {}
    former = "query"
    while former in queries.columns:
        pushed[former] = f"query_{len(pushed)}"
        former = pushed[former]
    return pushed
