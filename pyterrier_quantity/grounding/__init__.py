"""Numbers that are checked: `check` says of each number of an answer whether its evidence supports it."""

from __future__ import annotations

from .checking import Check, Finding, check
from .frames import CheckNumbers, SupportedNumbers
from .ground import CONTRADICTED, NOT_FOUND, SUPPORTED

__all__ = ["CONTRADICTED", "NOT_FOUND", "SUPPORTED", "Check", "CheckNumbers", "Finding", "SupportedNumbers", "check"]
