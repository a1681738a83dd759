"""The base of the package's transformers."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

import pandas as pd
import pyterrier as pt


class Configured(pt.Transformer):
    """A transformer that is what its constructor's arguments are: equality, hash and repr follow from them."""

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
        """The same over dictionaries; none in, none out."""
        records = list(inp)
        return self.transform(pd.DataFrame(records)).to_dict("records") if records else []

    def _config(self) -> dict[str, Any]:
        parameters = list(inspect.signature(type(self)).parameters.values())
        named = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        return {name: getattr(self, name) for name in named}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._config() == other._config()

    def __hash__(self) -> int:
        return hash((type(self), repr(self)))

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._config().items() if value is not None)
        return f"{type(self).__name__}({given})"
