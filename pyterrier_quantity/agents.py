"""Tools for language models: what may be asked of a collection, over the Model Context Protocol by its official SDK.

A tool's answer is JSON. Errors say what to do, for a model reads them: which argument is wrong and what it is called,
which unit is unknown, which document is not there.
"""

from __future__ import annotations

import difflib
import inspect
from typing import Annotated, Any, Final

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from pyterrier_quantity._version import __version__
from pyterrier_quantity.web.addresses import ADDRESSES, MOST_RESULTS, Address, Parameter
from pyterrier_quantity.web.collection_search import CollectionSearch

_INSTRUCTIONS: Final = (
    "Searches documents by words and by numbers with units. Put conditions into the query as people say them: "
    "'car with more than 500 hp below 60k euros'. Units convert by themselves."
)


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


def server(search: CollectionSearch) -> MCPServer:
    """A server of what may be asked of a collection; `.run()` speaks over stdin and stdout."""
    served = _Server("pyterrier-quantity", version=__version__, instructions=_INSTRUCTIONS, log_level="WARNING")
    for address in ADDRESSES:
        served.add_tool(_tool(address, search), name=address.name, description=address.told)
    return served


def _tool(address: Address, search: CollectionSearch) -> Any:
    """A function whose signature says what the tool takes; errors of the input reach the model in their own words."""

    def called(**given: Any) -> dict[str, Any]:
        try:
            for one in address.parameters:
                if one.kind is int and one.name in given:
                    one.read(str(given[one.name]))  # whether it is in range, in plainer words than pydantic's
            answer = address.answer(search, **given)
        except (ValueError, TypeError) as error:
            raise ToolError(str(error)) from error
        for one in (answer, *answer.get("results", ())):
            if one.get("text"):  # in pieces, for a page to mark
                one["text"] = "".join(piece for piece, _ in one["text"])
        return answer

    tool: Any = called
    tool.__signature__ = inspect.Signature([*map(_argument, address.parameters)], return_annotation=dict[str, Any])
    return tool


def _argument(one: Parameter) -> inspect.Parameter:
    bounds: dict[str, Any] = {"minimum": 1, "maximum": MOST_RESULTS} if one.kind is int else {}
    kind: Any = Annotated[one.kind, Field(description=one.told, json_schema_extra=bounds)]
    return inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=kind)
