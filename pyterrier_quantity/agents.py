"""Tools for language models: this package over the Model Context Protocol, by its official SDK.

A tool's answer is JSON. Errors say what to do, for a model reads them: which argument is wrong and what it is called,
which unit is unknown, which document is not there.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import asdict
from functools import wraps
from typing import Annotated, Any, Final

import pandas as pd
import pyterrier as pt
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from pyterrier_quantity._version import __version__
from pyterrier_quantity.explanation import explain
from pyterrier_quantity.grounding import check
from pyterrier_quantity.index import QuantityIndex
from pyterrier_quantity.plan import plan_query
from pyterrier_quantity.quantity import Quantity
from pyterrier_quantity.transformers import QuantityQueryParser
from pyterrier_quantity.units import default_registry

_INSTRUCTIONS: Final = (
    "Searches documents by words and by numbers with units. Put conditions into the query as people say them: "
    "'car with more than 500 hp below 60k euros'. Units convert by themselves."
)
_FACTORS: Final = ("unit_match", "phi", "bound", "fit", "confidence", "quantity_score")

Query = Annotated[str, Field(description="as a person types it, conditions included: 'laptops under 2 kg'")]
Docno = Annotated[str, Field(description="a document, as `search` names it")]
Unit = Annotated[str, Field(description="a unit in any spelling: 'mph', 'km/h', '°F', 'euros'")]


class Tools:
    """What the server offers; each public method is a tool.

    Args:
        index: the documents' quantities.
        ranking: Q -> R over them.
        texts: the documents' texts, by docno; None: results come without.
    """

    def __init__(self, index: QuantityIndex, ranking: pt.Transformer, texts: Mapping[str, str] | None = None) -> None:
        self.index, self.ranking, self.texts = index, ranking, texts

    def parse(self, query: Query) -> dict[str, Any]:
        """How a query is read: its numerical conditions, and the words to search for. If a condition is missing or
        wrong, say it otherwise."""
        plan = plan_query(query)
        conditions = [
            {"words": query[one.start : one.end], "reading": str(one.constraint), **asdict(one.constraint)}
            for one in plan.conditions
        ]
        return {"conditions": conditions, "search_terms": plan.terms()}

    def search(
        self,
        query: Query,
        top: Annotated[int, Field(ge=1, le=100, description="how many results")] = 10,
        only_matching: Annotated[bool, Field(description="only documents that meet every condition")] = False,
    ) -> dict[str, Any]:
        """Documents by words and by numerical conditions, the best first, each with the quantities that meet them."""
        asked = QuantityQueryParser().transform(pd.DataFrame([{"qid": "1", "query": query}]))
        search = self.ranking >> self.index.filter() if only_matching else self.ranking
        results = search.transform(asked).head(top)
        met = explain(results, self.index)
        met = met[met["met"]]
        found = [
            {
                "docno": docno,
                "score": round(float(score), 4),
                "text": self.texts.get(docno) if self.texts else None,
                "meets": [_shown(one) for one in met.loc[met["docno"] == docno, "quantity"]],
            }
            for docno, score in zip(results["docno"], results["score"], strict=True)
        ]
        return {"conditions": list(map(str, asked["constraints"][0])), "results": found}

    def explain(self, query: Query, docno: Docno) -> dict[str, Any]:
        """Why a document meets, or does not meet, each condition of a query: its best quantity for it, and the factors
        of its score, each from 0 to 1."""
        if self.index.docnos.rows([docno])[0] < 0:
            raise ValueError(f"no document {docno!r} in this index; take docnos from the results of `search`")
        asked = QuantityQueryParser().transform(pd.DataFrame([{"qid": "1", "query": query}]))
        rows = explain(asked.assign(docno=docno, score=0.0, rank=0), self.index).to_dict("records")
        conditions = [
            {
                "condition": str(row["constraint"]),
                "met": bool(row["met"]),
                "quantity": _shown(row["quantity"]) if isinstance(row["quantity"], Quantity) else None,
                **{name: None if pd.isna(row[name]) else round(float(row[name]), 4) for name in _FACTORS},
            }
            for row in rows
        ]
        return {"docno": docno, "conditions": conditions}

    def convert(self, value: float, from_unit: Unit, to_unit: Unit) -> dict[str, Any]:
        """A value in another unit of the same kind. Currencies do not convert."""
        registry = default_registry()
        converted = float(registry.convert(value, from_unit, to_unit))
        return {"value": float(f"{converted:.12g}"), "unit": registry.resolve(to_unit)}

    def check_numbers(
        self,
        answer: Annotated[str, Field(description="the text whose numbers are checked")],
        evidence: Annotated[list[str], Field(description="the texts that it goes by")],
    ) -> dict[str, Any]:
        """Whether each number of an answer is what evidence states: "supported", "contradicted" or "not found", with
        the sentence that says so. Units convert, and differences, sums, shares and changes of stated values count."""
        checked = check(answer, evidence)
        numbers = [
            {
                "words": one.written,
                "reading": str(one.quantity),
                "verdict": one.verdict,
                "how": one.how,
                "stated": [{"reading": str(said.quantity), "sentence": said.sentence} for said in one.stated],
            }
            for one in checked
        ]
        return {"supported": checked.supported, "numbers": numbers, "note": checked.note}


TOOLS: Final = tuple(name for name in vars(Tools) if not name.startswith("_"))


def _shown(quantity: Quantity) -> dict[str, Any]:
    concept = " ".join(quantity.concept)
    return {"reading": str(quantity), "low": quantity.low, "high": quantity.high, "unit": quantity.unit, "of": concept}


class _Server(MCPServer):
    """Names the arguments that there are where a call has others: the SDK passes over these."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        known = {tool.name: list(tool.input_schema["properties"]) for tool in await self.list_tools()}
        _check_name("tool", name, list(known))
        for argument in arguments:
            _check_name(f"argument of {name}", argument, known[name])
        return await super().call_tool(name, arguments, context)


def _check_name(what: str, name: str, known: list[str]) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        meant = f"; {near[0]!r} is meant?" if near else ""
        raise ToolError(f"no {what} {name!r}{meant} There are {', '.join(known)}.")


def server(tools: Tools) -> MCPServer:
    """A server of the tools; `.run()` speaks over stdin and stdout."""
    served = _Server("pyterrier-quantity", version=__version__, instructions=_INSTRUCTIONS, log_level="WARNING")
    for name in TOOLS:
        served.add_tool(_told(getattr(tools, name)))
    return served


def _told(tool: Any) -> Any:
    """A tool whose errors of the input reach the model in their own words."""

    @wraps(tool)
    def called(**arguments: Any) -> Any:
        try:
            return tool(**arguments)
        except (ValueError, TypeError) as error:
            raise ToolError(str(error)) from error

    return called
