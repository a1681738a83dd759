"""Numbers that are checked: `check` says of each number of an answer whether its evidence supports it."""

from __future__ import annotations

from .checking import CONTRADICTED, NOT_FOUND, SUPPORTED, Check, Finding, check
from .frames import CheckNumbers, SupportedNumbers

__all__ = ["CONTRADICTED", "NOT_FOUND", "SUPPORTED", "Check", "CheckNumbers", "Finding", "SupportedNumbers", "check"]
