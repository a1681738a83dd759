"""Readings as the tables of tests write them: "< 5 kilogram; 5..10 metre"."""

import contextlib
import re

import pytest

from pyterrier_quantity.extraction import extract
from pyterrier_quantity.units import UnknownUnitError, default_registry

Stated = tuple[str, float, float, str]


def stated(written: str) -> Stated:
    """One quantity of a table: "< 5 kilogram", "5..10 kilogram"."""
    found = re.fullmatch(r"(?:(\S+) )?(-?[\d.e]+?)(?:\.\.(-?[\d.]+))? (.+)", written.strip())
    assert found is not None, written
    bound, low, high, unit = found.groups()
    with contextlib.suppress(UnknownUnitError):  # a counted noun
        unit = default_registry().resolve(unit)
    return bound or "=", float(low), float(high or low), unit


def is_right(text: str, cell: str, rel: float = 1e-4) -> bool:
    """Whether a text is read as a table says, to the last quantity; values may differ by the share `rel`."""
    wanted = [stated(part) for part in cell.split(";") if part.strip()]
    got = [(q.bound, q.low, q.high, q.unit) for q in extract(text)]
    return len(wanted) == len(got) and all(
        (one[0], one[3]) == (other[0], other[3]) and one[1:3] == pytest.approx(other[1:3], rel=rel)
        for one, other in zip(wanted, got, strict=True)
    )
