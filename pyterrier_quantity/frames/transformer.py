"""Define the base class of the package's transformers, and checks of their arguments."""

from collections.abc import Collection, Iterable
from functools import cached_property
from inspect import Parameter
from numbers import Integral
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt
from pyterrier.inspect import TransformerAttribute

from pyterrier_quantity.frames.frame import whole_characters


def check_counts(**counts: int) -> None:
    """Check that all given arguments are positive integers. Otherwise raise a ValueError that names the argument."""
    for name, value in counts.items():
        if not isinstance(value, Integral) or value < 1:
            raise ValueError(f"{name} must be at least 1, got {value!r}")


def check_choice(name: str, value: Any, known: Collection[str]) -> None:
    if value not in known:
        raise ValueError(f"unknown {name} {value!r}; one of {', '.join(known)}")


def check_transformers(**given: Any) -> None:
    """Check that each given argument is a transformer or None. Otherwise raise a TypeError that names the argument."""
    for name, one in given.items():
        if one is not None and not isinstance(one, pt.Transformer):
            raise TypeError(f"{name} must be a transformer, got {type(one).__name__} {one!r:.60}")


class Configured(pt.Transformer):
    """The base class of the package's transformers, which are equal if they were constructed with equal arguments.

    The hash and the repr also depend on these arguments, and `_with` returns a copy with other arguments. Setting an
    option, as PyTerrier's grid search does, calls the constructor again, so that the new value is checked.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__ and name in self._config():
            self.__dict__ = self._with(**{name: value}).__dict__
        else:
            super().__setattr__(name, value)

    def set_parameter(self, name: str, value: Any) -> None:
        """Set an option. If the name is unknown, raise a ValueError that lists the options."""
        check_choice(f"option of {type(self).__name__}:", name, self._config())
        setattr(self, name, value)

    def transform_iter(self, inp: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
        """Transform rows given as dictionaries, such as documents. Return the output rows ([] for empty input)."""
        records = [
            {name: whole_characters(value) if isinstance(value, str) else value for name, value in record.items()}
            for record in inp
        ]
        return self.transform(pd.DataFrame(records)).to_dict("records") if records else []

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        """Return a copy with at most `k` results per query, or None if this transformer cannot return more than `k`."""
        most = self._config().get("num_results", 0)
        return self._with(num_results=k) if most is None or k < most else None

    def __getstate__(self) -> dict[str, Any]:
        # Cached properties, such as loaded models, are not pickled.
        cached = (name for name in vars(self) if isinstance(getattr(type(self), name, None), cached_property))
        return {name: value for name, value in vars(self).items() if name not in {*cached}}

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
        options = pt.inspect.transformer_attributes(self, strict=False)
        given = ((one.name, one.value) for one in options if _changed(one))
        texts = (f"{name}={(str(value) if isinstance(value, Path) else value)!r}" for name, value in given)
        return f"{type(self).__name__}({', '.join(texts)})"


def _changed(option: TransformerAttribute) -> bool:
    value, default = option.value, option.init_default_value
    if value is TransformerAttribute.MISSING or value is None or value is default:
        return False
    return not (isinstance(default, str | int | float) and type(value) is type(default) and value == default)
