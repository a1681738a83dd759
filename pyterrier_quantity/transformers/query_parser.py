"""The query parser, Q -> Q: split the text as typed into search terms and constraints."""

from __future__ import annotations

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
    """The columns of Q without a frame, because making a frame or reading its columns takes as long as parsing a query.

    Args:
        columns: pandas arrays by name.
        qids, texts: the values of `qid` and `query`; the texts have no lone surrogates.
        index, attrs: the frame's index and attributes.
    """

    columns: dict[str, Any]
    qids: list[Any]
    texts: list[str]
    index: pd.Index
    attrs: dict[Any, Any]

    @classmethod
    def of(cls, queries: pd.DataFrame) -> QueryColumns:
        """Return the columns of a frame. A ValueError names the first row without a `qid` or a text."""
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
    """Q -> Q: extracts the constraints of a query.

    Args:
        extractor: finds the quantities; the rule extractor by default.
        keep: the words of the text that stay in `query`, see `QueryText`.
        today: the date to which "last year" and "2 years ago" refer. Without it, such words set no conditions.
        language: the language of the queries, as for `RuleExtractor`; by default the extractor's.
        default: the field or unit ("price", "euro") assumed for a bound that names neither a unit nor an attribute.
        rates: the value in dollars of one unit of each currency, such as `{"euro": 1.1}`. For an amount of money, the
            equivalents in the other currencies become alternatives.

    Columns in: `qid`, `query`, and optionally `language`, each query's language. Columns out: `query` (the search
    terms), `query_0` (the text as typed), `constraints` and `query_plan`. `constraints` are lists of `Constraint`,
    empty for a query without a quantity, whose text stays as it is. `query_plan` is the `QueryPlan`, which later steps
    use; if you change `constraints`, they take precedence over those of the plan. R is accepted too.
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
        """Return the result of `transform` as columns."""
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
        if texts != given:  # some contained lone surrogates
            typed = columns[pushed["query"]] = pd.array(texts, dtype=typed.dtype)
        columns["query"] = typed if kept == texts else pd.array(kept, dtype=typed.dtype)
        for name, found in (("constraints", constraints), (PLAN, read)):
            columns[name] = pd.arrays.NumpyExtensionArray(objects([found[one] for one in asked]))
        return QueryColumns(columns, qids, kept, inp.index, dict(inp.attrs))


def _pushed(queries: pd.DataFrame) -> dict[str, str]:
    """Map the columns that `pt.model.push_queries` renames to their new names."""
    pushed: dict[str, str] = {}
    former = "query"
    while former in queries.columns:
        pushed[former] = f"query_{len(pushed)}"
        former = pushed[former]
    return pushed
