"""Describe the endpoints of the JSON API, which are also the tools for language models. The names, parameters and
descriptions of endpoints are read from the signatures and docstrings of methods of `CollectionSearch`."""

import difflib
import inspect
import json
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

from pyterrier_quantity._version import __version__
from pyterrier_quantity.web.collection_search import CollectionSearch

MOST_RESULTS: Final = 100
NEEDED: Final = inspect.Parameter.empty
"""The default value of a required parameter."""
_KINDS: Final = {
    str: ("string", "a text"),
    bool: ("boolean", "true or false"),
    int: ("integer", f"a whole number from 1 to {MOST_RESULTS}"),
    float: ("number", "a number"),
    list: ("array", "a JSON list"),
    dict: ("object", "a JSON object"),
}
"""A dictionary from a Python type of parameters to the type's name in OpenAPI and its name in messages."""


class Parameter(NamedTuple):
    """The name, type, description and default value of an endpoint's parameter."""

    name: str
    kind: Any
    about: str
    default: Any

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of this parameter of an HTTP endpoint: {"type": "integer", ...}."""
        schema: dict[str, Any] = {"type": _KINDS[get_origin(self.kind) or self.kind][0]}
        if self.kind is int:
            schema |= {"minimum": 1, "maximum": MOST_RESULTS}
        if items := get_args(self.kind):
            schema["items"] = {"type": _KINDS[items[0]][0]}
        return schema if self.default in (NEEDED, None) else schema | {"default": self.default}

    def read(self, given: str) -> Any:
        """Convert this parameter's string in a request to a value: "5" -> 5. Raise a ValueError if it is malformed."""
        kind = get_origin(self.kind) or self.kind
        try:
            one_text = self.kind == list[str] and not given.lstrip().startswith("[")
            value: Any = [given] if one_text else given if kind is str else json.loads(given)
            value = float(value) if kind is float and type(value) is int else value
            items = all(isinstance(one, get_args(self.kind)) for one in value) if kind is list else True
            least, most = (1, MOST_RESULTS) if kind is int else (-sys.float_info.max, sys.float_info.max)
            if type(value) is kind and items and (kind not in (int, float) or least <= value <= most):
                return value
        except (ValueError, TypeError, OverflowError, RecursionError):
            pass
        raise ValueError(f"{self.name} is {given!r:.40}; give {_KINDS[kind][1]}")


class Address(NamedTuple):
    """An HTTP endpoint: its name, description and parameters, and the method that answers requests."""

    name: str
    about: str
    answer: Callable[..., dict[str, Any]]
    parameters: tuple[Parameter, ...]

    def read(self, given: Mapping[str, str]) -> dict[str, Any]:
        """Convert the parameters of an HTTP request: {"top": "5"} -> {"top": 5}. Raise a ValueError if a parameter is
        unknown, missing or malformed."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            check_name(f"parameter of {self.name}", name, known)
        for name, parameter in known.items():
            if name not in given and parameter.default is NEEDED:
                raise ValueError(f"parameter {name!r} is missing: {parameter.about}")
        return {name: known[name].read(text) for name, text in given.items()}


def check_name(what: str, name: str, known: Collection[str]) -> None:
    """Check that a name is among the `known` names. If not, raise a ValueError that lists the known names and suggests
    a similar name. `what` is the kind of name for the message, such as "tool"."""
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        meant = f"; {near[0]!r} is meant?" if near else ""
        raise ValueError(f"no {what} {name!r:.40}{meant} There are {', '.join(known) or 'none'}.")


def _address(method: Callable[..., dict[str, Any]]) -> Address:
    about = " ".join((inspect.getdoc(method) or "").partition("\n\n")[0].split())
    hints, parameters = get_type_hints(method, include_extras=True), []
    for name, one in [*inspect.signature(method).parameters.items()][1:]:
        kind, meaning = get_args(hints[name])
        if one.default is None:  # list[dict] | None
            kind = get_args(kind)[0]
        parameters.append(Parameter(name, kind, meaning, one.default))
    return Address(method.__name__, about, method, tuple(parameters))


_NAMES: Final = ("about", "parse", "search", "explain", "values", "convert", "check_numbers")
ADDRESSES: Final = tuple(_address(getattr(CollectionSearch, name)) for name in _NAMES)


def openapi() -> dict[str, Any]:
    """Return the OpenAPI 3.1 description of all endpoints."""
    answers = {"200": {"description": "a JSON object"}, "400": {"description": '{"error": what is wrong}'}}
    paths = {}
    for address in ADDRESSES:
        taken = [
            {"name": one.name, "required": one.default is NEEDED, "description": one.about, "schema": one.schema}
            for one in address.parameters
        ]
        got = {"summary": address.about, "parameters": [{"in": "query", **one} for one in taken], "responses": answers}
        paths[f"/{address.name}"] = {"get": got}
    return {"openapi": "3.1.0", "info": {"title": "pyterrier-quantity", "version": __version__}, "paths": paths}
