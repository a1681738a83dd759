"""The one place that talks to pint: factors for units that are given as pint expressions.

pint is imported only here and only when such a unit is read; the built-in units carry their factors in the files.
"""

from __future__ import annotations

import functools
import tokenize
from typing import Any

from pyterrier_quantity.units.unit_files import DATA, read_table

REFERENCES = {row.get("family"): row.get("pint") for row in read_table(DATA / "references.tsv", key="family")}
"""Families and the pint expression of their reference unit."""

_PINT_ERRORS = (AttributeError, TypeError, AssertionError, SyntaxError, tokenize.TokenError, KeyError, ArithmeticError)


@functools.cache
def _registry() -> Any:
    try:
        import pint
    except ImportError as error:
        raise ImportError(
            "a unit given as a pint expression needs pint: pip install 'pyterrier-quantity[units]', or give its factor"
        ) from error
    return pint.UnitRegistry()


def pint_factor(expression: str, family: str = "") -> tuple[str, float]:
    """The family of a pint expression, and how many of the family's reference unit it is.

    Args:
        expression: such as "foot", "100*kilogram", "metre**3/second".
        family: the family that it must belong to; by default the first of `REFERENCES` that fits.

    Raises:
        ValueError: if pint does not know the expression, or it measures something else.
        ImportError: if pint is not installed.
    """
    registry = _registry()
    try:
        quantity = 1.0 * registry.parse_expression(expression)
        fitting = (name for name, unit in REFERENCES.items() if registry.Unit(unit).is_compatible_with(quantity))
        found = family or next(fitting, "")
        if found not in REFERENCES:
            raise ValueError(f"no family of {', '.join(REFERENCES)} fits")
        exact = quantity.to(REFERENCES[found]).magnitude
    except ValueError:
        raise
    except _PINT_ERRORS as error:
        raise ValueError(f"pint cannot read {expression!r} as {family or 'a unit'}: {error}") from None
    return found, float(f"{exact:.15g}")
