"""The base of the package's transformers."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from inspect import Parameter
from numbers import Integral
from typing import Any

import pandas as pd
import pyterrier as pt
from pyterrier.inspect import TransformerAttribute

from pyterrier_quantity._frames import whole_characters


def check_counts(**counts: int) -> None:
    """Raises ValueError, naming what is no whole number of at least 1."""
    for name, value in counts.items():
        if not isinstance(value, Integral) or value < 1:
            raise ValueError(f"{name} must be at least 1, got {value!r}")


def check_choice(name: str, value: Any, known: Collection[str]) -> None:
    """Raises ValueError, naming what is none of the known ones."""
    if value not in known:
        raise ValueError(f"unknown {name} {value!r}; one of {', '.join(known)}")


class Configured(pt.Transformer):
    """A transformer that is what its constructor's arguments are, by PyTerrier's own inspection: equality, hash and
    repr follow from them, and `_with` makes another of other arguments."""

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
        """The same over dictionaries; none in, none out."""
        records = [
            {name: whole_characters(value) if isinstance(value, str) else value for name, value in record.items()}
            for record in inp
        ]
        return self.transform(pd.DataFrame(records)).to_dict("records") if records else []

    def _config(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for attribute in pt.inspect.transformer_attributes(self, strict=False):
            if attribute.value is not TransformerAttribute.MISSING:
                many = attribute.init_parameter_kind is Parameter.VAR_KEYWORD
                found |= attribute.value if many else {attribute.name: attribute.value}
        return found

    def _with(self, **changed: Any) -> Any:
        return pt.inspect.transformer_apply_attributes(self, **changed)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._config() == other._config()

    def __hash__(self) -> int:
        return hash((type(self), repr(self)))

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._config().items() if value is not None)
        return f"{type(self).__name__}({given})"
