"""What can go wrong with units."""

from __future__ import annotations


class UnknownUnitError(ValueError):
    """A name that cannot be a unit; the message says which known units are near."""


class UnitFileError(ValueError):
    """A malformed unit file; the message names the file, the line, and the remedy."""
